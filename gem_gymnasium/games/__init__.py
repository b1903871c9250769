"""The games: one file each, read top to bottom: config, state, pure rules, wording, env."""
