"""Programming problems that follow rules step by step, and problems on graphs."""

from __future__ import annotations

import heapq
from collections import deque
from itertools import pairwise

from gem_gymnasium.tasks.code_synthetic.posed import Family, Posed, either, length_of, of, row, word
from gem_gymnasium.tasks.dice import Rng, between, chance, pick, pick_some


def solve_robot(text: str, size: int, wrap: bool, kind: str) -> str:
    """Move a robot on a board."""
    x = y = 0
    h, v = 0, 1
    seen = {(0, 0)}
    for command in text.strip():
        if command == "L":
            h, v = -v, h
        elif command == "R":
            h, v = v, -h
        else:
            x, y = x + h, y + v
            if wrap:
                x, y = x % size, y % size
            elif not (0 <= x < size and 0 <= y < size):
                x, y = x - h, y - v
            seen.add((x, y))
    return f"{x} {y}" if kind == "place" else str(len(seen))


def robot(rng: Rng) -> Posed:
    """Move a robot on a board."""
    size = between(rng, 3, 9)
    wrap, edge = either(
        rng,
        "it comes in again on the opposite side",
        "it stays where it is",
    )
    kind, prints = of(
        rng,
        ("place", "Its x and its y at the end, parted by a space."),
        ("seen", "The number of different cells it has stood on, its first one among them."),
    )
    task = (
        f"A robot stands on a board of {size} by {size} cells, at x = 0 and y = 0, facing in the "
        "direction in which y grows. F moves it one cell forward, L turns it left and R turns it "
        "right by a quarter, on the spot (left of growing y is falling x). If F would take it off "
        f"the board, {edge}. Both x and y run from 0 to {size - 1}."
    )

    def make(rng: Rng, size: int) -> str:
        return word(rng, 2 * length_of(rng, size), "FFFLR")

    takes = "One line of the letters F, L and R."
    settings = {"size": size, "wrap": wrap, "kind": kind}
    return Posed(task, takes, prints, solve_robot, settings, make)


def solve_stack(text: str, names: list[str]) -> str:
    """Run a stack machine."""
    add, _, swap, double = names
    stack: list[int] = []
    for line in text.strip().split("\n")[1:]:
        command, *rest = line.split()
        if command == "push":
            stack.append(int(rest[0]))
        elif len(stack) < (1 if command == double else 2):
            return "error"
        elif command == double:
            stack.append(stack[-1])
        else:
            last, before = stack.pop(), stack.pop()
            if command == swap:
                stack += [last, before]
            else:
                result = before + last if command == add else before * last
                stack.append(result % 1000)
    return " ".join(map(str, stack)) or "empty"


def stack_machine(rng: Rng) -> Posed:
    """Run a stack machine."""
    names = [
        pick(rng, choices)
        for choices in (
            ("add", "plus"),
            ("mul", "times"),
            ("swap", "flip"),
            ("dup", "copy"),
        )
    ]
    add, multiply, swap, double = names
    task = (
        f"Run a program for a stack that is empty at first. push k puts the number k on top. {add} "
        f"and {multiply} take the two topmost numbers off and put the remainder of their sum or of "
        f"their product, divided by 1000, on top. {swap} exchanges the two topmost numbers. "
        f"{double} puts another copy of the topmost number on top."
    )
    prints = (
        'The numbers on the stack at the end, the lowest first, parted by spaces, or "empty". If a '
        'command finds too few numbers on the stack, the program stops and only "error" is printed.'
    )

    def make(rng: Rng, size: int) -> str:
        lines: list[str] = []
        height = 0
        for _ in range(length_of(rng, size) + 2):
            if height < 2 and not chance(rng, 0.03):
                lines.append(f"push {between(rng, 0, 99)}")
                height += 1
            else:
                command = pick(rng, (*names, "push"))
                lines.append(f"push {between(rng, 0, 99)}" if command == "push" else command)
                height += {add: -1, multiply: -1, swap: 0}.get(command, 1)
        return "\n".join([str(len(lines)), *lines])

    takes = "The number n of commands, then n lines with a command each."
    return Posed(task, takes, prints, solve_stack, {"names": names}, make)


def solve_circle(text: str, kind: str) -> str:
    """Count out people in a circle."""
    people, step = map(int, text.split())
    circle = deque(range(1, people + 1))
    gone: list[int] = []
    while circle:
        circle.rotate(1 - step)
        gone.append(circle.popleft())
        if kind == "turns":
            circle.reverse()
    return str(gone[-1]) if kind == "last" else " ".join(map(str, gone))


