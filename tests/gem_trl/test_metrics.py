"""Metrics: averages that add up late, and what a set of episodes looked like."""

import copy
from typing import Any

import pytest

from gem_trl import Episode, Turn, metrics
from gem_trl.metrics import Averages, episode_metrics


def turn(reward: float = 0.0, length: int = 2, **options: Any) -> Turn:
    return Turn(prompt_ids=(1, 2), reply_ids=(5,) * length, reward=reward, **options)


def played(*turns: Turn, **options: Any) -> Episode:
    defaults = {"env_id": "x", "seed": 0, "terminated": True, "truncated": False}
    return Episode(turns=turns, **{**defaults, **options})


# -- Averages ------------------------------------------------------------------------------------
def test_a_mean_is_over_all_that_was_added_not_over_the_calls() -> None:
    averages = Averages()
    averages.add("entropy", 10.0, 5)
    averages.add("entropy", 0.0, 15)
    averages.add("step_time", 3.0)
    averages.add("step_time", 1.0)
    assert averages.reduce() == {"entropy": 0.5, "step_time": 2.0}


def test_a_reduced_average_is_forgotten() -> None:
    averages = Averages()
    averages.add("x", 4.0)
    assert averages.reduce() == {"x": 4.0}
    assert averages.reduce() == {}
    averages.add("x", 2.0)
    assert averages.reduce() == {"x": 2.0}


def test_what_has_no_weight_has_no_mean() -> None:
    averages = Averages()
    averages.add("kl", 0.0, 0.0)
    averages.add("y", 0.0, 2.0)
    assert averages.reduce() == {"y": 0.0}


def test_processes_are_added_up_before_the_division(monkeypatch: pytest.MonkeyPatch) -> None:
    # The other process has seen more of one name and none of another.
    other = Averages()
    other.add("x", 9.0, 9.0)
    other.extreme("low", -2.0, min)
    parts = [(other._sums, other._extremes)]
    monkeypatch.setattr(metrics, "gather", lambda mine: [*mine, *parts])
    averages = Averages()
    averages.add("x", 0.0, 1.0)
    averages.add("mine", 5.0)
    averages.extreme("low", 1.0, min)
    averages.extreme("high", 1.0, max)
    assert averages.reduce() == {"x": 0.9, "mine": 5.0, "low": -2.0, "high": 1.0}


def test_tensors_and_numpy_become_floats() -> None:
    import numpy as np
    import torch

    averages = Averages()
    averages.add("x", torch.tensor(3.0), torch.tensor(2))  # type: ignore[arg-type]
    averages.add("x", np.float32(1.0), np.int64(2))  # type: ignore[arg-type]
    reduced = averages.reduce()
    assert reduced == {"x": 1.0}
    assert type(reduced["x"]) is float


# -- episodes ------------------------------------------------------------------------------------
def test_every_figure_of_a_set_of_episodes() -> None:
    won = played(turn(0.25, 3), turn(0.75, 1, legal=False), success=True)
    cut = played(
        turn(-0.5, 8, finished=False),
        terminated=False,
        truncated=True,
        stop="context",
    )
    lost = played(turn(0.0, 4, event="tool"))
    assert episode_metrics([won, cut, lost]) == {
        "rollout/episodes": 3.0,
        "rollout/invalid_episodes": 0.0,
        "rollout/context_stops": 1.0,
        "rollout/transitions": 4.0,
        "reward": pytest.approx(1 / 6),
        "reward_std": pytest.approx((7 / 18) ** 0.5),
        "episode/return": pytest.approx(1 / 6),
        "episode/length": pytest.approx(4 / 3),
        "episode/success": pytest.approx(1 / 3),
        "episode/truncated": pytest.approx(1 / 3),
        "episode/tool_uses": pytest.approx(1 / 3),
        "episode/illegal_share": 0.25,
        "completions/mean_length": 4.0,
        "completions/min_length": 1.0,
        "completions/max_length": 8.0,
        "completions/clipped_ratio": 0.25,
        "completions/unique_ratio": 1.0,
        "completions/mean_terminated_length": pytest.approx(8 / 3),
    }


def test_invalid_episodes_are_counted_and_nothing_else() -> None:
    good = played(turn(1.0, 2), success=True)
    broken = played(
        turn(-9.0, 50, finished=False, legal=False),
        turn(),
        terminated=False,
        truncated=True,
        valid=False,
        stop="crash",
    )
    alone, both = episode_metrics([good]), episode_metrics([good, broken])
    assert both.pop("rollout/invalid_episodes") == 1.0
    assert both.pop("rollout/episodes") == 2.0
    assert both.pop("rollout/transitions") == 3.0
    assert both.items() <= alone.items()
    assert both["episode/return"] == 1.0


COUNTS = {
    "rollout/episodes",
    "rollout/invalid_episodes",
    "rollout/context_stops",
    "rollout/transitions",
}


def test_without_a_valid_episode_there_are_counts_only() -> None:
    broken = played(turn(), valid=False)
    assert set(episode_metrics([broken])) == COUNTS
    assert episode_metrics([]) == dict.fromkeys(COUNTS, 0.0)


def test_an_episode_that_ended_before_its_first_turn_has_length_0() -> None:
    found = episode_metrics([played(terminated=False, truncated=True, stop="context")])
    assert found["episode/length"] == found["episode/return"] == 0.0
    assert found["rollout/context_stops"] == 1.0
    assert not any(name.startswith("completions/") for name in found)
    assert "episode/illegal_share" not in found


def test_replies_that_never_finish_have_no_finished_length() -> None:
    found = episode_metrics([played(turn(finished=False))])
    assert found["completions/clipped_ratio"] == 1.0
    assert "completions/mean_terminated_length" not in found


def test_the_prefix_stands_before_every_name() -> None:
    episodes = [played(turn(1.0))]
    assert episode_metrics(episodes, "eval_") == {
        f"eval_{name}": value for name, value in episode_metrics(episodes).items()
    }


def test_averages_that_were_saved_go_on_as_if_nothing_had_happened() -> None:
    averages, restored = Averages(), Averages()
    averages.add("a", 3.0, 2.0)
    averages.extreme("low", 4.0, min)
    averages.extreme("high", 4.0, max)
    restored.load_state_dict(copy.deepcopy(averages.state_dict()))
    for each in (averages, restored):
        each.add("a", 1.0, 2.0)
        for value in (3.0, 5.0):
            each.extreme("low", value, min)
            each.extreme("high", value, max)
    assert restored.reduce() == averages.reduce() == {"a": 1.0, "low": 3.0, "high": 5.0}
    assert restored.reduce() == {}
