"""What a worker for reasoning-gym's answers runs: the data set's scorer, with its faults put right.

Runs in the sandbox, behind ``values.py``. Nothing here evaluates an answer but sympy's
``parse_expr`` for the two integration sets and the polynomials, whose answers the gate has let
through and which have a worker of their own.
"""

import ast
import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

from gem_gymnasium.graders.values import decode

Item = dict[str, Any]
Scorer = Callable[[Any, str, Item], float]

_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: Fraction.__add__,
    ast.Sub: Fraction.__sub__,
    ast.Mult: Fraction.__mul__,
    ast.Div: Fraction.__truediv__,
}

EVALUATING = {
    "binary_matrix": "reasoning_gym.algorithmic.binary_matrix",
    "spiral_matrix": "reasoning_gym.algorithmic.spiral_matrix",
    "string_insertion": "reasoning_gym.algorithmic.string_insertion",
    "n_queens": "reasoning_gym.games.n_queens",
}
"""Data sets whose scorers call ``eval`` on an answer that may be a list, and their modules."""


def arithmetic(text: str) -> Fraction:
    """Return the exact value of numbers with ``+ - * /`` and brackets, without running it.

    Raises:
        ValueError: There is anything else in it.
    """
    return _value(ast.parse(text.strip(), mode="eval").body)


def _value(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Fraction(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError(f"no arithmetic: {ast.dump(node)[:80]}")


def score_countdown(dataset: Any, answer: str, item: Item) -> float:
    """Score as the data set does, without running the answer."""
    used = sorted(map(int, re.findall(r"\b\d+\b", answer)))
    try:
        value = arithmetic(answer)
    except (ValueError, SyntaxError, ZeroDivisionError, RecursionError):
        return 0.01
    solved = used == sorted(item["metadata"]["numbers"]) and value == item["metadata"]["target"]
    return 1.0 if solved else 0.05


def score_puzzle24(dataset: Any, answer: str, item: Item) -> float:
    """Ask for the puzzle's own numbers; the data set takes any four that make 24."""
    used = sorted(map(int, re.findall(r"\b\d+\b", answer)))
    try:
        solved = arithmetic(answer) == 24
    except (ValueError, SyntaxError, ZeroDivisionError, RecursionError):
        return 0.01
    return 1.0 if solved and used == sorted(item["metadata"]["numbers"]) else 0.01


def score_halting(dataset: Any, answer: str, item: Item) -> float:
    """Compare the answers; the data set compares whether both texts are not empty."""
    return float(answer.lower() == str(item["answer"]).strip().lower())


def score_complex(dataset: Any, answer: str, item: Item) -> float:
    """Refuse numbers that are not finite; the data set gives ``nan`` the whole score."""
    number = dataset.parse_string_to_complex(answer)
    if number is None or not (math.isfinite(number.real) and math.isfinite(number.imag)):
        return 0.0
    return dataset.score_answer(answer, item)


def score_factors(dataset: Any, answer: str, item: Item) -> float:
    """Give half for a product that is right only if it is one of more than the number and ones."""
    try:
        factors = [int(factor) for factor in answer.split("\u00d7")]
    except ValueError:
        return 0.0
    score = dataset.score_answer(answer, item)
    if score < 1.0 and sum(abs(factor) > 1 for factor in factors) < 2:
        return min(score, 0.01)
    return score


def score_coin_flip(dataset: Any, answer: str, item: Item) -> float:
    """Measure the digits that agree by the longer number; ``0`` agreed with all of most."""
    right = float(Fraction(item["answer"].replace(",", "")))
    given = float(Fraction(answer.replace(",", "")))
    if abs(given - right) <= 1e-4:
        return 1.0
    texts = f"{given:.10g}", f"{right:.10g}"
    agreed = 0
    for left, other in zip(*texts, strict=False):
        if left != other:
            break
        agreed += 1
    return agreed / max(map(len, texts))


def score_sorting(dataset: Any, answer: str, item: Item) -> float:
    """Refuse numbers that are not finite: a list of ``NaN`` is in any order, and near all."""
    numbers = json.loads(answer.replace("'", '"'))
    if not all(math.isfinite(float(number)) for number in numbers):
        return 0.0
    return dataset.score_answer(answer, item)


def score_calendar(dataset: Any, answer: str, item: Item) -> float:
    """Where a negative number is right, the data set gives more the further one is off."""
    right = str(item["answer"]).strip()
    if re.fullmatch(r"-\d+", right):
        return float(answer.strip() == right)
    return dataset.score_answer(answer, item)


def score_gsm(dataset: Any, answer: str, item: Item) -> float:
    """Read ``-5`` and ``1,000`` as they stand; the data set reads 5 and 1."""
    if re.fullmatch(r"\$?-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", answer):
        return 1.0 if float(re.sub(r"[$,]", "", answer)) == float(item["answer"]) else 0.01
    return dataset.score_answer(answer, item)


FIXED: dict[str, Scorer] = {
    "calendar_arithmetic": score_calendar,
    "coin_flip": score_coin_flip,
    "complex_arithmetic": score_complex,
    "countdown": score_countdown,
    "game_of_life_halting": score_halting,
    "gsm_symbolic": score_gsm,
    "number_sorting": score_sorting,
    "prime_factorization": score_factors,
    "puzzle24": score_puzzle24,
}
"""Scorers that are put right, with what is wrong in reasoning-gym 0.1.25."""


@cache
def dataset_of(name: str, config: str) -> Any:
    """Return a data set, to score with; its items are not made."""
    if name in EVALUATING:  # a module's own name comes before Python's
        vars(import_module(EVALUATING[name]))["eval"] = ast.literal_eval
    return import_module("reasoning_gym").create_dataset(
        name, **{"size": 1, "seed": 0, **decode(json.loads(config))}
    )


def judge(request: dict[str, Any]) -> tuple[float, str]:
    """Return the score of an answer, and where it comes from.

    Args:
        request: ``name`` and ``config`` of the data set, ``answer``, ``item``.
    """
    name, answer, item = request["name"], request["answer"], decode(request["item"])
    dataset = dataset_of(name, json.dumps(request["config"], sort_keys=True))
    try:
        scorer = FIXED.get(name)
        score = scorer(dataset, answer, item) if scorer else dataset.score_answer(answer, item)
    except Exception as error:
        return 0.0, f"the scorer raised {type(error).__name__}"
    return float(score), f"reasoning-gym: {float(score):.3g}"


def warm_up() -> None:
    """Import what scoring imports, and score once where a worker is not used again."""
    module: Any = import_module("reasoning_gym")
    for name in ("simple_integration", "polynomial_multiplication", "countdown"):
        item = module.create_dataset(name, size=1, seed=0)[0]
        dataset_of(name, '{"dict": []}').score_answer(item["answer"], item)
