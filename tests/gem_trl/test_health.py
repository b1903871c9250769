"""The figures of the live panel: each limit, both sides of it, and names that are logged."""

import math
from pathlib import Path
from typing import Any

import pytest

import gem_trl
from gem_trl.health import FIGURES, Figure

LIMITED = [figure for figure in FIGURES if figure.advice]
SOURCES = [p for p in Path(gem_trl.__file__).parent.glob("*.py") if p.stem != "health"]
EPS = 1e-6


@pytest.mark.parametrize("figure", LIMITED, ids=lambda figure: figure.name)
def test_a_figure_warns_beyond_its_limit_and_not_at_it(figure: Figure) -> None:
    limits = {figure.low: -EPS, figure.high: EPS}
    finite = {limit: beyond for limit, beyond in limits.items() if math.isfinite(limit)}
    assert len(finite) == 1
    for limit, beyond in finite.items():
        assert figure.warning(limit) == ""
        assert figure.warning(limit - beyond) == ""
        assert figure.warning(limit + beyond) == figure.advice


# What each warning is for, so that no limit is moved by accident.
UNHEALTHY: dict[str, tuple[float, float]] = {
    "episode/illegal_share": (0.4, 0.7),
    "completions/clipped_ratio": (0.05, 0.2),
    "completions/unique_ratio": (0.03, 0.004),
    "entropy": (0.03, 0.01),
    "episode/truncated": (0.05, 0.2),
    "rollout/context_stops": (0, 1),
    "rollout/invalid_episodes": (0, 1),
    "returns/degenerate": (0, 0.5),
    "rollout/dead_groups": (0.5, 0.9),
    "explained_variance": (0.0, -0.3),
    "clip_ratio/region_mean": (0.05, 0.3),
    "approx_kl": (0.01, 0.5),
    "sampling/kl": (0.001, 0.2),
    "nonfinite_rows": (0, 1),
    "skipped_steps": (0, 0.5),
}


def test_every_limit_has_a_case() -> None:
    assert {figure.name for figure in LIMITED} == {*UNHEALTHY}


@pytest.mark.parametrize("figure", LIMITED, ids=lambda figure: figure.name)
def test_a_usual_value_is_healthy_and_a_bad_one_is_not(figure: Figure) -> None:
    healthy, unhealthy = UNHEALTHY[figure.name]
    assert figure.warning(healthy) == ""
    assert figure.warning(unhealthy) == figure.advice


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_what_is_no_number_is_never_healthy(figure: Figure) -> None:
    assert "not a number" in figure.warning(math.nan)
    assert figure.text(math.nan) == "nan"


def test_every_figure_is_logged() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    by_transformers = {"grad_norm"}
    missing = {figure.name for figure in FIGURES if f'"{figure.name}"' not in sources}
    assert missing == by_transformers


def test_names_and_labels_are_unique_and_advice_is_short() -> None:
    assert len({figure.name for figure in FIGURES}) == len(FIGURES)
    assert len({figure.label for figure in FIGURES}) == len(FIGURES)
    assert max(len(figure.advice) for figure in FIGURES) <= 80


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("number", 0.0, "0.000"),
        ("number", 0.12345, "0.123"),
        ("number", -0.5, "-0.500"),
        ("number", 0.00012, "0.00012"),
        ("number", 123456.0, "1.2e+05"),
        ("number", math.inf, "inf"),
        ("share", 0.125, "12.5%"),
        ("count", 3.0, "3"),
        ("count", 0.25, "0.2"),
        ("count", 1234.5, "1234"),
    ],
)
def test_values_are_shown_by_their_kind(kind: Any, value: float, text: str) -> None:
    assert Figure("x", "x", kind).text(value) == text
