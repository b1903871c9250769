"""The SQLite server's database: what statements may do, and how much of it."""

import sqlite3
import time
from pathlib import Path

import pytest

from gem_gymnasium.tools import sqlite_server
from gem_gymnasium.tools.sqlite_server import (
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_VALUE_BYTES,
    MAX_VALUE_CHARS,
    Database,
    table,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "towns.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE towns (name, people)")
    connection.execute("INSERT INTO towns VALUES ('Fen', 3), ('Ode', NULL)")
    connection.commit()
    connection.close()
    return path


def test_rows_are_shown(path: Path) -> None:
    assert table(Database(str(path)).run("SELECT * FROM towns")) == (
        "name | people\nFen | 3\nOde | NULL"
    )


@pytest.mark.parametrize(
    "sql",
    [
        "WITH x AS (SELECT 1) DELETE FROM towns",
        "WITH x AS (SELECT 1) UPDATE towns SET people = 1 RETURNING *",
        "WITH x AS (SELECT 1) INSERT INTO towns SELECT 1, 2 FROM x",
        "CREATE TEMP TABLE x (a)",
        "DROP TABLE towns",
        "PRAGMA query_only = OFF",
        "VACUUM",
    ],
)
def test_what_only_reads_changes_nothing(path: Path, sql: str) -> None:
    before = path.read_bytes()
    database = Database(str(path))
    with pytest.raises(sqlite3.Error, match=r"readonly|authoriz"):
        database.run(sql)
    assert path.read_bytes() == before


def test_a_common_table_changes_rows_where_that_is_allowed(path: Path) -> None:
    database = Database(str(path))
    changed = database.run("WITH x AS (SELECT 'Fen') DELETE FROM towns "
                           "WHERE name IN (SELECT * FROM x)", changes=True)  # fmt: skip
    assert changed == [("rows changed: 1",)]
    assert database.run("SELECT name FROM towns") == [("name",), ("Ode",)]


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT hex(zeroblob(20000000))",
        f"SELECT length(zeroblob({MAX_VALUE_BYTES + 1}))",
        "SELECT replace(hex(zeroblob(9000)), '0', hex(zeroblob(9000)))",
        "SELECT " + ", ".join("1" for _ in range(MAX_COLUMNS + 1)),
    ],
)
def test_what_is_too_large_is_refused(path: Path, sql: str, changes: bool) -> None:
    with pytest.raises(sqlite3.Error, match=r"too big|too many columns"):
        Database(str(path)).run(sql, changes=changes)


def test_large_values_and_many_rows_are_cut(path: Path) -> None:
    sql = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300) "
           "SELECT hex(zeroblob(40000)) FROM n")  # fmt: skip
    _, *rows = Database(str(path)).run(sql)
    assert len(rows) == MAX_ROWS + 1
    assert rows[-1] == ("...",)
    assert {len(value) for (value,) in rows[:-1]} == {MAX_VALUE_CHARS}


def test_slow_functions_are_interrupted_between_rows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_server, "TIMEOUT_S", 0.5)
    sql = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) SELECT "
           "sum(instr(hex(zeroblob(49000 + i)), hex(zeroblob(25000)) || '1')) FROM n")  # fmt: skip
    start = time.monotonic()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        Database(str(path)).run(sql)
    assert time.monotonic() - start < 4.0


def test_a_pattern_that_takes_its_length_times_that_of_the_text_is_refused(path: Path) -> None:
    pattern = "'%' || substr(hex(zeroblob(1000)), 1, 1000) || '1'"
    with pytest.raises(sqlite3.OperationalError, match="pattern too complex"):
        Database(str(path)).run(f"SELECT hex(zeroblob(40000)) LIKE {pattern}")
