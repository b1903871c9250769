"""McpSqliteEnv: tasks on a database, which the agent reaches by the tools of an MCP server only."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError, StepOutsideEpisode, UnknownName
from gem_gymnasium.core.parsing import last_tag
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.tasks.mcp_sqlite_shop import read_tables, write_shop
from gem_gymnasium.tasks.mcp_sqlite_tasks import GENERATORS, SqlTask, draw_task, is_done
from gem_gymnasium.tools import Call, McpToolbox, Runner, StdioServer, ToolResult, find_call
from gem_gymnasium.tools.schema import problem_of

_FORM = 'call a tool, as <tool_call>{"name": ..., "arguments": {...}}</tool_call>'
_END = "end the task with <answer>done</answer>, or with the answer that is asked for in it"
_NOTHING = {"sql": "SELECT count(*) FROM orders"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What the tasks can be told.

    Args:
        task: The name of a generator; ``""``: one is drawn at each reset.
        max_turns: Replies, the last one included.
        call_timeout_s: Seconds that a call may take, with what it takes to start the server.

    Raises:
        UnknownName: There is no such task.
        ConfigError: A number is refused.
    """

    task: str = ""
    max_turns: int = 15
    call_timeout_s: float = 30.0

    def __post_init__(self) -> None:
        if self.task and self.task not in GENERATORS:
            raise UnknownName("task", self.task, GENERATORS)
        if self.max_turns < 1 or not 0 < self.call_timeout_s < float("inf"):
            raise ConfigError(
                "max_turns must be at least 1 and call_timeout_s positive and finite, got "
                f"{self.max_turns} and {self.call_timeout_s}"
            )


class State(NamedTuple):
    """What the env tells of an episode; the database itself no value can hold."""

    task: str
    calls: int = 0
    solved: bool = False


class Move(NamedTuple):
    """A call of a tool, or the answer that ends the task."""

    call: Call | None = None
    answer: str = ""


