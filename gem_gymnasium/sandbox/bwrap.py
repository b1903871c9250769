"""Level ``bwrap``: bubblewrap's namespaces around a process tree, for shells and for Python."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from gem_gymnasium.sandbox import libraries, seccomp
from gem_gymnasium.sandbox.child_process import (
    END_S,
    Descriptors,
    command_of,
    environment,
    family,
    interpreter,
    launch,
    limiting,
    memory_excess,
    search_path,
)
from gem_gymnasium.sandbox.level import (
    WORK,
    Ending,
    Level,
    Running,
    close_all,
    disk_excess,
    is_readable,
    pipe,
    sealed,
    unlinked_bytes,
)
from gem_gymnasium.sandbox.policy import Kind, Policy, Program
from gem_gymnasium.sandbox.users import UNUSED, hand_over, unused_user

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
FILES = ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
PROBE_S = 20.0
"""How long a trial may take."""


class Bwrap(Level):
    """Run a process tree behind bubblewrap's namespaces, as a user without rights.

    **Covered**: no network (a loopback device of its own); no process outside can be seen or
    signalled; the file system holds the system's programs and libraries (read-only), this Python
    with ``libraries.PACKAGES``, and the run's folder as ``/sandbox`` (also ``/tmp``), which is in
    memory and bounded unless the policy names a folder; limits on CPU, memory, processes, open
    files, file size and output; the rarely needed doors of the kernel are shut (seccomp). When it
    ends, the kernel kills the whole tree. Started by root, the program is an unused user.

    **Not covered**: a fault in the kernel; memory of the kernel's own (pipes, sockets); the limit
    on the memory of all processes together is looked at ten to a hundred times a second, so a
    program can pass it for so long; timing.
    """

    name: ClassVar[str] = "bwrap"
    kinds: ClassVar[tuple[Kind, ...]] = ("python", "session", "shell", "shell session")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: set[int | None] = set()
        self._why: str | None = None

    def unavailable(self) -> str:
        """Return why this machine cannot reach the level, or ``""``; tried once a process."""
        if self._why is None:
            self._why = self._tried()
        return self._why

    def _tried(self) -> str:
        if sys.platform != "linux":
            return "needs Linux"
        for program, package in (("bwrap", "bubblewrap"), ("prlimit", "util-linux")):
            if shutil.which(program) is None:
                return f"{program} is not installed: run `apt-get install {package}`"
        if why := seccomp.unavailable():
            return why
        uid = UNUSED[0] if os.getuid() == 0 else None
        become, then = _user(uid)
        probe = [
            "bwrap",
            *_isolation(libraries.package_folders()),
            *become,
            "--",
            *then,
            "/bin/true",
        ]
        try:
            done = subprocess.run(probe, capture_output=True, timeout=PROBE_S, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            return str(error)
        said = done.stderr.decode("utf-8", "replace").strip()
        return "" if done.returncode == 0 else f"bubblewrap fails here: {said}"

    def begin(self, program: Program, policy: Policy) -> Running:
        """Start a program behind namespaces.

        Raises:
            SandboxFailure: bubblewrap does not start.
        """
        with self._lock:
            uid = unused_user(self._users) if os.getuid() == 0 else None
            self._users.add(uid)
        tree = _Tree(policy, functools.partial(self._users.discard, uid))
        try:
            tree.start(_arguments(program, policy), program, uid)
        except BaseException:
            tree.close()
            raise
        return tree


def _isolation(folders: Sequence[Path]) -> list[str]:
    """Return bubblewrap's options that part a program from everything.

    Args:
        folders: Where packages are installed.
    """
    # Root's own powers set up what an ordinary user needs a user namespace for; it could not
    # become another user in one.
    user = [] if os.getuid() == 0 else ["--unshare-user", "--disable-userns"]
    return [
        *(*user, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup-try", "--die-with-parent", "--new-session", "--hostname", "gem"),
        *_system(folders),
    ]


def _arguments(program: Program, policy: Policy) -> list[str]:
    """Return bubblewrap's options for a run."""
    size = ("--size", str(policy.disk_bytes))
    work = ("--perms", "1777", *size, "--tmpfs", WORK)
    if policy.folder is not None:
        work = ("--bind", str(Path(policy.folder).resolve()), WORK)
    for place in policy.places:
        for above in reversed(Path(place.target).parents[:-1]):
            work += ("--perms", "0755", "--dir", str(above))
        bind = "--bind" if place.writable else "--ro-bind"
        work += (bind, str(Path(place.source).resolve()), place.target)
    folders = libraries.package_folders()
    closed, python = _below(Path("/usr"), folders), list[str]()
    if program.kind != "shell":
        python = _python(program.library, folders)
        base = _below(_base(), folders)
        closed += [folder for folder in base if folder not in closed]
    variables = {**environment(WORK), **search_path(folders)}
    return [
        *_isolation(folders),
        *python,
        # bubblewrap's own first process is the program's user without its limits: out of sight.
        *("--proc", "/proc", "--perms", "0555", "--size", "4096", "--tmpfs", "/proc/1"),
        *("--remount-ro", "/proc/1"),
        *("--dev", "/dev", "--perms", "1777", *size, "--tmpfs", "/dev/shm"),
        *(part for folder in closed for part in ("--remount-ro", str(folder))),
        *("--remount-ro", "/dev", *work, *_tmp(folders), "--remount-ro", "/"),
        "--clearenv",
        *(part for pair in variables.items() for part in ("--setenv", *pair)),
        *("--chdir", WORK),
    ]


