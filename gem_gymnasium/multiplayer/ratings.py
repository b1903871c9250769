"""Ratings over a pool: everybody plays everybody in every seat, and a model of who beats whom.

The model is Bradley and Terry's ("Rank Analysis of Incomplete Block Designs", 1952): the chance
that i beats j is ``1 / (1 + exp(r_j - r_i))``, and a draw counts as half a win. Ratings are given
on Elo's scale: 400 points are odds of ten to one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement, permutations
from math import log
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError, MachineryError
from gem_gymnasium.core.intervals import Z95
from gem_gymnasium.multiplayer.aec_base import AECBase, check_game, is_whole
from gem_gymnasium.multiplayer.players.base import Game, Player, ask, check_player

ELO = 400.0 / log(10.0)
"""Points of a natural unit of odds."""

PRIOR_GAMES = 1.0
"""Drawn games that each player is taken to have had against one whose rating is 0.

Without them who always wins would be infinitely good, and players whom no game connects could not
be compared. They draw every rating a little to the middle, the less the more games there are.
"""

SAME = 1e-9
STEPS = 100
LONGEST = 1.0
"""Of a step of Newton's method: further away its quadratic is no guide."""

Array = npt.NDArray[np.float64]


class Result(NamedTuple):
    """One game."""

    players: tuple[str, ...]
    """Who sat in each seat."""
    rewards: tuple[float, ...]
    """What each seat was paid in all."""


class Rating(NamedTuple):
    """What the results say of a player."""

    name: str
    rating: float
    """In points; the mean of the pool is 0."""
    error: float
    """The standard error of the rating."""
    games: int
    reward: float
    """The mean of a game, a mean of its seats where it had several."""
    record: Mapping[str, Score]
    """How it did against each other player."""

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the rating."""
        return self.rating - Z95 * self.error, self.rating + Z95 * self.error


class Score(NamedTuple):
    """Comparisons of a player's reward with another's in the games that both sat in."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def share(self) -> float:
        """Return the share won, a draw as half; nan where they never met."""
        played = self.won + self.drawn + self.lost
        return (self.won + self.drawn / 2) / played if played else float("nan")

    def plus(self, other: Score) -> Score:
        """Return both together."""
        return Score(*(a + b for a, b in zip(self, other, strict=True)))


def one_score(ahead: float) -> Score:
    """Return the score of one comparison, by how much more the player got.

    Rewards of many turns are sums of floats: what differs less than ``SAME`` is a draw.
    """
    return Score(int(ahead > SAME), int(abs(ahead) <= SAME), int(ahead < -SAME))


# -- playing ----------------------------------------------------------------------------------


def play_game(
    game: Game, players: Sequence[Player], seed: int, rng: np.random.Generator
) -> tuple[float, ...]:
    """Play a game to its end; return what each seat was paid.

    Args:
        game: What is played.
        players: One a seat.
        seed: Of the game.
        rng: Where the players' chance comes from.

    Raises:
        MachineryError: A game of TextArena failed.
    """
    game.reset(seed=seed)
    paid = dict.fromkeys(game.possible_agents, 0.0)
    while not any(game.terminations.values()) and not any(game.truncations.values()):
        agent = game.agent_selection
        player = players[game.possible_agents.index(agent)]
        game.step(ask(player, game, rng))
        for each, reward in game.rewards.items():
            paid[each] += reward
    for info in game.infos.values():
        if not info["valid"]:
            raise MachineryError(f"game {seed} of {game} failed: {info['error']}")
    return tuple(paid.values())


