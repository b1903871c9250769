"""A* for Sokoban: the shortest solution in moves, searched push by push.

Sets of cells are bit masks (bit ``i`` for cell ``i`` of the board), so that one shift moves all the
boxes, or a whole front of the player's walk, at once. A node is (boxes, the player's cell after a
push); the cost of a push is the walk to it plus one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from gem_gymnasium.games.sokoban import (
    BOX,
    BOX_ON_GOAL,
    DIRECTIONS,
    FLOOR,
    GOAL,
    PLAYER,
    PLAYER_ON_GOAL,
    WALL,
    find_player,
)

LOST = 1_000_000
"""The bound of boxes that can no longer all reach a goal."""

Node = tuple[int, int]


class Push(NamedTuple):
    """One push: the boxes before it, where the player stands, and how the cell number changes."""

    boxes: int
    at: int
    step: int


def bits(mask: int) -> Iterator[int]:
    """Yield the cells of a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def shift(mask: int, step: int) -> int:
    """Return a mask with every cell moved by ``step``."""
    return mask << step if step > 0 else mask >> -step


def cells_of(board: str, glyphs: str) -> int:
    """Return the mask of the cells that show one of ``glyphs``."""
    return sum(1 << cell for cell, glyph in enumerate(board) if glyph in glyphs)


class Level:
    """What of a level stays the same, and the lower bounds of the states met so far."""

    def __init__(self, board: str) -> None:
        self.size = size = round(len(board) ** 0.5)
        self.steps = (-size, size, -1, 1)  # as DIRECTIONS
        self.floor = ((1 << len(board)) - 1) ^ cells_of(board, WALL)
        self.goals = cells_of(board, GOAL + BOX_ON_GOAL + PLAYER_ON_GOAL)
        pulls = [self.count_pulls(goal) for goal in bits(self.goals)]
        self.pushes = [tuple(pull.get(cell, LOST) for pull in pulls) for cell in range(len(board))]
        """For each cell, the pushes that a box alone needs from there to each goal."""
        self.alive = sum(1 << cell for cell in {*bits(self.floor)} if min(self.pushes[cell]) < LOST)
        self._bounds: dict[int, int] = {}

    def count_pulls(self, goal: int) -> dict[int, int]:
        """Return the fewest pulls that take a lone box from a goal to each cell, walks ignored."""
        found, front = {goal: 0}, [goal]
        for box in front:
            for step in self.steps:
                to, player = box - step, box - 2 * step
                if self.floor >> to & 1 and self.floor >> player & 1 and to not in found:
                    found[to] = found[box] + 1
                    front.append(to)
        return found

    def bound(self, boxes: int) -> int:
        """Return the pushes that the boxes need at least: the cheapest matching with the goals."""
        known = self._bounds.get(boxes)
        if known is None:
            costs = {0: 0}  # of the goals matched so far, the cheapest way to match them
            for cell in bits(boxes):
                then: dict[int, int] = {}
                for taken, cost in costs.items():
                    for goal, pushes in enumerate(self.pushes[cell]):
                        if pushes < LOST and not taken >> goal & 1:
                            key = taken | 1 << goal
                            if cost + pushes < then.get(key, LOST):
                                then[key] = cost + pushes
                costs = then
            known = self._bounds[boxes] = min(costs.values(), default=LOST)
        return known

    def is_frozen(self, boxes: int, box: int) -> bool:
        """Say whether a box just pushed is part of a square of boxes and walls that never opens.

        Such a 2x2 block is lost if one of its boxes is off its goal.
        """
        full, size = boxes | ~self.floor, self.size
        for corner in (box, box - 1, box - size, box - size - 1):
            block = (3 | 3 << size) << corner
            if full & block == block and boxes & block & ~self.goals:
                return True
        return False

    def walk(self, free: int, start: int) -> Iterator[int]:
        """Yield the masks of the cells that lie 0, 1, 2, ... steps from a cell."""
        size, front = self.size, 1 << start
        while front:
            yield front
            free &= ~front
            front = (front << 1 | front >> 1 | front << size | front >> size) & free

    def reach(self, boxes: int, player: int) -> Iterator[tuple[int, int, int]]:
        """Yield (player's cell, step, walk) of each push that can come next."""
        free = self.floor & ~boxes
        open_to = self.alive & ~boxes
        spots = [(s, shift(boxes & shift(open_to, -s), -s) & free) for s in self.steps]
        spots = [(step, mask) for step, mask in spots if mask]
        for walk, front in enumerate(self.walk(free, player)):
            for step, mask in spots:
                if hit := front & mask:
                    for at in bits(hit):
                        yield at, step, walk


