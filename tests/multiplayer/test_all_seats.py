"""A whole game as one env: what each seat reads, remembers and is paid, and failures."""

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from pettingzoo import AECEnv

from gem_gymnasium import UnicodeText, multiplayer
from gem_gymnasium.core.errors import BackendError, ConfigError, StepOutsideEpisode
from gem_gymnasium.multiplayer import AllSeats
from gem_gymnasium.multiplayer.kuhn_poker import KuhnPokerEnv
from gem_gymnasium.multiplayer.liars_dice import LiarsDiceEnv
from gem_gymnasium.multiplayer.nim import NimEnv
from gem_gymnasium.multiplayer.text_parallel import TextParallel
from gem_gymnasium.multiplayer.tic_tac_toe import TicTacToeEnv
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History


@pytest.mark.parametrize("id", multiplayer.ids())
def test_it_plays_the_very_game_seat_by_seat(id: str) -> None:
    env, game = AllSeats(pettingzoo.make("aec", id)), pettingzoo.make("aec", id)
    rng = np.random.default_rng(0)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        game.reset(seed=seed)
        assert info["event"] == "reset"
        paid = np.zeros(env.seats)
        over = False
        while not over:
            agent = game.agent_selection
            assert observation == game.observe(agent)["text"]
            assert game.possible_agents[info["seat"]] == agent
            reply = env.sample_legal_action(rng)
            observation, reward, terminated, truncated, info = env.step(reply)
            game.step(reply)
            seat = game.possible_agents.index(agent)
            assert info["rewards"] == tuple(game.rewards[each] for each in game.possible_agents)
            assert reward == info["rewards"][seat]
            assert info["event"] == game.infos[agent]["event"]
            paid += info["rewards"]
            over = terminated or truncated
        assert (terminated, truncated) == (True, False)
        assert info["wins"] == tuple(game.infos[each]["success"] for each in game.possible_agents)
        assert observation == game.observe(agent)["text"]  # who moved last reads the outcome
        with pytest.raises(StepOutsideEpisode):
            env.step("")


