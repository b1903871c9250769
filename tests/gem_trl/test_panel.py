"""The live panel: what it shows of given logs, and of a real training on a terminal."""

import io
import math
import re
from typing import Any

import pytest
from rich.console import Console
from transformers import TrainerControl, TrainerState

from gem_trl.callbacks import EpisodeProgressCallback, PanelCallback, progress_callback
from gem_trl.panel import ASCII_BLOCKS, BLOCKS, TREND, Panel, sparkline

LOGS = {
    "loss": 0.5,
    "episode/return": 0.25,
    "episode/success": 0.5,
    "episode/length": 3.25,
    "completions/clipped_ratio": 0.3,
    "rollout/invalid_episodes": 0.0,
    "entropy": 1.2,
    "step_time": 2.0,
    "time/generate": 3.0,
    "time/env": 1.0,
    "time/train": 1.5,
    "tokens_per_s/generate": 1234.0,
    "tokens_per_s/env": 5.0,
    "tokens_per_s/train": 10.0,
    "learning_rate": 1e-6,
}


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def text_of(panel: Panel, width: int = 100, height: int = 50, encoding: str = "utf-8") -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, width=width, height=height)
    console.print(panel)
    file.seek(0)
    return file.read()


def line_of(text: str, label: str) -> str:
    (line,) = [line for line in text.splitlines() if line.startswith(label)]
    return line


# -- trends ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("values", "curve"),
    [
        ([], ""),
        ([3.0], "="),
        ([1.0, 1.0], "=="),
        ([0.0, 1.0], "_#"),
        ([0, 1, 2, 3, 4, 5, 6, 7], ASCII_BLOCKS),
        ([1.0, math.nan, 0.0, math.inf], "#?_?"),
        ([math.nan], "?"),
        ([-1e300, 1e300], "_#"),
    ],
)
def test_a_trend_goes_from_the_least_value_to_the_greatest(values: Any, curve: str) -> None:
    assert sparkline(values, ASCII_BLOCKS) == curve


def test_there_are_eight_levels_of_both_kinds() -> None:
    assert len(BLOCKS) == len(ASCII_BLOCKS) == 8
    assert sparkline([1.0, 2.0]) == BLOCKS[0] + BLOCKS[-1]


# -- figures ---------------------------------------------------------------------------------------
def test_each_figure_has_value_trend_and_warning() -> None:
    panel = Panel(10)
    panel.log({**LOGS, "episode/return": 0.0})
    panel.log(LOGS)
    text = text_of(panel)
    assert re.fullmatch(rf"return +0\.250 +{BLOCKS[0]}{BLOCKS[-1]} *", line_of(text, "return"))
    assert "50.0%" in line_of(text, "success")
    assert "3.250" in line_of(text, "turns")
    clipped = line_of(text, "clipped replies")
    assert "30.0%" in clipped
    assert clipped.rstrip().endswith("! replies are cut off before their end: raise max_complet"
                                     "ion_length")  # fmt: skip
    assert "!" not in line_of(text, "entropy")


def test_what_is_not_logged_is_not_shown() -> None:
    panel = Panel(10)
    assert len(text_of(panel).splitlines()) == 1  # the progress alone
    panel.log({"loss": 1.0, "entropy": 2.0})
    assert len(text_of(panel).splitlines()) == 2
    for label in ("return", "dead groups", "explained variance", "tokens/s", "time", "evaluation"):
        assert label not in text_of(panel)


def test_a_figure_that_is_no_longer_logged_goes_away() -> None:
    panel = Panel(10)
    panel.log(LOGS)
    panel.log({"loss": 1.0, "entropy": 2.0})
    assert "return" not in text_of(panel)


def test_other_logs_change_nothing_but_the_evaluation() -> None:
    panel = Panel(10)
    panel.log(LOGS)
    before = text_of(panel)
    panel.log({"train_runtime": 3.0, "note": "text", "nothing": None})
    assert text_of(panel) == before
    panel.done = 4
    panel.log({"eval_episode/return": 0.75, "eval_episode/success": 0.5, "eval_reward": 9.0})
    text = text_of(panel)
    assert "evaluation at step 4: return 0.750, success 50.0%\n" in re.sub(" +\n", "\n", text)
    assert "0.250" in line_of(text, "return")


def test_the_trend_is_that_of_the_newest_values() -> None:
    panel = Panel(100)
    panel.log({**LOGS, "entropy": 100.0})
    for step in range(TREND):
        panel.log({**LOGS, "entropy": 1.0 + step})
    curve = line_of(text_of(panel), "entropy").split()[-1]
    assert len(curve) == TREND
    assert (curve[0], curve[-1]) == (BLOCKS[0], BLOCKS[-1])


