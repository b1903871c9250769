"""Arithmetic in words: shopping, trips, shares, percentages, work, packing, mixtures."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm, prod

from gem_gymnasium.core.wording import count_of
from gem_gymnasium.tasks.dice import Rng, between, pick, pick_some
from gem_gymnasium.tasks.math_synthetic.draft import (
    EXACT,
    NAMES,
    Draft,
    Template,
    listing,
    show,
)

_GOODS = (
    "notebooks", "lamps", "mugs", "scarves", "brushes", "candles", "puzzles", "plates", "towels",
    "baskets", "clocks", "vases", "cushions", "kettles", "posters", "tents",
)  # fmt: skip


def shopping(rng: Rng, level: int) -> Draft:
    """Return what a purchase costs, or the change."""
    kinds = (1, 2, 2, 3, 4)[level - 1]
    percent = pick(rng, (10, 20, 25, 50)) if level >= 4 else 0
    unit = 100 // gcd(100, percent) if percent else 1  # so that the discount is whole dollars
    goods = pick_some(rng, _GOODS, kinds)
    counts = [between(rng, 2, 6 + 2 * level) for _ in goods]
    prices = [unit * between(rng, 2, 8 + (4 * level if unit == 1 else level)) for _ in goods]
    total = sum(count * price for count, price in zip(counts, prices, strict=True))
    total -= total * percent // 100
    buyer = pick(rng, NAMES)
    rows = zip(counts, goods, prices, strict=True)
    bought = listing([f"{count} {good} at ${price} each" for count, good, price in rows])
    coupon = f" A coupon takes {percent}% off the whole bill." if percent else ""
    facts = {"counts": counts, "prices": prices, "percent": percent}
    if level == 1:
        asked = pick(rng, (f"How many dollars does {buyer} spend?", "What is the bill in dollars?"))
        return Draft(f"{buyer} buys {bought}. {asked}", str(total), facts)
    paid = -(-(total + 1) // 50) * 50
    asked = pick(
        rng,
        (
            f"{buyer} pays with ${paid}. How many dollars of change does {buyer} get back?",
            f"Of the ${paid} that {buyer} brought, how many dollars are left after paying?",
        ),
    )
    facts["paid"] = paid
    return Draft(f"{buyer} buys {bought}.{coupon} {asked}", str(paid - total), facts)


_TRAVEL = (("drives", 40, 110), ("cycles", 9, 30), ("sails", 6, 24), ("rides a train", 60, 180))


def trip(rng: Rng, level: int) -> Draft:
    """Return the length of a trip, or its average speed."""
    legs = (1, 2, 2, 3, 4)[level - 1]
    verb, slow, fast = pick(rng, _TRAVEL)
    speeds = [between(rng, slow, fast) for _ in range(legs)]
    hours = [between(rng, 2, 5 + level) for _ in range(legs)]
    traveller = pick(rng, NAMES)
    parts = [f"{time} hours at {speed} km/h" for time, speed in zip(hours, speeds, strict=True)]
    way = ", then ".join(parts)
    distance = sum(time * speed for time, speed in zip(hours, speeds, strict=True))
    facts = {"speeds": speeds, "hours": hours, "rest": 0}
    if level <= 2:
        asked = pick(rng, ("How many kilometres is that in all", "How long is that trip, in km"))
        question = f"{traveller} {verb} for {way}. {asked}?"
        return Draft(question, str(distance), facts)
    rest = between(rng, 1, 4) if level >= 4 else 0
    facts["rest"] = rest
    pause = f" On the way there are also {rest} hours of rest in all." if rest > 1 else ""
    pause = " On the way there is also 1 hour of rest." if rest == 1 else pause
    counted = ", the rest counted in" if rest else ""
    question = (
        f"{traveller} {verb} for {way}.{pause} What is the average speed of the whole "
        f"trip{counted}, in km/h? {EXACT}"
    )
    return Draft(question, show(Fraction(distance, sum(hours) + rest)), facts)


def sharing(rng: Rng, level: int) -> Draft:
    """Return a part of something that is shared in a ratio."""
    people = pick_some(rng, NAMES, (2, 3, 2, 3, 4)[level - 1])
    while True:
        ratio = [between(rng, 1, 4 + 2 * level) for _ in people]
        if len({*ratio}) == len(ratio) and gcd(*ratio) == 1:
            break
    unit = between(rng, 3, 20 * level)
    things = pick(rng, ("coins", "stamps", "marbles", "cards", "dollars"))
    said = ":".join(map(str, ratio))
    start = f"{listing(people)} share some {things} in the ratio {said}, in this order."
    facts = {"ratio": ratio}
    if level <= 2:
        who = between(rng, 0, len(people) - 1)
        total = unit * sum(ratio)
        start = f"{listing(people)} share {total} {things} in the ratio {said}, in this order."
        question = f"{start} How many {things} does {people[who]} get?"
        return Draft(question, str(unit * ratio[who]), {**facts, "total": total, "_who": who})
    high, low = ratio.index(max(ratio)), ratio.index(min(ratio))
    more = unit * (ratio[high] - ratio[low])
    start += f" {people[high]} gets {more} more than {people[low]}."
    if level < 5:
        question = f"{start} How many {things} are shared in all?"
        return Draft(question, str(unit * sum(ratio)), {**facts, "more": more})
    others = [at for at in range(4) if at not in (high, low)]
    question = (
        f"{start} How many {things} do {people[others[0]]} and {people[others[1]]} get together?"
    )
    return Draft(question, str(unit * sum(ratio[at] for at in others)), {**facts, "more": more})


_CHANGES = (-50, -40, -25, -20, -10, 10, 20, 25, 40, 50, 60)
_PRICED = ("a bicycle", "a painting", "a sofa", "a share", "a guitar", "a camera", "a boat ticket")


def percentages(rng: Rng, level: int) -> Draft:
    """Return a price after changes by per cent, or the price before them."""
    if level == 1:
        percent = pick(rng, (5, 10, 15, 20, 25, 30, 40, 60, 75, 80, 90))
        whole = 100 // gcd(100, percent) * between(rng, 3, 60)
        what, part = pick(
            rng,
            (
                ("seats in a hall", "are taken"),
                ("trees in a park", "are oaks"),
                ("letters in a bag", "are for abroad"),
                ("members of a club", "are under 18"),
            ),
        )
        question = f"Of the {whole} {what}, {percent}% {part}. How many is that?"
        return Draft(question, str(whole * percent // 100), {"whole": whole, "percent": percent})
    changes = [pick(rng, _CHANGES) for _ in range((1, 2, 3, 3)[level - 2])]
    steps = [Fraction(100 + change, 100) for change in changes]
    reached = [prod(steps[: at + 1], start=Fraction(1)) for at in range(len(steps))]
    start = lcm(*[step.denominator for step in reached]) * between(rng, 2, 12)
    if start < 100:
        start *= between(rng, 3, 9)
    end = int(start * reached[-1])
    said = [f"{'rises' if change > 0 else 'falls'} by {abs(change)}%" for change in changes]
    thing = pick(rng, _PRICED)
    chain = ", then ".join(said)
    facts = {"changes": changes}
    if level < 5:
        question = (
            f"The price of {thing} is ${start}. It {chain}. What is the new price in dollars?"
        )
        return Draft(question, str(end), {**facts, "start": start})
    question = f"The price of {thing} {chain}. Now it is ${end}. What was it at first, in dollars?"
    return Draft(question, str(start), {**facts, "end": end})


def working_together(rng: Rng, level: int) -> Draft:
    """Return how long pipes or people take together."""
    if level == 1:
        rates = [between(rng, 3, 30) for _ in range(2)]
        minutes = between(rng, 4, 40)
        volume = sum(rates) * minutes
        question = (
            f"Two pipes fill an empty tank of {volume} litres. One brings {rates[0]} litres a "
            f"minute, the other {rates[1]}. How many minutes does it take with both open?"
        )
        return Draft(question, str(minutes), {"rates": rates, "volume": volume})
    if level in (2, 3):
        people = pick_some(rng, NAMES, level)
        hours = [between(rng, 2, 9 + 3 * level) for _ in people]
        job = pick(rng, ("paint a fence", "weed a field", "copy a book", "tile a floor"))
        rows = zip(people, hours, strict=True)
        first, *others = [f"{name} in {count} hours" for name, count in rows]
        said = listing([first.replace(" in ", f" can {job} in ", 1), *others])
        question = (
            f"Working alone, {said}. How many hours do they need for it together, each at their "
            f"own steady pace? {EXACT}"
        )
        together = 1 / sum((Fraction(1, count) for count in hours), Fraction(0))
        return Draft(question, show(together), {"hours": hours})
    fast, slow = between(rng, 3, 12), between(rng, 4, 15)
    if level == 4:
        drain = max(fast, slow) + between(rng, 1, 20)
        question = (
            f"One pipe fills an empty pool in {fast} hours, another in {slow} hours, and a drain "
            f"empties a full pool in {drain} hours. Both pipes and the drain are open. "
            f"After how many hours is the empty pool full? {EXACT}"
        )
        answer = 1 / (Fraction(1, fast) + Fraction(1, slow) - Fraction(1, drain))
        return Draft(question, show(answer), {"fill": [fast, slow], "drain": drain})
    alone = between(rng, 1, fast - 1)
    one, other = pick_some(rng, NAMES, 2)
    question = (
        f"{one} can load a ship in {fast} hours and {other} in {slow} hours. {one} works alone for "
        f"{count_of(alone, 'hour')}, then {other} joins in and both work on until the ship is "
        f"loaded. How many hours does the loading take from its start? {EXACT}"
    )
    rest = (1 - Fraction(alone, fast)) / (Fraction(1, fast) + Fraction(1, slow))
    return Draft(question, show(alone + rest), {"hours": [fast, slow], "alone": alone})


def packing(rng: Rng, level: int) -> Draft:
    """Return what fills boxes, crates and pallets, or what is left over."""
    thing = pick(rng, ("eggs", "bulbs", "jars", "soaps", "candles", "bottles"))
    tiers = (1, 1, 2, 3, 3)[level - 1]
    sizes = [between(rng, 4, 12 + 2 * level) for _ in range(tiers)]
    per = prod(sizes)
    count = per * between(rng, 2, 30 if tiers == 1 else 9) + between(rng, 1, per - 1)
    facts = {"count": count, "sizes": sizes}
    start = f"A factory packs {count} {thing} into boxes of {sizes[0]}"
    if level == 1:
        return Draft(f"{start}. How many boxes get full?", str(count // sizes[0]), facts)
    if level == 2:
        question = f"{start}, as many full boxes as can be. How many {thing} are left over?"
        return Draft(question, str(count % sizes[0]), facts)
    boxes = count // sizes[0]
    start += f", and full boxes into crates of {sizes[1]} boxes"
    if level == 3:
        question = (
            f"{start}, as many full crates as can be. How many full boxes are in no full crate?"
        )
        return Draft(question, str(boxes % sizes[1]), facts)
    start += f", and full crates onto pallets of {sizes[2]} crates, as many full ones as can be"
    if level == 4:
        question = f"{start}. How many full crates are on no full pallet?"
        return Draft(question, str(boxes // sizes[1] % sizes[2]), facts)
    question = (
        f"{start}. How many more {thing} are needed so that one more pallet gets full and nothing "
        "is left over?"
    )
    return Draft(question, str(-count % per), facts)


def mixtures(rng: Rng, level: int) -> Draft:
    """Return the price or the strength of a mixture, or what to add."""
    amounts = [between(rng, 2, 6 + 4 * level) for _ in range(3 if level in (3, 5) else 2)]
    if level == 1:
        prices = pick_some(rng, range(3, 25), 2)
        question = (
            f"A shop mixes {amounts[0]} kg of nuts at ${prices[0]} a kg with {amounts[1]} kg of "
            f"nuts at ${prices[1]} a kg. What is one kg of the mixture worth, in dollars? {EXACT}"
        )
        value = Fraction(sum(a * p for a, p in zip(amounts, prices, strict=True)), sum(amounts))
        return Draft(question, show(value), {"amounts": amounts, "prices": prices})
    stuff = pick(rng, ("salt solution", "syrup", "brine", "sugar solution"))
    if level in (2, 3, 5):
        percents = pick_some(rng, range(5, 85 if level < 5 else 60), len(amounts))
        rows = zip(amounts, percents, strict=True)
        poured = listing([f"{amount} litres of {percent}%" for amount, percent in rows])
        facts = {"amounts": amounts, "percents": percents}
        content = sum(a * p for a, p in zip(amounts, percents, strict=True))
        if level < 5:
            question = f"{poured} {stuff} are mixed. What percentage is the mixture? {EXACT}"
            return Draft(question, show(Fraction(content, sum(amounts))), facts)
        water = between(rng, 1, sum(amounts) - 1)
        if content >= 90 * (sum(amounts) - water):  # would be nearly or over 100%
            water = 1
        question = (
            f"{poured} {stuff} are mixed, then {count_of(water, 'litre')} of pure water "
            f"{'is' if water == 1 else 'are'} boiled off. What percentage is the rest? {EXACT}"
        )
        answer = Fraction(content, sum(amounts) - water)
        return Draft(question, show(answer), {**facts, "water": water})
    weak, wanted, strong = sorted(pick_some(rng, range(5, 90), 3))
    question = (
        f"How many litres of {strong}% {stuff} must be added to {amounts[0]} litres of {weak}% "
        f"{stuff} to get a mixture of {wanted}%? {EXACT}"
    )
    answer = Fraction(amounts[0] * (wanted - weak), strong - wanted)
    facts = {"amount": amounts[0], "weak": weak, "wanted": wanted, "strong": strong}
    return Draft(question, show(answer), facts)


TEMPLATES: tuple[Template, ...] = (
    shopping,
    trip,
    sharing,
    percentages,
    working_together,
    packing,
    mixtures,
)
