"""Tool: what a model can call in its replies; Call: such a call; ToolResult: what came of it."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

Status = Literal["ok", "error", "timeout", "limit", "bad_call"]
"""What became of a call; ``bad_call``: it could not be read, or broke the tool's schema."""


class Call(NamedTuple):
    """A call that a reply holds; a value."""

    start: int
    """Where it starts in the reply; of several calls the one that starts first counts."""
    end: int
    """Where it ends; what follows in the reply is passed over."""
    tool: str
    """The tool's name; ``""`` if there is none of that name, or none could be read."""
    arguments: dict[str, Any]
    problem: str = ""
    """What is wrong with it, as text that the model reads; such a call is not run."""


class ToolResult(NamedTuple):
    """What a call led to; the model's mistakes are results too, the machinery's failures are not.

    ``text`` is what the model reads. ``level`` is the sandbox level that ran the model's code, or
    ``""``.
    """

    ok: bool
    text: str
    status: Status = "ok"
    level: str = ""


class Runner(ABC):
    """What runs a tool's calls during one episode of one env."""

    @abstractmethod
    def run(self, call: Call, deadline: float) -> ToolResult:
        """Run a call whose arguments fit the tool's schema.

        Args:
            call: Its ``arguments`` are the model's, and hostile input.
            deadline: When the answer must be there, on the clock of ``time.monotonic()``.

        Raises:
            MachineryError: The machinery failed (``ToolFailure``, ``StepTimeout``), through no
                fault of the model's: the step is invalid.
        """
        raise NotImplementedError

    @property
    def is_live(self) -> bool:
        """Whether the calls so far left something that no snapshot can hold."""
        return False

    def rest(self) -> None:
        """End an episode: let go of what belongs to it. A toolbox's runner goes on to the next."""
        self.close()

    def close(self) -> None:
        """Let go of what the calls left; may be called again."""
        return


class Tool(Runner):
    """A tool: a value that any number of envs and threads share.

    The one rule for state: a tool itself keeps nothing between calls. A tool without state is its
    own runner, which ``run`` and the defaults here are for; one with state (an interpreter that
    lives on, a logged-in session) returns a runner of its own from ``episode``, which belongs to
    one env and is closed at the end of the episode, and with the env.

    A subclass names itself, says what it does, describes its arguments by a JSON schema (an object;
    see ``tools/schema.py`` for what is checked of it), and runs. It should pickle.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    box: Toolbox | None = None
    """The toolbox that runs the tool, if it is in one; then ``episode`` is not asked."""

    def instructions(self) -> str:
        """Return what a model is told of the tool: what it does and how it is called."""
        return f"{self.name}: {self.description} Arguments: {json.dumps(dict(self.parameters))}"

    def find_call(self, reply: str) -> Call | None:
        """Return the first call in the tool's own tags, or None; never raises, in linear time.

        The form that all tools share, ``<tool_call>``, is no business of a single tool's.
        """
        return None

    def episode(self) -> Runner:
        """Return the runner of a new episode."""
        return self


class Toolbox(ABC):
    """Tools that share what they keep, such as a connection to a server; a value like a tool."""

    tools: Sequence[Tool]
    """Each has this toolbox as its ``box``."""

    @abstractmethod
    def open(self) -> Runner:
        """Return what runs the calls of one env, over all its episodes.

        Its ``rest`` is called at the end of each episode, its ``close`` with the env.
        """
        raise NotImplementedError
