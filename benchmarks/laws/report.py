"""Tables and picture of a discount law, out of the results of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from recipe import optimum

T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Two-sided 95 % quantiles of Student's t with 1, 2, ... degrees of freedom."""

MAX_SEEDS = len(T95) + 1
PLAYS = ("greedy", "sampled")


def half_width(values: Sequence[float]) -> float | None:
    """Return half the 95 % interval of the mean over seeds (Student's t); None for one seed."""
    count = len(values)
    return T95[count - 2] * stdev(values) / sqrt(count) if count > 1 else None


def cell(values: Sequence[float | None], digits: int = 2) -> str:
    """Return "mean +- half the interval" over the seeds, or a dash where a value is missing."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return "-"
    half = half_width(known)
    interval = "" if half is None else f" +- {half:.{digits}f}"
    return f"{fmean(known):.{digits}f}{interval}"


def by_gamma(runs: Sequence[Mapping[str, Any]]) -> dict[float, list[Mapping[str, Any]]]:
    """Return the runs of each discount, the largest first, by seed."""
    gammas = sorted({run["gamma"] for run in runs}, reverse=True)
    ordered = sorted(runs, key=lambda run: run["seed"])
    return {gamma: [run for run in ordered if run["gamma"] == gamma] for gamma in gammas}


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def score_cells(results: Sequence[Mapping[str, Any]], play: str) -> list[str]:
    """Return the cells of one kind of play: success, turns, turns among won games, malformed."""
    scores = [result[play] for result in results]
    return [
        cell([score["success"] for score in scores], 3),
        cell([score["turns"] for score in scores]),
        cell([score["turns_won"] for score in scores]),
        cell([score["malformed"] for score in scores], 3),
    ]


SCORE_HEADER = ("success", "turns", "turns, won games", "malformed")


def markdown(law: Mapping[str, Any], picture: str) -> str:
    """Return the whole report.

    Args:
        law: What discount.py writes as JSON.
        picture: File name of the picture.
    """
    recipe, runs, warm_starts = law["recipe"], law["runs"], law["warm_starts"]
    groups = by_gamma(runs)
    high, budget = recipe["high"], recipe["turns"]
    best = optimum(high)
    seeds = [warm["seed"] for warm in warm_starts]
    parts = [
        f"# The discount law on 1..{high}, {budget} turns\n",
        f"`{law['command']}`, {law['date']}, on {law['machine']}.\n{law['versions']}.\n",
        f"{len(seeds)} seeds; means over the seeds +- half their 95 % interval (Student's t). "
        f"Greedy play meets each of the {high} targets once, sampled play "
        f"{recipe['eval_repeats']} times; a lost game counts as {budget} turns. Bisection's "
        f"optimum is **{best:.2f}** turns. How it was done and what it says: docs/laws.md.\n",
        f"![Turns by discount]({picture})\n",
    ]
    for play in PLAYS:
        rows = [["warm start", *score_cells(warm_starts, play)]]
        rows += [[f"{gamma:g}", *score_cells(group, play)] for gamma, group in groups.items()]
        parts += [f"## {play.capitalize()} play\n", table(("gamma", *SCORE_HEADER), rows)]
    parts += ["## Turns of each seed, greedy / sampled\n", seed_table(groups, warm_starts, seeds)]
    if len(groups) > 1:
        parts += [
            "## Turns that a smaller discount saves, paired by seed\n",
            difference_table(groups),
        ]
    parts += ["## Runs\n", run_table(groups, recipe["rollouts"]), "## Recipe\n"]
    parts += [", ".join(f"{name} {value}" for name, value in recipe.items()) + ".\n"]
    return "\n".join(parts)


def both(result: Mapping[str, Any]) -> str:
    """Return the turns of greedy and sampled play."""
    return " / ".join(f"{result[play]['turns']:.2f}" for play in PLAYS)


def seed_table(
    groups: Mapping[float, Sequence[Mapping[str, Any]]],
    warm_starts: Sequence[Mapping[str, Any]],
    seeds: Sequence[int],
) -> str:
    """Return the turns of each run."""
    rows = [["warm start", *map(both, warm_starts)]]
    rows += [[f"{gamma:g}", *map(both, group)] for gamma, group in groups.items()]
    return table(("gamma", *(f"seed {seed}" for seed in seeds)), rows)


def difference_table(groups: Mapping[float, Sequence[Mapping[str, Any]]]) -> str:
    """Return how many turns each discount saves beside each larger one, paired by seed."""
    rows: list[list[str]] = []
    for (larger, before), (smaller, after) in combinations(groups.items(), 2):
        row = [f"{larger:g} to {smaller:g}"]
        for play in PLAYS:
            saved = [
                one[play]["turns"] - other[play]["turns"]
                for one, other in zip(before, after, strict=True)
            ]
            row += [cell(saved), f"{sum(value > 0 for value in saved)} of {len(saved)}"]
        rows.append(row)
    header = ("gamma", "greedy", "seeds with fewer", "sampled", "seeds with fewer")
    return table(header, rows)


def run_table(groups: Mapping[float, Sequence[Mapping[str, Any]]], rollouts: int) -> str:
    """Return how long the runs were, and the entropy at their ends."""
    rows = [
        [
            f"{gamma:g}",
            " ".join(f"{run['rollouts']}/{rollouts}" for run in group),
            " ".join(f"{run['seconds']:.0f}" for run in group),
            " ".join(f"{run['curve']['entropy'][-1]:.2f}" for run in group),
        ]
        for gamma, group in groups.items()
    ]
    return table(("gamma", "rollouts done", "seconds", "last entropy (nats a token)"), rows)


def draw(path: Path, law: Mapping[str, Any]) -> None:
    """Draw turns over the rollouts, and turns after training against the discount."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    groups = by_gamma(law["runs"])
    best = optimum(law["recipe"]["high"])
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for number, (gamma, group) in enumerate(groups.items()):
        color = f"C{number}"
        curves = [run["curve"]["turns"] for run in group]
        length = min(map(len, curves))
        for curve in curves:
            left.plot(range(1, len(curve) + 1), curve, color=color, alpha=0.25, linewidth=0.7)
        mean = [fmean(curve[i] for curve in curves) for i in range(length)]
        left.plot(range(1, length + 1), mean, color=color, label=f"gamma {gamma:g}")
    left.set_xlabel("rollout")
    left.set_ylabel("turns of a training game (sampled)")
    for play, marker, shift in (("greedy", "o", -0.08), ("sampled", "s", 0.08)):
        places = [place + shift for place in range(len(groups))]
        values = [[run[play]["turns"] for run in group] for group in groups.values()]
        means = [fmean(each) for each in values]
        bars = [half_width(each) or 0.0 for each in values]
        color = "black" if play == "greedy" else "gray"
        right.errorbar(places, means, bars, fmt=marker, color=color, capsize=3, label=play)
        for seed_values in zip(*values, strict=True):  # a line a seed
            right.plot(places, seed_values, ".-", color=color, alpha=0.4, linewidth=0.7)
    right.set_ylim(0, law["recipe"]["turns"])
    right.set_xticks(range(len(groups)), [f"{gamma:g}" for gamma in groups])
    right.set_xlabel("gamma")
    right.set_ylabel("turns after training")
    for axis in (left, right):
        axis.axhline(best, color="green", linestyle="--", label=f"bisection, {best:.2f}")
        axis.legend(fontsize="small")
    recipe = law["recipe"]
    figure.suptitle(
        f"GuessTheNumber 1..{recipe['high']}, {recipe['turns']} turns, ReBN, a tiny model, "
        f"{len(law['warm_starts'])} seeds",
        fontsize="medium",
    )
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
