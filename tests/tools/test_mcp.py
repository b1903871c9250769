"""McpToolbox with real servers over both transports, in an env and alone."""

import json
import pickle
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from gem_gymnasium import ThreadVectorEnv, snapshot
from gem_gymnasium.core.errors import (
    ConfigError,
    MissingDependency,
    SnapshotUnsupported,
    ToolFailure,
    UnknownName,
)
from gem_gymnasium.tools import HttpServer, McpToolbox, PythonTool, StdioServer, tool_of
from gem_gymnasium.wrappers import ToolUse
from tests.tools.echoes import asked
from tests.tools.mcp_running import HttpClock, call, children, opened, settled, sqlite, stdio
from tests.wrappers.toy_task import SumEnv, answer, make

SECONDS = 60.0


@pytest.fixture(scope="module")
def clock() -> McpToolbox:
    return McpToolbox({"clock": stdio("clock")}, connect_timeout_s=SECONDS)


@pytest.fixture
def http() -> Iterator[HttpClock]:
    it = HttpClock()
    yield it
    it.kill()


# -- over both transports ------------------------------------------------------------------------
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_tools_are_discovered_called_and_remembered(
    transport: str, clock: McpToolbox, request: pytest.FixtureRequest
) -> None:
    box = clock
    if transport == "http":
        box = McpToolbox({"clock": HttpServer(request.getfixturevalue("http").url)})
    assert [tool.name for tool in box.tools] == ["days_in_month", "count"]
    with opened(box) as runner:
        assert not runner.is_live
        assert call(runner, "days_in_month", SECONDS, year=2024, month=2)[:2] == (True, "29")
        assert runner.is_live
        assert [call(runner, "count").text for _ in range(3)] == ["1", "2", "3"]
        failed = call(runner, "days_in_month", year=2024, month=22)
        assert (failed.ok, failed.status) == (False, "error")
        assert "days_in_month" in failed.text


def test_the_model_is_shown_the_schema_and_held_to_it(clock: McpToolbox) -> None:
    env = make(clock)
    observation, _ = env.reset(seed=0)
    assert "- days_in_month: Return the number of days of a month. Arguments: {" in observation
    assert '"year"' in observation
    *_, info = env.step(asked("days_in_month", year="when"))
    assert (info["tool_status"], info["tool_ok"]) == ("bad_call", False)
    assert "'year' must be an integer" in info["feedback"]
    *_, info = env.step(asked("days_in_month", year=2023, month=2))
    assert (info["tool"], info["feedback"].splitlines()[1]) == ("days_in_month", "28")
    *_, info = env.step(answer(env))
    assert info["success"]
    env.close()


def test_a_session_lives_as_long_as_its_env(clock: McpToolbox) -> None:
    before = len(children())
    first, second = make(clock), make(clock, PythonTool())
    for _ in range(2):
        for env in (first, second):
            env.reset(seed=0)
    assert len(children()) <= before + 1  # the sandbox's own at most: servers wait for a call
    counts = [env.step(asked("count"))[4]["feedback"].splitlines()[1] for env in (first, second)]
    assert counts == ["1", "1"]  # each env has a server of its own
    first.step(answer(first))
    first.reset(seed=1)
    assert first.step(asked("count"))[4]["feedback"].splitlines()[1] == "2"
    first.close()
    assert second.step(asked("count"))[4]["feedback"].splitlines()[1] == "2"
    second.close()


def test_each_episode_can_have_a_server_of_its_own() -> None:
    box = McpToolbox({"liar": stdio("liar")}, per_episode=True, connect_timeout_s=SECONDS)
    env = make(box)
    env.reset(seed=0)
    env.step(asked("ok"))
    (first,) = mcp_children()
    env.reset(seed=0)
    assert not mcp_children()
    env.step(asked("ok"))
    assert mcp_children() != {first}
    env.close()
    assert not mcp_children()


def mcp_children() -> set[int]:
    """Return the processes of servers below this one."""
    found = set[int]()
    for pid in children():
        if any("mcp_servers" in part for part in psutil.Process(pid).cmdline()):
            found.add(pid)
    return found


def test_snapshots_are_taken_before_a_server_was_asked_only(clock: McpToolbox) -> None:
    env = make(clock)
    env.reset(seed=0)
    snapshot(env)
    env.step(asked("count"))
    with pytest.raises(SnapshotUnsupported, match="keeps something that lives"):
        snapshot(env)
    env.close()


