"""Text processing: count, replace, extract, sum up."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from gem_gymnasium.terminal.families.draws import (
    NOUNS,
    PEOPLE,
    between,
    pick,
    pick_some,
    shuffled,
    words,
)
from gem_gymnasium.terminal.scene import Scene
from gem_gymnasium.terminal.task import File, Link, Look, Task, lines_file, text_file


def word_counts(rng: np.random.Generator) -> Task:
    """List the most frequent words of a text."""
    vocabulary = pick_some(rng, NOUNS, 14)
    found = [
        word
        for place, word in enumerate(vocabulary)
        for _ in range(30 - 2 * place + between(rng, 0, 1))
    ]
    lines: list[str] = []
    drawn = shuffled(rng, found)
    while drawn:
        line = [drawn.pop() for _ in range(min(len(drawn), between(rng, 4, 9)))]
        text = pick(rng, (" ", ", ", "; ")).join(line)
        lines.append(text.capitalize() + pick(rng, (".", "!", "?")))
    counts = Counter(re.findall(r"[a-z]+", "\n".join(lines).lower()))
    count = between(rng, 5, 8)
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:count]
    wanted = [f"{number} {word}" for word, number in top]
    return Task(
        name="word_counts",
        instruction=(
            f"Write the {count} most frequent words of story.txt to the file top.txt, one a line: "
            "the count, a space, the word in lower case. A word is a run of letters; upper and "
            "lower case are the same. The most frequent comes first; of words as frequent, the one "
            "that comes first in alphabetical order."
        ),
        files={"story.txt": lines_file(lines)},
        checks=(
            Look(lambda scene: (scene.lines("top.txt") or [])[:1] == wanted[:1]),
            Look(lambda scene: scene.lines("top.txt") == wanted, 3),
        ),
        solution=(
            "tr A-Z a-z < story.txt | tr -cs a-z '\\n' | grep . | sort | uniq -c | "
            f"sort -k1,1nr -k2,2 | head -n {count} | awk '{{print $1, $2}}' > top.txt",
        ),
    )


def replace_setting(rng: np.random.Generator) -> Task:
    """Change a setting in one section of many files."""
    old, new = f"{pick(rng, NOUNS)}.example", f"{pick(rng, NOUNS)}-{between(rng, 2, 9)}.example"
    sections = ("database", "cache", "mail")
    names = [f"conf/{name}.ini" for name in pick_some(rng, NOUNS, 5)]
    names[-1] = names[-1].replace("conf/", "conf/local/")
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for name in names:
        lines: list[str] = []
        changed: list[str] = []
        for section in shuffled(rng, sections):
            part = [
                f"[{section}]",
                f"; host = {old}",
                f"host = {old}",
                f"port = {between(rng, 1000, 9999)}",
                f"backup_host = {old}",
            ]
            lines += part
            is_meant = section == "database"
            changed += [f"host = {new}" if is_meant and x == part[2] else x for x in part]
        before[name], after[name] = lines, changed
    groups = (names[:-1], names[-1:])
    return Task(
        name="replace_setting",
        instruction=(
            "In every .ini file in the folder conf and the folders below it, change the setting "
            f"host in the section [database] from {old} to {new}. Change nothing else: neither "
            "comments, nor other settings, nor other sections."
        ),
        files={name: lines_file(lines) for name, lines in before.items()},
        checks=tuple(
            Look(
                lambda scene, group=group: all(
                    scene.text(name) == lines_file(after[name]).data.decode() for name in group
                ),
                len(group),
            )
            for group in groups
        ),
        solution=(
            "find conf -name '*.ini' -exec sed -i "
            f"'/^\\[database\\]/,/^\\[[^d]/s/^host = .*/host = {new}/' {{}} +",
        ),
    )


def collect_addresses(rng: np.random.Generator) -> Task:
    """Collect the mail addresses in a tree of files."""
    addresses = [
        f"{person.lower()}.{noun}@{pick(rng, NOUNS)}.example"
        for person, noun in zip(pick_some(rng, PEOPLE, 9), pick_some(rng, NOUNS, 9), strict=True)
    ]
    files: dict[str, File | Link] = {}
    for number in range(5):
        lines: list[str] = []
        for address in pick_some(rng, addresses, between(rng, 3, 6)):
            shown = pick(rng, (address, address, address.upper(), address.title()))
            lines.append(
                f"{words(rng, 2)} {pick(rng, ('<{}>', '({})', '{},', '{}'))}".format(shown)
            )
            lines.append(f"{words(rng, 3)} @{pick(rng, NOUNS)} at {pick(rng, NOUNS)}.example")
        folder = pick(rng, ("mail", "mail/2023", "mail/2024/spring"))
        files[f"{folder}/{number}.txt"] = lines_file(lines)
    text = "\n".join(file.data.decode() for file in files.values() if isinstance(file, File))
    wanted = sorted({a for a in addresses if a in text.lower()})
    return Task(
        name="collect_addresses",
        instruction=(
            "Collect all mail addresses (letters, dots and digits, then @, then a host that ends "
            "in .example) in the files in the folder mail and the folders below it. Write them to "
            "addresses.txt in lower case, one a line, each once, in alphabetical order."
        ),
        files=files,
        checks=(
            Look(lambda scene: {*(scene.lines("addresses.txt") or [])} == {*wanted}),
            Look(lambda scene: scene.lines("addresses.txt") == wanted),
        ),
        solution=(
            "grep -rhoiE '[a-z0-9.]+@[a-z0-9.]+\\.example' mail | tr A-Z a-z | LC_ALL=C sort -u "
            "> addresses.txt",
        ),
    )


def sum_by_group(rng: np.random.Generator) -> Task:
    """Sum the hours of a time sheet by person."""
    people = pick_some(rng, PEOPLE, between(rng, 4, 6))
    lines = ["# day        person      hours"]
    totals: Counter[str] = Counter()
    for _ in range(between(rng, 40, 60)):
        person, quarters = pick(rng, people), between(rng, 1, 32)
        day = f"2024-{between(rng, 1, 12):02d}-{between(rng, 1, 28):02d}"
        gone = rng.random() < 0.15
        lines.append(f"{'# ' if gone else ''}{day}   {person:<10}  {quarters / 4:.2f}")
        if not gone:
            totals[person] += quarters
    wanted = [f"{person}: {totals[person] / 4:.2f}" for person in sorted(totals)]
    wanted.append(f"total: {sum(totals.values()) / 4:.2f}")

    def right(scene: Scene, part: slice) -> bool:
        return (scene.lines("report.txt") or [])[part] == wanted[part]

    return Task(
        name="sum_by_group",
        instruction=(
            "hours.txt is a time sheet: day, person and hours in columns. Lines that start with # "
            "do not count. Write report.txt: for each person, in alphabetical order, a line of the "
            "name, a colon, a space and the sum of the hours with two digits behind the point "
            "(such as `Ada: 12.50`), and last a line of the same form for `total`."
        ),
        files={"hours.txt": text_file("\n".join(lines) + "\n")},
        checks=(
            Look(lambda scene: right(scene, slice(-1, None))),
            Look(lambda scene: scene.lines("report.txt") == wanted, 2),
        ),
        solution=(
            "grep -v '^#' hours.txt | awk '{h[$2] += $3; t += $3} "
            'END {for (p in h) printf "%s: %.2f\\n", p, h[p] | "LC_ALL=C sort"; '
            'close("LC_ALL=C sort"); printf "total: %.2f\\n", t}\' > report.txt',
        ),
    )


GENERATORS = {
    "word_counts": word_counts,
    "replace_setting": replace_setting,
    "collect_addresses": collect_addresses,
    "sum_by_group": sum_by_group,
}
