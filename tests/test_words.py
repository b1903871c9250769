"""The bundled word lists: what games hide and what guesses may be."""

import pytest

from gem_gymnasium.data import all_words, read_text, word_set, words


@pytest.mark.parametrize("length", range(3, 13))
def test_words_are_sorted_lower_case_and_each_there_once(length: int) -> None:
    common = words(length)
    assert list(common) == sorted({*common})
    assert all(len(word) == length and word.isascii() and word.isalpha() for word in common)
    assert "".join(common) == "".join(common).lower()
    assert len(common) >= 400
    assert {*common} < word_set(length) == {*all_words(length)}
    assert list(all_words(length)) == sorted(word_set(length))


def test_there_are_no_words_of_other_lengths() -> None:
    assert words(2) == words(13) == ()
    assert word_set(0) == frozenset()


@pytest.mark.parametrize("word", ["apple", "crane", "stone", "house", "these", "dark", "cat"])
def test_everyday_words_are_common(word: str) -> None:
    assert word in words(len(word))


@pytest.mark.parametrize("word", ["fibre", "odour", "breast", "idiot", "aunts"])
def test_rare_british_and_rude_words_can_be_guessed(word: str) -> None:
    assert word in word_set(len(word))


@pytest.mark.parametrize("word", ["fibre", "breast", "idiot", "sex", "mes"])
def test_they_are_never_hidden(word: str) -> None:
    assert word not in words(len(word))


@pytest.mark.parametrize("word", ["london", "nasa", "xqzzy", "shit", "etc", "dont"])
def test_names_abbreviations_and_obscenities_are_no_words(word: str) -> None:
    assert word not in word_set(len(word))


def test_the_notice_is_shipped() -> None:
    assert "Copyright 2000-2011 by Kevin Atkinson" in read_text("scowl_copyright.txt")
