"""Programming problems on grids."""

from __future__ import annotations

from collections import deque

from gem_gymnasium.tasks.code_synthetic.posed import (
    Family,
    Posed,
    either,
    grid,
    numbers,
    of,
    row,
    with_shape,
)
from gem_gymnasium.tasks.dice import Rng, between, pick_some

_GRID = "The numbers of rows and columns, then the rows of the grid, each of the characters # and ."


def solve_islands(text: str, diagonal: bool, kind: str) -> str:
    """Measure the connected groups of a grid."""
    lines = text.split("\n", 1)[1].split()
    left = {(y, x) for y, line in enumerate(lines) for x, cell in enumerate(line) if cell == "#"}
    sizes: list[int] = []
    while left:
        queue, size = [left.pop()], 0
        while queue:
            y, x = queue.pop()
            size += 1
            for v in (-1, 0, 1):
                for h in (-1, 0, 1):
                    near = (y + v, x + h)
                    if near in left and (diagonal or v == 0 or h == 0):
                        left.remove(near)
                        queue.append(near)
        sizes.append(size)
    if kind == "sizes":
        return " ".join(map(str, sorted(sizes, reverse=True))) or "none"
    return str(len(sizes) if kind == "count" else max(sizes, default=0))


def islands(rng: Rng) -> Posed:
    """Find connected groups of cells."""
    diagonal, words = either(rng, "a side or a corner", "a side (a corner is not enough)")
    kind, prints = of(
        rng,
        ("count", "The number of groups."),
        ("largest", "The number of cells of the largest group, 0 if there is none."),
        ("sizes", 'The numbers of cells of all groups in one line, the largest first, or "none".'),
    )
    task = f"The cells # of a grid form groups: two of them belong together if they share {words}."

    def make(rng: Rng, size: int) -> str:
        return with_shape(grid(rng, size, "#.."))

    settings = {"diagonal": diagonal, "kind": kind}
    return Posed(task, _GRID, prints, solve_islands, settings, make)


def solve_descent(text: str, most: bool, diagonal: bool) -> str:
    """Return the best sum on the way from corner to corner."""
    first, *rest = text.split("\n")
    rows, columns = map(int, first.split())
    cells = [[*map(int, line.split())] for line in rest[:rows]]
    best = [[0] * columns for _ in range(rows)]
    for y in range(rows):
        for x in range(columns):
            steps = [(y - 1, x), (y, x - 1)] + ([(y - 1, x - 1)] if diagonal else [])
            before = [best[v][h] for v, h in steps if v >= 0 and h >= 0]
            best[y][x] = cells[y][x] + ((max if most else min)(before) if before else 0)
    return str(best[-1][-1])


def descents(rng: Rng) -> Posed:
    """Find the best way from corner to corner."""
    most, word = either(rng, "greatest", "least")
    diagonal, steps = either(
        rng, "one cell down, one cell to the right, or one cell down and to the right at once",
        "one cell down or one cell to the right",
    )  # fmt: skip
    task = (
        "A way through a grid of numbers leads from the upper left cell to the lower right one; "
        f"each step goes {steps}. Add the numbers of all the cells of the way, its two ends among "
        "them."
    )

    def make(rng: Rng, size: int) -> str:
        high = (2, 4, 7, 12)[size]
        rows, columns = between(rng, 2, high), between(rng, 2, high)
        lines = [row(numbers(rng, columns, -9, 20)) for _ in range(rows)]
        return "\n".join([f"{rows} {columns}", *lines])

    takes = "The numbers of rows and columns, then each row as a line of integers."
    settings = {"most": most, "diagonal": diagonal}
    return Posed(task, takes, f"The {word} sum of a way.", solve_descent, settings, make)


def solve_maze(text: str, moves: str) -> str:
    """Return the least number of moves from S to E."""
    lines = text.split("\n", 1)[1].split()
    free = {
        (y, x): cell for y, line in enumerate(lines) for x, cell in enumerate(line) if cell != "#"
    }
    span = range(-2, 3)
    steps = [
        (v, h)
        for v in span
        for h in span
        if {
            "sides": abs(v) + abs(h) == 1,
            "king": max(abs(v), abs(h)) == 1,
            "knight": abs(v * h) == 2,
        }[moves]
    ]
    start = next(place for place, cell in free.items() if cell == "S")
    distance = {start: 0}
    queue = deque([start])
    while queue:
        y, x = queue.popleft()
        if free[y, x] == "E":
            return str(distance[y, x])
        for v, h in steps:
            near = (y + v, x + h)
            if near in free and near not in distance:
                distance[near] = distance[y, x] + 1
                queue.append(near)
    return "-1"


