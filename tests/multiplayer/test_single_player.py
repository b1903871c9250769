"""One seat of a game as a gymnasium env: the contract, the other seats, failures."""

import functools
import json
import re
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

import gem_gymnasium
from gem_gymnasium.core.errors import (
    BackendError,
    ConfigError,
    SnapshotMismatch,
    StepOutsideEpisode,
    UnknownName,
)
from gem_gymnasium.data import load_json
from gem_gymnasium.multiplayer.kuhn_poker import KuhnPokerEnv
from gem_gymnasium.multiplayer.liars_dice import LiarsDiceEnv
from gem_gymnasium.multiplayer.players import Player, player_for
from gem_gymnasium.multiplayer.single_player import DEALS, SinglePlayer
from gem_gymnasium.multiplayer.text_parallel import TextParallel
from gem_gymnasium.multiplayer.tic_tac_toe import TicTacToeEnv
from gem_gymnasium.testing import check_text_env
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History, NormalizeScore

IDS = gem_gymnasium.registry.ids("versus")


def play(env: gym.Env[str, str], seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    calls: list[Any] = [env.reset(seed=seed)]
    over = False
    while not over:
        base: Any = env.unwrapped
        calls.append(env.step(base.sample_legal_action(rng)))
        over = calls[-1][2] or calls[-1][3]
    return calls


@pytest.mark.parametrize("id", IDS)
def test_the_gymnasium_contract_holds(id: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(id).unwrapped)
    capsys.readouterr()


LONG = [id for id in IDS if re.search("ConnectFour|Battleship|Negotiation", id)]
"""Where games are long, or the other player thinks: fewer of them, and cut short."""


@pytest.mark.parametrize("id", [id for id in IDS if id not in LONG])
def test_the_conformance_suite_passes(id: str) -> None:
    check_text_env(lambda: gym.make(id))


@pytest.mark.parametrize("id", LONG)
def test_the_conformance_suite_passes_where_games_are_long(id: str) -> None:
    check_text_env(lambda: gym.make(id), seeds=[0], steps=4, step_limit_s=5.0, hostile=["", "x"])


def test_no_solver_loses_what_it_need_not() -> None:
    for name in ("TicTacToe", "ConnectFour"):
        for seed in range(3 if name == "ConnectFour" else 30):
            *_, last = play(gym.make(f"gem/{name}-vs-solver-v0"), seed)
            assert last[1] <= 0.0, (name, seed)


def test_a_seat_is_taken_or_drawn() -> None:
    second = SinglePlayer(TicTacToeEnv(), seat=1)
    observation, info = second.reset(seed=0)
    assert "You are O and move second." in observation
    assert (info["seat"], info["turn"]) == (1, 0)
    drawn = SinglePlayer(TicTacToeEnv())
    assert {drawn.reset(seed=seed)[1]["seat"] for seed in range(20)} == {0, 1}


def test_each_other_seat_has_its_opponent_who_reads_its_own_seat_only() -> None:
    read: dict[int, list[str]] = {1: [], 2: []}

    def opponent(seat: int) -> Any:
        def act(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
            assert info["seat"] == seat
            read[seat].append(observation)
            return "\\boxed{liar}" if "player_0 bids" in observation else "no move"

        return act

    env = SinglePlayer(LiarsDiceEnv(seats=3), seat=0, opponents=[opponent(1), opponent(2)])
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step("\\boxed{9 6}")
    assert (reward, terminated, info["success"]) == (-1.0, True, False)
    assert len(read[1]) == 1
    assert not read[2]
    assert "You are player_1" in read[1][0]


def test_an_opponent_without_a_legal_move_loses() -> None:
    env = SinglePlayer(TicTacToeEnv(), seat=0, opponents=lambda *_: "hm")
    env.reset(seed=0)
    observation, reward, terminated, _, info = env.step("\\boxed{5}")
    assert (reward, terminated, info["success"]) == (1.0, True, True)
    assert "player_1 gave no legal move: the game is over." in observation


def test_an_opponent_that_fails_makes_the_step_invalid_and_the_next_episode_works() -> None:
    fails = [True]

    def served(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        if fails:
            fails.pop()
            raise BackendError("the model's server is gone")
        return "\\boxed{1}"

    env = SinglePlayer(TicTacToeEnv(), seat=0, opponents=served)
    before, _ = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step("\\boxed{5}")
    assert (observation, reward, terminated, truncated) == (before, 0.0, False, True)
    assert (info["valid"], info["stop"], info["event"]) == (False, "tool", "failed")
    assert info["error"] == "BackendError: the model's server is gone"
    with pytest.raises(StepOutsideEpisode):
        env.step("\\boxed{5}")
    env.reset(seed=1)
    assert env.step("\\boxed{5}")[4]["valid"]


def test_no_reply_is_played_in_the_seat_of_an_opponent_that_raised() -> None:
    def broken(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        raise RuntimeError("a bug")

    env = SinglePlayer(TicTacToeEnv(), seat=0, opponents=broken)
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="a bug"):
        env.step("\\boxed{5}")
    with pytest.raises(StepOutsideEpisode):
        env.step("\\boxed{1}")
    env = SinglePlayer(TicTacToeEnv(), seat=1, opponents=broken)
    with pytest.raises(RuntimeError, match="a bug"):
        env.reset(seed=0)
    with pytest.raises(StepOutsideEpisode):
        env.step("\\boxed{1}")


def test_a_malformed_reply_costs_a_try_and_says_so() -> None:
    env = SinglePlayer(TicTacToeEnv(retries=1), seat=0)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step("hm")
    assert (reward, terminated, info["event"], info["legal"]) == (0.0, False, "malformed", False)
    _, reward, terminated, _, info = env.step("hm")
    assert (reward, terminated, info["event"]) == (-1.0, True, "forfeit")


@pytest.mark.parametrize("id", [id for id in IDS if "ConnectFour" not in id])
def test_threads_play_as_each_does_alone(id: str) -> None:
    alone = [play(gym.make(id), seed) for seed in range(4)]
    vector = ThreadVectorEnv([lambda: gym.make(id)] * 4)
    observations, _ = vector.reset(seed=list(range(4)))
    assert data_equivalence([run[0][0] for run in alone], list(observations))
    vector.close()


def test_a_history_and_a_snapshot_go_through_it() -> None:
    def make() -> Any:
        return History(gym.make("gem/KuhnPoker-vs-solver-v0"), layout="messages")

    env = make()
    env.reset(seed=3)
    other = make()
    gem_gymnasium.restore(other, gem_gymnasium.snapshot(env))
    rng = np.random.default_rng(0)
    reply = env.unwrapped.sample_legal_action(rng)
    assert data_equivalence(env.step(reply), other.step(reply))


def first_free(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
    return f"\\boxed{{{re.findall('[1-9]', info['view'])[0]}}}"


class FirstFree:
    def __call__(self, observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        return first_free(observation, info, rng)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: first_free, "test_single_player.first_free"),
        (FirstFree, "test_single_player.FirstFree"),
        (lambda: FirstFree().__call__, "test_single_player.FirstFree.__call__"),
        (lambda: functools.partial(first_free), "test_single_player.first_free"),
    ],
)
def test_a_snapshot_names_own_opponents_as_every_process_does(
    make: Callable[[], Player], name: str
) -> None:
    first, second = (SinglePlayer(TicTacToeEnv(), seat=0, opponents=make()) for _ in range(2))
    first.reset(seed=3)
    saved = gem_gymnasium.snapshot(first)
    assert name.encode() in saved
    assert b" at 0x" not in saved
    gem_gymnasium.restore(second, saved)
    assert data_equivalence(first.step("\\boxed{5}"), second.step("\\boxed{5}"))
    other = SinglePlayer(TicTacToeEnv(), seat=0)
    with pytest.raises(SnapshotMismatch):
        gem_gymnasium.restore(other, saved)


def test_a_draw_with_the_perfect_player_scores_1_and_a_loss_less_than_0() -> None:
    game = load_json("calibration.json")["games"]["gem/TicTacToe-vs-solver-v0"]
    env: Any = NormalizeScore(gym.make("gem/TicTacToe-vs-solver-v0"))
    for reply, returned in ((None, 0.0), ("hm", -1.0)):
        observation, _ = env.reset(seed=0)
        player, over, info = player_for("solver", env.unwrapped.game), False, dict[str, Any]()
        while not over:
            action = reply or player(observation, {}, np.random.default_rng(0))
            observation, _, over, _, info = env.step(action)
        zero, one = game["random"]["return"], game["solver"]["return"]
        assert one == 0.0
        assert info["normalized_score"] == pytest.approx((returned - zero) / (one - zero))


@pytest.mark.parametrize("made", [{"id": "gem/RockPaperScissors-vs-random-v0"},
                                  {"id": "gem/Nim-vs-solver-v0", "seat": 0}])  # fmt: skip
def test_a_seat_without_a_scale_has_no_score(made: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="calibrated"):
        NormalizeScore(gym.make(**made))


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"seat": 2}, ConfigError, "seat must be from 0 to 1"),
        ({"seat": "first"}, ConfigError, "or -1 to draw one, got 'first'"),
        ({"opponents": ["random", "random"]}, ConfigError, "needs 1 opponents, got 2"),
        ({"opponents": "solvr"}, UnknownName, "unknown player 'solvr'; did you mean 'solver'"),
        (
            {"opponents": lambda observation: "0"},  # pyright: ignore[reportUnknownLambdaType]
            ConfigError,
            r"must be a function \(observation, info, rng\) -> reply, .*: too many positional",
        ),
        ({"opponents": [3]}, ConfigError, "must be a function .*, got 3"),
        ({"opponents": None}, ConfigError, "must be a function .*, got None"),
        ({"seat": True}, ConfigError, "or -1 to draw one, got True"),
        ({"render_mode": "x"}, ConfigError, "render_mode must be one of"),
    ],
)
def test_what_cannot_be_is_refused(options: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        SinglePlayer(KuhnPokerEnv(), **options)


def test_an_opponent_that_gives_no_text_is_named() -> None:
    env = SinglePlayer(KuhnPokerEnv(), seat=1, opponents=lambda *_: None)  # type: ignore[arg-type]
    with pytest.raises(
        ConfigError, match="a player's reply must be a str, got None from <function"
    ):
        env.reset(seed=0)


def test_a_seat_may_be_a_number_of_numpy_s() -> None:
    env = SinglePlayer(KuhnPokerEnv(), seat=np.arange(2)[1])
    env.reset(seed=0)
    assert gem_gymnasium.snapshot(env)


class Foreign(AECEnv[str, Any, str]):
    """A game of another package."""

    metadata: dict[str, Any] = {"name": "chess_v6"}  # noqa: RUF012 - as PettingZoo declares it


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("gem/KuhnPoker-v0", "game must be a game in AEC form"),
        (pettingzoo.make("parallel", "gem/KuhnPoker-v0"), "game must be a game in AEC form"),
        (KuhnPokerEnv, "game must be a game in AEC form"),
        (Foreign(), "chess_v6 is a Foreign"),
        (OrderEnforcingWrapper(Foreign()), "chess_v6 is a Foreign"),
    ],
)
def test_what_is_no_game_of_ours_is_refused(game: Any, said: str) -> None:
    for take in (SinglePlayer, TextParallel, functools.partial(player_for, "random")):
        with pytest.raises(ConfigError, match=said):
            take(game)


