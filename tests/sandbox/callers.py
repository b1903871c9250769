"""Start, for the tests, the processes that call the sandbox: as root, as an ordinary user."""

import contextlib
import json
import os
import pty
import pwd
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.sandbox.bait import outside
from tests.sandbox.surroundings import descendants

ROOT = Path(__file__).parents[2]
ANSWER_S, ENDURANCE_S = 40.0, 400.0
KEPT = ("TMPDIR", "LANG", "DOCKER_HOST")
"""Variables of the tests that a caller has too."""

USERS = ("root", "ordinary") if os.getuid() == 0 else ("ordinary",)


class Caller:
    """A process of ``caller.py``."""

    def __init__(self, user: str) -> None:
        """Start one.

        Args:
            user: "root", "ordinary" (another user, if this one is root), or "contained" (in a
                container with nothing of the machine but read-only files).

        Raises:
            OSError: It cannot be started; the message says why.
        """
        self.token = f"gem-bait-{secrets.token_hex(8)}"
        master, terminal = pty.openpty()
        self.terminal = master
        command = [sys.executable, "-m", "tests.sandbox.caller", self.token]
        environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT), f"{self.token}-variable": "1"}
        environment |= {name: os.environ[name] for name in KEPT if name in os.environ}
        if user == "contained":
            command = [*container(), *command, os.readlink("/proc/self/ns/pid")]
        elif user == "ordinary" and os.getuid() == 0:
            command = [
                sys.executable,
                str(ROOT / "tests/sandbox/as_user.py"),
                unused_uid(),
                *command,
                "",
            ]
        else:
            environment["HOME"] = str(Path.home())
            command += [""]
        with open(terminal, "wb", closefd=True) as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                bufsize=1,
                cwd=ROOT,
                env=environment,
                start_new_session=True,
            )
        self.levels: dict[str, str] = self.answer(ANSWER_S)

    def ask(self, attack: str, level: str) -> dict[str, Any]:
        """Make one trial; return its outcome.

        Raises:
            OSError: The caller died or hung.
        """
        return self.request(ANSWER_S, attack=attack, level=level)

    def endure(self, level: str, runs: int) -> dict[str, Any]:
        """Make many runs; return how it was before and after.

        Raises:
            OSError: The caller died or hung.
        """
        return self.request(ENDURANCE_S, runs=runs, level=level)

    def request(self, timeout_s: float, **what: Any) -> Any:
        """Ask for something; return the answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        return self.answer(timeout_s)

    @property
    def is_closed(self) -> bool:
        """Whether it has ended."""
        return self.terminal < 0

    def answer(self, timeout_s: float) -> Any:
        """Read one line."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], timeout_s)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            said = self.said()
            self.close()
            raise OSError(0, f"the caller {'died' if ready else 'hung'}: {said}")
        return json.loads(line)

    def said(self) -> str:
        """Return what the caller wrote to its terminal."""
        text = b""
        while select.select([self.terminal], [], [], 0.2)[0]:
            try:
                text += os.read(self.terminal, 65_536)
            except OSError:
                break
        return text.decode("utf-8", "replace")[-3000:]

    def close(self) -> None:
        """End it, with all that it started."""
        if self.terminal < 0:
            return
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        for pid in {self.process.pid, *descendants(self.process.pid)}:
            if self.process.poll() is None:
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        os.close(self.terminal)
        self.terminal = -1
        # Not by shutil.rmtree, which deep folders defeat.
        left = Path(tempfile.gettempdir(), f"gem-caller-{self.token}")
        subprocess.run(["rm", "-rf", "--", str(left)], check=False)
        for path in outside(Path.home(), self.token):  # had it no time to
            path.unlink(missing_ok=True)


def unused_uid() -> str:
    """Return a user number that has no name."""
    for uid in range(54_321, 55_321):
        try:
            pwd.getpwuid(uid)
        except KeyError:
            return str(uid)
    raise OSError(0, "no unused user is left")


def container() -> list[str]:
    """Return how to run a command in a container that holds whatever happens in it.

    Raises:
        OSError: There is no bwrap.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise OSError(0, "bwrap is not installed")
    command = [bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]
    command += ["--dev", "/dev", "--proc", "/proc"]
    for folder in ("/tmp", "/var/tmp", "/run"):
        command += ["--tmpfs", folder]
    return [*command, "--unsetenv", "TMPDIR", "--setenv", "HOME", "/tmp"]
