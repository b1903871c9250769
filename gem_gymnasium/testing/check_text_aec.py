"""check_text_aec: the conformance suite for text games of several players, ours and yours."""

# PettingZoo's tests have no types.
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import contextlib
import io
import pickle
import random
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo import AECEnv
from pettingzoo.test import api_test, render_test, seed_test

from gem_gymnasium.core.errors import ConfigError, ConformanceError, UnknownName
from gem_gymnasium.core.text_env import MALFORMED
from gem_gymnasium.multiplayer.aec_base import FORFEIT, MULTI_INFO_TYPES, OTHER
from gem_gymnasium.testing.guesses import guess
from gem_gymnasium.testing.hostile import HOSTILE_STRINGS
from gem_gymnasium.testing.script import broken

AnyAEC = AECEnv[str, Any, str]
EnvFn = Callable[..., AnyAEC]
Seen = list[Any]

MAX_STEPS = 5_000
"""Replies after which an episode must be over."""


class Suite(NamedTuple):
    """What is checked, and how."""

    env_fn: EnvFn
    seeds: tuple[int, ...]
    hostile: tuple[str, ...]


def is_over(env: AnyAEC) -> bool:
    """Return whether the episode has ended, by the rules or from outside."""
    return any(env.terminations.values()) or any(env.truncations.values())


def legal(env: AnyAEC, rng: np.random.Generator) -> str:
    """Return a legal reply, or a guess where the env does not know one."""
    unwrapped: Any = env.unwrapped
    if hasattr(unwrapped, "sample_legal_action"):
        return unwrapped.sample_legal_action(rng)
    agent = env.agent_selection
    rules = unwrapped.rules_of(agent) if hasattr(unwrapped, "rules_of") else ""
    return guess(f"{rules}\n{env.observe(agent)['text']}", rng)  # type: ignore[index]


def play(env: AnyAEC, seed: int | None, replies: Callable[[AnyAEC], str]) -> Seen:
    """Play an episode; return all that each agent was given, in its order."""
    env.reset(seed=seed)
    seen: Seen = []
    for agent in env.agent_iter(MAX_STEPS):
        observation, reward, terminated, truncated, info = env.last()
        seen.append((agent, observation, reward, terminated, truncated, dict(info)))
        env.step(None if terminated or truncated else replies(env))  # type: ignore[arg-type]
    if env.agents:
        raise broken(
            f"an episode is not over after {MAX_STEPS} replies",
            "end it: give the game a number of turns",
        )
    return seen


def randomly(seed: int) -> Callable[[AnyAEC], str]:
    """Return a player of legal replies."""
    rng = np.random.default_rng(seed)
    return lambda env: legal(env, rng)


