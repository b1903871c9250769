"""Exact comparison, numbers, units, shapes, the gate: tables, never an exception, linear time."""

from fractions import Fraction
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.graders.math_exact import is_words, named_value, same_answer
from gem_gymnasium.graders.math_gate import too_costly
from gem_gymnasium.graders.math_number import read_number
from gem_gymnasium.graders.math_shape import Shape, shape_of
from gem_gymnasium.graders.math_text import after_lead_in, as_latex, canonical
from gem_gymnasium.graders.math_unit import read_unit
from gem_gymnasium.testing import HOSTILE_STRINGS

any_text = st.text(st.characters(exclude_categories=[]))
pieces = st.lists(
    st.sampled_from(
        ["\\frac", "{", "}", "(", "]", "\\{", "\\}", "1", "2.5", ",", "x", "=", "^", "**", "\\cr",
         "\\\\", "&", "\\begin{pmatrix}", "\\end{pmatrix}", "\\text{", "cm", " ", "%", "$", "and",
         "\\sqrt", "!", "...", "answer is", "°", "\ud800", "٣"]
    )
).map("".join)  # fmt: skip
texts = st.one_of(any_text, pieces)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$\\left( \\dfrac12 ,\\, 3 \\right)$", "( \\frac{1}{2} , 3 )"),
        ("  **42.** ", "42"),
        ("5!", "5!"),
        ("\\text{Tuesday}", "Tuesday"),
        ("90^{\\circ}", "90°"),
        ("a \\\\ b", "a \\cr b"),
        ("\\\\frac{1}{2}", "\\frac{1}{2}"),
        ("10,\\!000", "10,000"),
    ],
)
def test_canonical(text: str, value: str) -> None:
    assert canonical(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x**12", "x^{12}"),
        ("2*pi", "2*\\pi "),
        ("sqrt(2)/2", "\\sqrt{2}/2"),
        ("exp(2x)", "e^{2x}"),
        ("\\sin x", "\\sin x"),
        ("3 + -4i", "3 -4i"),
        ("x^(n+1)", "x^{n+1}"),
    ],
)
def test_the_notation_of_programs_becomes_latex(text: str, value: str) -> None:
    assert as_latex(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("The answer is 4", "4"), ("Answer: 4", "4"), ("answer is", "answer is"), ("4", "4")],
)
def test_what_leads_in_is_left_out(text: str, value: str) -> None:
    assert after_lead_in(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", Fraction(12)),
        ("1,234.5", Fraction("1234.5")),
        ("-1 1/2", Fraction(-3, 2)),
        ("\\frac{1}{3}", Fraction(1, 3)),
        ("0.1\\overline{6}", Fraction(1, 6)),
        ("1.5 * 10^{3}", Fraction(1500)),
        ("$12", Fraction(12)),
        ("12 apples", Fraction(12)),
        ("1.5 million people", Fraction(1_500_000)),
        ("3 hundred thousand", Fraction(300_000)),
        ("2-thirds", Fraction(2, 3)),
        ("3 squared", Fraction(9)),
        ("4 degrees below zero", Fraction(-4)),
        ("2 hours, 30 minutes", Fraction(150)),
        ("2 hours 3 cm", None),
        ("30 minutes 2 hours", None),
        ("5 fifty", None),
        ("1,23", None),
        ("1/0", None),
        ("2x", None),
        ("2 \\pi", None),
        ("2 or 3", None),
        ("10^{9999}", None),
        ("--2", None),
        ("", None),
    ],
)
def test_numbers_are_read_exactly(text: str, value: Fraction | None) -> None:
    number = read_number(text)
    assert (number.value if number else None) == value


@pytest.mark.parametrize(
    ("left", "right", "ratio"),
    [
        ("m", "cm", 100),
        ("km/h", "m/s", Fraction(1000, 3600)),
        ("square feet", "ft^2", 1),
        ("hours", "min", 60),
        ("mph", "miles per hour", 1),
    ],
)
def test_units_are_worth_one_another(left: str, right: str, ratio: Fraction) -> None:
    units = [read_unit(text, apart=True) for text in (left, right)]
    assert units[0] is not None
    assert units[1] is not None
    assert units[0].kind == units[1].kind
    assert units[0].size == units[1].size * ratio


