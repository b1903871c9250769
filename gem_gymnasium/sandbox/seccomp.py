"""Seccomp filters: which system calls a confined program may make, as the kernel's BPF bytecode.

Two filters: :func:`strict`, for a Python program in one process (only what is listed passes), and
:func:`lenient`, for a shell behind namespaces (what is listed is refused). Refused calls fail with
EPERM, which Python turns into a PermissionError that a model can read. Pure but for
:func:`install`. The bytecode is described in the kernel's
``Documentation/userspace-api/seccomp_filter.rst``.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gem_gymnasium.sandbox.syscalls import (
    ALLOWED,
    ARCHITECTURES,
    DENIED,
    IGNORED,
    NUMBERS,
    UNSUPPORTED,
)

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_X32 = 0x40000000  # x86-64 knows a second set of call numbers from here on
_ALL = 0xFFFFFFFF
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER_MODE = 38, 22, 2

_NEW_NAMESPACES = 0x7E020080  # CLONE_NEWNS | ...CGROUP | UTS | IPC | USER | PID | NET | TIME
_THREAD = 0x00010000  # CLONE_THREAD
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_STREAM, _SOCKET_TYPE = 1, 0xF
# F_DUPFD F_GETFD F_SETFD F_GETFL F_SETFL, locks, F_DUPFD_CLOEXEC F_GETPIPE_SZ, but not F_SETOWN
# and F_SETSIG: they send signals to other processes.
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
# TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX TCGETS2
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
_PRCTL = (15, 16, 0x53564D41)  # PR_SET_NAME PR_GET_NAME PR_SET_VMA


class Rule(NamedTuple):
    """A call passes if ``argument & mask`` is one of ``values``; all rules of a call must hold.

    ``wide`` also demands that the upper half of a 64-bit argument (a pointer) is zero.
    """

    name: str
    argument: int
    values: tuple[int, ...]
    mask: int = _ALL
    wide: bool = False


# A file may not be made to run as its owner: in a folder that outlives the run it would.
_NO_SET_USER = tuple(
    Rule(name, argument, (0,), 0o6000)
    for name, argument in (
        *(("open", 2), ("openat", 3), ("creat", 1)),
        *(("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2)),
        *(("mknod", 1), ("mknodat", 2)),
    )
)

_PID = struct.pack("I", 0x7FFF1234)  # in the filter's template; no process has this number


def strict(pid: int) -> bytes:
    """Return the filter for one Python process that may start threads but no process.

    Args:
        pid: The process, the only one that it may send signals to.
    """
    return _strict().replace(_PID, struct.pack("I", pid))


@functools.cache
def _strict() -> bytes:
    """Return the filter with a place for the process's number."""
    (pid,) = struct.unpack("I", _PID)
    rules = [
        Rule("clone", 0, (_THREAD,), _THREAD | _NEW_NAMESPACES),
        Rule("fcntl", 1, _FCNTL),
        Rule("ioctl", 1, _IOCTL),
        Rule("kill", 0, (pid,)),
        Rule("tgkill", 0, (pid,)),
        Rule("prctl", 0, _PRCTL),
        # Reading one's own limits, not setting them and not those of others.
        Rule("prlimit64", 0, (0,)),
        Rule("prlimit64", 2, (0,), wide=True),
        # asyncio needs a pair of stream sockets; one of datagrams could send to any address.
        Rule("socketpair", 0, (_UNIX,)),
        Rule("socketpair", 1, (_STREAM,), _SOCKET_TYPE),
        Rule("sendto", 4, (0,), wide=True),
        # Its other modes take disk that no limit counts.
        Rule("fallocate", 1, (0,)),
        *_NO_SET_USER[:3],
    ]
    fixed = dict.fromkeys(ALLOWED, _ALLOW) | dict.fromkeys(IGNORED, _ERRNO)
    fixed |= dict.fromkeys(UNSUPPORTED, _ERRNO | errno.EOPNOTSUPP)
    return _compile(fixed, rules, otherwise=_ERRNO | errno.EPERM)


