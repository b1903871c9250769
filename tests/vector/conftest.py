"""Fixtures of the vector env's tests."""

from collections.abc import Iterator

import pytest

from tests.vector.crew import Crew


@pytest.fixture
def crew() -> Iterator[Crew]:
    crew = Crew()
    yield crew
    crew.event.set()  # lets abandoned threads end