# -- several servers -----------------------------------------------------------------------------
def test_servers_side_by_side_have_their_names_before_their_tools(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("hello")
    (tmp_path / "secret").write_text("no")
    database = tmp_path / "data.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE towns (name TEXT, people INTEGER)")
    connection.close()
    servers = {"files": stdio("files", str(tmp_path / "files")), "db": sqlite(database)}
    box = McpToolbox(servers, connect_timeout_s=SECONDS, only=[
        "files_read_file", "files_write_file", "files_list_files", "db_write_query",
        "db_read_query", "db_list_tables",
    ])  # fmt: skip
    assert len(box.tools) == 6
    with opened(box) as runner:
        assert call(runner, "files_read_file", SECONDS, name="a.txt").text == "hello"
        assert call(runner, "files_write_file", name="b.txt", text="more").ok
        assert call(runner, "files_list_files").text == "a.txt\nb.txt"
        for name in ("../secret", str(tmp_path / "secret"), "a.txt/../../secret"):
            outside = call(runner, "files_read_file", name=name)
            assert not outside.ok
            assert "outside" in outside.text or "No such" in outside.text
        sql = "INSERT INTO towns VALUES ('Fen', 12), ('Ode', NULL)"
        assert call(runner, "db_write_query", SECONDS, sql=sql).text == "rows changed: 2"
        read = call(runner, "db_read_query", sql="SELECT * FROM towns ORDER BY name")
        assert read.text == "name | people\nFen | 12\nOde | NULL"
        for sql in (
            "DELETE FROM towns", "SELECT * FROM nothing", "SELECT 1; SELECT 2", "",
            "WITH RECURSIVE t(x) AS (VALUES(1) UNION ALL SELECT x FROM t) SELECT max(x) FROM t",
        ):  # fmt: skip
            assert call(runner, "db_read_query", sql=sql).status == "error"
        for sql in (
            f"ATTACH '{tmp_path / 'other.db'}' AS other", "PRAGMA writable_schema = 1",
            f"VACUUM INTO '{tmp_path / 'other.db'}'", "SELECT load_extension('x')",
        ):  # fmt: skip
            assert call(runner, "db_write_query", sql=sql).status == "error"
        assert not (tmp_path / "other.db").exists()
        assert call(runner, "db_list_tables").text == "name | type\ntowns | table"


def test_servers_are_read_from_the_common_file(tmp_path: Path, http: HttpClock) -> None:
    path = tmp_path / "servers.json"
    liar = stdio("liar")
    entry = {"command": liar.command[0], "args": list(liar.command[1:]), "env": {"A": "b"}}
    path.write_text(json.dumps({"mcpServers": {"liar": entry, "clock": {"url": http.url}}}))
    box = tool_of(f"mcp:{path}")
    assert isinstance(box, McpToolbox)
    assert {"liar_ok", "clock_count"} <= set(box.by_name)
    (only,) = McpToolbox({"c": HttpServer(http.url)}, only=["count"]).tools
    assert only.name == "count"
    with opened(pickle.loads(pickle.dumps(box))) as runner:
        assert call(runner, "clock_count").ok


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"), ("{}", "mcpServers"), ('{"mcpServers": {"a": {}}}', "needs"),
        ('{"mcpServers": {"a": {"command": 3}}}', "'command'"),
        ('{"mcpServers": {"a": {"command": "x", "argv": []}}}', "'argv' is unknown"),
        ('{"mcpServers": {"a": {"url": "ftp://x"}}}', "http or https"),
    ],
)  # fmt: skip
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "servers.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        McpToolbox(str(path))


