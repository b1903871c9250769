"""The checks of the suite, but for hostile replies: one function a promise."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env, data_equivalence

from gem_gymnasium.core.errors import SnapshotUnsupported
from gem_gymnasium.core.snapshot import restore, snapshot
from gem_gymnasium.core.text_env import MALFORMED
from gem_gymnasium.testing.script import (
    Actor,
    AnyEnv,
    Step,
    Suite,
    broken,
    record,
    replay,
    require_same,
    reset,
    text_of,
)
from gem_gymnasium.testing.watch import Watch
from gem_gymnasium.wrappers import History

_OWN_RNG = (
    "draw only from self.np_random, start reset with super().reset(seed=seed), and keep nothing "
    "that changes outside the instance"
)


def check_gymnasium(suite: Suite) -> None:
    """Run gymnasium's own ``check_env`` on the bare env, with warnings as errors."""
    env = suite.env_fn()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("error")
            # Other render modes can be tried only where the env knows how it was made.
            check_env(env.unwrapped, skip_render_check=env.unwrapped.spec is None)
    except Exception as error:
        raise broken(
            f"gymnasium's check_env refuses the env: {type(error).__name__}: {error}",
            "see gymnasium.utils.env_checker.check_env, which says what it wants; texts are in "
            "gem_gymnasium.UnicodeText() (gymnasium's Text holds letters and digits only)",
        ) from error
    env.close()


def check_steps(suite: Suite) -> None:
    """Watch every call of some episodes: see :class:`~gem_gymnasium.testing.watch.Watch`."""
    for seed in suite.seeds:
        env = suite.env_fn()
        script, transcript = record(env, seed, suite.steps)
        watch = Watch(env)
        watch.reset(transcript[0])
        for action, step in zip(script, transcript[1:], strict=True):
            if action is None:
                watch.reset(step)
            else:
                watch.step(step, action)
        env.close()


def check_wording(suite: Suite) -> None:
    """An observation is the feedback (at reset the rules), then the view."""
    for seed in suite.seeds:
        env = suite.env_fn()
        script, transcript = record(env, seed, suite.steps)
        env.close()
        for action, step in zip([None, *script], transcript, strict=True):
            text, feedback, view = text_of(step.observation), *_wording(step)
            if not text.endswith(view):
                raise broken(
                    f"the observation {text[-200:]!r} does not end with info['view'] {view!r}",
                    "compose it as feedback + view (skip=['wording'] under a wrapper that adds)",
                )
            if action is not None and not text.startswith(feedback):
                raise broken(
                    f"the observation {text[:200]!r} does not start with info['feedback'] "
                    f"{feedback!r}",
                    "compose it as feedback + view (skip=['wording'] under a wrapper that adds)",
                )


def _wording(step: Step) -> tuple[str, str]:
    return step.info["feedback"], step.info["view"]


def check_determinism(suite: Suite) -> None:
    """Same seed and actions give the same bytes: again, anew, and beside another env."""
    for seed in suite.seeds:
        first, second = suite.env_fn(), suite.env_fn()
        script, transcript = record(first, seed, suite.steps)
        same = f"seed {seed} and the same actions give other results"
        require_same(transcript, replay(second, script, seed), f"{same} in another env", _OWN_RNG)
        require_same(transcript, replay(first, script, seed), f"{same} the second time", _OWN_RNG)
        other_script, _ = record(second, seed + 1, suite.steps)
        beside = [reset(first, seed)]
        reset(second, seed + 1)
        for action, other in zip(script, other_script, strict=True):
            beside += replay(first, [action])
            replay(second, [other])
        require_same(transcript, beside, f"{same} while another env is played", _OWN_RNG)
        first.close()
        second.close()


def check_global_rng(suite: Suite) -> None:
    """Nothing draws from, or seeds, the generators of ``random`` and ``numpy.random``."""
    saved = _global_states()
    try:
        # States that no env leaves behind: seeding with a constant would go unseen otherwise.
        random.seed(0xC0FFEE)
        np.random.seed(0xC0FFEE)  # noqa: NPY002 - the global generator is what is checked
        before = _global_states()
        for seed in suite.seeds:
            env = suite.env_fn()
            record(env, seed, suite.steps)
            env.close()
        after = _global_states()
    finally:
        random.setstate(saved["random"])
        np.random.set_state(saved["numpy.random"])  # noqa: NPY002
    for name, state in before.items():
        if not data_equivalence(state, after[name], exact=True):
            raise broken(f"the env uses the global generator of {name}", _OWN_RNG)


def _global_states() -> dict[str, Any]:
    numpy_state = np.random.get_state(legacy=False)  # noqa: NPY002
    return {"random": random.getstate(), "numpy.random": numpy_state}


def check_outside(suite: Suite) -> None:
    """A step before the first reset, or after the end, raises."""
    mend = "raise gymnasium.error.ResetNeeded (or gem_gymnasium.errors.StepOutsideEpisode)"
    env = suite.env_fn()
    for layer in (env, env.unwrapped):
        if not _raises(layer.step, lambda: ""):
            raise broken("step() on a never-reset env does not raise", mend)
    step = reset(env, suite.seeds[0])
    actor = Actor(env, suite.seeds[0])
    for _ in range(step.info["max_turns"]):
        if step.done:
            break
        step = Step(*env.step(actor.legal()))
    if not step.done:
        raise broken(
            f"the episode goes on after max_turns={step.info['max_turns']} steps",
            "end it at the last turn, or report the true info['max_turns']",
        )
    for _ in range(2):
        if not _raises(env.step, lambda: ""):
            raise broken("step() after the episode's end does not raise", mend)
    reset(env, suite.seeds[0])  # and the env is fit for use again
    env.close()


