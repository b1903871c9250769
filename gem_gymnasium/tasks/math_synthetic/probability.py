"""Probability: urns, dice, coins, games, two-step chances, cards, attempts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, prod

from gem_gymnasium.core.wording import count_of
from gem_gymnasium.tasks.dice import Rng, between, chance, pick, pick_some
from gem_gymnasium.tasks.math_synthetic.draft import NAMES, Draft, Template, listing, show

FRACTION = "Give the probability as a fraction in lowest terms."
EXPECTED = "Give the expected value as a fraction in lowest terms if it is not a whole number."

_COLOURS = ("red", "blue", "green", "white", "black", "yellow")


def urns(rng: Rng, level: int) -> Draft:
    """Return the chance of colours when balls are drawn from an urn."""
    colours = pick_some(rng, _COLOURS, 2 if level <= 2 else 3)
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


def games(rng: Rng, level: int) -> Draft:
    """Return what a game brings on average."""
    if level <= 2:
        sides = between(rng, 4, 12)
        prize, low = between(rng, 3, 60), between(rng, 2, sides)
        if level == 1:
            question = (
                f"A fair die has {sides} sides, numbered from 1. A player wins ${prize} for a "
                f"number of {low} or more and nothing otherwise. How many dollars does a roll "
                f"bring on average? {EXPECTED}"
            )
            answer = Fraction(prize * (sides - low + 1), sides)
            return Draft(question, show(answer), {"sides": sides, "prize": prize, "low": low})
        loss = between(rng, 1, 20)
        question = (
            f"A fair die has {sides} sides, numbered from 1. A player wins ${prize} for a number "
            f"of {low} or more and loses ${loss} otherwise. How many dollars does the player gain "
            f"on average in a roll (negative for a loss)? {EXPECTED}"
        )
        answer = Fraction(prize * (sides - low + 1) - loss * (low - 1), sides)
        facts = {"sides": sides, "prize": prize, "low": low, "loss": loss}
        return Draft(question, show(answer), facts)
    if level == 3:
        slots = [between(rng, 1, 9) for _ in range(3)]
        prizes = pick_some(rng, range(1, 60), 3)
        rows = zip(slots, prizes, strict=True)
        said = listing([f"{count_of(slot, 'slot')} with ${prize}" for slot, prize in rows])
        question = (
            f"A wheel of fortune has slots of one size: {said}. How many dollars does a spin bring "
            f"on average? {EXPECTED}"
        )
        total = sum(slot * prize for slot, prize in zip(slots, prizes, strict=True))
        return Draft(
            question, show(Fraction(total, sum(slots))), {"slots": slots, "prizes": prizes}
        )
    sides = [pick(rng, (4, 6, 8, 10, 12, 20)) for _ in range(2)]
    rolls = list(product(*[range(1, side + 1) for side in sides]))
    named = f"one with {sides[0]} sides and one with {sides[1]}"
    if level == 4:
        prize = between(rng, 2, 30)
        rule, said, total = pick(
            rng,
            (
                (
                    "largest",
                    "the larger of the two numbers (either, if they are equal)",
                    sum(map(max, rolls)),
                ),
                (
                    "smallest",
                    "the smaller of the two numbers (either, if they are equal)",
                    sum(map(min, rolls)),
                ),
                ("product", "the product of the two numbers", sum(map(prod, rolls))),
            ),
        )
        question = (
            f"Two fair dice are rolled, {named}, both numbered from 1. A player is paid ${prize} "
            f"times {said}. How many dollars is that on average? {EXPECTED}"
        )
        facts = {"sides": sides, "prize": prize, "_rule": rule}
        return Draft(question, show(Fraction(prize * total, len(rolls))), facts)
    side, target = pick(rng, (4, 5, 6, 8, 10, 12, 15, 20)), between(rng, 2, 30)
    keep = between(rng, 2, side)
    # once more: a first roll below `keep` is rolled again; the second counts
    average = Fraction(side + 1, 2)
    answer = target * (sum(range(keep, side + 1)) + (keep - 1) * average) / side
    question = (
        f"A fair die has {side} sides, numbered from 1. A player rolls it, and rolls once more if "
        f"the first number is below {keep}; then the last number rolled counts. The player is paid "
        f"${target} times that number. How many dollars is that on average? {EXPECTED}"
    )
    return Draft(question, show(Fraction(answer)), {"side": side, "keep": keep, "pay": target})


def two_steps(rng: Rng, level: int) -> Draft:
    """Return a chance that goes through two or three cases, or the chance of the case itself."""
    if level <= 3:
        boxes = [
            [between(rng, 2, 6 + 3 * level) for _ in range(2)] for _ in range(2 if level < 3 else 3)
        ]
        one, other = pick_some(rng, _COLOURS, 2)
        said = [
            f"{name} holds {a} {one} and {b} {other} balls"
            for name, (a, b) in zip("ABC", boxes, strict=False)
        ]
        shares = [Fraction(a, a + b) for a, b in boxes]
        total = sum(shares, Fraction(0))
        start = f"Bag {', bag '.join(said[:-1])}, and bag {said[-1]}."
        start += (
            " One bag is chosen, each with the same chance, and one ball is drawn from it blindly."
        )
        if level == 1:
            question = f"{start} What is the probability that the ball is {one}? {FRACTION}"
            return Draft(question, show(total / len(boxes)), {"boxes": boxes, "_rule": "colour"})
        question = (
            f"{start} It is {one}. What is the probability that it came from bag A? {FRACTION}"
        )
        return Draft(question, show(shares[0] / total), {"boxes": boxes, "_rule": "bag"})
    sick, found, false = between(rng, 1, 30), between(rng, 60, 99), between(rng, 1, 30)
    share, hit, wrong = Fraction(sick, 100), Fraction(found, 100), Fraction(false, 100)
    what = pick(
        rng,
        (
            ("of the machines of a plant are faulty", "machine", "faulty", "sound"),
            ("of the letters that arrive are spam", "letter", "spam", "not spam"),
            ("of the coins of a hoard are forged", "coin", "forged", "genuine"),
        ),
    )
    start = (
        f"{sick}% {what[0]}. A test flags {found}% of those that are {what[2]} and, by mistake, "
        f"{false}% of those that are {what[3]}."
    )
    facts = {"sick": sick, "found": found, "false": false}
    if level == 4:
        question = (
            f"{start} What is the probability that a random {what[1]} that is flagged is {what[2]}?"
        )
        answer = share * hit / (share * hit + (1 - share) * wrong)
        return Draft(f"{question} {FRACTION}", show(answer), {**facts, "_rule": "once"})
    again = pick(rng, ("flagged both times", "flagged neither time"))
    if again == "flagged neither time":
        hit, wrong = 1 - hit, 1 - wrong
    question = (
        f"{start} A random {what[1]} is tested twice, the outcomes being independent given what it "
        f"is, and is {again}. What is the probability that it is {what[2]}? {FRACTION}"
    )
    answer = share * hit**2 / (share * hit**2 + (1 - share) * wrong**2)
    return Draft(question, show(answer), {**facts, "_rule": again})


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


def attempts(rng: Rng, level: int) -> Draft:
    """Return the chance that some of several independent attempts succeed."""
    people = pick_some(rng, NAMES, (2, 2, 3, 3, 2)[level - 1])
    chances = [Fraction(between(rng, 1, 8), between(rng, 9, 12)) for _ in people]
    rows = zip(people, chances, strict=True)
    first, *others = [f"{name} with probability {c.numerator}/{c.denominator}" for name, c in rows]
    said = listing([first.replace(" with", " succeeds with", 1), *others])
    aim = pick(rng, ("hit a target", "solve a puzzle", "clear a bar", "find a way out"))
    start = f"{listing(people)} each try once to {aim}, independently of each other. {said}."
    facts: dict[str, object] = {"_chances": chances}
    every, none = prod(chances), prod(1 - c for c in chances)
    single = sum(c / (1 - c) * none for c in chances)
    if level <= 4:
        rule, asked, answer = pick(
            rng,
            (
                (("all", f"all {len(people)} succeed", every),),
                (
                    ("some", "at least one of them succeeds", 1 - none),
                    ("one", "exactly one of them succeeds", single),
                ),
                (
                    ("one", "exactly one of them succeeds", single),
                    ("some", "at least one of them succeeds", 1 - none),
                ),
                (("two", "at least two of them succeed", 1 - none - single),),
            )[level - 1],
        )
        if rule == "all":
            asked = "both succeed"
        question = f"{start} What is the probability that {asked}? {FRACTION}"
        return Draft(question, show(answer), {**facts, "_rule": rule})
    one, other = people
    question = (
        f"{one} and {other} try in turn, {one} first, until one of them succeeds and wins. {one} "
        f"succeeds in a try with probability {chances[0].numerator}/{chances[0].denominator}, "
        f"{other} with probability {chances[1].numerator}/{chances[1].denominator}, independently "
        f"of all tries before. What is the probability that {{}} wins? {FRACTION}"
    )
    first = chances[0] / (1 - none)
    winner, answer = pick(rng, ((one, first), (other, 1 - first)))
    facts["_rule"] = "first" if winner == one else "second"
    return Draft(question.format(winner), show(answer), facts)


TEMPLATES: tuple[Template, ...] = (
    urns,
    dice,
    coins,
    games,
    two_steps,
    cards,
    attempts,
)
