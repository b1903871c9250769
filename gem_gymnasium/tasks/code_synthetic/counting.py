"""Programming problems on whole numbers, and on counting by dynamic programming."""

from __future__ import annotations

from gem_gymnasium.tasks.code_synthetic.posed import (
    Family,
    Posed,
    either,
    length_of,
    numbers,
    of,
    row,
)
from gem_gymnasium.tasks.dice import Rng, between, pick, pick_some

_NUMBER = "One integer n, 1 <= n <= 10^{}."


def _up_to_12_digits(rng: Rng, size: int) -> str:
    return str(between(rng, 1, (50, 5_000, 10**7, 10**12)[size]))


def solve_digits(text: str, base: int, kind: str) -> str:
    """Work on the digits of a number in a base."""
    number = int(text)
    digits: list[int] = []
    while number:
        digits.append(number % base)
        number //= base
    if kind == "sum":
        return str(sum(digits))
    if kind == "alternating":
        return str(sum(digits[::2]) - sum(digits[1::2]))
    return str(len({*digits}))


def digits(rng: Rng) -> Posed:
    """Work on digits in a base."""
    base = pick(rng, (4, 5, 6, 7, 8, 9, 11, 12, 16))
    kind, words = of(
        rng,
        ("sum", "the sum of its digits"),
        ("alternating", "its last digit minus the one before plus the one before that, and so on"),
        ("different", "how many different digits it has"),
    )
    task = f"Write a number in base {base} and find {words}. Give the result in base 10."
    if kind == "alternating":
        task = task.replace("find its last", "compute its last")
    takes = _NUMBER.format(12)
    settings = {"base": base, "kind": kind}
    return Posed(task, takes, "The result.", solve_digits, settings, _up_to_12_digits)


def solve_steps(text: str, times: int, plus: int, limit: int) -> str:
    """Count the steps of a rule until 1."""
    number = int(text)
    for step in range(limit + 1):
        if number == 1:
            return str(step)
        number = number // 2 if number % 2 == 0 else times * number + plus
    return "never"


def rule_steps(rng: Rng) -> Posed:
    """Follow a rule like Collatz's."""
    times, plus, limit = (
        pick(rng, (1, 3, 3, 5)),
        pick(rng, (1, 3, 5, 7)),
        pick(rng, (20, 50, 100, 200)),
    )
    odd = f"{times} times the number plus {plus}" if times > 1 else f"the number plus {plus}"
    task = (
        "From a number one goes on to another, step by step: from an even number to its half, from "
        f"an odd number to {odd}. Count the steps until 1 is reached for the first time; from 1 "
        "itself they are 0."
    )
    prints = f'The number of steps, or "never" if 1 is not reached within {limit} steps.'

    def make(rng: Rng, size: int) -> str:
        return str(between(rng, 1, (8, 20, 300, 10_000)[size]))

    settings = {"times": times, "plus": plus, "limit": limit}
    return Posed(task, _NUMBER.format(4), prints, solve_steps, settings, make)


def solve_primes(text: str, last: int, kind: str) -> str:
    """Work on the primes of a range that end in a digit."""
    low, high = map(int, text.split())
    sieve = [True] * (high + 1)
    for number in range(2, int(high**0.5) + 1):
        if sieve[number]:
            for multiple in range(number * number, high + 1, number):
                sieve[multiple] = False
    found = [n for n in range(max(low, 2), high + 1) if sieve[n] and (last < 0 or n % 10 == last)]
    if kind == "count":
        return str(len(found))
    return str(sum(found) if kind == "sum" else max(found, default=-1))


def prime_ranges(rng: Rng) -> Posed:
    """Work on primes of a range."""
    last = pick(rng, (-1, 1, 3, 7, 9))
    which = f"that end in the digit {last} (in base 10)" if last >= 0 else ""
    kind, prints = of(
        rng,
        ("count", "How many there are."),
        ("sum", "Their sum, 0 if there is none."),
        ("largest", "The largest, or -1 if there is none."),
    )
    task = f"Find the primes from a to b, both included, {which}".rstrip(" ,") + "."

    def make(rng: Rng, size: int) -> str:
        low = between(rng, 1, (20, 60, 500, 4_000)[size])
        return f"{low} {low + between(rng, 0, (30, 60, 400, 3_000)[size])}"

    takes = "Two integers a and b, 1 <= a <= b <= 10000."
    return Posed(task, takes, prints, solve_primes, {"last": last, "kind": kind}, make)


def solve_rebased(text: str, source: int, target: int) -> str:
    """Write numbers of one base in another."""
    signs = "0123456789abcdef"
    out: list[str] = []
    for word in text.split()[1:]:
        number, digits = int(word, source), ""
        while number:
            digits = signs[number % target] + digits
            number //= target
        out.append(digits or "0")
    return "\n".join(out)


def rebased(rng: Rng) -> Posed:
    """Write numbers in another base."""
    source, target = pick_some(rng, (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16), 2)
    task = (
        f"Read numbers that are written in base {source} and write them in base {target}. The "
        "digits above 9 are a, b, c, d, e, f."
    )

    def make(rng: Rng, size: int) -> str:
        words: list[str] = []
        for number in numbers(rng, length_of(rng, min(size, 2)), 0, (20, 99, 9_999, 10**9)[size]):
            word = ""
            while number:
                word = "0123456789abcdef"[number % source] + word
                number //= source
            words.append(word or "0")
        return "\n".join([str(len(words)), *words])

    takes = "The number n (at least 1) in base 10, then n lines with one number each, none below 0."
    settings = {"source": source, "target": target}
    prints = "The numbers, one a line, without zeros in front."
    return Posed(task, takes, prints, solve_rebased, settings, make)


