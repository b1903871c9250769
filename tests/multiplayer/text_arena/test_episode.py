"""What a game of TextArena leaves behind, shares and keeps: threads, imports, failures, copies."""

import json
import os
import pickle
import re
import subprocess
import sys
import threading
from typing import Any

import pytest

from gem_gymnasium.core.errors import SnapshotMismatch, StepOutsideEpisode, StepTimeout
from gem_gymnasium.multiplayer import textarena
from gem_gymnasium.multiplayer.nim import NimEnv
from gem_gymnasium.multiplayer.text_arena import games

pytest.importorskip("textarena")


def deal(seed: int) -> str:
    env = textarena("Sokoban-v0", deadline_s=60.0)
    env.reset(seed=seed)
    return env.observe("player_0")["text"]


def test_a_game_that_keeps_its_search_in_a_module_deals_the_same_beside_other_threads() -> None:
    alone = [deal(seed) for seed in (0, 1)]
    found: dict[int, str] = {}
    threads = [
        threading.Thread(target=lambda seed=seed: found.update({seed: deal(seed)}))
        for seed in (0, 1)
    ]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert [found[0], found[1]] == alone


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_waits_for_no_thread_of_its_parent() -> None:
    with games._loading, games._alone:
        child = os.fork()
        if not child:
            os._exit(games._loading.locked() or games._alone.locked())
        assert os.waitpid(child, 0)[1] == 0


def test_waiting_for_other_threads_has_a_deadline() -> None:
    env = textarena("Sokoban-v0", deadline_s=0.05)
    with games._alone, pytest.raises(StepTimeout, match=r"waited over 0\.05 s for other threads"):
        env.reset(seed=0)


TOUCHED = """
import random, sys, warnings
import numpy as np
from gem_gymnasium.multiplayer import textarena
before = random.getstate(), repr(np.random.get_state()), list(warnings.filters)
env = textarena("ConnectFour-v0")
env.reset(seed=0)
env.step("[col 3]")
after = random.getstate(), repr(np.random.get_state()), list(warnings.filters)
sys.exit(before != after)
"""


def test_the_first_game_of_a_process_touches_no_generator_and_no_filter() -> None:
    assert subprocess.run([sys.executable, "-c", TOUCHED], timeout=120, check=False).returncode == 0


def test_an_episode_that_failed_after_the_move_tells_nothing_of_it_and_can_be_copied() -> None:
    def fail() -> Any:
        raise KeyError("board")

    env = textarena("TicTacToe-v0")
    env.reset(seed=0)
    env.step("[4]")
    told = [*env._episode.told[0]], [*env._episode.told[1]]
    env._episode.game.get_observation = fail
    env.step("[0]")
    assert env.infos["player_1"]["stop"] == "crash"
    assert (env._episode.told[0], env._episode.told[1]) == told
    copy = pickle.loads(pickle.dumps(env))
    assert copy.observe("player_1") == env.observe("player_1")


def test_a_game_that_asks_nobody_is_an_invalid_step() -> None:
    env = textarena("TicTacToe-v0")
    env.reset(seed=0)
    env._episode.game.state.current_player_id = None
    env.step("[4]")
    assert env.infos["player_0"]["stop"] == "crash"
    assert "asks player None" in env.infos["player_0"]["error"]


def test_an_env_that_cannot_take_up_a_snapshot_goes_on_as_it_was() -> None:
    env = textarena("TicTacToe-v0")
    env.reset(seed=0)
    env.step("[4]")
    before = env.snapshot()
    saved = json.loads(before)
    damaged = [
        {**saved, "replies": ["[4]", "[5]"]},
        {**saved, "rng": {"state": 5}},
        {**saved, "rng": {**saved["rng"], "uinteger": -1}},
        {**saved, "seed": "x"},
        {**saved, "replies": 5},
        *({key: saved[key] for key in saved if key != without} for without in saved),
    ]
    for each in damaged:
        with pytest.raises(SnapshotMismatch):
            env.restore(json.dumps(each).encode())
        assert env.snapshot() == before
    env.restore(before)
    assert env.snapshot() == before


@pytest.mark.parametrize(
    "id", ["Countdown-v0", "Cryptarithm-v0", "Slitherlink-v0", "ThreeCardMonte-v0"]
)
def test_a_game_that_takes_its_reward_for_the_reason_refuses_like_others(id: str) -> None:
    env = textarena(id)
    env.reset(seed=0)
    env.step("no move")
    assert env.infos["player_0"]["event"] == "refused"
    assert re.search(r"Reason: (Inv|B)", env.observe("player_0")["text"])
    env.step("no move")
    info = env.infos["player_0"]
    assert (info["event"], info["valid"], info["legal"]) == ("forfeit", True, False)
    assert 0.0 <= env.rewards["player_0"] < 1.0


def test_what_is_read_before_the_first_reset_is_a_named_mistake() -> None:
    for env in (textarena("TicTacToe-v0"), NimEnv()):
        with pytest.raises(StepOutsideEpisode, match=r"call reset\(\) before observe\(\)"):
            env.observe("player_0")