def round_robin(
    game: Game,
    pool: Mapping[str, Player],
    *,
    games: int,
    seed: int = 0,
    told: Callable[[int, int], object] | None = None,
) -> list[Result]:
    """Let every line-up of the pool play, each of its players in every seat.

    A line-up is one player a seat, at least two different ones: a pair in a game of two. The same
    deal is played as often as there are seats, and each time everybody moves up by one, so that
    luck is the same for all.

    Args:
        game: What is played: a game of ours, or one of TextArena's.
        pool: The players by their names.
        games: Of each line-up; made a multiple of the number of seats.
        seed: Of all deals and of the players' chance.
        told: Called with the games played so far and in all.

    Raises:
        ConfigError: There are fewer than two players, or fewer games than one, or seed is negative;
            a player is none, or its reply no text; the game is none.
        MachineryError: A game of TextArena failed.
    """
    check_game(game, AECBase)
    if not isinstance(pool, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] # users err
        raise ConfigError(f"pool must be a mapping of names to players, got {pool!r}")
    if len(pool) < 2:
        raise ConfigError(f"need at least two players to compare, got {', '.join(pool) or 'none'}")
    for name, value, least in (("games", games, 1), ("seed", seed, 0)):
        if not is_whole(value) or value < least:
            raise ConfigError(f"{name} must be an int, at least {least}, got {value!r}")
    games, seed = int(games), int(seed)
    for player in pool.values():
        check_player(player)
    seats = len(game.possible_agents)
    lineups = [each for each in combinations_with_replacement(pool, seats) if len(set(each)) > 1]
    plan = [
        (deal, lineup, turn)
        for lineup in range(len(lineups))
        for deal in range(-(-games // seats))
        for turn in range(seats)
    ]
    played: list[Result] = []
    for deal, lineup, turn in plan:
        seated = lineups[lineup][turn:] + lineups[lineup][:turn]
        # Not seed + deal: two seeds would have most deals in common.
        dealt = int(np.random.SeedSequence([seed, deal]).generate_state(1)[0])
        rng = np.random.default_rng([seed, deal, lineup, turn])
        players = [pool[name] for name in seated]
        played.append(Result(seated, play_game(game, players, dealt, rng)))
        if told is not None:
            told(len(played), len(plan))
    return played


# -- rating -----------------------------------------------------------------------------------


def rate(results: Sequence[Result]) -> list[Rating]:
    """Return the ratings of all who played, the best first; of equal ones the better paid.

    In a game of more than two, each pair of seats is compared, and the comparisons of a game count
    together as much as its ranking has places to decide: the number of seats less 1. Seats of the
    same player are not compared. The rating is the mode of the posterior with
    :data:`PRIOR_GAMES`, its error the curvature there, as if games were independent; playing each
    deal from all seats makes them rather more exact than that.

    Raises:
        ConfigError: There are no results.
    """
    names = list(dict.fromkeys(name for result in results for name in result.players))
    if not names:
        raise ConfigError("there are no results to rate")
    wins = np.zeros((len(names), len(names)))
    scores: dict[tuple[str, str], Score] = {}
    for players, rewards in results:
        seats = list(zip(players, rewards, strict=True))
        for (own, reward), (other, theirs) in permutations(seats, 2):
            if own == other:
                continue
            score = one_score(reward - theirs)
            wins[names.index(own), names.index(other)] += score.share * 2.0 / len(players)
            scores[own, other] = scores.get((own, other), Score()).plus(score)
    rated = [
        Rating(
            name,
            ELO * float(strength),
            ELO * float(error),
            sum(name in players for players, _ in results),
            fmean(
                reward
                for players, rewards in results
                for each, reward in zip(players, rewards, strict=True)
                if each == name
            ),
            {other: scores[name, other] for other in names if (name, other) in scores},
        )
        for name, strength, error in zip(names, *fit(wins), strict=True)
    ]
    return sorted(rated, key=lambda each: (-round(each.rating, 6), -each.reward))


def fit(wins: Array) -> tuple[Array, Array]:
    """Return the ratings, in natural units and with the mean 0, and their standard errors.

    By Newton's method on the log-posterior, which is concave and has one mode.

    Args:
        wins: How often each player (row) has beaten each other one, draws as half.
    """
    players = len(wins)
    games, curvature = wins + wins.T, np.eye(players)
    rating: Array = np.zeros(players)
    for _ in range(STEPS):
        chances = 1.0 / (1.0 + np.exp(rating[None] - rating[:, None]))
        middle = 1.0 / (1.0 + np.exp(-rating))
        slope = (wins - games * chances).sum(axis=1) + PRIOR_GAMES * (0.5 - middle)
        shared = games * chances * (1.0 - chances)
        own = shared.sum(axis=1) + PRIOR_GAMES * middle * (1.0 - middle)
        curvature = np.diag(own) - shared
        step = np.asarray(np.linalg.solve(curvature, slope), np.float64)
        rating = rating + step * min(1.0, LONGEST / max(float(abs(step).max()), 1e-12))
        if abs(step).max() < 1e-10:
            break
    centered = np.eye(players) - 1.0 / players
    covariance = centered @ np.asarray(np.linalg.inv(curvature), np.float64) @ centered
    return rating - rating.mean(), np.sqrt(np.diag(covariance))
