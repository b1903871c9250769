"""DatasetTask: a ``TextEnv`` whose episode is one row: a question, one reply, a grade.

A family of tasks (math, QA, ...) is a subclass that names its config and has a grader; a data set
is a row of ``table.py`` or a :class:`~gem_gymnasium.tasks.rows.Rows`. What a reply is worth is
decided by the grader alone, which is told the same form of answer as the player.

A game's functions are static, since config and state are all they read; a task's are methods, since
they read its rows.
"""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError, GraderError, StepOutsideEpisode, UnknownName
from gem_gymnasium.core.parsing import echo
from gem_gymnasium.core.spaces import MAX_CHARS
from gem_gymnasium.core.text_env import MALFORMED, MALFORMED_REWARD, Outcome, TextEnv
from gem_gymnasium.graders import Grade, find_answer
from gem_gymnasium.tasks.rows import Row, Rows
from gem_gymnasium.tasks.shuffle import shuffled

SENTENCES: Mapping[str, str] = {
    "boxed": "Put the final answer in \\boxed{}.",
    "answer_tag": "Put the final answer between <answer> and </answer>.",
    "none": "Reply with the final answer alone.",
    "any": "",
    "code": "Put the whole program in one Markdown code block that starts with ```python.",
}
"""What the observation says last, of each form that an answer may have. ``any`` says nothing and
takes every form: for trainers whose own templates ask for one."""

QUESTION = "{question}"
"""What stands for the question in ``Config.prompt``."""

_MAX_QUESTION = MAX_CHARS - 2_000
_MAX_DETAIL = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What every task can be told.

    Args:
        prompt: The text around the question, which stands for ``{question}``.
        answer_format: The form of the answer: one of the family's ``forms``.
        max_turns: Always 1: ``wrappers.ToolUse`` makes a task of several turns.

    Raises:
        ConfigError: The prompt has no place for the question, or ``max_turns`` is not 1.
        UnknownName: There is no such form.
    """

    forms: ClassVar[tuple[str, ...]] = ("boxed", "answer_tag", "none", "any")

    prompt: str = QUESTION
    answer_format: str = "boxed"
    max_turns: int = 1

    def __post_init__(self) -> None:
        if self.answer_format not in self.forms:
            raise UnknownName("answer format", self.answer_format, self.forms)
        if QUESTION not in self.prompt:
            raise ConfigError(f"prompt must contain {QUESTION}, got {self.prompt!r}")
        if self.max_turns != 1:
            raise ConfigError(f"max_turns must be 1, a task is one reply; got {self.max_turns}")


class State(NamedTuple):
    """Which row is posed, and what the grader said of the reply to it."""

    row: int
    row_id: str = ""
    score: float = 0.0
    status: str = ""
    """A ``Grade``'s status; ``""`` before the reply."""
    detail: str = ""


class Order(NamedTuple):
    """The shuffled order in which an env poses its rows."""

    key: int
    position: int
    """Of the row that comes next."""
    spawn_key: tuple[int, ...]
    """Of the generator that drew the key: a branch's own generator begins an order of its own."""


