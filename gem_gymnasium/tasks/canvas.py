"""Put images on one canvas of a fixed size: scaled down, never up, tiled, the rest white."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError, MissingDependency

WHITE = 255
GAP = 4
"""Pixels between tiled images."""
MAX_IMAGE_PIXELS = 50_000_000


def canvas(images: Sequence[Any], height: int, width: int) -> npt.NDArray[np.uint8]:
    """Return images on one canvas, row by row; without an image it is white.

    Args:
        images: Encoded images (bytes), Pillow images, or ``{"bytes": ...}`` as in a data set.
        height: Pixels of the canvas.
        width: Pixels of the canvas.

    Returns:
        An array of shape (height, width, 3).

    Raises:
        ConfigError: An image cannot be read, or is of over ``MAX_IMAGE_PIXELS``.
        MissingDependency: Pillow is not installed.
    """
    sheet = np.full((height, width, 3), WHITE, np.uint8)
    columns, rows = grid(len(images), height, width)
    for place, image in enumerate(images):
        row, column = divmod(place, columns)
        top, left = row * height // rows, column * width // columns
        bottom = (row + 1) * height // rows - (GAP if row + 1 < rows else 0)
        right = (column + 1) * width // columns - (GAP if column + 1 < columns else 0)
        tile = fitted(image, max(1, bottom - top), max(1, right - left))
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    return sheet


def grid(count: int, height: int, width: int) -> tuple[int, int]:
    """Return the columns and rows whose cells are nearest to a square."""
    shapes = [(columns, -(-count // columns)) for columns in range(1, max(1, count) + 1)]
    return min(shapes, key=lambda shape: abs(width / shape[0] - height / max(1, shape[1])))


def fitted(image: Any, height: int, width: int) -> npt.NDArray[np.uint8]:
    """Return one image as pixels that fit, its shape kept, on white where it is transparent."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingDependency("Pillow", "tasks", "a task with images") from None
    try:
        opened = image if isinstance(image, Image.Image) else Image.open(io.BytesIO(_bytes(image)))
        if opened.width * opened.height > MAX_IMAGE_PIXELS:
            raise ConfigError(f"an image of {opened.width} x {opened.height} pixels is too large")
        paper = Image.new("RGBA", opened.size, "white")
        paper.alpha_composite(opened.convert("RGBA"))
    except (OSError, ValueError, SyntaxError) as error:
        raise ConfigError(f"an image cannot be read: {error}") from error
    paper.thumbnail((width, height), Image.Resampling.LANCZOS)
    return np.asarray(paper.convert("RGB"))


def _bytes(image: Any) -> bytes:
    """Return an encoded image.

    Raises:
        ConfigError: It is none.
    """
    if isinstance(image, Mapping):
        image = cast("Mapping[str, Any]", image).get("bytes")
    if not isinstance(image, bytes):
        raise ConfigError(f"an image must be bytes or a Pillow image, got a {type(image).__name__}")
    return image