def test_what_cannot_be_used_is_refused_at_construction(
    clock: McpToolbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for servers, said in (
        ({}, "no server"),
        ({"a": StdioServer(("/no/such/program",))}, "'a' cannot be used"),
        ({"a": StdioServer((sys.executable, "-c", "raise SystemExit('bad luck')"))}, "bad luck"),
        ({"a": HttpServer("http://127.0.0.1:1/mcp")}, "'a' cannot be used"),
    ):
        with pytest.raises(ConfigError, match=said):
            McpToolbox(servers)
    with pytest.raises(UnknownName, match="did you mean 'count'"):
        McpToolbox({"clock": stdio("clock")}, only=["cont"], connect_timeout_s=SECONDS)
    with pytest.raises(ConfigError, match="timeout_s"):
        McpToolbox(clock.servers, timeout_s=0)
    with pytest.raises(ConfigError, match="command"):
        StdioServer(())
    with pytest.raises(ConfigError, match="must be a sequence"):
        StdioServer("npx -y foo")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="needs a file of servers"):
        tool_of("mcp")
    monkeypatch.setattr("gem_gymnasium.tools.mcp_session.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"gem-gymnasium\[tools\]"):
        McpToolbox(clock.servers)


# -- many envs, killed servers -------------------------------------------------------------------
def test_many_envs_call_at_once(http: HttpClock) -> None:
    box = McpToolbox({"clock": HttpServer(http.url)})
    envs = ThreadVectorEnv([lambda: ToolUse(SumEnv(), [box], max_tool_uses=100)] * 16)
    envs.reset(seed=0)
    seen: list[int] = []
    for _ in range(3):
        infos = envs.step([asked("count")] * 16)[4]
        assert infos["tool_ok"].all()
        seen += [int(text.splitlines()[1]) for text in infos["feedback"]]
    assert sorted(seen) == [*range(1, 49)]
    envs.close()


def test_a_server_killed_in_mid_episode_is_an_invalid_step_and_the_next_works(
    http: HttpClock,
) -> None:
    env = make(McpToolbox({"clock": HttpServer(http.url)}))
    env.reset(seed=0)
    good, *_ = env.step(asked("count"))
    http.kill()
    start = time.monotonic()
    observation, reward, terminated, truncated, info = env.step(asked("count"))
    assert time.monotonic() - start < 10
    assert (observation, reward, terminated, truncated) == (good, 0.0, False, True)
    assert (info["valid"], info["stop"]) == (False, "tool")
    assert info["error"].startswith("ToolFailure: the MCP server 'clock' cannot be reached: ")
    again = HttpClock(http.port)
    env.reset(seed=0)
    assert env.step(asked("count"))[0] == good
    env.close()
    again.kill()


def test_a_program_killed_in_mid_call_is_started_anew_and_the_model_is_told() -> None:
    box = McpToolbox({"liar": stdio("liar")}, connect_timeout_s=SECONDS)
    env = make(box)
    env.reset(seed=0)
    env.step(asked("ok"))
    (pid,) = mcp_children()
    killer = threading.Timer(0.5, lambda: psutil.Process(pid).kill())
    killer.start()
    *_, truncated, info = env.step(asked("hang"))
    killer.join()
    assert not truncated
    assert (info["tool_status"], info["valid"]) == ("error", True)
    assert "The server 'liar' is gone" in info["feedback"]
    assert env.step(asked("ok"))[4]["feedback"].splitlines()[1] == "fine"
    env.close()
    assert not mcp_children()


def test_a_program_that_is_no_longer_there_is_a_failure(tmp_path: Path) -> None:
    program = tmp_path / "liar.py"
    program.write_text(Path(stdio("liar").command[1]).read_text())
    box = McpToolbox(
        {"liar": StdioServer((sys.executable, str(program)))}, connect_timeout_s=SECONDS
    )
    program.unlink()
    with opened(box) as runner, pytest.raises(ToolFailure, match="cannot be reached"):
        call(runner, "ok")


def episodes(env: ToolUse, count: int, tool: str) -> None:
    for seed in range(count):
        env.reset(seed=seed)
        assert env.step(asked(tool))[4]["tool_ok"]
        assert env.step(answer(env))[4]["success"]


@pytest.mark.parametrize("count", [12, pytest.param(150, marks=pytest.mark.slow(20))])
def test_episodes_leave_no_process_thread_or_file(count: int, http: HttpClock) -> None:
    program = McpToolbox({"liar": stdio("liar")}, per_episode=True, connect_timeout_s=SECONDS)
    address = McpToolbox({"clock": HttpServer(http.url)}, per_episode=True)
    envs = [(make(program), "ok"), (make(address), "count")]
    for env, tool in envs:
        episodes(env, 2, tool)
    me = psutil.Process()
    counts: Any = (me.num_fds, threading.active_count, lambda: len(children()))
    before = [settled(one, 0, 1.0) for one in counts]
    for env, tool in envs:
        episodes(env, count, tool)
        env.close()
    after = [settled(one, most) for one, most in zip(counts, before, strict=True)]
    assert all(now <= then for now, then in zip(after, before, strict=True)), (before, after)
