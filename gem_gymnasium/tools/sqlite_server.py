"""An MCP server for one SQLite database: ``python -m gem_gymnasium.tools.sqlite_server FILE``.

Covered: the file is the only database that statements reach (no ATTACH, no PRAGMA that writes, no
extensions), one statement a call, ``MAX_ROWS`` rows and ``TIMEOUT_S`` seconds each, no value larger
than ``MAX_VALUE_BYTES``, ``MAX_PAGES`` pages in all; ``read_query`` changes nothing. Not covered:
the temporary files that a statement takes while it runs, and the time of a row with many slow
columns, in which SQLite does not look at the clock: there the client's deadline ends the server.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from itertools import islice
from typing import Any

MAX_ROWS = 100
MAX_VALUE_CHARS = 500
MAX_VALUE_BYTES = 100_000
"""Bytes of the largest value, and row, that a statement reads, computes or writes."""

MAX_PATTERN_BYTES = 500
"""Bytes of a pattern of LIKE or GLOB, whose time is that of the text times that of the pattern."""

MAX_COLUMNS = 200
TIMEOUT_S = 5.0
MAX_PAGES = 16_384
"""Pages, of 4 KiB each, that the file may grow to."""

_READ_ONLY = "SELECT", "WITH", "EXPLAIN", "VALUES"
_PRAGMAS = frozenset({"table_info", "table_xinfo", "index_list", "index_info", "foreign_key_list"})
# Of SQLite's instructions. None is interrupted, and one may search a value for another, which takes
# the product of their lengths: values and patterns are so small that this is a tenth of a second.
_CHECK_EVERY = 100


def authorize(action: int, first: str | None, second: str | None, *_: Any) -> int:
    """Deny what reaches beyond the database."""
    if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and ((first or "").lower() not in _PRAGMAS):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() == "load_extension":
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


class Database:
    """The database, opened for each statement, so that no lock is held between calls."""

    def __init__(self, path: str) -> None:
        self._path = path

    def run(self, sql: str, *parameters: object, changes: bool = False) -> list[tuple[Any, ...]]:
        """Run one statement; return column names, then rows of texts, or how many it changed.

        Args:
            sql: The statement.
            parameters: What stands for its question marks.
            changes: Whether it may change the database.

        Raises:
            sqlite3.Error: It is refused, wrong, or took too long.
        """
        connection = sqlite3.connect(self._path, timeout=TIMEOUT_S)
        try:
            connection.execute(f"PRAGMA max_page_count = {MAX_PAGES}")
            if not changes:  # a statement that begins with WITH may write, too
                connection.execute("PRAGMA query_only = ON")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN_BYTES)
            connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MAX_COLUMNS)
            connection.set_authorizer(authorize)
            deadline = time.monotonic() + TIMEOUT_S
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _CHECK_EVERY)
            with connection:
                cursor = connection.execute(sql, parameters)
                if cursor.description is None:
                    # Where a statement begins with WITH, the cursor has no count.
                    changed = cursor.rowcount if cursor.rowcount >= 0 else connection.total_changes
                    return [(f"rows changed: {changed}",)]
                names = tuple(column[0] for column in cursor.description)
                # Shortened one by one: a hundred rows of large values would take the memory.
                rows = [tuple(map(_shown, row)) for row in islice(cursor, MAX_ROWS)]
                more = [("...",)] if cursor.fetchone() is not None else []
            return [names, *rows, *more]
        finally:
            connection.close()


def table(rows: list[tuple[Any, ...]]) -> str:
    """Return rows as lines, their values parted by `` | ``."""
    return "\n".join(" | ".join(_shown(value) for value in row) for row in rows)


def _shown(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    return " ".join(str(value).split())[:MAX_VALUE_CHARS]


def make_server(path: str) -> Any:
    """Return the server."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server = MCPServer("sqlite", log_level="ERROR")
    database = Database(path)

    def answer(sql: str, *parameters: object, changes: bool = False) -> str:
        try:
            return table(database.run(sql, *parameters, changes=changes))
        except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as error:
            raise ToolError(f"{type(error).__name__}: {error}") from error

    def list_tables() -> str:
        """List the tables and views of the database."""
        return answer("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')")

    def describe_table(name: str) -> str:
        """Show the statement that made a table, view or index."""
        return answer("SELECT sql FROM sqlite_master WHERE name = ?", name)

    def read_query(sql: str) -> str:
        """Run one SELECT statement; at most 100 rows are shown."""
        if not sql.lstrip().upper().startswith(_READ_ONLY):
            raise ToolError("this tool runs SELECT statements only: use write_query")
        return answer(sql)

    def write_query(sql: str) -> str:
        """Run one statement that changes the database; it is committed at once."""
        return answer(sql, changes=True)

    for tool in (list_tables, describe_table, read_query, write_query):
        server.tool()(tool)
    return server


def main() -> None:
    """Serve the database that the command line names, over standard input and output."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m gem_gymnasium.tools.sqlite_server FILE")
    make_server(sys.argv[1]).run()


if __name__ == "__main__":
    main()