def mazes(rng: Rng) -> Posed:
    """Find the shortest way through a maze."""
    moves, words = of(
        rng,
        ("sides", "A move goes to a cell that shares a side with the present one."),
        ("king", "A move goes to a cell that shares a side or a corner with the present one."),
        (
            "knight",
            "A move is that of a knight of chess: two cells along a row or a column and one cell "
            "to the side; it jumps over what is between.",
        ),
    )
    task = f"Get from S to E in a grid. {words} A move may not end on #."

    def make(rng: Rng, size: int) -> str:
        lines = [[*line] for line in grid(rng, size, "#...", least=3)]
        spots = [(y, x) for y in range(len(lines)) for x in range(len(lines[0]))]
        for (y, x), sign in zip(pick_some(rng, spots, 2), "SE", strict=True):
            lines[y][x] = sign
        return with_shape(["".join(line) for line in lines])

    takes = "The numbers of rows and columns, then the rows of the grid: # . and one S and one E."
    prints = "The least number of moves, or -1 if there is no way."
    return Posed(task, takes, prints, solve_maze, {"moves": moves}, make)


def solve_life(text: str, rounds: int, born: list[int], stay: list[int]) -> str:
    """Play rounds of a game of life."""
    lines = text.split("\n", 1)[1].split()
    for _ in range(rounds):
        new: list[str] = []
        for y, line in enumerate(lines):
            out = ""
            for x, cell in enumerate(line):
                near = [part[max(0, x - 1) : x + 2] for part in lines[max(0, y - 1) : y + 2]]
                count = "".join(near).count("#") - (cell == "#")
                out += "#" if count in (stay if cell == "#" else born) else "."
            new.append(out)
        lines = new
    return "\n".join(lines)


def life(rng: Rng) -> Posed:
    """Play a game of life with rules of its own."""
    rounds = between(rng, 1, 4)
    born = sorted({between(rng, 1, 4), between(rng, 2, 5)})
    stay = sorted({between(rng, 1, 4), between(rng, 2, 5)})
    task = (
        "The cells of a grid are alive (#) or dead (.). In each round all cells change at once: a "
        f"dead cell becomes alive if {_some(born)} of its neighbours are alive, and a living cell "
        f"stays alive if {_some(stay)} are; all other cells are dead afterwards. A cell has up to "
        "eight neighbours, those at its corners among them; beyond the edge there is nothing."
    )

    def make(rng: Rng, size: int) -> str:
        return with_shape(grid(rng, size, "#.."))

    word = "round" if rounds == 1 else "rounds"
    settings = {"rounds": rounds, "born": born, "stay": stay}
    prints = f"The grid after {rounds} {word}, without the line of numbers."
    return Posed(task, _GRID, prints, solve_life, settings, make)


def _some(counts: list[int]) -> str:
    return "exactly " + " or ".join(map(str, counts))


def solve_moved(text: str, steps: list[str]) -> str:
    """Turn and flip a grid."""
    lines = text.split("\n", 1)[1].split()
    for step in steps:
        if step == "right":
            lines = ["".join(column)[::-1] for column in zip(*lines, strict=True)]
        elif step == "left":
            lines = ["".join(column) for column in zip(*lines, strict=True)][::-1]
        elif step == "mirror":
            lines = [line[::-1] for line in lines]
        else:
            lines = lines[::-1]
    return "\n".join(lines)


_STEPS = {
    "right": "turn it clockwise by a quarter",
    "left": "turn it counter-clockwise by a quarter",
    "mirror": "swap left and right",
    "flip": "swap top and bottom",
}


def moved(rng: Rng) -> Posed:
    """Turn and flip a grid."""
    names = [*_STEPS]
    steps = [names[at] for at in numbers(rng, between(rng, 2, 4), 0, 3)]
    task = (
        f"Take a grid of letters and, step by step, {', then '.join(_STEPS[one] for one in steps)}."
    )

    def make(rng: Rng, size: int) -> str:
        return with_shape(grid(rng, size, "abcdefgh"))

    takes = (
        "The numbers of rows and columns, then the rows of the grid, each a word of small letters."
    )
    prints = "The rows of the grid that results."
    return Posed(task, takes, prints, solve_moved, {"steps": steps}, make)


def solve_spiral(text: str, clockwise: bool, inward: bool) -> str:
    """Read a grid along a spiral."""
    lines = text.split("\n", 1)[1].split()
    if not clockwise:
        lines = ["".join(column) for column in zip(*lines, strict=True)]
    out = ""
    while lines:
        out += lines[0]
        lines = ["".join(column) for column in zip(*lines[1:], strict=True)][::-1]
    return out if inward else out[::-1]


def spirals(rng: Rng) -> Posed:
    """Read a grid along a spiral."""
    clockwise, way = either(rng, "along the top row to the right", "down the left column")
    inward, words = either(
        rng, "Write the letters in this order.", "Write the letters in the reverse of this order."
    )
    task = (
        "Read the letters of a grid along a spiral: start in the upper left corner, go "
        f"{way}, on around along the edge, and then further in, until all the letters are read. "
        f"{words}"
    )

    def make(rng: Rng, size: int) -> str:
        return with_shape(grid(rng, size, "abcdefghijklmnopqrstuvwxyz"))

    takes = (
        "The numbers of rows and columns, then the rows of the grid, each a word of small letters."
    )
    settings = {"clockwise": clockwise, "inward": inward}
    return Posed(task, takes, "The letters as one word.", solve_spiral, settings, make)


FAMILIES: tuple[Family, ...] = (islands, descents, mazes, life, moved, spirals)
