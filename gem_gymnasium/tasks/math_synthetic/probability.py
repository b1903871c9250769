"""Probability: urns, dice, coins, cards, and what ``stages.py`` adds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, prod

from gem_gymnasium.core.wording import count_of
from gem_gymnasium.tasks.dice import Rng, between, chance, pick, pick_some
from gem_gymnasium.tasks.math_synthetic import stages
from gem_gymnasium.tasks.math_synthetic.draft import (
    COLOURS,
    FRACTION,
    Draft,
    Template,
    listing,
    show,
)


def urns(rng: Rng, level: int) -> Draft:
    """Return the chance of colours when balls are drawn from an urn."""
    colours = pick_some(rng, COLOURS, 2 if level <= 2 else 3)
    counts = [between(rng, 2, 4 + 3 * level) for _ in colours]
    total = sum(counts)
    held = listing([f"{count} {name}" for count, name in zip(counts, colours, strict=True)])
    start = f"A bag holds {held} balls."
    facts: dict[str, object] = {"counts": counts}
    if level == 1:
        question = (
            f"{start} One ball is drawn blindly. What is the probability that it is {colours[0]}?"
        )
        return Draft(f"{question} {FRACTION}", show(Fraction(counts[0], total)), facts)
    if level == 2:
        back = chance(rng, 0.5)
        how = "the first is put back before the second is drawn" if back else "neither is put back"
        top, bottom = (counts[0] ** 2, total**2) if back else (
            counts[0] * (counts[0] - 1), total * (total - 1)
        )  # fmt: skip
        question = (
            f"{start} Two balls are drawn blindly, one after the other; {how}. What is the "
            f"probability that both are {colours[0]}? {FRACTION}"
        )
        return Draft(question, show(Fraction(top, bottom)), {**facts, "_back": back})
    drawn = 2 if level == 3 else between(rng, 3, 4)
    facts["_drawn"] = drawn
    words = {2: "Two", 3: "Three", 4: "Four"}
    start = f"{start} {words[drawn]} balls are drawn blindly at once. What is the probability that"
    ways = comb(total, drawn)
    if level == 3:
        same = sum(comb(count, 2) for count in counts)
        rule, said, good = pick(
            rng,
            (
                ("same", "they have the same colour", same),
                ("differ", "they have different colours", ways - same),
            ),
        )
    elif level == 4:
        want = between(rng, 1, min(drawn - 1, counts[0]))
        good = comb(counts[0], want) * comb(total - counts[0], drawn - want) if want else 0
        rule, said = (
            f"exactly {want}",
            f"exactly {want} of them {'is' if want == 1 else 'are'} {colours[0]}",
        )
    else:
        missing = [comb(total - count, drawn) for count in counts]
        alone = [comb(count, drawn) for count in counts]
        rule, said, good = pick(
            rng,
            (
                (
                    "each",
                    f"there is at least one ball of each of the {len(counts)} colours",
                    ways - sum(missing) + sum(alone),
                ),
                ("some", f"at least one of them is {colours[0]}", ways - missing[0]),
            ),
        )
    return Draft(
        f"{start} {said}? {FRACTION}", show(Fraction(good, ways)), {**facts, "_rule": rule}
    )


def dice(rng: Rng, level: int) -> Draft:
    """Return the chance of a sum, of a product or of the largest of some dice."""
    count = (1, 2, 2, 3, 3)[level - 1]
    sides = [pick(rng, (4, 6, 8, 10, 12, 20)) for _ in range(count)]
    if level == 1:
        sides = [between(rng, 4, 60)]
        divisor = between(rng, 2, min(9, sides[0]))
        limit = between(rng, 2, sides[0] - 1)
        rule, said, good = pick(
            rng,
            (
                ("multiple", f"a multiple of {divisor}", sides[0] // divisor),
                ("above", f"a number greater than {limit}", sides[0] - limit),
            ),
        )
        number = divisor if rule == "multiple" else limit
        question = (
            f"A spinner stops at each of the numbers 1 to {sides[0]} with the same chance. What is "
            f"the probability of {said}? {FRACTION}"
        )
        facts = {"sides": sides, "number": number, "_rule": rule}
        return Draft(question, show(Fraction(good, sides[0])), facts)
    named = listing([f"one with {side} sides" for side in sides])
    start = f"Fair dice are rolled, {named}, each numbered from 1 up. What is the probability that"
    rolls = list(product(*[range(1, side + 1) for side in sides]))
    if level in (2, 4):
        sums = Counter(map(sum, rolls))
        target = between(rng, count + 1, sum(sides) - 1)
        rule, said, good = pick(
            rng,
            (
                ("sum", f"the sum is exactly {target}", sums[target]),
                (
                    "at least",
                    f"the sum is at least {target}",
                    sum(n for s, n in sums.items() if s >= target),
                ),
            ),
        )
    elif level == 3:
        target = between(rng, 2, max(sides) - 1)
        rule, said, good = pick(
            rng,
            (
                (
                    "largest",
                    f"the largest number rolled is exactly {target}",
                    sum(max(r) == target for r in rolls),
                ),
                (
                    "difference",
                    f"the two numbers differ by at most {target}",
                    sum(abs(r[0] - r[1]) <= target for r in rolls),
                ),
            ),
        )
    else:
        target = between(rng, 2, 9)
        rule, said, good = pick(
            rng,
            (
                (
                    "product",
                    f"the product of the numbers is divisible by {target}",
                    sum(prod(r) % target == 0 for r in rolls),
                ),
                (
                    "sum divisible",
                    f"the sum of the numbers is divisible by {target}",
                    sum(sum(r) % target == 0 for r in rolls),
                ),
            ),
        )
    if not 0 < good < len(rolls):  # impossible or certain: no problem
        return dice(rng, level)
    facts = {"sides": sides, "target": target, "_rule": rule}
    return Draft(f"{start} {said}? {FRACTION}", show(Fraction(good, len(rolls))), facts)


def coins(rng: Rng, level: int) -> Draft:
    """Return the chance of some heads of a fair or an unfair coin."""
    tosses = between(rng, 2 + level, 4 + 2 * level)
    heads = between(rng, 1, tosses - 1)
    bottom = 2 if level <= 2 else between(rng, 3, 6)
    top = 1 if level <= 2 else between(rng, 1, bottom - 1)
    share = Fraction(top, bottom)
    top, bottom = share.numerator, share.denominator
    chances = [
        comb(tosses, hits) * share**hits * (1 - share) ** (tosses - hits)
        for hits in range(tosses + 1)
    ]
    kind = (
        "A fair coin" if level <= 2 else f"A coin that shows heads with probability {top}/{bottom}"
    )
    facts: dict[str, object] = {"tosses": tosses, "_share": [top, bottom]}
    start = f"{kind} is tossed {tosses} times. What is the probability that"
    if level in (1, 3):
        side = pick(rng, ("heads", "tails"))
        answer = chances[heads] if side == "heads" else chances[tosses - heads]
        question = f"{start} {side} come up exactly {count_of(heads, 'time')}? {FRACTION}"
        return Draft(question, show(answer), {**facts, "number": heads, "_rule": side})
    if level in (2, 4):
        rule, said, answer = pick(
            rng,
            (
                (
                    "at least",
                    f"heads come up at least {count_of(heads, 'time')}",
                    sum(chances[heads:]),
                ),
                (
                    "at most",
                    f"heads come up at most {count_of(heads, 'time')}",
                    sum(chances[: heads + 1]),
                ),
            ),
        )
        return Draft(
            f"{start} {said}? {FRACTION}", show(answer), {**facts, "number": heads, "_rule": rule}
        )
    tosses = between(rng, 3, 7)
    run = between(rng, 2, 3)
    # the share of sequences without a run, by the length of the run they end in
    ending = [Fraction(1)] + [Fraction(0)] * (run - 1)
    for _ in range(tosses):
        ending = [sum(ending) * (1 - share), *[share * before for before in ending[:-1]]]
    question = (
        f"{kind} is tossed {tosses} times. What is the probability that heads come up at least "
        f"{run} times in a row somewhere? {FRACTION}"
    )
    facts = {"tosses": tosses, "run": run, "_share": [top, bottom]}
    return Draft(question, show(1 - sum(ending)), facts)


def cards(rng: Rng, level: int) -> Draft:
    """Return a chance about numbered cards that are drawn without putting them back."""
    cards_held = between(rng, 6 + 2 * level, 12 + 8 * level)
    start = f"From cards numbered 1 to {cards_held},"
    facts: dict[str, object] = {"cards": cards_held}
    if level == 1:
        low = between(rng, 2, cards_held - 2)
        high = between(rng, low + 1, cards_held)
        question = (
            f"{start} one is drawn at random. What is the probability that its number is from "
            f"{low} to {high}, both included? {FRACTION}"
        )
        answer = Fraction(high - low + 1, cards_held)
        return Draft(question, show(answer), {**facts, "low": low, "high": high})
    drawn = 2 if level <= 3 else 3
    word = {2: "two", 3: "three"}[drawn]
    ways = comb(cards_held, drawn)
    start = f"{start} {word} are drawn at random at once. What is the probability that"
    odd = (cards_held + 1) // 2
    even = cards_held - odd
    if level == 2:
        rule, said, good = pick(
            rng,
            (
                ("even sum", "the sum of their numbers is even", comb(odd, 2) + comb(even, 2)),
                ("both odd", "both numbers are odd", comb(odd, 2)),
                ("next", "the numbers are neighbours, as 4 and 5 are", cards_held - 1),
            ),
        )
        return Draft(
            f"{start} {said}? {FRACTION}", show(Fraction(good, ways)), {**facts, "_rule": rule}
        )
    if level in (3, 4):
        middle = between(rng, drawn, cards_held - drawn)
        rule, said, good = pick(
            rng,
            (
                ("largest", f"the largest number drawn is {middle}", comb(middle - 1, drawn - 1)),
                (
                    "smallest",
                    f"the smallest number drawn is {middle}",
                    comb(cards_held - middle, drawn - 1),
                ),
                (
                    "above",
                    f"all numbers drawn are greater than {middle}",
                    comb(cards_held - middle, drawn),
                ),
            ),
        )
        facts |= {"middle": middle, "_rule": rule, "_drawn": drawn}
        return Draft(f"{start} {said}? {FRACTION}", show(Fraction(good, ways)), facts)
    modulus = between(rng, 3, 9)
    sizes = Counter(number % modulus for number in range(1, cards_held + 1))
    good = 0
    for a in range(modulus):
        for b in range(a, modulus):
            c = -(a + b) % modulus
            if c < b:
                continue
            good += prod(comb(sizes[rest], times) for rest, times in Counter((a, b, c)).items())
    question = f"{start} the sum of their numbers is divisible by {modulus}? {FRACTION}"
    return Draft(question, show(Fraction(good, ways)), {**facts, "modulus": modulus})


TEMPLATES: tuple[Template, ...] = (
    urns,
    dice,
    coins,
    cards,
    *stages.TEMPLATES,
)
