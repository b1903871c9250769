"""Time the Python tool beside gem-llm's: one call alone, and many threads at once.

Ours runs each program in the sandbox (level zygote: confined, as an unused user when root starts
it); GEM's runs it in its default mode, as an ordinary child process behind a filter of words (its
other mode, bubblewrap, needs a Python in /usr). Each side is a process of its own; they take turns
in short rounds, and the table has the medians. gem-llm needs an environment of its own:

    python -m venv gem-env && gem-env/bin/pip install gem-llm pandas sympy
    python benchmarks/tools.py --gem-python gem-env/bin/python

Writes benchmarks/results/tools.md. About three minutes.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from sides import Side

OUT = Path(__file__).resolve().parent / "results" / "tools.md"
PROGRAMS = {
    "print(1+1)": "print(1+1)",
    "numpy and sympy": (
        "import numpy as np, sympy as sp; print(np.arange(4).sum(), sp.factorint(360))"
    ),
}
WORK = "n = 0\nfor i in range(600_000): n += i * i\nprint({mark})"
"""A program that computes for some 50 ms, and says which it is."""

THREADS, CALLS_EACH = 64, 2
REQUIRED_MS, REQUIRED_FACTOR = 10.0, 1.5


def ours() -> Callable[[str], str]:
    """Return our tool: a program's source -> its output."""
    from gem_gymnasium.sandbox import Policy, run_python

    policy = Policy(time_s=30.0)
    return lambda source: run_python(source, policy=policy).output.strip()


def gems() -> Callable[[str], str]:
    """Return GEM's tool."""
    from gem.tools.python_code_tool import PythonCodeTool  # type: ignore[import-not-found]

    tool = PythonCodeTool()

    def run(source: str) -> str:
        answer = tool.execute_action(f"<python>{source}</python>")[2]
        return answer.removeprefix("Code execution result: ").strip()

    return run


SIDES = {"ours": ours, "gem": gems}


def serve(side: str) -> None:
    """Be one side: answer jobs from stdin until it ends."""
    run = SIDES[side]()
    for line in sys.stdin:
        job: dict[str, Any] = json.loads(line)
        try:
            answer = many(run, job["program"]) if job["threads"] else alone(run, job)
        except Exception as error:
            answer = {"error": repr(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def alone(run: Callable[[str], str], job: dict[str, Any]) -> dict[str, Any]:
    """Time calls one after another; return seconds of each and the last output."""
    times: list[float] = []
    output = ""
    for _ in range(job["calls"]):
        start = time.perf_counter()
        output = run(job["program"])
        times.append(time.perf_counter() - start)
    return {"times": times, "output": output}


def many(run: Callable[[str], str], program: str) -> dict[str, Any]:
    """Time all threads calling at once; return seconds, and calls whose output was not theirs."""
    outputs: dict[int, str] = {}

    def call(thread: int) -> None:
        for call in range(CALLS_EACH):
            mark = thread * CALLS_EACH + call
            outputs[mark] = run(program.replace("{mark}", str(mark)))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(THREADS)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = time.perf_counter() - start
    return {
        "wall": wall,
        "lost": sum(outputs.get(n) != str(n) for n in range(THREADS * CALLS_EACH)),
    }


class Tool(Side):
    """A side's tool in a process of its own."""

    def __init__(self, name: str, python: str) -> None:
        self.name = name
        variables = {
            **os.environ,
            "PYTHONPATH": "",
            "OPENBLAS_NUM_THREADS": "1",
            # GEM starts `python`; this one, not a shim before it.
            "PATH": f"{Path(python).parent}:{os.environ['PATH']}",
        }
        super().__init__([python, __file__, "--side", name], env=variables)

    def call(self, **job: Any) -> dict[str, Any]:
        """Have a job done."""
        answer = self.ask(json.dumps(job))
        if "error" in answer:
            raise SystemExit(f"{self.name}: {answer['error']}")
        return answer


def measure(sides: list[Tool], rounds: int, calls: int) -> str:
    """Return the results as Markdown."""
    lines = [
        "## One call alone, milliseconds (median)",
        "",
        f"| program | {' | '.join(side.name for side in sides)} | ours against gem |",
        f"|---|{'---|' * len(sides)}---|",
    ]
    for label, program in PROGRAMS.items():
        for side in sides:
            side.call(program=program, threads=0, calls=2)  # starts what is started once
        times: dict[str, list[float]] = {side.name: [] for side in sides}
        for _ in range(rounds):
            for side in sides:
                times[side.name] += side.call(program=program, threads=0, calls=calls)["times"]
        medians = {name: median(values) * 1000 for name, values in times.items()}
        ratio = medians["gem"] / medians["ours"] if "gem" in medians else float("nan")
        cells = " | ".join(f"{value:.1f}" for value in medians.values())
        lines.append(f"| `{label}` | {cells} | {ratio:.1f} times as fast |")
    lines += ["", f"Required of ours: at most {REQUIRED_MS:g} ms.", ""]
    lines += [
        f"## {THREADS} threads at once, {THREADS * CALLS_EACH} calls in all",
        "",
        "| | program | alone, s a call | all at once, s | against the ideal | lost |",
        "|---|---|---|---|---|---|",
    ]
    cores = os.cpu_count() or 1
    for label, program in (("prints", "print({mark})"), ("computes", WORK)):
        for side in sides:
            single, walls, lost = [], [], 0
            for _ in range(3):
                one = side.call(program=program.replace("{mark}", "0"), threads=0, calls=10)
                single.append(median(one["times"]))
                all_at_once = side.call(program=program, threads=1)
                walls.append(all_at_once["wall"])
                lost += all_at_once["lost"]
            ideal = median(single) * THREADS * CALLS_EACH / cores
            lines.append(
                f"| {side.name} | {label} | {median(single):.4f} | {median(walls):.2f} | "
                f"{median(walls) / ideal:.2f} | {lost} |"
            )
    lines += [
        "",
        f"The ideal is the time of the calls alone, spread over the {cores} cores. "
        f"Required of ours: none lost, at most {REQUIRED_FACTOR:g} times the ideal.",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gem-python", help="Python of an environment with gem-llm")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--calls", type=int, default=20, help="calls a round and side")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        serve(options.side)
        return
    sides = [Tool("ours", sys.executable)]
    if options.gem_python:
        sides.append(Tool("gem", options.gem_python))
    table = measure(sides, options.rounds, options.calls)
    head = (
        "# The Python tool beside GEM's\n\n"
        f"`python benchmarks/tools.py`, {datetime.date.today()}, {platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, rounds: {options.rounds} of "
        f"{options.calls} calls.\n\n"
    )
    OUT.write_text(head + table + "\n", encoding="utf-8")
    print(head + table)


if __name__ == "__main__":
    main()
