import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.data import clues
from gem_gymnasium.games.crosswords_grid import (
    MAX_SIDE,
    VOCABULARIES,
    Layout,
    Place,
    clue_of,
    lay_out,
    number,
    put,
    shown,
    words_of,
)


def runs(board: tuple[str, ...]) -> list[tuple[str, Place]]:
    """Return every run of two or more letters with its place, in the plainest way there is."""
    found: list[tuple[str, Place]] = []
    for down, lines in (
        (False, board),
        (True, ["".join(column) for column in zip(*board, strict=True)]),
    ):
        for i, line in enumerate(lines):
            for match in re.finditer("[A-Z]{2,}", line):
                row, column = (match.start(), i) if down else (i, match.start())
                found.append((match[0], Place(row, column, down)))
    return found


def connected(board: tuple[str, ...]) -> bool:
    """Return whether all letters hang together."""
    cells = {(y, x) for y, row in enumerate(board) for x, cell in enumerate(row) if cell != "."}
    todo = [min(cells)]
    while todo:
        y, x = todo.pop()
        if (y, x) in cells:
            cells.remove((y, x))
            todo += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    return not cells


@pytest.mark.parametrize(
    ("vocabulary", "lengths", "count"),
    [("common", (3, 7), 5), ("basic", (3, 7), 3), ("rare", (6, 9), 3), ("rare", (9, 9), 8)],
)
def test_every_run_of_letters_is_a_word_and_all_hang_together(
    vocabulary: str, lengths: tuple[int, int], count: int
) -> None:
    words = words_of(vocabulary, *lengths)
    for seed in range(60 if count < 8 else 8):
        board, places = lay_out(words, count, np.random.default_rng(seed))
        assert len(places) == count
        assert sorted(runs(board)) == sorted(places.items())
        assert connected(board)
        assert max(len(board), len(board[0])) <= MAX_SIDE
        assert all(len(row) == len(board[0]) for row in board)
        edges = board[0], board[-1], [row[0] for row in board], [row[-1] for row in board]
        assert all(re.search("[A-Z]", "".join(edge)) for edge in edges)


def test_a_word_crosses_wherever_it_may_and_nowhere_else() -> None:
    layout = Layout()
    layout.put("TOOT", Place(0, 0, False))
    assert {*layout.crossings("TO")} == {
        Place(0, 0, True), Place(0, 3, True), Place(-1, 1, True), Place(-1, 2, True),
    }  # fmt: skip
    layout.put("TO", Place(0, 0, True))
    assert {*layout.crossings("TO")} == {
        Place(0, 3, True), Place(-1, 1, True), Place(-1, 2, True), Place(1, -1, False),
    }  # fmt: skip
    # Down from the first O of TOOT, or to the right from that of TO, the X would touch the other.
    assert {*layout.crossings("OX")} == {Place(0, 2, True)}


def test_no_word_continues_another() -> None:
    layout = Layout()
    layout.put("CAR", Place(0, 0, False))
    # In line with CAR each of these would share a letter with it, or touch its end.
    assert all(place.down for word in ("RED", "SCAR", "CART") for place in layout.crossings(word))
    layout.put("RED", Place(0, 2, True))
    assert Place(-3, 2, True) not in [*layout.crossings("TEAR")]


def test_entries_are_numbered_row_by_row_and_share_the_number_of_a_cell() -> None:
    words = words_of("basic", 3, 3)[:3]
    a, b, c = words
    places = {a: Place(2, 0, False), b: Place(0, 4, True), c: Place(2, 0, True)}
    assert [entry[:5] for entry in number(places)] == [
        (1, True, 0, 4, b),
        (2, False, 2, 0, a),
        (2, True, 2, 0, c),
    ]
    assert [entry[5] for entry in number(places)] == [clue_of()[word] for word in (b, a, c)]


@given(
    row=st.integers(0, 2), column=st.integers(0, 2), down=st.booleans(), word=st.sampled_from("AB")
)
def test_what_was_put_is_shown(row: int, column: int, down: bool, word: str) -> None:
    place, word = Place(row, column, down), word * 3
    board = put(("_" * 5,) * 5, place, word)
    assert shown(board, place, 3) == word
    assert "".join(board).count("_") == 22


def test_a_clue_and_a_length_leave_one_word() -> None:
    every = clues()
    assert len(every) == len({clue.word for clue in every})
    assert len(every) == len({(len(clue.word), clue.text) for clue in every})
    assert 14_000 <= len(every) <= 16_000


def test_clues_are_lines_that_do_not_hold_their_word() -> None:
    for word, text, _ in clues():
        assert re.fullmatch("[A-Z]{3,9}", word)
        assert 8 <= len(text) <= 90
        assert text.isprintable()
        assert '"' not in text
        assert word.lower() not in re.findall("[a-z]+", text.lower())


def test_the_vocabularies_are_parted_by_how_common_words_are() -> None:
    basic, common, rare = ({*words_of(name, 3, 9)} for name in VOCABULARIES)
    assert basic < common
    assert not common & rare
    assert len(basic) > 3_000
    assert len(rare) > 3_000
    assert len(common | rare) == len(clues())