class DatasetTask(TextEnv[Config, State, str]):
    """One question, one reply, one grade. See ``tasks/math.py`` for the shape of a family.

    A subclass names its ``config_type`` (a subclass of :class:`Config`) and has

    - ``grade(config, reply, row)``, which calls a grader of ``gem_gymnasium.graders``;
    - ``open_rows(config)``, where its rows come from;
    - ``guess(row, rng)``, an answer as a player who knows nothing might give.

    ``reset()`` poses the rows in a shuffled order, without a repeat until all were posed; a seed
    begins another order. ``reset(options={"index": i})`` poses row i of the unshuffled set,
    ``reset(seed=s, options={"row_from_seed": True})`` row ``s % n``; both leave the order alone.

    Args:
        data: Rows to pose instead of those that the config names, or (where ``config_type`` has
            such a field) their name.
        **rules: Fields of ``config_type``, and the arguments of ``TextEnv``.

    Raises:
        ConfigError: A rule does not exist, or it or ``data`` is refused.
        DataUnavailable: The rows are not on this machine.
    """

    config_type: ClassVar[type[Any]] = Config
    state_type = State
    events = ("right", "partial", "wrong")
    extra_info = {  # noqa: RUF012 - as TextEnv declares it
        "row": int, "row_id": str, "score": float, "grade": str, "grade_detail": str,
    }  # fmt: skip
    reset_options = ("index", "row_from_seed")
    tells_turns = False

    def __init__(self, *, data: str | Rows | None = None, **rules: Any) -> None:
        if not isinstance(data, str | Rows | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigError(
                "data must be rows, such as gem_gymnasium.tasks.rows.Listed([Row(id=..., "
                f"question=..., answer=...)]), or the name of a data set, got {data!r}"
            )
        if data is not None:
            rules["data"] = data.name if isinstance(data, Rows) else data
        super().__init__(**rules)
        self.rows = data if isinstance(data, Rows) else self.open_rows(self.config)
        self._order: Order | None = None
        self._seed: int | None = None

    # -- what a family has --------------------------------------------------------------------

    @abstractmethod
    def open_rows(self, config: Any, /) -> Rows:
        """Return the rows that the config names.

        Raises:
            DataUnavailable: They are not on this machine.
        """
        raise NotImplementedError

    @abstractmethod
    def grade(self, config: Any, reply: str, row: Row, /) -> Grade:
        """Return what the reply is worth."""
        raise NotImplementedError

    def guess(self, row: Row, rng: np.random.Generator, /) -> str:
        """Return an answer (without its form) as a player who knows nothing might give."""
        return str(int(rng.integers(100)))

    def find(self, config: Any, reply: str, /) -> str | None:
        """Return the answer in a reply, or None."""
        return find_answer(reply, config.answer_format)

    # -- a game of one move -------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Pose a row; see the class for the ``options`` and ``TextEnv.reset`` for the rest."""
        if seed is not None:
            self._order = None
        self._seed = seed
        return super().reset(seed=seed, options=options)

    def deal(self, config: Config, rng: np.random.Generator, /) -> State:
        """Take the next row of the order; draw a new order when there is none left."""
        order, spawn_key = self._order, _spawn_key(rng)
        if order is None or order.spawn_key != spawn_key or order.position >= len(self.rows):
            order = Order(int(rng.integers(2**63)), 0, spawn_key)
        key, position, n = order.key, order.position, len(self.rows)
        self._order = order._replace(position=position + 1)
        if self.rows.looks_ahead:
            last = min(n, position + self.rows.looks_ahead + 1)
            self.rows.prepare([shuffled(place, n, key) for place in range(position, last)])
        return self._posed(shuffled(position, n, key))

    def deal_as_told(
        self, config: Config, rng: np.random.Generator, options: Mapping[str, Any], /
    ) -> State:
        """Take the row that ``options`` name.

        Raises:
            ConfigError: There is no such row, or the options contradict each other.
        """
        by_seed = options.get("row_from_seed", False)
        if not isinstance(by_seed, bool):
            raise ConfigError(f"row_from_seed must be True or False, got {by_seed!r}")
        index, n = options.get("index"), len(self.rows)
        if by_seed:
            if index is not None:
                raise ConfigError("give either index or row_from_seed, not both")
            if self._seed is None:
                raise ConfigError("row_from_seed needs a seed: reset(seed=..., options=...)")
            return self._posed(self._seed % n)
        if index is None:
            return self.deal(config, rng)
        try:
            index = operator.index(index)
        except TypeError:
            raise ConfigError(f"index must be an int, got {index!r}") from None
        if not 0 <= index < n:
            raise ConfigError(f"index must be in 0..{n - 1}, got {index}")
        return self._posed(index)

    def _posed(self, index: int) -> State:
        return State(index, echo(str(self.rows.row(index).id), _MAX_DETAIL))

    def _answer(
        self, state: State, outcome: Outcome, head: str, feedback: str
    ) -> tuple[str, dict[str, Any]]:
        """Compose observation and info: at reset the prompt, after a reply what it was worth."""
        if outcome.event == "reset":
            head = self.prompt_of(self.rows.row(state.row))
        elif outcome.event == MALFORMED:
            self._state = state = state._replace(status="unparseable", detail="no answer")
        return super()._answer(state, outcome, head, feedback)

    def prompt_of(self, row: Row) -> str:
        """Return all that is said of a row: the prompt, then how to give the answer."""
        question = echo(row.question, _MAX_QUESTION)
        prompt = self.config.prompt.replace(QUESTION, question)
        sentence = self.rules(self.config)
        return f"{prompt}\n\n{sentence}" if sentence else prompt

    def rules(self, config: Config, /) -> str:
        """Return the sentence on the form of the answer."""
        return SENTENCES[config.answer_format]

    def form(self, config: Config, /) -> str:
        """Return what a reply that held no answer is told."""
        return SENTENCES[config.answer_format] or "Give an answer."

    def parse(self, reply: str, /) -> str | None:
        """Return the reply, which the grader reads, or None if it holds no answer."""
        return None if self.find(self.config, reply) is None else reply

    @staticmethod
    def write(move: str, /) -> str:
        """Return the reply that is a move: itself."""
        return move

    def _malformed(self, action: str) -> Outcome:
        """Judge a reply without an answer."""
        what = (
            f"The reply is over {MAX_CHARS} characters long."
            if len(action) > MAX_CHARS
            else f"No answer was found. {self.form(self.config)}"
        )
        return Outcome(MALFORMED, what, MALFORMED_REWARD, legal=False, over=True)

    def play(self, config: Config, state: State, move: str, /) -> tuple[State, Outcome]:
        """Grade a reply.

        Raises:
            GraderError: The grader failed.
        """
        grade = self.grade(config, move, self.rows.row(state.row))
        if grade.status == "error":
            raise GraderError(grade.detail)
        score = min(1.0, max(0.0, float(grade.score)))
        event = "right" if score == 1.0 else "partial" if score > 0.0 else "wrong"
        feedback = {
            "right": "The answer is right.",
            "partial": f"The answer is partly right: {score:.2f}.",
            "wrong": "The answer is wrong.",
        }[event]
        if grade.status == "timeout":
            feedback = "The answer took too long to judge: it counts as wrong."
        detail = echo(grade.detail, _MAX_DETAIL)
        state = state._replace(score=score, status=grade.status, detail=detail)
        return state, Outcome(event, feedback, score, over=True, success=event == "right")

    def legal_move(self, config: Config, state: State, rng: np.random.Generator, /) -> str:
        """Return a guess in the right form."""
        return in_form(self.guess(self.rows.row(state.row), rng), config.answer_format)

    @staticmethod
    def progress(config: Config, state: State, /) -> float:
        """Return the score."""
        return state.score

    @staticmethod
    def optimal_turns(config: Config, state: State, /) -> int:
        """Return 1."""
        return 1

    @staticmethod
    def extra(config: Config, state: State, /) -> dict[str, Any]:
        """Return the row and its grade."""
        return {
            "row": state.row,
            "row_id": state.row_id,
            "score": state.score,
            "grade": state.status,
            "grade_detail": state.detail,
        }

    # -- beyond a game ------------------------------------------------------------------------

    def gold_reply(self) -> str | None:
        """Return a reply that is right, or None if the data set knows of none.

        Raises:
            StepOutsideEpisode: No row is posed.
        """
        if self._state is None:
            raise StepOutsideEpisode("no row is posed: call reset()")
        gold = self.rows.row(self._state.row).gold
        return in_form(gold, self.config.answer_format) if gold else None

    def snapshot_state(self) -> dict[str, Any]:
        """Return the episode and the order of the rows."""
        return {**super().snapshot_state(), "order": self._order}

    def restore_state(self, data: dict[str, Any]) -> None:
        """Take up the episode and the order."""
        super().restore_state(data)
        order = data["order"]
        self._order = None if order is None else Order(order[0], order[1], tuple(order[2]))


def in_form(answer: str, answer_format: str) -> str:
    """Return the shortest reply that gives an answer in a form."""
    if answer_format == "boxed":
        return f"\\boxed{{{answer}}}"
    if answer_format == "answer_tag":
        return f"<answer>{answer}</answer>"
    if answer_format == "code":
        return f"```python\n{answer}\n```"
    return answer


def _spawn_key(rng: np.random.Generator) -> tuple[int, ...]:
    """Return what tells a spawned generator from the one it was spawned from."""
    return tuple(getattr(rng.bit_generator.seed_seq, "spawn_key", ()))
