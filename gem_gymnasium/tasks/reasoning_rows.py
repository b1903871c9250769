"""Rows of reasoning-gym: its generators by index, training and evaluation apart.

reasoning-gym's item i of seed s is drawn from ``Random(s + i)``, so that data sets of near seeds
share items, and two seeds far apart may still deal the same puzzle. Here a digest of the question
decides which split an item belongs to: one in ``EVAL_SHARE`` is for evaluation, whatever its seed,
size and settings. An item of the one split is therefore never one of the other. Row i is the first
item of i, i + size, i + 2 size, ... that belongs to the split.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import random
import threading
from collections import OrderedDict
from collections.abc import Generator, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError, MissingDependency, UnknownName
from gem_gymnasium.core.spaces import MAX_CHARS
from gem_gymnasium.tasks import reasoning_codeio
from gem_gymnasium.tasks.ahead import Ahead
from gem_gymnasium.tasks.reasoning_gym_names import SLOW
from gem_gymnasium.tasks.reasoning_mended import MENDED
from gem_gymnasium.tasks.rows import Computed, Row

EVAL_SHARE = 4
SPLITS = ("train", "eval")
TRIES = 64
"""Items among which one of the split is sought: (3/4)**64 is 1e-8."""

LONGEST = MAX_CHARS // 2
"""Characters of a question or an answer: both go into texts with others around them."""

LOOKS_AHEAD = 4
KEEP = 1_024
"""Rows of a slow generator that are kept."""

DEFAULT_LEVEL = -1

_EAGER = ("acre", "word_ladder")
"""Data sets that make every item when they are constructed, or bound their number: they are opened
in spans of ``size`` items, the others once."""

_GLOBAL = ("codeio", "list_functions", "pool_matrix")
"""Data sets that draw from the generators of ``random`` or ``numpy.random``, in part unseeded."""

_MAX_SHARED = 64


class ReasoningRows(Computed):
    """A data set of reasoning-gym.

    Args:
        dataset: Its name there.
        size: Number of rows.
        seed: As reasoning-gym's.
        split: ``train`` or ``eval``.
        curriculum: The level of every attribute of its curriculum (its highest, where it has
            fewer), or -1 for its default settings.
        deadline_s: How long a row of a slow generator is waited for.
        settings: Fields of its config.

    Raises:
        UnknownName: There is no such data set, split or setting.
        ConfigError: reasoning-gym refuses a setting, or has no curriculum for it.
        MissingDependency: reasoning-gym is not installed.
    """

    def __init__(
        self,
        dataset: str,
        *,
        size: int,
        seed: int,
        split: str,
        curriculum: int,
        deadline_s: float,
        settings: Mapping[str, Any],
    ) -> None:
        super().__init__()
        if size < 1 or seed < 0:
            raise ConfigError(f"size must be at least 1 and seed at least 0, got {size} and {seed}")
        if split not in SPLITS:
            raise UnknownName("split", split, SPLITS)
        if deadline_s <= 0:
            raise ConfigError(f"deadline_s must be above 0, got {deadline_s}")
        self._arguments: dict[str, Any] = {
            "size": size,
            "seed": seed,
            "split": split,
            "curriculum": curriculum,
            "deadline_s": deadline_s,
            "settings": dict(settings),
        }
        self.dataset, self.size, self.seed, self.split = dataset, size, seed, split
        self._span = size if dataset in _EAGER else size * TRIES
        self._sources = {0: self._open(0)}
        self._generating = threading.Lock()
        self._ahead: Ahead[Row] | None = None
        if dataset in SLOW:
            self.looks_ahead = LOOKS_AHEAD
            self._ahead = Ahead(self.compute, deadline_s=deadline_s, keep=min(size, KEEP))

    @property
    def name(self) -> str:
        """Its name, with what it was made with."""
        told = {name: value for name, value in self._arguments.items() if name != "deadline_s"}
        return f"reasoning-gym {self.dataset} {json.dumps(told, sort_keys=True, default=str)}"

    def __len__(self) -> int:
        return self.size

    def prepare(self, indices: Sequence[int]) -> None:
        """Have the rows of a slow generator made."""
        if self._ahead is not None:
            self._ahead.prepare(indices)

    def row(self, index: int) -> Row:
        """Return a row.

        Raises:
            StepTimeout: A slow generator did not make it by the deadline.
            ConfigError: The data set has too few different questions to part into splits.
        """
        return super().row(index) if self._ahead is None else self._ahead.get(index)

    def compute(self, index: int) -> Row:
        """Generate the first item that belongs to the split."""
        for place in range(index, self.size * TRIES, self.size):
            entry = self._item(place)
            if split_of(entry["question"]) == self.split and self._can_be_posed(entry):
                return Row(str(place), entry["question"], entry, gold=gold_of(entry))
        raise ConfigError(
            f"none of {TRIES} items of {self.dataset} belongs to split {self.split!r}: with these "
            "settings it has too few different questions"
        )

    def _can_be_posed(self, entry: Mapping[str, Any]) -> bool:
        """Return whether the question and its answer fit into a text, and make sense."""
        if self.dataset == reasoning_codeio.NAME and not reasoning_codeio.is_sound(entry):
            return False
        return max(len(entry["question"]), len(gold_of(entry))) <= LONGEST

    def _item(self, place: int) -> dict[str, Any]:
        """Return reasoning-gym's item."""
        number, offset = divmod(place, self._span)
        with self._generating:  # some generators keep state
            if number not in self._sources:
                self._sources[number] = self._open(number)
            if self.dataset not in _GLOBAL:
                return self._sources[number][offset]
            with _seeded_globals(self.seed + place):
                return self._sources[number][offset]

    def _open(self, number: int) -> Any:
        """Return reasoning-gym's data set of a span of items."""
        curriculum, settings = self._arguments["curriculum"], self._arguments["settings"]
        seed = self.seed + number * self._span
        config = configured(self.dataset, curriculum, settings, self._span, seed)
        source = factory().DATASETS[self.dataset][0](config=config)
        if self.dataset in MENDED:
            MENDED[self.dataset](source)
        return source

    def __reduce__(self) -> tuple[Any, ...]:
        return shared_rows, (self.dataset, self._arguments)


