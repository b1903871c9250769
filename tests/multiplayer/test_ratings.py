"""Ratings: the fit against what is known, and a round robin in which all is fair."""

from collections import Counter
from math import exp, log
from typing import Any

import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.multiplayer.leduc_poker import LeducPokerEnv
from gem_gymnasium.multiplayer.lowest_unique import LowestUniqueEnv
from gem_gymnasium.multiplayer.nim import NimEnv
from gem_gymnasium.multiplayer.players import player_for
from gem_gymnasium.multiplayer.ratings import (
    ELO,
    PRIOR_GAMES,
    Result,
    Score,
    fit,
    rate,
    round_robin,
)
from gem_gymnasium.multiplayer.text_parallel import TextParallel
from gem_gymnasium.multiplayer.tic_tac_toe import TicTacToeEnv


def chances(ratings: np.ndarray) -> np.ndarray:
    """Return the chance that each (row) beats each other one."""
    beats = 1 / (1 + np.exp(ratings[None] - ratings[:, None]))
    return beats * (1 - np.eye(len(ratings)))


def test_who_is_no_player_is_refused_before_the_first_game() -> None:
    game = NimEnv()
    for wrong in (lambda observation: "1", "solver"):  # pyright: ignore[reportUnknownVariableType]
        with pytest.raises(ConfigError, match="a player must be a function"):
            round_robin(game, {"random": player_for("random", game), "wrong": wrong}, games=2)  # type: ignore[dict-item]


def test_strengths_that_made_the_results_are_found_again() -> None:
    true = np.array([1.5, 0.4, -0.3, -1.6])
    found, errors = fit(1e6 * chances(true))
    assert found == pytest.approx(true, abs=1e-3)
    assert found.sum() == pytest.approx(0.0, abs=1e-12)
    assert errors.max() < 2e-3


def test_the_standard_error_is_the_spread_over_repetitions() -> None:
    true, rng, games = np.array([0.8, 0.0, -0.8]), np.random.default_rng(0), 60
    runs: list[np.ndarray] = []
    for _ in range(400):
        upper = np.triu(rng.binomial(games, chances(true)), 1)
        runs.append(fit(upper + np.tril(games - upper.T, -1).astype(float))[0])
    _, errors = fit(games * chances(true))
    assert np.std(runs, axis=0) == pytest.approx(errors, rel=0.12)


@pytest.mark.parametrize("games", [1, 100, 10**6])
def test_who_always_wins_is_rated_by_the_drawn_game_of_the_prior(games: int) -> None:
    (best, worst), (error, _) = fit(np.array([[0.0, games], [0.0, 0.0]]))
    assert best == pytest.approx(-worst)
    # the slope of the log-posterior: games * (chance of a loss) = (rating above the middle)
    assert games / (1 + exp(2 * best)) == pytest.approx(PRIOR_GAMES * (1 / (1 + exp(-best)) - 0.5))
    assert 0.5 < error < 1.5 * log(games + 10)


def test_players_whom_no_game_connects_are_rated_by_the_prior() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[2, 3] = 5.0
    found, errors = fit(wins)
    assert found == pytest.approx(found[[2, 3, 0, 1]])
    assert np.isfinite(errors).all()


def test_draws_are_half_a_win_and_what_floats_lose_is_a_draw() -> None:
    thirds = sum([0.1] * 3)
    drawn = rate([Result(("a", "b"), (thirds, 0.3))] * 10)
    assert [each.rating for each in drawn] == pytest.approx([0.0, 0.0])
    assert drawn[0].record == {"b": Score(0, 10, 0)}
    split = rate([Result(("a", "b"), (1.0, -1.0)), Result(("b", "a"), (1.0, -1.0))] * 5)
    assert split[0].rating == pytest.approx(0.0)
    assert split[0].error == pytest.approx(drawn[0].error)


def test_a_game_of_three_counts_as_the_two_places_it_decides() -> None:
    three = rate([Result(("a", "b", "c"), (1.0, 0.0, -1.0))])
    assert [each.name for each in three] == ["a", "b", "c"]
    found, _ = fit(np.array([[0, 2 / 3, 2 / 3], [0, 0, 2 / 3], [0, 0, 0]]))
    assert [each.rating / ELO for each in three] == pytest.approx(list(found))
    assert three[1].record == {"a": Score(0, 0, 1), "c": Score(1, 0, 0)}


def test_seats_of_the_same_player_are_not_compared() -> None:
    one, other = rate([Result(("a", "a", "b"), (1.0, -0.5, -0.5))])
    assert one.record == {"b": Score(1, 1, 0)}
    assert (one.games, one.reward) == (1, 0.25)
    assert (other.name, other.reward) == ("b", -0.5)


