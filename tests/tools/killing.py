"""Kill what runs this process's sandboxed programs, and no other process."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

RUNS = {"zygote": b"zygote_server", "bwrap": b"bwrap"}
"""What the command line of a level's own process holds."""


def machinery(level: str) -> Iterator[int]:
    """Yield the ids of the processes that this one started for a level."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = f"\nPPid:\t{os.getpid()}\n" in (folder / "status").read_text()
            if is_ours and RUNS[level] in (folder / "cmdline").read_bytes():
                yield int(folder.name)
        except OSError:
            continue  # it ended meanwhile


def kill_in(seconds: float, level: str) -> threading.Thread:
    """Kill the processes of a level a moment from now, once there are any."""

    def kill() -> None:
        time.sleep(seconds)
        deadline = time.monotonic() + 10
        while not (found := list(machinery(level))) and time.monotonic() < deadline:
            time.sleep(0.01)
        for pid in found:
            os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread
