"""The solvers: right by theory, and by playing."""

import functools
import itertools
import re

import numpy as np
import pytest

from gem_gymnasium.multiplayer.connect_four import ConnectFourEnv
from gem_gymnasium.multiplayer.nim import NimEnv
from gem_gymnasium.multiplayer.players import (
    connect_four,
    nim,
    player_for,
    tic_tac_toe,
)


def test_tic_tac_toe_is_a_draw_and_every_reply_of_the_solver_keeps_what_is_there() -> None:
    empty = (-1,) * 9
    assert tic_tac_toe.value(empty, 0) == 0
    # X in two corners of a diagonal, O between them: every corner loses for O, every edge draws.
    cells = (0, -1, -1, -1, 1, -1, -1, -1, 0)
    worth = {c: -tic_tac_toe.value(after, 0) for c, after in tic_tac_toe.moves(cells, 1)}
    assert worth == {2: 0, 3: -3, 4: 0, 6: 0, 7: -3, 8: 0}


@functools.cache
def wins(heaps: tuple[int, ...], misere: bool) -> bool:
    """Return whether the one who moves wins, by trying everything."""
    if not any(heaps):
        return misere
    return any(
        not wins((*heaps[:i], left, *heaps[i + 1 :]), misere)
        for i, size in enumerate(heaps)
        for left in range(size)
    )


@pytest.mark.parametrize("misere", [False, True])
def test_nim_in_closed_form_is_nim_by_trying_everything(misere: bool) -> None:
    for heaps in itertools.product(range(6), repeat=3):
        if any(heaps):
            assert nim.is_lost(heaps, misere) != wins(heaps, misere), heaps


@pytest.mark.parametrize("misere", [False, True])
def test_the_nim_solver_wins_every_game_that_can_be_won(misere: bool) -> None:
    won = 0
    for seed in range(40):
        env, rng = NimEnv(misere=misere), np.random.default_rng(seed)
        players = {"player_0": player_for("solver", env), "player_1": player_for("random", env)}
        env.reset(seed=seed)
        winnable = wins(
            tuple(map(int, re.findall(r": (\d+)$", env.observe("player_0")["text"], re.M))), misere
        )
        while not any(env.terminations.values()):
            agent = env.agent_selection
            env.step(players[agent](env.observe(agent)["text"], env.infos[agent], rng))
        won += winnable
        assert not winnable or env.infos["player_0"]["success"]
    assert won > 20


def test_connect_four_takes_a_win_and_blocks_one() -> None:
    rng = np.random.default_rng(0)
    for moves, reply in (("171717", "\\boxed{1}"), ("171727", "\\boxed{7}")):
        env = ConnectFourEnv()
        env.reset(seed=0)
        for column in moves:
            env.step(f"\\boxed{{{column}}}")
        agent = env.agent_selection
        answer = connect_four.play(env.observe(agent)["text"], env.infos[agent], rng)
        assert answer == reply, moves


def test_four_in_a_row_are_found_in_every_direction_and_never_across_an_edge() -> None:
    height = connect_four.HEIGHT

    def board(*cells: tuple[int, int]) -> int:
        return sum(1 << (column * height + row) for row, column in cells)

    assert connect_four.is_won(board(*((2, c) for c in range(3, 7))))
    assert connect_four.is_won(board(*((r, 6) for r in range(2, 6))))
    assert connect_four.is_won(board(*((i, i + 3) for i in range(4))))
    assert connect_four.is_won(board(*((5 - i, i) for i in range(4))))
    assert not connect_four.is_won(board((4, 0), (5, 0), (0, 1), (1, 1)))
    assert len(connect_four._LINES) == 69
