"""Arithmetic, algebra and number theory solved again from the facts of a draft: by search, by
simulation, by trying out. None of it is the way the templates compute their answers."""

from fractions import Fraction
from itertools import count
from math import factorial, gcd, sqrt
from typing import Any

Facts = dict[str, Any]


def shopping(f: Facts) -> Any:
    cents = 0
    for many, price in zip(f["counts"], f["prices"], strict=True):
        for _ in range(many):
            cents += price * (100 - f["percent"])
    return Fraction(cents, 100) if "paid" not in f else f["paid"] - Fraction(cents, 100)


def trip(f: Facts) -> Any:
    road = [
        speed for speed, hours in zip(f["speeds"], f["hours"], strict=True) for _ in range(hours)
    ]
    if len(road) == f["hours"][0] or (len(f["hours"]) == 2 and f["_level"] == 2):
        return sum(road)
    road += [0] * f["rest"]
    return Fraction(sum(road), len(road))


def sharing(f: Facts) -> Any:
    ratio = f["ratio"]
    for unit in count(1):
        parts = [unit * part for part in ratio]
        if "total" in f and sum(parts) == f["total"]:
            return parts[f["_who"]]
        if "more" in f and max(parts) - min(parts) == f["more"]:
            return sum(parts) if len(parts) < 4 else sum(sorted(parts)[1:3])


def percentages(f: Facts) -> Any:
    if "whole" in f:
        return sum(1 for at in range(100 * f["whole"]) if at % 100 < f["percent"]) / 100
    for start in [f["start"]] if "start" in f else count(1):
        price = Fraction(start)
        for change in f["changes"]:
            price += price * change / 100
        if "start" in f:
            return price
        if price == f["end"]:
            return start


def working_together(f: Facts) -> Any:
    if "volume" in f:
        return next(m for m in count(1) if sum(r * m for r in f["rates"]) == f["volume"])
    if "fill" in f:
        hour = sum(1 / Fraction(h) for h in f["fill"]) - 1 / Fraction(f["drain"])
        return 1 / hour
    done, time, pace = Fraction(0), Fraction(f.get("alone", 0)), Fraction(0)
    done = time / f["hours"][0]
    for hours in f["hours"]:
        pace += Fraction(1, hours)
    low, high = time, Fraction(200)  # bisection, then the nearest simple fraction
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if done + (middle - time) * pace < 1 else (low, middle)
    return low.limit_denominator(10**6)


def packing(f: Facts) -> Any:
    loose, boxes, crates, pallets = f["count"], 0, 0, 0
    sizes = [*f["sizes"], 10**9, 10**9][:3]
    while loose >= sizes[0]:
        loose, boxes = loose - sizes[0], boxes + 1
    full = boxes
    while boxes >= sizes[1]:
        boxes, crates = boxes - sizes[1], crates + 1
    while crates >= sizes[2]:
        crates, pallets = crates - sizes[2], pallets + 1
    missing = (
        sizes[0] * sizes[1] * sizes[2] - loose - sizes[0] * boxes - sizes[0] * sizes[1] * crates
    )
    return {1: full, 2: loose, 3: boxes, 4: crates, 5: missing}[f["_level"]]


def mixtures(f: Facts) -> Any:
    if "strong" in f:  # the mixture's excess of the one makes up for what the other lacks
        added = Fraction(f["amount"] * (f["wanted"] - f["weak"]), f["strong"] - f["wanted"])
        salt = f["amount"] * f["weak"] + added * f["strong"]
        assert salt / (f["amount"] + added) == f["wanted"]
        return added
    values = f.get("prices") or f["percents"]
    litres = [
        value for amount, value in zip(f["amounts"], values, strict=True) for _ in range(amount)
    ]
    share = Fraction(sum(litres), len(litres) - f.get("water", 0))
    assert share < 100
    return share


