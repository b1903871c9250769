"""SearchTool: which query of a reply is searched for, and what the model reads of it."""

import pickle
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.core.errors import BackendError, ConfigError, UnknownName
from gem_gymnasium.tools import (
    Call,
    Found,
    Hit,
    Retriever,
    SearchTool,
    TextIndex,
    ToolResult,
    check_tool_name,
    retriever_of,
    tool_of,
)
from gem_gymnasium.tools.search import NO_QUERY, NOTHING_FOUND
from tests.wrappers.toy_task import answer, make

TOOL = SearchTool()


class Fixed(Retriever):
    """Answers every query with the same, and remembers what it was asked."""

    def __init__(self, *hits: Hit, problem: str = "", fails: bool = False) -> None:
        self.found, self.fails = Found(hits, problem), fails
        self.queries: list[str] = []
        self.left_s = 0.0

    def search(self, queries: Sequence[str], count: int, deadline: float) -> list[Found]:
        self.queries += queries
        self.left_s = deadline - time.monotonic()
        if self.fails:
            raise BackendError("the index is gone")
        return [self.found] * len(queries)


def run(query: str, tool: SearchTool = TOOL) -> ToolResult:
    return tool.run(Call(0, 1, "search", {"query": query}), time.monotonic() + 30)


# -- which query ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("reply", "query"),
    [
        ("<search>a b</search>", "a b"),
        ("I think.\n<search>\n a \n</search> So.", "a"),
        ("<search>a</search><search>b</search>", "a"),
        ("</search><search>a</search>", "a"),
        ("<search></search>", ""),
    ],
)
def test_the_first_tagged_query_is_the_one(reply: str, query: str) -> None:
    call = TOOL.find_call(reply)
    assert call is not None
    assert call.arguments == {"query": query}
    assert reply[call.start : call.end].startswith("<search>")
    assert reply[: call.end].endswith("</search>")


@pytest.mark.parametrize("reply", ["", "search", "<search>", "<search>x", "</search><search>"])
def test_a_reply_without_a_whole_query_holds_none(reply: str) -> None:
    assert TOOL.find_call(reply) is None


def test_the_form_that_all_tools_share_works_too() -> None:
    env = make(SearchTool())
    env.reset(seed=0)
    reply = '<tool_call>{"name": "search", "arguments": {"query": "a river"}}</tool_call>'
    *_, info = env.step(reply)
    assert (info["tool"], info["tool_ok"]) == ("search", True)
    assert "<information>Doc 1(Title: " in info["feedback"]
    assert env.step(answer(env))[4]["success"]


# -- what the model reads ------------------------------------------------------------------------
def test_passages_are_shown_as_gem_shows_them() -> None:
    tool = SearchTool(retriever=Fixed(Hit("Fen", "A town.\nOld."), Hit("Ode", "A poem.")))
    assert run("town", tool) == ToolResult(
        True,
        "<information>Doc 1(Title: Fen) A town. Old.\nDoc 2(Title: Ode) A poem.\n</information>",
    )


def test_count_bounds_the_passages_and_max_chars_all_of_them() -> None:
    hits = [Hit(f"T{number}", "x" * 10_000) for number in range(9)]
    text = run("q", SearchTool(retriever=Fixed(*hits), count=5, max_chars=1_000)).text
    lines = text.removeprefix("<information>").splitlines()
    assert [len(line) for line in lines[:5]] == [200] * 5
    assert lines[5:] == ["</information>"]
    assert all(line.endswith("x ...") for line in lines[:5])


def test_a_passage_cannot_close_the_tag_or_break_the_encoding() -> None:
    tool = SearchTool(retriever=Fixed(Hit("a</information>", "b </information> \ud800")))
    text = run("q", tool).text
    assert text.count("</information>") == 1
    text.encode()


def test_nothing_found_is_an_answer() -> None:
    result = run("q", SearchTool(retriever=Fixed()))
    assert result == ToolResult(True, f"<information>{NOTHING_FOUND}\n</information>")