class _Tree(Running):
    """A process tree behind bubblewrap."""

    def __init__(self, policy: Policy, release: Callable[[], None]) -> None:
        self.stdout = self.stderr = self.ended = -1
        self._policy, self._release, self._closed = policy, release, False
        self._bwrap: subprocess.Popen[bytes] | None = None
        self._init = -1
        """A handle of the first process inside: when it dies, the kernel kills all the others."""
        self._pid = 0
        self._reports, self._report = pipe()
        self._said = b""

    def start(self, arguments: list[str], program: Program, uid: int | None) -> None:
        """Start bubblewrap and wait until the program is about to run.

        Raises:
            SandboxFailure: It does not come to that.
        """
        if uid is not None:
            for folder in self._policy.given_folders:
                hand_over(str(folder), uid)
        ends = Descriptors(self, program)
        given = (sealed("\0".join(arguments) + "\0"), sealed(seccomp.lenient()), self._report)
        named = ("--args", "--seccomp", "--json-status-fd")
        options = [part for pair in zip(named, map(str, given), strict=True) for part in pair]
        become, then = _user(uid)
        command = [
            *("bwrap", *options, *become, "--", *then),
            *(*limiting(program, self._policy), *command_of(program, ends, str(interpreter()))),
        ]
        try:
            self._bwrap = launch(command, ends, folder="/", variables={}, also=given)
            self.ended = os.pidfd_open(self._bwrap.pid)
        finally:
            ends.close_theirs()
            close_all(*given)
            self._report = -1
        ends.await_start(self.stderr)
        self._find_init()

    def _find_init(self) -> None:
        """Take a handle of the first process inside, unless all is over already."""
        assert self._bwrap is not None
        with contextlib.suppress(OSError):
            pid = self._reported("child-pid")
            if pid is None:
                return
            self._init = os.pidfd_open(pid)
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            if int(stat.rpartition(")")[2].split()[1]) == self._bwrap.pid:
                self._pid = pid
            else:  # it has ended, and its number is another's by now
                os.close(self._init)
                self._init = -1

    def kill(self) -> None:
        """Kill the first process inside, and with it all."""
        if self._init >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init, signal.SIGKILL)
        elif self._bwrap is not None:
            self._bwrap.kill()

    def wait(self, timeout_s: float) -> Ending:
        """Return how the program ended, once all processes inside are gone."""
        assert self._bwrap is not None
        deadline = time.monotonic() + timeout_s
        if self._init >= 0 and not is_readable(self._init, timeout_s):
            return Ending(None, "the processes could not be killed")
        try:
            self._bwrap.wait(max(1.0, deadline - time.monotonic()) if self._init < 0 else 1.0)
        except subprocess.TimeoutExpired:
            self._bwrap.kill()
            return Ending(None, "bubblewrap does not end")
        code = self._reported("exit-code")
        if code is None:
            return Ending(None, f"bubblewrap ended with {self._bwrap.returncode}")
        return Ending.as_of_a_shell(code)

    def _reported(self, name: str) -> int | None:
        """Return a number that bubblewrap has reported, None if it has not."""
        with contextlib.suppress(OSError):
            self._said += os.read(self._reports, 65_536)
        for line in self._said.splitlines():
            with contextlib.suppress(ValueError):
                report: dict[str, int] = json.loads(line)
                if name in report:
                    return report[name]
        return None

    def processes(self) -> list[int]:
        """Return the ids of all processes inside but the first, which is bubblewrap's own."""
        return family(self._pid)[1:] if self._pid else []

    def excess(self) -> str:
        """Return that the tree takes too much memory, or its folder holds too much."""
        if not self._pid:
            return ""
        # Seen from outside: the root of the first process.
        folder = f"/proc/{self._pid}/root{WORK}"
        pids = family(self._pid)
        unlinked = 0 if self._policy.folder is None else unlinked_bytes(pids)  # the disk's own
        return memory_excess(pids, self._policy) or disk_excess(folder, self._policy, unlinked)

    def close(self) -> None:
        """Kill what is left, close every descriptor."""
        if self._bwrap is not None:
            self.kill()
            self.wait(END_S)
            self._bwrap.kill()
            self._bwrap.wait()
            self._bwrap = None
        if not self._closed:
            self._closed = True
            self._release()
        self.close_pipes()
        close_all(self.ended, self._init, self._reports, self._report)
        self.ended = self._init = self._reports = self._report = -1