def test_a_mixture_has_a_row_for_each_env() -> None:
    panel = Panel(10)
    by_env = {"env/gem/A-v0/return": 0.5, "env/gem/A-v0/success": 0.25, "env/B-v0/return": 0.125}
    panel.log({**LOGS, **by_env})
    text = text_of(panel)
    assert re.search(r"gem/A-v0 +0\.500 +\S +success 25\.0%", text)
    assert re.search(r"\nB-v0 +0\.125 +\S *\n", text)


def test_speed_and_the_share_of_each_phase() -> None:
    panel = Panel(10, steps_per_rollout=4)
    panel.log(LOGS)
    text = text_of(panel)
    assert "tokens/s: generate 1,234, env 5, train 10" in text
    # A rollout's 4 steps take 8 s: 3 generate, 1 in the envs, 4 * 1.5 train.
    assert "time: generate 30%, env 10%, train 60%, rest 0%, 8.0 s a rollout" in text


def test_time_left_counts_from_where_the_run_began() -> None:
    clock = Clock()
    panel = Panel(110, done=10, clock=clock)
    assert "step 10/110  0:00:00, ? left" in text_of(panel)
    clock.now, panel.done = 160.0, 30
    assert "step 30/110  0:01:00, 0:04:00 left" in text_of(panel)


# -- where it is shown -----------------------------------------------------------------------------
def test_a_low_terminal_shows_no_healthy_zeros_but_all_warnings() -> None:
    panel = Panel(10)
    panel.log({**LOGS, "rollout/context_stops": 2.0})
    assert "invalid episodes" in text_of(panel, height=50)
    low = text_of(panel, height=10)
    assert "invalid episodes" not in low
    assert "context stops" in low
    assert line_of(low, "entropy")


def test_a_narrow_terminal_wraps_warnings_and_loses_nothing() -> None:
    panel = Panel(10)
    for _ in range(TREND):
        panel.log(LOGS)
    text = text_of(panel, width=60)
    assert max(map(len, text.splitlines())) <= 60
    words = " ".join(text.split())
    for part in ("replies are cut", "raise", "max_completion_length"):
        assert part in words


def test_a_terminal_without_unicode_gets_ascii() -> None:
    panel = Panel(10)
    panel.log(LOGS)
    panel.log({**LOGS, "entropy": 3.0})
    text = text_of(panel, encoding="ascii")
    assert text.isascii()
    assert line_of(text, "entropy").split()[-1] == "_#"


def test_a_pipe_or_file_gets_the_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert isinstance(progress_callback(), EpisodeProgressCallback)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(progress_callback(), PanelCallback)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(progress_callback(), EpisodeProgressCallback)


# -- the callback ----------------------------------------------------------------------------------
def terminal() -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, force_terminal=True, width=100, height=50), file


HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


def test_a_training_shows_its_health(build_trainer: Any) -> None:
    console, file = terminal()
    trainer = build_trainer(
        num_rollouts=2,
        num_mini_batches=2,
        eval_strategy="steps",
        eval_steps=4,
        callbacks=[PanelCallback(console)],
    )
    trainer.train()
    shown = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", file.getvalue())
    last = shown[shown.rindex("step 4/4") :]
    logged = [entry for entry in trainer.state.log_history if "loss" in entry]
    assert line_of(last, "return").split()[1] == f"{logged[-1]['episode/return']:.3f}"
    assert len(line_of(last, "entropy").split()[2]) == len(logged) == 4
    for label in ("tokens/s: generate", "time: generate", "evaluation at step 4: return"):
        assert label in last
    assert file.getvalue().rindex(SHOW_CURSOR) > file.getvalue().rindex(HIDE_CURSOR)
    assert "'episode/return': " in shown  # what others print appears above


def test_a_run_that_is_broken_off_and_begun_again_has_one_panel(build_trainer: Any) -> None:
    console, file = terminal()
    callback = PanelCallback(console)
    state, control = TrainerState(max_steps=3), TrainerControl()
    args = build_trainer().args
    callback.on_train_begin(args, state, control)
    first = callback.panel
    callback.on_train_begin(args, state, control)
    assert callback.panel is not first
    assert file.getvalue().count(HIDE_CURSOR) == 2
    assert file.getvalue().count(SHOW_CURSOR) == 1
    callback.stop()
    callback.stop()
    assert file.getvalue().count(SHOW_CURSOR) == 2


def test_other_processes_show_nothing(build_trainer: Any) -> None:
    console, file = terminal()
    callback = PanelCallback(console)
    state, control = TrainerState(is_world_process_zero=False), TrainerControl()
    args = build_trainer().args
    callback.on_train_begin(args, state, control)
    callback.on_step_end(args, state, control)
    callback.on_log(args, state, control, LOGS)
    callback.on_train_end(args, state, control)
    assert file.getvalue() == ""