@pytest.mark.parametrize("query", ["", " \n\t"])
def test_an_empty_query_is_the_models_mistake(query: str) -> None:
    assert run(query) == ToolResult(False, NO_QUERY, "error")


def test_a_query_without_a_word_is_the_models_mistake() -> None:
    result = run("!?")
    assert (result.ok, result.status) == (False, "error")
    assert "no word" in result.text


def test_a_refused_query_is_text_for_the_model() -> None:
    assert run("q", SearchTool(retriever=Fixed(problem="No."))) == ToolResult(False, "No.", "error")


def test_a_long_query_is_cut_and_its_surrogates_replaced() -> None:
    fixed = Fixed()
    run("\ud800" + "x" * 5_000, SearchTool(retriever=fixed, max_query_chars=100))
    assert fixed.queries == ["?" + "x" * 99]


def test_the_time_of_a_search_is_bounded_by_both_limits() -> None:
    fixed = Fixed()
    run("q", SearchTool(retriever=fixed, timeout_s=5))
    assert 4 < fixed.left_s <= 5
    run("q", SearchTool(retriever=fixed, timeout_s=500))
    assert 29 < fixed.left_s <= 30


@given(query=st.text())
def test_no_query_makes_it_raise(query: str) -> None:
    assert len(run(query).text) <= 4_000 + 40


def test_a_dead_back_end_is_an_invalid_step_and_the_next_episode_works() -> None:
    fixed = Fixed(Hit("Fen", "A town."))
    env = make(SearchTool(retriever=fixed))
    env.reset(seed=0)
    good, *_ = env.step("<search>town</search>")
    fixed.fails = True
    observation, reward, terminated, truncated, info = env.step("<search>town</search>")
    assert (observation, reward, terminated, truncated) == (good, 0.0, False, True)
    assert (info["valid"], info["stop"]) == (False, "tool")
    assert info["error"] == "BackendError: the index is gone"
    fixed.fails = False
    env.reset(seed=0)
    assert env.step("<search>town</search>")[0] == good


# -- names ---------------------------------------------------------------------------------------
def test_the_model_is_told_of_the_tags_and_of_the_number() -> None:
    told = SearchTool(count=4).instructions()
    assert "between <search> and </search>" in told
    assert "The best 4 passages will stand between <information> and </information>" in told
    assert "The best passage will" in SearchTool(count=1).instructions()


@pytest.mark.parametrize("option", ["count", "max_chars", "max_query_chars", "timeout_s"])
def test_a_limit_that_is_none_is_refused(option: str) -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        SearchTool(**{option: 0})


def test_a_retriever_may_be_named() -> None:
    assert "Doc 1(Title: " in run("river", SearchTool(retriever="sample")).text
    with pytest.raises(UnknownName, match="did you mean 'sample'"):
        SearchTool(retriever="simple")


def test_tools_are_made_by_name() -> None:
    assert isinstance(tool_of("search"), SearchTool)
    tool = tool_of("search:http://127.0.0.1:1/retrieve")
    assert isinstance(tool, SearchTool)
    assert "127.0.0.1:1" in repr(tool.retriever)
    check_tool_name("search:whatever")
    with pytest.raises(UnknownName, match="did you mean 'search'"):
        check_tool_name("serch:wiki")
    with pytest.raises(ConfigError, match="takes no argument"):
        check_tool_name("python:3")
    with pytest.raises(UnknownName, match="no-such-index"):
        tool_of("search:no-such-index.db")


def test_the_bundled_corpus_has_a_thousand_passages() -> None:
    index = retriever_of("sample")
    assert isinstance(index, TextIndex)
    assert len(index) >= 1_000
    assert retriever_of("sample") is index


def test_a_tool_pickles() -> None:
    again = pickle.loads(pickle.dumps(TOOL))
    assert run("a town on the river", again) == run("a town on the river")
