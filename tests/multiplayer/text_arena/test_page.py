"""docs/textarena.md says what is so."""

import importlib.util
import sys
from pathlib import Path

import pytest

from gem_gymnasium.multiplayer import textarena_ids
from gem_gymnasium.multiplayer.text_arena import games

pytest.importorskip("textarena")

DOCS = Path(__file__).parents[3] / "docs"
spec = importlib.util.spec_from_file_location("make_textarena", DOCS / "make_textarena.py")
assert spec is not None
assert spec.loader is not None
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)

ROWS = make.rows_of((DOCS / "textarena.md").read_text(encoding="utf-8"))

LACKING = ("Wordle-v0", "Debate-v0", "UsedCar-v0-balanced", "ScorableGames-v0", "Klondike-v0")


def test_every_game_has_a_row() -> None:
    assert set(ROWS) == set(textarena_ids())


def test_every_game_that_runs_keeps_every_promise_or_the_page_says_why() -> None:
    for id, (_, needs, same, tests, _) in ROWS.items():
        if needs in ("nothing", make.NEEDS_NEWER) and id not in make.SLOW:
            assert (same, tests) == ("yes", "all pass"), id


@pytest.mark.parametrize("id", LACKING)
def test_a_row_of_a_game_that_lacks_something_says_what(
    id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    assert ROWS[id] == tuple(map(make.escaped, make.find([id])[id]))


def test_games_that_need_a_newer_python_are_named() -> None:
    for id, cells in ROWS.items():
        assert (cells[1] == make.NEEDS_NEWER) == (games.kind_of(id) in make.NEWER)
    if sys.version_info < (3, 12):
        assert make.find(["Chess-v0"])["Chess-v0"].needs == make.NEEDS_NEWER


def test_rows_of_some_games_are_printed_and_the_page_stays(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = make.PAGE.read_bytes()
    assert make.main(["Klondike-v0"]) == 0
    assert make.PAGE.read_bytes() == before
    assert make.rows_of(capsys.readouterr().out) == {"Klondike-v0": ROWS["Klondike-v0"]}


@pytest.mark.slow(42)
def test_the_rows_are_what_is_found(capfd: pytest.CaptureFixture[str]) -> None:
    """Of one game of each kind, but for slow deals and loops; the command finds all, in minutes."""
    kinds: dict[str, str] = {}
    for id, (_, needs, _, _, faults) in ROWS.items():
        kind = games.kind_of(id)
        runs = needs == "nothing" or (needs == make.NEEDS_NEWER and sys.version_info >= (3, 12))
        if runs and kind not in make.SLOW_DEALS and "loop" not in faults:
            kinds.setdefault(kind, id)
    assert len(kinds) > 60
    for id, found in make.find(list(kinds.values())).items():
        assert ROWS[id] == tuple(map(make.escaped, found)), id
