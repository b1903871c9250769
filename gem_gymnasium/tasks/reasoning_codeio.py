"""What reasoning-gym's ``codeio`` poses: items whose code ran, the same each time, in silence.

It runs a snippet of its own data to make an item. Where that fails (0.1.25: 17 of 3,002 snippets
with NumPy 2), it prints the reason and asks for the output of a program that has none. What other
snippets give depends on the clock, on the order of a set or on what lies on the disk. None of
those is run here.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import warnings
from collections.abc import Mapping
from typing import Any

NAME = "codeio"
_OUTSIDE = re.compile(
    r"\.now\(|\.today\(|\.utcnow\(|time\(\)|time\.time\(|perf_counter|monotonic|strftime|localtime"
    r"|gmtime|ctime|uuid|getpid|urandom|secrets\.|SystemRandom|threading|Thread\(|multiprocessing"
    r"|subprocess|socket|open\(|os\.environ|getcwd|\bid\(|\bhash\(|scipy"
)
"""What a snippet names that asks for more than its input (98 of them; few have scipy)."""

_CHANGING = frozenset({
    "01204ebb", "0b771752", "10e9a961", "124eece5", "15e05711", "1d9a66f8", "1eae57cc", "24463bdb",
    "2eec7dfe", "3f0fca69", "491b2d2a", "530ae3ba", "548a960f", "57449be3", "5a0ca8b5", "64770418",
    "74711225", "751c3566", "7bea302a", "837ef423", "86697881", "875320f2", "87de7569", "88bae8fe",
    "93a2ea60", "94e0dd50", "95d1dd2d", "a81061bf", "b20a0d61", "b95be551", "c44e6aef", "d321ed4c",
    "d337f725", "d3d5d5f6", "ded92c4c", "f6f0fe81",
})  # fmt: skip
"""Digests of the others that gave different items in processes with other hash seeds."""

Pair = tuple[dict[str, Any], Any]


def quiet_pair(main_code: str, input_code: str, rng: random.Random, max_retries: int = 1) -> Pair:
    """Return inputs and outputs of a snippet, both ``{}`` if there are none to be had.

    It stands in for reasoning-gym's own.

    Args:
        main_code: Defines ``main_solution``.
        input_code: Defines ``generate_inputs``.
        rng: What inputs are drawn from.
        max_retries: As reasoning-gym's; it uses 1.
    """
    if not is_stable(main_code, input_code):
        return {}, {}
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


def is_stable(main_code: str, input_code: str) -> bool:
    """Return whether a snippet gives the same wherever and whenever it is run."""
    digest = hashlib.blake2b(main_code.encode("utf-8", "replace"), digest_size=4).hexdigest()
    return digest not in _CHANGING and not _OUTSIDE.search(f"{main_code}\n{input_code}")


def is_sound(entry: Mapping[str, Any]) -> bool:
    """Return whether an item has something to tell."""
    metadata: Mapping[str, Any] = entry["metadata"]
    return metadata["input_data"] != {} or metadata["output_data"] != {}


def _say_nothing(*args: Any, **kwargs: Any) -> None:
    """Stand in for ``print``."""
