"""Texts speak of one thing in the singular."""

import re
from typing import Any

import gymnasium as gym
import pytest

from gem_gymnasium.core.wording import count_of, spell
from gem_gymnasium.solvers import solver_for


def test_a_noun_is_in_the_plural_where_its_number_is_not_one() -> None:
    assert [count_of(n, "turn") for n in (0, 1, 2)] == ["0 turns", "1 turn", "2 turns"]


def test_a_word_is_spelled_in_upper_case() -> None:
    assert [spell(word) for word in ("crane", "_a_", "x", "")] == ["C R A N E", "_ A _", "X", ""]


@pytest.mark.parametrize(
    ("name", "rules"),
    [("GuessTheNumber", {"max_turns": 1}), ("Mastermind", {"max_turns": 1}),
     ("Minesweeper", {"mines": 1}), ("Wordle", {"max_turns": 1}),
     ("Hangman", {"max_turns": 1, "max_misses": 1}), ("Game2048", {"target": 8, "max_turns": 1}),
     ("WordSearch", {"words": 1, "max_turns": 1}), ("Sudoku", {"clues": 80, "max_turns": 1}),
     ("WikiGame", {"min_distance": 1, "max_distance": 1, "max_turns": 1})],
)  # fmt: skip
def test_rules_of_one_are_in_the_singular(name: str, rules: dict[str, Any]) -> None:
    env = gym.make(f"gem/{name}-v0", **rules)
    observation, _ = env.reset(seed=0)
    assert not re.search(r"\b1 (turns|mines|misses|listed words)\b", observation)
    solver_for(env).reset(observation, {})
