"""Time search over 10,033 Wikipedia summaries: the index alone, 64 envs at once, and over HTTP.

Queries are descriptions of articles that the summaries do not hold, so each finds its article by
meaning only. gem-llm's client tool asks the same server in its own format, beside ours. Its server
cannot take part: it wants a GPU (`model.cuda()`) and a downloaded encoder, or Java with a Lucene
index. gem-llm needs an environment of its own:

    python -m venv gem-env && gem-env/bin/pip install gem-llm msgspec requests
    python benchmarks/search.py --gem-python gem-env/bin/python

Writes benchmarks/results/search.md. About a minute.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from sides import Side

OUT = Path(__file__).resolve().parent / "results" / "search.md"
QUERIES, COUNT, ENVS, CALLS_EACH = 300, 3, 64, 5
REQUIRED_MS = 3.0
ROUNDS = 6


def ours(url: str) -> Callable[[str], str]:
    """Return our tool over HTTP, in Search-R1's format: a query -> what a model reads."""
    from gem_gymnasium.tools import HttpRetriever, SearchTool

    return asking(SearchTool(retriever=HttpRetriever(url=url), count=COUNT, timeout_s=30))


def asking(tool: Any) -> Callable[[str], str]:
    """Return a tool of ours as a function of the query."""
    from gem_gymnasium.tools import Call

    def run(query: str) -> str:
        return tool.run(Call(0, 0, "search", {"query": query}), time.monotonic() + 60).text

    return run


def gems(url: str) -> Callable[[str], str]:
    """Return GEM's client tool."""
    from gem.tools.search_tool import SearchTool  # type: ignore[import-not-found]

    tool = SearchTool(search_url=url, topk=COUNT, timeout=30)
    return lambda query: tool.execute_action(f"<search>{query}</search>")[2]


def serve(side: str, url: str) -> None:
    """Be one side: answer jobs from stdin until it ends."""
    run = {"ours": ours, "gem": gems}[side](url)
    for line in sys.stdin:
        job: dict[str, Any] = json.loads(line)
        queries = job["queries"]
        answer = together(run, queries) if job["threads"] else alone(run, queries)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def alone(run: Callable[[str], str], queries: Sequence[str]) -> dict[str, Any]:
    """Time queries one after another."""
    times: list[float] = []
    cpu: list[float] = []
    failed = 0
    for query in queries:
        start, busy = time.perf_counter(), time.thread_time()
        failed += "Doc 1(" not in run(query)
        times.append(time.perf_counter() - start)
        cpu.append(time.thread_time() - busy)
    return {"times": times, "cpu": cpu, "failed": failed}


def together(run: Callable[[str], str], queries: Sequence[str]) -> dict[str, Any]:
    """Time 64 threads that each ask a few queries at once."""
    failed: list[str] = []

    def ask(thread: int) -> None:
        for call in range(CALLS_EACH):
            query = queries[(thread * CALLS_EACH + call) % len(queries)]
            if "Doc 1(" not in run(query):
                failed.append(query)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(ENVS)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"wall": time.perf_counter() - start, "failed": len(failed)}


def vector(index: Any) -> float:
    """Return the seconds in which 64 envs of a ThreadVectorEnv search five times each."""
    import gymnasium as gym
    from gymnasium.vector import AutoresetMode

    import gem_gymnasium  # noqa: F401 - registers the ids
    from gem_gymnasium import ThreadVectorEnv
    from gem_gymnasium.tools import SearchTool
    from gem_gymnasium.wrappers import ToolUse

    def build() -> Any:
        return ToolUse(gym.make("gem/QA-Wiki-v0"), [SearchTool(retriever=index, count=COUNT)])

    envs = ThreadVectorEnv([build] * ENVS, autoreset_mode=AutoresetMode.DISABLED)
    queries = descriptions()
    envs.reset(seed=0)
    start = time.perf_counter()
    for call in range(CALLS_EACH):
        asked = [queries[(env * CALLS_EACH + call) % QUERIES] for env in range(ENVS)]
        infos = envs.step([f"<search>{query}</search>" for query in asked])[4]
        if not infos["tool_ok"].all():
            raise SystemExit("a search failed")
    wall = time.perf_counter() - start
    envs.close()
    return wall


