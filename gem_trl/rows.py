"""From episodes to training rows, and from rows to the parts that optimizer steps take."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gem_trl.advantages import Normalized
from gem_trl.episode import Episode
from gem_trl.returns import discounted_returns

Array = npt.NDArray[np.float64]


@dataclass(slots=True, kw_only=True)
class Row:
    """One training row: a prompt, its reply, and the advantage of the reply.

    ``trains`` is False for rows that weigh nothing: replies to be masked, turns of invalid
    episodes, and filler that evens out the micro-batches of several processes.
    """

    prompt_ids: tuple[int, ...]
    reply_ids: tuple[int, ...]
    advantage: float
    reward: float = 0.0
    trains: bool = True
    episode: int = -1
    """Its episode's number in the rollout; -1 for none, which no other row shares."""
    old_log_probs: tuple[float, ...] | None = None
    reference_log_probs: tuple[float, ...] | None = None

    @property
    def length(self) -> int:
        """Tokens of prompt and reply."""
        return len(self.prompt_ids) + len(self.reply_ids)


def rows_of(
    episodes: Sequence[Episode],
    gamma: float,
    estimate: Callable[[Array, Array], Normalized],
    gather: Callable[[list[float]], list[float]] = list,
) -> tuple[list[Row], Normalized]:
    """Return one row a turn, credited with its own return, and the returns' statistics.

    Turns that do not train (of invalid episodes, or masked) count in no statistic and get
    advantage 0.

    Args:
        episodes: The episodes of this process.
        gamma: Discount per turn.
        estimate: From ``advantages.ESTIMATORS``.
        gather: Concatenates the returns of every process; by default there is one.
    """
    returns = [discounted_returns(episode.rewards, gamma).tolist() for episode in episodes]
    counted = [
        value
        for episode, values in zip(episodes, returns, strict=True)
        for turn, value in zip(episode.turns, values, strict=True)
        if episode.valid and turn.trains
    ]
    estimated = estimate(np.array(counted, np.float64), np.array(gather(counted), np.float64))
    advantages = iter(estimated.advantages.tolist())
    return _rows(episodes, lambda _: next(advantages)), estimated


def grouped_rows_of(
    episodes: Sequence[Episode],
    group_size: int,
    estimate: Callable[[Array, int], Array],
    gather: Callable[[list[float]], list[float]] = list,
) -> tuple[list[Row], Normalized]:
    """Return one row a turn, credited with its whole episode's return within the group.

    Args:
        episodes: The episodes of this process, groups of neighbours.
        group_size: Episodes a group; divides their number.
        estimate: From ``advantages.GROUPED``.
        gather: Concatenates the returns of every process, for the statistics.

    Returns:
        The rows, and the mean and standard deviation of the valid episodes' undiscounted returns.
    """
    totals = [episode.total_reward if episode.valid else math.nan for episode in episodes]
    advantages = estimate(np.array(totals, np.float64), group_size)
    everyone = np.array(gather([total for total in totals if math.isfinite(total)]), np.float64)
    some = everyone.size > 0
    statistics = Normalized(
        advantages,
        float(everyone.mean()) if some else 0.0,
        float(everyone.std()) if some else 0.0,
        not any(gather(advantages.tolist())),
    )
    return _rows(episodes, lambda number: float(advantages[number])), statistics


def _rows(episodes: Sequence[Episode], advantage_of: Callable[[int], float]) -> list[Row]:
    """Return one row a turn; ``advantage_of`` is asked once for each turn that trains, in order."""
    rows: list[Row] = []
    for number, episode in enumerate(episodes):
        for turn in episode.turns:
            trains = episode.valid and turn.trains
            rows.append(
                Row(
                    prompt_ids=turn.prompt_ids,
                    reply_ids=turn.reply_ids,
                    advantage=advantage_of(number) if trains else 0.0,
                    reward=turn.reward,
                    trains=trains,
                    episode=number,
                )
            )
    return rows


def filler(like: Row) -> Row:
    """Return a row of the shape of ``like`` that weighs nothing."""
    return Row(
        prompt_ids=like.prompt_ids[-1:],
        reply_ids=like.reply_ids[-1:],
        advantage=0.0,
        trains=False,
        old_log_probs=None if like.old_log_probs is None else (0.0,),
        reference_log_probs=None if like.reference_log_probs is None else (0.0,),
    )


def empty_row(*, with_reference: bool) -> Row:
    """Return a row that weighs nothing, for a process that has none to be like."""
    return Row(
        prompt_ids=(0,),
        reply_ids=(0,),
        advantage=0.0,
        trains=False,
        reference_log_probs=(0.0,) if with_reference else None,
    )


def mini_batches(rows: Sequence[Row], count: int, rng: np.random.Generator) -> Iterator[list[Row]]:
    """Yield the rows, shuffled, in ``count`` parts whose sizes differ by one at most."""
    order = rng.permutation(len(rows))
    for part in np.array_split(order, count):
        yield [rows[int(i)] for i in part]


def chains(rows: Sequence[Row]) -> list[list[int]]:
    """Return the places of rows in groups that one pass over the last row's tokens can serve.

    In a group, the prompt of each row begins with the prompt and the reply of the row before. That
    is so in a chat that only grows (``history="messages"``); otherwise every row is a group.
    """
    episodes: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        episodes.setdefault(row.episode if row.episode >= 0 else -1 - i, []).append(i)
    groups: list[list[int]] = []
    for places in episodes.values():
        seen: tuple[int, ...] = ()
        for i in sorted(places, key=lambda i: len(rows[i].prompt_ids)):
            prompt = rows[i].prompt_ids
            if seen and prompt[: len(seen)] == seen:
                groups[-1].append(i)
            else:
                groups.append([i])
            seen = prompt + rows[i].reply_ids
    return groups


def micro_batches(rows: Sequence[Row], size: int) -> list[list[Row]]:
    """Split rows into batches of at most ``size`` chains, those of like length together."""
    order = sorted(chains(rows), key=lambda places: rows[places[-1]].length)
    return [
        [rows[i] for places in order[start : start + size] for i in places]
        for start in range(0, len(order), size)
    ]
