"""The ``gem-gym`` command: one file a subcommand, ``main.py`` chooses."""
