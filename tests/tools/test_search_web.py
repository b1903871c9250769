"""WebSearch against loopback servers that answer like Serper, SerpAPI and Google."""

import json
import pickle
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from gem_gymnasium.core.errors import BackendError, ConfigError, UnknownName
from gem_gymnasium.tools import Found, Hit, WebSearch, retriever_of
from gem_gymnasium.tools.search_web import PROVIDERS
from tests.tools.loopback import Loopback, serving

KEY = "s3cret-key"
ENGINES = {"serper": None, "serpapi": None, "google": "engine-1"}

ANSWERS: dict[str, Any] = {
    "serper": {
        "answerBox": {"title": "Capital", "answer": "Paris"},
        "knowledgeGraph": {"title": "Paris", "description": "A city."},
        "organic": [{"title": "Paris - Wiki", "snippet": "Paris is.", "link": "x"}, {"title": "n"}],
    },
    "serpapi": {
        "answer_box": {"title": "Capital", "answer": "Paris", "snippet": "Of France."},
        "organic_results": [{"title": "Paris - Wiki", "snippet": "Paris is."}],
        "related_questions": [{"question": "Why?", "snippet": "Because."}],
    },
    "google": {"items": [{"title": "Paris - Wiki", "snippet": "Paris is."}, {"title": "Q"}, 3]},
}
HITS = {
    "serper": [("Capital", "Paris"), ("Paris", "A city."), ("Paris - Wiki", "Paris is.")],
    "serpapi": [
        ("Capital", "Paris Of France."), ("Paris - Wiki", "Paris is."), ("Why?", "Because."),
    ],
    "google": [("Paris - Wiki", "Paris is.")],
}  # fmt: skip


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    for provider in PROVIDERS.values():
        for variable in provider.variables:
            monkeypatch.delenv(variable, raising=False)


def web(provider: str, server: Loopback) -> WebSearch:
    return WebSearch(provider=provider, key=KEY, engine=ENGINES[provider], url=server.url)


def search(provider: str, status: int, said: Any, query: str = "q") -> tuple[Found, Loopback]:
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    with serving(lambda _: (status, body)) as server:
        (found,) = web(provider, server).search([query], 5, time.monotonic() + 20)
    return found, server


@pytest.mark.parametrize("provider", PROVIDERS)
def test_answers_are_read(provider: str) -> None:
    found, _ = search(provider, 200, ANSWERS[provider])
    assert found == Found(tuple(Hit(title, text) for title, text in HITS[provider]))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_results_are_an_answer(provider: str) -> None:
    assert search(provider, 200, {})[0] == Found()


def test_serper_is_posted_json_with_the_key_in_a_header() -> None:
    _, server = search("serper", 200, {}, 'what "is" & where')
    (asked,) = server.asked
    assert asked.method == "POST"
    assert json.loads(asked.body) == {"q": 'what "is" & where', "num": 5}
    assert asked.headers["x-api-key"] == KEY
    assert KEY not in asked.path


@pytest.mark.parametrize(
    ("provider", "fields"),
    [
        ("serpapi", {"engine": "google", "num": "5", "api_key": KEY}),
        ("google", {"cx": "engine-1", "num": "5", "key": KEY}),
    ],
)
def test_the_others_are_asked_by_an_escaped_address(provider: str, fields: dict[str, str]) -> None:
    query = "what is & where=1#?\ud800é"
    _, server = search(provider, 200, {}, query)
    (asked,) = server.asked
    assert asked.method == "GET"
    read = {name: value for name, (value,) in parse_qs(urlsplit(asked.path).query).items()}
    assert read == {**fields, "q": query.replace("\ud800", "?")}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refused_query_is_text_for_the_model_without_the_key(provider: str) -> None:
    found, _ = search(provider, 400, {"error": f"bad query (key {KEY})"})
    assert not found.hits
    assert "bad query" in found.problem
    assert KEY not in found.problem


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("status", [401, 402, 403, 429, 500])
def test_a_provider_that_refuses_us_is_a_failure_without_the_key(
    provider: str, status: int
) -> None:
    with pytest.raises(BackendError) as caught:
        search(provider, status, f"no credit left for {KEY}".encode())
    assert str(status) in str(caught.value)
    error: BaseException | None = caught.value
    while error is not None:
        assert KEY not in str(error)
        error = error.__cause__


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "said", [b"<html>", [], {"organic": 3, "organic_results": "x", "items": {}}, b"[" * 90_000]
)
def test_what_is_no_result_is_a_failure(provider: str, said: Any) -> None:
    with pytest.raises(BackendError, match="no result"):
        search(provider, 200, said)


@pytest.mark.parametrize("title", [None, 3, 10**400, float("nan"), True, ["a"], {"a": 3}])
def test_a_title_that_is_no_text_is_none(title: Any) -> None:
    said = {"organic": [{"title": title, "snippet": "A town."}]}
    assert search("serper", 200, said)[0] == Found((Hit("", "A town."),))


def test_keys_come_from_the_environment_and_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownName, match="did you mean 'serper'"):
        WebSearch(provider="serpr")
    with pytest.raises(ConfigError, match="SERPER_API_KEY"):
        WebSearch(provider="serper")
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    with pytest.raises(ConfigError, match="GOOGLE_CSE_ID"):
        retriever_of("google")
    monkeypatch.setenv("GOOGLE_CSE_ID", "engine-2")
    tool = retriever_of("google")
    assert tool == WebSearch(provider="google", key=KEY, engine="engine-2")
    assert KEY not in repr(tool)
    assert pickle.loads(pickle.dumps(tool)) == tool