def test_a_letter_at_a_number_is_no_unit() -> None:
    assert read_unit("m", apart=False) is None
    assert read_unit("m", apart=True) is not None
    assert read_unit("pi", apart=True) is None


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1, 2", Shape("list", ("1", "2"))),
        ("(1, 2]", Shape("brackets", ("1", "2"), "(]")),
        ("\\{1, 2\\}", Shape("set", ("1", "2"), "\\{\\}")),
        ("(1, 2), 3", Shape("list", ("(1, 2)", "3"))),
        ("1 and 2", Shape("list", ("1", "2"))),
        ("[[1, 2], [3, 4]]", Shape("matrix", ("1", "2", "3", "4"), "2")),
        ("\\begin{pmatrix}1&2\\cr 3&4\\end{pmatrix}", Shape("matrix", ("1", "2", "3", "4"), "2")),
        ("\\begin{pmatrix}1&2\\cr 3\\end{pmatrix}", None),
        ("(1)(2)", None),
        ("(1, 2", None),
        ("1,,2", None),
        ("x", None),
    ],
)
def test_shapes(text: str, shape: Shape | None) -> None:
    assert shape_of(text) == shape


@pytest.mark.parametrize("text", ["Tuesday", "no solution", "Evelyn O'Hara", "isosceles triangle"])
def test_words_are_words(text: str) -> None:
    assert is_words(text)


@pytest.mark.parametrize("text", ["xyz", "ab", "abc", "sin x", "x and y", "5 apples", "x=red", ""])
def test_expressions_are_not_words(text: str) -> None:
    assert not is_words(text)


def test_a_name_has_a_value() -> None:
    assert named_value("x = 5") == "5"
    assert named_value("f(x) = x+1") == "x+1"
    assert named_value("x \\in (1,2)") == "(1,2)"
    assert named_value("1 = 1 = 1") is None
    assert named_value("x < 5") is None


@pytest.mark.parametrize(
    "answer",
    ["2^{2023}", "2^{2^3}", "x^{2^{10}}", "5!", "\\binom{10}{3}", "x^2+y^2+9^9", "e^{e^{x}}", ""],
)
def test_the_gate_lets_ordinary_answers_through(answer: str) -> None:
    assert too_costly(answer) == ""


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("9^(9^9)", "a tower of powers"),
        ("{9}^{{9}^{9}}", "a tower of powers"),
        ("10**-10**10", "a tower of powers"),
        ("2^{99999}", "an exponent over 10000"),
        ("7!!", "a factorial over 1000"),
        ("1001!", "a factorial over 1000"),
        ("\\binom{99999}{9}", "a sum, product or binomial over 1000"),
    ],
)
def test_the_gate_refuses_costly_answers(answer: str, why: str) -> None:
    assert too_costly(answer) == why


@given(text=texts)
def test_text_is_equal_to_itself_or_undecided(text: str) -> None:
    assert same_answer(text, text) is not False or not canonical(text)


@given(left=texts, right=texts)
def test_nothing_raises(left: str, right: str) -> None:
    assert same_answer(left, right) in (True, False, None)
    too_costly(left)
    as_latex(left)
    after_lead_in(left)


@given(left=st.integers(), right=st.integers(), below=st.integers(1, 10**6))
def test_fractions_are_equal_as_numbers_are(left: int, right: int, below: int) -> None:
    same = same_answer(f"{left}/{below}", f"\\frac{{{right}}}{{{below}}}")
    assert same == (left == right)


@given(items=st.lists(st.integers(), min_size=2, max_size=8, unique=True), data=st.data())
def test_lists_have_no_order_and_tuples_do(items: list[int], data: st.DataObject) -> None:
    other = data.draw(st.permutations(items))
    left, right = (", ".join(f"{item} " for item in each) for each in (items, other))
    assert same_answer(left, right) is True
    assert same_answer(f"({left})", f"({right})") is (items == other)


def test_hostile_strings_cost_little() -> None:
    for text in HOSTILE_STRINGS:
        start = thread_time()
        same_answer(text[:10_000], "\\frac{1}{2}, 3")
        too_costly(text)
        assert thread_time() - start < 0.3, ascii(text[:80])


@pytest.mark.parametrize(
    "piece",
    ["(", "{", "\\{", "1,", "\\frac", "\\frac{", "^", "**", "9^", "\\text{", "\\\\", "1 ", "and ",
     "\\begin{pmatrix}", "answer is ", "!", "below zero ", "1 h ", "1 million ",
     "A. ", "(B) ", "= 1", "not ", "5 a", "1_2", "1=(", "x=", "a.", "a ", "$", "1&", "\\cr ", ",1"],
)  # fmt: skip
def test_time_grows_with_the_length_only(piece: str) -> None:
    text = piece * (10_000 // len(piece))
    start = thread_time()
    same_answer(text, "\\frac{1}{2}, 3")
    same_answer("\\frac{1}{2}, 3", text)
    too_costly(text)
    as_latex(text)
    after_lead_in(text)
    assert thread_time() - start < 0.5
