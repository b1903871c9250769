"""A line that says how far a command is, for a person who waits."""

from __future__ import annotations

import sys


def progress(what: str, done: int, of: int, unit: str) -> None:
    """Show how far it is, where a person can see it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{what}: {done} of {of} {unit} ")
        sys.stderr.flush()


def clear() -> None:
    """Take the line away again."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
