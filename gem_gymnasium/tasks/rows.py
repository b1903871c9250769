"""Rows: what a task is made of, read from somewhere or generated, by index."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gem_gymnasium.core.errors import ConfigError

SelfT = TypeVar("SelfT", bound="Rows")

MAX_RECENT = 64
"""Generated rows that are kept: each is asked for when it is posed, and again to be graded."""


class Row(NamedTuple):
    """One task.

    Args:
        id: What it is called in its data set; reported as ``info["row_id"]``.
        question: The text that is posed, without a word on the form of the answer.
        answer: What the family's grader compares a reply with: a text or several, a table of
            tests, a record. Never shown.
        images: What belongs to the question: encoded images (bytes), Pillow images, or the
            ``{"bytes": ...}`` of a hub data set.
        gold: An answer that the grader calls right, as it stands inside the answer's form;
            ``""`` if none is known.
    """

    id: str
    question: str
    answer: Any
    images: tuple[Any, ...] = ()
    gold: str = ""


class Rows(ABC):
    """A data set: rows by index, the same whenever they are asked for.

    A handle: a deep copy is itself, since gymnasium copies an id's kwargs at every ``make``.
    Any thread may ask it. What it holds is immutable, or guarded by a lock.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What is shown of it, and compared when a snapshot is restored."""
        raise NotImplementedError

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of rows, at least 1."""
        raise NotImplementedError

    @abstractmethod
    def row(self, index: int) -> Row:
        """Return a row of the unshuffled set, ``0 <= index < len(self)``.

        Raises:
            ConfigError: The row cannot be read as one of its task.
        """
        raise NotImplementedError

    looks_ahead: int = 0
    """How many rows an env names before it poses them."""

    def prepare(self, indices: Sequence[int]) -> None:  # noqa: B027 - most rows need none
        """Get ready, without waiting, for rows that will be asked for next."""

    def __deepcopy__(self: SelfT, memo: dict[int, Any]) -> SelfT:
        return self

    def __copy__(self: SelfT) -> SelfT:
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"


class Listed(Rows):
    """Rows that the caller has at hand. Pickling it carries them all.

    Args:
        rows: At least one.
        name: What the data set is called.

    Raises:
        ConfigError: There is no row, or something else among them.
    """

    def __init__(self, rows: Iterable[Row], name: str = "listed") -> None:
        rows = tuple(rows)
        if not rows:
            raise ConfigError("rows must hold at least one Row")
        for place, row in enumerate(rows):
            if not isinstance(row, Row):  # pyright: ignore[reportUnnecessaryIsInstance] # users err
                raise ConfigError(
                    f"rows must hold Row(id=..., question=..., answer=...), got {row!r} at {place}"
                )
        self._rows, self._name = rows, name

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        """Return a row."""
        return self._rows[index]


class Computed(Rows):
    """Rows that are computed when asked for; a subclass has ``compute``."""

    def __init__(self) -> None:
        self._recent: OrderedDict[int, Row] = OrderedDict()
        self._lock = threading.Lock()

    @abstractmethod
    def compute(self, index: int) -> Row:
        """Compute a row anew."""
        raise NotImplementedError

    def row(self, index: int) -> Row:
        """Compute a row, or return it from among the last that were computed."""
        with self._lock:
            if (row := self._recent.get(index)) is not None:
                return row
        row = self.compute(index)
        with self._lock:
            self._recent[index] = row
            if len(self._recent) > MAX_RECENT:
                self._recent.popitem(last=False)
        return row


class Generated(Computed):
    """Rows from a function, each from ``SeedSequence((seed, index))``.

    Args:
        item: A function at the top level of a module (so that it pickles by name), called
            ``item(rng, **settings) -> Row``. It draws from ``rng`` only. An empty ``id`` is filled
            with the row's index.
        size: Number of rows.
        seed: What tells one data set from another with the same settings.
        **settings: JSON-able arguments of ``item``, such as the level.

    Raises:
        ConfigError: The size is below 1, or the seed below 0.
    """

    def __init__(self, item: Callable[..., Row], *, size: int, seed: int, **settings: Any) -> None:
        if size < 1:
            raise ConfigError(f"size must be at least 1, got {size}")
        if seed < 0:
            raise ConfigError(f"data_seed must be at least 0, got {seed}")
        super().__init__()
        self.item, self.size, self.seed, self.settings = item, size, seed, settings

    @property
    def name(self) -> str:
        """The function with its arguments."""
        told = json.dumps({"size": self.size, "seed": self.seed, **self.settings}, sort_keys=True)
        return f"{self.item.__module__}.{self.item.__qualname__} {told}"

    def __len__(self) -> int:
        return self.size

    def compute(self, index: int) -> Row:
        """Call the function."""
        rng = np.random.default_rng(np.random.SeedSequence((self.seed, index)))
        row = self.item(rng, **self.settings)
        return row if row.id else row._replace(id=str(index))

    def __reduce__(self) -> tuple[Any, ...]:
        return _generated, (self.item, self.size, self.seed, self.settings)


def _generated(
    item: Callable[..., Row], size: int, seed: int, settings: dict[str, Any]
) -> Generated:
    """Make a ``Generated`` of what was pickled."""
    return Generated(item, size=size, seed=seed, **settings)
