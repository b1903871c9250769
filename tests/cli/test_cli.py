"""gem-gym: the list names every id, and a person can play a game to its end."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

from gem_gymnasium import multiplayer, registry
from gem_gymnasium.cli.main import COMMANDS, main
from gem_gymnasium.data import load_json

GUESS = "gem/GuessTheNumber-easy-v0"


def play(monkeypatch: pytest.MonkeyPatch, lines: list[str], *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    return main(["play", *arguments])


def secret(seed: int) -> int:
    env = gym.make(GUESS)
    env.reset(seed=seed)
    return env.unwrapped._state.target  # type: ignore[attr-defined]


def test_the_list_shows_every_id_with_what_was_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.startswith("gem/")}
    assert tuple(rows) == (*registry.ids(), *multiplayer.ids())
    assert rows["gem/TicTacToe-v0"] == ["pettingzoo", "9", "-", "-", "-", "-"]
    game = load_json("calibration.json")["games"][GUESS]
    measured = [f"{game[who]['return']:.3f}" for who in ("random", "solver")]
    assert rows[GUESS] == ["game", "4", *measured, f"{game['solver']['success']:.3f}"]
    assert rows["gem/Mastermind-random-v0"][1] == "10-30"
    oracles = {id.split("-")[0] for id, row in rows.items() if row[-1] == "yes"}
    assert oracles == {"gem/Crosswords", "gem/WikiGame"}


def test_the_list_as_json_and_by_family(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json", "--family", "game"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["family"] for row in rows} == {"game"}
    assert {row["id"]: row["oracle"] for row in rows}[GUESS] is False
    assert main(["list", "--json", "--family", "pettingzoo"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(multiplayer.ids())
    assert main(["list", "--family", "gam"]) == 2
    assert "did you mean 'game'" in capsys.readouterr().err


def test_a_person_wins_with_a_bare_move_or_a_whole_reply(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = secret(3)
    for winning in (str(hidden), f"I say \\boxed{{{hidden}}}."):
        assert play(monkeypatch, ["", winning], GUESS, "--seed", "3") == 0
        out = capsys.readouterr().out
        assert "Turns left: 4." in out
        assert "You won after 1 of 4 turns, with a return of 1." in out
        assert "your normalized score is 1.00" in out


def test_hints_alone_win_and_cost_no_turn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    for _ in range(5):  # the fifth time all four hints are played
        play(monkeypatch, [*said, ":hint"], GUESS, "--seed", "5")
        out = capsys.readouterr().out
        if "You won" in out:
            break
        said.append(out.split("\\boxed{")[-1].split("}")[0])
    assert f"You won after {len(said)} of 4 turns" in out


def test_commands_and_slips(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(monkeypatch, [":help", ":rules", "hm", ":quit"], GUESS, "--seed", "0") == 0
    out = capsys.readouterr().out
    assert "there is no :help: type :hint, :rules or :quit" in out
    assert out.count("Guess the Number: find") == 2
    assert "Turns left: 3.  (-0.1)" in out
    assert "You stopped after 1 of 4 turns, with a return of -0.1." in out
    assert "normalized score" not in out  # nobody played to the end
    assert "holds no move costs 0.1 and its turn" in out
    assert "> hm\n" in out  # no terminal showed what was typed


def test_a_command_without_its_colon_costs_no_turn_and_can_still_be_a_move(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["hint", "Rules", "quit", "\\boxed{hint}", ":quit"]
    assert play(monkeypatch, lines, GUESS, "--seed", "0") == 0
    out = capsys.readouterr().out
    for word in ("hint", "rules", "quit"):
        assert (
            f"did you mean :{word}? For a move of that name, type \\boxed{{{word}}}.".lower()
            in out.lower()
        )
    assert "You stopped after 1 of 4 turns" in out


def test_without_a_command_all_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert all(f"gem-gym {command}" in out for command in COMMANDS)


def test_an_unknown_command_is_answered_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["dcotor"]) == 2
    assert capsys.readouterr().err == (
        "gem-gym: unknown command 'dcotor'; did you mean 'doctor'?\n"
    )


def test_an_episode_without_a_seed_says_the_seed_that_replays_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, ["1", "2", "3", "4"], GUESS)
    first = capsys.readouterr().out
    seed = first.split("seed ")[1].split(".")[0]
    play(monkeypatch, ["1", "2", "3", "4"], GUESS, "--seed", seed)
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([GUESS, "--seed", "-1"], "seed must be at least 0, got -1"), (["gem/Sudok-v0"], "Sudoku"),
     (["gem/Sudoku"], "mean 'gem/Sudoku-v0'"), (["gem/"], "unknown game 'gem/'"), ([""], "game ''"),
     ([GUESS, "--seat", "0"], "--seat is for games of several players, and gem/GuessTheNumber"),
     ([GUESS, "--opponent", "solver"], "--opponent is for games of several players"),
     (["CartPole-v1"], "unknown game 'CartPole-v1'"), (["gem/Sudoku-v9"], "gem/Sudoku-v0")],
)  # fmt: skip
def test_mistakes_are_said_in_a_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("gem-gym: ")
    assert message in error


def test_an_id_may_name_its_module_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    moves = ["1", "1", "1", "1"]
    assert play(monkeypatch, moves, f"gem_gymnasium:{GUESS}", "--seed", "0") == 0
    assert "your normalized score is" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_bytes_that_are_no_text_cost_a_turn_and_nothing_more(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gem_gymnasium.cli.main", "play", "gem/WikiGame-v0", "--seed", "0"],
        input=b"caf\xc3\xa9 \xff\x00\n" + b"x" * 1_000_000 + b"\n",
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": f"{encoding}:strict"},
        timeout=60,
    )
    assert done.stderr == b""
    assert b"You stopped after 2 of 30 turns, with a return of -0.1." in done.stdout


def test_an_interrupt_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted:
        def readline(self) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert main(["play", GUESS]) == 130


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m gem_gymnasium.cli.main list | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout.startswith("id ")


@pytest.mark.parametrize("closed", [">&-", "<&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_error(closed: str) -> None:
    for arguments in ("list", f"play {GUESS} --seed 0"):
        command = f"{sys.executable} -m gem_gymnasium.cli.main {arguments} {closed}"
        done = subprocess.run(
            command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_person_answers_a_task_without_its_form(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"question": "Which planet is red?", "answer": "Mars"}\n')
    gym.register("gem/QA-Planet-v0", "gem_gymnasium.tasks.qa:QaEnv", kwargs={"data": str(rows)})
    monkeypatch.setattr(
        registry, "ids", lambda *families: () if families else ("gem/QA-Planet-v0",)
    )
    try:
        assert play(monkeypatch, [":hint", "mars"], "gem/QA-Planet-v0", "--seed", "0") == 0
    finally:
        del gym.registry["gem/QA-Planet-v0"]
    out = capsys.readouterr().out
    assert "Which planet is red?" in out
    assert "<answer>Mars</answer>" in out
    assert "The answer is right.  (+1)" in out
    assert "You won after 1 of 1 turns" in out
