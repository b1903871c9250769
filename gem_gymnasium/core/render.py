"""Draw text into a frame of fixed size, so that ``rgb_array`` and RecordVideo work."""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError, MissingDependency

FRAME_SHAPE = (480, 640, 3)
"""Height, width and channels of every frame, uint8."""

_COLUMNS, _ROWS, _LINE_HEIGHT, _MARGIN = 76, 30, 15, 12


def can_draw() -> bool:
    """Return whether Pillow, which ``draw_text`` needs, is installed."""
    return importlib.util.find_spec("PIL") is not None


def check_render_mode(mode: str | None, modes: Sequence[str]) -> None:
    """Refuse a render mode that an env does not have.

    Raises:
        ConfigError: It does not; the message says what ``rgb_array`` needs.
    """
    if mode is not None and mode not in modes:
        pillow = " (rgb_array needs Pillow: run `pip install pillow`)"
        raise ConfigError(
            f"render_mode must be one of {modes}, got {mode!r}"
            + (pillow if mode == "rgb_array" else "")
        )


def draw_text(text: str) -> npt.NDArray[np.uint8]:
    """Return a frame of shape ``FRAME_SHAPE`` that shows the last lines of ``text``.

    Characters that Pillow's default font lacks show as boxes.

    Raises:
        MissingDependency: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise MissingDependency("Pillow", "games", "render_mode='rgb_array'") from error
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, _COLUMNS) or [""]]
    height, width, _ = FRAME_SHAPE
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    for row, line in enumerate(lines[-_ROWS:]):
        printable = line.encode("utf-8", "replace").decode("utf-8")
        draw.text((_MARGIN, _MARGIN + row * _LINE_HEIGHT), printable, fill="black")
    return np.asarray(image, np.uint8).copy()
