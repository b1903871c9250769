"""Combinatorics, geometry and probability solved again from the facts of a draft: by counting
cases one by one, by measuring, by simulation of whole distributions."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product
from math import acos, atan2, cos, degrees, hypot, pi, prod, sin, sqrt
from typing import Any

Facts = dict[str, Any]


def arrangements(f: Facts) -> Any:
    rule = f["_rule"]
    rows: set[str] = {""}
    for _ in f["_tiles"]:  # grow rows tile by tile: fewer than all permutations
        left = Counter(f["_tiles"])
        rows = {row + tile for row in rows for tile in left if row.count(tile) < left[tile]}
    good = 0
    for row in rows:
        vowels = [at for at, letter in enumerate(row) if letter in "AEIOU"]
        together = len(vowels) == 2 and vowels[1] - vowels[0] == 1
        good += {
            "none": True,
            "together": together,
            "apart": not together,
            "first": row[0] == rule[-1],
            "ends": row[0] == row[-1] == rule[-1],
        }[rule.split()[0]]
    return good


def committees(f: Facts) -> Any:
    sizes = f["sizes"]
    first = sizes[0]
    good = 0
    for group in combinations(range(sum(sizes)), f["chosen"]):
        of_first = sum(person < first for person in group)
        fits = {
            1: True,
            2: of_first == f.get("exactly"),
            3: of_first >= f.get("least", 0),
            4: of_first >= f.get("least", 0),
            5: of_first > len(group) - of_first and not {0, 1} <= {*group},
        }
        good += fits[f["_level"]]
    return good


def lattice_paths(f: Facts) -> Any:
    spots = {(x, y) for x, y in f.get("spots", [])}

    @cache
    def ways(x: int, y: int, met: bool) -> int:
        met = met or (x, y) in spots
        if (x, y) == (f["east"], f["north"]):
            wanted = f.get("_rule", "any")
            return {"any": 1, "through": met, "either": met}.get(wanted, not met)
        right = ways(x + 1, y, met) if x < f["east"] else 0
        return right + (ways(x, y + 1, met) if y < f["north"] else 0)

    return ways(0, 0, False)


def numbers(f: Facts) -> Any:
    good = 0
    for number in range(10 ** (f["length"] - 1), 10 ** f["length"]):
        text = str(number)
        if {*map(int, text)} <= {*f["digits"]} and (f["_repeat"] or len({*text}) == len(text)):
            good += {"all": 1, "even": number % 2 == 0, "odd": number % 2, "five": number % 5 == 0}[
                f["_rule"]
            ]
    return good


def equal_things(f: Facts) -> Any:
    @cache
    def ways(people: int, left: int) -> int:
        if people == 0:
            return left == 0
        return sum(ways(people - 1, left - n) for n in range(f["least"], min(f["most"], left) + 1))

    return ways(f["people"], f["count"])


def seats(f: Facts) -> Any:
    people, rule = f["people"], f["_rule"]
    if rule == "pairs":
        return sum(1 for _ in combinations(range(people), 2))
    if rule == "chairs":
        return sum(1 for _ in permutations(range(f["chairs"]), people))
    good = 0
    others = 1  # the orders of those who are not named
    for n in range(1, people - 2):
        others *= n
    for a, b, c in permutations(range(people), 3):
        beside = abs(a - b) == 1
        at_table = beside or abs(a - b) == people - 1
        good += {
            "table": a == 0,
            "row together": beside,
            "row apart": not beside,
            "table together": a == 0 and at_table,
            "table apart": a == 0 and not at_table,
            "left": a < b,
            "gap": abs(a - b) - 1 == f.get("gap"),
            "gap and end": abs(a - b) - 1 == f.get("gap") and c in (0, people - 1),
        }[rule]
    return good * others


def overlaps(f: Facts) -> Any:
    hits = [sum(n % d == 0 for d in f["divisors"]) for n in range(1, f["limit"] + 1)]
    wanted = {"some": lambda n: n > 0, "none": lambda n: n == 0, "one": lambda n: n == 1}[
        f["_rule"]
    ]
    return sum(map(wanted, hits))


def rectangles(f: Facts) -> Any:
    if f["_level"] == 1:
        cells = [*product(range(f["sides"][0]), range(f["sides"][1]))]
        return len(cells) if f["_rule"] == "area" else 2 * sum(f["sides"])
    if f["_level"] == 2:
        return 2 * (f["side"] + f["area"] / f["side"])
    if f["_level"] == 3:
        (wide, high), edge = f["sides"], f["border"]
        return 2 * edge * wide + 2 * edge * high + 4 * edge * edge
    if f["_level"] == 4:
        half = f["round"] // 2
        return max(n for n in range(1, half) if n * (half - n) == f["area"])
    [side] = [n for n in range(1, 400) if n * n + (n + f["more"]) ** 2 == f["square"]]
    return side * (side + f["more"])


def right_triangles(f: Facts) -> Any:
    if f["_level"] == 1:
        return Fraction(f["legs"][0] * f["legs"][1], 2)
    if f["_level"] == 2:
        return hypot(*f["legs"])
    if f["_level"] == 3:
        return sqrt(f["long"] - f["leg"]) * sqrt(f["long"] + f["leg"])
    if f["_level"] == 4:
        a, b = f["legs"]
        return a * b / hypot(a, b)
    half = f["side"] + f["base"] / 2  # Heron
    return sqrt(half * (half - f["side"]) ** 2 * (half - f["base"]))


def angles(f: Facts) -> Any:
    level = f["_level"]
    if level == 1:
        return 180 - sum(f["angles"])
    if level == 2:
        top = f["_top"]
        low = [low for low in range(1, 90) if 2 * low + top == 180]
        wanted = low[0] if "between" in f["_question"] else 180 - top
        return wanted
    if level == 3:
        parts = [180 * part / sum(f["ratio"]) for part in f["ratio"]]
        return max(parts) if f["_name"] == "largest" else min(parts)
    if level == 4:
        turned = 360 - sum(180 - angle for angle in f["known"])  # what is left of one full turn
        return 180 - Fraction(turned, f["sides"] - len(f["known"]))
    # draw the triangle: A at 0, B at 1; the incentre is weighed by the opposite sides
    a, b = (f["a"] * pi / 180, f["b"] * pi / 180)
    side_b = sin(b) / sin(a + b)
    corners = {"A": (0.0, 0.0), "B": (1.0, 0.0), "C": (side_b * cos(a), side_b * sin(a))}
    weights = {"A": sin(a), "B": sin(b), "C": sin(a + b)}
    total = sum(weights.values())
    centre = [sum(weights[k] * corners[k][axis] for k in "ABC") / total for axis in (0, 1)]
    p, q = ([c - m for c, m in zip(corners[k], centre, strict=True)] for k in f["_corners"])
    return degrees(acos((p[0] * q[0] + p[1] * q[1]) / (hypot(*p) * hypot(*q))))


def coordinates(f: Facts) -> Any:
    level = f["_level"]
    if level == 5:
        (x, y), (slope, start) = f["point"], f["_line"]
        near = (x + slope * (y - start)) / (1 + slope * slope)  # the foot of the perpendicular
        return hypot(x - near, y - slope * near - start)
    points = f["points"]
    if level <= 2:
        away = hypot(points[0][0] - points[1][0], points[0][1] - points[1][1])
        return round(away**2) if level == 1 else away
    if level == 4:
        assert sorted(points, key=lambda p: atan2(p[1], p[0]) % (2 * pi)) == points
    inside = sum(_triangle(points[0], p, q) for p, q in pairwise(points[1:]))
    return abs(inside)


def _triangle(p: list[int], q: list[int], r: list[int]) -> Fraction:
    return Fraction((q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]), 2)


def circles(f: Facts) -> Any:
    level, what = f["_level"], f.get("_what")
    if level == 1:
        radius = f.get("radius") or f["diameter"] / 2
        return pi * radius * radius if what == "area" else 2 * pi * radius
    if level == 2:
        return pi * (f["given"] / 2) ** 2 if what == "area" else 2 * pi * sqrt(f["given"])
    if level == 3:
        turn = f["angle"] / 360
        return turn * pi * f["radius"] ** 2 if what == "area" else turn * 2 * pi * f["radius"]
    if level == 4:
        return pi * f["wide"] * (2 * f["radius"] + f["wide"])
    return pi * hypot(f["chord"] / 2, f.get("distance", 0)) ** 2


def boxes(f: Facts) -> Any:
    if f["_level"] == 4:
        cells = [range(side // f["edge"]) for side in f["block"]]
        return sum(
            all(0 < x < r[-1] for x, r in zip(at, cells, strict=True)) for at in product(*cells)
        )
    if f["_level"] == 5:
        return round(sqrt(prod(f["faces"])))
    a, b, c = f["sides"]
    return {
        1: sum(a * b for _ in range(c)),
        2: 2 * a * b + 2 * c * (a + b),
        3: hypot(hypot(a, b), c),
    }[f["_level"]]


def likeness(f: Facts) -> Any:
    level = f["_level"]
    if level == 1:
        return f["far"] / f["map"][0] * f["map"][1]
    if level == 2:
        return f["shadow"] / (f["pole"][1] / f["pole"][0])
    if level == 3:
        return f["area"] * (f["sides"][1] / f["sides"][0]) ** 2
    if level == 4:
        return f["volume"] / (f["heights"][1] / f["heights"][0]) ** 3
    ratio = sum(f["parts"]) / f["parts"][0]
    return f["area"] * (ratio * ratio - 1)


def urns(f: Facts) -> Any:
    counts = f["counts"]
    balls = [colour for colour, many in enumerate(counts) for _ in range(many)]
    if "_drawn" not in f:
        if f["_level"] == 1:
            return Fraction(balls.count(0), len(balls))
        pairs = [*product(range(len(balls)), repeat=2)]
        pairs = [pair for pair in pairs if f["_back"] or pair[0] != pair[1]]
        return Fraction(sum(balls[i] == balls[j] == 0 for i, j in pairs), len(pairs))
    good = total = 0
    for drawn in combinations(balls, f["_drawn"]):
        total += 1
        good += {
            "same": len({*drawn}) == 1,
            "differ": len({*drawn}) > 1,
            "exactly": drawn.count(0) == int(f["_rule"].split()[-1] if " " in f["_rule"] else 0),
            "each": len({*drawn}) == len(counts),
            "some": 0 in drawn,
        }[f["_rule"].split()[0]]
    return Fraction(good, total)


def dice(f: Facts) -> Any:
    rule, sides = f["_rule"], f["sides"]
    if f["_level"] == 1:
        hits = [
            n % f["number"] == 0 if rule == "multiple" else n > f["number"]
            for n in range(1, sides[0] + 1)
        ]
        return Fraction(sum(hits), sides[0])
    target = f["target"]
    test = {
        "sum": lambda roll: sum(roll) == target,
        "at least": lambda roll: sum(roll) >= target,
        "largest": lambda roll: max(roll) == target,
        "difference": lambda roll: max(roll) - min(roll) <= target,
        "product": lambda roll: prod(roll) % target == 0,
        "sum divisible": lambda roll: sum(roll) % target == 0,
    }[rule]
    rolls = [*product(*[range(1, side + 1) for side in sides])]
    return Fraction(sum(map(test, rolls)), len(rolls))


def coins(f: Facts) -> Any:
    share = Fraction(*f["_share"])
    total = Fraction(0)
    for row in product("HT", repeat=f["tosses"]):
        heads = row.count("H")
        if "run" in f:
            good = "H" * f["run"] in "".join(row)
        else:
            tails = f["tosses"] - heads
            good = {
                "heads": heads == f["number"],
                "tails": tails == f["number"],
                "at least": heads >= f["number"],
                "at most": heads <= f["number"],
            }[f["_rule"]]
        if good:
            total += share**heads * (1 - share) ** (f["tosses"] - heads)
    return total


def games(f: Facts) -> Any:
    level = f["_level"]
    if level <= 2:
        won = [f["prize"] if n >= f["low"] else -f.get("loss", 0) for n in range(1, f["sides"] + 1)]
        return Fraction(sum(won), len(won))
    if level == 3:
        wheel = [p for slots, p in zip(f["slots"], f["prizes"], strict=True) for _ in range(slots)]
        return Fraction(sum(wheel), len(wheel))
    if level == 4:
        pay = {"largest": max, "smallest": min, "product": prod}[f["_rule"]]
        rolls = [*product(*[range(1, side + 1) for side in f["sides"]])]
        return Fraction(f["prize"] * sum(map(pay, rolls)), len(rolls))
    sides = range(1, f["side"] + 1)
    last = [first if first >= f["keep"] else second for first in sides for second in sides]
    return Fraction(f["pay"] * sum(last), len(last))


def two_steps(f: Facts) -> Any:
    rule = f["_rule"]
    if "boxes" in f:
        scale = prod(a + b for a, b in f["boxes"])
        cases = [(bag, scale // (a + b) * a) for bag, (a, b) in enumerate(f["boxes"])]
        hit = sum(weight for _, weight in cases)
        return Fraction(hit, scale * len(cases)) if rule == "colour" else Fraction(cases[0][1], hit)
    found, false = f["found"], f["false"]
    if "neither" in rule:
        found, false = 100 - found, 100 - false
    times = 1 if rule == "once" else 2
    true, wrong = f["sick"] * found**times, (100 - f["sick"]) * false**times
    return Fraction(true, true + wrong)


def cards(f: Facts) -> Any:
    held = range(1, f["cards"] + 1)
    if f["_level"] == 1:
        return Fraction(sum(f["low"] <= n <= f["high"] for n in held), f["cards"])
    test = {
        "even sum": lambda hand: sum(hand) % 2 == 0,
        "both odd": lambda hand: all(n % 2 for n in hand),
        "next": lambda hand: hand[1] - hand[0] == 1,
        "largest": lambda hand: max(hand) == f["middle"],
        "smallest": lambda hand: min(hand) == f["middle"],
        "above": lambda hand: min(hand) > f["middle"],
        "modulus": lambda hand: sum(hand) % f["modulus"] == 0,
    }[f.get("_rule", "modulus")]
    hands = [*combinations(held, 2 if f["_level"] <= 3 else 3)]
    return Fraction(sum(map(test, hands)), len(hands))


def attempts(f: Facts) -> Any:
    chances = f["_chances"]
    if f["_level"] == 5:
        first, reached = Fraction(0), Fraction(1)
        for _ in range(400):  # round after round
            first += reached * chances[0]
            reached *= (1 - chances[0]) * (1 - chances[1])
        return float(first if f["_rule"] == "first" else 1 - first)
    total = Fraction(0)
    for outcome in product((True, False), repeat=len(chances)):
        good = {"all": all(outcome), "some": any(outcome), "one": sum(outcome) == 1}
        if good.get(f["_rule"], sum(outcome) >= 2):
            total += prod(c if hit else 1 - c for c, hit in zip(chances, outcome, strict=True))
    return total