class McpSqliteEnv(TextEnv[Config, State, Move]):
    """Do a task on a shop's database by the tools of an MCP server, then say that it is done.

    The server is a real one, a process of its own per env, started by the first call and kept over
    episodes (``gem_gymnasium.tools.sqlite_server``). In the end the env reads the database itself,
    and compares every table with what it should be: what is right is nowhere in the database.

    ## Action Space
    Any text (``UnicodeText``). The first ``<tool_call>`` is run; the rest of the reply is passed
    over. A reply without one that holds ``<answer>...</answer>`` ends the task.

    ## Observation Space
    Any text: first the rules, the tools with their schemas, and the task; then what each call gave,
    and the turns left.

    ## Rewards
    1 at the end if all tables are as they should be, and the answer, if one is asked for, is right;
    else 0. -0.1 for a reply that holds neither a call nor an answer.

    ## Episode End
    Terminated by an answer, by the last turn (unsolved) or by a malformed reply. If the server
    cannot be started, the step is invalid: truncated, reward 0.

    ## Information
    ``event`` is ``ok``, ``error``, ``timeout``, ``limit``, ``bad_call`` (a call that cannot be read
    or does not fit: not legal), ``solved``, ``unsolved``, or ``malformed``. ``task`` names the
    generator, ``calls`` counts the calls.

    ## Arguments
    Those of :class:`Config`, of ``render_mode`` and of ``on_malformed``. No snapshot can be taken.

    ## References
    GEM's MCPMarkEnv (MCPMark: set up a service, offer its tools, verify); tasks and wording are our
    own.

    ## Version History
    v0: first release.
    """

    metadata: dict[str, Any] = {**TextEnv.metadata, "snapshot": False}  # noqa: RUF012
    config_type = Config
    state_type = State
    events = ("ok", "error", "timeout", "limit", "bad_call", "solved", "unsolved")
    extra_info = {"task": str, "calls": int}  # noqa: RUF012 - as TextEnv declares it

    def __init__(self, **rules: Any) -> None:
        super().__init__(**rules)
        self._box = toolbox()
        self._task: SqlTask | None = None
        self._folder: Path | None = None
        self._runner: Runner | None = None

    # -- a game whose board is a database -----------------------------------------------------

    def deal(self, config: Config, rng: np.random.Generator, /) -> State:
        """Draw a task, and put its database in the place of the last one's."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="gem-mcp-"))
        self._task = draw_task(config.task, rng)
        write_shop(self._folder / "shop.db", self._task.shop)
        return State(self._task.name)

    def rules(self, config: Config, /) -> str:
        """Return the form of the work, the tools, then the task."""
        assert self._task is not None
        tools = "\n".join(f"- {tool.instructions()}" for tool in self._box.tools)
        return (
            "Database: do a task on an SQLite database by calling tools.\n"
            f"In each reply, {_FORM}: its first call is run, and the result is shown to you. "
            f"When all is done, {_END}. All tables are compared with what they should be then: "
            f"leave everything else as it is. There are {config.max_turns} turns, the last reply "
            f"included.\n{tools}\n\nThe task: {self._task.instruction}"
        )

    @staticmethod
    def form(config: Config, /) -> str:
        """Return what a reply without an action is told."""
        return f"{_FORM}; {_END}."

    def parse(self, reply: str, /) -> Move | None:
        """Return what a reply asks for, or None."""
        call = find_call(reply, self._box.tools)
        if call is not None:
            return Move(call)
        answer = last_tag(reply, "answer")
        return None if answer is None else Move(answer=answer)

    @staticmethod
    def write(move: Move, /) -> str:
        """Return the shortest reply that asks for this."""
        if move.call is None:
            return f"<answer>{move.answer}</answer>"
        asked = {"name": move.call.tool, "arguments": move.call.arguments}
        return f"<tool_call>{json.dumps(asked)}</tool_call>"

    def play(self, config: Config, state: State, move: Move, /) -> tuple[State, Outcome]:
        """Run a call, or verify the work.

        Raises:
            ToolFailure: The server cannot be started.
        """
        if move.call is None:
            return self._verified(state, move.answer)
        result = self._called(config, move.call)
        if result.status == "bad_call":
            return state, Outcome("bad_call", result.text, legal=False)
        return state._replace(calls=state.calls + 1), Outcome(result.status, result.text)

    def _called(self, config: Config, call: Call) -> ToolResult:
        problem = call.problem or problem_of(
            call.arguments, self._box.by_name[call.tool].parameters
        )
        if problem:
            return ToolResult(False, problem, "bad_call")
        if self._runner is None:
            assert self._folder is not None
            box = self._box.repointed({"shop": server_of(self._folder / "shop.db")})
            self._runner = box.open()
        return self._runner.run(call, time.monotonic() + config.call_timeout_s)

    def _verified(self, state: State, answer: str) -> tuple[State, Outcome]:
        """Compare what is there with what should be."""
        assert self._task is not None
        assert self._folder is not None
        if is_done(self._task, read_tables(self._folder / "shop.db"), answer):
            outcome = Outcome("solved", "The task is solved.", 1.0, over=True, success=True)
            return state._replace(solved=True), outcome
        return state, Outcome("unsolved", "The task is not solved.", over=True)

    def close(self) -> None:
        """End the server and remove the database; idempotent."""
        runner, self._runner = getattr(self, "_runner", None), None
        folder, self._folder = getattr(self, "_folder", None), None
        if runner is not None:
            runner.close()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
            self._over = True

    # -- beyond a game ------------------------------------------------------------------------

    def legal_move(self, config: Config, state: State, rng: np.random.Generator, /) -> Move:
        """Draw a harmless call, or now and then the end."""
        draw = int(rng.integers(10))
        if draw == 0:
            return Move(answer="done")
        if draw < 5:
            return Move(Call(0, 0, "list_tables", {}))
        return Move(Call(0, 0, "read_query", _NOTHING))

    @staticmethod
    def progress(config: Config, state: State, /) -> float:
        """Return 1 once the task is solved: nothing is told of the work before the end."""
        return float(state.solved)

    @staticmethod
    def extra(config: Config, state: State, /) -> dict[str, Any]:
        """Return the values of ``extra_info``."""
        return {"task": state.task, "calls": state.calls}

    def solution_replies(self) -> tuple[str, ...]:
        """Return replies that solve the task, the answer the last: the reference solution.

        Raises:
            StepOutsideEpisode: No task is posed.
        """
        if self._task is None:
            raise StepOutsideEpisode("no task is posed: call reset()")
        statements = (
            self.write(Move(Call(0, 0, _tool_for(sql), {"sql": sql})))
            for sql in self._task.solution
        )
        return (*statements, self.write(Move(answer=self._task.answer or "done")))


def _tool_for(sql: str) -> str:
    return "read_query" if sql.startswith("SELECT") else "write_query"


def server_of(path: Path) -> StdioServer:
    """Return the server of a database file."""
    # The very package that runs here, wherever it is.
    root = str(Path(__file__).resolve().parents[2])
    places = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
    command = (sys.executable, "-m", "gem_gymnasium.tools.sqlite_server", str(path))
    return StdioServer(command, env={"PYTHONPATH": places})


@cache
def toolbox() -> McpToolbox:
    """Return the server's tools, discovered once a process.

    Raises:
        MissingDependency: The MCP SDK is not installed.
        ConfigError: The server cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="gem-mcp-") as folder:
        server = server_of(Path(folder) / "empty.db")
        return McpToolbox({"shop": server}, connect_timeout_s=60.0)
