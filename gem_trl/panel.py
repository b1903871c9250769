"""The live table of a training run on a terminal: progress, figures, trends, warnings."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from gem_trl.health import FIGURES, PHASES, Figure

BLOCKS = "".join(map(chr, range(0x2581, 0x2589)))
"""Eight bars of rising height."""
ASCII_BLOCKS = "_.-~=+*#"
TREND, NARROW_TREND = 20, 8
"""How many of the newest values a trend shows; below ``WIDE`` columns, the warnings need room."""

WIDE = 100
LINES_BESIDE_FIGURES = 7


def sparkline(values: Sequence[float], levels: str = BLOCKS) -> str:
    """Return a curve of characters from the least value to the greatest; flat if all are equal."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)

    def level(value: float) -> str:
        if not math.isfinite(value):
            return "?"
        if high == low:
            return levels[len(levels) // 2]
        return levels[min(int((value - low) / (high - low) * len(levels)), len(levels) - 1)]

    return "".join(map(level, values))


class Panel:
    """What is shown of a training run; a rich renderable.

    A thread of rich's may render while the training writes, so what is written is replaced whole,
    never changed in place.

    Args:
        total: Optimizer steps of the run.
        done: Those done before it began (in a run that is resumed).
        steps_per_rollout: Optimizer steps that one rollout feeds.
        clock: Tells the time in seconds.
    """

    def __init__(
        self,
        total: int,
        done: int = 0,
        steps_per_rollout: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total, self._first, self.done = total, done, done
        self._steps_per_rollout = steps_per_rollout
        self._clock, self._started = clock, clock()
        self._newest: Mapping[str, float] = {}
        self._evaluation: Mapping[str, float] = {}
        self._past: dict[str, tuple[float, ...]] = {}

    def log(self, logs: Mapping[str, object]) -> None:
        """Take up what the trainer logs; anything but numbers is ignored."""
        numbers = {name: float(v) for name, v in logs.items() if isinstance(v, int | float)}
        evaluation = {n[5:]: v for n, v in numbers.items() if n.startswith("eval_episode/")}
        if evaluation:
            self._evaluation = {**evaluation, "step": float(self.done)}
        if "loss" not in numbers:  # an evaluation, or the end of the training
            return
        self._past = {
            **self._past,
            **{n: (*self._past.get(n, ()), v)[-TREND:] for n, v in numbers.items()},
        }
        self._newest = numbers

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        """Render for the width, height and encoding of a console."""
        yield self._progress()
        newest, levels = self._newest, ASCII_BLOCKS if options.ascii_only else BLOCKS
        length = TREND if options.max_width >= WIDE else NARROW_TREND

        def trend(name: str) -> Text:
            return Text(sparkline(self._past[name][-length:], levels), "cyan")

        shown = [figure for figure in FIGURES if figure.name in newest]
        envs = [name[4:-7] for name in newest if name.startswith("env/") and name[-7:] == "/return"]
        warned = sum(bool(figure.warning(newest[figure.name])) for figure in shown)  # may wrap
        if len(shown) + warned + len(envs) + LINES_BESIDE_FIGURES > console.height:
            shown = [f for f in shown if not f.quiet or f.warning(newest[f.name])]
        table = Table.grid(padding=(0, 2))
        for justify in ("left", "right", "left", "left"):
            table.add_column(justify=justify)
        for figure in shown:
            table.add_row(*_row(figure, newest[figure.name], trend(figure.name)))
        for id in envs:
            success = newest.get(f"env/{id}/success")
            note = "" if success is None else f"success {success:.1%}"
            value = f"{newest[f'env/{id}/return']:.3f}"
            table.add_row(id, value, trend(f"env/{id}/return"), note)
        yield table
        for line in (self._evaluated(), self._speed(), self._time()):
            if line:
                yield Text(line, "dim")

    def _progress(self) -> RenderableType:
        spent, done = self._clock() - self._started, self.done - self._first
        left = "?" if not done else _duration(spent / done * (self._total - self.done))
        line = Table.grid(padding=(0, 1), expand=True)
        line.add_column(ratio=1)
        line.add_column(no_wrap=True)
        line.add_row(
            ProgressBar(total=max(self._total, 1), completed=self.done),
            f"step {self.done}/{self._total}  {_duration(spent)}, {left} left",
        )
        return line

    def _evaluated(self) -> str:
        if not self._evaluation:
            return ""
        parts = [
            f"{figure.label} {figure.text(self._evaluation[figure.name])}"
            for figure in FIGURES
            if figure.name in self._evaluation
        ]
        return f"evaluation at step {self._evaluation['step']:.0f}: {', '.join(parts)}"

    def _speed(self) -> str:
        rates = {phase: self._newest.get(f"tokens_per_s/{phase}") for phase in PHASES}
        parts = [f"{phase} {rate:,.0f}" for phase, rate in rates.items() if rate is not None]
        return f"tokens/s: {', '.join(parts)}" if parts else ""

    def _time(self) -> str:
        """Return the share of each phase in a rollout and the steps that it feeds."""
        spent = {phase: self._newest.get(f"time/{phase}") for phase in PHASES}
        whole = self._newest.get("step_time", 0.0) * self._steps_per_rollout
        if whole <= 0.0 or None in spent.values():
            return ""
        seconds = {phase: value or 0.0 for phase, value in spent.items()}
        seconds["train"] *= self._steps_per_rollout  # it is a mean over the steps
        seconds["rest"] = max(0.0, whole - sum(seconds.values()))
        total = sum(seconds.values())
        parts = [f"{phase} {value / total:.0%}" for phase, value in seconds.items()]
        return f"time: {', '.join(parts)}, {whole:.1f} s a rollout"


def _row(figure: Figure, value: float, trend: Text) -> Sequence[RenderableType]:
    warning = figure.warning(value)
    style = "bold yellow" if warning else ""
    return (
        Text(figure.label, style),
        Text(figure.text(value), style),
        trend,
        Text(f"! {warning}" if warning else "", "yellow"),
    )


def _duration(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