def circle(rng: Rng) -> Posed:
    """Count out people in a circle."""
    kind, prints = of(
        rng,
        ("last", "The number of the last one left."),
        ("order", "The numbers in the order in which they leave, the last one too, in one line."),
        ("turns", "The numbers in the order in which they leave, the last one too, in one line."),
    )
    turn = (
        " After each leaving the direction of counting changes, and the one who comes next in the "
        "new direction is counted as 1."
        if kind == "turns"
        else " The next one is then counted as 1."
    )
    task = (
        "People with the numbers 1 to n stand in a circle, in this order. Counting starts with "
        f"person 1 and goes up the numbers; the one who is counted as k leaves the circle.{turn} "
        "So it goes on until nobody is left."
    )

    def make(rng: Rng, size: int) -> str:
        return f"{length_of(rng, size)} {between(rng, 1, 3 + 4 * size)}"

    takes = "Two integers n and k, both at least 1."
    return Posed(task, takes, prints, solve_circle, {"kind": kind}, make)


def solve_accounts(text: str, fee: int, credit: int) -> str:
    """Keep accounts."""
    balances: dict[str, int] = {}
    refused = 0
    for line in text.strip().split("\n")[1:]:
        kind, name, *rest = line.split()
        amount = int(rest[-1])
        for one in (name, *rest[:-1]):
            balances.setdefault(one, 0)
        if kind == "in":
            balances[name] += amount
            continue
        if balances[name] - amount - fee < -credit:
            refused += 1
            continue
        balances[name] -= amount + fee
        if kind == "move":
            balances[rest[0]] += amount
    lines = [f"{name} {balances[name]}" for name in sorted(balances)]
    return "\n".join([*lines, f"refused {refused}"])


def accounts(rng: Rng) -> Posed:
    """Keep accounts."""
    fee, credit = between(rng, 0, 5), pick(rng, (0, 0, 10, 20, 50))
    cost = f"Each out and each move that is done costs the account {fee} more. " if fee else ""
    floor = f"below -{credit}" if credit else "below 0"
    task = (
        "Keep the accounts of a bank; each begins with 0 when its name first comes up. 'in A x' "
        "adds x to account A, 'out A x' takes x from it, 'move A B x' takes x from A and adds it "
        f"to B. {cost}What would bring an account {floor} is refused and changes no balance."
    )
    prints = (
        "A line for each account, by the alphabet: its name, a space, its balance. Then a line "
        "with the word refused, a space, and how many commands were refused."
    )

    def make(rng: Rng, size: int) -> str:
        names = pick_some(rng, ("ann", "bob", "cid", "dan", "eve"), 2 + min(size, 3))
        lines: list[str] = []
        for _ in range(length_of(rng, size) + 1):
            one, other = pick_some(rng, names, 2)
            kind = pick(rng, ("in", "in", "out", "move"))
            both = f"{one} {other}" if kind == "move" else one
            lines.append(f"{kind} {both} {between(rng, 1, 60)}")
        return "\n".join([str(len(lines)), *lines])

    takes = "The number n of commands, then n lines with a command each; every x is at least 1."
    settings = {"fee": fee, "credit": credit}
    return Posed(task, takes, prints, solve_accounts, settings, make)


def solve_turns(text: str, slice_s: int) -> str:
    """Share a processor among jobs, turn by turn."""
    times = [*map(int, text.split()[1:])]
    queue = deque(enumerate(times, start=1))
    clock, ends = 0, [0] * len(times)
    while queue:
        job, left = queue.popleft()
        clock += min(left, slice_s)
        if left > slice_s:
            queue.append((job, left - slice_s))
        else:
            ends[job - 1] = clock
    return " ".join(map(str, ends))


def turns(rng: Rng) -> Posed:
    """Share a machine among jobs."""
    slice_s = between(rng, 1, 9)
    thing = pick(rng, ("machine", "processor", "workshop", "printer"))
    word = "minute" if slice_s == 1 else "minutes"
    task = (
        f"Jobs wait for a {thing} in a queue, in the order of the list. The first in the queue is "
        f"worked on for at most {slice_s} {word}; if it is not done by then it goes to the end of "
        "the queue. Then the next one has its turn, at once, until all are done."
    )

    def make(rng: Rng, size: int) -> str:
        count = length_of(rng, min(size, 2))
        return f"{count}\n{row([between(rng, 1, 25) for _ in range(count)])}"

    takes = "The number n (at least 1), then a line of n integers: how many minutes each job takes."
    prints = "For each job, in the order of the list, the minute at which it is done, in one line."
    return Posed(task, takes, prints, solve_turns, {"slice_s": slice_s}, make)


