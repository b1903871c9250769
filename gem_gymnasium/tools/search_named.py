"""Retrievers by name, as a command line or a configuration file gives them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.tools.search_base import Retriever
from gem_gymnasium.tools.search_corpus import CORPORA, corpus
from gem_gymnasium.tools.search_http import HttpRetriever
from gem_gymnasium.tools.search_index import TextIndex
from gem_gymnasium.tools.search_web import PROVIDERS, WebSearch

_GEM = "gem+"


@cache
def corpus_index(name: str) -> TextIndex:
    """Return an index of a corpus, in memory, which all of the process share."""
    return TextIndex.build(corpus(name))


def retriever_of(name: str) -> Retriever:
    """Return the retriever that a name means.

    Args:
        name: ``sample`` or ``wiki``: a corpus, indexed in memory. ``serper``, ``serpapi`` or
            ``google``: the web, with the key in the environment. An address of http or https: a
            server in Search-R1's wire format, or after ``gem+`` in GEM's. Else the path of an index
            that ``gem-gym index build`` made.

    Raises:
        UnknownName: It is none of these.
        ConfigError: The file is no index, or the key is not there.
        MissingDependency: A package is not installed.
    """
    if name in CORPORA:
        return corpus_index(name)
    if name in PROVIDERS:
        return WebSearch(provider=name)
    if name.removeprefix(_GEM).startswith(("http://", "https://")):
        wire = "gem" if name.startswith(_GEM) else "search_r1"
        return HttpRetriever(url=name.removeprefix(_GEM), wire=wire)
    if Path(name).exists():
        return TextIndex(name)
    raise UnknownName("retriever or index", name, [*CORPORA, *PROVIDERS])
