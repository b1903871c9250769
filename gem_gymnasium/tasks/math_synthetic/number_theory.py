"""Number theory: common multiples, divisors, powers, bases, remainders, factorials, primes."""

from __future__ import annotations

from functools import cache
from math import gcd, isqrt, lcm, prod

from gem_gymnasium.tasks.dice import Rng, between, pick, pick_some
from gem_gymnasium.tasks.math_synthetic.draft import NAMES, Draft, Template, listing


@cache
def primes_below(limit: int) -> tuple[int, ...]:
    """Return the primes below a limit."""
    return tuple(n for n in range(2, limit) if all(n % d for d in range(2, isqrt(n) + 1)))


def factors_of(number: int) -> dict[int, int]:
    """Return the prime factors of a number above 1 and how often each divides it."""
    found: dict[int, int] = {}
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found[divisor] = found.get(divisor, 0) + 1
            number //= divisor
        divisor += 1
    if number > 1:
        found[number] = found.get(number, 0) + 1
    return found


_LIGHTS = ("lighthouses flash", "bells ring", "sprinklers start", "machines beep")


def common_multiples(rng: Rng, level: int) -> Draft:
    """Return a greatest common divisor or a least common multiple, at times in words."""
    count = 2 if level <= 2 else 3
    shared = between(rng, 2, 6 * level)
    numbers = [shared * factor for factor in pick_some(rng, range(2, 8 + 5 * level), count)]
    said = listing([str(number) for number in numbers])
    if level <= 2:
        name, answer = pick(
            rng,
            (("greatest common divisor", gcd(*numbers)), ("least common multiple", lcm(*numbers))),
        )
        facts = {"numbers": numbers, "_name": name}
        return Draft(f"What is the {name} of {said}?", str(answer), facts)
    facts = {"numbers": numbers}
    if level == 3:
        question = (
            f"Three ropes, {said} cm long, are cut into pieces of the same length, as long as "
            "possible, with nothing left over. How many pieces are there in all?"
        )
        return Draft(question, str(sum(numbers) // gcd(*numbers)), facts)
    lights = pick(rng, _LIGHTS)
    verb = lights.split()[1]
    start = f"Three {lights} every {said} seconds. At noon all three {verb} at once."
    if level == 4:
        question = f"{start} After how many seconds do all three {verb} at once again?"
        return Draft(question, str(lcm(*numbers)), facts)
    span = lcm(*numbers) * between(rng, 2, 9) + between(rng, 1, lcm(*numbers) - 1)
    question = (
        f"{start} How many times do all three {verb} at once in the {span} seconds after noon, "
        "noon itself not counted?"
    )
    return Draft(question, str(span // lcm(*numbers)), {"numbers": numbers, "span": span})


def divisors(rng: Rng, level: int) -> Draft:
    """Return the number or the sum of the divisors of a number, or of some of them."""
    pool = (2, 2, 2, 3, 3, 5, 7, 11, 13)
    number = prod(pick_some(rng, pool, 3 + level // 2)) * pick(rng, (1, 2, 3, 5, 7, 11, 13, 17))
    if level >= 3:
        number *= between(rng, 2, 8 * level)
    factors = factors_of(number)
    kinds = {
        "positive divisors": prod(power + 1 for power in factors.values()),
        "even positive divisors": factors.get(2, 0)
        * prod(power + 1 for prime, power in factors.items() if prime > 2),
        "odd positive divisors": prod(p + 1 for prime, p in factors.items() if prime > 2),
    }
    total = prod((prime ** (power + 1) - 1) // (prime - 1) for prime, power in factors.items())
    odd_total = prod(
        (prime ** (power + 1) - 1) // (prime - 1) for prime, power in factors.items() if prime > 2
    )
    squares = prod(power // 2 + 1 for power in factors.values())
    asked = [(f"How many {kind} does {number} have?", kind, size) for kind, size in kinds.items()]
    asked += [
        (f"What is the sum of all positive divisors of {number}?", "sum", total),
        (f"What is the sum of the odd positive divisors of {number}?", "odd sum", odd_total),
        (f"How many positive divisors of {number} are perfect squares?", "squares", squares),
    ]
    choices = ((0,), (0, 3), (1, 2, 3), (3, 4, 5), (3, 4, 5))[level - 1]
    question, kind, answer = asked[pick(rng, choices)]
    return Draft(question, str(answer), {"number": number, "_kind": kind})


def powers(rng: Rng, level: int) -> Draft:
    """Return the remainder, or the last digits, of a large power or of a sum of powers."""
    base = between(rng, 3, 12 + 10 * level)
    exponent = between(rng, 8 * level, 60 * level * level)
    facts: dict[str, object] = {"bases": [base], "exponents": [exponent]}
    if level == 1:
        question = f"What is the last digit of ${base}^{{{exponent}}}$?"
        return Draft(question, str(pow(base, exponent, 10)), {**facts, "_modulus": 10})
    modulus = between(rng, 6, 15 * level)
    if level <= 3:
        question = f"What is the remainder when ${base}^{{{exponent}}}$ is divided by {modulus}?"
        return Draft(question, str(pow(base, exponent, modulus)), {**facts, "modulus": modulus})
    other, power = between(rng, 3, 60), between(rng, 10, 900)
    facts = {"bases": [base, other], "exponents": [exponent, power], "modulus": modulus}
    total = (pow(base, exponent, modulus) + pow(other, power, modulus)) % modulus
    terms = f"{base}^{{{exponent}}} + {other}^{{{power}}}"
    if level == 5:
        third, cube = between(rng, 3, 60), between(rng, 10, 900)
        facts = {**facts, "bases": [base, other, third], "exponents": [exponent, power, cube]}
        total = (total + pow(third, cube, modulus)) % modulus
        terms += f" + {third}^{{{cube}}}"
    question = f"What is the remainder when ${terms}$ is divided by {modulus}?"
    return Draft(question, str(total), facts)


def in_base(number: int, base: int) -> str:
    """Return a positive number in a base from 2 to 10."""
    digits = ""
    while number:
        number, digit = divmod(number, base)
        digits = f"{digit}{digits}"
    return digits


def bases(rng: Rng, level: int) -> Draft:
    """Return a number in another base."""
    base = between(rng, 2, 9) if level > 1 else pick(rng, (2, 3, 4, 5))
    number = between(rng, 20 * level, 300 * level * level)
    digits = in_base(number, base)
    if level in (1, 2):
        question = f"Write {number} (in base 10) in base {base}. Give only the digits."
        if level == 2 and between(rng, 0, 1):
            question = f"The number {digits} is written in base {base}. What is it in base 10?"
            return Draft(question, str(number), {"digits": digits, "base": base})
        return Draft(question, digits, {"number": number, "base": base})
    other = pick(rng, [one for one in range(2, 10) if one != base])
    if level == 3:
        question = (
            f"The number {digits} is written in base {base}. Write it in base {other}. "
            "Give only the digits."
        )
        return Draft(
            question, in_base(number, other), {"digits": digits, "base": base, "other": other}
        )
    more = between(rng, 20, 60 * level)
    second = in_base(more, base)
    sign, name, result = pick(
        rng, (("+", "sum", number + more), ("\\times", "product", number * more))
    )
    question = (
        f"The numbers {digits} and {second} are written in base {base}. What is their {name}, "
        f"written in base {other if level == 5 else base}? Give only the digits."
    )
    facts = {"digits": digits, "second": second, "base": base, "_sign": sign}
    if level == 5:
        facts["other"] = other
    return Draft(question, in_base(result, other if level == 5 else base), facts)


def remainders(rng: Rng, level: int) -> Draft:
    """Return the least number with given remainders."""
    count = (1, 2, 2, 3, 3)[level - 1]
    while True:
        moduli = [between(rng, 3, 7 + 3 * level) for _ in range(max(2, count))]
        if len({*moduli}) == len(moduli) and lcm(*moduli) == prod(moduli):
            break
    number = between(rng, max(moduli), prod(moduli) - 1)
    rests = [number % modulus for modulus in moduli]
    if level == 1:
        floor = between(rng, 50, 900)
        modulus, rest = moduli[0], rests[0]
        answer = floor + 1 + (rest - floor - 1) % modulus
        question = (
            f"What is the smallest integer above {floor} that leaves the remainder {rest} when "
            f"divided by {modulus}?"
        )
        return Draft(question, str(answer), {"floor": floor, "moduli": [modulus], "rests": [rest]})
    pairs = [f"{rest} when divided by {mod}" for rest, mod in zip(rests, moduli, strict=True)]
    facts = {"moduli": moduli, "rests": rests}
    if level in (2, 4):
        question = (
            f"What is the smallest positive integer that leaves the remainder {listing(pairs)}?"
        )
        return Draft(question, str(number), facts)
    leader = pick(rng, NAMES)
    rows = [
        f"in rows of {mod}, {rest or 'none'} {'is' if rest == 1 else 'are'} left over"
        for rest, mod in zip(rests, moduli, strict=True)
    ]
    low = prod(moduli) * between(rng, 1, 6)
    question = (
        f"{leader} has more than {low} and at most {low + prod(moduli)} tin soldiers. When they "
        f"are set up {', '.join(rows[:-1])}, and {rows[-1]}. How many tin soldiers are there?"
    )
    answer = low + number
    return Draft(question, str(answer), {**facts, "low": low, "high": low + prod(moduli)})


def factorials(rng: Rng, level: int) -> Draft:
    """Return how often something divides a factorial."""
    number = between(rng, 10 * level, 120 * level * level)

    def exponent(top: int, prime: int) -> int:
        return top // prime + exponent(top // prime, prime) if top else 0

    if level == 1:
        question = f"With how many zeros does ${number}!$ end?"
        return Draft(question, str(exponent(number, 5)), {"number": number, "_divisor": 10})
    if level == 2:
        prime = pick(rng, (2, 3, 5, 7, 11, 13))
        question = f"What is the largest $k$ such that ${prime}^k$ divides ${number}!$?"
        return Draft(question, str(exponent(number, prime)), {"number": number, "divisor": prime})
    divisor = pick(rng, (6, 12, 15, 18, 20, 24, 36, 45, 50, 72, 75, 98))
    facts = {"number": number, "divisor": divisor}

    def times(top: int) -> int:
        return min(exponent(top, prime) // power for prime, power in factors_of(divisor).items())

    if level <= 4:
        question = f"What is the largest integer $k$ such that ${divisor}^k$ divides ${number}!$?"
        if level == 3:
            return Draft(question, str(times(number)), facts)
        lower = between(rng, 5, number // 2)
        question = (
            f"What is the largest integer $k$ such that ${divisor}^k$ divides "
            f"$\\frac{{{number}!}}{{{lower}!}}$?"
        )
        gaps = [
            (exponent(number, prime) - exponent(lower, prime)) // power
            for prime, power in factors_of(divisor).items()
        ]
        return Draft(question, str(min(gaps)), {**facts, "lower": lower})
    zeros = between(rng, 5, 400)
    least = 5
    while exponent(least, 5) < zeros:
        least += 5
    question = (
        f"What is the smallest positive integer $n$ such that $n!$ ends in at least {zeros} zeros?"
    )
    if between(rng, 0, 1):
        prime = pick(rng, (3, 7, 11, 13))
        least = prime
        while exponent(least, prime) < zeros:
            least += prime
        question = (
            f"What is the smallest positive integer $n$ such that $n!$ is divisible by "
            f"${prime}^{{{zeros}}}$?"
        )
        return Draft(question, str(least), {"prime": prime, "zeros": zeros})
    return Draft(question, str(least), {"zeros": zeros})


def primes(rng: Rng, level: int) -> Draft:
    """Return a count or a sum of primes or of prime factors."""
    if level <= 2:
        low = between(rng, 2, 90 * level)
        high = low + between(rng, 15, 25 * level)
        found = [p for p in primes_below(400) if low < p < high]
        if level == 1:
            question = f"How many primes are greater than {low} and less than {high}?"
            return Draft(question, str(len(found)), {"low": low, "high": high, "_kind": "count"})
        question = f"What is the sum of the primes greater than {low} and less than {high}?"
        return Draft(question, str(sum(found)), {"low": low, "high": high, "_kind": "sum"})
    chosen = [pick(rng, primes_below(20 + 12 * level)) for _ in range(level)]
    number = prod(chosen)
    kind, question, answer = pick(
        rng,
        (
            ("largest", f"What is the largest prime factor of {number}?", max(chosen)),
            (
                "distinct",
                f"What is the sum of the different prime factors of {number}?",
                sum({*chosen}),
            ),
            (
                "coprime",
                f"How many integers from 1 to {number} have no prime factor in common with "
                f"{number}?",
                prod(p ** (e - 1) * (p - 1) for p, e in factors_of(number).items()),
            ),
        )[: 2 if level == 3 else 3],
    )
    if level == 5 and kind == "coprime" and number > 10**7:
        kind, question, answer = (
            "largest",
            f"What is the largest prime factor of {number}?",
            max(chosen),
        )
    return Draft(question, str(answer), {"number": number, "_kind": kind})


TEMPLATES: tuple[Template, ...] = (
    common_multiples,
    divisors,
    powers,
    bases,
    remainders,
    factorials,
    primes,
)
