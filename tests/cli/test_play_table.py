"""gem-gym play with games of several players."""

import io

import pytest

from gem_gymnasium.cli.main import main


def played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, *args: str
) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert main(["play", *args]) == 0
    return capsys.readouterr().out


def test_a_person_plays_the_solver(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = played(monkeypatch, capsys, "1\n2\nhm\n8\n:quit\n", "gem/TicTacToe-v0", "--seed", "3")
    assert out.startswith("gem/TicTacToe-v0, seed 3. Opponent: solver. A move, or :quit.\n")
    assert "\n[player_0]\nTic-tac-toe: two players" in out
    assert "O takes cell 5." in out
    assert "No valid action was found" in out
    assert out.endswith("You stopped.\n") or "You lost after" in out


def test_a_lost_game_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = "no\nno\nno\n"
    out = played(monkeypatch, capsys, typed, "gem/ConnectFour-v0", "--seed", "1")
    assert "That was the last try: you lose." in out
    assert out.endswith("You lost after 0 moves, with a reward of -1.\n")


def test_two_persons_play_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = "1\n4\n2\n5\n3\n"
    out = played(monkeypatch, capsys, typed, "gem/TicTacToe-v0", "--opponent", "person")
    assert "[player_1]" in out
    assert "You won after 5 moves, with a reward of 1." in out
    assert "You lost after 5 moves, with a reward of -1." in out


def test_the_second_seat_against_a_versus_id(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ("gem/KuhnPoker-vs-random-v0", "--seat", "1", "--seed", "0")
    out = played(monkeypatch, capsys, "call\n", *args)
    assert out.startswith("gem/KuhnPoker-v0, seed 0. Opponent: random.")
    assert "[player_1]" in out


@pytest.mark.parametrize(
    ("args", "opponent"),
    [
        (["gem/LiarsDice-v0"], "heuristic"),
        (["gem/LiarsDice-v0", "--opponent", "random"], "random"),
        (["gem/Battleship-vs-heuristic-v0"], "heuristic"),
        (["gem/LeducPoker-v0"], "solver"),
        (["gem/RockPaperScissors-v0"], "random"),
    ],
)
def test_the_best_player_of_ours_is_the_opponent_unless_another_is_named(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: list[str],
    opponent: str,
) -> None:
    out = played(monkeypatch, capsys, "no\nno\nno\n", *args, "--seed", "0")
    assert f", seed 0. Opponent: {opponent}. A move, or :quit." in out.splitlines()[0]
    assert "You lost after" in out


def test_quit_without_its_colon_loses_no_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = played(monkeypatch, capsys, "quit\n:quit\n", "gem/TicTacToe-v0", "--seed", "0")
    assert "did you mean :quit? For a reply of that name, type \\boxed{quit}." in out
    assert "You stopped." in out


@pytest.mark.parametrize("word", ["hint", "rules"])
def test_a_word_for_the_program_costs_no_try(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    out = played(monkeypatch, capsys, f"{word}\n" * 4 + "5\n", "gem/TicTacToe-v0", "--seed", "0")
    assert f"there is no {word} here. For a reply of that name, type \\boxed{{{word}}}." in out
    assert "No valid action" not in out
    assert "X takes cell 5." in out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--opponent", "solvr"], "unknown opponent 'solvr'; did you mean 'solver'"),
        (["--seat", "2"], "seat must be from 0 to 1, got 2"),
    ],
)
def test_what_cannot_be_is_refused(
    args: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "gem/TicTacToe-v0", *args]) != 0
    assert said in capsys.readouterr().err
