"""Training rows, and the parts of them that optimizer steps and forward passes take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


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
    sampler_log_probs: tuple[float, ...] | None = None
    old_log_probs: tuple[float, ...] | None = None
    reference_log_probs: tuple[float, ...] | None = None
    value: float | None = None
    """What the critic said of the prompt, if there is one."""
    value_target: float | None = None
    """What it should have said."""

    @property
    def length(self) -> int:
        """Tokens of prompt and reply."""
        return len(self.prompt_ids) + len(self.reply_ids)


def filler(like: Row) -> Row:
    """Return a row of the shape of ``like`` that weighs nothing."""
    return Row(
        prompt_ids=like.prompt_ids[-1:],
        reply_ids=like.reply_ids[-1:],
        advantage=0.0,
        trains=False,
        sampler_log_probs=None if like.sampler_log_probs is None else (0.0,),
        old_log_probs=None if like.old_log_probs is None else (0.0,),
        reference_log_probs=None if like.reference_log_probs is None else (0.0,),
        value=like.value,
        value_target=like.value_target,
    )


def empty_row(*, with_reference: bool, with_value: bool) -> Row:
    """Return a row that weighs nothing, for a process that has none to be like."""
    return Row(
        prompt_ids=(0,),
        reply_ids=(0,),
        advantage=0.0,
        trains=False,
        reference_log_probs=(0.0,) if with_reference else None,
        value=0.0 if with_value else None,
        value_target=0.0 if with_value else None,
    )


class Share(NamedTuple):
    """A process's share of a mini-batch, and the size of the whole over all processes."""

    parts: list[list[Row]]
    """Micro-batches, as many on every process."""
    rows: int
    tokens: int
    """Of the replies."""


def share_of(
    rows: Sequence[Row], size: int, gather: Callable[[list[Any]], list[Any]], empty: Row
) -> Share:
    """Split this process's rows into micro-batches, evened out with filler. A collective call.

    Args:
        rows: Of this process.
        size: Chains a micro-batch.
        gather: Concatenates the lists of every process.
        empty: The filler where this process has no row to be like.
    """
    parts = micro_batches(rows, size)
    sizes = gather([(len(parts), len(rows), sum(len(row.reply_ids) for row in rows))])
    spare = filler(rows[0]) if rows else empty
    parts += [[spare]] * (max(1, *(size[0] for size in sizes)) - len(parts))
    return Share(parts, sum(size[1] for size in sizes), sum(size[2] for size in sizes))


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
