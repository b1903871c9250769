"""ToolUse: let the player call tools between its answers, so that any task becomes multi-turn."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from gem_gymnasium.core.errors import (
    ConfigError,
    MachineryError,
    SnapshotUnsupported,
    StepOutsideEpisode,
    UnknownName,
)
from gem_gymnasium.core.parsing import echo
from gem_gymnasium.core.spaces import MAX_CHARS, UnicodeText, require_texts
from gem_gymnasium.core.text_env import TOOL, failure_info
from gem_gymnasium.tools import (
    Call,
    PythonTool,
    Runner,
    Tool,
    Toolbox,
    ToolResult,
    find_call,
    tool_of,
)
from gem_gymnasium.tools.calls import FORM
from gem_gymnasium.tools.schema import problem_of
from gem_gymnasium.wrappers.history import History, joined, split_view
from gem_gymnasium.wrappers.stack import find, refuse_autoreset

NO_NAME = "?"
"""``info["tool"]`` of a call that names no tool there is."""

LAST_USE = "That was the last use: give your answer now."

_TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")

Given = Sequence[Tool | Toolbox | str] | Tool | Toolbox | str | None
"""What tools an env is given."""


class Preset(NamedTuple):
    """A budget, what calls pay, and the tools that go with it (None: they must be given)."""

    max_tool_uses: int = 10
    call_reward: float = 0.0
    success_reward: float = 0.0
    tools: Callable[[], Sequence[Tool]] | None = None


PRESETS: Mapping[str, Preset] = {
    "python": Preset(5, 0.05, 0.25, lambda: [PythonTool()]),
    "python_no_reward": Preset(5, tools=lambda: [PythonTool()]),
    "python_no_reward_last_line": Preset(5, tools=lambda: [PythonTool(error_lines=1)]),
    "search": Preset(5, 0.3),
    "search_no_reward": Preset(5),
}
"""GEM's presets ``python_tool``, ``python_tool_no_int_reward``,
``python_tool_no_int_reward_last_line_error``, ``search_tool`` and ``search_tool_no_int_reward``."""


class ToolUse(gym.Wrapper[str, str, str, str], RecordConstructorArgs):
    """Run the tool calls in replies; a reply without one goes to the env.

    Of several calls in a reply the one that starts first is run, and the rest of the reply is
    passed over. A **tool turn** shows ``feedback + view``: what the call gave, then the env's view,
    unchanged. A call that fails, that cannot be read or that names no tool is text the model reads
    and never ends the episode. The env sees nothing of a tool turn: its ``turn`` stands still, as
    do the counters of wrappers below this one. Once the budget is used up, every reply goes to the
    env. What tools there are, and how they are called, stands behind the rules at reset.

    ``info`` has ``event="tool"`` on a tool turn and, after every reset and step: ``tool``, the
    name of the tool that answered, ``"?"`` for a call that names none, ``""`` where the env
    answered; ``tool_ok``, and ``tool_status`` (``ok | error | timeout | limit | bad_call``, or
    ``""``), of this turn's call; ``tool_uses`` and ``tool_successes`` so far; ``sandbox``, the
    level that ran the model's code last, or ``""``. A tool whose machinery fails makes the step
    invalid.

    Under a ``History`` (``History(ToolUse(env))``) tool turns are remembered like any other. Over
    one they are scratch paper: shown behind the env's last answer (in the messages too) until the
    env answers again, then forgotten.

    Args:
        env: An env whose observation and action spaces are texts. Its ``info["view"]``, if any,
            ends its observation.
        tools: Tools, toolboxes, or names (``python``, ``search:wiki``; see
            ``gem_gymnasium.tools.tool_of``); None for those of the preset.
        preset: A name in ``PRESETS`` for what is not given; None for ten uses without rewards.
        max_tool_uses: Calls an episode may make; one that fails counts.
        call_reward: Reward of every call.
        success_reward: Reward of a call that succeeds, on top.
        error_reward: Reward of a call that fails, on top; at most 0.
        call_timeout_s: Seconds a call may take; tools have limits of their own below it.

    Raises:
        ConfigError: An option is refused, no tool is given, the env's spaces are no texts, or it
            has a ToolUse already, or an Autoreset is below.
        UnknownName: There is no such preset, or no tool of a name.
        MissingDependency: A tool lacks a package.
    """

    def __init__(
        self,
        env: gym.Env[str, str],
        tools: Given = None,
        *,
        preset: str | None = None,
        max_tool_uses: int | None = None,
        call_reward: float | None = None,
        success_reward: float | None = None,
        error_reward: float = 0.0,
        call_timeout_s: float = 30.0,
    ) -> None:
        RecordConstructorArgs.__init__(
            self,
            tools=list(tools) if isinstance(tools, list | tuple) else tools,
            preset=preset,
            max_tool_uses=max_tool_uses,
            call_reward=call_reward,
            success_reward=success_reward,
            error_reward=error_reward,
            call_timeout_s=call_timeout_s,
            _disable_deepcopy=True,  # tools are values, and may hold a lock
        )
        super().__init__(env)
        require_texts(env, "ToolUse")
        refuse_autoreset(env, "ToolUse")
        if find(env, ToolUse) is not None:
            raise ConfigError("the env has a ToolUse already: give all tools to one of them")
        if preset is not None and preset not in PRESETS:
            raise UnknownName("preset", preset, PRESETS)
        row = Preset() if preset is None else PRESETS[preset]
        self.tools = _checked_tools(tools, row)
        self.max_tool_uses = row.max_tool_uses if max_tool_uses is None else max_tool_uses
        self.call_reward = row.call_reward if call_reward is None else call_reward
        self.success_reward = row.success_reward if success_reward is None else success_reward
        self.error_reward, self.call_timeout_s = error_reward, call_timeout_s
        if self.max_tool_uses < 1 or not call_timeout_s > 0 or not error_reward <= 0:
            raise ConfigError(
                "max_tool_uses must be at least 1, call_timeout_s above 0 and error_reward at most "
                f"0, got {self.max_tool_uses}, {call_timeout_s} and {error_reward}"
            )
        self.observation_space = UnicodeText()
        self._history = find(env, History)
        self._runners: dict[str, Runner] = {}  # of this episode
        self._boxes: dict[int, Runner] = {}  # of this env, by the id of their toolbox
        self._uses = self._successes = 0
        self._level = ""
        self._over = True
        self._observation = self._head = self._view = ""  # head and view: the env's last answer
        self._info: dict[str, Any] = {}
        self._scratch: list[tuple[str, str]] = []  # (reply, feedback) of tool turns since then
        self._instructions = instructions_of(self.tools, self.max_tool_uses)

    # -- the gymnasium protocol -------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode, with a full budget and fresh tools."""
        self._stop()
        observation, info = self.env.reset(seed=seed, options=options)
        self._runners = {tool.name: self._runner_of(tool) for tool in self.tools}
        self._uses = self._successes = 0
        self._level, self._over = "", False
        return self._answered(observation, info, told=True)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Run the call in a reply, or give the reply to the env.

        Raises:
            StepOutsideEpisode: The env was never reset, or the episode is over.
        """
        if self._over:
            raise StepOutsideEpisode("there is no episode: call reset() before step()")
        call = self._call_in(action)
        if call is not None:
            return self._use(action, call)
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            self._stop()
        observation, info = self._answered(observation, info, told=self._history is not None)
        return observation, float(reward), terminated, truncated, info

    def close(self) -> None:
        """Close what the tools hold, then the env."""
        self._stop()
        boxes, self._boxes = self._boxes, {}
        for runner in boxes.values():
            runner.close()
        super().close()

    # -- the two kinds of answer --------------------------------------------------------------

    def _call_in(self, action: object) -> Call | None:
        """Return the call that a reply holds, if it may still be made."""
        if not isinstance(action, str) or len(action) > MAX_CHARS:
            return None  # for the env to refuse
        return find_call(action, self.tools) if self._uses < self.max_tool_uses else None

    def _answered(
        self, observation: str, info: dict[str, Any], *, told: bool
    ) -> tuple[str, dict[str, Any]]:
        """Take up an answer of the env's; ``told``: with the instructions."""
        self._head, self._view = split_view(observation, info)
        self._observation, self._scratch = observation, []
        if told:
            self._head = _fitted(joined(self._head, self._instructions), self._view)
            self._observation = joined(self._head, self._view)
        # The reader may change what it is given; a finished episode has no tool turn to come.
        self._info = {} if self._over else copy.deepcopy(info)
        return self._observation, self._with_messages({**info, **self._counts("", None)})

    def _use(self, action: str, call: Call) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Run a call: a tool turn."""
        try:
            result = self._result(call)
        except MachineryError as error:
            return self._invalid(error)
        self._uses += 1
        self._successes += result.ok
        self._level = result.level or self._level
        head = feedback = _fitted(self._feedback(call, result), self._view)
        if self._history is not None:
            self._scratch.append((echo(action, self._history.max_reply_chars), feedback))
            turns = (f"You: {reply}\n{feedback}" for reply, feedback in self._scratch)
            head = _fitted(joined(self._head, *turns), self._view)
        self._observation = joined(head, self._view)
        said = {"event": TOOL, "legal": True, "feedback": feedback}
        info = copy.deepcopy(self._info)
        info.update({key: value for key, value in said.items() if key in info})
        info.update(self._counts(call.tool or NO_NAME, result))
        reward = self.call_reward + (self.success_reward if result.ok else self.error_reward)
        return self._observation, float(reward), False, False, self._with_messages(info)

    def _result(self, call: Call) -> ToolResult:
        """Return what a call led to, or what is wrong with it."""
        problem = call.problem
        if not problem:
            schema = next(tool.parameters for tool in self.tools if tool.name == call.tool)
            problem = problem_of(call.arguments, schema)
            problem = f"The call does not fit the tool: {problem}" if problem else ""
        if problem:
            return ToolResult(False, problem, "bad_call")
        deadline = time.monotonic() + self.call_timeout_s
        return self._runners[call.tool].run(call, deadline)

    def _feedback(self, call: Call, result: ToolResult) -> str:
        """Compose what a tool turn says."""
        name = f"Tool {call.tool}" if call.tool else "Tool call"
        failed = "" if result.ok else ", failed"
        head = f"{name}, use {self._uses} of {self.max_tool_uses}{failed}:"
        return joined(head, result.text, LAST_USE if self._uses == self.max_tool_uses else "")

    def _invalid(self, error: MachineryError) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Return an invalid step: the last good observation, no reward, the episode cut off."""
        info = {**copy.deepcopy(self._info), **failure_info(error), **self._counts("", None)}
        self._stop()
        return self._observation, 0.0, False, True, self._with_messages(info)

    def _counts(self, tool: str, result: ToolResult | None) -> dict[str, Any]:
        """Return this wrapper's own keys of ``info``."""
        return {
            "tool": tool,
            "tool_ok": result is not None and result.ok,
            "tool_status": "" if result is None else result.status,
            "tool_uses": self._uses,
            "tool_successes": self._successes,
            "sandbox": self._level,
        }

    def _with_messages(self, info: dict[str, Any]) -> dict[str, Any]:
        """Add instructions and scratch paper to the messages of a History below."""
        if self._history is None or "messages" not in info:
            return info
        first, *others = (dict(message) for message in info["messages"])
        first["content"] = joined(first["content"], self._instructions)
        for reply, feedback in self._scratch:
            others.append({"role": "assistant", "content": reply})
            others.append({"role": self._history.tool_role, "content": feedback})
        return {**info, "messages": [first, *others]}

    def _runner_of(self, tool: Tool) -> Runner:
        """Return what runs a tool in an episode that begins."""
        if tool.box is None:
            return tool.episode()
        if id(tool.box) not in self._boxes:
            self._boxes[id(tool.box)] = tool.box.open()
        return self._boxes[id(tool.box)]

    def _stop(self) -> None:
        """End the episode, as far as the tools are concerned."""
        self._over = True
        runners, self._runners = self._runners, {}
        for runner in {id(runner): runner for runner in runners.values()}.values():
            runner.rest()

    # -- beyond gymnasium ---------------------------------------------------------------------

    def snapshot_state(self) -> dict[str, Any]:
        """Return the counters and the last answers (see :func:`gem_gymnasium.snapshot`).

        Raises:
            SnapshotUnsupported: A tool holds something that lives, such as an interpreter.
        """
        for name, runner in self._runners.items():
            if runner.is_live:
                raise SnapshotUnsupported(
                    f"the tool {name!r} keeps something that lives: take the snapshot before its "
                    "first call of an episode, or after the episode"
                )
        return {
            "uses": self._uses,
            "successes": self._successes,
            "level": self._level,
            "over": self._over,
            "observation": self._observation,
            "head": self._head,
            "view": self._view,
            "info": self._info,
            "scratch": [list(turn) for turn in self._scratch],
        }

    def restore_state(self, data: dict[str, Any]) -> None:
        """Take up what ``snapshot_state`` returned."""
        self._stop()
        self._uses, self._successes = data["uses"], data["successes"]
        self._level, self._over = data["level"], data["over"]
        self._observation, self._head, self._view = (
            data[key] for key in ("observation", "head", "view")
        )
        self._info = copy.deepcopy(data["info"])
        self._scratch = [(reply, feedback) for reply, feedback in data["scratch"]]
        if not self._over:
            self._runners = {tool.name: self._runner_of(tool) for tool in self.tools}


