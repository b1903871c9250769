"""Questions on Wikipedia, answered by searching: with the tool and without it.

python examples/07_qa_with_search.py
"""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import gymnasium as gym

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.tools import SearchTool
from gem_gymnasium.wrappers import ToolUse

EPISODES = 200
ASKED = re.compile(r'described as "(.*?)"[.?] ')
NOTE = re.compile(r" \([^()]*\)$")
SHOWN = re.compile(r"^(?:<information>)?Doc \d+\(Title: (.*?)\) (.*)$", re.MULTILINE)
NAME = re.compile(r"\b[A-Z][\w.-]*\w(?: (?:(?:of|the|and) )*[A-Z][\w-]+)*")
COMMON = "a an and are as at by for from in into is it its of on or that the to used was who with"
Search = Callable[[str], list[tuple[str, str]]]


def stems(text: str) -> list[str]:
    """Return the beginnings of the words that tell something."""
    return [word[:6] for word in re.findall(r"\w+", text.lower()) if word not in COMMON.split()]


def fit(description: str, rank: int, title: str, text: str) -> float:
    """Return how well a passage, the search engine's number ``rank``, fits a description."""
    asked, all_of = stems(description), stems(text)
    first = re.split(r"(?<=[a-z)])\. ", text)[0]
    kind = re.split(r"\b(?:is|was|are|were)\b", first, maxsplit=1)[-1]
    name = re.findall(r"\w+", NOTE.sub("", title).lower())
    if any(len(word) > 3 and word in description.lower() for word in name):
        return -5.0  # a description does not name what it describes

    def share(found: list[str]) -> float:
        return sum(map(len, {*asked} & {*found})) / max(1, sum(map(len, {*asked})))

    def pairs(found: list[str]) -> float:
        both = {*pairwise(asked)} & {*pairwise(found)}
        return len(both) / max(1, len(asked))

    score = 5.2 * share(all_of) + 1.5 * share(stems(first)) + 1.5 * share(stems(kind)[:8])
    score += 3.3 * pairs(all_of) + pairs(stems(first)) + 2.9 / (rank + 1)
    if years := [int(year) for year in re.findall(r"\d{3,4}", description)]:
        told = [int(year) for year in re.findall(r"\b\d{3,4}\b", text)]
        start, end = years[0], years[-1] if len(years) > 1 else years[0] + 90
        score += any(start - 2 <= year <= end + 2 for year in told)
        score -= 1.5 * any(year < start - 30 or year > end + 40 for year in told)
    return score


def answer(question: str, search: Search) -> str:
    """Return the answer to a question: what fits its description, or what that text mentions."""
    descriptions = ASKED.findall(question)
    found = search(descriptions[0])
    scores = [fit(descriptions[0], rank, *one) for rank, one in enumerate(found)]
    if not found:
        return "unknown"
    order = sorted(range(len(found)), key=lambda place: -scores[place])
    if len(descriptions) == 1:
        return found[order[0]][0]
    kind = descriptions[1]
    others = {title: (fit(kind, rank, title, text), text)
              for rank, (title, text) in enumerate(search(kind))}  # fmt: skip
    names = [n for place in order[:2] for n in NAME.findall(found[place][1])]
    for name in list(dict.fromkeys(names))[:16]:  # look up what the best two texts mention
        for title, text in search(name):
            if any(title in found[place][1] for place in order[:2]):
                others.setdefault(title, (fit(kind, 5, title, text), text))
    pairs = [
        (scores[place] + 0.5 * others[title][0], title)
        for place in order
        for title in others
        if title != found[place][0] and re.search(rf"\b{re.escape(title)}\b", found[place][1])
    ]
    title = max(pairs, default=(0.0, found[order[0]][0]))[1]
    if "born" not in question.rpartition(kind)[2]:
        return title
    year = re.search(r"\b\d{3,4}\b", others[title][1] if title in others else "")
    return year[0] if year else "unknown"


def play(env: gym.Env[str, str], seed: int, searches: bool) -> dict[str, Any]:
    """Play an episode, like a model that searches before it answers; return its last info."""
    observation, _ = env.reset(seed=seed)

    def search(query: str) -> list[tuple[str, str]]:
        if not searches:
            return []
        *_, info = env.step(f"I look it up.\n<search>{query}</search>")
        return SHOWN.findall(info["feedback"])

    return env.step(f"<answer>{answer(observation, search)}</answer>")[4]


def main() -> None:
    """Show one episode, then count what many earn."""
    tool = SearchTool(retriever="wiki", count=20, max_chars=40_000)
    env = ToolUse(gym.make("gem/QA-Wiki-v0"), [tool], max_tool_uses=20)
    print(env.reset(seed=0)[0])
    query = ASKED.findall(env.reset(seed=0)[0])[0]
    feedback = env.step(f"<search>{query}</search>")[4]["feedback"]
    print(f"> <search>{query}</search>\n" + "\n".join(feedback.splitlines()[:3]))
    for searches in (True, False):
        ends = [play(env, seed, searches) for seed in range(EPISODES)]
        right = sum(info["success"] for info in ends) / EPISODES
        calls = sum(info["tool_uses"] for info in ends) / EPISODES
        print(
            f"{'with' if searches else 'without'} search: {right:.3f} right, {calls:.1f} searches"
        )
    env.close()


if __name__ == "__main__":
    main()
