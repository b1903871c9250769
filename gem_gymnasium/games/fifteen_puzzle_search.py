"""The sliding puzzle's searches: tables of exact distances, and optimal play of 4x4 boards.

Cells are numbered row by row from 0. A board is the tuple of its tiles by cell, 0 for the gap; in
the goal tile ``t`` is in cell ``t - 1`` and the gap in the last cell.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Board = tuple[int, ...]

DIRECTIONS = ("up", "down", "left", "right")
"""Where a tile slides; the gap goes the other way."""

UNREACHED = 255
"""The entry of a table of distances for what no board shows."""

HARDEST = {2: 6, 3: 31, 4: 80}
"""The moves that the farthest board of a size needs (4x4: Bruengger et al., 1999)."""

Distances = npt.NDArray[np.uint8]


def build_sources(size: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each gap cell and direction, the cell of the tile that slides, or -1."""
    sources: list[tuple[int, ...]] = []
    for gap in range(size * size):
        row, column = divmod(gap, size)
        sources.append(
            (
                gap + size if row < size - 1 else -1,
                gap - size if row else -1,
                gap + 1 if column < size - 1 else -1,
                gap - 1 if column else -1,
            )
        )
    return tuple(sources)


SOURCES = {size: build_sources(size) for size in HARDEST}


def goal_of(size: int) -> Board:
    """Return the solved board."""
    return (*range(1, size * size), 0)


def slide(size: int, board: Board, direction: int) -> Board | None:
    """Return the board after a move (an index into DIRECTIONS), or None if no tile can slide."""
    gap = board.index(0)
    source = SOURCES[size][gap][direction]
    if source < 0:
        return None
    cells = list(board)
    cells[gap], cells[source] = cells[source], 0
    return tuple(cells)


def is_solvable(size: int, board: Sequence[int]) -> bool:
    """Return whether a board can be brought to the goal: half of all boards can.

    Each move swaps two cells and moves the gap by one, so the parities of the permutation and of
    the gap's way to its corner stay equal.
    """
    cells, swaps = list(board), 0
    for cell, wanted in enumerate(goal_of(size)):
        if cells[cell] != wanted:
            other = cells.index(wanted, cell)
            cells[cell], cells[other] = wanted, cells[cell]
            swaps += 1
    row, column = divmod(board.index(0), size)
    return (swaps + row + column) % 2 == 0


