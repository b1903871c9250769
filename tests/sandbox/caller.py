"""The process that calls the sandbox in the tests: it lays the bait and makes one trial a line.

Started by ``callers.py`` as root or as an ordinary user, so that whatever an attack does to its
caller (kill it, stop it, read its environment or memory, type into its terminal) hits this
process, never pytest. Reads ``{"attack": ..., "level": ...}`` lines, answers one line each.
"""

import ctypes
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from typing import Any

from tests.sandbox.bait import outside

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def main(token: str, container_of: str) -> None:
    """Serve until there are no more lines.

    Args:
        token: What the names of all bait contain.
        container_of: The process namespace of pytest, if this one must be in another; else "".
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    if container_of and os.readlink("/proc/self/ns/pid") == container_of:
        raise SystemExit("not in a container")
    if not container_of:
        take_terminal()
    watch_over_orphans()
    # pytest may be killed: its end of the terminal closes then, and the bait is still taken away.
    signal.signal(signal.SIGHUP, hang_up)
    root = Path(tempfile.gettempdir(), f"gem-caller-{token}")
    for folder in (root, root / "temporary", root / "home"):
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
    tempfile.tempdir = str(root / "temporary")
    os.environ["TMPDIR"] = tempfile.tempdir
    os.environ.setdefault("HOME", str(root / "home"))
    try:
        serve(answers, root, token, contained=bool(container_of))
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        subprocess.run(["rm", "-rf", "--", str(root)], check=False)
        for path in outside(Path.home(), token):  # laid, but not yet known to be
            path.unlink(missing_ok=True)


def hang_up(*_: object) -> None:
    """End, once: the signal may come again while the bait is taken away."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    sys.exit(1)


def watch_over_orphans() -> None:
    """Go on in a child of this process, which is what init is to others.

    What a run leaves behind becomes a child of this process: there it is seen
    (``surroundings.py``) and, once dead, gone.
    """
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    caller = os.fork()
    if caller == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        return
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the caller ends by it, in its own time
    while os.wait()[0] != caller:
        pass
    os._exit(0)


def take_terminal() -> None:
    """Make the bait terminal, which is standard error's, this session's own."""
    if os.isatty(2):
        fcntl.ioctl(2, termios.TIOCSCTTY, 0)


def serve(answers: Any, root: Path, token: str, *, contained: bool) -> None:
    """Lay the bait and make the trials."""
    from gem_gymnasium.sandbox import SandboxUnavailable, available
    from tests.sandbox.attack import load
    from tests.sandbox.bait import Bait
    from tests.sandbox.endurance import endure
    from tests.sandbox.surroundings import Surroundings
    from tests.sandbox.trial import control, make_ready, trial

    bait = Bait(root / "bait", Path.home(), token, f"{token}-variable")
    try:
        levels = {} if contained else available()
        usual: Surroundings | None = None
        answers.write(json.dumps(levels) + "\n")
        for line in sys.stdin:
            told = json.loads(line)
            if "runs" in told:
                answers.write(json.dumps(endure(told["level"], told["runs"])) + "\n")
                continue
            attack, level = load(told["attack"]), told["level"]
            if contained:
                outcome = control(attack, bait)
            else:
                usual = usual or make_ready(
                    [name for name in ("zygote", "bwrap") if not levels[name]]
                )
                try:
                    outcome = trial(attack, level, bait, usual)
                except SandboxUnavailable as error:  # such as docker, without the image
                    answers.write(json.dumps({"skip": str(error)}) + "\n")
                    continue
            answers.write(json.dumps(outcome._asdict()) + "\n")
    finally:
        bait.close()


if __name__ == "__main__":
    main(*sys.argv[1:3])
