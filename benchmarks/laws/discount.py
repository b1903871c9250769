"""The discount law: does a smaller discount teach a model to win in fewer turns?

    python benchmarks/laws/discount.py --jobs 2
    python benchmarks/laws/discount.py --range 50 --turns 20 --jobs 12

A tiny model (0.13 million parameters, built here, nothing is downloaded) plays GuessTheNumber: a
hidden number from 1 to --range, "higher" or "lower" after each guess, 1 for the number and nothing
else (no pay for a near miss). Bisection needs the fewest turns on average: 129/31 = 4.16 on 1..31,
243/50 = 4.86 on 1..50.

For each seed a warm start is built once, a language model of a sloppy player's games. That same
warm start is then trained by ReBN once for each discount in --gammas; nothing else differs. At the
end each model plays fixed games: greedily, one for each target (so the mean is exact), and sampled,
--eval-repeats for each target.

Each run uses one thread; --jobs says how many go on at the same time. What is finished lies in
--output and is not done again: if you interrupt the command, or want more seeds or discounts later,
run it again. Tables, curves and a picture go to --results as discount_RANGE.md, .json and .png.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import report
from recipe import DEVICES, HELP, Recipe

RESULTS = Path(__file__).resolve().parent.parent / "results"
PACKAGES = ("gymnasium", "numpy", "torch", "transformers", "trl")


def flag_of(name: str) -> str:
    """Return the option that sets a field of the recipe."""
    return "--range" if name == "high" else "--" + name.replace("_", "-")


def make_parser() -> argparse.ArgumentParser:
    """Return the command's parser; the recipe's options and defaults are those of ``Recipe``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add, shown = parser.add_argument, "(default: %(default)s)"
    add("--seeds", type=int, default=3, help=f"seeds 0, 1, ... {shown}")
    add(
        "--gammas",
        type=float,
        nargs="+",
        default=[1.0, 0.99, 0.9, 0.5],
        help="discounts per turn (default: 1 0.99 0.9 0.5)",
    )
    add("--jobs", type=int, default=1, help=f"runs at the same time, of one thread each {shown}")
    add("--output", type=Path, help="finished parts (default: runs/laws/discount_RANGE)")
    add("--results", type=Path, default=RESULTS, help="tables and picture (default: the repo's)")
    recipe = parser.add_argument_group("recipe", "the same for every run of one --output")
    for name, value in Recipe()._asdict().items():
        about = f"{HELP[name]} {shown}"
        choices = DEVICES if name == "device" else None
        recipe.add_argument(
            flag_of(name), dest=name, type=type(value), default=value, choices=choices, help=about
        )
    return parser


class Part(NamedTuple):
    """A piece of work that is done once: a seed's warm start, or one run from it."""

    recipe: Recipe
    output: Path
    seed: int
    gamma: float | None = None
    """None: the warm start."""

    @property
    def name(self) -> str:
        """What the terminal calls it."""
        what = "warm start" if self.gamma is None else f"gamma {self.gamma:g}"
        return f"seed {self.seed}, {what}"

    @property
    def warm_folder(self) -> Path:
        """Where the seed's warm start lies."""
        return self.output / f"seed_{self.seed}_warm_start"

    @property
    def file(self) -> Path:
        """Where the result lies once it is done."""
        if self.gamma is None:
            return self.warm_folder / "result.json"
        return self.output / f"seed_{self.seed}_gamma_{self.gamma:g}.json"


