"""What a person sees of a training run: a live panel on a terminal, elsewhere a progress bar."""

from __future__ import annotations

import atexit
import sys
from typing import Any

from rich.console import Console
from rich.live import Live
from transformers import (
    ProgressCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from gem_trl.panel import Panel

REFRESH_PER_S = 2


def progress_callback() -> TrainerCallback:
    """Return the live panel where standard output is a terminal, else the progress bar."""
    console = Console()
    # FORCE_COLOR makes rich take any output for a terminal, a file of a CI run among them.
    live = sys.stdout.isatty() and console.is_terminal and not console.is_dumb_terminal
    return PanelCallback(console) if live else EpisodeProgressCallback()


class PanelCallback(TrainerCallback):
    """A live table of the run's health (:mod:`gem_trl.health`), in place of printed dicts.

    Args:
        console: Where it is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self.panel: Panel | None = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Show the panel."""
        self.stop()
        if not state.is_world_process_zero:
            return
        steps_per_rollout = getattr(args, "steps_per_rollout", 1)
        self.panel = Panel(state.max_steps, state.global_step, steps_per_rollout)
        # What is printed meanwhile appears above the panel; a file stays a file.
        self._live = Live(
            self.panel,
            console=self._console,
            refresh_per_second=REFRESH_PER_S,
            redirect_stderr=sys.stderr.isatty(),
        )
        atexit.register(self.stop)  # a run that is broken off leaves the cursor visible
        self._live.start()

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Count the step."""
        if self.panel is not None:
            self.panel.done = state.global_step

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Show the newest metrics."""
        if self.panel is not None and logs:
            self.panel.log(logs)

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Leave the last state of the panel on the screen."""
        self.stop()

    def stop(self) -> None:
        """Take the panel off the screen's end, if it is there."""
        if self._live is not None:
            self._live.stop()
            atexit.unregister(self.stop)
        self._live = self.panel = None


class EpisodeProgressCallback(ProgressCallback):
    """transformers' progress bar, with the newest episode metrics in place of printed dicts."""

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Show return, success and turns behind the bar."""
        bar: Any = self.training_bar
        if not state.is_world_process_zero or bar is None or not logs:
            return
        shown = {
            label: f"{logs[name]:.3f}"
            for label, name in (
                ("return", "episode/return"),
                ("success", "episode/success"),
                ("turns", "episode/length"),
                ("entropy", "entropy"),
            )
            if name in logs
        }
        if shown:
            bar.set_postfix(shown)
        evaluation = {
            name: f"{value:.3f}"
            for name, value in logs.items()
            if name.startswith("eval_episode/") and isinstance(value, float)
        }
        if evaluation:
            bar.write("  ".join(f"{name} {value}" for name, value in evaluation.items()))