def transpose(size: int, board: Board) -> Board:
    """Return the board mirrored in its diagonal, its tiles renamed so that it is as far away."""
    goal = goal_of(size)
    name = {tile: goal[cell % size * size + cell // size] for cell, tile in enumerate(goal)}
    return tuple(name[board[cell % size * size + cell // size]] for cell in range(size * size))


# -- tables -----------------------------------------------------------------------------------


class Table(NamedTuple):
    """How many moves bring some tiles home, whatever the other tiles do."""

    tiles: tuple[int, ...]
    """The gap, then the tiles."""
    weights: tuple[int, ...]
    distances: Distances
    """By code: the sum, over ``tiles``, of a tile's cell times its weight."""

    def distance(self, board: Board) -> int:
        """Return the moves that bring the table's tiles home."""
        code = 0
        for tile, weight in zip(self.tiles, self.weights, strict=True):
            code += board.index(tile) * weight
        return int(self.distances[code])


def measure(
    size: int, tiles: Collection[int], cells: Collection[int], gaps: Collection[int]
) -> Table:
    """Return the table of ``tiles``, found breadth first from the goal.

    Args:
        size: Rows of the board.
        tiles: The tiles to bring home.
        cells: The cells that moves may touch.
        gaps: The cells in which the gap may end.
    """
    base, names = size * size, (0, *tiles)
    weights = base ** np.arange(len(names))
    distances: Distances = np.full(int(base ** len(names)), UNREACHED, dtype=np.uint8)
    homes = [[gap, *(tile - 1 for tile in tiles)] for gap in gaps]
    distances[np.array(homes) @ weights] = 0
    steps = np.full((base, len(DIRECTIONS)), -1)
    for gap in cells:
        steps[gap] = [source if source in cells else -1 for source in SOURCES[size][gap]]
    for depth in count():
        codes = np.flatnonzero(distances == depth)
        if not codes.size:
            break
        places = codes[:, None] // weights % base  # (codes, tiles): each tile's cell
        for direction in range(len(DIRECTIONS)):
            gap = places[:, :1]
            source = steps[gap, direction]
            moved = np.where(places == source, gap, places)
            moved[:, :1] = source
            reached = moved[source[:, 0] >= 0] @ weights
            distances[reached[distances[reached] == UNREACHED]] = depth + 1
    return Table(names, tuple(weights.tolist()), distances)


@cache
def exact_table(size: int) -> Table:
    """Return the exact distances of all 2x2 or 3x3 boards.

    Two tiles can be left out: which of them is where follows from the parity.
    """
    cells = range(size * size)
    return measure(size, cells[1:-2], cells, gaps=cells[-1:])


@cache
def boards_within(size: int, moves: int) -> npt.NDArray[np.intp]:
    """Return the codes of the 2x2 or 3x3 boards that are 1 to ``moves`` moves from the goal."""
    distances = exact_table(size).distances
    most = min(moves, HARDEST[size])  # UNREACHED is no distance
    return np.flatnonzero((distances > 0) & (distances <= most))


def decode(size: int, code: int) -> Board:
    """Return the 2x2 or 3x3 board of a code."""
    table, cells = exact_table(size), size * size
    board = [-1] * cells
    for tile, weight in zip(table.tiles, table.weights, strict=True):
        board[code // weight % cells] = tile
    first, second = (cell for cell, tile in enumerate(board) if tile < 0)
    board[first], board[second] = cells - 2, cells - 1
    if not is_solvable(size, board):
        board[first], board[second] = cells - 1, cells - 2
    return tuple(board)


# -- optimal play of 4x4 boards -----------------------------------------------------------------


class Walks(NamedTuple):
    """The walking distance (Ken'ichiro Takahashi): what vertical, or horizontal, moves it takes.

    A node counts, for each row, its tiles by the row they belong to. The moves that put a board's
    rows right and those that put its columns right have no move in common, so their sum is a bound.
    """

    numbers: dict[tuple[tuple[int, ...], ...], int]
    """The number of each node."""
    distances: list[int]
    """By number: the moves to the goal."""
    steps: list[tuple[int, ...]]
    """By number: the node after a tile that belongs to row ``r`` moves up (entry ``r``) or down
    (entry ``4 + r``), or -1."""


@cache
def walks() -> Walks:
    """Return the 24,964 nodes of a 4x4 board's rows, found breadth first from the goal."""
    goal = ((4, 0, 0, 0), (0, 4, 0, 0), (0, 0, 4, 0), (0, 0, 0, 3))
    nodes, numbers, distances, steps = [goal], {goal: 0}, [0], list[tuple[int, ...]]()
    for node in nodes:  # which grows
        gap = next(row for row in range(4) if sum(node[row]) == 3)
        after = [-1] * 8
        for offset, source in ((0, gap + 1), (4, gap - 1)):
            for home in range(4):
                if not 0 <= source < 4 or not node[source][home]:
                    continue
                rows = [list(row) for row in node]
                rows[source][home] -= 1
                rows[gap][home] += 1
                found: Any = tuple(map(tuple, rows))
                if found not in numbers:
                    numbers[found] = len(nodes)
                    nodes.append(found)
                    distances.append(distances[len(steps)] + 1)
                after[offset + home] = numbers[found]
        steps.append(tuple(after))
    return Walks(numbers, distances, steps)


def walk_nodes(board: Board) -> tuple[int, int]:
    """Return the nodes of a board's rows and of its columns."""
    rows, columns = ([[0] * 4 for _ in range(4)] for _ in range(2))
    for cell, tile in enumerate(board):
        if tile:
            rows[cell // 4][(tile - 1) // 4] += 1
            columns[cell % 4][(tile - 1) % 4] += 1
    numbers = walks().numbers
    return numbers[tuple(map(tuple, rows))], numbers[tuple(map(tuple, columns))]


def solve(board: Board, most: int = HARDEST[4]) -> list[int] | None:
    """Return a shortest solution of a 4x4 board (indices into DIRECTIONS), by IDA*.

    Args:
        board: A solvable board.
        most: The longest solution that is looked for.

    Returns:
        The moves, or None if it takes more than ``most``.
    """
    _, distances, steps = walks()
    row, column = walk_nodes(board)
    gap, cells, path = board.index(0), list(board), list[int]()

    def search(gap: int, row: int, column: int, left: int, undo: int) -> bool:
        for direction, source in MOVES[gap]:
            if direction == undo:
                continue
            tile = cells[source]
            if direction < 2:
                after, across = steps[row][direction * 4 + (tile - 1) // 4], column
            else:
                after, across = row, steps[column][direction * 4 - 8 + (tile - 1) % 4]
            need = distances[after] + distances[across]
            if need >= left:
                continue
            path.append(direction)
            if not need:
                return True
            cells[gap], cells[source] = tile, 0
            if search(source, after, across, left - 1, direction ^ 1):
                return True
            cells[gap], cells[source] = 0, tile
            path.pop()
        return False

    bound = distances[row] + distances[column]
    while bound and bound <= most:
        if search(gap, row, column, bound, undo=-1):
            return path
        bound += 2  # each move turns the parity of the gap's cell
    return None if bound else path


MOVES = [
    [(direction, source) for direction, source in enumerate(sources) if source >= 0]
    for sources in SOURCES[4]
]
"""Of a 4x4 board, for each gap cell: the directions in which a tile can slide, and its cell."""
