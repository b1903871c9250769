r"""Write ``gem_gymnasium/data/clues.txt.gz``: crossword clues out of WordNet's glosses.

A word gets the gloss of its most frequent sense, without the examples. Left out are words whose
gloss gives them away, is too long or may offend, names, and the rarer of two words of one length
that share a clue, so that a clue and a length leave one word. Format: ``data/SOURCES.md``.

    apt-get install scowl wordnet-base
    python benchmarks/make_clues.py --wordnet /usr/share/wordnet --scowl /usr/share/dict/scowl
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from make_words import NEVER, NOT_DEALT, matches, read

OUT = Path(__file__).resolve().parent.parent / "gem_gymnasium" / "data" / "clues.txt.gz"

SIZES = (10, 20, 35, 40, 50)
"""SCOWL's lists from the most common words on; 35 is what SCOWL calls the small size, 50 medium."""

LENGTHS = range(3, 10)
CLUE_CHARS = range(8, 91)

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
PART_OF_TYPE = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
SLURS = re.compile(r"^(ethnic_slur|obscenity|vulgarism|disparagement|derogation|dysphemism)$")
COARSE = re.compile(
    r"\b(slur|obscen|vulgar|offensive|disparag|derogat|insult|profan|genital|penis|vagina|vulva"
    r"|sex(?!tant)|intercourse|copulat|prostitut|brothel|rape|rapist|testic|scrot|erotic|masturbat"
    r"|orgasm|semen|anus|buttock|breasts?\b|nipple|lewd|lust|porn|naked|nud(?:e|ity)|feces|faeces"
    r"|excrement|defecat|urinat|flatu|genocid|nazi|negro|jew|lynch|concubin|incest|hymen|virgin"
    r"|pederast|homosex|lesbian|contracepti|castrat|suicide|abort|stupid|subnormal|contemptible"
    r"|despicable|untidy woman|adulter|expletive|milk-secreting|white (?:person|people|parent)"
    r"|american indian (?:woman|infant)|semit|low opinion)",
    re.IGNORECASE,
)
FORM = re.compile(r"^\((?:used|usually followed|often followed|followed|plural|trademark)\b")
NOT_A_CLUE = re.compile(r"^(?:of or (?:relating|pertaining) to|see |[^a-z]*$)", re.IGNORECASE)


class Sense(NamedTuple):
    """A synset as far as a clue needs it."""

    words: tuple[str, ...]
    gloss: str
    name: bool
    """It is one thing or person (an instance), not a kind of them."""
    coarse: bool


def read_senses(folder: Path) -> dict[tuple[str, int], Sense]:
    """Return the synsets by part of speech and offset."""
    senses: dict[tuple[str, int], Sense] = {}
    usages: dict[tuple[str, int], list[int]] = {}
    for name, part in PARTS.items():
        for line in (folder / f"data.{name}").read_text("utf-8").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            count = int(fields[3], 16)
            words = tuple(word.split("(")[0] for word in fields[4 : 4 + 2 * count : 2])
            first, end = 5 + 2 * count, 5 + 2 * count + 4 * int(fields[4 + 2 * count])
            links = [(fields[i], int(fields[i + 1])) for i in range(first, end, 4)]
            key = part, int(fields[0])
            instance = any(kind == "@i" for kind, _ in links)
            usages[key] = [offset for kind, offset in links if kind == ";u"]
            senses[key] = Sense(words, gloss.strip(), instance, bool(COARSE.search(gloss)))
    for key, offsets in usages.items():
        marks = (word for offset in offsets for word in senses["n", offset].words)
        if any(SLURS.match(word) for word in marks):
            senses[key] = senses[key]._replace(coarse=True)
    return senses


