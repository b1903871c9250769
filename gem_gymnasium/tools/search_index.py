"""TextIndex: full-text search by SQLite's FTS5, in a file or in memory."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
import weakref
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gem_gymnasium.core.errors import ConfigError, StepTimeout, ToolFailure
from gem_gymnasium.core.parsing import replace_surrogates
from gem_gymnasium.tools.search_base import Found, Hit, Retriever, left_s
from gem_gymnasium.tools.search_corpus import Text

MAX_TERMS = 32
"""Words of a query that are searched for."""

NO_WORDS = "The query holds no word: write what to look for, in a few words."

_APPLICATION_ID = 0x67656D69  # marks a file as ours
_TABLE = "CREATE VIRTUAL TABLE passages USING fts5(title, text, tokenize='{}')"
_TOKENIZER = "porter unicode61 remove_diacritics 2"
# A title counts three times as much as the text, which was best on descriptions of articles.
_RANK = "INSERT INTO passages(passages, rank) VALUES('rank', 'bm25(3.0, 1.0)')"
_SEARCH = "SELECT title, text, rank FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?"
_CHECK_EVERY = 20_000  # steps of SQLite's machine, some milliseconds
_MAX_CONNECTIONS = 8
_MAX_TERM_CHARS = 64
_TERM = re.compile(r"\w+")
_STOP = (
    "a about an and are as at be been but by can did do does for from had has have he her his "
    "how i if in into is it its me my no not of on or our she so such that the their them then "
    "there these they this to was we were what when where which who whom whose why will with "
    "would you your"
)
_STOP_WORDS = frozenset(_STOP.split())
"""English words that nearly every text holds: they cost most of the time and find nothing."""


def match_of(query: str) -> str:
    """Return a query as an FTS5 expression: any of its words, each quoted; ``""`` without one.

    A model's raw text would break the syntax of MATCH: ``"``, ``*``, ``AND``, ``title:``.
    """
    words = [word for word in _TERM.findall(query.casefold()) if len(word) <= _MAX_TERM_CHARS]
    telling = [word for word in words if word not in _STOP_WORDS] or words
    return " OR ".join(f'"{word}"' for word in list(dict.fromkeys(telling))[:MAX_TERMS])


class TextIndex(Retriever):
    """Passages in an SQLite database, found by the words they share with a query (BM25).

    Threads share up to eight connections, each opened when it is needed. One in memory holds a copy
    for each: a large corpus belongs into a file.

    Covered: queries are quoted, cut to ``MAX_TERMS`` words, and stopped at the deadline. Not
    covered: an index file made to do harm; open those you made.

    Args:
        path: A file that ``TextIndex.build`` or ``gem-gym index build`` made. It is only read, and
            must not be changed in place (``build`` puts a new one in its place).

    Raises:
        ConfigError: The file is not there, or is no such index.
    """

    def __init__(self, path: str | Path) -> None:
        self._source: Path | bytes = Path(path).resolve()
        self._start()

    @classmethod
    def build(cls, passages: Iterable[Sequence[str]], path: str | Path | None = None) -> TextIndex:
        """Index passages, each a pair of title and text, and return the index.

        Args:
            passages: In an order that breaks ties.
            path: The file, which is replaced as a whole; None for one in memory.

        Raises:
            ConfigError: There is no passage, or the file cannot be written.
        """
        if path is None:
            with closing(sqlite3.connect(":memory:")) as connection:
                _fill(connection, passages)
                return cls._of(connection.serialize())
        path = Path(path)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            with suppress(FileNotFoundError):
                part.unlink()
            with closing(sqlite3.connect(part)) as connection:
                connection.execute("PRAGMA journal_mode = OFF")
                _fill(connection, passages)
            part.replace(path)
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"the index {path} cannot be written: {error}") from error
        finally:
            with suppress(OSError):
                part.unlink()
        return cls(path)

    @classmethod
    def _of(cls, source: bytes) -> TextIndex:
        index = cls.__new__(cls)
        index._source = source
        index._start()
        return index

    def _start(self) -> None:
        """Open the first connection, which finds out whether there is an index at all."""
        self._pool = _Pool()
        weakref.finalize(self, self._pool.close)
        with self._connection(time.monotonic() + 60) as connection:
            self._length = connection.execute("SELECT count(*) FROM passages").fetchone()[0]

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        where = "memory" if isinstance(self._source, bytes) else str(self._source)
        return f"TextIndex({where}, {self._length} passages)"

    def __reduce__(self) -> tuple[Any, tuple[Path | bytes]]:
        return (type(self)._of if isinstance(self._source, bytes) else type(self)), (self._source,)

    def search(self, queries: Sequence[str], count: int, deadline: float) -> list[Found]:
        """Return the passages that share the rarest words with each query."""
        found: list[Found] = []
        with self._connection(deadline) as connection:
            for query in queries:
                match = match_of(replace_surrogates(query))
                rows = connection.execute(_SEARCH, (match, count)) if match else ()
                hits = tuple(Hit(title, text, -rank) for title, text, rank in rows)
                found.append(Found(hits, "" if match else NO_WORDS))
        return found

    def passages(self, start: int = 0, stop: int | None = None) -> list[Text]:
        """Return the passages from one place to another, in the order they were indexed in.

        Raises:
            ToolFailure: The index cannot be read.
        """
        stop = self._length if stop is None else stop
        query = "SELECT title, text FROM passages WHERE rowid > ? AND rowid <= ? ORDER BY rowid"
        with self._connection(time.monotonic() + 60) as connection:
            return [Text(*row) for row in connection.execute(query, (start, stop))]

    def close(self) -> None:
        """Close the connections; a search opens new ones."""
        self._pool.close()

    @contextmanager
    def _connection(self, deadline: float) -> Generator[sqlite3.Connection]:
        """Lend a connection whose statements end at the deadline."""
        if self._pool.pid != os.getpid():
            # A fork: the connections are the parent's, and its threads held the lock.
            self._pool = _Pool()
            weakref.finalize(self, self._pool.close)
        pool = self._pool
        if not pool.places.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise StepTimeout("the search index did not answer in time")
        try:
            connection = pool.idle.pop() if pool.idle else self._connect()
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _CHECK_EVERY)
            try:
                yield connection
            except sqlite3.Error as error:
                connection.close()
                left_s(deadline, "the search index")
                raise ToolFailure(f"the search index failed: {error}") from error
            except BaseException:
                connection.close()
                raise
            pool.idle.append(connection)
        finally:
            pool.places.release()

    def _connect(self) -> sqlite3.Connection:
        """Open the database, to read it only."""
        if isinstance(self._source, bytes):
            connection = sqlite3.connect(":memory:", check_same_thread=False)
            connection.deserialize(self._source)
            return connection
        address = f"file:{quote(str(self._source))}?mode=ro&immutable=1"
        try:
            connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        except sqlite3.Error as error:
            raise ConfigError(f"{self._source} cannot be opened: {error}") from error
        try:
            (mark,) = connection.execute("PRAGMA application_id").fetchone()
        except sqlite3.Error as error:
            mark = error
        if mark != _APPLICATION_ID:
            connection.close()
            raise ConfigError(f"{self._source} is no index that `gem-gym index build` made: {mark}")
        return connection


class _Pool:
    """The connections of one process that wait for a search, and how many more there may be."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.idle: list[sqlite3.Connection] = []
        self.places = threading.Semaphore(min(_MAX_CONNECTIONS, os.cpu_count() or 1))

    def close(self) -> None:
        """Close those that wait."""
        if self.pid != os.getpid():
            return
        while self.idle:
            with suppress(IndexError):  # a search was faster
                self.idle.pop().close()


def _fill(connection: sqlite3.Connection, passages: Iterable[Sequence[str]]) -> None:
    """Make the table and put the passages in."""
    try:
        connection.execute(_TABLE.format(_TOKENIZER))
    except sqlite3.OperationalError as error:
        raise ConfigError(f"this Python's SQLite has no FTS5: {error}") from error
    rows = ((replace_surrogates(title), replace_surrogates(text)) for title, text in passages)
    connection.executemany("INSERT INTO passages VALUES (?, ?)", rows)
    if not connection.execute("SELECT count(*) FROM passages").fetchone()[0]:
        raise ConfigError("there is no passage to index")
    connection.execute(_RANK)
    connection.execute("INSERT INTO passages(passages) VALUES('optimize')")
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.commit()
