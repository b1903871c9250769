"""gem/MCP-SQLite: references solve, nothing and tampering do not, and the server may die."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import psutil
import pytest
from gymnasium.utils.env_checker import check_env

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium import snapshot
from gem_gymnasium.core.errors import ConfigError, SnapshotUnsupported, UnknownName
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.tasks import mcp_sqlite
from gem_gymnasium.tasks.mcp_sqlite import McpSqliteEnv, server_of, toolbox
from gem_gymnasium.tasks.mcp_sqlite_shop import read_tables, write_shop
from gem_gymnasium.tasks.mcp_sqlite_tasks import GENERATORS, SqlTask, draw_task, is_done
from gem_gymnasium.testing import HOSTILE_STRINGS, check_text_env
from gem_gymnasium.tools import Runner
from tests.tools.echoes import asked
from tests.tools.mcp_running import call, children, settled

ID = "gem/MCP-SQLite-v0"
SEEDS = 20
DONE = "<answer>done</answer>"


@pytest.fixture(scope="module")
def env() -> Iterator[McpSqliteEnv]:
    it = McpSqliteEnv()
    yield it
    it.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Runner]]:
    """A real server, and the file that it serves."""
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    runner = toolbox().repointed({"shop": server_of(path)}).open()
    yield path, runner
    runner.close()


def posed(path: Path, name: str, seed: int) -> SqlTask:
    task = draw_task(name, np.random.default_rng(seed))
    write_shop(path, task.shop)
    return task


def write(env: McpSqliteEnv, sql: str) -> dict[str, Any]:
    return env.step(asked("write_query", sql=sql))[4]


# -- the tasks -----------------------------------------------------------------------------------
def test_there_are_a_dozen_tasks() -> None:
    assert len(GENERATORS) >= 12


@pytest.mark.parametrize("name", GENERATORS)
def test_the_reference_solves_a_task_and_nothing_less_does(
    name: str, server: tuple[Path, Runner]
) -> None:
    path, runner = server
    for seed in range(SEEDS):
        task = posed(path, name, seed)
        assert not is_done(task, read_tables(path), "done")
        assert not is_done(task, read_tables(path), "0")
        for at, sql in enumerate(task.solution):
            result = call(runner, "read_query" if task.answer else "write_query", sql=sql)
            assert result.ok, result.text
            if task.answer:
                assert result.text.splitlines()[1] == task.answer
            elif at + 1 < len(task.solution):
                assert not is_done(task, read_tables(path), "done"), sql
        assert is_done(task, read_tables(path), task.answer or "done")


@pytest.mark.parametrize("name", GENERATORS)
def test_a_task_is_the_same_for_a_seed_and_another_for_another(name: str) -> None:
    first, again, other = (draw_task(name, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first == again
    assert first.shop != other.shop
    assert "  " not in first.instruction


@pytest.mark.parametrize("name", [name for name in GENERATORS if name != "make_view"])
def test_what_a_task_does_not_ask_for_spoils_it(name: str, server: tuple[Path, Runner]) -> None:
    path, runner = server
    for extra in (
        "DELETE FROM items WHERE rowid = 1", "CREATE TABLE more (x)", "DROP TABLE customers",
        "UPDATE customers SET city = 'Nowhere' WHERE id = 7",
    ):  # fmt: skip
        task = posed(path, name, 1)
        for sql in (*task.solution, extra):
            call(runner, "read_query" if sql.startswith("SELECT") else "write_query", sql=sql)
        assert not is_done(task, read_tables(path), task.answer or "done"), extra


# -- the env -------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(3))
def test_the_reference_earns_one_and_nothing_earns_zero(env: McpSqliteEnv, seed: int) -> None:
    observation, info = env.reset(seed=seed)
    assert f"The task: {env._task.instruction}" in observation  # type: ignore[union-attr]
    assert "- write_query: Run one statement that changes the database" in observation
    rewards = [env.step(reply) for reply in env.solution_replies()]
    assert [step[1] for step in rewards] == [0.0] * (len(rewards) - 1) + [1.0]
    assert rewards[-1][2:4] == (True, False)
    assert rewards[-1][4]["success"]
    assert rewards[-1][4]["calls"] == len(rewards) - 1
    env.reset(seed=seed)
    _, reward, terminated, _, info = env.step(DONE)
    assert (reward, terminated, info["event"], info["success"]) == (0.0, True, "unsolved", False)


def test_calls_that_fail_are_text_and_cost_a_turn(env: McpSqliteEnv) -> None:
    env.reset(seed=0)
    for reply, event, said in (
        (asked("write_query", sql="DELETE FROM nowhere"), "error", "no such table"),
        (asked("read_query", sql="DELETE FROM items"), "error", "use write_query"),
        (asked("read_query"), "bad_call", "'sql' missing"),
        (asked("drop_all"), "bad_call", "There is no tool"),
        ("<tool_call>{</tool_call>", "bad_call", "cannot be read"),
        (asked("list_tables"), "ok", "customers | table"),
    ):
        _, reward, terminated, truncated, info = env.step(reply)
        assert (info["event"], reward, terminated, truncated) == (event, 0.0, False, False)
        assert said in info["feedback"]
    assert (info["turn"], info["calls"]) == (6, 3)
    _, reward, terminated, _, info = env.step("I give up.")
    assert (reward, terminated, info["event"]) == (-0.1, True, "malformed")


def test_the_last_turn_ends_the_task() -> None:
    env = McpSqliteEnv(max_turns=2, task="restock")
    env.reset(seed=0)
    env.step(asked("list_tables"))
    assert env.step(asked("list_tables"))[1:3] == (0.0, True)
    env.close()
    with pytest.raises(UnknownName, match="did you mean 'restock'"):
        McpSqliteEnv(task="restok")
    with pytest.raises(ConfigError, match="max_turns"):
        McpSqliteEnv(max_turns=0)


# -- tampering -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "statements",
    [
        ["PRAGMA writable_schema = 1", "UPDATE sqlite_master SET sql = 'x'"],
        ["ATTACH '/tmp/x.db' AS x"],
        ["DROP TABLE products", "CREATE VIEW products AS SELECT 1"],
        ["CREATE TRIGGER t AFTER UPDATE ON products BEGIN DELETE FROM products; END"],
        ["DROP TABLE products", "CREATE VIEW products AS WITH RECURSIVE t(x) AS (VALUES(1) UNION "
         "ALL SELECT x + 1 FROM t) SELECT x, x, x, x, x FROM t"],
        ["DROP TABLE products", "CREATE TABLE products (id, name, category, price_cents, stock)",
         "INSERT INTO products SELECT 1, zeroblob(9), x'ff', 1e999, NULL"],
        ["CREATE TABLE \"a\"\"b; --\" (x)"], ["PRAGMA journal_mode = WAL"], ["VACUUM"],
    ],
)  # fmt: skip
def test_tampering_earns_nothing_and_the_next_episode_works(
    env: McpSqliteEnv, statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gem_gymnasium.tasks.mcp_sqlite_shop.READ_S", 1.0)
    env.reset(seed=0)
    for sql in statements:
        write(env, sql)
    start = time.monotonic()
    assert env.step(DONE)[1] == 0.0
    assert time.monotonic() - start < 5
    env.reset(seed=1)
    assert [env.step(reply)[1] for reply in env.solution_replies()][-1] == 1.0


def test_a_database_that_was_spoilt_is_not_solved(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    assert read_tables(path) is None
    path.write_bytes(b"no database" * 1_000)
    assert read_tables(path) is None
    task = posed(path, "restock", 0)
    assert read_tables(path) is not None
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE many (x)")
        connection.executemany("INSERT INTO many VALUES (?)", [(1,)] * 10_001)
    assert read_tables(path) is None
    assert not is_done(task, None, "done")


def test_what_is_right_is_not_in_the_database(env: McpSqliteEnv) -> None:
    env.reset(seed=0)
    folder = env._folder
    assert folder is not None
    assert [path.name for path in folder.iterdir()] == ["shop.db"]
    tables = read_tables(folder / "shop.db")
    assert tables is not None
    assert {*tables} == {"customers", "products", "orders", "items"}


# -- the machinery -------------------------------------------------------------------------------
def test_a_server_killed_in_mid_episode_is_started_anew_over_the_same_database() -> None:
    env = McpSqliteEnv(task="restock")
    env.reset(seed=0)
    before = children()
    env.step(asked("list_tables"))
    (pid,) = children() - before
    psutil.Process(pid).kill()
    *_, info = env.step(asked("list_tables"))
    assert (info["event"], info["valid"]) == ("error", True)
    assert "is gone" in info["feedback"]
    assert [env.step(reply)[1] for reply in env.solution_replies()][-1] == 1.0
    env.close()
    assert settled(lambda: len(children()), len(before)) <= len(before)


def test_a_server_that_cannot_be_started_is_an_invalid_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = McpSqliteEnv()
    env.reset(seed=0)
    monkeypatch.setattr(mcp_sqlite, "server_of", lambda path: _no_server())
    _, reward, terminated, truncated, info = env.step(asked("list_tables"))
    assert (reward, terminated, truncated, info["stop"]) == (0.0, False, True, "tool")
    assert info["error"].startswith("ToolFailure: ")
    monkeypatch.undo()
    env.close()
    env.reset(seed=0)
    assert env.step(asked("list_tables"))[4]["event"] == "ok"
    env.close()


def _no_server() -> Any:
    from gem_gymnasium.tools import StdioServer

    return StdioServer(("/no/such/program",))


def test_the_contract_is_kept() -> None:
    check_env(gym.make(ID).unwrapped)
    # Every env that calls starts a server: few steps, few strings.
    check_text_env(
        lambda **kwargs: gym.make(ID, **kwargs), seeds=[0], steps=3, hostile=HOSTILE_STRINGS[::8]
    )


def test_a_reset_takes_milliseconds(env: McpSqliteEnv) -> None:
    times: list[float] = []
    for seed in range(100):
        start = time.thread_time()
        env.reset(seed=seed)
        times.append(time.thread_time() - start)
    assert sorted(times)[-2] <= 0.3


def test_no_snapshot_is_taken(env: McpSqliteEnv) -> None:
    env.reset(seed=0)
    with pytest.raises(SnapshotUnsupported):
        snapshot(env)


@pytest.mark.parametrize("count", [10, pytest.param(150, marks=pytest.mark.slow(10))])
def test_episodes_leave_no_process_thread_file_or_folder(count: int) -> None:
    env = McpSqliteEnv()
    me = psutil.Process()
    counts: Any = (me.num_fds, threading.active_count, lambda: len(children()))

    def play(episodes: int) -> None:
        for seed in range(episodes):
            env.reset(seed=seed)
            assert [env.step(reply)[1] for reply in env.solution_replies()][-1] == 1.0

    play(1)
    folder = env._folder
    env.close()
    assert folder is not None
    assert not folder.exists()
    before = [settled(one, 0, 0.5) for one in counts]
    play(count)
    env.close()
    after = [settled(one, most) for one, most in zip(counts, before, strict=True)]
    assert all(now <= then for now, then in zip(after, before, strict=True)), (before, after)


def test_the_solver_is_an_oracle_that_plays_the_reference_solution() -> None:
    env = gym.make(ID)
    observation, info = env.reset(seed=5)
    solver = solver_for(env)
    assert getattr(solver, "oracle", False)
    reward, over = 0.0, False
    while not over:
        observation, reward, over, _, info = env.step(solver.act(observation, info))
    env.close()
    assert reward == 1.0