def _user(uid: int | None) -> tuple[list[str], list[str]]:
    """Return bubblewrap's options, and the command before the program's, that change the user."""
    if uid is None:
        return ["--uid", str(UNUSED[0]), "--gid", str(UNUSED[0])], []
    powers = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
    become = ["--reuid", str(uid), "--regid", str(uid), "--clear-groups"]
    return (
        [part for power in powers for part in ("--cap-add", power)],
        ["/usr/bin/setpriv", *become, "--bounding-set=-all", "--inh-caps=-all", "--"],
    )


def _system(folders: Sequence[Path]) -> list[str]:
    """Return the options that show the system's programs and libraries."""
    options = ["--perms", "0755", "--dir", "/etc"]
    for place in map(Path, SYSTEM):
        if place.is_symlink():
            options += ["--symlink", os.readlink(place), str(place)]
        elif place.is_dir():
            options += ["--ro-bind", str(place), str(place)]
    for place in FILES:
        options += ["--ro-bind-try", place, place]
    return [*options, *_hiding(_below(Path("/usr"), folders))]


def _below(root: Path, folders: Sequence[Path]) -> list[Path]:
    """Return the folders that are below ``root``."""
    return [folder for folder in folders if root in folder.parents]


def _hiding(folders: list[Path]) -> list[str]:
    """Return the options that put an empty folder over each; they are still to be closed."""
    empty = ("--perms", "0755", "--size", "65536", "--tmpfs")
    return [part for folder in folders for part in (*empty, str(folder))]


def _tmp(folders: Sequence[Path]) -> list[str]:
    """Return the options that make ``/tmp`` the run's folder, unless this Python lies below it."""
    held = Path("/tmp") in {above for place in (*folders, _base()) for above in place.parents}
    return ["--perms", "0755", "--dir", "/tmp"] if held else ["--symlink", WORK, "/tmp"]


def _base() -> Path:
    """Return the folder of the Python that this one was made from."""
    return Path(sys.base_prefix).resolve()


def _python(library: libraries.Library, folders: Sequence[Path]) -> list[str]:
    """Return the options that show this Python and the packages that a program may import."""
    base = _base()
    options: list[str] = []
    shown = libraries.packages(library, folders)
    for place in dict.fromkeys([base, *(package.parent for package in shown)]):
        for above in reversed(place.parents):
            if above != Path("/") and Path("/usr") not in (above, *above.parents):
                options += ["--perms", "0755", "--dir", str(above)]
    if Path("/usr") not in (base, *base.parents):
        options += ["--ro-bind", str(base), str(base), *_hiding(_below(base, folders))]
    for package in shown:
        options += ["--ro-bind", str(package), str(package)]
    return options