def do(part: Part) -> None:
    """Do a part and write its result; runs in a process of its own where there are several jobs."""
    quiet_libraries()
    import one_run  # imports torch, which --help need not wait for

    def say(text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')}  {part.name}: {text}", flush=True)

    say("begins")
    if part.gamma is None:
        result = one_run.warm_up(part.recipe, part.seed, part.warm_folder, say)
    else:
        result = one_run.train(part.recipe, part.seed, part.gamma, part.warm_folder, say)
    write_json(part.file, result)
    scores = ", ".join(
        f"{play} {result[play]['turns']:.2f} turns at {result[play]['success']:.0%} success"
        for play in report.PLAYS
    )
    say(f"done in {result['seconds']:.0f} s; {scores}")


def quiet_libraries() -> None:
    """Keep the terminal for the progress of the runs, and each process to one thread."""
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
    import torch
    from transformers.utils import logging

    torch.set_num_threads(1)
    logging.disable_progress_bar()


def do_all(parts: Sequence[Part], jobs: int, work: Callable[[Part], None] = do) -> None:
    """Do those parts that are not done yet, ``jobs`` at a time."""
    todo = [part for part in parts if not part.file.exists()]
    if jobs == 1 or len(todo) < 2:
        for part in todo:
            work(part)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(work, part) for part in todo]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:  # do not begin the others before telling what went wrong
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def write_json(path: Path, value: Any) -> None:
    """Write a file that is either whole or not there."""
    text = json.dumps(value)
    for_now = path.with_suffix(".tmp")
    for_now.write_text(text + "\n", encoding="utf-8")
    for_now.replace(path)


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def check_recipe(recipe: Recipe, output: Path) -> None:
    """Write the recipe down in a new output folder; in an old one it must be the same."""
    path = output / "recipe.json"
    if not path.exists():
        output.mkdir(parents=True, exist_ok=True)
        write_json(path, recipe._asdict())
        return
    there = read_json(path)
    changed = [
        f"{name} {there.get(name)}, not {value}"
        for name, value in recipe._asdict().items()
        if there.get(name) != value
    ]
    if changed:
        sys.exit(f"{output} was begun with {'; '.join(changed)}. Choose another --output.")


def machine() -> str:
    """Describe the processor and its cores."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
    return f"{model or platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def command_of(recipe: Recipe, seeds: int, gammas: Sequence[float], jobs: int) -> str:
    """Return the command that gives these results; where its files go is left out."""
    words = ["python benchmarks/laws/discount.py", f"--seeds {seeds}", f"--jobs {jobs}"]
    words.append("--gammas " + " ".join(f"{gamma:g}" for gamma in gammas))
    usual = Recipe()._asdict()
    words += [
        f"{flag_of(name)} {value}"
        for name, value in recipe._asdict().items()
        if value != usual[name] or name in ("high", "turns")
    ]
    return " ".join(words)


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what is not done yet, then write the results."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    recipe = Recipe(*(getattr(options, name) for name in Recipe._fields))
    seeds, gammas = range(options.seeds), sorted(set(options.gammas), reverse=True)
    if not 1 <= options.seeds <= report.MAX_SEEDS:
        parser.error(f"--seeds must be 1 to {report.MAX_SEEDS}, got {options.seeds}")
    if not all(0.0 <= gamma <= 1.0 for gamma in gammas):
        parser.error(f"--gammas must lie in [0, 1], got {gammas}")
    name = f"discount_{recipe.high}"
    output = options.output or Path("runs/laws") / name
    check_recipe(recipe, output)
    warm_starts = [Part(recipe, output, seed) for seed in seeds]
    runs = [part._replace(gamma=gamma) for part in warm_starts for gamma in gammas]
    do_all(warm_starts, options.jobs)
    do_all(runs, options.jobs)
    law = {
        "command": command_of(recipe, options.seeds, gammas, options.jobs),
        "date": f"{datetime.date.today()}",
        "machine": machine(),
        "versions": f"Python {platform.python_version()}, "
        + ", ".join(f"{package} {version(package)}" for package in PACKAGES),
        "recipe": recipe._asdict(),
        "warm_starts": [read_json(part.file) for part in warm_starts],
        "runs": [read_json(part.file) for part in runs],
    }
    options.results.mkdir(parents=True, exist_ok=True)
    write_json(options.results / f"{name}.json", law)
    report.draw(options.results / f"{name}.png", law)
    text = report.markdown(law, f"{name}.png")
    (options.results / f"{name}.md").write_text(text, encoding="utf-8", newline="\n")
    print(f"\n{text}\nWritten to {options.results / name}.md, .json and .png.")


if __name__ == "__main__":
    main()
