"""Kill the sandbox's warm parents that this process started, and no other."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path


def zygotes() -> Iterator[int]:
    """Yield the process ids of the warm parents that this process started."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status, command = (folder / name for name in ("status", "cmdline"))
            is_ours = f"\nPPid:\t{os.getpid()}\n" in status.read_text()
            if is_ours and "zygote_server" in command.read_text():
                yield int(folder.name)
        except OSError:
            continue  # it ended meanwhile


def kill_zygotes_in(seconds: float) -> threading.Thread:
    """Kill this process's warm parents a moment from now."""

    def kill() -> None:
        time.sleep(seconds)
        for pid in zygotes():
            os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread
