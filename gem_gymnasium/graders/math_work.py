r"""What a worker for math answers runs: ``math-verify`` on one answer. Runs in the sandbox.

It imports nothing of the package, since a worker has nothing of it. ``math-verify``'s own time-outs
use signals, which work in main threads only and cannot stop every computation: they are off, and
the pool's deadline holds instead.
"""

import logging
from importlib import import_module
from typing import Any

# Parsed once in the warm parent, which fills the parser's tables: the first answers of a worker
# would take up to half a second otherwise.
WARM_UP = (
    "\\frac{1}{2}", "(1,2]", "\\{1,2\\}", "[1,2)", "x=5", "f(x)=2x+1", "1.5\\times 10^3", "50\\%",
    "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", "\\begin{bmatrix}a\\\\b\\end{bmatrix}", "x^2+2x+1",
    "(x+1)(x-1)", "2\\pi", "\\sqrt{2}/2", "\\frac{\\sqrt[3]{5}}{2}", "3+4i", "-\\infty<x\\le 3",
    "(-\\infty,2)\\cup[3,\\infty)", "\\log_2 8", "\\ln(2e)", "\\sin^2 x+\\cos(2\\theta)", "5!",
    "\\binom{5}{2}", "a_1b_{12}", "\\pm 3", "3\\pm\\sqrt{2}", "\\emptyset", "\\mathbb{R}",
    "x\\in(1,2)", "x>3", "|x-1|", "\\left(\\frac{3}{5},\\frac{8}{3}\\right)", "12\\text{ cm}^2",
    "\\text{Tuesday}", "120^\\circ", "2^{n-1}", "e^{2x}", "n(n+1)/2", "\\frac{dy}{dx}", "x\\ne 0",
    "\\lfloor 3.5\\rfloor", "\\$18.90", "1\\frac{1}{2}", "x=1,y=2", "1,2,3", "y=2x+\\frac{1}{3}",
    "\\int_0^1 x^2 dx", "\\sum_{k=1}^{n} k", "\\overline{AB}", "10:30", "\\arctan(1)",
    "\\angle ABC",
)  # fmt: skip


DIGITS = 30
TOLERANCE = 1e-5


def parsed(text: str) -> list[Any]:
    """Return what math-verify reads in a formula, as sympy's expressions."""
    # Not ExprExtractionConfig as well: of LaTeX that cannot be parsed it takes the first number, so
    # that "1 + \\foo" would be 1.
    math_verify: Any = import_module("math_verify")
    formula = " ".join(text.replace("$", "").split())
    expressions = math_verify.parse(
        f"${formula}$",
        [math_verify.LatexExtractionConfig()],
        fallback_mode="no_fallback",
        parsing_timeout=None,
    )
    return [with_one_i(expression) for expression in expressions]


def with_one_i(expression: Any) -> Any:
    """Return an expression whose ``i`` is the imaginary unit.

    math-verify has two symbols for it, real and not. Where there can be none, as in an inequality,
    it stays a name.
    """
    sympy: Any = import_module("sympy")
    try:
        names = [symbol for symbol in expression.free_symbols if symbol.name == "i"]
        return expression.xreplace(dict.fromkeys(names, sympy.I)) if names else expression
    except (AttributeError, TypeError):
        return expression


def judge(request: dict[str, Any]) -> tuple[float, str]:
    """Return whether an answer equals one of the references, and why.

    Args:
        request: ``answers``, ways to read one answer; ``references``.
    """
    verify: Any = import_module("math_verify").verify
    logging.disable(logging.CRITICAL)
    answers = [expression for text in request["answers"] for expression in parsed(text)]
    if not answers:
        return 0.0, "math-verify reads no expression in the answer"
    for text in request["references"]:
        for expression in parsed(text):
            for answer in answers:
                if not differs(expression, answer) and verify(
                    expression,
                    answer,
                    allow_set_relation_comp=True,
                    timeout_seconds=None,
                ):
                    return 1.0, "math-verify: equal"
    return 0.0, "math-verify: not equal"


def differs(left: Any, right: Any) -> bool:
    """Return whether two expressions are numbers that plainly differ.

    math-verify takes a difference below 1e-15 for none, and so 1 / 2^98 for 1 / 2^99.
    """
    sympy: Any = import_module("sympy")
    numbers: list[Any] = []
    for expression in (left, right):
        if not isinstance(expression, sympy.Expr) or expression.has(sympy.UnevaluatedExpr):
            return False  # no number, or one with a percent sign
        if expression.free_symbols or not expression.is_number:
            return False
        number = expression.evalf(DIGITS)
        if not number.is_number or number.is_finite is False:
            return False
        numbers.append(number)
    largest = max(abs(numbers[0]), abs(numbers[1]))
    return bool(abs(numbers[0] - numbers[1]) > largest * TOLERANCE)


def warm_up() -> None:
    """Read and compare one expression of each kind."""
    for text in WARM_UP:
        judge({"answers": [text], "references": [f"{text}+0", "x+1"]})
