"""Self-play: which envs are taken, and what is refused before anything is played."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.multiplayer import AllSeats
from gem_gymnasium.multiplayer.kuhn_poker import KuhnPokerEnv, parallel_env
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History, ToolUse
from gem_trl.envs import open_envs

KUHN, GUESS = "gem/KuhnPoker-v0", "gem/GuessTheNumber-easy-v0"

Source = Callable[[], Any]


def with_history_outside() -> gym.Env[str, str]:
    return AllSeats(KuhnPokerEnv(), wrap=lambda seat: History(seat, "text"))


def test_an_env_of_all_seats_of_the_users_is_taken_as_it_is() -> None:
    envs = open_envs(with_history_outside, 2, "messages", {}, 30.0)
    assert envs.seats == (2,)
    starts = envs.start({0: 0, 1: 1})
    assert "messages" not in starts[0].info
    assert list(envs.games()) == ["kuhn_poker_v0"]
    envs.close()


def whole_game() -> gym.Env[str, str]:
    return AllSeats(KuhnPokerEnv())


def one_player() -> gym.Env[str, str]:
    return gym.make(GUESS)


def threads(*env_fns: Source) -> ThreadVectorEnv:
    return ThreadVectorEnv(env_fns, autoreset_mode=AutoresetMode.DISABLED)


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (lambda: KUHN, {"tools": ["python"]}, "tools cannot be added"),
        (lambda: parallel_env, {}, "give the game in its AEC form"),
        (KuhnPokerEnv, {}, "is one made env, .* give its id, or a callable"),
        (parallel_env, {}, "is one made env, .* give its id, or a callable"),
        (lambda: lambda: None, {}, "a callable that returns an env .* it returned None"),
        (lambda: SyncVectorEnv([whole_game]), {}, "must be a ThreadVectorEnv"),
        (lambda: SyncVectorEnv([one_player, whole_game]), {}, "must be a ThreadVectorEnv"),
        (lambda: threads(whole_game, one_player), {}, "as many seats each, got 2 in env 0 and 1"),
        (lambda: threads(one_player, whole_game), {}, "as many seats each, got 1 in env 0 and 2"),
        (lambda: threads(lambda: History(whole_game())), {}, "History around a whole game"),
        (lambda: lambda: History(whole_game()), {}, "History around a whole game"),
        (lambda: lambda: ToolUse(whole_game(), ["python"]), {}, "ToolUse around a whole game"),
    ],
)
def test_what_cannot_be_played_is_refused(
    given: Source, options: dict[str, Sequence[str]], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        open_envs(given(), 2, "none", {}, 30.0, **options)


def test_whole_games_in_other_processes_are_refused_at_the_first_start() -> None:
    vector = AsyncVectorEnv([whole_game])
    with pytest.raises(ConfigError, match="must be a ThreadVectorEnv"):
        open_envs(vector, 1, "none", {}, 30.0).start({0: 0})
    vector.close()


def test_groups_of_one_seed_are_refused(build_trainer: Any) -> None:
    with pytest.raises(ConfigError, match="compares episodes of one seed"):
        build_trainer(env=KUHN, advantage_estimator="rloo", gamma=1.0, group_size=2)


@pytest.mark.parametrize("env", [GUESS, "gem/KuhnPoker-vs-random-v0", [GUESS, "gem/Wordle-v0"]])
@pytest.mark.parametrize("options", [{"opponent_share": 0.5}, {"rebn_scope": "role"}])
def test_what_is_for_games_of_several_players_is_refused_without_one(
    build_trainer: Any, env: Any, options: dict[str, Any]
) -> None:
    ((name, value),) = options.items()
    with pytest.raises(ConfigError, match=f"{name}={value!r} is for games .*, got gem/"):
        build_trainer(env=env, **options)
    with_game = [KUHN, *([env] if isinstance(env, str) else env)]
    build_trainer(env=with_game, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponent_share": 1.5}, "opponent_share must be at least 0 and at most 1, got 1.5"),
        ({"opponent_pool_size": 0}, "opponent_pool_size must be at least 1, got 0"),
        ({"opponent_interval": 0}, "opponent_interval must be at least 1, got 0"),
    ],
)
def test_what_the_config_refuses(config: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        config(**options)