@pytest.mark.parametrize("id", ["gem/TicTacToe-v0", "gem/LiarsDice-4p-v0", "gem/LowestUnique-v0"])
def test_the_gymnasium_contract_holds(id: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(AllSeats(pettingzoo.make("aec", id)), skip_render_check=True)
    capsys.readouterr()


def test_a_seat_remembers_its_own_past_only() -> None:
    env = AllSeats(KuhnPokerEnv(), wrap=lambda seat: History(seat, "messages"))
    _, info = env.reset(seed=0)
    first_card = env.game.observe("player_0")["text"].split("Your card: ")[1][0]
    other_card = env.game.observe("player_1")["text"].split("Your card: ")[1][0]
    assert len(info["messages"]) == 1
    _, _, _, _, info = env.step("\\boxed{check}")
    assert info["seat"] == 1
    assert f"Your card: {other_card}" in info["messages"][0]["content"]
    assert len(info["messages"]) == 1  # nothing of what the first seat read or said
    assert f"Your card: {first_card}" not in str(info["messages"])
    _, _, _, _, info = env.step("\\boxed{bet}")
    roles = [message["role"] for message in info["messages"]]
    assert (info["seat"], roles) == (0, ["user", "assistant", "user"])
    assert info["messages"][1]["content"] == "\\boxed{check}"
    assert f"Your card: {other_card}" not in str(info["messages"])
    _, _, terminated, _, info = env.step("\\boxed{fold}")
    assert terminated
    assert [message["role"] for message in info["messages"]] == [*roles, "assistant", "user"]


def test_an_illegal_reply_is_told_to_who_gave_it_and_remembered() -> None:
    env = AllSeats(TicTacToeEnv(), wrap=lambda seat: History(seat, "messages"))
    env.reset(seed=0)
    _, reward, _, _, info = env.step("no move")
    assert (info["seat"], info["event"], info["legal"], reward) == (0, "malformed", False, 0.0)
    assert info["messages"][1] == {"role": "assistant", "content": "no move"}


def test_what_the_others_are_paid_is_in_the_info() -> None:
    env = AllSeats(TicTacToeEnv(retries=0))
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step("no move")
    assert (reward, terminated) == (-1.0, True)
    assert (info["rewards"], info["wins"]) == ((-1.0, 1.0), (False, True))


class Broken(LiarsDiceEnv):
    """Fails at the second reply."""

    def step(self, action: str | None) -> None:
        if self._turn:
            raise BackendError("gone")
        super().step(action)


def test_a_failure_is_an_invalid_step_that_pays_nobody() -> None:
    env = AllSeats(Broken())
    observation, info = env.reset(seed=0)
    rng = np.random.default_rng(0)
    observation, *_ = env.step(env.sample_legal_action(rng))
    again, reward, terminated, truncated, info = env.step(env.sample_legal_action(rng))
    assert (again, reward, terminated, truncated) == (observation, 0.0, False, True)
    assert (info["valid"], info["error"]) == (False, "BackendError: gone")
    assert (info["rewards"], info["wins"]) == ((0.0, 0.0), (False, False))
    with pytest.raises(StepOutsideEpisode):
        env.step("")
    env.reset(seed=1)
    env.step(env.sample_legal_action(rng))


class LastOneIn(AECEnv[str, Any, str]):
    """A game of another's: each says in turn that it wins, quits, is cut off, or goes on."""

    metadata = {"name": "last_one_in"}  # noqa: RUF012 - as PettingZoo declares it
    words = ("win", "quit", "cut", "on")

    def __init__(self, observes: Any = None, acts: Any = None) -> None:
        super().__init__()
        self.possible_agents = ["a", "b", "c"]
        self._spaces = observes or spaces.Dict(text=UnicodeText()), acts or UnicodeText()

    def observation_space(self, agent: str) -> Any:
        return self._spaces[0]

    def action_space(self, agent: str) -> Any:
        return self._spaces[1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = "a"

    def observe(self, agent: str) -> Any:
        return {"text": f"you are {agent}"}

    def step(self, action: str | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(None)
            return
        self._clear_rewards()
        following = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
        self.infos = {each: {"success": each == agent and action == "win"} for each in self.agents}
        self.rewards[agent] = float(action == "win")
        self.terminations[agent] = action in ("win", "quit")
        self.truncations[agent] = action == "cut"
        self.agent_selection = following
        self._accumulate_rewards()
        if action != "on":
            self._deads_step_first()


def play(env: AllSeats, *replies: str) -> tuple[list[int], list[tuple[float, ...]], Any]:
    """Return who was asked, what each reply paid, and the last step."""
    _, info = env.reset(seed=0)
    asked, paid, step = [info["seat"]], [], None
    for reply in replies:
        step = env.step(reply)
        asked.append(step[4]["seat"])
        paid.append(step[4]["rewards"])
    return asked, paid, step


def test_a_seat_that_is_out_first_is_asked_no_more_and_keeps_its_win() -> None:
    env = AllSeats(LastOneIn())
    asked, paid, (_, _, terminated, truncated, info) = play(env, "on", "win", "on", "quit", "quit")
    assert asked == [0, 1, 2, 0, 2, 2]
    assert paid == [(0, 0, 0), (0, 1, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]
    assert (terminated, truncated, info["wins"]) == (True, False, (False, True, False))
    *_, (_, _, terminated, truncated, info) = play(env, "quit", "quit", "win")
    assert (terminated, truncated, info["wins"]) == (True, False, (False, False, True))


def test_an_episode_in_which_a_seat_was_cut_off_is_truncated() -> None:
    for replies in (("cut", "quit", "quit"), ("quit", "quit", "cut")):
        *_, (_, _, terminated, truncated, _) = play(AllSeats(LastOneIn()), *replies)
        assert (terminated, truncated) == (False, True)


@pytest.mark.parametrize(
    "given",
    [
        {"observes": spaces.Dict(board=spaces.Discrete(3))},
        {"observes": UnicodeText()},
        {"acts": spaces.Discrete(9)},
    ],
)
def test_a_game_without_texts_is_refused_at_once(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"a text game observes Dict\(text=Text\)"):
        AllSeats(LastOneIn(**given))


def test_an_action_must_be_a_str() -> None:
    env = AllSeats(TicTacToeEnv())
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="must be a str"):
        env.step(3)  # type: ignore[arg-type]


def test_equal_seeds_give_equal_games_in_a_thread_vector_env() -> None:
    def play(env: gym.Env[str, str]) -> list[Any]:
        calls: list[Any] = [env.reset(seed=5)]
        rng, over = np.random.default_rng(0), False
        while not over:
            base: Any = env.unwrapped
            calls.append(env.step(base.sample_legal_action(rng)))
            over = calls[-1][2] or calls[-1][3]
        return calls

    alone = play(AllSeats(LiarsDiceEnv(seats=3)))
    vector = ThreadVectorEnv([lambda: AllSeats(LiarsDiceEnv(seats=3))] * 2)
    observations, infos = vector.reset(seed=[5, 5])
    assert list(observations) == [alone[0][0]] * 2
    rng = np.random.default_rng(0)
    base: Any = vector.envs[0].unwrapped
    reply = base.sample_legal_action(rng)
    observations, _, _, _, infos = vector.step([reply, reply])
    assert list(observations) == [alone[1][0]] * 2
    assert list(infos["rewards"]) == [alone[1][4]["rewards"]] * 2  # tuples stay whole
    vector.close()


@pytest.mark.parametrize("game", ["gem/Nim-v0", TextParallel(NimEnv()), NimEnv])
def test_a_game_comes_in_its_aec_form(game: Any) -> None:
    with pytest.raises(ConfigError, match="game must be a game in AEC form"):
        AllSeats(game)
