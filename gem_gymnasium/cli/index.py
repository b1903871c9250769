"""``gem-gym index``: make an index for the search tool, look into it, and serve it."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from typing import Any

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tools import (
    CORPORA,
    SearchServer,
    SearchTool,
    TextIndex,
    corpus,
    read_corpus,
    retriever_of,
)
from gem_gymnasium.tools.base import Call

_INDEX = "an index, sample, wiki, or what else retriever_of takes"
_TIMEOUT_S = 60.0


def add_to(commands: Any) -> None:
    """Add the subcommand to ``gem-gym``'s parser."""
    parser = commands.add_parser("index", help="indexes for the search tool", description=__doc__)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    build = verbs.add_parser("build", help="index a corpus")
    build.add_argument(
        "corpus",
        help="a file of JSON lines (title and text, or contents), or sample or wiki for a corpus "
        "that is there",
    )
    build.add_argument("out", help="the index file to write")
    build.set_defaults(run=run_build)

    query = verbs.add_parser("query", help="search, and show what a model would read")
    query.add_argument("index", help=_INDEX)
    query.add_argument("words", nargs="+", help="the query")
    query.add_argument("--count", type=int, default=3, help="passages shown (default: 3)")
    query.set_defaults(run=run_query)

    serve = verbs.add_parser("serve", help="serve an index over HTTP, as Search-R1 and GEM do")
    serve.add_argument("index", help=_INDEX)
    serve.add_argument("--host", default="127.0.0.1", help="(default: 127.0.0.1)")
    serve.add_argument("--port", type=int, default=8000, help="0 for a free one (default: 8000)")
    serve.add_argument("--timeout", type=float, default=10.0, help="seconds for a search")
    serve.set_defaults(run=run_serve)


def run_build(options: argparse.Namespace) -> int:
    """Index a corpus, and say how large it is.

    Raises:
        ConfigError: The corpus cannot be read, or the index not be written.
        MissingDependency: The corpus is that of a package which is not installed.
    """
    start = time.perf_counter()
    texts = corpus(options.corpus) if options.corpus in CORPORA else read_corpus(options.corpus)
    index = TextIndex.build(texts, options.out)
    took = time.perf_counter() - start
    sys.stdout.write(f"{options.out}: {len(index)} passages in {took:.1f} s\n")
    return 0


def run_query(options: argparse.Namespace) -> int:
    """Search once.

    Raises:
        ConfigError: There is nothing of that name to search.
        MachineryError: The search failed.
    """
    tool = SearchTool(retriever=options.index, count=options.count, timeout_s=_TIMEOUT_S)
    call = Call(0, 0, tool.name, {"query": " ".join(options.words)})
    result = tool.run(call, time.monotonic() + _TIMEOUT_S)
    sys.stdout.write(f"{result.text}\n")
    return 0 if result.ok else 1


def run_serve(options: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM.

    Raises:
        ConfigError: There is nothing of that name to serve, or the port is taken.
    """
    if not 0 <= options.port <= 65_535:
        raise ConfigError(f"--port must be 0 to 65535, got {options.port}")
    retriever = retriever_of(options.index)
    server = SearchServer(retriever, options.host, options.port, options.timeout)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.stdout.write(f"{retriever!r} at {server.url}\n")
    sys.stdout.flush()
    try:
        server.serve()
    except KeyboardInterrupt:
        return 0
    finally:
        server.close()
        retriever.close()
    return 0
