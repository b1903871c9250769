"""The doctor: what it finds is what programs can do, at every level that is here."""

import socket
from typing import ClassVar

import pytest

from gem_gymnasium.sandbox import available
from gem_gymnasium.sandbox.doctor import Finding, Trial, bait, examine, is_sound
from gem_gymnasium.sandbox.rlimit import Rlimit
from gem_gymnasium.sandbox.run import LEVELS
from tests.sandbox.docker_server import DockerServer

pytest_plugins = ("tests.sandbox.docker_fixtures",)
ALL = ("network", "reading", "writing")


class Leaky(Rlimit):
    """A level that says it isolates."""

    name: ClassVar[str] = "leaky"
    isolated: ClassVar[bool] = True


def test_isolating_levels_refuse_what_goes_through_without_isolation() -> None:
    findings = {finding.level: finding for finding in examine()}
    assert {name: finding.why for name, finding in findings.items()} == available()
    for name, finding in findings.items():
        kinds = [] if finding.why else [k for k in ("python", "shell") if k in LEVELS[name].kinds]
        assert [trial.kind for trial in finding.trials] == kinds
        for trial in finding.trials:
            assert trial.problem == ""
            assert 0 < trial.seconds < 10
            assert trial.through == (() if LEVELS[name].isolated else ALL)


def test_a_level_that_leaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEVELS, "leaky", Leaky())  # type: ignore[arg-type]
    findings = examine()
    assert findings[-1].level == "leaky"
    assert findings[-1].through == list(ALL)
    assert not is_sound(findings)


def test_bait_tells_what_was_taken_and_is_laid_anew() -> None:
    with bait() as laid:
        assert laid.taken("done\n") == ()
        assert laid.taken(laid.secret.read_text()) == ("reading",)
        laid.place.touch()
        assert laid.taken("") == ("writing",)
        with socket.create_connection(("127.0.0.1", laid.port)):
            assert laid.taken("") == ("network",)
        assert laid.taken("") == ()
    assert not laid.secret.parent.exists()


def test_an_image_that_is_missing_is_said(docker_server: DockerServer) -> None:
    docker_server.images.clear()
    (finding,) = (finding for finding in examine() if finding.level == "docker")
    assert finding.why == ""
    assert finding.problems == [
        "the Docker engine does not have the image 'python:3.11-slim': "
        "run `docker pull python:3.11-slim`"
    ]


def test_sound_is_a_level_that_isolates_and_none_that_leaks() -> None:
    good = Finding("good", True, "", (Trial("python", 0.1, "", ()),))
    leaks = Finding("leaks", True, "", (Trial("python", 0.1, "", ("network",)),))
    fails = Finding("fails", True, "", (Trial("python", 0.1, "failed", ()),))
    is_open = Finding("open", False, "", (Trial("python", 0.1, "", ALL),))
    missing = Finding("missing", True, "not here")
    assert is_sound([missing, fails, good, is_open])
    assert not is_sound([missing, fails, is_open])
    assert not is_sound([good, leaks])
    assert not is_sound([])
