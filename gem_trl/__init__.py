"""A TRL trainer with turn-level credit for gymnasium's text environments."""
