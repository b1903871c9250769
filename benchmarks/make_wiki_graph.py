"""Write data/wiki_graph.tsv, WikiGame's bundled article graph, from WordNet's nouns.

An article is a common noun in its most frequent sense: its title is the word, its summary the
gloss. It links to its nearest more general and more special articles, its parts and wholes, its
opposite, the topics it belongs to, and the articles whose titles its gloss mentions. Only the
largest part within which every article can reach every other is kept. The files of WordNet 3.0 are
in Debian's package wordnet-base:

    python benchmarks/make_wiki_graph.py /usr/share/wordnet
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

OUT = Path(__file__).resolve().parents[1] / "gem_gymnasium" / "data" / "wiki_graph.tsv"

FEWEST_USES = 4
"""Uses of a sense in WordNet's tagged texts that make it common."""

MAX_LINKS = 60
"""Links of one article; beyond it the rarest more special articles are left out."""

GENERAL, SPECIAL = ("@", "@i"), ("~", "~i")
RELATED = ("#m", "#s", "#p", "%m", "%s", "%p", "!", "=", ";c", "-c", ";r", "-r")

UNFIT = re.compile(
    r"\b(?:offensive|derogat\w+|slurs?|obscen\w+|vulgar|disparag\w+|ethnic|sexual\w*|genital\w*|"
    r"prostitut\w+|coitus|copulat\w+|intercourse|racial|Nazi|genocide|rape|insult\w*|contempt\w*|"
    r"terms? of address|dark skin|light skin|Caucasoid)\b",
    re.IGNORECASE,
)
"""Glosses of words that a game does not need."""

UNFIT_WORDS = ("negro", "breast")

NOT_MENTIONS = {
    *("act", "are", "being", "can", "case", "does", "end", "form", "have", "kind", "like", "lot"),
    *("man", "may", "more", "one", "other", "part", "set", "something", "state", "thing", "two"),
    *("type", "use", "used", "using", "way", "well", "will"),
}
"""Words that a gloss uses without speaking of the thing."""

WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")


class Synset(NamedTuple):
    """A noun sense: its words, its pointers to other nouns (symbol, offset) and its gloss."""

    words: list[str]
    pointers: list[tuple[str, str]]
    gloss: str


def read_synsets(path: Path) -> dict[str, Synset]:
    """Return the synsets of a data file by offset (format: wndb(5WN))."""
    synsets: dict[str, Synset] = {}
    for line in path.read_text("latin-1").splitlines():
        if line.startswith(" "):
            continue  # the licence
        data, _, gloss = line.partition(" | ")
        fields = data.split()
        count = int(fields[3], 16)
        words = fields[4 : 4 + 2 * count : 2]
        rest = fields[5 + 2 * count :]
        pointers = [
            (symbol, offset)
            for symbol, offset, kind in zip(rest[::4], rest[1::4], rest[2::4], strict=False)
            if kind == "n"
        ]
        synsets[fields[0]] = Synset(words, pointers, gloss.strip())
    return synsets


def read_first_senses(path: Path) -> dict[str, str]:
    """Return the offset of each noun's most frequent sense, by lower-case word."""
    first: dict[str, str] = {}
    for line in path.read_text("latin-1").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            first[fields[0]] = fields[6 + int(fields[3])]
    return first


def read_uses(path: Path) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Return the uses of each noun's first sense, and of each word by part of speech (1: noun)."""
    first, all_uses = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for line in path.read_text("latin-1").splitlines():
        key, sense, uses = line.split()
        word, _, rest = key.partition("%")
        all_uses[word][rest[0]] += int(uses)
        if rest[0] == "1" and sense == "1":
            first[word] += int(uses)
    return first, all_uses


def read_plurals(path: Path) -> dict[str, str]:
    """Return the irregular plurals of noun.exc with their singulars."""
    return {line.split()[0]: line.split()[1] for line in path.read_text("latin-1").splitlines()}


def shorten(gloss: str) -> str:
    """Return a gloss without its examples, quotations and leading remarks in brackets."""
    text = re.split(r'[;:]\s*"', gloss)[0]
    text = re.sub(r"^\([^)]*\)\s*", "", text).strip(" ;:")
    return text[:1].upper() + text[1:]


