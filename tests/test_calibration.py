"""data/calibration.json belongs to the games as they are now."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import gymnasium as gym
import pytest

from gem_gymnasium.data import load_json
from gem_gymnasium.registry import ids, ids_of_luck

FILE = Path(__file__).parent.parent / "benchmarks" / "calibrate.py"
CALIBRATION = load_json("calibration.json")
PLAYERS = ("random", "solver")
STALE = "run `python benchmarks/calibrate.py --ids {}` and commit the result"


@pytest.fixture(scope="module")
def calibrate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("calibrate", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_id_with_a_scale_is_calibrated_and_no_other(calibrate: ModuleType) -> None:
    assert tuple(CALIBRATION["games"]) == calibrate.calibrated_ids()
    assert set(ids("game", "versus")) - {*CALIBRATION["games"]} == {*calibrate.NO_SCALE}


@pytest.mark.parametrize("id", CALIBRATION["games"])
def test_the_calibration_is_of_the_rules_the_id_has_now(id: str) -> None:
    game = CALIBRATION["games"][id]
    assert game["kwargs"] == json.loads(json.dumps(gym.spec(id).kwargs)), STALE.format(id)
    assert game["seeds"] >= 300


THINKING = re.compile("ConnectFour-vs-solver")  # a game of its solver takes a second
BY_SPEED = [
    pytest.param(id, marks=pytest.mark.slow) if THINKING.search(id) else id
    for id in CALIBRATION["games"]
]


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("id", BY_SPEED)
def test_the_first_seeds_return_what_the_calibration_says(
    calibrate: ModuleType, id: str, player: str
) -> None:
    env = gym.make(id)
    play = getattr(calibrate, f"play_{player}")
    total = sum(play(env, seed).total for seed in range(CALIBRATION["sample_seeds"]))
    expected = CALIBRATION["games"][id][player]["sample_return"]
    assert total == pytest.approx(expected, abs=1e-6), STALE.format(id)


@pytest.mark.parametrize("id", CALIBRATION["games"])
def test_the_solver_is_a_reference_and_random_play_no_better(id: str) -> None:
    game = CALIBRATION["games"][id]
    assert game["solver"]["success"] == 1.0 or id in {*ids_of_luck(), *ids("versus")}
    assert game["random"]["return"] <= game["solver"]["return"]
    if "Poker" not in id:  # there random play wins more hands, and fewer chips
        assert game["random"]["success"] <= game["solver"]["success"]
    for player in PLAYERS:
        for name in ("return", "success"):
            low, high = game[player][f"{name}_interval"]
            assert low - 1e-9 <= game[player][name] <= high + 1e-9


@pytest.mark.parametrize("id", [id for id in ids("versus") if id in CALIBRATION["games"]])
def test_against_others_the_players_are_told_apart_beyond_chance(id: str) -> None:
    random, best = (CALIBRATION["games"][id][who]["return_interval"] for who in PLAYERS)
    assert random[1] < best[0]


@pytest.mark.parametrize("id", ids("game"))
def test_the_committed_proof_has_no_lost_seed(calibrate: ModuleType, id: str) -> None:
    if id in ids_of_luck():
        return
    row = calibrate.read_proof(calibrate.PROOF)[id]
    assert int(row[1]) == int(row[2]) >= 500


@pytest.mark.parametrize("id", ids("game"))
def test_players_that_read_nothing_stay_far_below_the_solver(id: str) -> None:
    game = CALIBRATION["games"][id]
    assert set(game["blind"]) == {"constant", "first", "cycle"}
    if "-hard-" not in id and "-extreme-" not in id:
        return
    zero, one = game["random"]["return"], game["solver"]["return"]
    for player, total in game["blind"].items():
        assert (total - zero) / (one - zero) < 0.5, player