def lenient() -> bytes:
    """Return the filter for programs that namespaces hold already."""
    rules = [
        Rule("clone", 0, (0,), _NEW_NAMESPACES),
        # Other families reach past a network namespace (AF_VSOCK) or deep into the kernel.
        Rule("socket", 0, (_UNIX, _INET, _INET6, _NETLINK)),
        Rule("fallocate", 1, (0,)),
        *_NO_SET_USER,
    ]
    refused = dict.fromkeys(DENIED, _ERRNO | errno.EPERM)
    return _compile(refused, rules, otherwise=_ALLOW)


def unavailable() -> str:
    """Return why no filter can be set on this machine, or ``""``."""
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        return f"no table of system calls for {machine} (there are {', '.join(ARCHITECTURES)})"
    if os.name != "posix" or platform.system() != "Linux":
        return "seccomp needs Linux"
    libc = ctypes.CDLL(None, use_errno=True)
    # The filter is missing: a kernel that would look at it says EFAULT, one without seccomp EINVAL.
    libc.prctl(_PR_SET_SECCOMP, _FILTER_MODE, None, 0, 0)
    return "" if ctypes.get_errno() in (errno.EFAULT, errno.EACCES) else "the kernel has no seccomp"


def install(program: bytes) -> None:
    """Put the calling process, for ever, under a filter; it can gain no privileges any more.

    Raises:
        OSError: The kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    instructions = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: a count, padding, a pointer.
    head = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(instructions))
    )
    for what in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _FILTER_MODE, ctypes.byref(head), 0, 0),
    ):
        if libc.prctl(*what) != 0:
            code = ctypes.get_errno()
            raise OSError(code, f"prctl({what[0]}): {os.strerror(code)}")


def _compile(actions: Mapping[str, int], rules: Sequence[Rule], otherwise: int) -> bytes:
    """Compose the filter: an action by name, the rules' calls looked into, else ``otherwise``.

    ``clone3`` and ``openat2`` take pointers, which a filter cannot follow: they answer that they
    do not exist (ENOSYS), upon which a C library uses the older calls.
    """
    audit, column = ARCHITECTURES[platform.machine()]
    code = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, audit, if_true=1),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
        _instruction(_AT_LEAST, _X32, if_false=1),
        _instruction(_RETURN, _ERRNO | errno.EPERM),
    ]
    fixed = {**actions}
    fixed |= dict.fromkeys(("clone3", "openat2"), _ERRNO | errno.ENOSYS)
    blocks = {name: [_instruction(_RETURN, what)] for name, what in fixed.items()}
    for rule in rules:
        blocks[rule.name] = [
            *(line for other in rules if other.name == rule.name for line in _checked(other)),
            _instruction(_RETURN, _ALLOW),
        ]
    for name, block in blocks.items():
        number = NUMBERS[name][column]
        if number is not None:
            code += [_instruction(_EQUAL, number, if_false=len(block)), *block]
    code.append(_instruction(_RETURN, otherwise))
    return b"".join(code)


def _checked(rule: Rule) -> list[bytes]:
    """Return the code that goes on if a rule holds, and else refuses the call."""
    refuse = _instruction(_RETURN, _ERRNO | errno.EPERM)
    low = _ARGUMENTS + 8 * rule.argument
    code: list[bytes] = []
    if rule.wide:
        code += [_instruction(_LOAD, low + 4), _instruction(_EQUAL, 0, if_true=1), refuse]
    code.append(_instruction(_LOAD, low))
    if rule.mask != _ALL:
        code.append(_instruction(_AND, rule.mask))
    left = len(rule.values)
    code += [
        _instruction(_EQUAL, value, if_true=left - place) for place, value in enumerate(rule.values)
    ]
    return [*code, refuse]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one struct sock_filter; the jumps count instructions to leave out."""
    return struct.pack("HBBI", code, if_true, if_false, value)