def solve_roads(text: str, one_way: bool, kind: str) -> str:
    """Find the shortest ways from town 1."""
    count, roads, *rest = map(int, text.split())
    near: list[list[tuple[int, int]]] = [[] for _ in range(count + 1)]
    for at in range(roads):
        one, other, length = rest[3 * at : 3 * at + 3]
        near[one].append((other, length))
        if not one_way:
            near[other].append((one, length))
    found: dict[int, int] = {}
    queue = [(0, 1)]
    while queue:
        length, town = heapq.heappop(queue)
        if town in found:
            continue
        found[town] = length
        for other, more in near[town]:
            heapq.heappush(queue, (length + more, other))
    if kind == "last":
        return str(found.get(count, -1))
    if kind == "farthest":
        return str(max(found.values()))
    return " ".join([str(found.get(town, -1)) for town in range(1, count + 1)])


def roads(rng: Rng) -> Posed:
    """Find shortest ways."""
    one_way, words = either(rng, "from a to b only", "both ways")
    kind, prints = of(
        rng,
        ("last", "The length of the shortest way from town 1 to town n, or -1 if there is none."),
        (
            "all",
            "The lengths of the shortest ways from town 1 to the towns 1 to n, -1 where there is "
            "none.",
        ),
        (
            "farthest",
            "The greatest of the shortest distances from town 1 to the towns that can be reached "
            "from it (0 if there is no other).",
        ),
    )
    task = f"Roads join n towns; a road of length c between a and b can be taken {words}."

    def make(rng: Rng, size: int) -> str:
        count = max(2, length_of(rng, min(size, 2)))
        between_ends = pick_some(rng, range(2, count), between(rng, 0, count - 2))
        way = [1, *between_ends, count] if chance(rng, 0.8) else [1, 2]
        ends = [*pairwise(way)]
        for _ in range(between(rng, 0, count)):
            one, other = pick_some(rng, range(1, count + 1), 2)
            ends.append((one, other))
        lines = [f"{a} {b} {between(rng, 1, 20)}" for a, b in pick_some(rng, ends, len(ends))]
        return "\n".join([f"{count} {len(lines)}", *lines])

    takes = "The numbers n (at least 2) and m; then m lines with three integers each: a, b and c."
    settings = {"one_way": one_way, "kind": kind}
    return Posed(task, takes, prints, solve_roads, settings, make)


def solve_order(text: str, largest: bool) -> str:
    """Put tasks in an order that keeps to what must come first."""
    count, rules, *rest = map(int, text.split())
    sign = -1 if largest else 1
    after: list[list[int]] = [[] for _ in range(count + 1)]
    waits = [0] * (count + 1)
    for at in range(rules):
        first, second = rest[2 * at], rest[2 * at + 1]
        after[first].append(second)
        waits[second] += 1
    ready = [sign * task for task in range(1, count + 1) if waits[task] == 0]
    heapq.heapify(ready)
    done: list[int] = []
    while ready:
        task = sign * heapq.heappop(ready)
        done.append(task)
        for other in after[task]:
            waits[other] -= 1
            if waits[other] == 0:
                heapq.heappush(ready, sign * other)
    return " ".join(map(str, done)) if len(done) == count else "impossible"


def orders(rng: Rng) -> Posed:
    """Order tasks."""
    largest, words = either(rng, "greatest", "smallest")
    task = (
        "Tasks 1 to n are done one after another. Some tasks must be done before others. Whenever "
        f"several tasks can be done next, the one with the {words} number is."
    )

    def make(rng: Rng, size: int) -> str:
        count = max(2, length_of(rng, min(size, 2)))
        order = pick_some(rng, range(1, count + 1), count)
        lines: list[str] = []
        for _ in range(between(rng, 1, count + size)):
            first, second = sorted(pick_some(rng, range(count), 2))
            lines.append(f"{order[first]} {order[second]}")
        if chance(rng, 0.15):
            one, other = lines[0].split()
            lines.append(f"{other} {one}")
        return "\n".join([f"{count} {len(lines)}", *lines])

    takes = (
        "The numbers n (at least 2) and m; then m lines with two integers a and b each: a must be "
        "done before b. A line may come twice."
    )
    prints = 'The tasks in the order in which they are done, in one line, or "impossible".'
    return Posed(task, takes, prints, solve_order, {"largest": largest}, make)


FAMILIES: tuple[Family, ...] = (
    robot,
    stack_machine,
    circle,
    accounts,
    turns,
    roads,
    orders,
)
