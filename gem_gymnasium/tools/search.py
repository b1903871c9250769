"""SearchTool: finds passages of text for the queries that a model writes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import cast

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import echo, replace_surrogates
from gem_gymnasium.tools.base import Call, Tool, ToolResult
from gem_gymnasium.tools.calls import find_tagged
from gem_gymnasium.tools.search_base import Found, Hit, Retriever
from gem_gymnasium.tools.search_named import retriever_of

_OPEN, _CLOSE = "<search>", "</search>"
_BEGIN, _END = "<information>", "</information>"
_MAX_TITLE_CHARS = 200

NO_QUERY = "The query is empty: write what to look for, in a few words."
NOTHING_FOUND = "No passage fits: try other words."


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTool(Tool):
    """Search a collection of texts, and show the passages that fit best.

    A query stands between ``<search>`` and ``</search>``, or is the argument ``query`` of a
    ``<tool_call>``. The passages come between ``<information>`` and ``</information>``, one a line,
    as in GEM: ``Doc 1(Title: ...) text``.

    Covered: the retriever has a deadline, what it answers is bounded, and no text that it answers
    can close the ``<information>``. Not covered: what the texts say; they may try to instruct the
    model.

    Args:
        retriever: Where to search: a :class:`Retriever`, or a name as in
            :func:`~gem_gymnasium.tools.retriever_of` (``"sample"``, ``"wiki"``, the path of an
            index, the address of a server, ``"serper"``).
        count: Passages shown.
        timeout_s: Seconds that a search may take.
        max_chars: Characters of all passages together; longer ones are cut to an equal share.
        max_query_chars: Characters of the query that are searched for; the rest is passed over.

    Raises:
        ConfigError: A limit is refused, or the retriever cannot be opened.
        UnknownName: There is no retriever of that name.
        MissingDependency: The retriever lacks a package.
    """

    retriever: Retriever | str = "sample"
    count: int = 3
    timeout_s: float = 5.0
    max_chars: int = 4_000
    max_query_chars: int = 1_000

    name = "search"
    description = "Search a collection of texts and read the passages that fit best."
    parameters = {  # noqa: RUF012 - a constant; a MappingProxyType is no JSON
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for."}},
        "required": ["query"],
        "additionalProperties": False,
    }

    def __post_init__(self) -> None:
        if not self.timeout_s > 0 or min(self.count, self.max_chars, self.max_query_chars) < 1:
            raise ConfigError(
                "timeout_s must be above 0, count, max_chars and max_query_chars at least 1, got "
                f"{self.timeout_s}, {self.count}, {self.max_chars} and {self.max_query_chars}"
            )
        if isinstance(self.retriever, str):
            object.__setattr__(self, "retriever", retriever_of(self.retriever))

    def instructions(self) -> str:
        """Return what a model is told of the tool."""
        many = "passage" if self.count == 1 else f"{self.count} passages"
        return (
            f"{self.name}: {self.description} Put the query between {_OPEN} and {_CLOSE}. The best "
            f"{many} will stand between {_BEGIN} and {_END}."
        )

    def find_call(self, reply: str) -> Call | None:
        """Return the first tagged query, or None."""
        tagged = find_tagged(reply, _OPEN, _CLOSE)
        if tagged is None:
            return None
        start, inside, end = tagged
        return Call(start, end, self.name, {"query": inside.strip()})

    def run(self, call: Call, deadline: float) -> ToolResult:
        """Search."""
        query = replace_surrogates(call.arguments["query"]).strip()[: self.max_query_chars]
        if not query:
            return ToolResult(False, NO_QUERY, "error")
        deadline = min(deadline, time.monotonic() + self.timeout_s)
        (found,) = cast("Retriever", self.retriever).search([query], self.count, deadline)
        if found.problem:
            return ToolResult(False, found.problem, "error")
        return ToolResult(True, self._shown(found))

    def _shown(self, found: Found) -> str:
        """Compose what the model reads."""
        hits = found.hits[: self.count]
        share = self.max_chars // max(1, len(hits))
        lines = [_line(number, hit, share) for number, hit in enumerate(hits, start=1)]
        inside = "\n".join(lines) or NOTHING_FOUND
        return f"{_BEGIN}{inside}\n{_END}"


def _line(number: int, hit: Hit, max_chars: int) -> str:
    """Return a passage as one line that closes no tag."""
    title = echo(" ".join(hit.title.split()), _MAX_TITLE_CHARS)
    line = f"Doc {number}(Title: {title}) {' '.join(hit.text.split())}"
    line = replace_surrogates(line).replace(_END, _END.replace("<", "&lt;"))
    return line if len(line) <= max_chars else f"{line[: max(0, max_chars - 4)]} ..."
