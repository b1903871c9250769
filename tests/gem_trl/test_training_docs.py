"""docs/training.md names what there is: every logged metric, every estimator, each limit."""

import re
from pathlib import Path
from typing import Any

import pytest

from gem_trl.advantages import ESTIMATORS, GROUPED
from gem_trl.health import FIGURES
from tests.gem_trl.conftest import ENV

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| `")]
NAMED = {name for row in ROWS for name in re.findall(r"`([^`]+)`", row[0])}
OF_TRANSFORMERS = {"epoch", "step"}

MIXTURE = {"env": [ENV, "gem/GuessTheNumber-hard-v0"]}
PPO = {"advantage_estimator": "ppo", "beta": 0.1, "num_mini_batches": 2}
GROUPS = {"advantage_estimator": "grpo", "gamma": 1.0, "group_size": 3}


@pytest.mark.parametrize("options", [MIXTURE, PPO, GROUPS], ids=["mixture", "ppo", "grpo"])
def test_every_logged_metric_is_explained(build_trainer: Any, options: dict[str, Any]) -> None:
    trainer = build_trainer(num_rollouts=1, **options)
    trainer.train()
    trainer.evaluate()
    logs = trainer.state.log_history
    (logged, evaluated) = (next(e for e in logs if "loss" in e), logs[-1])
    names = {name for name in logged if not name.startswith("env/")}
    names |= {name.removeprefix("eval_") for name in evaluated if "eval_env/" not in name}
    assert names - NAMED - OF_TRANSFORMERS == set()


def test_every_estimator_has_a_row() -> None:
    assert {*ESTIMATORS, *GROUPED, "ppo"} <= NAMED


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_limits_are_those_of_the_panel(figure: Any) -> None:
    (row,) = [row for row in ROWS if f"`{figure.name}`" in row[0]]
    if figure.advice:
        side, limit = ("above", figure.high) if figure.high < 1e9 else ("below", figure.low)
        assert f"{side} {limit:g}" in row[2]
