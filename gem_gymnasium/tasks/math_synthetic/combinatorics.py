"""Combinatorics: arrangements, committees, paths, numbers, shares, seats, overlaps."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb, factorial, lcm, prod

from gem_gymnasium.core.wording import count_of
from gem_gymnasium.tasks.dice import Rng, between, chance, pick, pick_some
from gem_gymnasium.tasks.math_synthetic.draft import NAMES, Draft, Template, listing

_LETTERS = "BCDFGHKLMNPRST"
_VOWELS = "AEIOU"


def arrangements(rng: Rng, level: int) -> Draft:
    """Return in how many orders letters can stand, some of them alike."""
    consonants = pick_some(rng, _LETTERS, between(rng, 2, 3))
    vowels = pick_some(rng, _VOWELS, between(rng, 1, 2))
    tiles = [*consonants, *vowels]
    if level == 1:
        tiles = pick_some(rng, _LETTERS + _VOWELS, between(rng, 3, 6))
    for _ in range((0, 2, 2, 3, 3)[level - 1]):
        tiles.append(pick(rng, consonants))
    tiles = pick_some(rng, tiles, len(tiles))
    counts = Counter(tiles)
    total = factorial(len(tiles)) // prod(map(factorial, counts.values()))
    word = "".join(tiles)
    start = f"The letters {', '.join(tiles)} are on {len(tiles)} tiles"
    start += "." if len(counts) == len(tiles) else "; tiles with the same letter look alike."
    facts = {"_tiles": word, "_rule": "none"}
    if level <= 2:
        question = f"{start} In how many different orders can all the tiles be laid in a row?"
        return Draft(question, str(total), facts)
    start += " All the tiles are laid in a row. How many different rows are there"
    group = len(vowels)
    rest = len(tiles) - group
    kinds = prod(factorial(counts[letter]) for letter in {*consonants})
    together = factorial(rest + 1) // kinds * factorial(group)
    if level == 3 and group == 2:
        return Draft(
            f"{start} in which the two vowels are next to each other?",
            str(together),
            {**facts, "_rule": "together"},
        )
    if level == 4 and group == 2:
        return Draft(
            f"{start} in which the two vowels are not next to each other?",
            str(total - together),
            {**facts, "_rule": "apart"},
        )
    double = pick(rng, consonants)
    ends = counts[double]
    if level <= 4 or ends < 2:
        # the first letter is `double`: order the others
        left = counts - Counter(double)
        answer = factorial(len(tiles) - 1) // prod(map(factorial, left.values()))
        question = f"{start} that begin with {double}?"
        return Draft(question, str(answer), {**facts, "_rule": f"first {double}"})
    left = counts - Counter(double * 2)
    answer = factorial(len(tiles) - 2) // prod(map(factorial, left.values()))
    question = f"{start} that begin and end with {double}?"
    return Draft(question, str(answer), {**facts, "_rule": f"ends {double}"})


_GROUPS = (
    ("teachers", "pupils"),
    ("doctors", "nurses"),
    ("singers", "dancers"),
    ("bakers", "brewers"),
    ("poets", "painters"),
    ("pilots", "sailors"),
)


def committees(rng: Rng, level: int) -> Draft:
    """Return in how many ways a group can be chosen."""
    one, other = pick(rng, _GROUPS)
    a, b = between(rng, 4, 6 + 2 * level), between(rng, 4, 6 + 2 * level)
    size = between(rng, 2, min(3 + level, a, b))
    if level == 1:
        total = a + b
        question = pick(
            rng,
            (
                f"In how many ways can {size} of {total} {one} be chosen for a committee?",
                f"How many groups of {size} can be formed from {total} {one}?",
            ),
        )
        return Draft(question, str(comb(total, size)), {"sizes": [total], "chosen": size})
    start = f"A committee of {{}} is chosen from {a} {one} and {b} {other}."
    if level == 2:
        left, right = between(rng, 1, 3), between(rng, 1, 3)
        question = (
            f"{start.format(left + right)} It must have exactly {left} of the {one}. "
            "How many committees are possible?"
        )
        facts = {"sizes": [a, b], "chosen": left + right, "exactly": left}
        return Draft(question, str(comb(a, left) * comb(b, right)), facts)
    size = max(size, 3)
    ways = [comb(a, left) * comb(b, size - left) for left in range(size + 1)]
    facts = {"sizes": [a, b], "chosen": size}
    start = start.format(size)
    if level in (3, 4):
        least = 1 if level == 3 else between(rng, 2, size - 1)
        question = (
            f"{start} It must have at least {least} of the {one}. How many committees are possible?"
        )
        return Draft(question, str(sum(ways[least:])), {**facts, "least": least})
    pair = pick_some(rng, NAMES, 2)
    question = (
        f"{start} It must have more {one} than {other}, and {pair[0]} and {pair[1]}, two of the "
        f"{one}, must not both be in it. How many committees are possible?"
    )
    answer = 0
    for left in range(size // 2 + 1, size + 1):
        without_both = comb(a, left) - comb(a - 2, left - 2)
        answer += without_both * comb(b, size - left)
    return Draft(question, str(answer), facts)


def lattice_paths(rng: Rng, level: int) -> Draft:
    """Return the number of shortest ways through a grid of streets."""
    east, north = between(rng, 3, 4 + 2 * level), between(rng, 3, 4 + 2 * level)
    walker = pick(rng, NAMES)
    start = (
        f"In a grid of streets {walker} walks from a crossing to the one {east} blocks to the east "
        f"and {north} blocks to the north, each block going east or north."
    )
    facts = {"east": east, "north": north}

    def ways(x: int, y: int) -> int:
        return comb(x + y, x) if x >= 0 and y >= 0 else 0

    total = ways(east, north)
    if level == 1:
        asked = pick(
            rng, ("How many different routes are there?", "How many ways are there to walk?")
        )
        return Draft(f"{start} {asked}", str(total), facts)
    spots = sorted((between(rng, 1, east - 1), between(rng, 1, north - 1)) for _ in range(2))
    (x, y), (u, v) = spots
    through = ways(x, y) * ways(east - x, north - y)
    first = (
        f"the crossing {count_of(x, 'block')} east and {count_of(y, 'block')} north of the start"
    )
    if level in (2, 3):
        rule, answer = ("through", through) if level == 2 else ("around", total - through)
        verb = "pass through" if level == 2 else "avoid"
        question = f"{start} How many different routes {verb} {first}?"
        return Draft(question, str(answer), {**facts, "spots": [[x, y]], "_rule": rule})
    if (x, y) == (u, v):
        u, v = east, north - 1
    second_way = ways(u, v) * ways(east - u, north - v)
    both = ways(x, y) * ways(u - x, v - y) * ways(east - u, north - v)
    second = f"the one {count_of(u, 'block')} east and {count_of(v, 'block')} north of the start"
    rule, answer = ("neither", total - through - second_way + both)
    if level == 4:
        rule, answer = ("either", through + second_way - both)
    verb = (
        "pass through at least one of two crossings"
        if level == 4
        else "avoid both of two crossings"
    )
    question = f"{start} How many different routes {verb}: {first}, and {second}?"
    return Draft(question, str(answer), {**facts, "spots": [[x, y], [u, v]], "_rule": rule})


def numbers(rng: Rng, level: int) -> Draft:
    """Return how many numbers can be made of some digits."""
    digits = [1, 3, 5, 7]
    while all(digit % 2 for digit in digits) or all(digit % 2 == 0 for digit in digits):
        digits = sorted(pick_some(rng, range(1, 10), between(rng, 4, 5 + level // 2)))
        if level >= 3:
            digits = [0, *digits[1:]]
    length = between(rng, 3, min(3 + (level + 1) // 2, len(digits) - 1))
    repeat = chance(rng, 0.5)
    said = listing([str(digit) for digit in digits])
    how = "digits may repeat" if repeat else "no digit may be used twice"
    rule, condition = pick(
        rng,
        (
            (("all", ""),),
            (("even", "even "), ("odd", "odd ")),
            (("all", ""),),
            (("even", "even "), ("odd", "odd ")),
            (("five", ""), ("even", "even ")),
        )[level - 1],
    )
    if rule == "five" and 5 not in digits:
        digits[1] = 5
        digits.sort()
        said = listing([str(digit) for digit in digits])
    ask = f"How many {condition}{length}-digit numbers"
    tail = " are divisible by 5" if rule == "five" else " can be made"
    question = f"{ask}{tail}, if only the digits {said} may be used and {how}?"
    question += " The first digit must not be 0." if 0 in digits else ""
    last = {
        "all": digits,
        "even": [d for d in digits if d % 2 == 0],
        "odd": [d for d in digits if d % 2],
        "five": [d for d in digits if d % 5 == 0],
    }[rule]
    answer = 0
    for end in last:
        pool = len(digits) if repeat else len(digits) - 1
        # the first digit: not 0, and without repetition not the last one
        firsts = len([d for d in digits if d != 0 and (repeat or d != end)])
        middle = prod(pool - (0 if repeat else at + 1) for at in range(length - 2))
        answer += firsts * middle
    facts = {"digits": digits, "length": length, "_repeat": repeat, "_rule": rule}
    return Draft(question, str(answer), facts)


def equal_things(rng: Rng, level: int) -> Draft:
    """Return in how many ways equal things can be given to people."""
    people = between(rng, 3, 3 + level)
    count = between(rng, people + 2, 8 + 5 * level)
    thing = pick(rng, ("apples", "pens", "coins", "balloons", "tokens", "stickers"))
    start = f"In how many ways can {count} equal {thing} be given to {people} children"
    facts = {"count": count, "people": people, "least": 0, "most": count}
    if level == 1:
        question = f"{start}, if some may get none?"
        return Draft(question, str(comb(count + people - 1, people - 1)), facts)
    if level in (2, 3):
        least = 1 if level == 2 else between(rng, 1, count // people)
        left = count - least * people
        question = f"{start}, if each gets at least {least}?"
        return Draft(question, str(comb(left + people - 1, people - 1)), {**facts, "least": least})
    least = 0 if level == 4 else 1
    most = between(rng, count // people + 1, count - 1)
    limit = f"at most {most}" if level == 4 else f"at least {least} and at most {most}"
    left, room = count - least * people, most - least + 1
    answer = sum(
        (-1) ** over * comb(people, over) * comb(left - over * room + people - 1, people - 1)
        for over in range(people + 1)
        if left - over * room >= 0
    )
    question = f"{start}, if each gets {limit}?"
    return Draft(question, str(answer), {**facts, "least": least, "most": most})


def seats(rng: Rng, level: int) -> Draft:
    """Return in how many ways people can sit, in a row or around a table."""
    people = between(rng, 4, 5 + level)
    a, b, c = pick_some(rng, NAMES, 3)
    facts = {"people": people}
    row, table = factorial(people), factorial(people - 1)
    around = (
        f"{people} people, {a} and {b} among them, sit down at a round table with {people} chairs. "
        "Seatings that differ only by a turn of the table count as one. How many seatings are there"
    )
    in_row = (
        f"{people} people, {a} and {b} among them, sit down in a row of {people} chairs. "
        "How many seatings are there"
    )
    if level == 1:
        people = between(rng, 5, 90)
        pairs = people * (people - 1) // 2
        what = pick(
            rng,
            (
                f"{people} people meet and each shakes hands once with each other. How many "
                "handshakes are there?",
                f"{people} chess players each play one game against each other. How many games "
                "are played?",
                f"{people} towns are each joined to each other by a road of its own. How many "
                "roads are there?",
            ),
        )
        return Draft(what, str(pairs), {"people": people, "_rule": "pairs"})
    chairs = people + between(rng, 1, 4)
    options = {
        2: (
            (
                f"{in_row} in which {a} sits directly next to {b}?",
                2 * row // people,
                "row together",
            ),
            (f"{around}?", table, "table"),
            (
                f"In how many ways can {people} people sit down in a row of {chairs} chairs?",
                factorial(chairs) // factorial(chairs - people),
                "chairs",
            ),
        ),
        3: (
            (
                f"{in_row} in which {a} and {b} do not sit side by side?",
                row - 2 * row // people,
                "row apart",
            ),
            (
                f"{around} in which {a} sits directly next to {b}?",
                2 * table // (people - 1),
                "table together",
            ),
        ),
        4: (
            (
                f"{around} in which {a} and {b} do not sit side by side?",
                table - 2 * table // (people - 1),
                "table apart",
            ),
            (f"{in_row} in which {a} sits somewhere to the left of {b}?", row // 2, "left"),
        ),
    }
    if level == 5:
        gap = between(rng, 1, people - 2)
        between_them = (
            f"exactly {gap} {'person sits' if gap == 1 else 'people sit'} between {a} and {b}"
        )
        question = f"{in_row} in which {between_them}?"
        answer, rule = 2 * (people - 1 - gap) * factorial(people - 2), "gap"
        if gap < people - 2 and chance(rng, 0.5):
            question = question.replace(f"{a} and {b} among", f"{a}, {b} and {c} among")
            question = question.replace("?", f", and {c} sits at an end of the row?")
            answer, rule = _gap_and_end(people, gap), "gap and end"
        return Draft(question, str(answer), {**facts, "gap": gap, "_rule": rule})
    question, answer, rule = pick(rng, options[level])
    if rule == "chairs":
        facts["chairs"] = chairs
    return Draft(question, str(answer), {**facts, "_rule": rule})


def _gap_and_end(people: int, gap: int) -> int:
    """Return how many rows have two people with a gap between them and a third at an end."""
    places = 0
    for left in range(people - gap - 1):
        for end in (0, people - 1):
            places += 2 * (end not in (left, left + gap + 1))
    return places * factorial(people - 3)


def overlaps(rng: Rng, level: int) -> Draft:
    """Return how many numbers of a range have one of several divisors, or none of them."""
    limit = between(rng, 60, 400 * level)
    count = (2, 2, 3, 3, 4)[level - 1]
    divisors = [2, 4]
    while any(b % a == 0 for a, b in combinations(divisors, 2)):
        divisors = sorted(pick_some(rng, range(2, 13), count))
    said = listing([str(divisor) for divisor in divisors], "or")
    neither = f"by none of {listing([str(divisor) for divisor in divisors])}"
    if count == 2:
        neither = f"neither by {divisors[0]} nor by {divisors[1]}"
    some = 0
    exactly_one = 0
    for size in range(1, count + 1):
        for group in combinations(divisors, size):
            hits = limit // lcm(*group)
            some += hits if size % 2 else -hits
            exactly_one += (size if size % 2 else -size) * hits
    rule, what, answer = pick(
        rng,
        (
            ("some", f"are divisible by {said}{' or both' if count == 2 else ''}", some),
            (
                "none",
                f"are divisible {neither}",
                limit - some,
            ),
            (
                "one",
                f"are divisible by exactly one of {listing([str(d) for d in divisors])}",
                exactly_one,
            ),
        )[: 2 if level in (1, 3) else 3],
    )
    if rule == "some" and count > 2:
        what = f"are divisible by at least one of {listing([str(d) for d in divisors])}"
    question = f"How many of the integers from 1 to {limit} {what}?"
    return Draft(question, str(answer), {"limit": limit, "divisors": divisors, "_rule": rule})


TEMPLATES: tuple[Template, ...] = (
    arrangements,
    committees,
    lattice_paths,
    numbers,
    equal_things,
    seats,
    overlaps,
)
