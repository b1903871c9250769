"""What a rollout records: turns and episodes, frozen."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One (prompt, reply) pair, the very token ids that were fed and sampled.

    ``reply_ids`` end with the end-of-sequence token where ``finished``. ``trains`` is False for a
    row that must not reach the loss (an unfinished reply under ``truncated_replies="mask"``, or one
    whose sampler gave not-a-number). ``log_probs``, the sampler's own, are there where it is not
    the training model itself.
    """

    prompt_ids: tuple[int, ...]
    reply_ids: tuple[int, ...]
    reward: float
    log_probs: tuple[float, ...] | None = None
    finished: bool = True
    trains: bool = True
    legal: bool = True
    event: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One episode, played to its end.

    ``terminated``: the rules ended it; ``truncated``: someone outside did, and ``stop`` says who
    (``context``: the next prompt was too long). An episode that is not ``valid`` (the machinery
    failed, and ``error`` says how) is masked in training. ``final_prompt_ids`` encode the last
    observation, which no reply followed; empty where it did not fit the context. A game that the
    policy plays with itself is an episode for each ``seat``.
    """

    env_id: str
    seed: int
    turns: tuple[Turn, ...]
    terminated: bool
    truncated: bool
    success: bool = False
    valid: bool = True
    stop: str = ""
    error: str = ""
    final_prompt_ids: tuple[int, ...] = field(default=())
    seat: int = 0

    @property
    def total_reward(self) -> float:
        """The undiscounted return."""
        return sum(turn.reward for turn in self.turns)

    @property
    def rewards(self) -> tuple[float, ...]:
        """The reward of each turn."""
        return tuple(turn.reward for turn in self.turns)