def test_a_game_in_pettingzoo_s_wrappers_plays_as_it_does_without() -> None:
    wrapped: Any = OrderEnforcingWrapper(LiarsDiceEnv())
    assert data_equivalence(play(SinglePlayer(LiarsDiceEnv()), 4), play(SinglePlayer(wrapped), 4))


@pytest.mark.parametrize("seats", [3, 4])
def test_a_game_that_ends_before_the_seat_is_asked_is_dealt_anew(seats: int) -> None:
    dealt: list[int] = []

    def hasty(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        dealt.append(info["turn"])
        calls = info["turn"] and rng.random() < 0.5
        return "\\boxed{liar}" if calls else f"\\boxed{{{info['turn'] + 1} 1}}"

    env = SinglePlayer(LiarsDiceEnv(seats=seats), seat=seats - 1, opponents=hasty)
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        assert (info["to_move"], info["turn"], info["event"]) == (True, 0, "reset")
        assert "It is your turn" in observation
        assert env.step("no move")[4]["event"] == "malformed"
    assert dealt.count(0) > 20
    assert data_equivalence(env.reset(seed=7), env.reset(seed=7))


def test_opponents_that_never_let_the_seat_move_are_named_after_so_many_deals() -> None:
    asked: list[int] = []

    def mute(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        asked.append(info["seat"])
        return ""

    env = SinglePlayer(TicTacToeEnv(retries=0), seat=1, opponents=mute)
    with pytest.raises(ConfigError, match=r"the game before player_1 was asked; .*gave no legal"):
        env.reset(seed=0)
    assert asked == [0] * DEALS
    with pytest.raises(StepOutsideEpisode):
        env.step("\\boxed{1}")


def test_a_game_without_a_player_says_so() -> None:
    with pytest.raises(ConfigError, match="liars_dice has no solver; those that have one: tic_tac"):
        SinglePlayer(LiarsDiceEnv(), opponents="solver")
    with pytest.raises(ConfigError, match="kuhn_poker has no heuristic; those that have one: liar"):
        SinglePlayer(KuhnPokerEnv(), opponents="heuristic")
    with pytest.raises(UnknownName, match="reset option"):
        SinglePlayer(KuhnPokerEnv()).reset(options={"index": 1})


@pytest.mark.parametrize("make", [list, tuple, set, iter, np.array])
def test_opponents_come_in_any_row(make: Callable[[Any], Any]) -> None:
    env = SinglePlayer(LiarsDiceEnv(seats=3), seat=0, opponents=make(["random", "heuristic"]))
    assert len(env.opponents) == 2
    env.reset(seed=0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("own", 99), ("own", -1), ("own", "x"), ("own", None), ("turn", "x"), ("turn", -1),
     ("over", 1), ("observation", 3), ("game", "{}"), ("game", 3)],
)  # fmt: skip
def test_a_damaged_snapshot_is_refused_and_the_env_goes_on(name: str, value: Any) -> None:
    env, twin = (SinglePlayer(TicTacToeEnv()) for _ in range(2))
    env.reset(seed=1)
    twin.reset(seed=1)
    document = json.loads(gem_gymnasium.snapshot(env))
    document["layers"][-1][name] = value
    with pytest.raises(SnapshotMismatch):
        gem_gymnasium.restore(env, json.dumps(document).encode())
    assert data_equivalence(env.step("\\boxed{9}"), twin.step("\\boxed{9}"))
