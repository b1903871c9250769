"""The filters: their tables against the kernel's headers, their code against an interpreter."""

import errno
import platform
import re
import struct
from pathlib import Path

import pytest

from gem_gymnasium.sandbox import seccomp
from gem_gymnasium.sandbox.syscalls import (
    ALLOWED,
    ARCHITECTURES,
    DENIED,
    IGNORED,
    NUMBERS,
    UNSUPPORTED,
)

pytestmark = pytest.mark.skipif(
    platform.machine() not in ARCHITECTURES, reason="no table for this machine"
)

ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE = 0x00050000 | errno.EPERM
MISSING = 0x00050000 | errno.ENOSYS
PRETEND = 0x00050000
PID = 4321
X86 = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
GENERIC = Path("/usr/include/asm-generic/unistd.h")


def verdict(
    program: bytes, name: str, *arguments: int, arch: int | None = None, nr: int = -1
) -> int:
    """Interpret a filter for one call, as the kernel would."""
    audit, column = ARCHITECTURES[platform.machine()]
    number = nr if nr >= 0 else NUMBERS[name][column]
    if number is None:
        pytest.skip(f"{name} is not a call of this machine")
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("IIQ6Q", number, audit if arch is None else arch, 0, *given)
    code = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
    place = register = 0
    while True:
        what, if_true, if_false, value = code[place]
        place += 1
        if what == 0x20:
            register = struct.unpack_from("I", data, value)[0]
        elif what == 0x54:
            register &= value
        elif what == 0x15:
            place += if_true if register == value else if_false
        elif what == 0x35:
            place += if_true if register >= value else if_false
        else:
            assert what == 0x06
            return value


STRICT, LENIENT = seccomp.strict(PID), seccomp.lenient()


@pytest.mark.skipif(not X86.exists(), reason="no headers of the kernel")
def test_the_numbers_are_the_kernels() -> None:
    x86 = dict(re.findall(r"#define __NR_(\w+)\s+(\d+)", X86.read_text()))
    text = GENERIC.read_text()
    plain = dict(re.findall(r"#define __NR_(\w+)\s+(\d+)", text))
    wide = dict(re.findall(r"#define __NR3264_(\w+)\s+(\d+)", text))
    renamed = dict(re.findall(r"#define __NR_(\w+) __NR3264_(\w+)", text))
    for name, (on_x86, on_arm) in NUMBERS.items():
        known = x86.get(name)
        assert known is None or on_x86 == int(known), name  # older headers lack the newest
        other = plain.get(name) or wide.get(renamed.get(name, name))
        assert other is None or on_arm in (None, int(other)), name


def test_every_call_named_has_a_number() -> None:
    for name in (*ALLOWED, *DENIED, *IGNORED, *UNSUPPORTED):
        assert any(number is not None for number in NUMBERS[name]), name


@pytest.mark.parametrize("name", ["read", "write", "mmap", "futex", "openat", "exit_group"])
def test_what_python_needs_passes(name: str) -> None:
    assert verdict(STRICT, name) == ALLOW


@pytest.mark.parametrize("name", DENIED)
def test_what_is_dangerous_passes_neither(name: str) -> None:
    assert verdict(STRICT, name) == REFUSE
    assert verdict(LENIENT, name) == REFUSE


@pytest.mark.parametrize("number", [57, 58, 59, 322, 424, 434, 999, 0x40000000, 0xFFFFFFFF])
def test_what_is_not_listed_does_not_pass(number: int) -> None:
    """Among them fork, vfork, execve, execveat and pidfd_send_signal, and x32's numbers."""
    if platform.machine() != "x86_64" and number < 424:
        pytest.skip("another call there")
    assert verdict(STRICT, "", nr=number) == REFUSE


@pytest.mark.parametrize("program", [STRICT, LENIENT])
def test_another_architecture_is_death(program: bytes) -> None:
    assert verdict(program, "read", arch=0x40000003) == KILL


