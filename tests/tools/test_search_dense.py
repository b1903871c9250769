"""Dense and hybrid retrieval, with an encoder that counts words."""

import pickle
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gem_gymnasium.core.errors import (
    ConfigError,
    MissingDependency,
    StepTimeout,
    ToolFailure,
)
from gem_gymnasium.tools import (
    DenseIndex,
    HybridIndex,
    Retriever,
    SearchTool,
    SentenceEncoder,
    TextIndex,
)

WORDS = ("town", "village", "poem", "ode", "winter")
MEANS = {"town": 0, "village": 0, "poem": 1, "ode": 1, "winter": 2}
TEXTS = TextIndex.build(
    [("Fen", "a town"), ("Odes", "an ode"), ("Cold", "winter"), ("Both", "an ode on a town")]
)


def encode(texts: Sequence[str]) -> Any:
    """Return a vector of what words mean: a village is near a town."""
    vectors = np.full((len(texts), 3), 0.01)
    for row, text in enumerate(texts):
        for word in text.lower().split():
            if word in MEANS:
                vectors[row, MEANS[word]] += 1
    return vectors


@pytest.fixture
def index(tmp_path: Path) -> DenseIndex:
    return DenseIndex.build(TEXTS, encode, tmp_path / "vectors.npy", batch=3)


def titles(index: Retriever, query: str, count: int = 2) -> list[str]:
    (found,) = index.search([query], count, time.monotonic() + 20)
    return [hit.title for hit in found.hits]


def test_meaning_finds_what_words_do_not(index: DenseIndex) -> None:
    assert titles(TEXTS, "village") == []
    assert titles(index, "village") == ["Fen", "Both"]
    assert titles(index, "poem", 10) == ["Odes", "Both", "Fen", "Cold"]
    assert len(index) == 4


def test_many_queries_are_encoded_at_once(index: DenseIndex) -> None:
    found = index.search(["village", "winter"], 1, time.monotonic() + 20)
    assert [one.hits[0].title for one in found] == ["Fen", "Cold"]
    assert found[1].hits[0].score == pytest.approx(1.0, abs=0.01)
    assert index.search([], 1, time.monotonic() + 20) == []


def test_both_together_rank_first_what_both_find(index: DenseIndex) -> None:
    hybrid = HybridIndex([TEXTS, index])
    assert titles(hybrid, "ode town", 1) == ["Both"]
    assert titles(hybrid, "village", 1) == ["Fen"]
    (found,) = hybrid.search(["ode"], 4, time.monotonic() + 20)
    assert found.hits[0].score == pytest.approx(2 / 61)
    assert titles(HybridIndex([TEXTS]), "village") == []
    (found,) = HybridIndex([TEXTS]).search(["?"], 4, time.monotonic() + 20)
    assert found.problem


def test_an_index_opens_again_and_pickles(index: DenseIndex, tmp_path: Path) -> None:
    again = DenseIndex(TEXTS, tmp_path / "vectors.npy", encode)
    for one in (again, pickle.loads(pickle.dumps(index)), HybridIndex([again])):
        assert titles(one, "village") == ["Fen", "Both"]
    assert SearchTool(retriever=again).retriever is again


def test_vectors_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    for bad in (np.zeros((3, 3)), np.zeros(4)):
        np.save(path, bad)
        with pytest.raises(ConfigError, match="vector for each of the 4 passages"):
            DenseIndex(TEXTS, path, encode)
    path.write_text("no array")
    with pytest.raises(ConfigError, match="cannot be read"):
        DenseIndex(TEXTS, path, encode)
    with pytest.raises(ConfigError, match="gave the shape"):
        DenseIndex.build(TEXTS, lambda texts: np.zeros(3), path)
    with pytest.raises(ConfigError, match="retriever"):
        HybridIndex([])


@pytest.mark.parametrize("bad", [np.zeros((1, 2)), np.zeros((2, 3)), np.full((1, 3), np.nan), "x"])
def test_an_encoder_that_fails_is_a_failure_of_the_machinery(index: DenseIndex, bad: Any) -> None:
    broken = DenseIndex(TEXTS, index._path, lambda texts: bad)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ToolFailure, match="encoder"):
        broken.search(["village"], 1, time.monotonic() + 20)


def test_waiting_for_the_encoder_ends_at_the_deadline(index: DenseIndex) -> None:
    free, entered = threading.Event(), threading.Event()

    def slow(texts: Sequence[str]) -> Any:
        entered.set()
        free.wait(20)
        return encode(texts)

    one = DenseIndex(TEXTS, index._path, slow)  # pyright: ignore[reportPrivateUsage]
    first = threading.Thread(target=titles, args=(one, "village"))
    first.start()
    entered.wait(20)
    start = time.monotonic()
    with pytest.raises(StepTimeout):
        one.search(["village"], 1, time.monotonic() + 0.3)
    assert time.monotonic() - start < 3
    free.set()
    first.join()
    assert titles(one, "village") == ["Fen", "Both"]


def test_without_the_package_the_command_to_get_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gem_gymnasium.tools.search_dense.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"gem-gymnasium\[dense\]"):
        SentenceEncoder("intfloat/e5-base-v2", prefix="query: ")
