"""Table: rows of a file or a hub data set, each column named by the place where it is."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from gem_gymnasium.core.errors import ConfigError, DataUnavailable, UnknownName
from gem_gymnasium.tasks.dataset_task import Config
from gem_gymnasium.tasks.files import Record, Records, file_stamp, is_file_name, read_file
from gem_gymnasium.tasks.hub import HubName, download, is_hub_name, read_hub
from gem_gymnasium.tasks.rows import Row, Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfig(Config):
    """What a task over a table can be told, beside what every task can.

    Args:
        data: A file (``.jsonl``, ``.json``, ``.csv``, ``.parquet``), a data set of the hub
            (``owner/name``), or a :class:`~gem_gymnasium.tasks.rows.Rows`.
        subset: Configuration of a hub data set; ``""``: the only one, or ``default``.
        split: Split of a hub data set; ``""``: the only one.
        revision: Commit of a hub data set; ``""``: the newest one that is there.
        download: Download what is not in the local cache.
        question_key: The column of the question. A dotted path leads into records, lists (by
            number) and columns of JSON text: ``extra.game.question``, ``prompt.-1.content``.
        answer_key: The column of the answer, likewise.
        id_key: The column of the row's id; ``""``: its index.
        image_key: The column of the images, one or a list; ``""``: none.
        gold_key: The column of an answer that is right; ``""``: the answer itself, but for a code
            task, whose answer is its tests.
    """

    answer_is_gold: ClassVar[bool] = True

    data: str = ""
    subset: str = ""
    split: str = ""
    revision: str = ""
    download: bool = False
    question_key: str = "question"
    answer_key: str = "answer"
    id_key: str = ""
    image_key: str = ""
    gold_key: str = ""


class Columns(NamedTuple):
    """The columns of a table that make up its rows."""

    question: str
    answer: str
    id: str = ""
    image: str = ""
    gold: str = ""
    """``""``: none is known."""


class Table(Rows):
    """Rows of a file or of a hub data set in the local cache.

    What it reads is read when first asked for, once in a process, and shared by all tables of the
    same source. Pickled, it is its source and its columns.

    Args:
        source: A file name, or the split of a hub data set.
        columns: Where the parts of a row are.

    Raises:
        ConfigError: The source is neither.
    """

    def __init__(self, source: str | HubName, columns: Columns) -> None:
        if isinstance(source, str) and not is_file_name(source):
            raise ConfigError(
                "data must be a file (.jsonl, .json, .csv, .parquet), a data set of the hub "
                f"(owner/name) or a gem_gymnasium.tasks.rows.Rows, got {source!r}"
            )
        self.source, self.columns = source, columns
        self._records: Records | None = None

    @property
    def name(self) -> str:
        """The file, or the split."""
        return str(self.source)

    def __len__(self) -> int:
        return len(self.records())

    def row(self, index: int) -> Row:
        """Return a row.

        Raises:
            ConfigError: It lacks a column, its question is no text, or its answer is empty.
        """
        try:
            return self._row(index)
        except ConfigError as error:
            raise ConfigError(f"row {index} of {self.name}: {error}") from error

    def _row(self, index: int) -> Row:
        record, columns = self.records()[index], self.columns
        question = plain(value_at(record, columns.question))
        if not isinstance(question, str):
            raise ConfigError(f"there is no text at {columns.question!r}")
        answer = plain(value_at(record, columns.answer))
        if answer is None or answer in ("", ()):
            raise ConfigError(f"there is no answer at {columns.answer!r}")
        id = str(value_at(record, columns.id)) if columns.id else str(index)
        images = _listed(value_at(record, columns.image)) if columns.image else ()
        gold = gold_of(plain(value_at(record, columns.gold))) if columns.gold else ""
        return Row(id, question, answer, images, gold)

    def records(self) -> Records:
        """Return what the table is made of, read now if need be.

        Raises:
            DataUnavailable: It is a hub data set that is not in the local cache.
            ConfigError: It cannot be read, or has not the columns.
        """
        if self._records is None:
            records = _shared(self.source)
            for key in self.columns:
                if key:
                    value_at(records[0], key)
            self._records = records
        return self._records

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.source, self.columns)


def open_table(config: TableConfig, fetch: str, offline_id: str) -> Table:
    """Return the table that a config names, read.

    Args:
        config: As the caller gave it.
        fetch: What ``gem-gym fetch`` must be told to bring it here.
        offline_id: An id of the same family that needs no download.

    Raises:
        ConfigError: There is no ``data``, or it cannot be read.
        DataUnavailable: It is not on this machine; the message says what to do.
    """
    if not config.data:
        raise ConfigError(
            "data must be given: a file, a data set of the hub or a gem_gymnasium.tasks.rows.Rows; "
            f"{offline_id} needs none"
        )
    source: str | HubName = config.data
    if is_hub_name(config.data) and not is_file_name(config.data):
        source = HubName(config.data, config.subset, config.split, config.revision)
    gold_key = config.gold_key or (config.answer_key if config.answer_is_gold else "")
    columns = Columns(
        config.question_key, config.answer_key, config.id_key, config.image_key, gold_key
    )
    table = Table(source, columns)
    try:
        table.records()
    except DataUnavailable as error:
        if config.download:
            download(cast("HubName", source))
            table.records()
            return table
        raise DataUnavailable(
            f"{error}: run `gem-gym fetch {fetch}`, or make the env with download=True. "
            f"{offline_id} needs no download."
        ) from None
    return table


def value_at(record: Record, path: str) -> Any:
    """Return what a dotted path leads to; a column whose own name has dots comes first.

    Raises:
        UnknownName: A part of the path is not there.
    """
    if path in record:
        return record[path]
    value: Any = record
    for part in path.split("."):
        if isinstance(value, str):
            value = from_json(value, path)
        if isinstance(value, Mapping):
            known = cast("Mapping[str, Any]", value)
            if part not in known:
                raise UnknownName("column", path, known)
            value = known[part]
        elif isinstance(value, list | tuple) and part.lstrip("-").isdigit():
            items = cast("Sequence[Any]", value)
            if not -len(items) <= int(part) < len(items):
                raise ConfigError(f"{path!r} leads to item {part} of {len(items)}")
            value = items[int(part)]
        else:
            kind = type(cast("object", value)).__name__
            raise ConfigError(f"{path!r} leads into a {kind}, at {part!r}")
    return value


def from_json(text: str, path: str) -> Any:
    """Return what JSON text says; ``path`` is what the error names.

    Raises:
        ConfigError: It is none.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{path!r} leads into a text that is no JSON: {error}") from error


def _listed(value: Any) -> tuple[Any, ...]:
    """Return one thing or several as a tuple."""
    if isinstance(value, list | tuple):
        return tuple(cast("Sequence[Any]", value))
    return (value,)


def plain(value: Any) -> Any:
    """Return a value with lists as tuples and numpy's numbers as Python's."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(cast("Any", value).tolist())
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return tuple(plain(item) for item in cast("Sequence[Any]", value))
    return value


def gold_of(answer: Any) -> str:
    """Return the answer as one would write it: the first of several; ``""`` of a record."""
    if isinstance(answer, tuple):
        items = cast("tuple[Any, ...]", answer)
        return gold_of(items[0]) if items else ""
    return str(answer) if isinstance(answer, str | int | float) else ""


_loaded: dict[Any, Records] = {}
_locks: dict[Any, threading.Lock] = {}
_guard = threading.Lock()


def _shared(source: str | HubName) -> Records:
    """Return the records of a source, read once in a process and again when its file changes."""
    key = source if isinstance(source, HubName) else file_stamp(source)
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with lock:  # of this source: others are not kept waiting
        if key not in _loaded:
            _loaded[key] = read_hub(source) if isinstance(source, HubName) else read_file(source)
        return _loaded[key]
