"""Give up, step by step and for ever, what a program must not have. Runs in the forked child."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from collections.abc import Iterable

from gem_gymnasium.sandbox import landlock

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_CLONE_NEWUSER = 0x10000000
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522


def confine(*, uid: int | None, parent: int, rulesets: Iterable[int]) -> None:
    """Confine the calling process, which must have one thread.

    Resource limits are the parent's to set.

    Args:
        uid: An unused user to become (then the process must be root), or None to stay.
        parent: The process whose death kills this one.
        rulesets: What Landlock lets through, all to be applied.

    Raises:
        OSError: The kernel refuses a step: the program must not run then.
    """
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    else:
        count_own_processes()
    # After the change of user, which clears it.
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # the caller may look at its open files
    if os.getppid() != parent:
        raise OSError(0, "the parent died")
    for ruleset in rulesets:
        landlock.restrict(ruleset)


def count_own_processes() -> None:
    """Enter a user namespace, where only the run's own threads count against its limit.

    An ordinary user's limit counts all that the user runs. Where user namespaces are not allowed
    the limit then is the user's: threads fail to start sooner, never later.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWUSER) != 0:
        return
    # Drop the powers that come with it, inside it only though they are.
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITY_VERSION, 0))
    nothing = ctypes.create_string_buffer(bytes(24))
    if libc.syscall(_CAPSET[os.uname().machine], header, nothing) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"capset: {os.strerror(code)}")
