"""The progress bar of a training run: return and turns beside the steps."""

from __future__ import annotations

from typing import Any

from transformers import ProgressCallback, TrainerControl, TrainerState, TrainingArguments


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
