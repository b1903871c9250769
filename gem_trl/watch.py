"""Tells the user, once, of rollouts that teach nothing; stops a run that plays only failures."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from gem_gymnasium import errors
from gem_trl.episode import Episode

logger = logging.getLogger(__name__)

MAX_INVALID_ROLLOUTS = 3
"""Rollouts in a row without a valid episode after which training stops."""


class RolloutWatch:
    """Looks at the episodes of each rollout, those of all processes."""

    def __init__(self) -> None:
        self._told_of_invalid = self._told_of_nothing = False
        self._invalid_in_a_row = 0

    def see(self, episodes: Sequence[Episode], metrics: Mapping[str, float]) -> None:
        """Warn of invalid episodes, and of a rollout that teaches nothing.

        Args:
            episodes: Of one rollout.
            metrics: How they were credited (``credit.Credit``).

        Raises:
            MachineryError: No episode of several rollouts in a row was valid: the env is broken, or
                what it asks is down, and the run would only use up its steps.
        """
        invalid = [episode for episode in episodes if not episode.valid]
        if len(invalid) == len(episodes):
            self._invalid_in_a_row += 1
        else:
            self._invalid_in_a_row = 0
        if invalid:
            self._see_invalid(invalid, len(episodes))
        valid = [episode for episode in episodes if episode.valid]
        why = why_nothing(valid, metrics) if valid else ""
        if why and not self._told_of_nothing:
            self._told_of_nothing = True
            logger.warning(
                "nothing is learned from a rollout: %s. This warning is not repeated; watch "
                "returns/degenerate.",
                why,
            )

    def _see_invalid(self, invalid: Sequence[Episode], count: int) -> None:
        first = invalid[0]
        cause = f"{first.env_id}: {first.stop}: {first.error}"
        if self._invalid_in_a_row >= MAX_INVALID_ROLLOUTS:
            raise errors.MachineryError(
                f"no episode of {self._invalid_in_a_row} rollouts in a row was valid ({cause}): "
                "mend the env, or what it asks, and resume from the last checkpoint"
            )
        if not self._told_of_invalid:
            self._told_of_invalid = True
            logger.warning(
                "%d of %d episodes of a rollout are invalid and masked. The first: %s. This "
                "warning is not repeated; watch rollout/invalid_episodes.",
                len(invalid),
                count,
                cause,
            )


def why_nothing(episodes: Sequence[Episode], metrics: Mapping[str, float]) -> str:
    """Return why valid episodes teach nothing and what may be done; empty if they teach."""
    turns = [turn for episode in episodes for turn in episode.turns]
    if not turns:
        return (
            "no first prompt fitted the context: raise max_context_length, or lower "
            "max_completion_length"
        )
    if not any(turn.trains for turn in turns):
        return (
            "no reply came to its end: raise max_completion_length, or set "
            "truncated_replies='penalize'"
        )
    if metrics["returns/degenerate"] < 1.0:
        return ""
    equal = f"its returns are all equal ({metrics['returns/mean']:.3g})"
    if all(turn.event == "malformed" for turn in turns):
        return (
            f"{equal}, as no reply held a move: look at them with log_completions=True; give "
            "longer replies room (max_completion_length), or warm the model up on well-formed ones"
        )
    return equal