def test_four_hundred_points_are_odds_of_ten_to_one() -> None:
    high, low = rate([Result(("a", "b"), (float(n % 11 != 0), 0.5)) for n in range(11_000)])
    assert high.rating - low.rating == pytest.approx(400, abs=2)
    assert high.record["b"].share == pytest.approx(10 / 11)
    assert high.interval == pytest.approx((high.rating - 1.96 * high.error,
                                           high.rating + 1.96 * high.error), abs=0.01)  # fmt: skip


def pool(game: Any, *names: str) -> dict[str, Any]:
    return {name: player_for(name, game) for name in names}


def test_everybody_plays_every_deal_in_every_seat() -> None:
    game = LowestUniqueEnv(rounds=1)
    told: list[tuple[int, int]] = []
    results = round_robin(
        game,
        pool(game, "random", "heuristic"),
        games=7,
        told=lambda done, of: told.append((done, of)),
    )
    lineups = Counter(tuple(sorted(result.players)) for result in results)
    assert lineups == {
        ("heuristic", "random", "random"): 9,
        ("heuristic", "heuristic", "random"): 9,
    }
    for seat in range(3):
        names = Counter(result.players[seat] for result in results)
        assert names == {"random": 9, "heuristic": 9}
    assert told == [(n + 1, 18) for n in range(18)]


def test_the_same_deal_is_played_from_both_sides() -> None:
    game, seen = NimEnv(), list[str]()

    def watch(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        if info["turn"] == 0:
            seen.append(observation)
        return player_for("solver", game)(observation, info, rng)

    round_robin(game, {"a": watch, "b": watch}, games=6, seed=3)
    assert seen[::2] == seen[1::2]
    assert len(set(seen)) > 1


def test_neighbouring_seeds_have_no_deals_in_common() -> None:
    game, seen = LeducPokerEnv(), dict[int, list[Any]]()
    for seed in (0, 1):
        dealt: list[Any] = seen.setdefault(seed, [])

        def watch(
            observation: str, info: dict[str, Any], rng: np.random.Generator, dealt: Any = dealt
        ) -> str:
            dealt.append(game.np_random.bit_generator.state["state"])
            return "\\boxed{call}"

        round_robin(game, {"a": watch, "b": watch}, games=20, seed=seed)
    assert not [state for state in seen[0] if state in seen[1]]


def test_equal_seeds_give_equal_results_and_others_others() -> None:
    game = LeducPokerEnv()
    runs = [
        round_robin(game, pool(game, "random", "solver"), games=10, seed=seed) for seed in (0, 0, 5)
    ]
    assert runs[0] == runs[1] != runs[2]


def test_of_equally_rated_players_the_better_paid_comes_first() -> None:
    large, small = Result(("a", "b"), (-9.0, 9.0)), Result(("a", "b"), (1.0, -1.0))
    assert [each.name for each in rate([large, small])] == ["b", "a"]


def test_the_perfect_player_is_rated_above_the_random_one() -> None:
    game = TicTacToeEnv()
    best, worst = rate(round_robin(game, pool(game, "random", "solver"), games=40))
    assert (best.name, worst.name) == ("solver", "random")
    assert best.interval[0] > worst.interval[1]
    assert best.record["random"].lost == 0


def test_what_cannot_be_rated_is_refused() -> None:
    game = NimEnv()
    with pytest.raises(ConfigError, match="need at least two players to compare, got random"):
        round_robin(game, pool(game, "random"), games=10)
    for few in (0, "5", 2.0):
        with pytest.raises(ConfigError, match=f"games must be an int, at least 1, got {few!r}"):
            round_robin(game, pool(game, "random", "solver"), games=few)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="seed must be an int, at least 0, got -1"):
        round_robin(game, pool(game, "random", "solver"), games=1, seed=-1)
    with pytest.raises(ConfigError, match="games must be an int, at least 1, got True"):
        round_robin(game, pool(game, "random", "solver"), games=True)
    with pytest.raises(ConfigError, match="no results"):
        rate([])


@pytest.mark.parametrize("game", ["gem/Nim-v0", NimEnv, TextParallel(NimEnv())])
def test_only_a_game_in_aec_form_is_rated(game: Any) -> None:
    with pytest.raises(ConfigError, match="game must be a game in AEC form"):
        round_robin(game, pool(NimEnv(), "random", "solver"), games=1)


def test_players_come_with_their_names() -> None:
    with pytest.raises(ConfigError, match=r"pool must be a mapping .*, got \['random', 'solver'\]"):
        round_robin(NimEnv(), ["random", "solver"], games=1)  # type: ignore[arg-type]


def test_numbers_may_be_numpy_s() -> None:
    game = NimEnv()
    two: Any = np.int64(2)
    played = round_robin(game, pool(game, "random", "solver"), games=two, seed=two)
    assert played == round_robin(game, pool(game, "random", "solver"), games=2, seed=2)
