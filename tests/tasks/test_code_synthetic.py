"""Tests for gem_gymnasium.tasks.code_synthetic: references in the sandbox and against hand work."""

import re
from collections import Counter
from time import thread_time
from typing import Any

import pytest

from gem_gymnasium.sandbox import Policy, run_python
from gem_gymnasium.tasks.code_synthetic import (
    FAMILIES,
    MOST_ALIKE,
    TESTS,
    counting,
    grids,
    lists,
    problem,
    simulation,
    strings,
)
from gem_gymnasium.tasks.dice import rng_of

# One row or more for each family, worked out by hand: input, settings, output.
WORKED: list[tuple[Any, str, dict[str, Any], str]] = [
    (strings.solve_shift, "abz XYZ, 7!", {"by": 2}, "cdb ZAB, 7!"),
    (strings.solve_shift, "cdb", {"by": -2}, "abz"),
    (strings.solve_runs, "aaabcc", {"skip_one": True, "number_first": False}, "a3bc2"),
    (strings.solve_runs, "aaabcc", {"skip_one": False, "number_first": True}, "3a1b2c"),
    (strings.solve_palindromes, "aba ab noon x aba", {"least": 2, "kind": "count"}, "3"),
    (strings.solve_palindromes, "aba ab noon abba x", {"least": 2, "kind": "longest"}, "noon"),
    (strings.solve_palindromes, "ab", {"least": 2, "kind": "longest"}, "none"),
    (strings.solve_turned, "abc de f", {"by": 4, "reverse": True}, "f de bca"),
    (strings.solve_frequent, "b a b\nc a d", {"least": 2, "rising": False}, "a 2\nb 2"),
    (strings.solve_frequent, "b a b\nb a d", {"least": 2, "rising": True}, "a 2\nb 3"),
    (strings.solve_frequent, "b a", {"least": 2, "rising": True}, "none"),
    (strings.solve_brackets, "a(b[c]d)()", {"pairs": "()[]"}, "2"),
    (strings.solve_brackets, "([)]", {"pairs": "()[]"}, "error 3"),
    (strings.solve_brackets, "(()", {"pairs": "()"}, "open"),
    (strings.solve_anagrams, "ab ba ab abc cab bca d", {"least": 2, "kind": "groups"}, "2"),
    (strings.solve_anagrams, "ab ba ab abc cab bca d", {"least": 3, "kind": "words"}, "3"),
    (strings.solve_edits, "abc\nabd", {"swap": 5, "gap": 1}, "2"),
    (strings.solve_edits, "abc\nbd", {"swap": 1, "gap": 2}, "3"),
    (lists.solve_windows, "4\n1 5 -2 4", {"width": 2, "kind": "max"}, "6"),
    (lists.solve_windows, "4\n1 5 -2 4", {"width": 2, "kind": "min"}, "2"),
    (lists.solve_windows, "4\n5 1 2 4", {"width": 2, "kind": "place"}, "1"),
    (lists.solve_windows, "1\n5", {"width": 2, "kind": "max"}, "none"),
    (lists.solve_ranked, "5\n3 9 9 1 4", {"rank": 2, "largest": True}, "4"),
    (lists.solve_ranked, "2\n3 3", {"rank": 2, "largest": False}, "none"),
    (lists.solve_pairs, "4\n1 2 3 -1", {"number": 3, "kind": "divisible"}, "2"),
    (lists.solve_pairs, "4\n1 2 2 3", {"number": 4, "kind": "sum"}, "2"),
    (lists.solve_pairs, "4\n1 3 1 5", {"number": 2, "kind": "difference"}, "3"),
    (lists.solve_disorder, "4\n5 1 4 2", {"gap": 0}, "4"),
    (lists.solve_disorder, "4\n5 1 4 2", {"gap": 2}, "2"),
    (lists.solve_stretch, "5\n1 2 2 3 4", {"kind": "rising"}, "3"),
    (lists.solve_stretch, "5\n1 2 2 3 4", {"kind": "not falling"}, "5"),
    (lists.solve_stretch, "3\n1 2 3", {"kind": "falling"}, "1"),
    (lists.solve_stretch, "4\n1 2 4 5", {"kind": "parity"}, "2"),
    (lists.solve_stretch, "4\n1 4 8 9", {"kind": "near"}, "2"),
    (lists.solve_queries, "4 2\n3 1 3 8\n1 3\n2 4", {"kind": "sum"}, "7\n12"),
    (lists.solve_queries, "4 2\n3 1 3 8\n1 3\n2 4", {"kind": "spread"}, "2\n7"),
    (lists.solve_queries, "4 1\n3 1 3 8\n1 3", {"kind": "different"}, "2"),
    (lists.solve_queries, "4 1\n3 1 3 8\n1 4", {"kind": "even"}, "1"),
    (
        lists.solve_parted,
        "5\n4 3 6 5 1",
        {"divisor": 3, "first": "turned", "rest": "rising"},
        "6 3 1 4 5",
    ),
    (lists.solve_spans, "3\n1 3\n3 5\n8 9", {"touching": True, "kind": "list"}, "1 5\n8 9"),
    (lists.solve_spans, "3\n1 3\n3 5\n8 9", {"touching": False, "kind": "count"}, "3"),
    (lists.solve_spans, "3\n1 9\n3 5\n8 12", {"touching": False, "kind": "longest"}, "11"),
    (lists.solve_subsequence, "5\n3 1 2 2 4", {"kind": "rising"}, "3"),
    (lists.solve_subsequence, "5\n3 1 2 2 4", {"kind": "falling"}, "2"),
    (lists.solve_subsequence, "5\n1 2 3 1 1", {"kind": "zigzag"}, "3"),
    (lists.solve_majority, "5\n2 2 1 1 3", {"share": 3}, "1 2"),
    (lists.solve_majority, "4\n2 2 1 1", {"share": 2}, "none"),
    (grids.solve_islands, "2 3\n#.#\n.#.", {"diagonal": False, "kind": "count"}, "3"),
    (grids.solve_islands, "2 3\n#.#\n.#.", {"diagonal": True, "kind": "largest"}, "3"),
    (grids.solve_islands, "2 3\n##.\n..#", {"diagonal": False, "kind": "sizes"}, "2 1"),
    (grids.solve_descent, "2 2\n1 9\n2 3", {"most": True, "diagonal": False}, "13"),
    (grids.solve_descent, "2 2\n1 9\n2 3", {"most": False, "diagonal": True}, "4"),
    (grids.solve_maze, "3 3\nS#E\n.#.\n...", {"moves": "sides"}, "6"),
    (grids.solve_maze, "3 3\nS#E\n.#.\n...", {"moves": "king"}, "4"),
    (grids.solve_maze, "3 3\nS..\n...\n.E.", {"moves": "knight"}, "1"),
    (grids.solve_maze, "3 3\nS#E\n##.\n...", {"moves": "sides"}, "-1"),
    (
        grids.solve_life,
        "3 3\n...\n###\n...",
        {"rounds": 1, "born": [3], "stay": [2, 3]},
        ".#.\n.#.\n.#.",
    ),
    (grids.solve_moved, "2 3\nabc\ndef", {"steps": ["right"]}, "da\neb\nfc"),
    (grids.solve_moved, "2 3\nabc\ndef", {"steps": ["left"]}, "cf\nbe\nad"),
    (grids.solve_moved, "2 3\nabc\ndef", {"steps": ["mirror", "flip"]}, "fed\ncba"),
    (grids.solve_spiral, "3 3\nabc\ndef\nghi", {"clockwise": True, "inward": True}, "abcfihgde"),
    (grids.solve_spiral, "3 3\nabc\ndef\nghi", {"clockwise": False, "inward": True}, "adghifcbe"),
    (grids.solve_spiral, "1 2\nab", {"clockwise": True, "inward": False}, "ba"),
    (counting.solve_digits, "100", {"base": 9, "kind": "sum"}, "4"),  # 121
    (counting.solve_digits, "5134", {"base": 10, "kind": "alternating"}, "-3"),  # 4 - 3 + 1 - 5
    (counting.solve_digits, "255", {"base": 16, "kind": "different"}, "1"),
    (counting.solve_steps, "6", {"times": 3, "plus": 1, "limit": 20}, "8"),
    (counting.solve_steps, "3", {"times": 3, "plus": 3, "limit": 20}, "never"),
    (counting.solve_primes, "2 20", {"last": 3, "kind": "sum"}, "16"),
    (counting.solve_primes, "1 10", {"last": -1, "kind": "count"}, "4"),
    (counting.solve_primes, "14 16", {"last": -1, "kind": "largest"}, "-1"),
    (counting.solve_rebased, "2\nff\n0", {"source": 16, "target": 2}, "11111111\n0"),
    (counting.solve_coins, "11", {"coins": [2, 5], "fewest": True}, "4"),
    (counting.solve_coins, "3", {"coins": [2, 5], "fewest": True}, "-1"),
    (counting.solve_coins, "10", {"coins": [2, 5], "fewest": False}, "2"),
    (counting.solve_packed, "2 6\n3 5\n2 3", {"again": False}, "8"),
    (counting.solve_packed, "2 6\n3 5\n2 3", {"again": True}, "10"),
    (counting.solve_stairs, "5", {"steps": [1, 2], "modulus": 97}, "8"),
    (counting.solve_stairs, "5", {"steps": [2, 4], "modulus": 97}, "0"),
    (counting.solve_divisors, "2\n12 5", {"kind": "multiples", "number": 2}, "4 0"),
    (counting.solve_divisors, "2\n12 5", {"kind": "below", "number": 5}, "4 5"),
    (counting.solve_divisors, "2\n12 5", {"kind": "others", "number": 2}, "4 6"),
    (simulation.solve_robot, "FRFLLF", {"size": 3, "wrap": False, "kind": "place"}, "0 1"),
    (simulation.solve_robot, "LFRF", {"size": 3, "wrap": True, "kind": "place"}, "2 1"),
    (simulation.solve_robot, "LFRF", {"size": 3, "wrap": False, "kind": "seen"}, "2"),
    (
        simulation.solve_stack,
        "6\npush 3\npush 400\nmul\ndup\nadd\npush 1",
        {"names": ["add", "mul", "swap", "dup"]},
        "400 1",
    ),
    (simulation.solve_stack, "2\npush 3\nadd", {"names": ["add", "mul", "swap", "dup"]}, "error"),
    (
        simulation.solve_stack,
        "3\npush 3\npush 4\nswap",
        {"names": ["add", "mul", "swap", "dup"]},
        "4 3",
    ),
    (simulation.solve_circle, "5 2", {"kind": "order"}, "2 4 1 5 3"),
    (simulation.solve_circle, "7 3", {"kind": "last"}, "4"),
    (simulation.solve_circle, "4 2", {"kind": "turns"}, "2 4 3 1"),
    (
        simulation.solve_accounts,
        "4\nin ann 10\nout ann 9\nmove ann bob 5\nmove bob cid 9",
        {"fee": 2, "credit": 0},
        "ann 3\nbob 5\ncid 0\nrefused 2",
    ),
    (simulation.solve_accounts, "1\nout ann 9", {"fee": 1, "credit": 10}, "ann -10\nrefused 0"),
    (simulation.solve_turns, "3\n2 5 3", {"slice_s": 3}, "2 10 8"),
    (simulation.solve_roads, "3 2\n1 2 4\n3 2 5", {"one_way": True, "kind": "all"}, "0 4 -1"),
    (simulation.solve_roads, "3 2\n1 2 4\n3 2 5", {"one_way": False, "kind": "last"}, "9"),
    (simulation.solve_roads, "3 1\n1 2 4", {"one_way": True, "kind": "farthest"}, "4"),
    (simulation.solve_order, "3 1\n3 1", {"largest": False}, "2 3 1"),
    (simulation.solve_order, "3 1\n3 1", {"largest": True}, "3 2 1"),
    (simulation.solve_order, "2 2\n1 2\n2 1", {"largest": True}, "impossible"),
]


