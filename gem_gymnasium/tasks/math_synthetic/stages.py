"""Probability in several stages: games that pay, chances through cases, attempts in turn."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

from gem_gymnasium.core.wording import count_of
from gem_gymnasium.tasks.dice import Rng, between, pick, pick_some
from gem_gymnasium.tasks.math_synthetic.draft import (
    COLOURS,
    FRACTION,
    NAMES,
    Draft,
    Template,
    listing,
    show,
)

EXPECTED = "Give the expected value as a fraction in lowest terms if it is not a whole number."


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
        one, other = pick_some(rng, COLOURS, 2)
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
    games,
    two_steps,
    attempts,
)