def linear_equation(f: Facts) -> Any:
    def gap(x: Fraction) -> Fraction:
        if "left" in f:
            return f["left"][0] * x + f["left"][1] - f["right"][0] * x - f["right"][1]
        (a, c), (b, d), e = f["outer"], f["inner"], f["end"]
        return a * (x + b) - c * (x + d) - e if f["_level"] == 4 else (x + b) / a - (x + d) / c - e

    at0, at1 = gap(Fraction(0)), gap(Fraction(1))  # a straight line through two points
    return -at0 / (at1 - at0)


def two_unknowns(f: Facts) -> Any:
    if "prices" in f:
        high, low = f["prices"]
        [dear] = [
            n for n in range(f["count"] + 1) if n * high + (f["count"] - n) * low == f["total"]
        ]
        return (dear, f["count"] - dear)[f["_at"]]
    span = range(-25, 26)
    [(x, y)] = [
        (x, y)
        for x in span
        for y in span
        if all(a * x + b * y == end for (a, b), end in zip(f["rows"], f["ends"], strict=True))
    ]
    return eval(f["_form"].replace("xy", "x*y").replace("^", "**"), {"x": x, "y": y})


def quadratic_roots(f: Facts) -> Any:
    a, b, c = f["row"]
    root = sqrt(b * b - 4 * a * c)
    r, s = (-b + root) / (2 * a), (-b - root) / (2 * a)
    if "_which" in f:
        return max(r, s) if f["_which"] == "larger" else min(r, s)
    form = f["_form"].replace("^", "**").replace(")(", ")*(").replace("rs", "r*s")
    return eval(form, {"r": r, "s": s})