def instructions_of(tools: Sequence[Tool], max_tool_uses: int) -> str:
    """Return what stands behind the rules: the budget, the form of a call, the tools."""
    times = "once" if max_tool_uses == 1 else f"{max_tool_uses} times in all"
    return "\n".join(
        [
            f"You may call a tool, {times}. A reply that holds a call is no answer and takes no "
            "turn: its first call is run, the rest of it is passed over, and the result is shown "
            f"to you. A call is {FORM}, or has the form that its tool names.",
            *(f"- {tool.instructions()}" for tool in tools),
        ]
    )


def _checked_tools(given: Given, row: Preset) -> list[Tool]:
    """Return the tools that are meant, or raise."""
    if given is None:
        given = row.tools() if row.tools else []
    elif isinstance(given, Tool | Toolbox | str):
        given = [given]
    made = [tool_of(one) if isinstance(one, str) else one for one in given]
    tools: list[Tool] = []
    for tool in [tool for one in made for tool in _each(one)]:
        if not isinstance(tool, Tool):  # pyright: ignore[reportUnnecessaryIsInstance] # users err
            raise ConfigError(f"a tool must be a Tool or a name, got {tool!r}")
        if not _TOOL_NAME.fullmatch(tool.name) or tool.parameters.get("type") != "object":
            raise ConfigError(
                "a tool's name must be letters, digits, '_' and '-', and its parameters a schema "
                f"of type 'object', got {tool.name!r} and {tool.parameters!r}"
            )
        tools.append(tool)
    names = [tool.name for tool in tools]
    if not names or len(set(names)) < len(names):
        raise ConfigError(f"need at least one tool, and each name once; got {names}")
    return tools


def _each(tool: Tool | Toolbox) -> Sequence[Tool]:
    return tool.tools if isinstance(tool, Toolbox) else [tool]


def _fitted(head: str, view: str) -> str:
    """Return ``head`` without its middle if it is too long to stand before ``view``."""
    return echo(head, max(0, MAX_CHARS - len(view) - 1))
