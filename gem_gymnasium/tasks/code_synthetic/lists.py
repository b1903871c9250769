"""Programming problems on lists of numbers."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise

from gem_gymnasium.tasks.code_synthetic.posed import (
    Family,
    Posed,
    either,
    length_of,
    numbers,
    of,
    row,
    sequence,
)
from gem_gymnasium.tasks.dice import Rng, between, pick

_LIST = "The number n (at least 1), then a line of n integers."


def solve_windows(text: str, width: int, kind: str) -> str:
    """Return the extreme sum of a window."""
    count, *values = map(int, text.split())
    if count < width:
        return "none"
    total = sum(values[:width])
    sums = [total]
    for at in range(width, count):
        total += values[at] - values[at - width]
        sums.append(total)
    if kind == "place":
        return str(sums.index(max(sums)) + 1)
    return str(max(sums) if kind == "max" else min(sums))


def windows(rng: Rng) -> Posed:
    """Find the best stretch of a fixed length."""
    width = between(rng, 2, 6)
    kind, prints = of(
        rng,
        ("max", f"The greatest sum of {width} consecutive numbers"),
        ("min", f"The least sum of {width} consecutive numbers"),
        (
            "place",
            f"Where the {width} consecutive numbers with the greatest sum begin, counted from 1 "
            "(of several places, the first)",
        ),
    )
    task = (
        f"Look at each {width} numbers of a list that follow one upon another, and at their sums."
    )
    prints += f', or "none" if there are fewer than {width} numbers.'
    settings = {"width": width, "kind": kind}
    return Posed(task, _LIST, prints, solve_windows, settings, sequence)


def solve_ranked(text: str, rank: int, largest: bool) -> str:
    """Return the value of a rank among the different values."""
    values = sorted({*map(int, text.split()[1:])}, reverse=largest)
    return str(values[rank - 1]) if rank <= len(values) else "none"


def ranked(rng: Rng) -> Posed:
    """Find the k-th value."""
    rank = between(rng, 2, 5)
    largest, word = either(rng, "largest", "smallest")
    name = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}[rank]
    task = f"Find the {name} {word} of the different values of a list; equal numbers count once."
    prints = f'The value, or "none" if there are fewer than {rank} different ones.'

    def make(rng: Rng, size: int) -> str:
        return sequence(rng, size, -5 - 10 * size, 5 + 10 * size)

    settings = {"rank": rank, "largest": largest}
    return Posed(task, _LIST, prints, solve_ranked, settings, make)


def solve_pairs(text: str, number: int, kind: str) -> str:
    """Count pairs by their sum or their difference."""
    seen: Counter[int] = Counter()
    found = 0
    for value in map(int, text.split()[1:]):
        if kind == "divisible":
            found += seen[-value % number]
            seen[value % number] += 1
        elif kind == "sum":
            found += seen[number - value]
            seen[value] += 1
        else:
            found += seen[value - number] + seen[value + number]
            seen[value] += 1
    return str(found)


def pairs(rng: Rng) -> Posed:
    """Count pairs."""
    number = between(rng, 2, 12)
    kind, words = of(
        rng,
        ("divisible", f"whose sum is divisible by {number}"),
        ("sum", f"whose sum is {number}"),
        ("difference", f"of which one is greater than the other by exactly {number}"),
    )
    task = (
        f"Count the pairs of numbers of a list, at two different places, {words}. Two places make "
        "one pair, whichever is named first."
    )

    def make(rng: Rng, size: int) -> str:
        return sequence(rng, size, -12, 12)

    settings = {"number": number, "kind": kind}
    return Posed(task, _LIST, "The number of pairs.", solve_pairs, settings, make)


def solve_disorder(text: str, gap: int) -> str:
    """Count pairs in the wrong order by more than a gap."""
    values = [*map(int, text.split()[1:])]
    return str(
        sum(values[at] > later + gap for at in range(len(values)) for later in values[at + 1 :])
    )


def disorder(rng: Rng) -> Posed:
    """Count pairs in the wrong order."""
    gap = between(rng, 0, 9)
    more = f"greater by more than {gap} than" if gap else "greater than"
    task = (
        "Count the pairs of places in a list where the number at the earlier place is "
        f"{more} the number at the later place."
    )
    return Posed(task, _LIST, "The number of such pairs.", solve_disorder, {"gap": gap}, sequence)


def solve_stretch(text: str, kind: str) -> str:
    """Return the length of the longest stretch of a kind."""
    values = [*map(int, text.split()[1:])]
    best = length = 1
    for before, value in pairwise(values):
        good = {
            "rising": value > before,
            "falling": value < before,
            "not falling": value >= before,
            "parity": value % 2 != before % 2,
            "near": abs(value - before) <= 3,
        }[kind]
        length = length + 1 if good else 1
        best = max(best, length)
    return str(best)


def stretches(rng: Rng) -> Posed:
    """Find the longest stretch of a kind."""
    kind, words = of(
        rng,
        ("rising", "each number is greater than the one before it"),
        ("falling", "each number is less than the one before it"),
        ("not falling", "no number is less than the one before it"),
        ("parity", "even and odd numbers take turns"),
        ("near", "each number differs from the one before it by at most 3"),
    )
    task = (
        f"Find the longest run of consecutive places of a list in which {words}. One number alone "
        "is a run."
    )

    def make(rng: Rng, size: int) -> str:
        return sequence(rng, size, 0, 9)

    return Posed(task, _LIST, "The length of that run.", solve_stretch, {"kind": kind}, make)


def solve_queries(text: str, kind: str) -> str:
    """Answer questions about ranges of a list."""
    count, asked, *rest = map(int, text.split())
    values, bounds = rest[:count], rest[count:]
    answers: list[str] = []
    for at in range(asked):
        part = values[bounds[2 * at] - 1 : bounds[2 * at + 1]]
        result = {
            "sum": sum(part),
            "spread": max(part) - min(part),
            "different": len({*part}),
            "even": sum(value % 2 == 0 for value in part),
        }[kind]
        answers.append(str(result))
    return "\n".join(answers)


def queries(rng: Rng) -> Posed:
    """Answer questions about ranges."""
    kind, words = of(
        rng,
        ("sum", "the sum of the numbers"),
        ("spread", "the difference between the greatest and the least number"),
        ("different", "how many different numbers there are"),
        ("even", "how many even numbers there are"),
    )
    task = (
        f"Answer questions about a list: {words} from place a to place b, both included. Places "
        "are counted from 1."
    )
    takes = (
        "The numbers n and q; a line of n integers; then q lines with two integers a and b each, "
        "1 <= a <= b <= n."
    )

    def make(rng: Rng, size: int) -> str:
        count, asked = length_of(rng, size), between(rng, 1, 2 + 3 * size)
        lines = [f"{count} {asked}", row(numbers(rng, count, -15, 15))]
        lines += [row(sorted(numbers(rng, 2, 1, count))) for _ in range(asked)]
        return "\n".join(lines)

    prints = "One line for each question."
    return Posed(task, takes, prints, solve_queries, {"kind": kind}, make)


def solve_parted(text: str, divisor: int, first: str, rest: str) -> str:
    """Put the multiples of a number first, in the orders asked for."""
    values = [*map(int, text.split()[1:])]
    multiples = [value for value in values if value % divisor == 0]
    others = [value for value in values if value % divisor]
    out: list[int] = []
    for group, order in ((multiples, first), (others, rest)):
        out += {"kept": group, "turned": group[::-1], "rising": sorted(group)}[order]
    return " ".join(map(str, out))


_ORDERS = (
    ("kept", "in the order of the list"),
    ("turned", "in the reverse of the order of the list"),
    ("rising", "from the least to the greatest"),
)


def parted(rng: Rng) -> Posed:
    """Put some numbers before the others."""
    divisor = between(rng, 2, 9)
    first, words = of(rng, *_ORDERS)
    rest, others = of(rng, *_ORDERS)
    task = (
        f"Rearrange a list: first all the numbers that are divisible by {divisor}, {words}; then "
        f"the others, {others}."
    )
    settings = {"divisor": divisor, "first": first, "rest": rest}
    prints = "The numbers in one line, parted by single spaces."
    return Posed(task, _LIST, prints, solve_parted, settings, sequence)


def solve_spans(text: str, touching: bool, kind: str) -> str:
    """Join intervals, and measure or count what comes of it."""
    _, *bounds = map(int, text.split())
    spans = sorted(zip(bounds[::2], bounds[1::2], strict=True))
    joined: list[list[int]] = []
    for start, end in spans:
        if joined and (start < joined[-1][1] or (touching and start == joined[-1][1])):
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    lengths = [end - start for start, end in joined]
    if kind == "count":
        return str(len(joined))
    if kind == "longest":
        return str(max(lengths))
    return "\n".join([f"{start} {end}" for start, end in joined])


def spans(rng: Rng) -> Posed:
    """Join intervals."""
    touching, words = either(
        rng,
        "or only touch at an end",
        "that is, share more than an end point (intervals that only touch stay apart)",
    )
    kind, prints = of(
        rng,
        ("count", "The number of intervals that are left."),
        ("longest", "The length (end minus start) of the longest interval that is left."),
        ("list", "The intervals that are left, one a line: start, space, end; by their starts."),
    )
    task = f"Join intervals that overlap, {words}, until none do."
    task = task.replace("overlap, or only", "overlap or only")

    def make(rng: Rng, size: int) -> str:
        count = length_of(rng, size)
        lines = [str(count)]
        for _ in range(count):
            start = between(rng, -10, 10 + 30 * size)
            lines.append(f"{start} {start + between(rng, 1, 8)}")
        return "\n".join(lines)

    takes = "The number n (at least 1), then n lines with two integers each: start < end."
    settings = {"touching": touching, "kind": kind}
    return Posed(task, takes, prints, solve_spans, settings, make)


def solve_subsequence(text: str, kind: str) -> str:
    """Return the length of the longest subsequence of a kind."""
    values = [*map(int, text.split()[1:])]
    if kind == "falling":
        values = [-value for value in values]
    if kind == "zigzag":
        up = down = 1
        for before, value in pairwise(values):
            if value > before:
                up = down + 1
            elif value < before:
                down = up + 1
        return str(max(up, down))
    tails: list[int] = []
    for value in values:
        at = bisect_left(tails, value)
        tails[at : at + 1] = [value]
    return str(len(tails))


def subsequences(rng: Rng) -> Posed:
    """Find the longest subsequence of a kind."""
    kind, words = of(
        rng,
        ("rising", "each is greater than the one before"),
        ("falling", "each is less than the one before"),
        ("zigzag", "the steps from each to the next go up and down in turn, none of them level"),
    )
    task = (
        "Strike out some numbers of a list (or none) so that of those that are left, in their "
        f"order, {words}. As many as possible are to be left."
    )
    prints = "How many numbers are left."

    def make(rng: Rng, size: int) -> str:
        return sequence(rng, size, 0, pick(rng, (9, 40)))

    return Posed(task, _LIST, prints, solve_subsequence, {"kind": kind}, make)


def solve_majority(text: str, share: int) -> str:
    """List the values that make up more than a share."""
    count, *values = map(int, text.split())
    found = sorted(value for value, many in Counter(values).items() if many * share > count)
    return " ".join(map(str, found)) or "none"


def majorities(rng: Rng) -> Posed:
    """Find values that come very often."""
    share = between(rng, 2, 6)
    task = (
        f"Find the values that come more than n/{share} times (by exact division) in a list of n "
        "numbers."
    )
    prints = 'Those values in one line, the least first, or "none".'

    def make(rng: Rng, size: int) -> str:
        return sequence(rng, size, 0, 2 + size)

    return Posed(task, _LIST, prints, solve_majority, {"share": share}, make)


FAMILIES: tuple[Family, ...] = (
    windows,
    ranked,
    pairs,
    disorder,
    stretches,
    queries,
    parted,
    spans,
    subsequences,
    majorities,
)
