"""Time our graders beside gem-llm's, and see how often each agrees with the case table.

Math: answers of the kinds that GEM's data sets have, half of them right. GEM's grader is called as
its MathEnv does without a process pool, which is its faster way (a time limit by signal). Ours
compares most answers exactly and lets a confined worker do the rest. Code: problems with hidden
tests; GEM's through its CodeEnv, in its default mode, without a sandbox, ours in the sandbox. A
hung answer: right answers behind one that takes long, each side with its pool of processes.

Each side is a process of its own; they take turns in short rounds, and the tables have the medians.
gem-llm needs an environment of its own:

    python -m venv gem-env && gem-env/bin/pip install gem-llm pandas pylatexenc
    python benchmarks/graders.py --gem-python gem-env/bin/python

Writes benchmarks/results/graders.md. Some five minutes.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

from graders_answers import EACH, KINDS, PROBLEMS, TESTS, answers, problem
from sides import Side

HERE = Path(__file__).resolve().parent
OUT = HERE / "results" / "graders.md"
CASES = HERE.parent / "tests" / "graders" / "cases"

REQUIRED = 2.0
HUNG = ("\\boxed{\\sum_{k=1}^{9}\\sqrt{\\sqrt{x^{k}+y^{k}}+\\sqrt{x+y}}}", "\\sqrt{x}+\\sqrt{y}")
"""An answer that takes long to compare with its reference."""

BEHIND = 8

# -- the sides: each runs in its own environment ---------------------------------------------------


class Ours:
    """Our graders."""

    def math(self, reply: str, reference: str) -> float:
        """Grade an answer."""
        from gem_gymnasium.graders import grade_math

        return grade_math(reply, reference, answer_format="boxed").score

    def code(self, problems: list[Any]) -> list[float]:
        """Grade programs, as many at once as there are CPUs."""
        from gem_gymnasium.graders import grade_code

        def grade(each: Any) -> float:
            return grade_code(each[0], {"inputs": each[1], "outputs": each[2]}).score

        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return list(threads.map(grade, problems))

    def behind(self) -> list[float]:
        """Grade right answers while one hangs."""
        from gem_gymnasium.graders import grade_math

        with ThreadPoolExecutor(1) as thread:
            thread.submit(grade_math, *HUNG, time_s=3.0)
            time.sleep(0.2)
            return [self.math("\\boxed{b+a}", "a+b") for _ in range(BEHIND)]


class Gem:
    """gem-llm's graders."""

    def __init__(self) -> None:
        # Only its types are used here, and it is half a gigabyte.
        kind = type("Dataset", (list,), {"shuffle": lambda self, seed: self})
        stub = SimpleNamespace(Dataset=kind, DatasetDict=dict, load_dataset=None)
        sys.modules.setdefault("datasets", stub)  # type: ignore[arg-type]
        from gem.envs import code_env, math_env  # type: ignore[import-not-found]
        from gem.utils.math_grader import run_with_timeout_signal  # type: ignore[import-not-found]

        self._math, self._limited = math_env.MathEnv, run_with_timeout_signal
        self._rows = sys.modules["datasets"].Dataset([{"problem": "", "answer": "a+b"}])
        self._env = code_env.CodeEnv(dataset_name="taco", dataset=self._rows)

    def math(self, reply: str, reference: str) -> float:
        """Grade an answer as MathEnv._local_step does."""
        check = self._math.check_correct
        return float(bool(self._limited(check, args=(reply, reference), timeout_seconds=1)))

    def code(self, problems: list[Any]) -> list[float]:
        """Grade programs one after another, as CodeEnv does: the tests of each at once."""
        scores: list[float] = []
        for reply, inputs, outputs, _ in problems:
            self._env.tests = {"inputs": inputs, "outputs": outputs}
            scores.append(self._env.step(reply)[1])
        return scores

    def behind(self) -> list[float]:
        """Grade right answers in an env whose pool is busy with a hung one."""
        env = self._math(dataset=self._rows)
        env.answer = HUNG[1]
        env.step(HUNG[0])
        env.answer = "a+b"
        return [float(env.step("\\boxed{b+a}")[1]) for _ in range(BEHIND)]


def serve(name: str) -> None:
    """Be one side: do jobs from stdin until it ends."""
    side = {"ours": Ours, "gem": Gem}[name]()
    jobs = {"kind": timed_kind, "table": table, "code": timed_code, "behind": timed_behind}
    for line in sys.stdin:
        job: dict[str, Any] = json.loads(line)
        sys.stdout.write(json.dumps(jobs[job.pop("job")](side, **job)) + "\n")
        sys.stdout.flush()


def timed_kind(side: Any, kind: str, seed: int) -> dict[str, Any]:
    """Time a round of one kind's answers."""
    asked = answers(kind, seed)
    start = time.perf_counter()
    scores = [side.math(reply, reference) for reply, reference, _ in asked]
    wall = time.perf_counter() - start
    agreed = sum(score == right for score, (_, _, right) in zip(scores, asked, strict=True))
    return {"s": wall / len(asked), "agreed": agreed}


def table(side: Any) -> dict[str, Any]:
    """Return how many cases of each file the side grades as they say."""
    agreed: dict[str, list[int]] = {}
    for path in sorted(CASES.glob("math_*.json")):
        cases = json.loads(path.read_text(encoding="utf-8"))
        scores = [side.math(case["reply"], case["reference"]) for case in cases]
        same = sum(score == case["grade"] for score, case in zip(scores, cases, strict=True))
        agreed[path.stem.removeprefix("math_")] = [same, len(cases)]
    return agreed