def read_index(folder: Path) -> dict[str, list[tuple[str, int, int]]]:
    """Return each lemma's senses as (part of speech, offset, times tagged), most frequent first."""
    tagged: dict[tuple[str, str, int], int] = {}
    for line in (folder / "cntlist.rev").read_text("utf-8").splitlines():
        sense, number, count = line.split()
        lemma, _, rest = sense.partition("%")
        tagged[lemma, PART_OF_TYPE[rest[0]], int(number)] = int(count)
    index: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for name, part in PARTS.items():
        for line in (folder / f"index.{name}").read_text("utf-8").splitlines():
            if line.startswith(" "):
                continue
            fields = line.split()
            offsets = fields[-int(fields[2]) :]
            for number, offset in enumerate(offsets, 1):
                count = tagged.get((fields[0], part, number), 0)
                index[fields[0]].append((part, int(offset), count))
    for found in index.values():
        found.sort(key=lambda sense: -sense[2])  # stable: nouns first, senses in WordNet's order
    return index


def read_irregular(folder: Path) -> dict[str, set[str]]:
    """Return the irregular forms of each lemma."""
    forms: dict[str, set[str]] = defaultdict(set)
    for name in PARTS:
        for line in (folder / f"{name}.exc").read_text("utf-8").splitlines():
            form, *lemmas = line.split()
            for lemma in lemmas:
                forms[lemma].add(form)
    return forms


def read_scowl(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the words that a game may deal with their SCOWL size, the common ones first."""
    seen: set[str] = set()
    for size in SIZES:
        words = read(folder, ("english", "american"), (size,)) - seen
        seen |= words
        for word in sorted(words - matches(NEVER, words) - matches(NOT_DEALT, words)):
            if len(word) in LENGTHS:
                yield word, size


def shorten(gloss: str) -> str:
    """Return a gloss without its examples; only its first part if it is too long."""
    text = re.sub(r"\s+", " ", gloss.split('"')[0].replace("`", "'")).strip(" ;,:-")
    if len(text) not in CLUE_CHARS:
        text = text.split(";")[0].strip()
    return text


def gives_away(word: str, clue: str, forms: set[str]) -> bool:
    """Return whether a clue holds a word, one of its forms, or a word of the same stem."""
    stem = word[: min(5, max(3, len(word) - 2))]
    tokens = re.findall(r"[a-z]+", clue.lower())
    return any(
        token.startswith(stem)
        or token in forms
        or word in token
        or (len(token) >= 4 and token in word)
        for token in tokens
    )


def make_clues(wordnet: Path, scowl: Path) -> list[tuple[int, str, str]]:
    """Return (SCOWL size, word, clue), the most common words first."""
    senses, index, irregular = read_senses(wordnet), read_index(wordnet), read_irregular(wordnet)
    clues: dict[tuple[int, str], tuple[int, int, str]] = {}
    for word, size in read_scowl(scowl):
        if word not in index or any(senses[part, at].coarse for part, at, _ in index[word]):
            continue
        part, offset, count = index[word][0]
        sense = senses[part, offset]
        clue = shorten(sense.gloss)
        if (
            sense.name
            or word not in sense.words  # capitalized there: a name
            or len(clue) not in CLUE_CHARS
            or clue.count("(") != clue.count(")")
            or not clue.isascii()
            or FORM.match(clue)
            or NOT_A_CLUE.match(clue)
            or gives_away(word, clue, irregular[word])
        ):
            continue
        key, entry = (len(word), clue), (size, -count, word)
        clues[key] = min(entry, clues.get(key, entry))
    return sorted((size, word, clue) for (_, clue), (size, _, word) in clues.items())


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--wordnet", type=Path, required=True, help="the folder with data.noun and the others"
    )
    parser.add_argument(
        "--scowl", type=Path, required=True, help="the folder with english-words.10 and the others"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    clues = make_clues(args.wordnet, args.scowl)
    text = "".join(f"{size}\t{word}\t{clue}\n" for size, word, clue in clues)
    args.out.write_bytes(gzip.compress(text.encode("ascii"), mtime=0))
    counts = {size: sum(row[0] == size for row in clues) for size in SIZES}
    print(f"{len(clues)} clues, {args.out.stat().st_size} bytes; by SCOWL size: {counts}")


if __name__ == "__main__":
    main()
