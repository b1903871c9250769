"""What reasoning-gym's ``codeio`` poses: items whose code ran, and without a word on stdout.

It runs a snippet of its own data to make an item. Where that fails (0.1.25: 17 of 3,002 snippets
with NumPy 2), it prints the reason and asks for the output of a program that has none.
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Mapping
from typing import Any

NAME = "codeio"
_ELSEWHERE = "scipy"
"""A package that few have; six snippets use it, and rows must not depend on what is installed."""

Pair = tuple[dict[str, Any], Any]


def quiet_pair(main_code: str, input_code: str, rng: random.Random, max_retries: int = 1) -> Pair:
    """Return inputs and outputs of a snippet, both ``{}`` if it fails; stands in for its own.

    Args:
        main_code: Defines ``main_solution``.
        input_code: Defines ``generate_inputs``.
        rng: What inputs are drawn from.
        max_retries: As reasoning-gym's; it uses 1.
    """
    names: dict[str, Any] = {"Random": random.Random, "print": _say_nothing}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(f"{main_code}\n\n{input_code}", names)
            inputs = names["generate_inputs"](rng)
            outputs = names["main_solution"](**inputs)
            json.dumps([inputs, outputs])
        except Exception:  # of somebody's snippet
            return {}, {}
    return inputs, outputs


def is_sound(entry: Mapping[str, Any]) -> bool:
    """Return whether an item has something to tell, on every machine."""
    metadata: Mapping[str, Any] = entry["metadata"]
    empty = metadata["input_data"] == {} and metadata["output_data"] == {}
    return not empty and _ELSEWHERE not in entry["question"]


def _say_nothing(*args: Any, **kwargs: Any) -> None:
    """Stand in for ``print``."""
