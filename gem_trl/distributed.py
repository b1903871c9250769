"""The one collective the trainer needs, typed."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import accelerate.utils  # pyright: ignore[reportMissingTypeStubs]  # it ships none

T = TypeVar("T")


def gather(items: list[T]) -> list[T]:
    """Return the items of every process, in the order of their ranks. A collective call."""
    return cast("list[T]", accelerate.utils.gather_object(cast("Any", items)))
