"""The solvers of Wordle and Hangman: what they work out agrees with the games."""

import gymnasium as gym
import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.data import words
from gem_gymnasium.games import hangman, wordle
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.solvers.hangman import HangmanSolver, places_of
from gem_gymnasium.solvers.word_groups import letters_of, split
from gem_gymnasium.solvers.wordle import WordleSolver, guesses_of, mark_numbers


def number_of(marks: str) -> int:
    return int(marks.translate(str.maketrans("-YG", "012")), 3)


@pytest.mark.parametrize("length", [3, 5, 7, 12])
def test_the_table_of_marks_is_the_games(length: int) -> None:
    rng = np.random.default_rng(length)
    chosen = rng.choice(len(words(length)), 40, replace=False)
    table = mark_numbers(letters_of(length)[chosen], letters_of(length)[chosen])
    names = [words(length)[i] for i in chosen]
    for row, guess in zip(table, names, strict=True):
        assert row.tolist() == [number_of(wordle.marks(word, guess)) for word in names]


def test_marks_of_repeated_letters() -> None:
    triples = [f"{a}{b}{c}" for a in "abc" for b in "abc" for c in "abc"]
    letters = np.array([[ord(x) - ord("a") for x in word] for word in triples], np.int8)
    expected = [[number_of(wordle.marks(w, guess)) for w in triples] for guess in triples]
    assert mark_numbers(letters, letters).tolist() == expected


def test_of_many_words_every_kth_is_weighed() -> None:
    chosen, table = guesses_of(4)
    assert len(chosen) == len(words(4))
    assert table.shape == (len(chosen), len(words(4)))


def test_split() -> None:
    table = np.array([[7, 7, 7, 7], [1, 2, 3, 4], [1, 5, 1, 5], [9, 1, 9, 9]], np.uint8)
    bits, answers = split(table)
    assert bits == pytest.approx([2.0, 0.0, 1.0, 0.75 * np.log2(3)])
    assert answers.tolist() == [1, 4, 2, 2]


def test_places_are_bits_of_the_word() -> None:
    index = words(5).index("apple")
    places = places_of(5)[:, index]
    assert {chr(97 + i): int(x) for i, x in enumerate(places) if x} == {
        "a": 0b00001, "p": 0b00110, "l": 0b01000, "e": 0b10000,
    }  # fmt: skip


def test_wordle_keeps_the_words_that_all_marks_allow() -> None:
    env = gym.make("gem/Wordle-v0")
    observation, _ = env.reset(seed=0)
    solver = WordleSolver()
    solver.reset(observation, {})
    env.unwrapped._state = wordle.State("crane", "-----")
    text = env.step(wordle.write("trace"))[0]
    solver.observe(text, {})
    solver.observe(text, {})
    rng = np.random.default_rng(0)
    moves = {solver.consistent_move(rng) for _ in range(300)}
    expected = {w for w in words(5) if wordle.marks(w, "trace") == wordle.marks("crane", "trace")}
    assert moves == {wordle.write(word) for word in expected}


def test_wordle_names_a_word_that_is_possible_at_the_last_turn() -> None:
    env = gym.make("gem/Wordle-v0", max_turns=2)
    observation, _ = env.reset(seed=0)
    solver = WordleSolver()
    solver.reset(observation, {})
    env.unwrapped._state = wordle.State("night", "-----")
    observation = env.step(wordle.write("might"))[0]
    guess = wordle.parse(solver.act(observation, {}))
    assert guess is not None
    assert wordle.marks(guess, "might") == "-GGGG"


def test_wordle_with_more_turns_tells_many_words_apart_with_one() -> None:
    env = gym.make("gem/Wordle-hard-v0")
    observation, _ = env.reset(seed=0)
    solver = WordleSolver()
    solver.reset(observation, {})
    env.unwrapped._state = wordle.State("night", "-----")
    guess = wordle.parse(solver.act(env.step(wordle.write("might"))[0], {}))
    assert guess is not None
    assert wordle.marks(guess, "might") != "-GGGG"  # it cannot be the word, and tells more


def test_hangman_keeps_the_words_that_the_view_allows() -> None:
    solver = HangmanSolver()
    text = "Word: _ I G H T\nMissed: F, S, NIGHT\nTurns left: 9."
    solver.reset(text, {})
    rng = np.random.default_rng(0)
    moves = {solver.consistent_move(rng) for _ in range(200)}
    expected = {w for w in words(5) if w[1:] == "ight" and w[0] not in "fsight" and w != "night"}
    assert moves == {hangman.write(word) for word in expected}


def test_hangman_may_hide_the_word_that_says_that_nothing_was_missed() -> None:
    solver = HangmanSolver()
    for missed, expected in (("none", {"nine", "none"}), ("NINE", {"none"}), ("NONE", {"nine"})):
        solver.reset(f"Word: N _ N E\nMissed: {missed}\nTurns left: 9.", {})
        rng = np.random.default_rng(0)
        moves = {solver.consistent_move(rng) for _ in range(30)}
        assert moves == {hangman.write(word) for word in expected}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("Word: _ I G H T\nMissed: none\nMisses left: 2.\nTurns left: 9.", 1),
        ("Word: _ I G H T\nMissed: none\nMisses left: 1.\nTurns left: 9.", 5),
        ("Word: _ I G H T\nMissed: none\nTurns left: 1.", 5),
        ("Word: _ I G H T\nMissed: F, S, M, R, N, B\nTurns left: 9.", 5),
    ],
)
def test_hangman_names_the_word_with_its_last_try_or_when_it_knows(text: str, size: int) -> None:
    solver = HangmanSolver()
    solver.reset(text, {})
    guess = hangman.parse(solver.act(text, {}))
    assert guess is not None
    assert len(guess) == size


def test_hangman_with_few_misses_is_mostly_won() -> None:
    env = gym.make("gem/Hangman-hard-v0", max_misses=8)
    wins = 0
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        solver = solver_for(env)
        solver.reset(observation, {})
        done = False
        while not done:
            observation, _, done, _, info = env.step(solver.act(observation, {}))
        wins += info["success"]
    assert wins >= 12


@pytest.mark.slow
@pytest.mark.parametrize("id", ["gem/Wordle-v0", "gem/Wordle-easy-v0", "gem/Hangman-v0"])
def test_the_solver_finds_every_word_that_may_be_hidden(id: str) -> None:
    env = gym.make(id)
    # Most words have a beginning in common with others: of each the solver is asked once.
    guesses: dict[tuple[str, ...], str] = {}
    for word in words(env.unwrapped.config.length):
        observation, info = env.reset(seed=0)
        env.unwrapped._state = env.unwrapped._state._replace(word=word)
        seen, done = (observation,), False
        while not done:
            if seen not in guesses:
                guesses[seen] = guess_after(id, seen)
            observation, _, done, _, info = env.step(guesses[seen])
            seen = (*seen, observation)
        assert info["success"], word


def guess_after(id: str, seen: tuple[str, ...]) -> str:
    """Return what a solver guesses that was shown these observations, and chose what led there."""
    solver = solver_for(id)
    solver.reset(seen[0], {})
    for observation in seen[1:-1]:
        solver.observe(observation, {})
    return solver.act(seen[-1], {})


@pytest.mark.parametrize("solver", [WordleSolver(), HangmanSolver()])
def test_a_text_of_another_game_is_refused(solver: WordleSolver | HangmanSolver) -> None:
    with pytest.raises(ConfigError, match="Chess"):
        solver.reset("Chess: mate the king.", {})
