"""check_text_env: the conformance suite for text environments, this package's and yours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from gem_gymnasium.core.errors import ConfigError, ConformanceError, UnknownName
from gem_gymnasium.testing import promises
from gem_gymnasium.testing.hostile import HOSTILE_STRINGS
from gem_gymnasium.testing.hostile_check import check_hostile
from gem_gymnasium.testing.script import EnvFn, Suite

CHECKS: Mapping[str, Callable[[Suite], None]] = {
    "gymnasium": promises.check_gymnasium,
    "steps": promises.check_steps,
    "wording": promises.check_wording,
    "outside": promises.check_outside,
    "global_rng": promises.check_global_rng,
    "legal_actions": promises.check_legal_actions,
    "determinism": promises.check_determinism,
    "hostile": check_hostile,
    "snapshot": promises.check_snapshot,
    "copies": promises.check_copies,
    "close": promises.check_close,
    "kwargs": promises.check_kwargs,
}
"""The promises, in the order they are checked."""


def check_text_env(
    env_fn: EnvFn,
    *,
    seeds: Iterable[int] = (0, 1, 2),
    steps: int = 20,
    hostile: Iterable[str] = HOSTILE_STRINGS,
    step_limit_s: float = 0.05,
    skip: Collection[str] = (),
) -> None:
    """Check that a text env keeps every promise of the contract.

    The promises: gymnasium's ``check_env`` passes without a warning; ``info`` has the keys of
    ``INFO_TYPES``, the same keys and types after every call, and no shared objects; events are
    of the env's ``events``; an observation is feedback, then view; turns count; never both end
    flags; same seed and actions give the same bytes; the global generators are left alone; no
    reply raises or takes long; a step outside an episode raises; a snapshot (if
    ``metadata["snapshot"]``), a pickle and a deep copy continue as the original does; ``close`` is
    idempotent; ``sample_legal_action`` is legal; unknown arguments are refused.

    For instance ``check_text_env(lambda: gymnasium.make("gem/Sudoku-v0"))`` or
    ``check_text_env(MyEnv)``; with a made env, every render mode is tried too.

    Args:
        env_fn: Builds the env; called many times.
        seeds: Seeds of the episodes that are played.
        steps: Steps that are played with each seed.
        hostile: Replies that must neither raise nor take long.
        step_limit_s: CPU seconds that a step may take on one of them (the best of three tries).
        skip: Names of checks to leave out, such as ``"wording"`` under a wrapper that adds to the
            observation.

    Raises:
        ConformanceError: A promise is broken; the message says which, and how to mend it.
        UnknownName: ``skip`` names no check.
        ConfigError: ``env_fn`` is no function, ``seeds`` is empty or ``steps`` is not positive.
    """
    if not callable(env_fn):  # an env or an id, likely
        raise ConfigError(
            "env_fn must be a function that builds the env, such as lambda: gymnasium.make(ID), "
            f"got {env_fn!r}"
        )
    for name in skip:
        if name not in CHECKS:
            raise UnknownName("check", name, CHECKS)
    suite = Suite(env_fn, tuple(seeds), steps, tuple(hostile), step_limit_s)
    if not suite.seeds or steps < 1:
        raise ConfigError(f"need a seed and a step at least, got {suite.seeds} and {steps}")
    for name, check in CHECKS.items():
        if name not in skip:
            try:
                check(suite)
            except ConformanceError as error:
                raise ConformanceError(f"[{name}] {error}") from error
