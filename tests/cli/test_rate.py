"""gem-gym rate: the table, the JSON, and what is refused."""

import json

import pytest

from gem_gymnasium.cli.main import main
from gem_gymnasium.cli.rate import as_table
from gem_gymnasium.multiplayer.ratings import Result, rate


def test_the_table_says_who_is_best_and_who_beat_whom(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", "gem/Nim-v0", "--players", "random, solver", "--games", "20"]) == 0
    out, error = capsys.readouterr()
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["player", "rating", "95", "%", "games", "reward"]
    assert lines[1][0] == "solver"
    assert lines[1][1].startswith("+")
    assert lines[4] == ["won-drawn-lost", "solver", "random"]
    won, drawn, lost = map(int, lines[5][2].split("-"))
    assert (won + lost, drawn) == (20, 0)
    assert lines[6] == ["random", f"{lost}-0-{won}", "-"]
    assert error == ""


def test_who_wins_more_games_but_less_is_pointed_out() -> None:
    small, large = Result(("a", "b"), (1.0, -1.0)), Result(("a", "b"), (-9.0, 9.0))
    assert "By reward the order is another: b, a." in as_table(rate([small, small, large]))
    assert "By reward" not in as_table(rate([small, large, large]))


def test_as_json_it_is_one_object_a_player(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", "gem/LowestUnique-v0", "--games", "6", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["name"] for row in rows} == {"random", "heuristic"}
    for row in rows:
        assert row["games"] == 12
        assert row["interval"][0] < row["rating"] < row["interval"][1]
    other = rows[1]["name"]
    assert sum(rows[0]["record"][other].values()) == 24


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["gem/Sudoku-v0"], "unknown game of several players 'gem/Sudoku-v0'; it is an env of one"),
        (["gem/Nim-v0", "--players", "random,solvr"], "unknown player 'solvr'; did you mean"),
        (["gem/Nim-v0", "--players", "random,heuristic"], "nim has no heuristic"),
        (["gem/RockPaperScissors-v0"], "gem/RockPaperScissors-v0 has random, and of your own"),
        (["gem/Nim-v0", "--games", "0"], "games must be an int, at least 1, got 0"),
        (["gem/Nim-v0", "--seed", "-1"], "seed must be an int, at least 0, got -1"),
    ],
)
def test_what_cannot_be_is_refused(
    args: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rate", *args]) == 2
    assert said in capsys.readouterr().err
