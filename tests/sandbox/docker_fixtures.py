"""Engines for the tests of level ``docker``: the tests' own server, and a real one if there is."""

import contextlib
from collections.abc import Iterator

import pytest

from gem_gymnasium.sandbox import Policy
from gem_gymnasium.sandbox.docker import Docker
from gem_gymnasium.sandbox.engine import Engine
from tests.sandbox.docker_server import DockerServer, serving


@pytest.fixture
def docker_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerServer]:
    """An engine that runs programs as plain children, and fails on demand."""
    with serving() as server:
        monkeypatch.setenv("DOCKER_HOST", server.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server


@pytest.fixture
def real_docker() -> None:
    """The engine that this machine has, else the test is skipped."""
    why = Docker().unavailable()
    if not why:
        image = Policy().image
        with contextlib.closing(Engine()) as engine:
            why = "" if engine.volumes(image) is not None else f"it does not have {image}"
    if why:
        pytest.skip(f"no real engine: {why}")


@pytest.fixture(params=["docker_server", "real_docker"])
def any_docker(request: pytest.FixtureRequest) -> None:
    """Either, one after the other."""
    request.getfixturevalue(request.param)
