"""Watch: checks everything that one env returns, call by call."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from gem_gymnasium.core.text_env import INFO_TYPES, MALFORMED, STOPS, TOOL
from gem_gymnasium.testing.script import AnyEnv, Info, Step, broken, text_of

_CONTRACT = "put every key of gem_gymnasium.core.text_env.INFO_TYPES into info, of that very type"


class Watch:
    """The promises on observation, reward, flags and info, over any number of episodes."""

    def __init__(self, env: AnyEnv) -> None:
        self._env = env
        events = getattr(env.unwrapped, "events", None)
        self._events = None if events is None else {*events, MALFORMED}
        self._kinds: dict[str, type] | None = None
        self._turn = self._max_turns = 0
        self._before: tuple[Info, str] | None = None

    def reset(self, step: Step) -> Step:
        """Check what a reset returned, and return it."""
        info = self._common(step, "reset()")
        if info["event"] != "reset":
            raise broken(
                f"info['event'] after reset() is {info['event']!r}", "make it 'reset' there"
            )
        if info["legal"] is not True or info["turn"] != 0:
            raise broken(
                f"info after reset() has legal={info['legal']!r}, turn={info['turn']!r}",
                "no action was taken yet: legal is True and turn is 0",
            )
        self._turn, self._max_turns = 0, info["max_turns"]
        return step

    def step(self, step: Step, action: str) -> Step:
        """Check what a step returned, and return it."""
        call = f"step({action[:40]!r})"
        info = self._common(step, call)
        self._flags(step, call)
        if not info["valid"]:
            self._invalid(step, call)
            return step
        if info["event"] == TOOL and "tool" in info:
            self._tool_turn(step, call)
            return step
        if self._events is not None and info["event"] not in self._events:
            raise broken(
                f"{call} gives event {info['event']!r}, which is none of {sorted(self._events)}",
                "add it to the env's `events`, or report one that is there",
            )
        self._turn += 1
        if info["turn"] != self._turn or info["max_turns"] != self._max_turns:
            raise broken(
                f"{call} gives turn {info['turn']} of {info['max_turns']} where it is turn "
                f"{self._turn} of {self._max_turns}",
                "turn counts the steps since reset, illegal and malformed ones too, and max_turns "
                "stays the same within an episode",
            )
        if info["turn"] >= info["max_turns"] and not step.done:
            raise broken(
                f"the turn budget ({info['max_turns']}) is used, and the episode goes on",
                "set terminated at the last turn: a budget the player is told of is a rule",
            )
        return step

    def _tool_turn(self, step: Step, call: str) -> None:
        """A tool answered: the env below saw nothing of it."""
        info = step.info
        if not info["tool"] or info["turn"] != self._turn or step.done:
            raise broken(
                f"{call} is a tool turn with tool={info['tool']!r}, turn {info['turn']} after turn "
                f"{self._turn}, terminated={step.terminated}, truncated={step.truncated}",
                "a tool turn names its tool, is no turn of the env and ends no episode",
            )

    def _common(self, step: Step, call: str) -> Info:
        """Check what holds of every call."""
        self._observation(step.observation, call)
        if type(step.info) is not dict:
            raise broken(f"{call} gives an info of {type(step.info)}", "return a dict")
        info = step.info
        for key, kind in INFO_TYPES.items():
            if key not in info:
                raise broken(f"info after {call} lacks {key!r}", _CONTRACT)
            if type(info[key]) is not kind:
                raise broken(
                    f"info[{key!r}] after {call} is a {type(info[key]).__name__}, not a "
                    f"{kind.__name__}: {info[key]!r}",
                    _CONTRACT + " (a numpy number is no Python number)",
                )
        self._constant(info, call)
        self._fresh(info, call)
        if not 0.0 <= info["progress"] <= 1.0:
            raise broken(
                f"info['progress'] after {call} is {info['progress']}", "keep it within [0, 1]"
            )
        if not info["event"] or info["stop"] not in STOPS or info["optimal_turns"] < -1:
            raise broken(
                f"info after {call} has event={info['event']!r}, stop={info['stop']!r}, "
                f"optimal_turns={info['optimal_turns']}",
                f"an event has a name, stop is one of {STOPS}, and -1 is 'unknown'",
            )
        if info["max_turns"] < 1:
            raise broken(f"info['max_turns'] is {info['max_turns']}", "give a budget of 1 or more")
        if info["valid"] and info["error"]:
            raise broken(
                f"{call} gives error {info['error']!r} and valid True",
                "an error means that the machinery failed: then valid is False",
            )
        return info

    def _observation(self, observation: Any, call: str) -> None:
        if not self._env.observation_space.contains(observation):
            raise broken(
                f"the observation of {call} is not in {self._env.observation_space}: "
                f"{repr(observation)[:200]}",
                "return a str within the space's length; "
                "gem_gymnasium.UnicodeText takes any character",
            )
        text = text_of(observation)
        if not isinstance(text, str):
            raise broken(
                f"the observation of {call} has no text",
                "return a str, or a dict with the key 'text'",
            )
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise broken(
                f"the observation of {call} cannot be encoded: {error}",
                "pass what you show of a reply through gem_gymnasium.parsing.echo, which replaces "
                "lone surrogates",
            ) from error

    def _constant(self, info: Info, call: str) -> None:
        kinds = {key: _kind(value) for key, value in info.items()}
        if self._kinds is None:
            self._kinds = kinds
        elif kinds != self._kinds:
            wrong = sorted(
                key for key in kinds.keys() | self._kinds if kinds.get(key) != self._kinds.get(key)
            )
            raise broken(
                f"info after {call} differs from the info after the first reset in {wrong}",
                "give every key after every reset and step, always of one type "
                "(vector envs take a key's type from the first env that has it)",
            )

    def _fresh(self, info: Info, call: str) -> None:
        """Refuse a mutable object that two infos share."""
        if self._before is not None:
            before, call_before = self._before
            shared = _mutable(before).keys() & _mutable(info).keys()
            if shared:
                name = _mutable(info)[shared.pop()]
                raise broken(
                    f"the infos of {call_before} and {call} share the object info{name}",
                    "return new objects each time: users keep what they were given",
                )
        self._before = info, call

    @staticmethod
    def _flags(step: Step, call: str) -> None:
        for name, value in (("terminated", step.terminated), ("truncated", step.truncated)):
            if type(value) is not bool:
                raise broken(
                    f"{name} of {call} is a {type(value).__name__}", "return True or False"
                )
        if step.terminated and step.truncated:
            raise broken(
                f"{call} is terminated and truncated at once",
                "terminated: the rules ended it (a turn budget too); truncated: someone outside",
            )
        if type(step.reward) is not float or not math.isfinite(step.reward):
            raise broken(
                f"the reward of {call} is {step.reward!r} ({type(step.reward).__name__})",
                "return a finite Python float",
            )

    @staticmethod
    def _invalid(step: Step, call: str) -> None:
        filled = step.info["error"] and step.info["stop"]
        if not filled or step.reward != 0.0 or step.terminated or not step.truncated:
            raise broken(
                f"{call} is invalid, with error={step.info['error']!r}, "
                f"stop={step.info['stop']!r}, reward={step.reward}, "
                f"terminated={step.terminated}, truncated={step.truncated}",
                "an invalid step says why (error, stop), pays 0.0 and truncates the episode",
            )


def _kind(value: object) -> type:
    return type(value)


def _mutable(value: Any, name: str = "") -> dict[int, str]:
    """Return the ids of the mutable objects inside an info, with where they are."""
    found: dict[int, str] = {}
    if isinstance(value, (list, dict, set, np.ndarray)) and name:
        found[id(cast("object", value))] = name
    items: Any = ()
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
    elif isinstance(value, (list, tuple)):
        items = enumerate(cast("list[Any]", value))
    for key, item in items:
        found.update(_mutable(item, f"{name}[{key!r}]"))
    return found
