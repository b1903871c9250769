"""One trial: run an attack at a level, then look from outside what became of it."""

import contextlib
import os
import re
import resource
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gem_gymnasium.sandbox import Policy, PythonSession, Result, run_python, run_shell
from gem_gymnasium.sandbox.child_process import END_S
from tests.sandbox.attack import Attack
from tests.sandbox.bait import Bait
from tests.sandbox.surroundings import Surroundings, descendants, parent_of

GRACE_S = 2.0
"""How much later than the deadline a run may return."""

ENGINE_S = 10.0
"""The same at level docker, whose engine creates and removes a container in that time."""

STOPPED_S = END_S
"""The same for a sandbox that was stopped from outside: it is given time to answer."""

MEANWHILE_S = 0.4
"""When the test acts on the sandbox's own processes, after a run's start."""


class Outcome(NamedTuple):
    """What an attack came to: everything that should not have been, and how it ended."""

    problems: list[str]
    ending: str


def trial(attack: Attack, level: str, bait: Bait, before: Surroundings) -> Outcome:
    """Run one attack at one level; ``before`` is how the caller looks when all is well."""
    told = bait.told(level, attack.policy)
    with kept_folder(attack) as folder:
        policy = Policy(**attack.policy, folder=folder)
        if attack.header.get("earlier"):
            run_python(f"print(input()) # {bait.secret}", stdin=bait.secret, level=level)
        peak = _peak_bytes()
        start, waited = time.monotonic(), waited_s(bait)
        with meanwhile(attack, level, folder, bait) as called:
            result = run(attack, told, policy, level)
            took = time.monotonic() - start - max(0.0, waited_s(bait) - waited)
        problems = [
            *breaches(result.output),
            *unexpected(attack, level, result.status, result.output, took),
            *called,
            *bait.disturbed(),
        ]
        if _peak_bytes() - peak > 64 << 20:
            problems.append(f"the caller took {(_peak_bytes() - peak) >> 20} MB at its peak")
        if bait.secret in result.output + result.errors:
            problems.append("the output holds a secret")
        problems += afterwards(attack, level, folder)
    problems += before.changes()
    if attack.header.get("during"):
        Surroundings.settled()  # what was killed starts anew, which is not the next attack's time
    return Outcome(problems, f"{result.status} ({result.detail}) {result.errors[-500:]}")


def waited_s(bait: Bait) -> float:
    """Return how long the caller, and a level's own process, have waited for a processor."""
    pids = {pid for pid in descendants(os.getpid()) if parent_of(pid) == os.getpid()}
    waited = 0.0
    for pid in pids - {bait.process.pid} | {os.getpid()}:
        with contextlib.suppress(OSError, IndexError):  # gone, or a kernel that does not count it
            waited += int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    return waited


def run(attack: Attack, told: dict[str, Any], policy: Policy, level: str) -> Result:
    """Run an attack as its header wants; of a session, make one more run and close it."""
    source, stdin = attack.source(told), attack.stdin(told)
    if not attack.header.get("session"):
        once = run_shell if attack.is_shell else run_python
        return once(source, stdin=stdin, policy=policy, level=level)
    session = PythonSession(policy, level)
    result = session.run(source)
    time.sleep(0.2)
    session.run("print(1 + 1)", time_s=0.5)
    session.close()
    return result


def control(attack: Attack, bait: Bait) -> Outcome:
    """Run one attack where only a container stands around it, the bait and the caller."""
    told = bait.told("control", attack.policy)
    before = Surroundings.now()
    text = attack.source(told)
    command = ["bash", "-c", text] if attack.is_shell else [sys.executable, "-I", "-c", text]
    folder = tempfile.mkdtemp()  # it goes with the container
    with contextlib.suppress(subprocess.TimeoutExpired):
        result = subprocess.run(
            command,
            input=attack.stdin(told).encode(),
            stdout=subprocess.PIPE,
            cwd=folder,
            close_fds=False,
            timeout=10,
            check=False,
        )
        problems = [*breaches(result.stdout.decode("utf-8", "replace")), *set_id_files(folder)]
        return Outcome([*problems, *bait.disturbed(), *before.changes(0.0)], f"{result.returncode}")
    return Outcome([], "over 10 s")


def breaches(output: str) -> list[str]:
    """Return what an attack says it broke through."""
    return [line for line in output.splitlines() if line.startswith("BREACH")][:5]