def check_pettingzoo(suite: Suite) -> None:
    """PettingZoo's own tests."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of every space that is no Box or Discrete
            api_test(suite.env_fn(), num_cycles=30)
            seed_test(suite.env_fn, num_cycles=30)
            if suite.env_fn().metadata.get("render_modes"):
                render_test(cast("Any", suite.env_fn))
    except Exception as error:
        raise broken(
            f"PettingZoo's tests fail: {type(error).__name__}: {error}", "see pettingzoo.test"
        ) from error


def check_infos(suite: Suite) -> None:
    """Keys, types and values of every info; rewards and flags at the end."""
    for seed in suite.seeds:
        env = suite.env_fn()
        events = {*getattr(env.unwrapped, "events", ()), MALFORMED, FORFEIT, OTHER, "reset"}
        kinds: dict[str, type] | None = None
        for agent, observation, reward, terminated, truncated, info in play(
            env, seed, randomly(seed)
        ):
            got = {key: type(value) for key, value in info.items()}
            kinds = kinds or got
            if got != kinds or not MULTI_INFO_TYPES.items() <= got.items():
                raise broken(
                    f"the info of {agent} has {got}",
                    f"the same keys and types always, and those of {dict(MULTI_INFO_TYPES)}",
                )
            if info["event"] not in events:
                raise broken(f"event {info['event']!r} is none of `events`", "add it there")
            if terminated and truncated:
                raise broken("both end flags are set", "set the one that is meant")
            if not isinstance(reward, float):
                raise broken(f"a reward is {reward!r}", "make it a float")
            if set(observation) != {"text"} or not isinstance(observation["text"], str):
                raise broken(f"{agent} observes {observation!r}", "make it {'text': str}")
            if (terminated or truncated) and info["to_move"]:
                raise broken("to_move is set although the game is over", "clear it")


def check_determinism(suite: Suite) -> None:
    """Equal seeds and replies, equal bytes; the global generators are left alone."""
    for seed in suite.seeds:
        before = random.getstate(), np.random.get_state()  # noqa: NPY002 - what is checked
        first = play(suite.env_fn(), seed, randomly(seed))
        if not data_equivalence(before, (random.getstate(), np.random.get_state())):  # noqa: NPY002
            raise broken("a global generator was used", "draw from the env's own only")
        env = suite.env_fn()
        play(env, seed + 1, randomly(0))
        if play(env, seed, randomly(seed)) != first:
            raise broken(
                f"seed {seed} and the same replies gave another episode",
                "let nothing but the seed and the replies decide",
            )


def check_observe(suite: Suite) -> None:
    """Asking what an agent sees changes nothing, for whoever it is."""
    for seed in suite.seeds:
        env, rng = suite.env_fn(), np.random.default_rng(seed)
        env.reset(seed=seed)
        for _ in env.agent_iter(MAX_STEPS):
            twice = [[env.observe(each) for each in env.agents] for _ in (1, 2)]
            if twice[0] != twice[1]:
                raise broken("observe() gave two answers", "compute it from the state alone")
            over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
            env.step(None if over else legal(env, rng))  # type: ignore[arg-type]


def check_secrecy(suite: Suite) -> None:
    """What one seat alone knows changes nothing that another reads, now or after a move."""
    env: Any = suite.env_fn().unwrapped
    if not hasattr(env, "redealt"):
        return
    for seed in suite.seeds:
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            _compare_redealt(env, rng)
            env.step(legal(env, rng))


def _compare_redealt(env: Any, rng: np.random.Generator) -> None:
    """Compare what others read with what they would read of another secret."""
    config, state = env.config, env._state
    mover = env.to_move(config, state)
    move = env.parse(env.sample_legal_action(rng))
    after, outcome = env.play(config, state, move)
    for seat in range(len(env.possible_agents)):
        others = [each for each in range(len(env.possible_agents)) if each != seat]
        other = env.redealt(config, state, seat, rng)
        if other is not None:
            _compare(others, seat, env.view, (config, state), (config, other))
            if seat == mover and not outcome.over:  # what it does must not tell either
                told = env.play(config, other, move)[1].told
                _compare(others, seat, lambda texts, reader: texts[reader],
                         (outcome.told,), (told,))  # fmt: skip
        if seat == mover and env.simultaneous and env.to_move(config, after) > mover:
            for reader in others:
                if outcome.told[reader]:
                    raise broken(
                        f"seat {reader} is told {outcome.told[reader]!r} before it has chosen",
                        "tell it when all have chosen",
                    )


def _compare(
    readers: Iterable[int],
    seat: int,
    read: Callable[..., str],
    here: tuple[Any, ...],
    there: tuple[Any, ...],
) -> None:
    """Refuse texts that depend on what only ``seat`` knows."""
    for reader in readers:
        one, two = read(*here, reader), read(*there, reader)
        if one != two:
            raise broken(
                f"seat {reader} reads {one!r}, and {two!r} where seat {seat} has another secret",
                "show nothing of it before the rules do",
            )


def check_hostile(suite: Suite) -> None:
    """No reply raises; each that is no move costs a try, and in the end the game."""
    for place, reply in enumerate(suite.hostile):
        env = suite.env_fn()
        env.reset(seed=place)
        try:
            for _ in range(20):
                if is_over(env):
                    break
                env.step(reply)
        except Exception as error:
            raise broken(
                f"the reply {reply[:40]!r} raised {type(error).__name__}: {error}",
                "parse() must return None for what is no move",
            ) from error
        for agent in env.agents:
            space: Any = env.observation_space(agent)
            if env.observe(agent) not in space:
                raise broken(
                    f"the reply {reply[:40]!r} is in an observation outside the space",
                    "cut echoes and replace lone surrogates",
                )


def check_snapshot(suite: Suite) -> None:
    """A snapshot, and a pickle, go on as the original does."""
    env: Any = suite.env_fn().unwrapped
    for seed in suite.seeds:
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        for _ in range(int(rng.integers(6))):
            if not is_over(env):
                env.step(legal(env, rng))
        copies: list[Any] = [pickle.loads(pickle.dumps(env))]
        if hasattr(env, "snapshot"):
            copies.append(suite.env_fn().unwrapped)
            copies[-1].restore(env.snapshot())
        episodes = [_rest(each, seed) for each in (env, *copies)]
        if any(each != episodes[0] for each in episodes[1:]):
            raise broken("a copy goes on in another way", "copy all that decides what comes")


def _rest(env: AnyAEC, seed: int) -> Seen:
    """Play to the end, and one more episode without a seed."""
    rng, seen = np.random.default_rng(seed), list[Any]()
    for agent in env.agent_iter(MAX_STEPS):
        last = env.last()
        seen.append((agent, *last[:4], dict(last[4])))
        env.step(None if last[2] or last[3] else legal(env, rng))  # type: ignore[arg-type]
    return [*seen, *play(env, None, randomly(seed))]


def check_outside(suite: Suite) -> None:
    """A step outside an episode raises, close() may be called twice."""
    env = suite.env_fn()
    for when in ("before reset()", "after the end"):
        try:
            env.step("x")
        except Exception:
            pass
        else:
            raise broken(f"a step {when} did not raise", "raise StepOutsideEpisode")
        if when == "before reset()":
            play(env, 0, randomly(0))
    env.close()
    env.close()


CHECKS: Mapping[str, Callable[[Suite], None]] = {
    "pettingzoo": check_pettingzoo,
    "infos": check_infos,
    "determinism": check_determinism,
    "observe": check_observe,
    "secrecy": check_secrecy,
    "hostile": check_hostile,
    "snapshot": check_snapshot,
    "outside": check_outside,
}
"""The promises, in the order they are checked."""


def check_text_aec(
    env_fn: EnvFn,
    *,
    seeds: Iterable[int] = (0, 1, 2),
    hostile: Iterable[str] = HOSTILE_STRINGS,
    skip: Collection[str] = (),
) -> None:
    """Check that a text game of several players keeps every promise.

    The promises: PettingZoo's ``api_test``, ``seed_test`` and ``render_test`` pass; ``infos`` has
    the keys of ``MULTI_INFO_TYPES`` with their types; every episode ends; equal seeds and replies
    give equal bytes, the global generators are left alone; ``observe`` changes nothing; no seat
    reads another's secret (where the game has a ``redealt``); no reply raises or gets into an
    observation that the space refuses; a pickle and a snapshot go on as the original does; a step
    outside an episode raises. Where the env has no ``sample_legal_action``, replies are guessed
    from what it says.

    For instance ``check_text_aec(lambda **kw: pettingzoo.make("aec", "gem/Nim-v0", **kw))``.

    Args:
        env_fn: Builds the env, with ``render_mode`` where it is given; called many times.
        seeds: Seeds of the episodes that are played.
        hostile: Replies that must not raise.
        skip: Names of checks to leave out.

    Raises:
        ConformanceError: A promise is broken; the message says which, and how to mend it.
        UnknownName: ``skip`` names no check.
        ConfigError: ``env_fn`` is no function, or ``seeds`` is empty.
    """
    if not callable(env_fn):
        raise ConfigError(f"env_fn must be a function that builds the env, got {env_fn!r}")
    for name in skip:
        if name not in CHECKS:
            raise UnknownName("check", name, CHECKS)
    suite = Suite(env_fn, tuple(seeds), tuple(hostile))
    if not suite.seeds:
        raise ConfigError("need a seed at least")
    for name, check in CHECKS.items():
        if name not in skip:
            try:
                check(suite)
            except ConformanceError as error:
                raise ConformanceError(f"[{name}] {error}") from error