@pytest.mark.parametrize("program", [STRICT, LENIENT])
@pytest.mark.parametrize("name", ["clone3", "openat2"])
def test_calls_by_pointer_do_not_exist(program: bytes, name: str) -> None:
    assert verdict(program, name) == MISSING


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_attributes_of_files_are_not_supported(name: str) -> None:
    assert verdict(STRICT, name) == 0x00050000 | errno.EOPNOTSUPP


CASES = [
    ("clone", (0x3D0F00,), ALLOW),  # what a thread is made with
    ("clone", (0x01200011,), REFUSE),  # what fork() is made with
    ("clone", (0x10000 | 0x10000000,), REFUSE),
    ("kill", (PID, 9), ALLOW),
    ("kill", (PID + 1, 9), REFUSE),
    ("kill", (0, 9), REFUSE),
    ("kill", (0xFFFFFFFF, 9), REFUSE),
    ("tgkill", (PID, PID + 1, 6), ALLOW),
    ("tgkill", (PID + 1, PID + 1, 6), REFUSE),
    ("fcntl", (3, 4, 0), ALLOW),
    ("fcntl", (3, 8, 1), REFUSE),  # F_SETOWN
    ("fcntl", (3, 10, 9), REFUSE),  # F_SETSIG
    ("ioctl", (1, 0x5401), ALLOW),
    ("ioctl", (0, 0x5412), REFUSE),  # TIOCSTI
    ("prctl", (15,), ALLOW),
    ("prctl", (1, 0), REFUSE),  # PR_SET_PDEATHSIG
    ("prlimit64", (0, 7, 0, 0x7000), ALLOW),
    ("prlimit64", (0, 7, 0x7000, 0), REFUSE),
    ("prlimit64", (0, 7, 0x7F00000000, 0), REFUSE),  # a pointer whose lower half is zero
    ("prlimit64", (1, 7, 0, 0x7000), REFUSE),
    ("socketpair", (1, 1), ALLOW),
    ("socketpair", (1, 0x80801), ALLOW),
    ("socketpair", (1, 2), REFUSE),
    ("socketpair", (2, 1), REFUSE),
    ("sendto", (3, 0x7000, 1, 0, 0, 0), ALLOW),
    ("sendto", (3, 0x7000, 1, 0, 0x7F00000000, 16), REFUSE),
    ("fallocate", (3, 0, 0, 100), ALLOW),
    ("fallocate", (3, 1, 0, 100), REFUSE),
    ("openat", (3, 0x7000, 0o100, 0o644), ALLOW),
    ("openat", (3, 0x7000, 0o100, 0o4755), REFUSE),
    ("chmod", (0x7000, 0o777), PRETEND),
    ("utimensat", (3, 0x7000, 0, 0), PRETEND),
    ("socket", (1, 1), REFUSE),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES)
def test_strict_looks_at_arguments(name: str, arguments: tuple[int, ...], expected: int) -> None:
    assert verdict(STRICT, name, *arguments) == expected


LENIENT_CASES = [
    ("clone", (0x01200011,), ALLOW),
    ("clone", (0x10000000,), REFUSE),  # CLONE_NEWUSER
    ("clone", (0x00020000,), REFUSE),  # CLONE_NEWNS
    ("socket", (2, 1), ALLOW),
    ("socket", (40, 1), REFUSE),  # AF_VSOCK
    ("socket", (38, 5), REFUSE),  # AF_ALG
    ("fchmodat", (3, 0x7000, 0o755), ALLOW),
    ("fchmodat", (3, 0x7000, 0o4755), REFUSE),
    ("chmod", (0x7000, 0o2755), REFUSE),
    ("read", (), ALLOW),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), LENIENT_CASES)
def test_lenient_looks_at_arguments(name: str, arguments: tuple[int, ...], expected: int) -> None:
    assert verdict(LENIENT, name, *arguments) == expected


@pytest.mark.parametrize("pid", [1, 61234, 2**22])
def test_the_filter_knows_its_process(pid: int) -> None:
    assert verdict(seccomp.strict(pid), "kill", pid, 9) == ALLOW
    assert verdict(seccomp.strict(pid), "kill", pid + 1, 9) == REFUSE
    assert len(seccomp.strict(pid)) // 8 < 4096  # the kernel's bound on a filter
