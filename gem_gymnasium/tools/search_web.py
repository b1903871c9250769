"""WebSearch: the web, through Serper, SerpAPI or Google's Custom Search, with a key of yours."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode

from gem_gymnasium.core.errors import BackendError, ConfigError, UnknownName
from gem_gymnasium.core.http import Reply, fetch
from gem_gymnasium.core.parsing import echo, replace_surrogates
from gem_gymnasium.tools.search_base import Found, Hit, Retriever
from gem_gymnasium.tools.search_wire import read_json

_MAX_ERROR_CHARS = 200
_MOST = 100
_MOST_OF_GOOGLE = 10


class _Request(NamedTuple):
    """What to send for a query."""

    query: str = ""
    body: bytes | None = None
    headers: Mapping[str, str] = {}


class Provider(NamedTuple):
    """A web API: where it is, what holds its keys, how it is asked and what it answers."""

    url: str
    variables: tuple[str, ...]
    """Environment variables of the key and, for Google, of the engine."""
    ask: Callable[[str, str, str, int], _Request]
    hits: Callable[[Any], list[Hit]]


def _ask_serper(query: str, key: str, engine: str, count: int) -> _Request:
    body = json.dumps({"q": query, "num": min(count, _MOST)}).encode()
    return _Request("", body, {"X-API-KEY": key, "Content-Type": "application/json"})


def _ask_serpapi(query: str, key: str, engine: str, count: int) -> _Request:
    fields = {"engine": engine or "google", "q": query, "num": min(count, _MOST), "api_key": key}
    return _Request(urlencode(fields))


def _ask_google(query: str, key: str, engine: str, count: int) -> _Request:
    fields = {"q": query, "num": min(count, _MOST_OF_GOOGLE), "cx": engine, "key": key}
    return _Request(urlencode(fields))


def _serper_hits(answer: Any) -> list[Hit]:
    box, graph = _object(answer, "answerBox"), _object(answer, "knowledgeGraph")
    return [
        *_hits([box], "title", "answer", "snippet"),
        *_hits([graph], "title", "description"),
        *_hits(_objects(answer, "organic"), "title", "snippet"),
    ]


def _serpapi_hits(answer: Any) -> list[Hit]:
    box = _object(answer, "answer_box")
    return [
        *_hits([box], "title", "answer", "snippet"),
        *_hits(_objects(answer, "organic_results"), "title", "snippet"),
        *_hits(_objects(answer, "related_questions"), "question", "snippet"),
    ]


def _google_hits(answer: Any) -> list[Hit]:
    return _hits(_objects(answer, "items"), "title", "snippet")


PROVIDERS: Mapping[str, Provider] = {
    "serper": Provider(
        "https://google.serper.dev/search", ("SERPER_API_KEY",), _ask_serper, _serper_hits
    ),
    "serpapi": Provider(
        "https://serpapi.com/search.json", ("SERPAPI_API_KEY",), _ask_serpapi, _serpapi_hits
    ),
    "google": Provider(
        "https://www.googleapis.com/customsearch/v1",
        ("GOOGLE_API_KEY", "GOOGLE_CSE_ID"),
        _ask_google,
        _google_hits,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearch(Retriever):
    """Search the web; a passage is a result's title and the snippet shown for it.

    What the web says changes: episodes cannot be repeated exactly. Every query costs money and goes
    to the provider as it is. Covered: the key appears in no error and no repr.

    Args:
        provider: ``serper``, ``serpapi`` or ``google``.
        key: The API key; None for what ``SERPER_API_KEY``, ``SERPAPI_API_KEY`` or
            ``GOOGLE_API_KEY`` holds.
        engine: For ``google`` the id of the search engine; None for what ``GOOGLE_CSE_ID`` holds.
            For ``serpapi`` the engine, ``google`` by default.
        url: Another address of the API; None for the provider's.

    Raises:
        UnknownName: There is no such provider.
        ConfigError: There is no key.
    """

    provider: str
    key: str | None = field(default=None, repr=False)
    engine: str | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        if self.provider not in PROVIDERS:
            raise UnknownName("provider", self.provider, PROVIDERS)
        for name, variable in zip(
            ("key", "engine"), PROVIDERS[self.provider].variables, strict=False
        ):
            value = getattr(self, name) or os.environ.get(variable, "")
            if not value:
                raise ConfigError(f"{self.provider} needs {name}: pass it, or set {variable}")
            object.__setattr__(self, name, value)

    def search(self, queries: Sequence[str], count: int, deadline: float) -> list[Found]:
        """Ask the API, a request a query."""
        return [self._search(replace_surrogates(query), count, deadline) for query in queries]

    def _search(self, query: str, count: int, deadline: float) -> Found:
        provider = PROVIDERS[self.provider]
        asked = provider.ask(query, self.key or "", self.engine or "", count)
        shown = self.url or provider.url
        url = f"{shown}?{asked.query}" if asked.query else shown
        reply = fetch(url, deadline, body=asked.body, headers=asked.headers, shown=shown)
        if reply.status == 400:
            return Found(problem=f"The search engine refused the query: {self._said(reply)}")
        if reply.status != 200:
            raise BackendError(f"{shown}: HTTP status {reply.status}: {self._said(reply)}")
        try:
            return Found(tuple(provider.hits(read_json(reply.body))[:count]))
        except ValueError as error:
            raise BackendError(f"{shown} answered what is no result: {error}") from error

    def _said(self, reply: Reply) -> str:
        """Return what an error's body says, without the key."""
        text = " ".join(reply.body.decode("utf-8", "replace").split())
        return echo(text.replace(self.key or "\0", "***"), _MAX_ERROR_CHARS)


def _object(answer: Any, key: str) -> Mapping[str, Any]:
    if not isinstance(answer, dict):
        raise ValueError("it is no JSON object")
    value = cast("dict[str, Any]", answer).get(key)
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _objects(answer: Any, key: str) -> list[Mapping[str, Any]]:
    if not isinstance(answer, dict):
        raise ValueError("it is no JSON object")
    values = cast("dict[str, Any]", answer).get(key, [])
    if not isinstance(values, list):
        raise ValueError(f"{key!r} is no list")
    return [value for value in cast("list[Any]", values) if isinstance(value, dict)]


def _hits(items: Sequence[Mapping[str, Any]], title: str, *texts: str) -> list[Hit]:
    """Return the items that have one of the texts."""
    hits: list[Hit] = []
    for item in items:
        said = [item[text] for text in texts if isinstance(item.get(text), str) and item[text]]
        if said:
            name = item.get(title)
            hits.append(Hit(name if isinstance(name, str) else "", " ".join(said)))
    return hits
