"""Debugging: programs that do not do what they say; hidden inputs show whether they do now."""

from __future__ import annotations

from typing import Any

import numpy as np

from gem_gymnasium.terminal.families.draws import NOUNS, PEOPLE, between, pick, pick_some
from gem_gymnasium.terminal.task import File, Run, Task, lines_file, text_file

_STATISTICS = """\
\"\"\"Print count, smallest, largest, mean and median of the numbers in a file, one a line.\"\"\"

import sys


def median(numbers):
    numbers = {sorted}
    middle = len(numbers) // 2
    if len(numbers) % 2 == {odd}:
        return numbers[middle]
    return (numbers[middle - 1] + numbers[middle]) / {half}


def main():
    with open(sys.argv[1]) as lines:
        numbers = [float(line) for line in lines if line.strip()]
    print("count", len(numbers))
    print("smallest", min(numbers))
    print("largest", {largest}(numbers))
    print("mean", round(sum(numbers) / {count}, 2))
    print("median", round(median(numbers), 2))


main()
"""
_RIGHT = {
    "sorted": "sorted(numbers)",
    "odd": "1",
    "half": "2",
    "largest": "max",
    "count": "len(numbers)",
}
_WRONG = {
    "sorted": "list(numbers)",
    "odd": "0",
    "half": "3",
    "largest": "min",
    "count": "(len(numbers) - 1)",
}


def _statistics(numbers: list[int]) -> str:
    """Return what the right program prints."""
    ordered, middle = sorted(float(number) for number in numbers), len(numbers) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    return (
        f"count {len(ordered)}\nsmallest {ordered[0]}\nlargest {ordered[-1]}\n"
        f"mean {round(sum(ordered) / len(ordered), 2)}\nmedian {round(median, 2)}"
    )


def wrong_statistics(rng: np.random.Generator) -> Task:
    """Mend a program of statistics that has two faults."""
    faults = pick_some(rng, [*_WRONG], 2)
    program = _STATISTICS.format(**{**_RIGHT, **{fault: _WRONG[fault] for fault in faults}})

    def drawn(count: int) -> list[int]:
        # In falling order, so that no fault hides.
        numbers = [between(rng, -900, 900) for _ in range(count)]
        return [*sorted(numbers, reverse=True)[1:], max(numbers) + 7]

    shown, odd, even = drawn(5), drawn(7), drawn(8)
    checks = [
        Run(
            "python3 stats.py hidden.txt 2>/dev/null; true",
            ("stats.py",),
            _statistics(numbers),
            {"hidden.txt": lines_file([str(number) for number in numbers]).data},
        )
        for numbers in (odd, even)
    ]
    return Task(
        name="wrong_statistics",
        instruction=(
            "stats.py prints figures of the numbers in a file, but some of them are wrong: for "
            "sample.txt it should print what is in expected.txt. Mend the program, so that it is "
            "right for every file of numbers (the median of an even count is the mean of the two "
            "in the middle). Leave the form of its output as it is."
        ),
        files={
            "stats.py": text_file(program),
            "sample.txt": lines_file([str(number) for number in shown]),
            "expected.txt": text_file(_statistics(shown) + "\n"),
        },
        checks=tuple(checks),
        solution=(
            "sed -i 's/= list(numbers)/= sorted(numbers)/; s/% 2 == 0:/% 2 == 1:/; "
            "s|(numbers\\[middle\\]) / 3|XX|; s|numbers\\[middle\\]) / 3|numbers[middle]) / 2|; "
            's/"largest", min/"largest", max/; s/(len(numbers) - 1)/len(numbers)/\' stats.py',
        ),
    )


_ARCHIVE = """\
#!/bin/bash
# Copy every .txt file of the folder $1 into the folder $2, and say how many there were.
mkdir -p $2
count=0
for file in $(ls $1 | grep .txt); do
    cp $1/$file $2
    count=$((count + 1))
done
echo $count files copied
"""
_ARCHIVE_MENDED = """\
#!/bin/bash
# Copy every .txt file of the folder $1 into the folder $2, and say how many there were.
mkdir -p "$2"
count=0
shopt -s nullglob
for file in "$1"/*.txt; do
    cp "$file" "$2"
    count=$((count + 1))
done
echo $count files copied
"""


