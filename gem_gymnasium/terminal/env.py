"""TerminalEnv: a TextEnv whose agent works in a shell until it submits; then checks decide."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from gem_gymnasium.core.errors import (
    MachineryError,
    SandboxUnavailable,
    StepOutsideEpisode,
    ToolFailure,
)
from gem_gymnasium.core.parsing import echo
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.sandbox import Policy, Result, ShellSession
from gem_gymnasium.sandbox.run import choose
from gem_gymnasium.terminal import actions
from gem_gymnasium.terminal.actions import Action
from gem_gymnasium.terminal.checker import Verdict, judge
from gem_gymnasium.terminal.config import Config, ShellConfig
from gem_gymnasium.terminal.families import draw, require_programs
from gem_gymnasium.terminal.layout import lay_out
from gem_gymnasium.terminal.scene import Scene, read_folder
from gem_gymnasium.terminal.task import Task

BEGIN_S = 10.0
"""How long what runs at the beginning may take to be started."""

OUTPUT_BYTES = 65_536
NO_OUTPUT = "(no output)"
CHECKED = "The last turn is used: the work is checked."
NEW_SHELL = "The next command begins in a new shell, in the task's folder."


class State(NamedTuple):
    """What the env tells of an episode; the shell itself no value can hold."""

    family: str
    task: str
    exit_code: int = -1
    passed: int = 0
    total: int = 0
    score: float = 0.0


class TerminalEnv(TextEnv[ShellConfig, State, Action]):
    """Do a task in a shell, then submit; the reward is the weighted share of checks passed.

    The agent works in a bash inside the sandbox. It remembers: folder, variables, functions and
    background jobs live on from one turn to the next (jobs stand still between them). At the end
    everything in it is killed, and a checker that the agent can neither reach nor see looks at what
    is left in the folder. The shell is started by the first command of an episode.

    ## Action Space
    Any text (``UnicodeText``). The first ``<bash>command</bash>``, or a ``<tool_call>`` of ``bash``
    (argument ``command``), is run; the rest of the reply is passed over. A reply without a command
    that holds ``<submit/>``, or calls ``submit``, ends the work. What stands before the last
    ``</think>`` is not read.

    ## Observation Space
    Any text: first the rules and the task, then what the command wrote (stderr where it falls among
    stdout) and how it ended, and the turns left. Nothing is told of the checks before the end.

    ## Rewards
    0 for a command, whatever it does; at the end the weighted share of checks passed; -0.1 for a
    reply without a command or a submission. The return lies in [-0.1, 1], or
    [-0.1 * (max_turns - 1), 1] with ``on_malformed="continue"``, where the last one may be a
    malformed reply too: then down to -0.1 * max_turns.

    ## Episode End
    Terminated by a submission, by the last turn (the work is checked then) or by a malformed reply
    (it is not checked, unless ``on_malformed="continue"``). If the sandbox fails, or somebody
    outside kills the shell, the step is invalid: truncated, reward 0.

    ## Information
    ``event`` is ``ok``, ``error`` (an exit status other than 0), ``timeout``, ``limit``,
    ``bad_call`` (a call that cannot be read: not legal), and at the end ``solved``, ``partial`` or
    ``unsolved``, or ``malformed``. ``family`` and ``task`` name the generator, ``exit_code`` is
    that of the last command (-1: none), ``checks_passed`` of ``checks_total`` passed with weight
    ``score`` (all 0 before the end), ``sandbox`` is the level of isolation.

    ## Arguments
    Those of ``Config``, of ``render_mode`` and of ``on_malformed``. No snapshot can be taken.

    ## References
    GEM's terminal environment (DockerEnv over Terminal-Bench tasks); tasks and wording are our own.

    ## Version History
    v0: first release.
    """

    metadata: dict[str, Any] = {**TextEnv.metadata, "snapshot": False}  # noqa: RUF012
    config_type: ClassVar[type[Any]] = Config
    work_place: ClassVar[str] = ""
    """Another path by which the shell finds its folder."""
    state_type = State
    events = ("ok", "error", "timeout", "limit", "bad_call", "solved", "partial", "unsolved")
    extra_info = {  # noqa: RUF012 - as TextEnv declares it
        "family": str, "task": str, "exit_code": int, "checks_passed": int, "checks_total": int,
        "score": float, "sandbox": str,
    }  # fmt: skip

    def __init__(self, **rules: Any) -> None:
        super().__init__(**rules)
        self._level = self.chosen_level()
        self._task: Task | None = None
        self._shell: ShellSession | None = None
        self._daemons: dict[str, tuple[int, int]] = {}

    # -- where the tasks come from, and what they are worth -------------------------------------

    def chosen_level(self) -> str:
        """Return the sandbox level to work in.

        Raises:
            SandboxUnavailable: None is here that the tasks could be done in; or a program is not.
        """
        config = cast("Config", self.config)
        level = choose("shell session", config.level or None).name
        if level == "docker":
            raise SandboxUnavailable(
                "these tasks look at the processes of their shell and need the machine's programs, "
                "which level 'docker' has not: run `apt-get install bubblewrap`"
            )
        require_programs(config.family)
        return level

    def drawn_task(self, rng: np.random.Generator) -> tuple[str, Task]:
        """Return a family and a task of it."""
        config = cast("Config", self.config)
        return draw(config.family, config.task, rng)

    def policy(self) -> Policy:
        """Return what the shell may use."""
        return Policy(output_bytes=OUTPUT_BYTES)

    def lay_out(self, folder: Path, task: Task) -> None:
        """Put what the task begins with into an empty folder.

        Raises:
            ToolFailure: The sandbox that it takes failed.
        """
        lay_out(folder, task.files)

    def verdict(self, task: Task, folder: Path, alive: frozenset[str]) -> Verdict:
        """Return what is worth what was left in a folder that nobody works in any more.

        Raises:
            GraderError: The sandbox that it takes failed.
        """
        return judge(task.checks, Scene(read_folder(folder), alive), self._level)

    # -- a game whose board is a folder -------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Draw a task; what was left of the last episode is killed and removed."""
        self.close()
        return super().reset(seed=seed, options=options)

    def deal(self, config: ShellConfig, rng: np.random.Generator, /) -> State:
        """Draw a task."""
        family, task = self.drawn_task(rng)
        self._task = task
        return State(family, task.name)

    def rules(self, config: ShellConfig, /) -> str:
        """Return the form of the work, then the task."""
        assert self._task is not None
        return (
            "Terminal: do a task in a bash shell, then submit.\n"
            f"{actions.FORM}. Each reply takes a turn, and runs one command. The shell remembers "
            "its folder, variables, functions and background jobs (which stand still between "
            "commands). Commands have no terminal, no network and an empty stdin; each is stopped "
            f"after {config.command_timeout_s:g} s, and of its output up to "
            f"{config.max_output_chars} characters are shown. Paths are relative to the folder "
            "that the shell starts in. When you submit, all that still runs is killed, and what "
            "is left in that folder is checked. So it is when all turns are used, of which there "
            f"are {config.max_turns}.\n\nThe task: {self._task.instruction}"
        )

    @staticmethod
    def form(config: ShellConfig, /) -> str:
        """Return what a reply that asked for nothing is told."""
        return f"{actions.FORM}."

    @staticmethod
    def parse(reply: str, /) -> Action | None:
        """Return what a reply asks for, or None."""
        return actions.parse(reply)

    @staticmethod
    def write(move: Action, /) -> str:
        """Return the shortest reply that asks for this."""
        return actions.write(move)

    def play(self, config: ShellConfig, state: State, move: Action, /) -> tuple[State, Outcome]:
        """Run a command, or check the work.

        Raises:
            ToolFailure: The sandbox failed, or the shell was killed from outside.
            GraderError: The sandbox that a check needs failed.
        """
        if move.problem:
            outcome = Outcome("bad_call", move.problem, legal=False)
        elif move.command is None:
            return self._checked(state, "")
        else:
            state, outcome = self._ran(config, state, move.command)
        if self._turn >= self._max_turns:
            return self._checked(state, f"{outcome.feedback}\n{CHECKED}\n")
        return state, outcome

    def _malformed(self, action: str) -> Outcome:
        """Judge a reply without an action; the work is checked if it was the last turn."""
        outcome = super()._malformed(action)
        if outcome.over or self._turn < self._max_turns or self._state is None:
            return outcome
        self._state, checked = self._checked(self._state, f"{outcome.feedback}\n{CHECKED}\n")
        return Outcome(
            outcome.event,
            checked.feedback,
            outcome.reward + checked.reward,
            legal=False,
            over=True,
            success=checked.success,
        )

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Apply one reply; see ``TextEnv.step``."""
        try:
            result = super().step(action)
        except MachineryError as error:  # at the last turn, of a malformed reply
            if self._state is None:
                raise
            result = self._invalid(self._state, error)
        if result[2] or result[3]:
            self.close()
        return result

    def _answer(
        self, state: State, outcome: Outcome, head: str, feedback: str
    ) -> tuple[str, dict[str, Any]]:
        # What a malformed reply at the last turn was worth is in the state by now.
        return super()._answer(self._state or state, outcome, head, feedback)

    # -- the shell ----------------------------------------------------------------------------

    def _ran(self, config: ShellConfig, state: State, command: str) -> tuple[State, Outcome]:
        """Run a command; say what it wrote and how it ended."""
        shell = self._opened()
        result = shell.run(command, time_s=config.command_timeout_s)
        if result.status == "failed":
            raise ToolFailure(f"the shell (level {self._level}) failed: {result.detail}")
        notes = [echo(result.output.strip("\n"), config.max_output_chars) or NO_OUTPUT]
        if result.detail:
            notes.append(f"[{result.detail}]")
        if not shell.is_open:
            notes.append(NEW_SHELL)
        state = state._replace(exit_code=_exit_code(result))
        return state, Outcome(result.status, "\n".join(notes))

    def _opened(self) -> ShellSession:
        """Return the episode's shell; the first time, lay out the task and begin it."""
        if self._shell is not None:
            return self._shell
        assert self._task is not None
        task = self._task
        self._shell = shell = ShellSession(self.policy(), self._level, place=self.work_place)
        self.lay_out(shell.folder, task)
        if task.begin:
            begun = shell.run(task.begin, time_s=BEGIN_S)
            if begun.status != "ok":
                raise ToolFailure(f"the task could not begin: {begun.detail} {begun.output}")
        if task.daemons:
            self._daemons = self._found(shell, task)
        return shell

    @staticmethod
    def _found(shell: ShellSession, task: Task) -> dict[str, tuple[int, int]]:
        """Return which processes the daemons are, once all of them have their names.

        Raises:
            ToolFailure: They do not come.
        """
        deadline = time.monotonic() + BEGIN_S
        while time.monotonic() < deadline:
            running = {process.command.partition(" ")[0]: process for process in shell.processes()}
            if running.keys() >= {*task.daemons}:
                return {name: running[name].identity for name in task.daemons}
            shell.run("sleep 0.01")
        raise ToolFailure("the task could not begin: not all of its processes run")

    def _checked(self, state: State, head: str) -> tuple[State, Outcome]:
        """End the episode: kill all that runs, and look at what is left."""
        assert self._task is not None
        shell = self._opened()
        if self._daemons:
            shell.run(":", time_s=1.0)  # who has been sent a signal, and stood still, gets it
        running = {process.identity for process in shell.processes()}
        alive = frozenset(name for name, began in self._daemons.items() if began in running)
        shell.stop()
        verdict = self.verdict(self._task, shell.folder, alive)
        state = state._replace(passed=verdict.passed, total=verdict.total, score=verdict.score)
        event = _event(verdict)
        feedback = f"{head}{verdict.passed} of {count_of(verdict.total, 'check')} passed."
        return state, Outcome(event, feedback, verdict.score, over=True, success=event == "solved")

    def close(self) -> None:
        """Kill the shell and remove its folder; idempotent."""
        shell, self._shell = getattr(self, "_shell", None), None
        self._daemons = {}
        if shell is not None:
            shell.close()

    # -- beyond a game ------------------------------------------------------------------------

    def legal_move(self, config: ShellConfig, state: State, rng: np.random.Generator, /) -> Action:
        """Draw a harmless command, or now and then the end of the work."""
        assert self._task is not None
        if rng.random() < 0.05:
            return Action(None)
        path = str(rng.choice(sorted(self._task.files) or ["."]))
        programs = ("wc -c", "head -n 3", "ls -d", "basename", "dirname")
        return Action(f"{rng.choice(programs)} {shlex.quote(path)}")

    @staticmethod
    def progress(config: ShellConfig, state: State, /) -> float:
        """Return the score: 0 before the end, since nothing is told of the checks."""
        return state.score

    @staticmethod
    def optimal_turns(config: ShellConfig, state: State, /) -> int:
        """Return -1: how few commands would do, nobody knows."""
        return -1

    def extra(self, config: ShellConfig, state: State, /) -> dict[str, Any]:
        """Return the values of ``extra_info``."""
        return {
            "family": state.family,
            "task": state.task,
            "exit_code": state.exit_code,
            "checks_passed": state.passed,
            "checks_total": state.total,
            "score": state.score,
            "sandbox": self._level,
        }

    def solution_replies(self) -> tuple[str, ...]:
        """Return replies that earn everything, the submission the last: the reference solution.

        Raises:
            StepOutsideEpisode: No task is posed.
        """
        if self._task is None:
            raise StepOutsideEpisode("no task is posed: call reset()")
        commands = (actions.write(Action(command)) for command in self._task.solution)
        return (*commands, actions.SUBMIT)


def _exit_code(result: Result) -> int:
    """Return the exit status of a command that came to its own end, else -1."""
    if result.status == "ok":
        return 0
    _, _, number = result.detail.rpartition("exit status ")
    return int(number) if number.isdecimal() else -1


def _event(verdict: Verdict) -> str:
    if verdict.passed == verdict.total:
        return "solved"
    return "partial" if verdict.passed else "unsolved"