def sequence(f: Facts) -> Any:
    if "starts" in f:
        a, b = f["starts"]
        for _ in range(f["many"] - 1):
            a, b = b, f["weights"][0] * b + f["weights"][1] * a
        return a
    shown = f["shown"]
    terms = [shown[0]]
    while len(terms) < f["many"] if "many" in f else terms[-1] != f["last"]:
        if f["_level"] == 4:
            terms.append(terms[-1] * shown[1] // shown[0])
        else:
            terms.append(terms[-1] + shown[1] - shown[0])
    return terms[-1] if f["_level"] == 1 else sum(terms)


def ages(f: Facts) -> Any:
    level = f["_level"]
    found = []
    for young in range(1, 400):
        for old in range(young, 1000) if level in (1, 2, 5) else [young + f.get("gap", 0)]:
            if level == 4:
                old = f["total"] - young
            fits = {
                1: lambda y, o: o == f["times"] * y and o + y == f["total"],
                2: lambda y, o: o == f["times"] * y and o - y == f["gap"],
                3: lambda y, o: o + f["later"] == f["times"] * (y + f["later"]),
                4: lambda y, o: o + f["later"] == f["times"] * (y + f["later"]),
                5: lambda y, o: (
                    o - f["ago"] == f["back"] * (y - f["ago"])
                    and o + f["later"] == f["times"] * (y + f["later"])
                ),
            }[level]
            if fits(young, old):
                found.append((young, old))
    [(young, old)] = found
    assert young < old < 130
    return (
        {1: f.get("_old"), 2: f.get("_old"), 3: False, 4: True, 5: True}[level] and old
    ) or young


def functions(f: Facts) -> Any:
    def call(name: str, x: Any) -> Any:
        return sum(factor * x**power for power, factor in enumerate(reversed(f[name])))

    level, at = f["_level"], f["at"]
    if level == 5:
        wanted = call("g", at)
        at0, at1 = call("f", 0), call("f", 1)
        return Fraction(wanted - at0, at1 - at0)
    for name in reversed(f.get("_order", "f" * f.get("_many", 1))):
        at = call(name, at)
    return at


def remainder(f: Facts) -> Any:
    def divided(row: list[int]) -> int:
        row = [*row]  # long division, term by term
        for at in range(len(row) - 1):
            row[at + 1] += row[at] * f["at"]
        return row[-1]

    if "value" not in f:
        return divided(f["row"])
    a, b, d = f["row"]
    [k] = [k for k in range(-60, 60) if divided([a, b, k, d]) == f["value"]]
    return k


def common_multiples(f: Facts) -> Any:
    numbers = f["numbers"]
    shared = max(d for d in range(1, min(numbers) + 1) if all(n % d == 0 for n in numbers))
    if f["_level"] == 3:
        return sum(n // shared for n in numbers)
    if "divisor" in f.get("_name", ""):
        return shared
    step = max(numbers)
    least = next(m for m in count(step, step) if all(m % n == 0 for n in numbers))
    return len(range(least, f["span"] + 1, least)) if "span" in f else least


def divisors(f: Facts) -> Any:
    number = f["number"]
    found = {
        d
        for low in range(1, int(sqrt(number)) + 1)
        if number % low == 0
        for d in (low, number // low)
    }
    return {
        "positive divisors": len(found),
        "even positive divisors": len([d for d in found if d % 2 == 0]),
        "odd positive divisors": len([d for d in found if d % 2]),
        "sum": sum(found),
        "odd sum": sum(d for d in found if d % 2),
        "squares": len([d for d in found if round(sqrt(d)) ** 2 == d]),
    }[f["_kind"]]


def powers(f: Facts) -> Any:
    total = sum(base**exponent for base, exponent in zip(f["bases"], f["exponents"], strict=True))
    return total % f.get("modulus", 10)


def bases(f: Facts) -> Any:
    def digits(number: int, base: int) -> str:
        return digits(number // base, base) + str(number % base) if number else ""

    if "number" in f:
        return int(digits(f["number"], f["base"]))
    number = int(f["digits"], f["base"])
    if f["_level"] == 2:
        return number
    if "second" in f:
        second = int(f["second"], f["base"])
        number = number + second if f["_sign"] == "+" else number * second
    return int(digits(number, f.get("other", f["base"])))


def remainders(f: Facts) -> Any:
    start = f.get("floor", f.get("low", 0)) + 1
    pairs = [*zip(f["moduli"], f["rests"], strict=True)]
    found = next(n for n in count(start) if all(n % mod == rest for mod, rest in pairs))
    assert found <= f.get("high", found)
    return found


def factorials(f: Facts) -> Any:
    if "zeros" in f:
        prime, product = f.get("prime", 10), 1
        for n in count(1):
            product *= n
            if product % prime ** f["zeros"] == 0:
                return n
    product = factorial(f["number"]) // factorial(f.get("lower", 0))
    divisor, times = f.get("divisor", f.get("_divisor")), 0
    while product % divisor == 0:
        product, times = product // divisor, times + 1
    return times


def primes(f: Facts) -> Any:
    if "low" in f:
        sieve = set(range(2, f["high"]))
        for n in range(2, f["high"]):
            sieve -= set(range(2 * n, f["high"], n))
        found = [n for n in sieve if n > f["low"]]
        return len(found) if f["_kind"] == "count" else sum(found)
    number = f["number"]
    factors = [p for p in range(2, 100) if number % p == 0 and all(p % d for d in range(2, p))]
    if f["_kind"] == "coprime":
        period = 1
        for p in factors:
            period *= p  # being coprime repeats with the product of the primes
        step = number // period if period <= 300_000 else None
        if step is None:
            assert period == number
            return _coprime_by_exclusion(number, factors)
        return step * sum(gcd(n, period) == 1 for n in range(1, period + 1))
    rest = number
    for p in factors:
        while rest % p == 0:
            rest //= p
    assert rest == 1
    return max(factors) if f["_kind"] == "largest" else sum(factors)


def _coprime_by_exclusion(number: int, factors: list[int]) -> int:
    sign = {1: 1}
    for p in factors:
        sign |= {p * d: -s for d, s in sign.items()}
    return sum(s * (number // d) for d, s in sign.items())
