"""What goes over the wire to a search server and back, in Search-R1's format and in GEM's.

Both post to one address. Search-R1 sends JSON, ``{"queries": [...], "topk": 3, "return_scores":
true}``, and gets ``{"result": [[{"document": {"contents": ...}, "score": ...}, ...], ...]}``, a
list a query (documents alone without ``return_scores``). GEM sends MessagePack, ``{"query": ...,
"topk": 3, "return_scores": true}``, and gets ``{"result": [...]}``, MessagePack as well. The first
line of ``contents`` is the title.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, cast

from gem_gymnasium.core.errors import MissingDependency
from gem_gymnasium.tools.search_base import Found, Hit
from gem_gymnasium.tools.search_corpus import split_contents

WIRES = ("search_r1", "gem")
DEFAULT_COUNT = 3


class Asked(NamedTuple):
    """A request as a server reads it."""

    wire: str
    queries: list[str]
    each: int
    """Passages wanted for each query."""
    scores: bool


def messagepack() -> Any:
    """Return the package that GEM's format needs.

    Raises:
        MissingDependency: It is not installed.
    """
    try:  # by name, since it has no types
        return import_module("msgpack")
    except ImportError:
        raise MissingDependency("msgpack", "search", "GEM's wire format") from None


def read_json(data: bytes) -> Any:
    """Return what JSON says.

    Raises:
        ValueError: It is none, or nested too deep.
    """
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def read_messagepack(data: bytes) -> Any:
    """Return what MessagePack says.

    Raises:
        ValueError: It is none.
        MissingDependency: The package is not installed.
    """
    package = messagepack()
    try:
        return package.unpackb(data)
    except (ValueError, package.UnpackException, TypeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


# -- the client's side --------------------------------------------------------------------------
def requests_of(wire: str, queries: Sequence[str], count: int) -> list[tuple[bytes, str]]:
    """Return the bodies to post, each with its content type; GEM's takes one query a request."""
    options = {"topk": count, "return_scores": True}
    if wire == "search_r1":
        body = json.dumps({"queries": list(queries), **options}).encode()
        return [(body, "application/json")]
    pack = messagepack().packb
    return [(pack({"query": query, **options}), "application/msgpack") for query in queries]


def read_answer(wire: str, body: bytes, asked: int, count: int) -> list[Found]:
    """Return what an answer says, for each query that was asked.

    Raises:
        ValueError: It is no answer of this format.
    """
    answer = read_json(body) if wire == "search_r1" else read_messagepack(body)
    result = _field(answer, "result", list)
    lists: list[Any] = result if wire == "search_r1" else [result]
    if len(lists) != asked:
        raise ValueError(f"{asked} queries, but {len(lists)} results")
    found: list[Found] = []
    for items in lists:
        if not isinstance(items, list):
            raise ValueError("a result is no list")
        found.append(Found(tuple(_hit(item) for item in cast("list[Any]", items)[:count])))
    return found


def _hit(item: Any) -> Hit:
    document = item["document"] if _has(item, "document") else item
    title, text = split_contents(_field(document, "contents", str))
    score = item.get("score", 0.0)
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise ValueError("a score is no number")
    try:
        number = float(score)
    except OverflowError:
        raise ValueError("a score is too large") from None
    if not math.isfinite(number):
        raise ValueError("a score is not finite")
    return Hit(title, text, number)


# -- the server's side --------------------------------------------------------------------------
def read_request(body: bytes) -> Asked:
    """Return what a request asks for; MessagePack is told by its first byte.

    Raises:
        ValueError: It is no request of either format.
        MissingDependency: It is MessagePack, and the package is not installed.
    """
    is_map = bool(body) and (0x80 <= body[0] <= 0x8F or body[0] in (0xDE, 0xDF))
    wire = "gem" if is_map else "search_r1"
    request = read_messagepack(body) if is_map else read_json(body)
    if _has(request, "queries"):
        queries = _field(request, "queries", list)
    else:
        queries = [_field(request, "query", str)]
    count = request.get("topk")
    count = DEFAULT_COUNT if count is None else count
    if not queries or not all(isinstance(query, str) for query in queries):
        raise ValueError("queries must be a list of texts, at least one")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError("topk must be an integer of at least 1")
    scores = request.get("return_scores", wire == "gem")
    return Asked(wire, queries, count, bool(scores))


def answer_of(asked: Asked, found: Sequence[Found], max_text_chars: int) -> tuple[bytes, str]:
    """Return the body of an answer, and its content type."""
    lists = [[_item(hit, asked.scores, max_text_chars) for hit in one.hits] for one in found]
    if asked.wire == "gem":
        return messagepack().packb({"result": lists[0]}), "application/msgpack"
    return json.dumps({"result": lists}).encode(), "application/json"


def _item(hit: Hit, scores: bool, max_text_chars: int) -> dict[str, Any]:
    title = " ".join(hit.title.split())
    document = {"contents": f'"{title}"\n{hit.text}'[:max_text_chars]}
    return {"document": document, "score": hit.score} if scores else document


def _has(value: Any, key: str) -> bool:
    return isinstance(value, Mapping) and key in value


def _field(value: Any, key: str, kind: type) -> Any:
    if not _has(value, key) or not isinstance(value[key], kind):
        raise ValueError(f"{key!r} is missing, or no {kind.__name__}")
    return value[key]
