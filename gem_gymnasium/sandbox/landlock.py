"""Landlock: which files a process may touch, however it is started and whoever it is.

Rights are granted for folders and all that is in them; whatever no rule grants is refused by the
kernel. See ``Documentation/userspace-api/landlock.rst`` of the kernel. What Landlock does not hold
(chmod, chown, times, attributes) ``seccomp.py`` does.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

NEEDED_VERSION = 3
"""The first version that holds truncation (Linux 6.2)."""

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG, _MAKE_SYM = 1 << 4, 1 << 5, 1 << 7, 1 << 8, 1 << 12
_REFER, _TRUNCATE = 1 << 13, 1 << 14

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall

LIST = _READ_DIR
READ = _READ_FILE | _READ_DIR
DEVICE = _READ_FILE | _WRITE_FILE
WRITE = (
    READ
    | _WRITE_FILE
    | _REMOVE_DIR
    | _REMOVE_FILE
    | _MAKE_DIR
    | _MAKE_REG
    | _MAKE_SYM
    | _REFER
    | _TRUNCATE
)
_OF_FILES = _READ_FILE | _WRITE_FILE | _TRUNCATE | 1  # what a rule on a file (not a folder) may be


def version() -> int:
    """Return the version of Landlock that the kernel has, 0 for none."""
    return max(0, _syscall(_CREATE, None, ctypes.c_size_t(0), 1))


def prepared(grants: Sequence[tuple[int, int]]) -> list[bytes]:
    """Return rules as the kernel takes them.

    Args:
        grants: (an open file descriptor of a file or folder, rights such as ``READ``). They may
            be of places that a process which has dropped its user can no longer name.
    """
    return [
        struct.pack("=Qi", rights if os.path.isdir(place) else rights & _OF_FILES, place)
        for place, rights in grants
    ]


def ruleset(rules: Sequence[bytes]) -> int:
    """Return a descriptor of the rule that a process may do only what ``prepared`` rules grant.

    Raises:
        OSError: The kernel refuses.
    """
    known = version()
    # All rights on files that this version knows: those of version 1, then one each.
    files = (1 << 13) - 1
    for needed, right in ((2, 13), (3, 14), (5, 15)):
        files |= (1 << right) if known >= needed else 0
    network = 0b11 if known >= 4 else 0  # to bind and to connect TCP
    scopes = 0b11 if known >= 6 else 0  # abstract sockets and signals: none beyond this process
    size = 8 if known < 4 else 16 if known < 6 else 24
    what = struct.pack("QQQ", files, network, scopes)
    descriptor = _checked(_syscall(_CREATE, what, ctypes.c_size_t(size), 0), "create_ruleset")
    for rule in rules:
        _checked(_syscall(_ADD_RULE, descriptor, _PATH_BENEATH, rule, 0), "add_rule")
    return descriptor


def restrict(descriptor: int) -> None:
    """Put the calling process, for ever, under a ruleset.

    Raises:
        OSError: The kernel refuses.
    """
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _checked(_syscall(_RESTRICT, descriptor, 0), "restrict_self")


def visible(roots: Sequence[Path], hidden: Sequence[Path]) -> Iterator[tuple[Path, int]]:
    """Yield what to grant so that everything below ``roots`` can be read but what is ``hidden``.

    Landlock knows no exceptions: a root with something hidden below it is granted piece by piece,
    and can be listed as a whole.
    """
    for root in roots:
        if root in hidden or not root.exists():
            continue
        if not any(root in place.parents for place in hidden):
            yield root, READ
            continue
        yield root, LIST
        within = sorted(entry for entry in root.iterdir() if not entry.is_symlink())
        yield from visible(within, hidden)


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"landlock {what}: {os.strerror(code)}")
    return result
