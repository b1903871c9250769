"""DenseIndex: passages by the nearness of their meaning; HybridIndex: several retrievers in one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError, MissingDependency, StepTimeout, ToolFailure
from gem_gymnasium.tools.search_base import Found, Hit, Retriever, left_s
from gem_gymnasium.tools.search_index import TextIndex

Vectors = npt.NDArray[np.float32]
Encoder = Callable[[Sequence[str]], Any]
"""Texts -> an array of shape (texts, dimensions)."""


@dataclass(frozen=True, slots=True)
class SentenceEncoder:
    """An encoder out of sentence-transformers, loaded when it is first used.

    Args:
        model: A name on the hub, or a folder.
        prefix: What is put before every text; E5 wants ``"query: "`` or ``"passage: "``.
        device: Where it computes, such as ``cpu`` or ``cuda``; None for the best there is.

    Raises:
        MissingDependency: sentence-transformers is not installed.
    """

    model: str
    prefix: str = ""
    device: str | None = None
    _loaded: list[Any] = field(default_factory=list[Any], init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if find_spec("sentence_transformers") is None:
            raise MissingDependency("sentence-transformers", "dense", "SentenceEncoder")

    def __call__(self, texts: Sequence[str]) -> Any:
        """Return a vector for each text."""
        if not self._loaded:  # by name, since it is large and optional
            package: Any = import_module("sentence_transformers")
            self._loaded.append(package.SentenceTransformer(self.model, device=self.device))
        prefixed = [self.prefix + text for text in texts]
        return self._loaded[0].encode(prefixed, convert_to_numpy=True, show_progress_bar=False)

    def __reduce__(self) -> tuple[Any, tuple[str, str, str | None]]:
        return type(self), (self.model, self.prefix, self.device)


class DenseIndex(Retriever):
    """The passages of a ``TextIndex``, found by their vectors' cosine with the query's.

    The vectors are computed once, by ``build``, and mapped from their file. Every search compares
    with all of them: good for some 100,000 passages.

    Covered: one query at a time is encoded, and waiting for one's turn ends at the deadline. Not
    covered: an encoder that hangs.

    Args:
        texts: The passages.
        vectors: The file that ``build`` wrote.
        encode: The encoder of queries; must fit the one that made the vectors.

    Raises:
        ConfigError: The file cannot be read, or holds other than one vector a passage.
    """

    def __init__(self, texts: TextIndex, vectors: str | Path, encode: Encoder) -> None:
        self.texts, self._path, self._encode = texts, Path(vectors), encode
        self._turn = threading.Lock()
        try:
            self._vectors: Any = np.load(self._path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise ConfigError(f"{vectors} cannot be read: {error}") from error
        if self._vectors.ndim != 2 or len(self._vectors) != len(texts):
            raise ConfigError(
                f"{vectors} must hold a vector for each of the {len(texts)} passages, but has the "
                f"shape {self._vectors.shape}"
            )

    @classmethod
    def build(
        cls,
        texts: TextIndex,
        encode_passages: Encoder,
        vectors: str | Path,
        encode_queries: Encoder | None = None,
        batch: int = 256,
    ) -> DenseIndex:
        """Compute the vectors of all passages, write them to a ``.npy`` file, and open it.

        Args:
            texts: The passages.
            encode_passages: The encoder of passages; it reads title and text.
            vectors: The file to write.
            encode_queries: The encoder of queries; None for the same.
            batch: Passages encoded at a time.

        Raises:
            ConfigError: The file cannot be written, or the encoder gives no vectors.
        """
        parts = [
            _encoded(encode_passages, [f"{one.title}\n{one.text}" for one in some])
            for at in range(0, len(texts), batch)
            if (some := texts.passages(at, at + batch))
        ]
        try:
            with open(vectors, "wb") as file:
                np.save(file, np.concatenate(parts))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{vectors} cannot be written: {error}") from error
        return cls(texts, vectors, encode_queries or encode_passages)

    def __len__(self) -> int:
        return len(self.texts)

    def __reduce__(self) -> tuple[Any, tuple[TextIndex, Path, Encoder]]:
        return type(self), (self.texts, self._path, self._encode)

    def search(self, queries: Sequence[str], count: int, deadline: float) -> list[Found]:
        """Return the passages whose vectors are nearest to each query's."""
        if not queries:
            return []
        if not self._turn.acquire(timeout=left_s(deadline, "the encoder")):
            raise StepTimeout("the encoder did not answer in time")
        try:
            asked = _encoded(self._encode, queries)
        except Exception as error:  # a model of the caller's may raise anything
            raise ToolFailure(f"the encoder failed: {error!r}") from error
        finally:
            self._turn.release()
        left_s(deadline, "the encoder")
        if asked.shape != (len(queries), self._vectors.shape[1]):
            raise ToolFailure(
                f"the encoder gave the shape {asked.shape} for {len(queries)} queries, but the "
                f"index has {self._vectors.shape[1]} dimensions"
            )
        scores = asked @ self._vectors.T  # (queries, passages)
        return [Found(self._best(one, min(count, len(self)))) for one in scores]

    def _best(self, scores: Vectors, count: int) -> tuple[Hit, ...]:
        some = np.argpartition(-scores, count - 1)[:count]
        places = sorted(map(int, some), key=lambda place: (-scores[place], place))
        return tuple(
            Hit(title, text, float(scores[place]))
            for place in places
            for title, text in self.texts.passages(place, place + 1)
        )


class HybridIndex(Retriever):
    """Several retrievers in one, by reciprocal rank fusion: a passage scores sum 1 / (60 + rank).

    Args:
        retrievers: At least one, such as a ``TextIndex`` and a ``DenseIndex`` over it.
        depth: Passages asked of each.

    Raises:
        ConfigError: There is no retriever, or ``depth`` is below 1.

    Reference: Cormack, Clarke and Buettcher, Reciprocal Rank Fusion, SIGIR 2009.
    """

    _RANK_0 = 60

    def __init__(self, retrievers: Sequence[Retriever], depth: int = 50) -> None:
        if not retrievers or depth < 1:
            raise ConfigError(f"need a retriever and depth >= 1, got {retrievers!r} and {depth}")
        self.retrievers, self.depth = tuple(retrievers), depth

    def search(self, queries: Sequence[str], count: int, deadline: float) -> list[Found]:
        """Ask each retriever, and fuse what they find; a query that all refuse is refused."""
        depth = max(self.depth, count)
        asked = [one.search(queries, depth, deadline) for one in self.retrievers]
        return [self._fused(founds, count) for founds in zip(*asked, strict=True)]

    def _fused(self, founds: tuple[Found, ...], count: int) -> Found:
        if all(found.problem for found in founds):
            return founds[0]
        scores: dict[tuple[str, str], float] = {}
        for found in founds:
            for rank, hit in enumerate(found.hits, start=1):
                key = (hit.title, hit.text)
                scores[key] = scores.get(key, 0.0) + 1 / (self._RANK_0 + rank)
        best = sorted(scores.items(), key=lambda item: -item[1])[:count]
        return Found(tuple(Hit(title, text, score) for (title, text), score in best))

    def close(self) -> None:
        """Close the retrievers."""
        for one in self.retrievers:
            one.close()


def _encoded(encode: Encoder, texts: Sequence[str]) -> Vectors:
    """Return a vector of length 1 for each text.

    Raises:
        ConfigError: The encoder gives something else.
    """
    vectors = np.asarray(encode(texts), dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise ConfigError(f"the encoder gave the shape {vectors.shape} for {len(texts)} texts")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return cast("Vectors", vectors / np.maximum(lengths, 1e-12))
