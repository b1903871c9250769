"""The progress bar: return, success and turns beside the steps, evaluations above it."""

from typing import Any

import pytest
from transformers import PrinterCallback, ProgressCallback, TrainerControl, TrainerState

from gem_trl.callbacks import EpisodeProgressCallback

LOGS = {
    "loss": 0.5,
    "episode/return": 0.25,
    "episode/success": 0.5,
    "episode/length": 3.0,
    "entropy": 1.23456,
}


class Bar:
    """A bar that remembers what is shown behind and above it."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []
        self.written: list[str] = []

    def set_postfix(self, values: dict[str, str]) -> None:
        self.shown.append(values)

    def write(self, text: str) -> None:
        self.written.append(text)


def log(logs: Any, bar: Any, main: bool = True) -> None:
    callback = EpisodeProgressCallback()
    callback.training_bar = bar
    state = TrainerState(is_world_process_zero=main)
    callback.on_log(None, state, TrainerControl(), logs)  # type: ignore[arg-type]


def test_the_bar_shows_return_success_turns_and_entropy() -> None:
    bar = Bar()
    log(LOGS, bar)
    assert bar.written == []
    assert bar.shown == [
        {"return": "0.250", "success": "0.500", "turns": "3.000", "entropy": "1.235"}
    ]
    assert list(bar.shown[0]) == ["return", "success", "turns", "entropy"]


def test_what_is_not_in_the_log_is_not_shown() -> None:
    bar = Bar()
    log({"entropy": 2.0}, bar)
    assert bar.shown == [{"entropy": "2.000"}]


@pytest.mark.parametrize("logs", [None, {}, {"loss": 1.0}, {"eval_episode/return": 1.0}])
def test_other_logs_leave_what_is_shown(logs: Any) -> None:
    bar = Bar()
    log(logs, bar)
    assert bar.shown == []


def test_an_evaluation_is_written_above_the_bar() -> None:
    bar = Bar()
    log({"eval_episode/return": 0.5, "eval_episode/length": 2.0, "eval_reward": 1.0}, bar)
    assert bar.written == ["eval_episode/return 0.500  eval_episode/length 2.000"]


def test_other_processes_and_a_run_without_bar_show_nothing() -> None:
    bar = Bar()
    log({**LOGS, "eval_episode/return": 0.5}, bar, main=False)
    assert bar.shown == bar.written == []
    log(LOGS, None)


def test_a_training_shows_the_bar_and_prints_no_dicts(
    build_trainer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    trainer = build_trainer(disable_tqdm=False, num_rollouts=2)
    trainer.train()
    captured = capsys.readouterr()
    last = trainer.state.log_history[-2]
    assert "2/2" in captured.err
    assert f"return={last['episode/return']:.3f}" in captured.err
    assert f"turns={last['episode/length']:.3f}" in captured.err
    assert f"success={last['episode/success']:.3f}" in captured.err
    assert "{" not in captured.out


def test_without_a_bar_the_metrics_are_printed(
    build_trainer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    trainer = build_trainer(disable_tqdm=True, num_rollouts=1)
    trainer.train()
    captured = capsys.readouterr()
    assert "return=" not in captured.err
    assert "'episode/return': " in captured.out


@pytest.mark.parametrize("quiet", [True, False])
def test_each_trainer_has_one_callback_that_shows_metrics(build_trainer: Any, quiet: bool) -> None:
    callbacks = build_trainer(disable_tqdm=quiet).callback_handler.callbacks
    found = [c for c in callbacks if isinstance(c, ProgressCallback | PrinterCallback)]
    assert [type(c) for c in found] == [PrinterCallback if quiet else EpisodeProgressCallback]
