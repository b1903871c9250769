"""Users that nobody is, for programs that root starts. Imports the standard library only."""

from __future__ import annotations

import functools
import os
import pwd
from collections.abc import Container

UNUSED = range(61_184, 65_520)
"""Where they are looked for (systemd keeps the range for such a use)."""


def unused_user(taken: Container[int | None]) -> int:
    """Return a user that has no name and is not ``taken``.

    Each process begins elsewhere, and uses the same few again: names are asked for once.

    Raises:
        OSError: There is none.
    """
    for place in range(len(UNUSED)):
        uid = UNUSED[(os.getpid() * 61 + place) % len(UNUSED)]
        if uid not in taken and not has_name(uid):
            return uid
    raise OSError(0, "no unused user is left")


@functools.cache
def has_name(uid: int) -> bool:
    """Return whether the machine knows such a user."""
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def hand_over(folder: str, uid: int) -> None:
    """Give a folder and all in it to a user; links are given, not followed.

    Raises:
        OSError: The caller may not.
    """
    os.chown(folder, uid, uid)
    # By descriptors, so that a program that still works in it cannot lead outside by a link.
    for _, folders, files, place in os.fwalk(folder):
        for name in (*folders, *files):
            os.chown(name, uid, uid, dir_fd=place, follow_symlinks=False)
