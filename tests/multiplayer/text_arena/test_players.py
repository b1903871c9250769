"""Players in games of TextArena: ratings go by the end that a game comes to, seats are refused."""

from typing import Any

import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError, MachineryError
from gem_gymnasium.multiplayer import SinglePlayer, textarena
from gem_gymnasium.multiplayer.players import player_for
from gem_gymnasium.multiplayer.ratings import rate, round_robin


def says(reply: str) -> Any:
    def player(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        return reply

    return player


def test_a_game_is_rated_by_what_textarena_pays() -> None:
    pool = {"first": says("[0]"), "silent": says("")}
    best, _ = rate(round_robin(textarena("TicTacToe-v0"), pool, games=2))
    assert (best.name, best.reward) == ("first", 1.0)


def test_a_game_that_is_cut_off_is_a_draw() -> None:
    game = textarena("Taboo-v0-animals", max_turns=3)
    results = round_robin(game, {"a": says("a clue"), "b": says("another")}, games=1)
    assert {result.rewards for result in results} == {(0.0,) * 4}


def test_a_game_that_fails_is_rated_for_nobody() -> None:
    game = textarena("CharacterConclave-v0")
    with pytest.raises(MachineryError, match=r"CharacterConclave-v0 failed: .*TypeError"):
        round_robin(game, {"a": says("Hello."), "b": says("Hi.")}, games=1)


def test_its_seats_take_no_players_by_name_and_are_no_envs_of_their_own() -> None:
    game = textarena("TicTacToe-v0")
    for name in ("random", "solver", "heuristic"):
        with pytest.raises(ConfigError, match="textarena/TicTacToe-v0 is a TextArenaAEC"):
            player_for(name, game)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="textarena/TicTacToe-v0 is a TextArenaAEC"):
        SinglePlayer(game, opponents=says("[0]"))  # type: ignore[arg-type]


def test_an_id_is_a_str() -> None:
    for id in (None, 5, ["TicTacToe-v0"]):
        with pytest.raises(ConfigError, match="env_id must be a str"):
            textarena(id)  # type: ignore[arg-type]
