"""gem-gym doctor: every level is named, with what it does here or why it is not here."""

import json
import os
import re

import pytest

from gem_gymnasium.cli import doctor
from gem_gymnasium.cli.main import main
from gem_gymnasium.sandbox import available
from gem_gymnasium.sandbox.doctor import Finding, Trial
from gem_gymnasium.sandbox.run import LEVELS

HERE = available()
ISOLATING = [name for name, why in HERE.items() if not why and LEVELS[name].isolated]


def test_each_level_has_a_line_and_the_choice_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == (0 if ISOLATING else 1)
    out = capsys.readouterr().out
    for name, why in HERE.items():
        line = next(line for line in out.splitlines() if line.startswith(name))
        word = "not here" if why else "isolates" if name in ISOLATING else "no isolation"
        assert re.match(rf"{name} +{word}", line)
        assert why in line
        assert why or re.search(r"python \d+ ms", line)
    for name, kind in (("run_python", "python"), ("run_shell", "shell")):
        takes = next((name for name in ISOLATING if kind in LEVELS[name].kinds), "none")
        assert f"{name} takes {takes}" in out
    assert f"Started by {'root' if os.getuid() == 0 else 'an ordinary user'}" in out
    assert re.search(r"Landlock: (none|version \d+) \(zygote needs 3\)", out)


def test_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == (0 if ISOLATING else 1)
    data = json.loads(capsys.readouterr().out)
    assert {name: level["why_not"] for name, level in data["levels"].items()} == HERE
    assert data["sound"] is bool(ISOLATING)
    assert data["root"] is (os.getuid() == 0)
    assert data["run_python"] == next(iter(ISOLATING), "")
    for name in ISOLATING:
        for trial in data["levels"][name]["trials"]:
            assert (trial["problem"], trial["through"]) == ("", [])


def test_without_an_isolating_level_the_status_is_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for level in LEVELS.values():
        if level.isolated:
            monkeypatch.setattr(level, "unavailable", lambda: "run `apt-get install it`")
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "zygote  not here      run `apt-get install it`" in out
    assert "run_python takes none (SandboxUnavailable), run_shell takes none" in out


def test_what_is_wrong_stands_out() -> None:
    leaks = Finding("leaks", True, "", (Trial("shell", 0.0123, "", ("network", "writing")),))
    fails = Finding("fails", True, "", (Trial("shell", 0.1, "failed: it died", ()),))
    lines = doctor.as_lines([leaks, fails])
    assert lines[0] == "leaks   LEAKS         shell 12 ms; network, writing got through"
    assert lines[1] == "fails   FAILS         failed: it died"
