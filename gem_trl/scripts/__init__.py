"""Command-line scripts, each with TRL's ``make_parser`` and ``main``."""
