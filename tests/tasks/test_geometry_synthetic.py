"""Tests for gem_gymnasium.tasks.geometry_synthetic: answers measured from the drawn figures."""

import io
import itertools
import re
from collections.abc import Callable
from math import isclose, pi, sqrt
from time import thread_time
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, MissingDependency
from gem_gymnasium.tasks.dice import rng_of
from gem_gymnasium.tasks.geometry_synthetic import SIDE, TEMPLATES, problem, render
from gem_gymnasium.tasks.geometry_synthetic.figure import Angle, Label, Scene, degrees_between
from tests.tasks.math_synthetic.test_math_synthetic import read

Image = pytest.importorskip("PIL.Image")

Points = dict[str, complex]


def angle(names: str) -> Callable[[Points], float]:
    return lambda p: degrees_between(p[names[0]], p[names[1]], p[names[2]])


def length(names: str) -> Callable[[Points], float]:
    return lambda p: abs(p[names[0]] - p[names[1]])


def area(p: Points) -> float:
    """Cut the polygon of all named corners into triangles."""
    corners = [point for name, point in p.items() if not name.startswith("_")]
    twice = sum(
        ((b - corners[0]).conjugate() * (c - corners[0])).imag
        for b, c in itertools.pairwise(corners)
    )
    return abs(twice) / 2


def scaled(p: Points, asked: str, known: str) -> float:
    """Measure a length in the unit in which another one is what is written beside it."""
    return length(asked)(p) / length(known)(p) * p["_given"].real


MEASURED: dict[str, Callable[[Points], float]] = {
    "third_angle": angle("ACB"),
    "isosceles": lambda p: p["_x"].real,
    "outer_angle": angle("DBC"),
    "hypotenuse": length("AB"),
    "leg": length("BC"),
    "triangle_area": area,
    "midline": lambda p: scaled(p, "DE", "AB") if p["_whole"] else scaled(p, "AB", "DE"),
    "parallel_cut": lambda p: scaled(p, "EC", "AE"),
    "altitude": length("CD"),
    "bisector": length("DC"),
    "half_equilateral": lambda p: length("BC" if p["_opposite"] else "AB")(p),
    "crossing": lambda p: degrees_between(p["B"], 0, p["D" if p["_opposite"] else "C"]),
    "around_point": lambda p: degrees_between(p["A"], 0, p["B"]),
    "parallels": angle("ABC"),
    "bend": angle("ABC"),
    "four_angles": angle("BCD"),
    "parallelogram": lambda p: angle("BCD" if p["_opposite"] else "ABC")(p),
    "diagonal": length("AC"),
    "trapezoid": area,
    "steps": lambda p: (
        area(p) if p["_area"] else sum(map(abs, np.diff([*p.values()][:6], append=0)))
    ),
    "rhombus": lambda p: area(p) if p["_area"] else length("AB")(p),
    "regular": angle("ABC"),
    "paper_area": area,
    "paper_distance": length("AB"),
    "inscribed": lambda p: angle("ACB")(p) if p["_outer"] else degrees_between(p["A"], 0, p["B"]),
    "half_circle": angle("ABC"),
    "tangent": length("PT"),
    "chord": length("AB"),
    "sector": lambda p: (
        angle("AOB")(p) / 360 * pi * (abs(p["A"]) ** 2 if p["_area"] else 2 * abs(p["A"]))
    ),
    "ring": lambda p: pi * (abs(p["B"]) ** 2 - abs(p["A"]) ** 2),
    "crossing_chords": length("PD"),
    "in_circle": angle("BCD"),
}


def scenes(name: str, count: int = 40) -> list[Scene]:
    return [TEMPLATES[name](rng_of(3, index)) for index in range(count)]