def descriptions() -> list[str]:
    """Return descriptions of five words or more, spread over the articles."""
    from gem_gymnasium.tasks.qa_wiki import passages

    told = [one.description for one in passages() if len(one.description.split()) >= 5]
    return told[:: len(told) // QUERIES][:QUERIES]


def row(label: str, times: Sequence[float]) -> str:
    """Return a table row of median and 95th percentile, in milliseconds."""
    return f"| {label} | {median(times) * 1e3:.2f} | {quantiles(times, n=20)[-1] * 1e3:.2f} |"


def measure(folder: Path, gem_python: str | None) -> list[str]:
    """Return the results as lines of Markdown."""
    from gem_gymnasium.tools import SearchServer, SearchTool, TextIndex, corpus

    queries = descriptions()
    texts = corpus("wiki")
    start = time.perf_counter()
    index = TextIndex.build(texts, folder / "wiki.db")
    build = time.perf_counter() - start
    memory = TextIndex.build(texts)
    lines = [
        f"{len(index)} passages, indexed in {build:.2f} s; {QUERIES} queries of "
        f"{COUNT} passages. "
        f"Load of the machine meanwhile: {os.getloadavg()[0]:.1f}.",
        "",
        "## One search after another, milliseconds",
        "",
        "| | median | 95 % | CPU, median |",
        "|---|---|---|---|",
    ]
    for label, where in (("index in a file", index), ("index in memory", memory)):
        run = asking(SearchTool(retriever=where, count=COUNT, timeout_s=30))
        alone(run, queries[:20])
        answer = alone(run, queries)
        lines.append(f"{row(label, answer['times'])} {median(answer['cpu']) * 1e3:.2f} |")
    with SearchServer(index, port=0) as server:
        names = ["ours", *(["gem"] if gem_python else [])]
        sides = {
            name: Client(name, gem_python if name == "gem" else sys.executable, server.url)
            for name in names
        }
        times: dict[str, list[float]] = {name: [] for name in sides}
        walls: dict[str, list[float]] = {name: [] for name in sides}
        for number in range(ROUNDS):
            part = queries[number::ROUNDS]
            for name, side in sides.items():
                times[name] += side.call(queries=part, threads=False)["times"]
                walls[name].append(side.call(queries=queries, threads=True)["wall"])
        for side in sides.values():
            side.close()
    for name in sides:
        lines.append(f"{row(f'`gem-gym index serve`, client: {name}', times[name])} |")
    lines += [
        "",
        f"Required of the index: a median of at most {REQUIRED_MS:g} ms.",
        "",
        f"## {ENVS} envs at once, {CALLS_EACH} searches each",
        "",
        "| | s | searches a second |",
        "|---|---|---|",
    ]
    total = ENVS * CALLS_EACH
    found = {"`ThreadVectorEnv`, index in a file": vector(index)}
    found |= {f"threads over HTTP, client: {name}": median(wall) for name, wall in walls.items()}
    lines += [f"| {label} | {wall:.2f} | {total / wall:.0f} |" for label, wall in found.items()]
    return lines


class Client(Side):
    """A side's tool in a process of its own."""

    def __init__(self, name: str, python: str | None, url: str) -> None:
        self.name = name
        environment = {**os.environ, "no_proxy": "*"}
        super().__init__([str(python), __file__, "--side", name, "--url", url], env=environment)

    def call(self, **job: Any) -> dict[str, Any]:
        """Have a job done; a search that finds nothing ends the program."""
        answer = self.ask(json.dumps(job))
        if answer["failed"]:
            raise SystemExit(f"{self.name}: {answer['failed']} searches failed")
        return answer


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gem-python", help="a Python that has gem-llm")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        return serve(options.side, options.url)
    with TemporaryDirectory() as folder:
        lines = measure(Path(folder), options.gem_python)
    today, cores = datetime.date.today(), os.cpu_count()
    head = (
        f"`python benchmarks/search.py`, {today}, {platform.machine()}, {cores} cores, Python "
        f"{platform.python_version()}."
    )
    peer = (
        "GEM's own server did not start here: it wants a GPU (`model.cuda()`) and a downloaded "
        "encoder, or Java with a Lucene index. Its client asks our server, in its own format."
    )
    page = ["# Search", "", head, "", *lines, "", peer, ""]
    OUT.write_text("\n".join(page), encoding="utf-8")
    print("\n".join(page))


if __name__ == "__main__":
    main()