def _raises(step: Callable[[str], Any], action: Callable[[], str]) -> bool:
    try:
        step(action())
    except Exception:
        return True
    return False


def check_snapshot(suite: Suite) -> None:
    """A restored env continues as the saved one did, through wrappers too."""
    env = suite.env_fn()
    if not env.unwrapped.metadata.get("snapshot"):
        env.close()
        return
    stacks: list[tuple[str, Callable[[AnyEnv], AnyEnv]]] = [
        ("", lambda env: env),
        (" under TimeLimit", _limited),
    ]
    if isinstance(env.observation_space, gym.spaces.Text):
        stacks += [
            (" under History", _with_history),
            (" under TimeLimit and History", _limited_with_history),
        ]
    env.close()
    for where, wrap in stacks:
        for seed in suite.seeds:
            _check_snapshot(suite, where, wrap, seed)


def _limited(env: AnyEnv) -> AnyEnv:
    # A limit that falls into the script: a counter that is not restored shows.
    return gym.wrappers.TimeLimit(env, 3)


def _with_history(env: AnyEnv) -> AnyEnv:
    return History(env)


def _limited_with_history(env: AnyEnv) -> AnyEnv:
    return _limited(_with_history(env))


def _check_snapshot(suite: Suite, where: str, wrap: Callable[[AnyEnv], AnyEnv], seed: int) -> None:
    mend = (
        "let snapshot_state() and restore_state() cover all that changes in an episode "
        "(or set metadata['snapshot'] = False if it holds live processes)"
    )
    env, other = wrap(suite.env_fn()), wrap(suite.env_fn())
    script, transcript = record(env, seed, suite.steps)
    for cut in sorted({0, 1, 2, len(script) // 2}):
        replay(env, script[:cut], seed)
        try:
            data = snapshot(env)
            rest = replay(env, script[cut:])
            require_same(
                transcript[cut + 1 :], rest, f"taking a snapshot{where} changes the env", mend
            )
            for name, target in (("the same env", env), ("another env", other)):
                restore(target, data)
                again = replay(target, script[cut:])
                what = f"a snapshot{where} at call {cut}, restored into {name}, goes on otherwise"
                require_same(rest, again, what, mend)
        except SnapshotUnsupported as error:
            raise broken(f"metadata['snapshot'] is True but{where}: {error}", mend) from error
    env.close()
    other.close()


def check_copies(suite: Suite) -> None:
    """An env that was pickled or deep-copied amid an episode goes on as the original does."""
    env = suite.env_fn()
    env.close()
    if env.unwrapped.metadata.get("snapshot") is False:
        return  # live processes cannot be copied
    mend = "keep locks, handles and lambdas out of the env, or derive it from EzPickle"
    copiers: tuple[tuple[str, Callable[[AnyEnv], AnyEnv]], ...] = (
        ("pickled", lambda env: pickle.loads(pickle.dumps(env))),
        ("deep-copied", copy.deepcopy),
    )
    for seed in suite.seeds:
        for name, copier in copiers:
            env = suite.env_fn()
            script, transcript = record(env, seed, suite.steps)
            cut = min(2, len(script))
            replay(env, script[:cut], seed)
            try:
                twin = copier(env)
            except Exception as error:
                raise broken(
                    f"the env cannot be {name} within an episode: {error}", mend
                ) from error
            for which, target in (("copy", twin), ("original", env)):
                what = f"the {which} of an env that was {name} goes on otherwise"
                require_same(transcript[cut + 1 :], replay(target, script[cut:]), what, mend)
            env.close()


def check_close(suite: Suite) -> None:
    """``close`` may be called at any time, and again."""
    for begin in (False, True):
        env = suite.env_fn()
        if begin:
            record(env, suite.seeds[0], 1)
        try:
            env.close()
            env.close()
            env.unwrapped.close()
        except Exception as error:
            raise broken(
                f"close() raises {type(error).__name__}: {error}",
                "let close() do nothing if the env holds nothing (any more)",
            ) from error


def check_legal_actions(suite: Suite) -> None:
    """``sample_legal_action(rng)``, if there, gives legal actions and leaves the env alone."""
    for seed in suite.seeds:
        env = suite.env_fn()
        sample = getattr(env.unwrapped, "sample_legal_action", None)
        if sample is None:
            return
        step = reset(env, seed)
        for turn in range(suite.steps):
            state = env.unwrapped.np_random.bit_generator.state
            actions = [sample(np.random.default_rng((seed, turn))) for _ in range(2)]
            if actions[0] != actions[1] or env.unwrapped.np_random.bit_generator.state != state:
                raise broken(
                    "sample_legal_action changes the env, or draws from another generator",
                    "draw only from the generator it is given",
                )
            step = Step(*env.step(actions[0]))
            if not step.info["legal"] or step.info["event"] == MALFORMED:
                raise broken(
                    f"sample_legal_action gave {actions[0]!r}, which is not legal: event "
                    f"{step.info['event']!r}",
                    "let it draw from the moves that the rules allow now",
                )
            if step.done:
                reset(env)
        env.close()


def check_kwargs(suite: Suite) -> None:
    """An argument that does not exist is refused."""
    env = suite.env_fn()
    spec = env.unwrapped.spec
    env.close()
    make: Callable[..., AnyEnv]
    if spec is not None:
        make = spec.make
    elif _takes_any_keyword(suite.env_fn):
        make = suite.env_fn
    else:
        return
    try:
        make(surely_no_such_option=1)
    except Exception:
        return
    raise broken(
        "the unknown argument surely_no_such_option=1 is swallowed",
        "name the env's arguments instead of **kwargs, or raise "
        "gem_gymnasium.errors.UnknownName for what is left",
    )


def _takes_any_keyword(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