def unquoted_script(rng: np.random.Generator) -> Task:
    """Mend a shell script that trips over names with spaces, and over names like txt."""
    one, two, three, four, five = pick_some(rng, NOUNS, 5)
    folder, out = f"my {four}", f"old {five}"
    given = {
        f"{folder}/{one} {two}.txt": b"1",
        f"{folder}/{three}.txt": b"2",
        f"{folder}/{one}txt.md": b"3",
        f"{folder}/{two}  {between(rng, 10, 99)}.txt": b"4",
    }
    copied = sorted(path.rpartition("/")[2] for path in given if path.endswith(".txt"))
    run = f"bash archive.sh '{folder}' '{out}' 2>/dev/null"
    return Task(
        name="unquoted_script",
        instruction=(
            "archive.sh copies the files of a folder whose names end in .txt to another folder: "
            "`bash archive.sh notes saved`. It fails for names (of files, and of both folders) "
            "that hold spaces, and it takes files that only have txt somewhere in their names. "
            "Mend it. It must go on to print how many files it has copied, in the same words, 0 if "
            "there are none."
        ),
        files={
            "archive.sh": text_file(_ARCHIVE, 0o755),
            "notes/one two.txt": text_file(f"{one}\n"),
            "notes/three.txt": text_file(f"{two}\n"),
            "notes/txt-files.md": text_file(f"{three}\n"),
        },
        checks=(
            Run(f"{run}; true", ("archive.sh",), "3 files copied", given),
            Run(f"{run} >/dev/null; ls -1 '{out}'", ("archive.sh",), "\n".join(copied), given, 2),
            Run(
                "mkdir 'no thing'; bash archive.sh 'no thing' 'b b' 2>/dev/null; ls -d b*; true",
                ("archive.sh",),
                "0 files copied\nb b",
            ),
        ),
        solution=(f"cat > archive.sh <<'END'\n{_ARCHIVE_MENDED}END",),
    )


_SETTINGS = """\
\"\"\"Read settings: `python3 settings.py FILE` prints them as JSON, sorted by name.\"\"\"

import json
import sys


def read(path):
    settings = {}
    for line in open(path):
        name, value = line.split("=")
        settings[name] = value
    return settings


print(json.dumps(read(sys.argv[1]), sort_keys=True))
"""
_SETTINGS_MENDED = """\
import json
import sys


def read(path):
    settings = {}
    for line in open(path):
        line = line.partition("#")[0].strip()
        if line:
            name, _, value = line.partition("=")
            value = value.strip()
            settings[name.strip()] = int(value) if value.isdigit() else value
    return settings


print(json.dumps(read(sys.argv[1]), sort_keys=True))
"""


def crashing_reader(rng: np.random.Generator) -> Task:
    """Mend a program that crashes on what its format allows."""
    names = pick_some(rng, NOUNS, 6)
    number = between(rng, 10, 9_999)

    def case(lines: list[str], settings: str) -> Run:
        return Run(
            "python3 settings.py hidden.cfg 2>/dev/null; true",
            ("settings.py",),
            "{" + settings + "}",
            {"hidden.cfg": lines_file(lines).data},
        )

    a, b, c = sorted(names[:3])
    return Task(
        name="crashing_reader",
        instruction=(
            "`python3 settings.py FILE` should print the settings in a file as one line of JSON, "
            "with sorted names. The format: a line is a name, = and a value, with white space "
            "around them that does not count; the value may hold further =. Everything from # to "
            "the end of a line is a comment. Lines with nothing else are passed over. A value of "
            "digits only is a number, any other a string; of two lines with one name the later "
            "one counts. The program gets much of this wrong, and crashes on sample.cfg. Mend it."
        ),
        files={
            "settings.py": text_file(_SETTINGS),
            "sample.cfg": lines_file(
                [
                    "# sample",
                    "",
                    f"{names[3]} = {number}",
                    f"{names[4]}=a=b  # why",
                    f"{names[5]} =",
                ]
            ),
        },
        checks=(
            case(["", f"{a} =  {number}", "   ", f"{b}=x y "], f'"{a}": {number}, "{b}": "x y"'),
            case(["# c = d", f"{a}=1 # {b}=2", f"{c} = #"], f'"{a}": 1, "{c}": ""'),
            case(
                [f"{a} = u=v=w", f"{a}=-{number}", f"{b}=k=1"], f'"{a}": "-{number}", "{b}": "k=1"'
            ),
        ),
        solution=(f"cat > settings.py <<'END'\n{_SETTINGS_MENDED}END",),
    )


