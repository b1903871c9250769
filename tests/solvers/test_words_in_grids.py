"""The solvers of Crosswords and WordSearch."""

from typing import Any

import gymnasium as gym
import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.solvers.word_search import WordSearchSolver
from tests.solvers.test_solvers import assert_wins


@pytest.mark.parametrize("seed", range(5))
def test_a_crossword_is_solved_letter_by_letter(seed: int) -> None:
    rules: dict[str, Any] = {"words": 8, "max_length": 9, "max_turns": 65, "feedback": "letter"}
    assert_wins(gym.make("gem/Crosswords-v0", **rules), seed)


def test_the_solver_of_crosswords_is_an_oracle_and_says_so() -> None:
    assert getattr(solver_for("gem/Crosswords-v0"), "oracle", False)
    assert not getattr(solver_for("gem/WordSearch-v0"), "oracle", False)


def test_a_clue_that_is_not_in_the_list_is_named() -> None:
    text = "   1 2 3\n1: _ _ _\n1 across from row 1, column 1, 3 letters: my cat's name"
    with pytest.raises(ConfigError, match='no word of 3 letters for "my cat\'s name"'):
        solver_for("gem/Crosswords-v0").reset(text, {})


@pytest.mark.parametrize("id", ["gem/Crosswords-v0", "gem/WordSearch-v0"])
def test_a_text_of_another_game_is_refused(id: str) -> None:
    with pytest.raises(ConfigError, match="Chess"):
        solver_for(id).reset("Chess: mate the king.", {})


@pytest.mark.parametrize(
    ("rows", "reply"),
    [
        (("CAT", "XXX", "XXX"), r"\boxed{1 1 1 3}"),
        (("XXX", "XXX", "TAC"), r"\boxed{3 3 3 1}"),
        (("TXX", "XAX", "XXC"), r"\boxed{3 3 1 1}"),
        (("XXT", "XAX", "CXX"), r"\boxed{3 1 1 3}"),
        (("XTX", "XAX", "XCX"), r"\boxed{3 2 1 2}"),
    ],
)
def test_a_word_is_found_in_every_direction(rows: tuple[str, ...], reply: str) -> None:
    grid = "\n".join(f"{i}: {' '.join(row)}" for i, row in enumerate(rows, 1))
    text = f"   1 2 3\n{grid}\nWords: ACT (found), CAT."
    solver = WordSearchSolver()
    solver.reset(text, {})
    assert solver.act(text, {}) == reply
