"""HttpRetriever: asks a search server, in Search-R1's wire format or in GEM's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gem_gymnasium.core.errors import BackendError, ConfigError, UnknownName
from gem_gymnasium.core.http import fetch
from gem_gymnasium.core.parsing import echo, replace_surrogates
from gem_gymnasium.tools.search_base import Found, Retriever
from gem_gymnasium.tools.search_wire import WIRES, messagepack, read_answer, requests_of

_MAX_ERROR_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRetriever(Retriever):
    """A search server: ours (``gem-gym index serve``), Search-R1's or GEM's.

    Covered: the deadline holds for a request and its repetitions together, an answer is at most
    4 MiB, and one that is not of the format is a ``BackendError``.

    Args:
        url: Where to post, such as ``http://127.0.0.1:8000/retrieve``.
        wire: ``search_r1`` (JSON, many queries in a request) or ``gem`` (MessagePack).

    Raises:
        ConfigError: ``url`` is not of http or https.
        UnknownName: There is no such format.
        MissingDependency: ``gem``: msgpack is not installed.
    """

    url: str
    wire: str = "search_r1"

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise ConfigError(f"url must be of http or https, got {self.url!r}")
        if self.wire not in WIRES:
            raise UnknownName("wire", self.wire, WIRES)
        if self.wire == "gem":
            messagepack()

    def search(self, queries: Sequence[str], count: int, deadline: float) -> list[Found]:
        """Ask the server; all queries at once where the format can."""
        asked = [replace_surrogates(query) for query in queries]
        bodies = requests_of(self.wire, asked, count) if asked else []
        found: list[Found] = []
        for body, kind in bodies:
            headers = {"Content-Type": kind, "Accept": kind}
            reply = fetch(self.url, deadline, body=body, headers=headers)
            if reply.status != 200:
                said = echo(reply.body.decode("utf-8", "replace"), _MAX_ERROR_CHARS)
                raise BackendError(f"{self.url}: HTTP status {reply.status}: {said}")
            try:
                found += read_answer(self.wire, reply.body, len(asked) // len(bodies), count)
            except ValueError as error:
                raise BackendError(f"{self.url} answered what is no result: {error}") from error
        return found
