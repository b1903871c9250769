"""Search over HTTP: both wire formats, hostile clients and servers, a server that is killed."""

import json
import pickle
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any

import msgpack  # type: ignore[import-untyped]
import psutil
import pytest

from gem_gymnasium.core.errors import (
    BackendError,
    ConfigError,
    MachineryError,
    MissingDependency,
    StepTimeout,
    ToolFailure,
    UnknownName,
)
from gem_gymnasium.tools import (
    Found,
    HttpRetriever,
    Retriever,
    SearchServer,
    SearchTool,
    TextIndex,
    retriever_of,
)
from gem_gymnasium.tools import search_server as served
from gem_gymnasium.tools import search_wire as wires
from tests.tools.loopback import Loopback, answering
from tests.wrappers.toy_task import answer, make

TEXTS = [("Fen", "A town."), ('The "Ode"', "A poem.\nOn winter."), ("", "Nameless words.")]
INDEX = TextIndex.build(TEXTS)


class Failing(Retriever):
    """Raises what it is told to."""

    def __init__(self, error: MachineryError) -> None:
        self._error = error

    def search(self, queries: Any, count: int, deadline: float) -> list[Found]:
        raise self._error


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer(INDEX, port=0) as it:
        yield it


def soon(seconds: float = 20.0) -> float:
    return time.monotonic() + seconds


def post(server: SearchServer, body: bytes, path: str = "/retrieve") -> tuple[int, bytes]:
    host, _, port = server.url.split("/")[2].partition(":")
    connection = HTTPConnection(host, int(port), timeout=20)
    connection.request("POST", path, body)
    reply = connection.getresponse()
    read = reply.read()
    connection.close()
    return reply.status, read


# -- both ends -----------------------------------------------------------------------------------
@pytest.mark.parametrize("wire", wires.WIRES)
def test_a_server_finds_what_its_index_finds(server: SearchServer, wire: str) -> None:
    queries = ["town", "winter poem", "nameless", "zebra", "\ud800 town"]
    client = HttpRetriever(url=server.url, wire=wire)
    there = INDEX.search(queries, 2, soon())
    assert client.search(queries, 2, soon()) == there
    assert client.search([], 2, soon()) == []
    assert there[1].hits[0].title == 'The "Ode"'


def test_the_json_is_search_r1s(server: SearchServer) -> None:
    body = {"queries": ["town", "zebra"], "topk": 3, "return_scores": True}
    status, said = post(server, json.dumps(body).encode())
    (first, second) = json.loads(said)["result"]
    assert status == 200
    assert first[0]["document"] == {"contents": '"Fen"\nA town.'}
    assert first[0]["score"] > 0
    assert second == []
    status, said = post(server, json.dumps({"queries": ["town"]}).encode())
    assert json.loads(said) == {"result": [[{"contents": '"Fen"\nA town.'}]]}


def test_the_messagepack_is_gems(server: SearchServer) -> None:
    body = msgpack.packb({"query": "town", "topk": 3, "return_scores": True})
    status, said = post(server, body)
    assert status == 200
    (item,) = msgpack.unpackb(said)["result"]
    assert item["document"] == {"contents": '"Fen"\nA town.'}
    assert item["score"] > 0


def test_addresses_are_retrievers(server: SearchServer) -> None:
    assert retriever_of(server.url) == HttpRetriever(url=server.url)
    assert retriever_of(f"gem+{server.url}") == HttpRetriever(url=server.url, wire="gem")
    again = pickle.loads(pickle.dumps(retriever_of(server.url)))
    assert again.search(["town"], 1, soon()) == INDEX.search(["town"], 1, soon())


def test_what_cannot_be_asked_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="http or https"):
        HttpRetriever(url="ftp://127.0.0.1")
    with pytest.raises(UnknownName, match="wire"):
        HttpRetriever(url="http://127.0.0.1", wire="grpc")
    monkeypatch.setitem(sys.modules, "msgpack", None)
    with pytest.raises(MissingDependency, match=r"gem-gymnasium\[search\]"):
        HttpRetriever(url="http://127.0.0.1", wire="gem")


# -- hostile clients -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b"[]", 400),
        (b'{"queries": []}', 400),
        (b'{"queries": "town"}', 400),
        (b'{"queries": [3]}', 400),
        (b'{"queries": ["a"], "topk": 0}', 400),
        (b'{"queries": ["a"], "topk": true}', 400),
        (b'{"queries": ["a"], "topk": 501}', 400),
        (json.dumps({"queries": ["a"] * 300, "topk": 2}).encode(), 400),
        (b"\x81\xa5query", 400),
        (b"\x80", 400),
        (b"\xff" * 10, 400),
        (b"x" * (served.MAX_BODY_BYTES + 1), 413),
        (b'{"query": "town", "topk": null}', 200),
    ],
)
def test_a_bad_request_is_refused_and_the_next_answered(
    server: SearchServer, body: bytes, status: int
) -> None:
    assert post(server, body)[0] == status
    assert post(server, b'{"queries": ["town"]}')[0] == 200


