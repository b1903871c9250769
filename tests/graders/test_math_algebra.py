"""Formulas in a finite field: equal ones agree, others differ, nothing hangs."""

from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.graders.math_algebra import read_formula, same_formula
from gem_gymnasium.graders.math_field import SMALL, Field, field

small = st.integers(-9, 9)
names = st.sampled_from(["x", "y", "a_1", "\\pi"])
Tree = tuple[str, str]
"""A formula written in two ways."""


def leaf(number: int) -> Tree:
    """Write a number plainly, and as a sum."""
    return f"({number})", f"({number - 3} + 3)"


trees: st.SearchStrategy[Tree] = st.recursive(
    st.one_of(small.map(leaf), names.map(lambda name: (name, f"({name})"))),
    lambda parts: st.one_of(
        st.tuples(parts, parts).map(lambda ab: (f"({ab[0][0]} + {ab[1][0]})",
                                                f"({ab[1][1]} + {ab[0][1]})")),
        st.tuples(parts, parts).map(lambda ab: (f"({ab[0][0]} - {ab[1][0]})",
                                                f"(-{ab[1][1]} + {ab[0][1]})")),
        st.tuples(parts, parts).map(lambda ab: (f"({ab[0][0]} * {ab[1][0]})",
                                                f"{ab[1][1]} * {ab[0][1]}")),
        parts.map(lambda a: (f"({a[0]})^2", f"(({a[1]}) * ({a[1]}))")),
        parts.map(lambda a: (f"\\frac{{{a[0]}}}{{7}}", f"(({a[1]}) / 7)")),
        parts.map(lambda a: (f"({a[0]}) * \\sqrt{{12}}", f"2 * \\sqrt{{3}} * ({a[1]})")),
    ),
    max_leaves=8,
)  # fmt: skip


@given(tree=trees)
def test_a_formula_written_in_two_ways_is_one(tree: Tree) -> None:
    assert same_formula(*tree) is True


@given(tree=trees, other=small.filter(bool))
def test_a_formula_that_is_off_by_a_number_is_another(tree: Tree, other: int) -> None:
    assert same_formula(tree[0], f"{tree[1]} + ({other})") is False


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("x^2-1", "(x+1)(x-1)", True),
        ("x^2-1", "(x+1)(x-2)", False),
        ("4\\sqrt{2}", "\\sqrt{32}", True),
        ("\\sqrt{2}", "-\\sqrt{2}", False),
        ("\\sqrt{6}", "\\sqrt{2} * \\sqrt{3}", True),
        ("\\sqrt{2} + \\sqrt{3}", "\\sqrt{5}", False),
        ("\\sqrt{\\frac{1}{2}}", "\\frac{\\sqrt{2}}{2}", True),
        ("\\sqrt{-4}", "2i", True),
        ("(1+i)^2", "2i", True),
        ("2^{1/2}", "\\sqrt{2}", True),
        ("2^{2023}-1", "2^{2023}", False),
        ("2^{2^3}", "256", True),
        ("9^{9^9}", "3", False),
        ("\\frac{1}{x} + \\frac{1}{y}", "\\frac{x+y}{xy}", True),
        ("2\\pi", "\\pi * 2", True),
        ("x**2", "x^2", True),
        ("\\sqrt{x^2+1}", "\\sqrt{1+x^2}", True),
    ],
)
def test_what_is_known(left: str, right: str, same: bool) -> None:
    assert same_formula(left, right) is same
    assert same_formula(right, left) is same


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("\\sqrt{x^2}", "x"),  # not for every x
        ("2^{n+1}", "2 * 2^n"),  # equal, but powers of names are names here
        ("1.41421356", "\\sqrt{2}"),  # may be meant to stand for it
        ("x", "y"),
        ("1/2x", "x/2"),  # read in two ways
        ("2\\frac{1}{2}", "1"),  # a mixed number or a product
        ("f(x)", "fx"),
        ("\\sin x", "\\cos x"),
        ("x = 1", "1"),
        ("1/0", "1"),
        ("1 2", "12"),
        ("x2", "2x"),
        ("|x|", "x"),
        ("50%", "50"),
        ("\u0663", "3"),
        ("(" * 50 + "x" + ")" * 50, "x"),
        ("2^3^2", "512"),
        ("", ""),
    ],
)
def test_what_is_not_known(left: str, right: str) -> None:
    assert same_formula(left, right) is None


def test_a_field_has_the_roots_it_needs() -> None:
    numbers = Field()
    for q in (-1, *SMALL):
        value = numbers.root(q)
        assert value is not None
        assert value * value % numbers.p == q % numbers.p
    assert numbers.root(101) is None
    assert numbers.root(0) == 0
    assert field() is field()
    assert Field().p != numbers.p


def test_fractions_have_their_value() -> None:
    half = read_formula("\\frac{1}{2}")
    assert half is not None
    assert half.value * 2 % field().p == 1


@pytest.mark.parametrize(
    "text",
    ["9^{9^{9^{9}}}", "(x+1)^{99999}", "2^{" + "9" * 60 + "}", "1+" * 199 + "1", "((" * 19 + "x",
     "x^" * 150 + "2", "-" * 399 + "1", "\\frac" * 70, "{" * 390],
)  # fmt: skip
def test_nothing_hangs(text: str) -> None:
    field()
    start = thread_time()
    read_formula(text)
    assert thread_time() - start < 0.3
