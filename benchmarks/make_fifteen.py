"""Make the 4x4 starts that the package deals for small budgets: ``data/fifteen_starts.txt``.

Boards are drawn uniformly and kept if IDA* solves them in at most 33 moves, which a budget of 50
turns holds one and a half times. So the pack is a uniform sample of all such boards (about 7e9, one
in 1,500 of the solvable ones). A line holds a board (a hexadecimal digit a cell, 0 the gap) and the
moves of its shortest solution. Of a board and its mirror image only one is kept: the game deals
both.

The same seed gives the same bytes. It takes about fifteen minutes of one core:

    python benchmarks/make_fifteen.py
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from gem_gymnasium.games.fifteen_puzzle_search import (
    Board,
    is_solvable,
    solve,
    transpose,
    walk_nodes,
    walks,
)

OUT = Path(__file__).resolve().parent.parent / "gem_gymnasium" / "data" / "fifteen_starts.txt"

BATCH = 1 << 16


def draw_near(rng: np.random.Generator, most: int) -> list[Board]:
    """Draw boards and return those whose tiles are at most ``most`` steps from home together."""
    tiles = rng.permuted(np.tile(np.arange(16, dtype=np.int8), (BATCH, 1)), axis=1)
    homes, cells = (tiles - 1) % 16, np.arange(16)
    steps = abs(homes // 4 - cells // 4) + abs(homes % 4 - cells % 4)
    near = np.where(tiles > 0, steps, 0).sum(axis=1) <= most
    return [tuple(board) for board in tiles[near].tolist()]


def make(count: int, most: int, seed: int) -> dict[Board, int]:
    """Return ``count`` boards with the moves of their shortest solutions."""
    rng, found = np.random.default_rng(seed), dict[Board, int]()
    distances = walks().distances
    while True:
        for board in draw_near(rng, most):
            row, column = walk_nodes(board)
            if distances[row] + distances[column] > most or not is_solvable(4, board):
                continue
            path = solve(board, most)
            if path and board not in found and transpose(4, board) not in found:
                found[board] = len(path)
                if len(found) == count:
                    return found


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=4_000, help="boards (default: 4000)")
    parser.add_argument("--most", type=int, default=33, help="longest solution (default: 33)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    found = make(args.count, args.most, args.seed)
    lines = [
        f"{''.join(f'{tile:x}' for tile in board)} {moves}\n" for board, moves in found.items()
    ]
    args.out.write_text("".join(lines), encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
