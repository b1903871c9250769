"""Many runs in one process, and how the process looks before and after them."""

import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gem_gymnasium.sandbox import Policy, PythonSession, run_python
from tests.sandbox.surroundings import Surroundings, descendants, resident_bytes

# Ends of every kind; the second of each pair is its status.
PROGRAMS = [
    ("print(1 + 1)", "ok"),
    ("import sympy; print(sympy.sqrt(8))", "ok"),
    ("open('file', 'w').write('x' * 1000)", "ok"),
    ("1 / 0", "error"),
    ("import os; os.kill(os.getpid(), 11)", "error"),
    ("print('x' * 100_000)", "limit"),
]
WARM_UP = 24
IDLE_S = 1.0
AT_ONCE = 2


def endure(level: str, runs: int) -> dict[str, Any]:
    """Return what was there before and after many runs, and which of them went wrong."""
    work(level, WARM_UP)
    before = look()
    wrong = work(level, runs)
    return {"before": before, "after": look(), "wrong": wrong[:5]}


def work(level: str, runs: int) -> list[str]:
    """Make runs and, now and then, a timeout and a session; return which ended as they must not."""

    def one(number: int) -> str:
        source, expected = PROGRAMS[number % len(PROGRAMS)]
        if number % 40 == 20:
            source, expected = "while True: pass", "timeout"
            result = run_python(source, policy=Policy(time_s=0.2), level=level)
        elif number % 40 == 30:
            session = PythonSession(level=level)
            session.run("x = 1")
            source, expected = "print(x)", "ok"
            result = session.run(source)
            session.close()
        else:
            result = run_python(source, level=level)
        return "" if result.status == expected else f"{source}: {result}"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [said for said in pool.map(one, range(runs)) if said]


def look() -> dict[str, float]:
    """Return how the process, and those below it, are when they have nothing to do."""
    gc.collect()
    counts = Surroundings.settled()
    pids = [os.getpid(), *descendants(os.getpid())]
    start = cpu_s(pids)
    time.sleep(IDLE_S)
    return {
        "processes": counts.processes,
        "files": counts.files,
        "threads": threading.active_count(),
        "temporary": counts.temporary,
        "caller_mb": resident_bytes() / (1 << 20),
        # Of those below it: the largest is a level's own.
        "below_mb": max((resident(pid) for pid in pids[1:]), default=0) / (1 << 20),
        "below_files": max((open_files(pid) for pid in pids[1:]), default=0),
        "idle_cpu_s": cpu_s(pids) - start,
    }


def resident(pid: int) -> int:
    """Return the memory of a process, 0 if it is gone."""
    try:
        return resident_bytes(pid)
    except (OSError, IndexError):
        return 0


def open_files(pid: int) -> int:
    """Return how many files a process has open, 0 if that cannot be seen."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def cpu_s(pids: list[int]) -> float:
    """Return the CPU seconds that processes have used."""
    ticks = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
