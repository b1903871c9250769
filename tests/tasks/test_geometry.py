"""Math with images: a picture of fixed size, whatever the images, part of a real Dict space."""

import io
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pyarrow as pa
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from PIL import Image
from pyarrow import parquet

import gem_gymnasium
from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.spaces import UnicodeText
from gem_gymnasium.tasks.canvas import canvas, grid
from gem_gymnasium.tasks.rows import Listed, Row
from tests.tasks.local import drawing


def encoded(image: Image.Image, form: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form)
    return buffer.getvalue()


ROWS = Listed(
    [
        Row("a", "How wide is the frame?", "80", (drawing(80, 40, "red"),), gold="80"),
        Row("b", "What colour?", "blue", (encoded(drawing(2_000, 500, "blue")),), gold="blue"),
        Row("c", "How many?", "3", tuple(drawing(60, 60) for _ in range(3)), gold="3"),
        Row("d", "Without a picture?", "0", (), gold="0"),
    ]
)


def make(**kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("gem/Geometry-v0", data=ROWS, **kwargs)


def is_ink(pixels: Any) -> Any:
    return (np.asarray(pixels) < 250).any(axis=-1)


def test_the_space_is_a_text_and_a_picture_of_the_size_asked_for() -> None:
    env = make(height=64, width=96)
    box = gym.spaces.Box(0, 255, (64, 96, 3), np.uint8)
    assert env.observation_space == gym.spaces.Dict(text=UnicodeText(), image=box)
    for index in range(4):
        observation, _ = env.reset(options={"index": index})
        assert observation in env.observation_space
        after = env.step("no answer")[0]
        assert after in env.observation_space
        assert np.array_equal(after["image"], observation["image"])
        assert after["image"] is not observation["image"]


def test_an_image_that_fits_keeps_its_pixels() -> None:
    sheet = canvas([drawing(80, 40, "red")], 100, 100)
    assert np.array_equal(sheet[:40, :80], np.asarray(drawing(80, 40, "red")))
    assert (sheet[40:] == 255).all()
    assert (sheet[:, 80:] == 255).all()


def test_a_large_image_is_scaled_down_and_keeps_its_shape() -> None:
    sheet = canvas([drawing(2_000, 500)], 100, 100)
    ink = np.argwhere(is_ink(sheet))
    assert ink.min() == 0
    assert abs(ink[:, 0].max() - 24) <= 1
    assert ink[:, 1].max() == 99


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9])
def test_several_images_are_tiled_and_none_covers_another(count: int) -> None:
    columns, rows = grid(count, 120, 120)
    assert columns * rows >= count
    single = is_ink(canvas([drawing(20, 20)], 120, 120)).sum()
    together = is_ink(canvas([drawing(20, 20)] * count, 120, 120)).sum()
    assert together == count * single


def test_a_wide_canvas_puts_two_images_side_by_side() -> None:
    assert grid(2, 100, 200) == (2, 1)
    assert grid(2, 200, 100) == (1, 2)
    assert grid(0, 100, 100) == (1, 0)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF"])
def test_encoded_images_and_those_of_a_data_set_are_read(form: str) -> None:
    plain = encoded(drawing(50, 50), form)
    for image in (plain, {"bytes": plain, "path": None}):
        assert is_ink(canvas([image], 60, 60)).any()


def test_what_is_transparent_is_white() -> None:
    assert (canvas([Image.new("RGBA", (9, 9), (0, 0, 0, 0))], 20, 20) == 255).all()
    palette = Image.new("P", (9, 9), 0)
    palette.info["transparency"] = 0
    assert (canvas([palette], 20, 20) == 255).all()


@pytest.mark.parametrize("image", [b"no image", {"bytes": None}, 3, encoded(drawing(9, 9))[:50]])
def test_what_is_no_image_is_refused(image: Any) -> None:
    with pytest.raises(ConfigError, match="image"):
        canvas([image], 20, 20)


def test_an_image_beyond_all_measure_is_refused_before_it_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gem_gymnasium.tasks.canvas.MAX_IMAGE_PIXELS", 99)
    with pytest.raises(ConfigError, match="10 x 10 pixels is too large"):
        canvas([drawing(10, 10)], 20, 20)


@pytest.mark.parametrize("kwargs", [{"height": 8}, {"width": 5_000}, {"height": "448"}])
def test_a_size_that_makes_no_sense_is_refused(kwargs: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(kwargs))):
        make(**kwargs)


def test_a_snapshot_brings_the_picture_back() -> None:
    env, other = make(), make()
    before, _ = env.reset(seed=3)
    gem_gymnasium.restore(other, gem_gymnasium.snapshot(env))
    after = other.step("hm")[0]
    assert np.array_equal(after["image"], before["image"])
    assert len(gem_gymnasium.snapshot(env)) < 10_000


@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
def test_vector_envs_stack_the_pictures(vector: Any) -> None:
    envs = vector([lambda: make(height=32, width=32)] * 2)
    observations, infos = envs.reset(seed=[0, 1], options={"row_from_seed": True})
    assert observations["image"].shape == (2, 32, 32, 3)
    assert infos["row_id"].tolist() == ["a", "b"]
    assert "wide" in observations["text"][0]
    envs.close()


def test_rgb_array_shows_the_picture_and_ansi_the_text() -> None:
    env = make(render_mode="rgb_array", height=32, width=64)
    observation, _ = env.reset(seed=0)
    assert np.array_equal(np.asarray(env.render()), observation["image"])
    text = make(render_mode="ansi")
    observation, _ = text.reset(seed=0)
    assert text.render() == observation["text"]


def test_geometry_3k_is_read_from_parquet_with_the_hub_columns(tmp_path: Path) -> None:
    records = [
        {
            "images": [{"bytes": encoded(drawing(30, 30)), "path": "x.png"}],
            "problem": "<image>Find x.",
            "answer": "4",
        }
    ]
    path = tmp_path / "geometry.parquet"
    parquet.write_table(pa.Table.from_pylist(records), path)
    env: Any = gym.make("gem/Geometry-3K-v0", data=str(path))
    observation, _ = env.reset(seed=0)
    assert observation["text"].startswith("<image>Find x.")
    assert is_ink(observation["image"]).any()
    assert env.unwrapped.gold_reply() == "\\boxed{4}"
