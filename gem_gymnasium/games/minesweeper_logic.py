"""What a Minesweeper board tells: cells that are safe for sure, and exact chances of a mine.

Sets of cells are bit masks (bit ``i`` is cell ``i``). A constraint says how many mines a set holds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import comb
from typing import NamedTuple

from gem_gymnasium.games.minesweeper_grid import FLAG, HIDDEN, MINE, neighbours, uncover

Constraint = tuple[int, int]
"""Cells, and how many mines lie in them."""

_BITS = 4
"""Bits that hold the mines a constraint still needs (at most 8)."""


class Chances(NamedTuple):
    """A set of hidden cells that are alike, and in how many of all arrangements each is a mine."""

    cells: int
    mines: int
    """Mines in these cells, summed over the arrangements."""
    total: int
    """Arrangements times cells, so that ``mines / total`` is each cell's chance."""


def cells_of(mask: int) -> list[int]:
    """Return the cells of a set in ascending order."""
    return [cell for cell in range(mask.bit_length()) if mask >> cell & 1]


def read_constraints(rows: int, columns: int, board: str) -> tuple[int, list[Constraint]]:
    """Return the hidden cells (a flag tells nothing), and what the numbers say of them."""
    hidden = sum(1 << cell for cell, seen in enumerate(board) if seen in (HIDDEN, FLAG))
    constraints: set[Constraint] = set()
    for seen, around in zip(board, neighbours(rows, columns), strict=True):
        if seen.isdigit() and (cells := sum(1 << cell for cell in around) & hidden):
            constraints.add((cells, int(seen)))
    return hidden, sorted(constraints)


def needs_no_guess(rows: int, columns: int, field: str, board: str) -> bool:
    """Return whether logic alone, told the number of mines, reveals every safe cell.

    What is safe stays safe when more is seen, so the order of the reveals does not matter.

    Args:
        rows: Rows of the grid.
        columns: Its columns.
        field: What lies where.
        board: What is seen at the start.
    """
    mines = field.count(MINE)
    while True:
        hidden, constraints = read_constraints(rows, columns, board)
        if hidden.bit_count() == mines:
            return True
        safe = simple_safe(constraints)
        if not safe:
            chances = mine_chances(hidden, constraints, mines)
            safe = sum(group.cells for group in chances if not group.mines)
        if not safe:
            return False
        for cell in cells_of(safe):
            if board[cell] == HIDDEN:
                board, _ = uncover(rows, columns, field, board, cell)


def simple_safe(constraints: Sequence[Constraint]) -> int:
    """Return cells that are safe by what one number says, or two of which one covers the other.

    Applied until nothing new follows; cells that only a wider view shows to be safe are missed.
    """
    known: set[Constraint] = {*constraints}
    safe = mines = 0
    while True:
        reduced: set[Constraint] = set()
        for cells, need in known:
            need -= (cells & mines).bit_count()
            if cells := cells & ~(safe | mines):
                reduced.add((cells, need))
        before = safe, mines
        for cells, need in reduced:
            if need == 0:
                safe |= cells
            elif need == cells.bit_count():
                mines |= cells
        if before == (safe, mines):
            new = {
                (b & ~a, need_b - need_a)
                for a, need_a in reduced
                for b, need_b in reduced
                if a != b and a & ~b == 0
            }
            if new <= reduced:
                return safe
            reduced |= new
        known = reduced


def mine_chances(hidden: int, constraints: Sequence[Constraint], mines: int) -> list[Chances]:
    """Return the exact chances of all hidden cells, every arrangement of the mines alike.

    Cells under the same numbers are alike and make a group. Arrangements are counted group by
    group, forward and then backward, by what the constraints still need and the mines so far: the
    work grows with the width of the frontier and not with the number of arrangements.

    Args:
        hidden: All cells that are not revealed.
        constraints: What the numbers say.
        mines: Mines in the hidden cells.
    """
    groups = order_groups(constraints)
    rest = hidden
    for cells, _ in groups:
        rest &= ~cells
    last = {i: place for place, (_, touched) in enumerate(groups) for i in touched}
    start = sum(need << _BITS * i for i, (_, need) in enumerate(constraints))
    # Layer by layer, (needs, mines so far) -> arrangements of the groups before.
    forward: list[dict[tuple[int, int], int]] = [{(start, 0): 1}]
    moves: list[dict[tuple[int, int], list[tuple[int, int, int]]]] = []
    for place, (cells, touched) in enumerate(groups):
        size = cells.bit_count()
        step = sum(1 << _BITS * i for i in touched)
        closed = sum(15 << _BITS * i for i in touched if last[i] == place)
        layer: dict[tuple[int, int], int] = defaultdict(int)
        steps: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        for (needs, used), ways in forward[-1].items():
            most = min(size, mines - used, *(needs >> _BITS * i & 15 for i in touched))
            mine: list[tuple[int, int, int]] = []
            for count in range(most + 1):
                after = needs - count * step
                if not after & closed:
                    mine.append((after, used + count, count))
                    layer[after, used + count] += ways * comb(size, count)
            steps[needs, used] = mine
        forward.append(layer)
        moves.append(steps)
    size = rest.bit_count()
    backward = {key: comb(size, mines - key[1]) for key in forward[-1]}
    total = sum(ways * backward[key] for key, ways in forward[-1].items())
    found: list[Chances] = []
    if rest:
        in_rest = sum(ways * backward[key] * (mines - key[1]) for key, ways in forward[-1].items())
        found.append(Chances(rest, in_rest, total * size))
    for place in range(len(groups) - 1, -1, -1):
        cells, size = groups[place][0], groups[place][0].bit_count()
        earlier: dict[tuple[int, int], int] = {}
        in_group = 0
        for key, ways in forward[place].items():
            after = with_mines = 0
            for needs, used, count in moves[place][key]:
                weight = comb(size, count) * backward[needs, used]
                after += weight
                with_mines += count * weight
            earlier[key] = after
            in_group += ways * with_mines
        backward = earlier
        found.append(Chances(cells, in_group, total * size))
    return found


def order_groups(constraints: Sequence[Constraint]) -> list[tuple[int, list[int]]]:
    """Group the cells by the constraints they are in; return the groups, and each one's.

    The constraint with the fewest groups left, of those begun if there are any, is completed next,
    so that few are open at a time.
    """
    touching: dict[int, list[int]] = defaultdict(list)
    for i, (cells, _) in enumerate(constraints):
        for cell in cells_of(cells):
            touching[cell].append(i)
    groups: dict[tuple[int, ...], int] = defaultdict(int)
    for cell in sorted(touching):
        groups[tuple(touching[cell])] |= 1 << cell
    left = {i: {key for key in groups if i in key} for i in range(len(constraints))}
    begun: set[int] = set()
    ordered: list[tuple[int, list[int]]] = []
    while open_ones := [i for i in left if left[i]]:
        best = min(open_ones, key=lambda i: (i not in begun, len(left[i]), i))
        for key in sorted(left[best]):
            ordered.append((groups[key], list(key)))
            begun.update(key)
            for i in key:
                left[i].discard(key)
    return ordered
