"""Make the Sokoban levels that the package deals: ``gem_gymnasium/data/sokoban/*.txt``.

Each room is carved by a random walk and gets random goals. One search then runs backwards from the
solved room, pulling where a player would push, over every (boxes, player); so each state that it
meets is solvable, and its layer is exactly the fewest moves that solve it. A start is chosen
among those: it has no box on a goal (so every box must move), its fewest moves leave the slack that
the game promises, and of the states drawn it is the one whose solution goes most often from one box
to another. No two levels are the same up to the eight symmetries of the square.

The same seed gives the same bytes. All packs take about four minutes of one core:

    python benchmarks/make_sokoban.py
    python benchmarks/make_sokoban.py --packs 6x6-2 --levels 50 --out /tmp
"""

from __future__ import annotations

import argparse
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

OUT = Path(__file__).resolve().parent.parent / "gem_gymnasium" / "data" / "sokoban"

STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""(rows, columns) of a move; ``direction ^ 1`` is the opposite one."""

DRAWN = 24
"""States of a room that are looked at; the one with the best solution is taken."""

TURN_CHANCE = 0.35
"""Chance that the walk which carves a room turns, a step."""


class Pack(NamedTuple):
    """What the levels of a file are like."""

    size: int
    boxes: int
    levels: int
    starts: int
    """The most levels that are taken from one room, their lengths drawn one by one."""
    cells: tuple[int, int]
    """Fewest and most cells of a room that are no wall."""
    moves: tuple[int, int]
    """Fewest and most moves of the shortest solution; the most is the turn budget / 1.5."""
    pushes: int
    """Fewest pushes of the solution that is looked at."""


PACKS = {
    "6x6-2": Pack(6, 2, 4_000, 1, (9, 15), (6, 13), 4),
    "6x6-3": Pack(6, 3, 4_000, 1, (10, 15), (14, 66), 6),
    "8x8-4": Pack(8, 4, 2_000, 4, (16, 25), (16, 33), 8),
    "8x8-5": Pack(8, 5, 2_000, 4, (16, 24), (16, 33), 10),
}


class Start(NamedTuple):
    """A state of a room and what its shortest solution is like."""

    boxes: tuple[int, ...]
    player: int
    moves: int
    pushes: int
    switches: int
    """How often the solution goes from pushing one box to pushing another."""


def carve(span: int, cells: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Return the ``cells`` cells of a span x span square that a random walk dug, sorted."""
    row, column, direction = *rng.integers(span, size=2).tolist(), int(rng.integers(4))
    dug = {(row, column)}
    while len(dug) < cells:
        if rng.random() < TURN_CHANCE:
            direction = int(rng.integers(4))
        down, right = STEPS[direction]
        if 0 <= row + down < span and 0 <= column + right < span:
            row, column = row + down, column + right
            dug.add((row, column))
        else:
            direction = int(rng.integers(4))
    return tuple(sorted(r * span + c for r, c in dug))


@cache
def subsets(n: int, k: int) -> NDArray[np.int64]:
    """Return the k-subsets of n cells as bit masks, ascending: a subset's place is its number."""
    return np.sort((1 << np.array(list(combinations(range(n), k)), np.int64)).sum(axis=1))


@cache
def numbers_of(n: int, k: int) -> dict[int, int]:
    """Return the number of each k-subset: for single ones much faster than a search."""
    return {mask: number for number, mask in enumerate(subsets(n, k).tolist())}


