"""Live wikis for WikiGame: the MediaWiki API and kiwix-serve.

Whatever a server answers, titles and summaries come out as single lines that can be encoded, and
links as titles that a reply can name. An article has one deadline for all its requests.
"""

from __future__ import annotations

import html
import json
import time
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote, urlencode, urljoin, urlsplit

from gem_gymnasium.core.errors import BackendError
from gem_gymnasium.core.http import Reply, fetch
from gem_gymnasium.core.parsing import replace_surrogates
from gem_gymnasium.games.wiki_game_graphs import MAX_LINKS, Page
from gem_gymnasium.games.wiki_game_html import read_article
from gem_gymnasium.games.wiki_game_titles import MAX_TITLE, fold

MAX_SUMMARY = 2_000
"""Characters of a summary that are kept."""

MAX_CACHED = 256
"""Articles that a back end remembers; while it does, their text stays the same."""


class LiveWiki:
    """What the two have in common: addresses, the deadline, the cache."""

    def __init__(self, url: str, timeout_s: float) -> None:
        self.url = url.rstrip("/")
        self.timeout_s = timeout_s
        self._cached = lru_cache(MAX_CACHED)(self._load)

    def page(self, title: str) -> Page | None:
        """Return the article of this title, or None if the wiki has none.

        Raises:
            StepTimeout: The server did not answer in time.
            BackendError: It cannot be reached, refuses, or answers nonsense.
        """
        return self._cached(title)

    def _load(self, title: str) -> Page | None:
        deadline = time.monotonic() + self.timeout_s
        try:
            return self._ask(title, deadline)
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
            raise BackendError(f"{self.url} does not answer as it should: {what}") from error

    def _ask(self, title: str, deadline: float) -> Page | None:
        raise NotImplementedError


class MediaWiki(LiveWiki):
    """A MediaWiki by its API (``url`` is that of api.php): Wikipedia, and most other wikis.

    Links are those to the main namespace, in the API's order (alphabetical). The summary needs the
    TextExtracts extension; without it articles have none.
    """

    def _ask(self, title: str, deadline: float) -> Page | None:
        query = {
            "action": "query", "format": "json", "formatversion": "2", "redirects": "1",
            "titles": title, "prop": "links|extracts", "plnamespace": "0", "pllimit": "max",
            "exintro": "1", "explaintext": "1",
        }  # fmt: skip
        more: dict[str, str] = {}
        links: list[str] = []
        name = summary = ""
        while True:
            reply = fetch(f"{self.url}?{urlencode({**query, **more}, errors='replace')}", deadline)
            answer: Any = json.loads(require_ok(reply).body)
            if "error" in answer:
                raise BackendError(f"{self.url}: {_line(answer['error']['info'], 200)}")
            pages: Any = answer["query"].get("pages")
            if not pages or pages[0].get("missing") or pages[0].get("invalid"):
                return None  # without pages: a title of another wiki
            page: Any = pages[0]
            name = page["title"]
            summary = summary or page.get("extract", "")
            links += [link["title"] for link in page.get("links", ())]
            before, more = more, answer.get("continue", {})
            if not more or len(links) >= MAX_LINKS or more == before:
                return make_page(name, summary, links)


class Kiwix(LiveWiki):
    """A book of kiwix-serve: ``url`` ends in ``/content/BOOK``, or in ``/raw/BOOK/content``.

    Links are those of the article's text, in its order. A title that is no path of the book is
    looked up by the server's search for titles.
    """

    def __init__(self, url: str, timeout_s: float) -> None:
        super().__init__(url, timeout_s)
        self._root, _, rest = self.url.partition("/content/")
        if rest:
            self._book = rest.split("/")[0]
            self._content = f"{self._root}/content/{self._book}"
        else:
            self._root, _, rest = self.url.partition("/raw/")
            self._book = rest.split("/")[0]
            self._content = f"{self._root}/raw/{self._book}/content"

    def _ask(self, title: str, deadline: float) -> Page | None:
        path = quote(title.replace(" ", "_"), errors="replace")
        reply = fetch(f"{self.url}/{path}", deadline)
        if reply.status == 404:
            found = self._search(title, deadline)
            if found is None:
                return None
            reply = fetch(f"{self._content}/{quote(found, errors='replace')}", deadline)
            if reply.status == 404:
                return None
        name = self._title_of(require_ok(reply).url)
        if name is None:
            raise BackendError(f"{self.url} leads out of the book, to {reply.url}")
        article = read_article(reply.body.decode("utf-8", "replace"))
        links = [self._title_of_link(reply.url, href) for href in article.hrefs]
        return make_page(name, article.summary, [link for link in links if link])

    def _title_of_link(self, base: str, href: str) -> str | None:
        """Return the title that a link of an article leads to, or None if to no article."""
        try:
            return self._title_of(urljoin(base, href))
        except ValueError:  # no address, such as http://[
            return None

    def _title_of(self, url: str) -> str | None:
        """Return the title of an article's address, or None for any other address."""
        here, there = urlsplit(self.url), urlsplit(url)
        inside = there.path.startswith(f"{here.path}/") and there.netloc == here.netloc
        path = unquote(there.path[len(here.path) + 1 :]) if inside else ""
        return None if path.startswith(_NO_ARTICLES) else path.replace("_", " ") or None

    def _search(self, title: str, deadline: float) -> str | None:
        """Return the path of the article whose title is most like ``title``, or None."""
        query = urlencode({"content": self._book, "term": title, "count": 1}, errors="replace")
        found: Any = json.loads(require_ok(fetch(f"{self._root}/suggest?{query}", deadline)).body)
        paths = [item["path"] for item in found if item.get("kind") == "path"]
        return html.unescape(paths[0]) if paths else None


_NO_ARTICLES = ("_", "-/", "I/")
"""How the paths of a book's images, styles and scripts begin."""


def require_ok(reply: Reply) -> Reply:
    """Return an answer that is one.

    Raises:
        BackendError: Its status says that it is none.
    """
    if reply.status != 200:
        raise BackendError(f"{reply.url}: HTTP status {reply.status}")
    return reply


def make_page(title: str, summary: str, links: Iterable[str]) -> Page:
    """Return an article with what a server gave made fit to be shown.

    Titles that no reply could name (empty, too long, with brackets) are left out.

    Raises:
        ValueError: The article's own title is such a one.
    """
    name = _line(title, MAX_TITLE + 1)
    if not _is_fit(name):
        raise ValueError(f"an article has the title {name!r}")
    cleaned = dict.fromkeys(_line(link, MAX_TITLE + 1) for link in links)
    kept = [link for link in cleaned if _is_fit(link) and link != name]
    return Page(name, _line(summary, MAX_SUMMARY), (*kept[:MAX_LINKS],))


def _line(text: str, max_chars: int) -> str:
    """Return text as one line that can be encoded, cut to a length."""
    return replace_surrogates(" ".join(text.split()))[:max_chars]


def _is_fit(title: str) -> bool:
    """Return whether a title can stand in a list and in a box, and is an article's."""
    namespace = title.partition(":")[0]
    return (
        0 < len(title) <= MAX_TITLE
        and len(fold(title)) <= MAX_TITLE
        and title.isprintable()
        and not any(bracket in title for bracket in "{}<>[]|#")
        and namespace not in _NAMESPACES
    )


_NAMESPACES = {
    *("File", "Image", "Category", "Template", "Help", "Portal", "Special", "Talk", "User"),
    *("Wikipedia", "MediaWiki", "Module", "Draft"),
}
