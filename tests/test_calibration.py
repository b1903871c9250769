"""data/calibration.json belongs to the games as they are now."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import gymnasium as gym
import pytest

from gem_gymnasium.data import load_json
from gem_gymnasium.registry import ids, ids_of_luck

FILE = Path(__file__).parent.parent / "benchmarks" / "calibrate.py"
CALIBRATION = load_json("calibration.json")
STALE = "run `python benchmarks/calibrate.py --ids {}` and commit the result"


@pytest.fixture(scope="module")
def calibrate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("calibrate", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_id_is_calibrated_and_no_other() -> None:
    assert tuple(CALIBRATION["games"]) == ids("game")


@pytest.mark.parametrize("id", ids("game"))
def test_the_calibration_is_of_the_rules_the_id_has_now(id: str) -> None:
    game = CALIBRATION["games"][id]
    assert game["kwargs"] == json.loads(json.dumps(gym.spec(id).kwargs)), STALE.format(id)
    assert game["seeds"] >= 300


@pytest.mark.parametrize("player", ["random", "solver"])
@pytest.mark.parametrize("id", ids("game"))
def test_the_first_seeds_return_what_the_calibration_says(
    calibrate: ModuleType, id: str, player: str
) -> None:
    env = gym.make(id)
    play = getattr(calibrate, f"play_{player}")
    total = sum(play(env, seed).total for seed in range(CALIBRATION["sample_seeds"]))
    expected = CALIBRATION["games"][id][player]["sample_return"]
    assert total == pytest.approx(expected, abs=1e-6), STALE.format(id)


@pytest.mark.parametrize("id", ids("game"))
def test_the_solver_is_a_reference_and_random_play_no_better(id: str) -> None:
    game = CALIBRATION["games"][id]
    assert game["solver"]["success"] == 1.0 or id in ids_of_luck()
    assert game["random"]["return"] <= game["solver"]["return"]
    assert game["random"]["success"] <= game["solver"]["success"]
    for player in ("random", "solver"):
        for name in ("return", "success"):
            low, high = game[player][f"{name}_interval"]
            assert low - 1e-9 <= game[player][name] <= high + 1e-9


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