class Room:
    """A room, numbered by its floor cells, and the fewest moves that solve each of its states."""

    def __init__(self, span: int, floor: tuple[int, ...], goals: tuple[int, ...]) -> None:
        self.span, self.floor, self.goals = span, floor, goals  # goals: indices into floor
        self.n = n = len(floor)
        place = {cell: i for i, cell in enumerate(floor)}
        self.next = np.full((4, n + 1), n)  # n stands for a wall
        for cell, i in place.items():
            for direction, (down, right) in enumerate(STEPS):
                row, column = cell // span + down, cell % span + right
                if 0 <= row < span and 0 <= column < span:
                    self.next[direction, i] = place.get(row * span + column, n)
        self.masks, self.numbers = subsets(n, len(goals)), numbers_of(n, len(goals))
        self.moves = np.full((len(self.masks), n), -1, np.int16)

    def search(self, most: int) -> None:
        """Fill ``moves`` for every state that at most ``most`` moves solve (the others: -1)."""
        n, flat = self.n, self.moves.reshape(-1)
        solved = int(sum(1 << goal for goal in self.goals))
        number = self.numbers[solved]
        players = np.array([p for p in range(n) if not solved >> p & 1])
        states = number * n + players
        flat[states] = 0
        for layer in range(1, most + 1):
            numbers, players = np.divmod(states, n)
            masks = self.masks[numbers] | 1 << n
            found: list[NDArray[np.int64]] = []
            for direction in range(4):
                # The player came from ``behind``, by a step or by pushing what is ``ahead`` now.
                behind, ahead = self.next[direction ^ 1][players], self.next[direction][players]
                came = masks >> behind & 1 == 0
                pushed = came & (ahead < n) & (masks >> ahead & 1 == 1)
                before = masks[pushed] ^ 1 << n ^ 1 << ahead[pushed] ^ 1 << players[pushed]
                for new in (
                    numbers[came] * n + behind[came],
                    np.searchsorted(self.masks, before) * n + behind[pushed],
                ):
                    new = new[flat[new] < 0]  # one direction leads to no state twice
                    flat[new] = layer
                    found.append(new)
            states = np.concatenate(found)
            if not len(states):
                break

    def draw_starts(self, fewest: int, rng: np.random.Generator) -> list[Start]:
        """Draw states without a box on a goal, all of one random solution length; may be empty."""
        goals = sum(1 << goal for goal in self.goals)
        away = (self.masks & goals) == 0
        longest = int(self.moves[away].max(initial=-1))
        if longest < fewest:
            return []
        length = int(rng.integers(fewest, longest, endpoint=True))
        numbers, players = np.nonzero((self.moves == length) & away[:, None])
        some = rng.integers(len(numbers), size=DRAWN).tolist() if len(numbers) else []
        return [self.solve(int(self.masks[numbers[i]]), int(players[i])) for i in some]

    def solve(self, mask: int, player: int) -> Start:
        """Follow a shortest solution of a state and describe it."""
        boxes = tuple(i for i in range(self.n) if mask >> i & 1)
        moves = left = self.left(mask, player)
        at, pushes, switches, last, beyond = player, 0, 0, -1, -1
        while left:
            for direction in range(4):
                to = int(self.next[direction, at])
                if to == self.n:
                    continue
                then = mask
                if mask >> to & 1:
                    beyond = int(self.next[direction, to])
                    if beyond == self.n or mask >> beyond & 1:
                        continue
                    then = mask ^ 1 << to ^ 1 << beyond
                if self.left(then, to) == left - 1:
                    break
            else:
                raise AssertionError("a state without a move that brings it nearer to the end")
            if then != mask:
                pushes, switches = pushes + 1, switches + (last not in (-1, to))
                last = beyond
            mask, at, left = then, to, left - 1
        return Start(boxes, player, moves, pushes, switches)

    def left(self, mask: int, player: int) -> int:
        """Return the fewest moves that solve a state, -1 if it is not known to be solvable."""
        return int(self.moves[self.numbers[mask], player])

    def draw(self, start: Start) -> str:
        """Return the square inside the outer wall, row by row, in the glyphs of the game."""
        cells = ["#"] * self.span**2
        for i, cell in enumerate(self.floor):
            cells[cell] = "G" if i in self.goals else "."
        for box in start.boxes:
            cells[self.floor[box]] = "B"
        player = self.floor[start.player]
        cells[player] = "+" if cells[player] == "G" else "P"
        return "".join(cells)


def canonical(level: str, span: int) -> str:
    """Return the least of a level's eight symmetric images."""
    square, images = np.array(list(level)).reshape(span, span), list[str]()
    for turned in (square, square.T):
        images += ["".join(np.rot90(turned, quarter).flat) for quarter in range(4)]
    return min(images)


def make(pack: Pack, levels: int, seed: int) -> list[str]:
    """Return the lines of a pack: levels by their fewest moves, then by their glyphs."""
    rng = np.random.default_rng([seed, pack.size, pack.boxes])
    span, (fewest, most) = pack.size - 2, pack.moves
    made: dict[str, int] = {}
    while len(made) < levels:
        floor = carve(span, int(rng.integers(*pack.cells, endpoint=True)), rng)
        goals = tuple(rng.permutation(len(floor))[: pack.boxes].tolist())
        room = Room(span, floor, goals)
        room.search(most)
        for _ in range(pack.starts):
            some = [start for start in room.draw_starts(fewest, rng) if start.pushes >= pack.pushes]
            if some and len(made) < levels:
                best = max(some, key=lambda start: (start.switches, start.pushes))
                made[canonical(room.draw(best), span)] = best.moves
    return [f"{level} {moves}" for moves, level in sorted((m, level) for level, m in made.items())]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packs", nargs="+", default=[*PACKS], choices=[*PACKS], metavar="PACK")
    parser.add_argument("--levels", type=int, help="levels a pack (default: as in PACKS)")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--out", type=Path, default=OUT, help="folder (default: the package's)")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.packs:
        print(name, flush=True)
        lines = make(PACKS[name], args.levels or PACKS[name].levels, args.seed)
        (args.out / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