def solve_coins(text: str, coins: list[int], fewest: bool) -> str:
    """Count the ways to pay an amount, or the fewest coins."""
    amount = int(text)
    if fewest:
        best = [0] + [amount + 1] * amount
        for total in range(1, amount + 1):
            best[total] = min(
                [best[total - coin] + 1 for coin in coins if coin <= total] + [amount + 1]
            )
        return str(best[amount]) if best[amount] <= amount else "-1"
    ways = [1] + [0] * amount
    for coin in coins:
        for total in range(coin, amount + 1):
            ways[total] += ways[total - coin]
    return str(ways[amount])


def coin_change(rng: Rng) -> Posed:
    """Pay an amount with coins."""
    coins = sorted(pick_some(rng, range(2, 26), between(rng, 3, 4)))
    fewest, words = either(
        rng,
        "Find the least number of coins that make up an amount.",
        "Count the ways to make up an amount; the order of the coins does not matter.",
    )
    task = f"There are coins of {', '.join(map(str, coins))}, as many of each as one likes. {words}"
    prints = (
        "The least number of coins, or -1 if it cannot be done."
        if fewest
        else "The number of ways."
    )

    def make(rng: Rng, size: int) -> str:
        return str(between(rng, 1, (20, 60, 200, 600)[size]))

    takes = "The amount, an integer from 1 to 1000."
    settings = {"coins": coins, "fewest": fewest}
    return Posed(task, takes, prints, solve_coins, settings, make)


def solve_packed(text: str, again: bool) -> str:
    """Return the greatest value that a bag can hold."""
    count, capacity, *rest = map(int, text.split())
    best = [0] * (capacity + 1)
    for at in range(count):
        weight, value = rest[2 * at], rest[2 * at + 1]
        loads = range(weight, capacity + 1) if again else range(capacity, weight - 1, -1)
        for load in loads:
            best[load] = max(best[load], best[load - weight] + value)
    return str(best[capacity])


def packed(rng: Rng) -> Posed:
    """Fill a bag."""
    again, words = either(
        rng, "Each thing may be taken any number of times", "Each thing may be taken once at most"
    )
    weight, bag = pick(
        rng, (("weight", "bag"), ("volume", "crate"), ("time", "day"), ("price", "budget"))
    )
    task = (
        f"Each of n things has a {weight} and a value. {words}; the {weight}s of all that is taken "
        f"must not exceed the limit of a {bag}. Make the sum of the values as great as possible."
    )

    def make(rng: Rng, size: int) -> str:
        count = length_of(rng, min(size, 2))
        weights = numbers(rng, count, 1, 5 + 4 * size)
        capacity = between(rng, 1, 10 + 30 * size)
        lines = [f"{one} {between(rng, 1, 30)}" for one in weights]
        return "\n".join([f"{count} {capacity}", *lines])

    takes = f"The numbers n and the limit; then n lines with two integers each: {weight} and value."
    return Posed(task, takes, "The greatest sum of values.", solve_packed, {"again": again}, make)


def solve_stairs(text: str, steps: list[int], modulus: int) -> str:
    """Count the ways up some stairs."""
    top = int(text)
    ways = [1] + [0] * top
    for stair in range(1, top + 1):
        ways[stair] = sum(ways[stair - step] for step in steps if step <= stair) % modulus
    return str(ways[top])


def stairs(rng: Rng) -> Posed:
    """Count ways up some stairs."""
    steps = sorted(pick_some(rng, range(1, 8), between(rng, 2, 4)))
    modulus = pick(rng, (97, 1_009, 10_007, 1_000_007))
    said = f"{', '.join(map(str, steps[:-1]))} or {steps[-1]}"
    task = (
        f"Somebody goes up a staircase of n stairs and takes {said} stairs at a time. In how many "
        "ways can they reach the top exactly? Ways that take the same steps in another order are "
        "different."
    )

    def make(rng: Rng, size: int) -> str:
        return str(between(rng, 1, (9, 20, 100, 900)[size]))

    takes = "The number n, 1 <= n <= 1000."
    prints = f"The remainder of the number of ways when divided by {modulus}."
    return Posed(task, takes, prints, solve_stairs, {"steps": steps, "modulus": modulus}, make)


def solve_divisors(text: str, kind: str, number: int) -> str:
    """Answer questions about the divisors of some numbers."""
    out: list[int] = []
    for value in map(int, text.split()[1:]):
        found = [d for d in range(1, value + 1) if value % d == 0]
        if kind == "multiples":
            out.append(sum(d % number == 0 for d in found))
        elif kind == "below":
            out.append(max(d for d in found if d <= number))
        else:
            out.append(sum(d for d in found if d % number != 0))
    return " ".join(map(str, out))


def divisor_lists(rng: Rng) -> Posed:
    """Work on divisors."""
    number = between(rng, 2, 7)
    kind, words = of(
        rng,
        ("multiples", f"how many of its positive divisors are divisible by {number}"),
        ("below", f"its largest divisor that is at most {number}"),
        ("others", f"the sum of its positive divisors that are not divisible by {number}"),
    )
    task = f"For each number of a list, find {words}."

    def make(rng: Rng, size: int) -> str:
        count = length_of(rng, min(size, 2))
        return f"{count}\n{row(numbers(rng, count, 1, (20, 60, 300, 1_000)[size]))}"

    takes = "The number n (at least 1), then a line of n integers from 1 to 1000."
    settings = {"kind": kind, "number": number}
    prints = "The results in one line, parted by single spaces."
    return Posed(task, takes, prints, solve_divisors, settings, make)


FAMILIES: tuple[Family, ...] = (
    digits,
    rule_steps,
    prime_ranges,
    rebased,
    coin_change,
    packed,
    stairs,
    divisor_lists,
)
