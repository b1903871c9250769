"""The Sudoku grid: its geometry, and the search that draws and digs grids.

Cells are numbered row by row from 0. Numbers are bits (``1 << number``) and sets of numbers are bit
masks, so that a search step is a few integer operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

SIZES = (4, 9)


class Grid(NamedTuple):
    """The groups (rows, columns, boxes) of a size and how they share cells."""

    groups: tuple[tuple[int, ...], ...]
    """The cells of each row, then each column, then each box."""
    groups_of: tuple[tuple[int, int, int], ...]
    """The row, column and box of each cell, as indices into ``groups``."""
    peers: tuple[tuple[int, ...], ...]
    """The other cells that share a group with a cell."""
    peer_values: tuple[Callable[[Sequence[int]], tuple[int, ...]], ...]
    """For each cell, a function from a board to its peers' values."""


def build_grid(size: int) -> Grid:
    """Return the geometry of a size x size board."""
    box, span = isqrt(size), range(size)
    rows = [tuple(row * size + column for column in span) for row in span]
    columns = [tuple(row * size + column for row in span) for column in span]
    boxes = [
        tuple((top + row) * size + left + column for row in range(box) for column in range(box))
        for top in range(0, size, box)
        for left in range(0, size, box)
    ]
    groups = (*rows, *columns, *boxes)
    groups_of: list[tuple[int, int, int]] = []
    peers: list[tuple[int, ...]] = []
    for cell in range(size * size):
        row, column = divmod(cell, size)
        mine = row, size + column, 2 * size + row // box * box + column // box
        groups_of.append(mine)
        peers.append(tuple(sorted({other for i in mine for other in groups[i]} - {cell})))
    getters: list[Any] = [itemgetter(*others) for others in peers]
    return Grid(groups, tuple(groups_of), tuple(peers), tuple(getters))


GRIDS = {size: build_grid(size) for size in SIZES}


def draw_solution(size: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Draw a full grid: a search that tries the numbers of each cell in an order of its own."""
    grid, cells, box = GRIDS[size], size * size, isqrt(size)
    while True:
        masks, bits = [(2 << size) - 2] * cells, [0] * cells
        # Boxes on the diagonal share no group, so all of them can be drawn before the search.
        # Every such start of a 9x9 extends to a full grid, every second one of a 4x4.
        drawn = all(
            bits[cell] == bit or (masks[cell] & bit and place(grid, masks, bits, cell, bit))
            for group in grid.groups[2 * size :: box + 1]
            for cell, bit in zip(group, (2 << rng.permutation(size)).tolist(), strict=True)
        )
        orders = (2 << rng.random((cells, size)).argsort(axis=1)).tolist()
        if drawn and (found := search(grid, masks, bits, orders)) is not None:
            return tuple(bit.bit_length() - 1 for bit in found)


def solve(board: Sequence[int]) -> tuple[int, ...] | None:
    """Return a solution of a board (0: empty cell), or None if it has none."""
    size = isqrt(len(board))
    grid, masks, bits = GRIDS[size], [(2 << size) - 2] * len(board), [0] * len(board)
    for cell, number in enumerate(board):
        bit = 1 << number
        if not number or bits[cell] == bit:
            continue
        if not masks[cell] & bit or not place(grid, masks, bits, cell, bit):
            return None
    found = search(grid, masks, bits)
    return None if found is None else tuple(bit.bit_length() - 1 for bit in found)


def dig(
    size: int, solution: Sequence[int], clues: int, order: Sequence[int]
) -> tuple[int, ...] | None:
    """Empty cells in ``order`` while the solution stays unique, until ``clues`` are left.

    Returns:
        The board, or None if no more cells can be emptied before that.
    """
    grid, left = GRIDS[size], size * size
    bits = [1 << number for number in solution]
    used = [(2 << size) - 2] * len(grid.groups)
    for cell in order:
        if left == clues:
            break
        bit, bits[cell] = bits[cell], 0
        row, column, box = grid.groups_of[cell]
        used[row], used[column], used[box] = used[row] ^ bit, used[column] ^ bit, used[box] ^ bit
        if follows(grid, bits, used, cell, bit):
            left -= 1
            continue
        bits[cell] = bit
        used[row], used[column], used[box] = used[row] ^ bit, used[column] ^ bit, used[box] ^ bit
    return tuple(max(0, bit.bit_length() - 1) for bit in bits) if left == clues else None


def follows(grid: Grid, bits: list[int], used: list[int], cell: int, bit: int) -> bool:
    """Return whether no solution has another number than ``bit`` in an empty ``cell``.

    Args:
        grid: The geometry.
        bits: The number in each cell, 0 in an empty one.
        used: The numbers in each group.
        cell: The cell in question.
        bit: Its number in the one solution that is known.
    """
    full = (2 << isqrt(len(bits))) - 2
    masks = [
        0 if bits[i] else full & ~(used[row] | used[column] | used[box])
        for i, (row, column, box) in enumerate(grid.groups_of)
    ]
    masks[cell] ^= bit
    if not masks[cell]:
        return True
    for group in grid.groups_of[cell]:
        if not any(masks[i] & bit for i in grid.groups[group]):
            return True  # no other cell of the group can take the number
    bits = bits.copy()
    for i, mask in enumerate(masks):
        # A mask of one bit; place() may have emptied the cell's mask in the meantime.
        if mask and not mask & (mask - 1) and not bits[i] and not place(grid, masks, bits, i, mask):
            return True
    return search(grid, masks, bits) is None


def place(grid: Grid, masks: list[int], bits: list[int], cell: int, bit: int) -> bool:
    """Put a number in an empty cell, then all that must follow as the only candidate of a cell.

    Args:
        grid: The geometry.
        masks: The candidates of each empty cell, 0 for a filled one; changed in place.
        bits: The number in each cell, 0 in an empty one; changed in place.
        cell: The cell to fill.
        bit: The number to put there.

    Returns:
        False if a cell is left without candidates.
    """
    forced = [(cell, bit)]
    while forced:
        cell, bit = forced.pop()
        bits[cell], masks[cell] = bit, 0
        for peer in grid.peers[cell]:
            mask = masks[peer]
            if mask & bit:
                mask ^= bit
                if not mask:
                    return False
                masks[peer] = mask
                if not mask & (mask - 1):
                    forced.append((peer, mask))
    return True


def search(
    grid: Grid, masks: list[int], bits: list[int], orders: Sequence[Sequence[int]] | None = None
) -> list[int] | None:
    """Return the numbers of a solution, or None; the cell with the fewest candidates goes first.

    Args:
        grid: The geometry.
        masks: The candidates of each empty cell, 0 for a filled one.
        bits: The number in each cell, 0 in an empty one.
        orders: For each cell, the order in which its numbers are tried; None for the natural one.
    """
    cell, fewest = -1, len(bits)
    for i, mask in enumerate(masks):
        if mask and (count := mask.bit_count()) < fewest:
            cell, fewest = i, count
            if count <= 2:
                break
    if cell < 0:
        return bits
    mask = masks[cell]
    for bit in orders[cell] if orders else [1 << n for n in range(1, mask.bit_length())]:
        if mask & bit:
            next_masks, next_bits = masks.copy(), bits.copy()
            if place(grid, next_masks, next_bits, cell, bit):
                found = search(grid, next_masks, next_bits, orders)
                if found is not None:
                    return found
    return None
