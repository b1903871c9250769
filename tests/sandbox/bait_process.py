"""A bait process: it holds a secret and a file, and waits. Nothing may reach it."""

import contextlib
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

# PR_SET_PTRACER_ANY: where Yama lets a process trace its children only, this one still is bait.
_SOURCE = """
import ctypes, os, sys
secret = ctypes.create_string_buffer(sys.stdin.readline().encode())
ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)
held = os.open(sys.argv[1], os.O_RDONLY)
print(ctypes.addressof(secret), held, flush=True)
sys.stdin.read()
"""


class BaitProcess:
    """A process of the test's own user."""

    def __init__(self, secret: str, path: Path) -> None:
        self.secret, self.path = secret, path
        self.start()

    def start(self) -> None:
        """Start it, in a group of its own, and note how it is."""
        self.child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SOURCE, str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            process_group=0,
        )
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(self.secret + "\n")
        self.address, self.held = map(int, self.child.stdout.readline().split())
        self.seen = self.look()

    @property
    def pid(self) -> int:
        """Its number."""
        return self.child.pid

    def told(self) -> dict[str, Any]:
        """Return what finds it."""
        return {
            "process": self.pid,
            "process_address": self.address,
            "process_fd": self.held,
        }

    def look(self) -> tuple[Any, ...]:
        """Return what a change of its rights, limits or scheduling would change."""
        limits = (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE, resource.RLIMIT_CPU)
        return (
            os.getpriority(os.PRIO_PROCESS, self.pid),
            os.sched_getscheduler(self.pid),
            sorted(os.sched_getaffinity(self.pid)),
            *(resource.prlimit(self.pid, limit) for limit in limits),
        )

    def disturbed(self) -> list[str]:
        """Return what happened to it; replace it if something did."""
        found: list[str] = []
        if self.child.poll() is not None:
            found.append(f"the process of the test was killed ({self.child.returncode})")
        else:
            state = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]
            if state in "Tt":
                found.append("the process of the test was stopped")
            if self.look() != self.seen:
                found.append("limits or scheduling of the process of the test were changed")
        if found:
            self.close()
            self.start()
        return found

    def close(self) -> None:
        """End it."""
        self.child.kill()
        self.child.wait()
        for stream in (self.child.stdin, self.child.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
