"""Data files of the package (``SOURCES.md``: where each comes from) and their one loader."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["load_json", "read_text"]


def read_text(name: str) -> str:
    """Return a data file of the package as text."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


@cache
def load_json(name: str) -> Any:
    """Return what a JSON file of the package holds; shared, so the caller must not change it."""
    return json.loads(read_text(name))
