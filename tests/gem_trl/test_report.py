"""An evaluation's report: figures by hand, the calibration beside them, and no infinity in JSON."""

import json
from typing import Any

import gymnasium as gym
import pytest

from gem_gymnasium.data import load_json
from gem_gymnasium.wrappers import NormalizeScore
from gem_trl import Episode, Turn
from gem_trl.report import Report, as_json, report_on, table_rows, transcript
from gem_trl.scores import mean_interval, share_interval

SUDOKU = "gem/Sudoku-easy-v0"


def turn(reward: float = 0.0, **options: Any) -> Turn:
    return Turn(prompt_ids=(1, 2), reply_ids=(5,), reward=reward, **options)


def played(*turns: Turn, **options: Any) -> Episode:
    defaults = {"env_id": SUDOKU, "seed": 7, "terminated": True, "truncated": False}
    return Episode(turns=turns, **{**defaults, **options})


EPISODES = (
    played(turn(0.25), turn(0.75), success=True),
    played(turn(-0.1, legal=False)),
    played(turn(0.5), turn(), turn(legal=False), terminated=False, truncated=True, stop="context"),
    played(turn(9.0), turn(legal=False), valid=False, stop="crash"),
)


def test_figures_are_those_of_the_valid_episodes() -> None:
    report = report_on(EPISODES)
    assert report.figures is not None
    assert report.figures.total_reward == mean_interval([1.0, -0.1, 0.5])
    assert report.figures.success == share_interval(1, 3)
    assert report.figures.turns == mean_interval([2, 1, 3])
    assert report.figures.illegal == pytest.approx(2 / 6)
    assert report.figures.truncated == pytest.approx(1 / 3)
    assert report.invalid == 1


def test_the_score_is_normalize_scores() -> None:
    env = NormalizeScore(gym.make(SUDOKU))
    _, info = env.reset(seed=0)
    at_zero = info["normalized_score"]  # what a return of 0 scores
    score = report_on([played(turn(0.0)), played(turn(0.0))]).score
    assert score == pytest.approx((at_zero,) * 3)


def test_the_players_are_those_of_the_calibration() -> None:
    report = report_on(EPISODES)
    game = load_json("calibration.json")["games"][SUDOKU]
    for player, name in ((report.random, "random"), (report.solver, "solver")):
        assert player is not None
        assert player.total_reward.mean == game[name]["return"]
        assert [*player.success[1:]] == game[name]["success_interval"]
        assert player.turns == game[name]["turns"]


def test_the_table_names_each_figure_once() -> None:
    rows = {row[0]: row[1:] for row in table_rows(report_on(EPISODES))}
    assert [*rows] == ["return", "success", "turns", "illegal moves", "cut off", "NormalizeScore"]
    assert rows["success"] == ("0.33 [0.06, 0.79]", "0.01 [0.00, 0.02]", "1.00 [0.99, 1.00]")
    assert rows["illegal moves"][0] == "33.3%"
    assert rows["cut off"][0] == "33.3%"
    assert rows["NormalizeScore"][1:] == ("0", "1")


def test_where_random_play_always_wins_it_scores_1() -> None:
    rows = table_rows(report_on([played(turn(1.0), env_id="gem/GuessTheNumber-v0")] * 2))
    assert rows[-1][2:] == ("1", "1")


def test_an_env_of_ones_own_has_no_score() -> None:
    report = report_on([played(turn(1.0), env_id="Own-v0")] * 2)
    assert report.score is None
    rows = table_rows(report)
    assert rows[0] == ("return", "1.00 [1.00, 1.00]", "-", "-")
    assert rows[-1][0] == "cut off"
    assert as_json(report)["solver"] is None


def test_where_every_episode_failed_there_are_no_figures() -> None:
    report = report_on([played(valid=False)])
    assert report.figures is None
    assert table_rows(report) == [("every episode failed", "-", "-", "-")]
    assert as_json(report)["return"] is None


def test_json_holds_every_episode_and_no_infinity() -> None:
    data = as_json(report_on(EPISODES))
    assert data["invalid_episodes"] == 1
    assert data["played"][2] == {
        "seed": 7,
        "seat": 0,
        "return": 0.5,
        "success": False,
        "turns": 3,
        "truncated": True,
        "stop": "context",
        "valid": True,
    }
    one: Report = report_on(EPISODES[:1])
    text = json.dumps(as_json(one), allow_nan=False)
    assert json.loads(text)["return"] == {"mean": 1.0, "low": None, "high": None}
    assert table_rows(one)[0][1] == "1.00"


def test_episodes_of_one_game_are_told_apart_by_their_seats() -> None:
    game = [played(turn(1.0), seat=0), played(turn(-1.0), seat=1)]
    assert [each["seat"] for each in as_json(report_on(game))["played"]] == [0, 1]
    assert [transcript(each, str)["seat"] for each in game] == [0, 1]


def test_a_transcript_holds_the_texts() -> None:
    shown = transcript(EPISODES[1], lambda ids: " ".join(map(str, ids)))
    assert shown["env"] == SUDOKU
    (only,) = shown["turns"]
    assert (only["prompt"], only["reply"], only["legal"]) == ("1 2", "5", False)