@pytest.mark.parametrize(
    ("head", "status"),
    [("Content-Length: 4194304", 413), ("X: y", 411), ("Content-Length: -1", 411)],
)
def test_a_client_hears_why_however_much_it_still_sends(
    server: SearchServer, head: str, status: int
) -> None:
    port = int(server.url.split(":")[2].partition("/")[0])
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(f"POST /retrieve HTTP/1.1\r\n{head}\r\n\r\n".encode())
            time.sleep(0.01)  # by now it is refused
            client.sendall(b"x" * 2**22)
            assert client.recv(100).startswith(f"HTTP/1.1 {status}".encode())


def test_what_is_refused_is_not_read_for_ever() -> None:
    with SearchServer(INDEX, port=0, timeout_s=0.5) as server:
        port = int(server.url.split(":")[2].partition("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(b"POST /retrieve HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n")
            with pytest.raises((BrokenPipeError, ConnectionResetError)):
                client.sendall(b"x" * 2**26)


def test_other_places_are_not_there(server: SearchServer) -> None:
    assert post(server, b"{}", "/")[0] == 404
    with pytest.raises(BackendError, match="404"):
        HttpRetriever(url=server.url + "/x").search(["a"], 1, soon())


def test_a_slow_client_is_cut_off_and_others_are_served() -> None:
    with SearchServer(INDEX, port=0, timeout_s=0.5) as server:
        port = int(server.url.split(":")[2].partition("/")[0])
        slow = socket.create_connection(("127.0.0.1", port), timeout=10)
        slow.sendall(b"POST /retrieve HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
        idle = socket.create_connection(("127.0.0.1", port), timeout=10)
        start = time.monotonic()
        assert post(server, b'{"queries": ["town"]}')[0] == 200
        for connection in (slow, idle):
            assert b"200" not in connection.recv(1_000)
            connection.close()
        assert time.monotonic() - start < 5


def test_one_connection_too_many_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "MAX_CONNECTIONS", 2)
    with SearchServer(INDEX, port=0) as server:
        port = int(server.url.split(":")[2].partition("/")[0])
        held = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(2)]
        time.sleep(0.2)
        third = socket.create_connection(("127.0.0.1", port), timeout=10)
        assert third.recv(100).startswith(b"HTTP/1.1 503")
        for connection in (*held, third):
            connection.close()
        client = HttpRetriever(url=server.url)
        assert client.search(["town"], 1, soon())[0].hits[0].title == "Fen"


@pytest.mark.parametrize(
    ("error", "status"), [(ToolFailure("gone"), 503), (StepTimeout("late"), 504)]
)
def test_a_failing_index_is_no_answer(error: MachineryError, status: int) -> None:
    with SearchServer(Failing(error), port=0) as server:
        assert post(server, b'{"queries": ["a"]}')[0] == status
        with pytest.raises(BackendError, match=f"HTTP status {status}"):
            HttpRetriever(url=server.url).search(["a"], 1, soon())


def test_a_port_that_is_taken_is_the_callers_mistake(server: SearchServer) -> None:
    port = int(server.url.split(":")[2].partition("/")[0])
    with pytest.raises(ConfigError, match="cannot listen"):
        SearchServer(INDEX, port=port)
    with pytest.raises(ConfigError, match="timeout_s"):
        SearchServer(INDEX, port=0, timeout_s=0)


# -- hostile servers -----------------------------------------------------------------------------
@pytest.mark.parametrize("wire", wires.WIRES)
@pytest.mark.parametrize(
    "said",
    [
        None, [], {}, {"result": 3}, {"result": []}, {"result": [[3]]}, {"result": [[{}], [{}]]},
        {"result": [[{"document": {}}]]}, {"result": [[{"document": {"contents": 3}}]]},
        {"result": [[{"document": {"contents": "a"}, "score": "high"}]]}, {"result": [{}]},
    ],
)  # fmt: skip
def test_what_is_no_result_is_a_failure(wire: str, said: Any) -> None:
    body = json.dumps(said).encode() if wire == "search_r1" else msgpack.packb(said)
    if wire == "gem" and said == {"result": []}:
        return  # nothing found
    with (
        answering(lambda _: (200, body)) as url,
        pytest.raises(BackendError, match="no result"),
    ):
        HttpRetriever(url=url, wire=wire).search(["a"], 1, soon())


@pytest.mark.parametrize("score", ["9" * 400, "9" * 5_000, "1e999", "NaN", "null", '"1"', "true"])
def test_a_score_that_is_no_finite_number_is_a_failure(score: str) -> None:
    body = f'{{"result": [[{{"contents": "a", "score": {score}}}]]}}'.encode()
    with answering(lambda _: (200, body)) as url, pytest.raises(BackendError, match="no result"):
        HttpRetriever(url=url).search(["a"], 1, soon())


@pytest.mark.parametrize(
    "score", [float("nan"), float("inf"), "1", True, None, msgpack.Timestamp(1)]
)
def test_a_packed_score_that_is_no_finite_number_is_a_failure(score: Any) -> None:
    body = wires.messagepack().packb({"result": [{"contents": "a", "score": score}]})
    with answering(lambda _: (200, body)) as url, pytest.raises(BackendError, match="no result"):
        HttpRetriever(url=url, wire="gem").search(["a"], 1, soon())


@pytest.mark.parametrize("wire", wires.WIRES)
@pytest.mark.parametrize("body", [b"", b"\xc1", b"[" * 100_000, b"\x91" * 100_000, b"<html>"])
def test_garbage_is_a_failure(wire: str, body: bytes) -> None:
    with answering(lambda _: (200, body)) as url, pytest.raises(BackendError, match="no result"):
        HttpRetriever(url=url, wire=wire).search(["a"], 1, soon())


def test_a_huge_answer_is_a_failure() -> None:
    with (
        answering(lambda _: (200, b" " * (5 * 2**20))) as url,
        pytest.raises(BackendError, match="bytes"),
    ):
        HttpRetriever(url=url).search(["a"], 1, soon())


def test_more_hits_than_asked_for_are_left_out() -> None:
    hits = [{"document": {"contents": f"T{n}\nx"}, "score": n} for n in range(50)]
    body = json.dumps({"result": [hits]}).encode()
    with answering(lambda _: (200, body)) as url:
        (found,) = HttpRetriever(url=url).search(["a"], 3, soon())
    assert [hit.title for hit in found.hits] == ["T0", "T1", "T2"]


def test_a_busy_server_is_asked_again() -> None:
    good = json.dumps({"result": [[{"contents": "Fen\nA town."}]]}).encode()
    statuses = iter([503, 429, 200])
    with answering(lambda _: (next(statuses), good)) as url:
        (found,) = HttpRetriever(url=url).search(["a"], 3, soon())
    assert found.hits[0].text == "A town."


def test_an_answer_elsewhere_is_not_followed() -> None:
    with answering(lambda _: (307, b"")) as url, pytest.raises(BackendError, match="307"):
        HttpRetriever(url=url).search(["a"], 1, soon())


def silent(server: Loopback) -> tuple[int, bytes]:
    server.closing.wait(20)
    return 200, b""


@pytest.mark.parametrize("how", [silent])
def test_a_server_that_hangs_is_given_up_at_the_deadline(how: Callable[[Any], Any]) -> None:
    with answering(how) as url:
        start = time.monotonic()
        with pytest.raises(StepTimeout):
            HttpRetriever(url=url).search(["a"], 1, soon(0.5))
        assert time.monotonic() - start < 3


# -- an episode ----------------------------------------------------------------------------------
def test_a_server_killed_in_mid_episode_is_an_invalid_step_and_the_next_works() -> None:
    command = [sys.executable, "-m", "gem_gymnasium.cli.main", "index", "serve", "sample"]

    def serve(port: str) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen([*command, "--port", port], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        return process, process.stdout.readline().split()[-1]

    process, url = serve("0")
    env = make(SearchTool(retriever=HttpRetriever(url=url)), call_timeout_s=10.0)
    env.reset(seed=0)
    good, *_, info = env.step("<search>river</search>")
    assert info["tool_ok"]
    process.kill()
    process.communicate()
    start = time.monotonic()
    observation, reward, terminated, truncated, info = env.step("<search>river</search>")
    assert time.monotonic() - start < 6  # SearchTool's own limit
    assert (observation, reward, terminated, truncated) == (good, 0.0, False, True)
    assert (info["valid"], info["stop"]) == (False, "tool")
    assert "BackendError" in info["error"]
    process, _ = serve(url.split(":")[2].partition("/")[0])
    env.reset(seed=0)
    assert env.step("<search>river</search>")[0] == good
    assert env.step(answer(env))[4]["success"]
    process.terminate()
    assert process.wait(timeout=20) == 0
    process.communicate()


def test_sixty_four_clients_at_once_get_what_they_asked_for() -> None:
    index = TextIndex.build([(f"T{n}", f"word{n} of many") for n in range(200)])
    before = threading.active_count()
    with SearchServer(index, port=0) as server, ThreadPoolExecutor(64) as pool:
        client = HttpRetriever(url=server.url)

        def ask(number: int) -> str:
            (found,) = client.search([f"word{number % 200}"], 1, soon(60))
            return found.hits[0].title

        assert list(pool.map(ask, range(640))) == [f"T{n % 200}" for n in range(640)]
    deadline = soon(10)
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= before


def test_searches_over_http_leave_no_socket_behind(server: SearchServer) -> None:
    client = HttpRetriever(url=server.url)
    client.search(["town"], 1, soon())
    time.sleep(0.2)
    before = psutil.Process().num_fds()
    for _ in range(50):
        client.search(["town"], 1, soon())
    deadline = soon(5)
    while psutil.Process().num_fds() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert psutil.Process().num_fds() <= before
