"""Games of TextArena through the adapter: the contract, their dice, failures, refusals."""

import os
import pickle
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from gem_gymnasium.core.errors import (
    ConfigError,
    GameUnavailable,
    MissingDependency,
    SnapshotMismatch,
    StepOutsideEpisode,
    UnknownName,
)
from gem_gymnasium.core.spaces import MAX_CHARS
from gem_gymnasium.multiplayer import TextParallel, textarena, textarena_ids, textarena_single
from gem_gymnasium.multiplayer.text_arena import games
from gem_gymnasium.testing import check_text_aec, check_text_env
from gem_gymnasium.testing.guesses import guess
from gem_gymnasium.testing.hostile import HOSTILE_STRINGS

pytest.importorskip("textarena")

SHORT = {"max_turns": 40, "deadline_s": 10.0}
HOSTILE = HOSTILE_STRINGS[::20]


def play(env: Any, seed: int) -> list[Any]:
    """Play an episode of guesses; return all that was read and paid."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    seen: list[Any] = []
    for agent in env.agent_iter():
        seen.append((agent, *env.last()))
        over = env.terminations[agent] or env.truncations[agent]
        env.step(None if over else guess(env.rules_of(agent) + seen[-1][1]["text"], rng))
    return seen


@pytest.mark.parametrize(
    ("id", "players"), [("TicTacToe-v0", None), ("Snake-v0", 3), ("SimpleNegotiation-v0", None)]
)
def test_the_conformance_suite_passes(id: str, players: int | None) -> None:
    check_text_aec(
        lambda **kw: textarena(id, players, **SHORT, **kw), seeds=[0, 1], hostile=HOSTILE
    )


@pytest.mark.parametrize("id", ["Mastermind-v0", "FrozenLake-v0"])
def test_a_game_for_one_is_a_gymnasium_env(id: str) -> None:
    check_text_env(
        lambda **kw: textarena_single(id, **SHORT, **kw), seeds=[0], steps=8, hostile=HOSTILE,
        step_limit_s=1.0,
    )  # fmt: skip


def test_the_packages_import_no_textarena() -> None:
    code = "import sys, gem_gymnasium.multiplayer; sys.exit('textarena' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_what_is_told_ends_with_the_board_and_whose_turn_it_is() -> None:
    env = textarena("TicTacToe-v0")
    env.reset(seed=0)
    first = env.observe("player_0")["text"]
    assert first.startswith("You are Player 0 in Tic Tac Toe.")
    assert first.endswith("It is your turn.")
    assert env.observe("player_1")["text"].endswith("It is not your turn.")
    env.step("I take the middle: [4]")
    text = env.observe("player_0")["text"]
    assert "You are Player 0" not in text
    assert "I take the middle" not in text
    assert "[Player 0] I take the middle: [4]" in env.observe("player_1")["text"]
    assert "3 | O | 5" in env.infos["player_1"]["view"]
    assert "You are Player 0" in env.rules_of("player_0")


def test_a_refused_reply_is_asked_for_again_as_often_as_textarena_allows() -> None:
    env = textarena("TicTacToe-v0")
    env.reset(seed=0)
    events = []
    for reply in ("nothing", "[4]", "[4]", "x" * (MAX_CHARS + 1)):
        agent = env.agent_selection
        env.step(reply)
        events.append((env.infos[agent]["event"], env.infos[agent]["legal"]))
    assert events == [("refused", False), ("moved", True), ("refused", False), ("malformed", False)]
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.infos["player_0"]["success"]
    assert env.infos["player_1"]["progress"] == 0.0
    assert "The game is over." in env.observe("player_0")["text"]


def test_equal_seeds_give_equal_games_whoever_draws_beside_them() -> None:
    alone = play(textarena("Stratego-v0", max_turns=30), 5)
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - the global generator is what is watched
    before = random.getstate(), np.random.get_state()  # noqa: NPY002
    games_: dict[int, Any] = {}
    threads = [
        threading.Thread(
            target=lambda n=n: games_.update({n: play(textarena("Stratego-v0", max_turns=30), 5)})
        )
        for n in range(3)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        random.random()
    for thread in threads:
        thread.join()
    random.seed(0)
    assert data_equivalence(before, (random.getstate(), np.random.get_state()))  # noqa: NPY002
    assert all(data_equivalence(each, alone) for each in games_.values())
    assert len(games_) == 3


def test_a_game_that_draws_outside_its_seed_draws_from_the_env() -> None:
    """``ThreeCardMonte`` and ``Sokoban`` make generators of their own."""
    for id in ("ThreeCardMonte-v0", "Sokoban-v0"):
        texts = [play(textarena(id, max_turns=2), seed)[0][1]["text"] for seed in (1, 1, 2)]
        assert texts[0] == texts[1] != texts[2]


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    play(textarena("RushHour-v0", max_turns=3), 0)
    assert capfd.readouterr() == ("", "")


def test_both_forms_play_the_same_game() -> None:
    aec, parallel = textarena("ConnectFour-v0"), TextParallel(textarena("ConnectFour-v0"))
    aec.reset(seed=1)
    observations, _ = parallel.reset(seed=1)
    for column in (3, 3, 0, 3, 1, 3, 2):
        assert {agent: aec.observe(agent) for agent in aec.agents} == observations
        aec.step(f"[col {column}]")
        replies = dict.fromkeys(parallel.agents, f"[col {column}]")
        observations, rewards, terminations, _, _ = parallel.step(replies)
    assert not parallel.agents
    assert all(terminations.values())
    assert rewards == aec.rewards == {"player_0": 1.0, "player_1": -1.0}


def test_what_textarena_raises_is_an_invalid_step() -> None:
    env = textarena("CharacterConclave-v0")
    env.reset(seed=0)
    before = env.observe("player_0")
    env.step("Hello all.")
    assert all(env.truncations.values())
    assert not any(env.rewards.values())
    info = env.infos["player_0"]
    assert (info["valid"], info["stop"], info["event"]) == (False, "crash", "failed")
    assert "CharacterConclave-v0 raised TypeError" in info["error"]
    assert env.observe("player_0")["text"].split("\n")[0] == before["text"].split("\n")[0]
    copy = pickle.loads(pickle.dumps(env))
    assert copy.infos == env.infos
    env.reset()
    assert env.infos["player_0"]["valid"]


def test_a_loop_without_an_end_is_an_invalid_step() -> None:
    env = textarena("PublicGoodsGame-v0", deadline_s=0.5)
    env.reset(seed=0)
    replies = [*["silence"] * 6, *["[99]"] * 3, "[5]", *["[99]"] * 3]  # both are put out
    for reply in replies:
        env.step(reply)
    assert env.infos["player_1"]["event"] == "forfeit"
    assert not any(env.truncations.values())
    env.step("[5]")
    assert all(env.truncations.values())
    assert env.infos["player_0"]["stop"] == "timeout"


def test_an_episode_ends_at_max_turns() -> None:
    env = textarena("Taboo-v0-animals", max_turns=3)
    env.reset(seed=0)
    for _ in range(3):
        env.step("a clue")
    assert all(env.truncations.values())
    assert env.infos["player_0"]["valid"]
    with pytest.raises(ConfigError, match="must be None"):
        env.step("more")


def test_what_a_game_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    with pytest.raises(GameUnavailable, match="set OPENROUTER_API_KEY"):
        textarena("Debate-v0")
    with pytest.raises(GameUnavailable, match="does not have: envs/UsedCarNegotiation/instruc"):
        textarena("UsedCarNegotiation-v0")
    with pytest.raises(GameUnavailable, match=r"does not have: textarena\.envs\.UsedCar"):
        textarena("UsedCar-v0-balanced")
    with pytest.raises(GameUnavailable, match="not installed: gym"):
        textarena("BabyAiText-v0")


WORDS = """
import pathlib, sys
from gem_gymnasium.core.errors import GameUnavailable
from gem_gymnasium.multiplayer import textarena
try:
    textarena("Hangman-v0")
