"""Mixtures of environments: which episodes are of which kind, and how many envs each kind gets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from gem_gymnasium import errors


def parse(source: Sequence[str] | Sequence[tuple[str, float]]) -> tuple[list[str], list[float]]:
    """Return the ids and the weights of a list of ids, or of pairs of id and weight.

    Raises:
        ConfigError: The list is empty, an entry is neither, a weight is not above 0, or an id is
            there twice.
    """
    ids: list[str] = []
    weights: list[float] = []
    for entry in cast("Sequence[object]", source):
        pair = (entry, 1.0) if isinstance(entry, str) else entry
        if not isinstance(pair, tuple | list) or len(cast("Sequence[object]", pair)) != 2:
            raise errors.ConfigError(f"env lists ids, or pairs of id and weight; got {entry!r}")
        id, weight = cast("tuple[object, object]", tuple(cast("Sequence[object]", pair)))
        if not isinstance(id, str) or not isinstance(weight, int | float):
            raise errors.ConfigError(f"env lists ids, or pairs of id and weight; got {entry!r}")
        if not (weight > 0 and math.isfinite(weight)):
            raise errors.ConfigError(f"the weight of {id} must be above 0, got {weight}")
        ids.append(id)
        weights.append(float(weight))
    if not ids:
        raise errors.ConfigError("env is an empty list: give at least one id")
    twice = {id for id in ids if ids.count(id) > 1}
    if twice:
        raise errors.ConfigError(f"env lists {', '.join(sorted(twice))} twice: give it a weight")
    return ids, weights


def apportion(total: int, weights: Sequence[float]) -> list[int]:
    """Share out ``total`` things in proportion to weights, at least one each.

    By largest remainders.

    Raises:
        ConfigError: There are more weights than things.
    """
    if len(weights) > total:
        raise errors.ConfigError(
            f"{len(weights)} kinds of env need at least as many envs, got {total} "
            "(num_envs, or eval_episodes if fewer)"
        )
    exact = np.array(weights, np.float64) / sum(weights) * (total - len(weights))
    shares = np.floor(exact).astype(np.int64)
    rest = total - len(weights) - int(shares.sum())
    shares[np.argsort(shares - exact, kind="stable")[:rest]] += 1
    return (shares + 1).tolist()


def draw_kinds(count: int, weights: Sequence[float], rng: np.random.Generator) -> list[int]:
    """Draw the kind of each of ``count`` episodes, in shares as near to the weights as can be.

    Systematic sampling: each kind's number is its exact share rounded down or up, and the exact
    share on average. The order is random.
    """
    edges = np.cumsum(weights) / sum(weights)
    points = (np.arange(count) + rng.random()) / max(count, 1)
    kinds = np.searchsorted(edges, points, side="right").clip(max=len(weights) - 1)
    return rng.permutation(kinds).tolist()
