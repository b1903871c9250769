"""Tables in local files: JSON Lines, JSON, CSV and Parquet, as records by index."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast, overload

from gem_gymnasium.core.errors import ConfigError, MissingDependency

Record = Mapping[str, Any]
Records = Sequence[Record]


def is_file_name(name: str) -> bool:
    """Return whether ``name`` is that of a file, by its suffix."""
    return Path(name).suffix.lower() in _READERS


def file_stamp(name: str) -> tuple[str, int, int]:
    """Return what changes when the file does: path, time of change and size.

    Raises:
        ConfigError: There is no such file.
    """
    try:
        status = Path(name).stat()
    except OSError as error:
        raise ConfigError(f"data names a file that cannot be read: {error}") from error
    return str(Path(name).resolve()), status.st_mtime_ns, status.st_size


def read_file(name: str) -> Records:
    """Return the records of a file.

    Raises:
        ConfigError: It cannot be read, holds no record, or something that is no record.
        MissingDependency: It is Parquet, and pyarrow is not installed.
    """
    path = Path(name)
    try:
        records = _READERS[path.suffix.lower()](path)
    except (OSError, ValueError, csv.Error) as error:
        raise ConfigError(f"{name} cannot be read: {error}") from error
    if not len(records):
        raise ConfigError(f"{name} holds no rows")
    return records


def _read_jsonl(path: Path) -> Records:
    records: list[Any] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                records += [json.loads(line)] if line.strip() else []
            except ValueError as error:
                raise ValueError(f"line {number} is no JSON: {error}") from error
    return _checked(records)


def _read_json(path: Path) -> Records:
    return _checked(json.loads(path.read_text(encoding="utf-8")))


def _checked(records: Any) -> Records:
    """Refuse what is no list of objects."""
    if not isinstance(records, list):
        raise ValueError("it holds no list of objects")
    for place, record in enumerate(cast("list[Any]", records)):
        if not isinstance(record, dict):
            raise ValueError(f"its row {place} is no object")
    return cast("list[Record]", records)


def _read_csv(path: Path) -> Records:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _read_parquet(path: Path) -> Records:
    try:  # by name, since it has no types
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency("pyarrow", "tasks", "reading Parquet files") from None
    return _ArrowRecords(parquet.read_table(path))


class _ArrowRecords(Sequence[Record]):
    """The rows of an Arrow table, made into Python objects one at a time."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __len__(self) -> int:
        return self._table.num_rows

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Records: ...
    def __getitem__(self, index: int | slice) -> Record | Records:
        if isinstance(index, slice):
            return self._table.take(list(range(*index.indices(len(self))))).to_pylist()
        return self._table.slice(range(len(self))[index], 1).to_pylist()[0]


_READERS: Mapping[str, Callable[[Path], Records]] = {
    ".jsonl": _read_jsonl,
    ".json": _read_json,
    ".csv": _read_csv,
    ".parquet": _read_parquet,
}