@pytest.mark.parametrize(("solve", "text", "settings", "expected"), WORKED)
def test_references_give_what_was_worked_out_by_hand(
    solve: Any, text: str, settings: dict[str, Any], expected: str
) -> None:
    assert solve(text, **settings) == expected
    assert solve(text + "\n", **settings) == expected


def test_every_family_was_worked_out_by_hand() -> None:
    assert len(FAMILIES) >= 25
    solved = {solve for solve, *_ in WORKED}
    assert {family(rng_of(0)).solve for family in FAMILIES.values()} == solved


@pytest.mark.parametrize("family", FAMILIES)
def test_the_reference_program_passes_the_hidden_tests_in_the_sandbox(family: str) -> None:
    posed = problem(rng_of(1), family)
    for text, output in zip(posed.inputs, posed.outputs, strict=True):
        result = run_python(posed.program, stdin=text, policy=Policy(time_s=10))
        assert (result.status, result.output.strip()) == ("ok", output), result.errors


@pytest.mark.parametrize("family", FAMILIES)
def test_problems_are_well_posed(family: str) -> None:
    statements: set[str] = set()
    for index in range(25):
        posed = problem(rng_of(2, index), family)
        assert len({*posed.inputs}) == TESTS
        assert Counter(posed.outputs).most_common(1)[0][1] <= MOST_ALIKE
        assert all(output.strip() == output != "" for output in posed.outputs)
        assert posed.question.count("Example input:") == 2
        assert not re.search(
            r"  |None|\{|\}| ,|\.\.[^.#\n]", posed.question.split("Example")[0]
        ) or (family == "brackets")
        statements.add(posed.question.split("Example")[0])
    assert len(statements) >= 2


def test_there_are_many_different_problems() -> None:
    made = [problem(rng_of(3, index)) for index in range(600)]
    assert len({one.question for one in made}) == len(made)
    assert len({one.question.split("Example")[0] for one in made}) >= 250
    assert {one.family for one in made} == {*FAMILIES}


def test_equal_draws_make_equal_problems() -> None:
    assert problem(rng_of(4, 1)) == problem(rng_of(4, 1)) != problem(rng_of(4, 2))


def test_a_problem_is_made_within_50_ms() -> None:
    times = []
    for index in range(300):
        start = thread_time()
        problem(rng_of(5, index))
        times.append(thread_time() - start)
    assert sorted(times)[296] <= 0.1  # CPU seconds, on a busy machine too