def timed_code(side: Any) -> dict[str, Any]:
    """Time all problems."""
    problems = [problem(number) for number in range(PROBLEMS)]
    side.code(problems[:2])
    start = time.perf_counter()
    scores = side.code(problems)
    wall = time.perf_counter() - start
    agreed = sum(score == each[3] for score, each in zip(scores, problems, strict=True))
    return {"s": wall, "agreed": agreed}


def timed_behind(side: Any) -> dict[str, Any]:
    """Time right answers behind a hung one."""
    start = time.perf_counter()
    return {"right": sum(side.behind()), "s": time.perf_counter() - start}


# -- the comparison --------------------------------------------------------------------------------


def started(name: str, python: str) -> Side:
    """Return a side's process."""
    path = "" if name == "gem" else os.environ.get("PYTHONPATH", "")
    variables = {"PYTHONPATH": path, "PATH": f"{Path(python).parent}:{os.environ['PATH']}"}
    return Side(
        [python, __file__, "--side", name],
        stderr=subprocess.DEVNULL,
        env={**os.environ, **variables, "OPENBLAS_NUM_THREADS": "1"},
    )


def ask(side: Side, job: str, **options: Any) -> dict[str, Any]:
    """Have a job done."""
    return side.ask(json.dumps({"job": job, **options}))


def row(*cells: Any) -> str:
    """Return a table's row."""
    return f"| {' | '.join(map(str, cells))} |"


def measure(sides: dict[str, Side], rounds: int) -> tuple[str, bool]:
    """Return the results as Markdown, and whether a requirement is missed."""
    names = list(sides)
    lines = [
        "## Answers of GEM's kinds, graded a second",
        "",
        row("kind", *(f"{name} (agrees)" for name in names), "ratio"),
        "|---" * (len(names) + 2) + "|",
    ]
    total = dict.fromkeys(names, 0.0)
    for kind in (each.__name__ for each in KINDS):
        times: dict[str, list[float]] = {name: [] for name in names}
        agreed = dict.fromkeys(names, 0)
        for seed in range(rounds + 1):
            for name, side in sides.items():
                done = ask(side, "kind", kind=kind, seed=seed)
                if seed:  # the first round warms up
                    times[name].append(done["s"])
                    agreed[name] += done["agreed"]
        for name in names:
            total[name] += median(times[name])
        cells = [
            f"{1 / median(times[n]):,.0f} ({100 * agreed[n] / EACH / rounds:.0f} %)" for n in names
        ]
        ratio = median(times["gem"]) / median(times["ours"]) if "gem" in times else float("nan")
        lines.append(row(kind, *cells, f"{ratio:.1f}"))
        print(lines[-1], flush=True)
    ratio = total["gem"] / total["ours"] if "gem" in total else float("nan")
    rates = [f"{len(KINDS) / total[name]:,.0f}" for name in names]
    lines += [row("**all, in equal parts**", *rates, f"**{ratio:.1f}** (required {REQUIRED:g})")]
    tables = {name: ask(side, "table") for name, side in sides.items()}
    lines += ["", "## Agreement with the case table", "", row("cases", *names)]
    lines.append("|---" * (len(names) + 1) + "|")
    for part in tables["ours"]:
        lines.append(row(part, *("{} of {}".format(*tables[name][part]) for name in names)))
    sums = {
        name: [sum(column) for column in zip(*tables[name].values(), strict=True)] for name in names
    }
    lines.append(row("**all**", *("**{}** of {}".format(*sums[name]) for name in names)))
    lines += ["", f"## {PROBLEMS} programs with {TESTS} tests each", ""]
    lines += [row("", "problems/s", "agree"), "|---|---|---|"]
    for name, side in sides.items():
        done = [ask(side, "code") for _ in range(3)]
        rate = PROBLEMS / median(each["s"] for each in done)
        lines.append(row(name, f"{rate:.1f}", f"{done[0]['agreed']} of {PROBLEMS}"))
    lines += ["", f"## {BEHIND} right answers behind one that hangs", ""]
    lines += [row("", "graded right", "seconds"), "|---|---|---|"]
    for name, side in sides.items():
        done = ask(side, "behind")
        lines.append(row(name, f"{done['right']:.0f} of {BEHIND}", f"{done['s']:.1f}"))
    missed = "gem" in names and (ratio < REQUIRED or sums["ours"][0] < sums["gem"][0])
    return "\n".join(lines), missed


def main() -> int:
    """Run the command line; returns 1 if a requirement is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gem-python", help="Python of an environment with gem-llm")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        serve(options.side)
        return 0
    sides = {"ours": started("ours", sys.executable)}
    if options.gem_python:
        sides["gem"] = started("gem", options.gem_python)
    table, missed = measure(sides, options.rounds)
    head = (
        "# Graders beside GEM's\n\n"
        f"`python benchmarks/graders.py --gem-python PATH`, {datetime.date.today()}, "
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; "
        f"{options.rounds} rounds of {EACH} answers a kind.\n\n"
    )
    OUT.write_text(head + table + "\n", encoding="utf-8")
    print(table)
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