_ROUTES = """\
\"\"\"`python3 routes.py FILE FROM TO` prints the fewest steps between two places, or none.\"\"\"

import sys
from places import links


def steps(links, start, goal, seen=[]):
    if start == goal:
        return 0
    seen.append(start)
    found = [steps(links, place, goal, seen) for place in links[start] if place not in seen]
    return 1 + min(step for step in found if step is not None)


print(steps(links(sys.argv[1]), sys.argv[2], sys.argv[3]))
"""
_PLACES = """\
\"\"\"Read links: each line names two places that lead to each other.\"\"\"


def links(path):
    found = {}
    for line in open(path):
        one, two = line.split()
        found.setdefault(one, []).append(two)
    return found
"""
_ROUTES_MENDED = """\
import sys
from places import links


def steps(links, start, goal):
    seen, edge, count = {start}, [start], 0
    while edge:
        if goal in edge:
            return count
        edge = [p for place in edge for p in links.get(place, ()) if p not in seen]
        seen.update(edge)
        count += 1
    return "none"


print(steps(links(sys.argv[1]), sys.argv[2], sys.argv[3]))
"""


def wrong_routes(rng: np.random.Generator) -> Task:
    """Mend a search for the shortest way: one-way links, no way at all, and far too slow."""
    places = pick_some(rng, NOUNS, 8)
    ring = list(zip(places[:6], [*places[1:6], places[0]], strict=True))
    far = between(rng, 1, 2)
    island = (places[6], places[7])

    def case(links: list[tuple[str, str]], start: str, goal: str, steps: Any, weight: int) -> Run:
        return Run(
            f"timeout 5 python3 routes.py hidden.txt {start} {goal} 2>/dev/null; true",
            ("routes.py", "places.py"),
            str(steps),
            {"hidden.txt": lines_file([f"{one} {two}" for one, two in links]).data},
            weight,
        )

    # A grid has so many ways that a search which tries them all does not end.
    size = between(rng, 7, 9)
    grid = [
        (f"p{x}.{y}", f"p{x + dx}.{y + dy}")
        for x in range(size) for y in range(size) for dx, dy in ((0, 1), (1, 0))
        if x + dx < size and y + dy < size
    ]  # fmt: skip
    person = pick(rng, PEOPLE)
    sample: dict[str, File] = {"sample.txt": lines_file([f"{a} {b}" for a, b in ring])}
    return Task(
        name="wrong_routes",
        instruction=(
            "`python3 routes.py FILE FROM TO` should print the fewest steps between two places, "
            "and `none` if there is no way. Each line of the file names two places; the way "
            f"between them can be gone in both directions. {person} says that the program crashes, "
            "prints too many steps, and takes for ever on larger files (it must take a second at "
            "most for a hundred places). Mend routes.py and places.py."
        ),
        files={
            "routes.py": text_file(_ROUTES),
            "places.py": text_file(_PLACES),
            **sample,
        },
        checks=(
            case(ring, places[0], places[6 - far], far, 1),
            case([*ring, island], places[1], places[6], "none", 1),
            case(grid, f"p{size - 1}.{size - 1}", "p0.0", 2 * size - 2, 2),
        ),
        solution=(
            f"cat > routes.py <<'END'\n{_ROUTES_MENDED}END",
            "sed -i 's/^    return found/XX/; s/^\\( *\\)found.setdefault(one.*/&\\n"
            "\\1found.setdefault(two, []).append(one)/; s/^XX/    return found/' places.py",
        ),
    )


GENERATORS = {
    "wrong_statistics": wrong_statistics,
    "unquoted_script": unquoted_script,
    "crashing_reader": crashing_reader,
    "wrong_routes": wrong_routes,
}