except GameUnavailable as error:
    print(error)
folder = pathlib.Path(sys.argv[1]) / "corpora" / "words"
folder.mkdir(parents=True)
for name in ("en", "en-basic"):
    (folder / name).write_text("apple\\nbanana\\ncherry\\n")
env = textarena("Hangman-v0")
env.reset(seed=0)
print(env.observe("player_0")["text"].splitlines()[-1])
"""


def test_data_of_nltk_is_used_where_it_is_and_never_loaded(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", WORDS, str(tmp_path)],
        env={**os.environ, "NLTK_DATA": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.stdout.splitlines() == [
        "TextArena's Hangman-v0 needs 'words' of nltk's data: "
        "run `python -m nltk.downloader words`",
        "It is your turn.",
    ], run.stderr
    assert run.stderr == ""


def test_what_a_caller_gets_wrong_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownName, match="did you mean 'TicTacToe-v0'"):
        textarena("TicTacToe-v1")
    with pytest.raises(ConfigError, match="is 'TicTacToe-v0' shown in another form"):
        textarena("TicTacToe-v0-train")
    with pytest.raises(ConfigError, match="must be from 2 to 2, got 3"):
        textarena("TicTacToe-v0", 3)
    with pytest.raises(ConfigError, match="cannot begin: Board 5x5 is too small"):
        textarena("Snake-v0", 12).reset(seed=0)
    with pytest.raises(ConfigError, match=r"refuses its arguments: .*surely_not"):
        textarena("TicTacToe-v0", surely_not=1)
    with pytest.raises(ConfigError, match="max_turns"):
        textarena("TicTacToe-v0", max_turns=0)
    with pytest.raises(ConfigError, match="deadline_s"):
        textarena("TicTacToe-v0", deadline_s=0.0)
    with pytest.raises(ConfigError, match="is for several players"):
        textarena_single("TicTacToe-v0")
    with pytest.raises(StepOutsideEpisode):
        textarena("TicTacToe-v0").step("[4]")
    games.registry.cache_clear()
    monkeypatch.setitem(sys.modules, "textarena", None)
    monkeypatch.delitem(sys.modules, "textarena.envs.registration")
    with pytest.raises(MissingDependency, match=r"pip install 'gem-gymnasium\[textarena\]'"):
        textarena_ids()


def test_a_snapshot_of_something_else_is_refused() -> None:
    env = textarena("TicTacToe-v0")
    env.reset(seed=0)
    for data in (b"garbage", b"[]", textarena("Nim-v0").snapshot()):
        with pytest.raises(SnapshotMismatch):
            env.restore(data)
    changed = env.snapshot().replace(b'"replies": []', b'"replies": ["[4]"]')
    with pytest.raises(SnapshotMismatch, match="another way"):
        env.restore(changed)


def test_arguments_go_to_the_game() -> None:
    env = textarena_single("GuessTheNumber-v0", min_number=1, max_number=3)
    text, _ = env.reset(seed=0)
    assert "between 1 and 3" in text