class Maker:
    """Chooses articles and finds their links."""

    def __init__(self, folder: Path) -> None:
        self.synsets = read_synsets(folder / "data.noun")
        self.plurals = read_plurals(folder / "noun.exc")
        uses, self.all_uses = read_uses(folder / "cntlist.rev")
        best: dict[str, tuple[int, str]] = {}
        self.offsets: dict[str, str] = {}
        for word, offset in read_first_senses(folder / "index.noun").items():
            if uses[word] < FEWEST_USES or word in UNFIT_WORDS:
                continue
            if self.is_fit(offset):
                self.offsets[word] = offset
                best[offset] = max(best.get(offset, (0, "")), (uses[word], word))
        self.uses = {offset: count for offset, (count, _) in best.items()}
        self.titles = {offset: self.title_of(offset, word) for offset, (_, word) in best.items()}
        self.special: dict[str, list[str]] = defaultdict(list)
        self.general: dict[str, list[str]] = {}
        for offset in self.titles:
            self.general[offset] = [*self.nearest(offset)]
            for above in self.general[offset]:
                self.special[above].append(offset)

    def is_fit(self, offset: str) -> bool:
        """Return whether a sense makes an article: a gloss that says something, nothing unfit."""
        gloss = self.synsets[offset].gloss
        return len(shorten(gloss)) >= 12 and not UNFIT.search(gloss)

    def title_of(self, offset: str, word: str) -> str:
        """Return a word as WordNet spells it, with a capital letter in front."""
        spelled = next(w for w in self.synsets[offset].words if w.lower() == word)
        return spelled[:1].upper() + spelled[1:].replace("_", " ")

    def nearest(self, offset: str) -> Iterable[str]:
        """Yield the articles right above a sense; senses without an article are passed through."""
        seen, edge = {offset}, [offset]
        while edge:
            above = [o for e in edge for s, o in self.synsets[e].pointers if s in GENERAL]
            edge = []
            for other in dict.fromkeys(above):
                if other in seen:
                    continue
                seen.add(other)
                if other in self.titles:
                    yield other
                else:
                    edge.append(other)

    def mentions(self, gloss: str) -> Iterable[str]:
        """Yield the articles whose words a gloss uses, the longest match first."""
        words = WORD.findall(gloss.lower())
        at = 0
        while at < len(words):
            for length in (3, 2, 1):
                found = self.named(words[at : at + length])
                if found:
                    yield found
                    break
            at += length

    def named(self, words: list[str]) -> str | None:
        """Return the article that these words, singular or plural, name."""
        *front, last = words
        forms = [last, self.plurals.get(last, last)]
        if last.endswith("ies"):
            forms.append(last[:-3] + "y")
        if last.endswith("es"):
            forms.append(last[:-2])
        if last.endswith("s"):
            forms.append(last[:-1])
        for form in forms:
            word = "_".join([*front, form])
            if len(word) < 3 or word in NOT_MENTIONS or word not in self.offsets:
                continue
            uses = self.all_uses[word]
            if 2 * uses["1"] >= sum(uses.values()):  # mostly a noun
                return self.offsets[word]
        return None

    def links(self, offset: str) -> set[str]:
        """Return the articles that an article links to."""
        synset = self.synsets[offset]
        found = {*self.general[offset], *self.mentions(shorten(synset.gloss))}
        found |= {other for symbol, other in synset.pointers if symbol in RELATED}
        found = {other for other in found if other in self.titles}
        special = sorted(self.special[offset], key=lambda o: (-self.uses[o], self.titles[o]))
        found |= {*special[: MAX_LINKS - len(found)]}
        return found - {offset}


def largest_part(links: dict[str, set[str]]) -> set[str]:
    """Return the largest set of nodes within which each reaches each."""
    back: dict[str, set[str]] = defaultdict(set)
    for node, others in links.items():
        for other in others:
            back[other].add(node)

    def reach(start: str, edges: dict[str, set[str]]) -> set[str]:
        seen, edge = {start}, [start]
        while edge:
            edge = [o for e in edge for o in edges.get(e, ()) if o not in seen and not seen.add(o)]
        return seen

    hub = max(back, key=lambda node: (len(back[node]), node))
    return reach(hub, links) & reach(hub, back)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the folder of data.noun and index.noun")
    parser.add_argument("--out", type=Path, default=OUT, help="file to write")
    args = parser.parse_args()
    maker = Maker(args.folder)
    links = {offset: maker.links(offset) for offset in maker.titles}
    kept = largest_part(links)
    # Two articles may not differ by case alone: titles are matched without it.
    folded = Counter(maker.titles[offset].casefold() for offset in kept)
    assert max(folded.values()) == 1
    order = sorted(kept, key=lambda offset: maker.titles[offset].casefold())
    number = {offset: i for i, offset in enumerate(order)}
    lines: list[str] = []
    for offset in order:
        numbers = sorted(number[other] for other in links[offset] if other in number)
        summary = shorten(maker.synsets[offset].gloss)
        lines.append(f"{maker.titles[offset]}\t{summary}\t{' '.join(map(str, numbers))}")
    args.out.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    counts = sorted(line.count(" ", line.rindex("\t")) + 1 for line in lines)
    print(f"{len(lines)} articles of {len(maker.titles)}, {sum(counts)} links, ", end="")
    print(f"{counts[0]} to {counts[-1]} an article, median {counts[len(counts) // 2]}")


if __name__ == "__main__":
    main()