def unexpected(
    attack: Attack, level: str, status: str, output: str, took_s: float
) -> Iterator[str]:
    """Yield in what a run's end differs from what the attack's header says."""
    if status not in attack.statuses(level):
        yield f"ended {status}, not {' or '.join(attack.statuses(level))}"
    grace_s = ENGINE_S if level == "docker" else GRACE_S
    grace_s += STOPPED_S if attack.header.get("during") == "stop" else 0.0
    if took_s > attack.policy["time_s"] + grace_s:
        yield f"took {took_s:.1f} s, with a deadline of {attack.policy['time_s']} s"
    wanted = attack.header.get("output")
    if wanted is not None and not re.search(wanted, output):
        yield f"the output {output[:80]!r} does not match {wanted!r}"
    if len(output) > attack.policy["output_bytes"]:
        yield f"the output has {len(output)} characters"


def afterwards(attack: Attack, level: str, folder: Path | None) -> Iterator[str]:
    """Yield what is wrong with the next run, and with what is left in a folder that is kept."""
    once = run_shell if attack.is_shell else run_python
    # A shell is the quicker to start, where there is one.
    if level == "zygote":
        result = run_python("print(1 + 1)", level=level)
    else:
        result = run_shell("echo $((1 + 1))", level=level)
    if (result.output, result.status) != ("2\n", "ok"):
        yield f"the next run gave {result}"
    if folder is None:
        return
    yield from set_id_files(folder)
    if "afterwards" in attack.header:
        result = once(attack.header["afterwards"], policy=Policy(folder=folder), level=level)
        if result.output.split()[-1:] != [attack.header["afterwards_output"]]:
            yield f"the next run in the folder gave {result}"
        yield from breaches(result.output)


def set_id_files(folder: str | Path) -> list[str]:
    """Return the files below a folder that would give their owner's rights to who runs them."""
    found: list[str] = []
    for _, folders, files, place in os.fwalk(folder):  # by descriptors: paths may be too long
        for name in (*folders, *files):
            mode = os.stat(name, dir_fd=place, follow_symlinks=False).st_mode
            if mode & (stat.S_ISUID | stat.S_ISGID) and stat.S_ISREG(mode):
                found.append(f"{name} was left with mode {mode:o}")
    return found


@contextlib.contextmanager
def kept_folder(attack: Attack) -> Iterator[Path | None]:
    """Give a folder that outlives the run, to an attack that wants one."""
    if not attack.header.get("kept_folder"):
        yield None
        return
    folder = tempfile.mkdtemp()
    try:
        yield Path(folder)
    finally:
        # Not by shutil, which deep folders defeat.
        subprocess.run(["rm", "-rf", "--", folder], check=False)


@contextlib.contextmanager
def meanwhile(attack: Attack, level: str, folder: Path | None, bait: Bait) -> Iterator[list[str]]:
    """Do, while a run goes on, what its attack wants done; the list says what came of it."""
    what = attack.header.get("during", "")
    said: list[str] = []
    mine = os.getpid()

    def act() -> None:
        if what == "call":
            said.extend(_call_port(bait.ports.free_port))
        elif what == "run beside":
            time.sleep(MEANWHILE_S)  # until it has made its folders: it may lose the rights to them
            end = time.monotonic() + 2 * MEANWHILE_S
            while time.monotonic() < end:
                run_python("pass", policy=Policy(folder=folder), level=level)
        else:
            time.sleep(MEANWHILE_S)
            number = signal.SIGKILL if what == "kill" else signal.SIGSTOP
            children = {pid for pid in descendants(mine) if parent_of(pid) == mine}
            if not _signal_all(children - {bait.process.pid}, number):
                said.append("the sandbox had no process to signal")

    if not what:
        yield said
        return
    thread = threading.Thread(target=act)
    thread.start()
    yield said
    thread.join()
    if what == "stop":
        _signal_all(descendants(mine), signal.SIGCONT)


def _signal_all(pids: set[int], number: signal.Signals) -> int:
    """Send a signal; return to how many processes."""
    count = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)
            count += 1
    return count


def _call_port(port: int) -> list[str]:
    """Call a port that nobody of the test listens on, for a while."""
    end = time.monotonic() + 2 * MEANWHILE_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.1):
            return ["a process of the test was answered by the sandbox"]
        time.sleep(0.02)
    return []


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def make_ready(levels: Iterable[str]) -> Surroundings:
    """Run once what the levels need to be warm; return how the caller then usually looks."""
    for level in levels:
        run_python("print(1 + 1)", level=level)
    return Surroundings.settled()
