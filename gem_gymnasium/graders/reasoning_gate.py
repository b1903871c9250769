"""Which answers a scorer of reasoning-gym sees: those that have the form its data set asks for.

Nine scorers of reasoning-gym 0.1.25 run the model's answer as code (``eval``, sympy's
``parse_expr``), and some hang on numbers like ``9**9**9**9`` or ``1e99999999``. Here each of them
gets only characters and names that an answer needs. Pure, linear, never raises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from gem_gymnasium.graders.math_gate import too_costly


class Gate(NamedTuple):
    """What an answer may be made of.

    Args:
        characters: All that may be in it.
        max_chars: How long it may be.
        max_digits: Digits of its longest number.
        names: The words that may be in it; None for any.
    """

    characters: re.Pattern[str] = re.compile(r".*", re.DOTALL)
    max_chars: int | None = None
    max_digits: int | None = None
    names: frozenset[str] | None = None


MAX_CHARS = 2_000
"""Characters of any answer, unless the right one is long: then four times its characters more."""

_ARITHMETIC = Gate(re.compile(r"[0-9+\-*/().\s]*"), 300, 9)
_FUNCTIONS = frozenset((
    "C", "E", "pi", "sin", "cos", "tan", "cot", "sec", "csc", "exp", "log", "ln", "sqrt", "asin",
    "acos", "atan", "acot", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "Abs",
))  # fmt: skip
_EXPRESSION = Gate(re.compile(r"[0-9a-zA-Z+\-*/()., \t\n]*"), 1_000, 24, _FUNCTIONS)
_DECIMAL = Gate(re.compile(r"[^eE]*(?:[eE][+-]?[0-9]{1,3}(?![0-9])[^eE]*)?"), 400, 300)
_MOVES = Gate(max_digits=3)

GATES: Mapping[str, Gate] = {
    # These run the answer as code.
    "countdown": _ARITHMETIC,
    "puzzle24": _ARITHMETIC,
    "simple_integration": _EXPRESSION,
    "intermediate_integration": _EXPRESSION,
    "polynomial_multiplication": _EXPRESSION,
    "binary_matrix": Gate(re.compile(r"[0-9,\[\]\s]*"), max_digits=9),
    "spiral_matrix": Gate(re.compile(r"[0-9,\[\]\s-]*"), max_digits=9),
    "string_insertion": Gate(re.compile(r"[A-Z,\[\]'\"\s]*")),
    "n_queens": Gate(re.compile(r"[_Q.,\[\]'\"\s]*")),
    # These write out what an exponent or a count asks for.
    "coin_flip": _DECIMAL,
    "power_function": _DECIMAL,
    "decimal_arithmetic": _DECIMAL,
    "decimal_chain_sum": _DECIMAL,
    "chain_sum": _DECIMAL,
    "products": _DECIMAL,
    "rubiks_cube": _MOVES,
    "rush_hour": _MOVES,
}

ALONE = frozenset(name for name, gate in GATES.items() if gate.names is not None)
"""The data sets whose answers sympy's parser runs; each answer has a worker of its own.

The other six of the nine do not run theirs any more: see ``reasoning_work.py``.
"""

_NO_GATE = Gate()
_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ATTRIBUTE = re.compile(r"\.\s*[A-Za-z_]|__")
_NOT_FINITE = re.compile(r"[+-]?\s*(?:nan|inf|infinity)[ij]?", re.IGNORECASE)


def refused(name: str, answer: str, item: Mapping[str, Any]) -> str:
    """Return why an answer is not shown to a data set's scorer, or ``""``."""
    gold = item.get("answer")
    if answer == gold:
        return ""
    gate = GATES.get(name, _NO_GATE)
    length = len(gold) if isinstance(gold, str) else 0
    most = gate.max_chars or MAX_CHARS + 4 * length
    if len(answer) > most:
        return f"over {most} characters"
    if _NOT_FINITE.fullmatch(answer):
        return "not a finite number"
    if not gate.characters.fullmatch(answer):
        return "characters that no answer needs"
    if gate.max_digits and any(len(n) > gate.max_digits for n in _NUMBER.findall(answer)):
        return f"a number of over {gate.max_digits} digits"
    return _no_formula(answer, gate, item)


def _no_formula(answer: str, gate: Gate, item: Mapping[str, Any]) -> str:
    """Return why an answer is no formula, or one that is too costly, or ``""``."""
    if gate is _ARITHMETIC and ("**" in answer or "//" in answer):
        return "an operator that the puzzle has not"
    if gate.names is not None:
        if _ATTRIBUTE.search(answer):
            return "an attribute"
        metadata: dict[str, Any] = item.get("metadata") or {}
        variables: set[Any] = {metadata.get("variable"), *(metadata.get("variables") or ())}
        if unknown := {*_WORD.findall(answer)} - gate.names - variables:
            return f"an unknown name: {min(unknown)[:20]}"
        return too_costly(answer)
    return ""