def search(level: Level, boxes: int, player: int) -> list[Push] | None:
    """Return the pushes of a solution of the fewest moves, or None if there is none."""
    root = boxes, player
    costs: dict[Node, int] = {root: 0}
    came: dict[Node, tuple[Node, Push]] = {}
    first = level.bound(boxes)
    queue: dict[int, list[tuple[int, Node]]] = {first: [(0, root)]}  # by cost + bound
    if first >= LOST:
        return None
    for total in count(first):
        while nodes := queue.get(total):
            cost, node = nodes.pop()
            if cost > costs[node]:
                continue
            boxes, player = node
            if boxes == level.goals:
                return trace(came, node)
            for at, step, walk in level.reach(boxes, player):
                box = at + step
                pushed = boxes ^ 1 << box | 1 << box + step
                after, spent = (pushed, box), cost + walk + 1
                if spent >= costs.get(after, LOST):
                    continue
                bound = level.bound(pushed)
                if bound >= LOST or level.is_frozen(pushed, box + step):
                    continue
                costs[after], came[after] = spent, (node, Push(boxes, at, step))
                queue.setdefault(spent + bound, []).append((spent, after))
        queue.pop(total, None)
        if not queue:
            return None
    return None


def trace(came: dict[Node, tuple[Node, Push]], node: Node) -> list[Push]:
    """Return the pushes that led to a node."""
    pushes: list[Push] = []
    while node in came:
        node, push = came[node]
        pushes.append(push)
    return pushes[::-1]


def find_plan(board: str) -> dict[str, tuple[str, ...]] | None:
    """Return the moves to make on each board of a shortest solution, or None if there is none.

    A walk to the next push may go several ways of one length; the plan knows all of them.
    """
    level = Level(board)
    boxes, player = cells_of(board, BOX + BOX_ON_GOAL), find_player(board)
    pushes = search(level, boxes, player)
    if pushes is None:
        return None
    plan: dict[str, tuple[str, ...]] = {}
    names = dict(zip(level.steps, DIRECTIONS, strict=True))
    for before, at, step in pushes:
        free = level.floor & ~before
        gone = {c: i for i, mask in enumerate(level.walk(free, player)) for c in bits(mask)}
        left = {c: i for i, mask in enumerate(level.walk(free, at)) for c in bits(mask)}
        for cell in gone:
            if gone[cell] + left[cell] == gone[at]:
                nearer = [s for s in level.steps if left.get(cell + s, LOST) < left[cell]]
                moves = tuple(names[s] for s in nearer) or (names[step],)
                plan[draw(level, before, cell)] = moves
        player = at + step
    return plan


def draw(level: Level, boxes: int, player: int) -> str:
    """Return the board of a state."""
    glyphs: list[str] = []
    for cell in range(level.size**2):
        home = level.goals >> cell & 1
        if cell == player:
            glyphs.append(PLAYER_ON_GOAL if home else PLAYER)
        elif boxes >> cell & 1:
            glyphs.append(BOX_ON_GOAL if home else BOX)
        elif home:
            glyphs.append(GOAL)
        else:
            glyphs.append(FLOOR if level.floor >> cell & 1 else WALL)
    return "".join(glyphs)