def test_there_are_twenty_templates_and_each_is_measured() -> None:
    assert len(TEMPLATES) >= 20
    assert {*MEASURED} == {*TEMPLATES}


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_answer_is_what_one_measures_in_the_figure(name: str) -> None:
    for scene in scenes(name):
        # the angle that is marked x, for figures whose points do not say which one it is
        marked = [m for m in scene.marks if isinstance(m, Angle) and m.text == "x"]
        points = dict(scene.points)
        if marked:
            points["_x"] = complex(degrees_between(*marked[0][:3]))
            assert isclose(points["_x"].real, MEASURED[name](points), rel_tol=1e-9), scene
        assert isclose(read(scene.answer), MEASURED[name](points), rel_tol=1e-9), scene


@pytest.mark.parametrize("name", TEMPLATES)
def test_what_is_written_beside_angles_is_their_size(name: str) -> None:
    for scene in scenes(name):
        for mark in scene.marks:
            if isinstance(mark, Angle) and mark.text.endswith("°"):
                said = float(mark.text.removesuffix("°"))
                assert isclose(degrees_between(*mark[:3]), said, rel_tol=1e-9), scene


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_number_is_in_the_text_and_the_picture_differs_with_the_answer(name: str) -> None:
    found = scenes(name)
    assert not any(re.search(r"\d", scene.question) for scene in found)
    texts = [
        tuple(mark.text for mark in scene.marks if isinstance(mark, Angle | Label))
        for scene in found
    ]
    if name not in ("regular", "paper_area", "paper_distance"):  # one counts in those
        assert all(any(re.search(r"\d", text) for text in some) for some in texts)
    answers: dict[Any, set[str]] = {}
    for scene in found:
        answers.setdefault(scene.question, set()).add(scene.answer)
    assert all(len(some) >= 2 for some in answers.values())


@pytest.mark.parametrize("name", TEMPLATES)
def test_all_ink_stays_off_the_border(name: str) -> None:
    for index, scene in enumerate(scenes(name, 6)):
        pixels = np.asarray(render.picture(scene, turn=1.1 * index))
        assert pixels.shape == (SIDE, SIDE)
        border = [pixels[:4], pixels[-4:], pixels[:, :4], pixels[:, -4:]]
        assert all((part == 255).all() for part in border)
        assert 0.002 < (pixels < 128).mean() < 0.3


def test_problems_are_the_same_for_the_same_draws_and_hardly_repeat() -> None:
    made = [problem(rng_of(4, index)) for index in range(300)]
    assert made[7] == problem(rng_of(4, 7))
    assert len({one.image for one in made}) == len(made)
    assert Image.open(io.BytesIO(made[0].image)).size == (SIDE, SIDE)
    assert {one.template for one in made} == {*TEMPLATES}


def test_a_problem_is_made_within_50_ms() -> None:
    times: list[float] = []
    problem(rng_of(5))  # Pillow and its font are read
    for index in range(150):
        start = thread_time()
        problem(rng_of(5, index))
        times.append(thread_time() - start)
    assert sorted(times)[148] <= 0.1  # CPU seconds, on a busy machine too


def test_an_episode_shows_the_picture_at_the_size_asked_for() -> None:
    env = gym.make("gem/Geometry-Synthetic-v0", height=300, width=320)
    observation, _ = env.reset(seed=1)
    assert observation in env.observation_space
    assert observation["image"].shape == (300, 320, 3)
    assert (observation["image"] < 100).any()


def test_a_picture_too_small_to_be_read_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"height must be in 224\.\.4096"):
        gym.make("gem/Geometry-Synthetic-v0", height=64)


def test_without_pillow_the_command_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "find_spec", lambda name: None)
    with pytest.raises(
        MissingDependency, match=r"Pillow: run `pip install 'gem-gymnasium\[tasks\]"
    ):
        gym.make("gem/Geometry-Synthetic-v0")


def test_roots_are_read_as_they_are_written() -> None:
    assert read("\\frac{3\\sqrt{2}}{2}") == 3 * sqrt(2) / 2