_handles: OrderedDict[str, ReasoningRows] = OrderedDict()
_guard = threading.Lock()


def shared_rows(dataset: str, arguments: Mapping[str, Any]) -> ReasoningRows:
    """Return rows that all envs of the process share which ask for the same.

    Args:
        dataset: As for :class:`ReasoningRows`.
        arguments: Likewise, by name.

    Raises:
        ConfigError: As for :class:`ReasoningRows`.
    """
    key = f"{dataset} {json.dumps(arguments, sort_keys=True, default=repr)}"
    with _guard:
        rows = _handles.pop(key, None) or ReasoningRows(dataset, **arguments)
        _handles[key] = rows
        if len(_handles) > _MAX_SHARED:
            _handles.popitem(last=False)
    return rows


_globals = threading.Lock()


@contextlib.contextmanager
def _seeded_globals(seed: int) -> Generator[None]:
    """Seed the global generators, and put them back as they were."""
    with _globals:
        saved = random.getstate(), np.random.get_state()  # noqa: NPY002 - reasoning-gym draws here
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002
        try:
            yield
        finally:
            random.setstate(saved[0])
            np.random.set_state(saved[1])  # noqa: NPY002


def split_of(question: str) -> str:
    """Return the split that a question belongs to."""
    digest = hashlib.blake2b(question.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return SPLITS[int.from_bytes(digest, "big") % EVAL_SHARE == 0]


def gold_of(entry: Mapping[str, Any]) -> str:
    """Return an answer that scores 1, or ``""``: five data sets keep none, or among the rest."""
    metadata: Mapping[str, Any] = entry["metadata"]
    if entry["answer"] is not None:
        return str(entry["answer"])
    for key in ("example_answer", "example_correct_answer", "possible_answer"):
        if key in metadata:
            value = metadata[key]
            return value if isinstance(value, str) else json.dumps(value)
    return ""


def factory() -> Any:
    """Return reasoning-gym's factory, which has no types.

    Raises:
        MissingDependency: It is not installed.
    """
    try:
        import_module("reasoning_gym")
        return import_module("reasoning_gym.factory")
    except ImportError:
        raise MissingDependency("reasoning-gym", "tasks", "gem/RG-...") from None


def configured(
    dataset: str, curriculum: int, settings: Mapping[str, Any], size: int, seed: int
) -> Any:
    """Return the config of a data set.

    Raises:
        UnknownName: It has no such setting, or there is no such data set.
        ConfigError: reasoning-gym refuses a value, or has no curriculum for it.
    """
    made = factory()
    if dataset not in made.DATASETS:
        raise UnknownName("reasoning-gym data set", dataset, made.DATASETS)
    config_type = made.DATASETS[dataset][1]
    known = {field.name for field in dataclasses.fields(config_type)} - {"size", "seed"}
    for name in settings:
        if name not in known:
            raise UnknownName(f"setting of {dataset}", name, known)
    arguments = {**settings, "size": size, "seed": seed}
    try:
        if curriculum == DEFAULT_LEVEL:
            config = config_type(**arguments)
        elif not made.has_curriculum(dataset):
            raise ConfigError(f"reasoning-gym has no curriculum for {dataset}")
        elif curriculum < 0:
            raise ConfigError(f"curriculum must be a level from 0, or -1, got {curriculum}")
        else:
            levels = made.create_curriculum(dataset)
            levels.set_global_level(curriculum)
            config = dataclasses.replace(levels.generate_configuration(arguments), **settings)
        if hasattr(config, "validate"):
            config.validate()
    except (AssertionError, TypeError, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(
            f"reasoning-gym refuses {dict(settings)} for {dataset}: {error}"
        ) from error
    return config
