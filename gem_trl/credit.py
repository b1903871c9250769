"""Credit: from the episodes of a rollout to training rows with advantages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gem_trl.advantages import ESTIMATORS, GROUPED, no_spread
from gem_trl.episode import Episode
from gem_trl.returns import discounted_returns, gae
from gem_trl.rows import Row

Array = npt.NDArray[np.float64]
Gather = Callable[[list[Any]], list[Any]]
"""Concatenates the lists of every process."""

Scope = tuple[str, int]
"""An env id and a seat."""


class Credit(NamedTuple):
    """One row a turn, in order, and what the credit looked like over all processes."""

    rows: list[Row]
    metrics: dict[str, float]


class Values(NamedTuple):
    """What a critic says of an episode: of each turn's prompt, and of the state behind the last.

    ``final`` is 0 where nothing may be bootstrapped (see :func:`bootstraps`).
    """

    turns: tuple[float, ...]
    final: float


def bootstraps(episode: Episode) -> bool:
    """Return whether rewards would have followed the last turn, in a state that can be valued.

    An episode that terminated has none to come. One that was cut off has, unless the machinery
    failed or its next prompt does not fit the context.
    """
    cut_off = episode.valid and not episode.terminated and episode.stop != "context"
    return cut_off and bool(episode.final_prompt_ids)


def by_turn(
    episodes: Sequence[Episode],
    estimator: str,
    gamma: float,
    *,
    scope: str = "batch",
    gather: Gather = list,
) -> Credit:
    """Credit each turn with its own discounted return.

    Turns that do not train (of invalid episodes, or masked) count in no statistic and get
    advantage 0.

    Args:
        episodes: The episodes of this process.
        estimator: A key of ``advantages.ESTIMATORS``.
        gamma: Discount per turn.
        scope: What the estimator sees together: the returns of the whole ``batch``, of each
            ``env`` id, or of each ``role``, a seat of an env.
        gather: Concatenates the returns of every process; by default there is one.
    """
    returns = [discounted_returns(episode.rewards, gamma).tolist() for episode in episodes]
    return _normalized(episodes, returns, estimator, scope, gather)


def by_gae(
    episodes: Sequence[Episode],
    values: Sequence[Values],
    gamma: float,
    lam: float,
    *,
    scope: str = "batch",
    gather: Gather = list,
) -> Credit:
    """Credit each turn with its generalised advantage, normalised over the batch as in PPO.

    Args:
        episodes: The episodes of this process.
        values: What the critic says of each.
        gamma: Discount per turn.
        lam: GAE's lambda, between one step (0) and Monte Carlo (1).
        scope: What is normalised together: the whole ``batch``, each ``env`` id, or each ``role``.
        gather: Concatenates the lists of every process; by default there is one.

    Returns:
        Rows that hold the critic's value and what it should have been (the lambda-return), and in
        the metrics the share of the returns' variance that the values explain.
    """
    raw = [
        gae(episode.rewards, value.turns, value.final, gamma, lam)
        for episode, value in zip(episodes, values, strict=True)
    ]
    credit = _normalized(episodes, [a.tolist() for a in raw], "rebn", scope, gather)
    returns = [
        gae(episode.rewards, value.turns, value.final, gamma, 1.0) + np.array(value.turns)
        for episode, value in zip(episodes, values, strict=True)
    ]
    flat = zip(
        credit.rows,
        (v for value in values for v in value.turns),
        (a for advantages in raw for a in advantages.tolist()),
        (g for some in returns for g in some.tolist()),
        strict=True,
    )
    pairs: list[tuple[float, float]] = []
    for row, value, advantage, gained in flat:
        row.value, row.value_target = value, value + advantage
        if row.trains:
            pairs.append((gained, value))
    table = np.array(gather(pairs), np.float64).reshape(-1, 2)
    metrics = {"explained_variance": explained_variance(table[:, 0], table[:, 1])}
    if table.size:
        spread = {
            "returns/mean": float(table[:, 0].mean()),
            "returns/std": float(table[:, 0].std()),
            "values/mean": float(table[:, 1].mean()),
        }
        metrics |= spread
    return Credit(credit.rows, {**credit.metrics, **metrics})


def by_group(
    episodes: Sequence[Episode], estimator: str, group_size: int, *, gather: Gather = list
) -> Credit:
    """Credit each turn with its whole episode's return, compared within the group.

    Args:
        episodes: The episodes of this process, groups of neighbours.
        estimator: A key of ``advantages.GROUPED``.
        group_size: Episodes a group; divides their number.
        gather: Concatenates the lists of every process, for the statistics.

    Returns:
        The rows, and in the metrics the share of groups without any signal.
    """
    totals = [episode.total_reward if episode.valid else math.nan for episode in episodes]
    advantages = GROUPED[estimator](np.array(totals, np.float64), group_size)
    everyone = np.array(gather([total for total in totals if math.isfinite(total)]), np.float64)
    dead = gather([float(not group.any()) for group in advantages.reshape(-1, group_size)])
    share = float(np.mean(dead)) if dead else 1.0
    metrics = {**_spread(everyone, float(share == 1.0)), "rollout/dead_groups": share}
    repeated = (
        float(advantage)
        for episode, advantage in zip(episodes, advantages, strict=True)
        for turn in episode.turns
        if episode.valid and turn.trains
    )
    return Credit(_rows(episodes, repeated), metrics)


def subsample(episodes: Sequence[Episode], count: int, rng: np.random.Generator) -> list[Episode]:
    """Return the episodes with ``count`` of their turns, drawn at random, left to train.

    The other turns still pay into the returns of those before them, and count nowhere else.

    Args:
        episodes: Whole episodes.
        count: How many turns to keep; all, if there are no more.
        rng: Draws without replacement.
    """
    places = [
        (number, t)
        for number, episode in enumerate(episodes)
        if episode.valid
        for t, turn in enumerate(episode.turns)
        if turn.trains
    ]
    dropped: dict[int, set[int]] = {}
    for i in rng.permutation(len(places))[count:]:
        number, t = places[int(i)]
        dropped.setdefault(number, set()).add(t)
    return [
        replace(
            episode,
            turns=tuple(
                replace(turn, trains=False) if t in dropped[number] else turn
                for t, turn in enumerate(episode.turns)
            ),
        )
        if number in dropped
        else episode
        for number, episode in enumerate(episodes)
    ]


def explained_variance(returns: Array, values: Array) -> float:
    """Return ``1 - Var(G - V) / Var(G)``: 1 for a perfect critic, 0 for a constant one.

    0 as well where the returns have no spread, so that nothing is to be explained.
    """
    if not returns.size or no_spread(float(returns.mean()), float(returns.std())):
        return 0.0
    return 1.0 - float((returns - values).var() / returns.var())


def _normalized(
    episodes: Sequence[Episode],
    values: Sequence[Sequence[float]],
    estimator: str,
    scope: str,
    gather: Gather,
) -> Credit:
    """Return rows whose advantages an estimator of single turns makes of one value a turn."""
    counted = [
        (_scope_of(episode, scope), value)
        for episode, some in zip(episodes, values, strict=True)
        for turn, value in zip(episode.turns, some, strict=True)
        if episode.valid and turn.trains
    ]
    everyone = gather(counted)
    advantages: dict[Scope, Iterator[float]] = {}
    degenerate: list[float] = []
    for key in sorted({key for key, _ in everyone}):
        estimated = ESTIMATORS[estimator](_of(counted, key), _of(everyone, key))
        advantages[key] = iter(estimated.advantages.tolist())
        degenerate.append(float(estimated.degenerate))
    in_order = (next(advantages[key]) for key, _ in counted)
    spread = _spread(
        np.array([value for _, value in everyone], np.float64),
        float(np.mean(degenerate)) if degenerate else 1.0,
    )
    return Credit(_rows(episodes, in_order), spread)


def _scope_of(episode: Episode, scope: str) -> Scope:
    """Return what an episode's returns are compared within."""
    return ("" if scope == "batch" else episode.env_id, episode.seat if scope == "role" else 0)


def _of(pairs: Sequence[tuple[Scope, float]], scope: Scope) -> Array:
    return np.array([value for key, value in pairs if key == scope], np.float64)


def _spread(returns: Array, degenerate: float) -> dict[str, float]:
    """Return the metrics of a set of returns, and the share of it that teaches nothing."""
    return {
        "returns/mean": float(returns.mean()) if returns.size else 0.0,
        "returns/std": float(returns.std()) if returns.size else 0.0,
        "returns/degenerate": degenerate,
    }


def _rows(episodes: Sequence[Episode], advantages: Iterable[float]) -> list[Row]:
    """Return one row a turn; there is an advantage for each turn that trains, in order."""
    following = iter(advantages)
    rows: list[Row] = []
    for number, episode in enumerate(episodes):
        for turn in episode.turns:
            trains = episode.valid and turn.trains
            rows.append(
                Row(
                    prompt_ids=turn.prompt_ids,
                    reply_ids=turn.reply_ids,
                    advantage=next(following) if trains else 0.0,
                    reward=turn.reward,
                    trains=trains,
                    episode=number,
                    sampler_log_probs=turn.log_probs,
                )
            )
    return rows
