"""McpToolbox with a server that hangs, dies and lies; without the SDK on the other side."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tools import McpToolbox, Runner
from gem_gymnasium.tools.mcp import NOTHING_SAID
from gem_gymnasium.tools.schema import broken
from tests.tools.mcp_running import call, children, opened, settled, sqlite, stdio

LIMIT_S = 1.0


@pytest.fixture(scope="module")
def box() -> McpToolbox:
    return McpToolbox({"liar": stdio("liar")}, timeout_s=LIMIT_S, connect_timeout_s=60.0)


@pytest.fixture
def runner(box: McpToolbox) -> Iterator[Runner]:
    with opened(box) as it:
        assert call(it, "ok").text == "fine"
        yield it
        assert call(it, "ok").text == "fine"  # whatever came before


def test_a_call_that_hangs_is_given_up_and_the_server_started_anew(runner: Runner) -> None:
    start = time.monotonic()
    result = call(runner, "hang")
    assert time.monotonic() - start < LIMIT_S + 4
    assert (result.ok, result.status) == (False, "timeout")
    assert "did not answer in time" in result.text


def test_the_callers_deadline_counts_too(runner: Runner) -> None:
    start = time.monotonic()
    assert call(runner, "hang", 0.3).status == "timeout"
    assert time.monotonic() - start < 2


def test_a_server_that_dies_is_started_anew_and_its_last_words_are_told(runner: Runner) -> None:
    result = call(runner, "die")
    assert (result.ok, result.status) == (False, "error")
    assert "The server 'liar' is gone" in result.text
    assert "out of luck" in result.text


def test_a_huge_result_is_cut(runner: Runner, box: McpToolbox) -> None:
    result = call(runner, "huge")
    assert result.ok
    assert len(result.text) < box.max_chars + 100
    assert "[996000 characters left out]" in result.text


def test_a_line_without_an_end_ends_the_connection(runner: Runner) -> None:
    start = time.monotonic()
    result = call(runner, "endless", 20.0)
    assert time.monotonic() - start < 10
    assert not result.ok


def test_garbage_between_messages_is_passed_over(runner: Runner) -> None:
    assert call(runner, "garbage").text == "after garbage"


def test_a_result_that_is_none_is_told_in_short(runner: Runner) -> None:
    result = call(runner, "wrong")
    assert (result.ok, result.status) == (False, "error")
    assert "breaks its own rules" in result.text
    assert len(result.text) < 800


def test_an_error_is_text(runner: Runner) -> None:
    assert call(runner, "error")[:3] == (False, "no such thing", "error")


def test_what_is_no_text_is_named(runner: Runner) -> None:
    assert call(runner, "image").text == "[image, image/png, 4 characters of base64]"


def test_surrogates_are_replaced(runner: Runner) -> None:
    assert call(runner, "surrogate").text == "a ? b"


def test_surrogates_in_a_call_are_replaced_and_cost_no_timeout(tmp_path: Path) -> None:
    box = McpToolbox({"db": sqlite(tmp_path / "data.db")}, connect_timeout_s=60.0)
    with opened(box) as runner:
        assert call(runner, "list_tables").ok
        answer = call(runner, "read_query", sql="SELECT 'a \ud800 b' AS c")
        assert (answer.status, answer.text) == ("ok", "c\na ? b")


def test_an_answer_without_words_says_so(runner: Runner) -> None:
    assert call(runner, "nothing").text == NOTHING_SAID


@pytest.mark.parametrize(
    ("mode", "said"), [("schema", "breaks its own rules|no schema"), ("none", "no tools"),
                       ("mute", "did not answer in time"), ("required", "no schema")],
)  # fmt: skip
def test_a_server_that_lists_what_cannot_be_called_is_refused(mode: str, said: str) -> None:
    before = len(children())
    seconds = 1.0 if mode == "mute" else 60.0
    with pytest.raises(ConfigError, match=said) as caught:
        McpToolbox({"liar": stdio("liar", mode)}, connect_timeout_s=seconds)
    assert len(str(caught.value)) < 800
    assert settled(lambda: len(children()), before) <= before


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": True}}, ""),
        ({"$ref": "#/x", "anyOf": [3], "format": 3}, ""),
        (3, "no object"), ({"type": 3}, "'type'"), ({"type": [3]}, "'type'"),
        ({"properties": []}, "'properties'"), ({"properties": {"a": 3}}, "no object"),
        ({"required": "a"}, "'required'"), ({"required": [3]}, "'required'"),
        ({"enum": "ab"}, "'enum'"), ({"items": {"enum": 3}}, "'enum'"),
        ({"minimum": "3"}, "'minimum'"), ({"maximum": True}, "'maximum'"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_read_is_told(schema: object, problem: str) -> None:
    assert problem in broken(schema)
    assert bool(broken(schema)) == bool(problem)


def test_a_schema_of_any_depth_is_looked_at() -> None:
    schema: dict[str, object] = {}
    for _ in range(5_000):
        schema = {"properties": {"a": schema}}
    assert "too deep" in broken(schema)
