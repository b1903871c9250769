"""benchmarks/laws/discount.py: its parts are pure facts, and a minimal law runs from end to end."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parent.parent.parent / "benchmarks" / "laws"


@pytest.fixture
def laws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The scripts' modules, which import one another as scripts do."""
    monkeypatch.syspath_prepend(str(FOLDER))
    import discount  # pyright: ignore[reportMissingImports]

    yield discount
    for name in ("discount", "one_run", "recipe", "report"):
        sys.modules.pop(name, None)


def test_the_optimum_is_what_bisection_needs(laws: Any) -> None:
    for high in (1, 2, 3, 6, 31, 50):
        turns = []
        for target in range(1, high + 1):
            low, up, guess, count = 1, high, 0, 0
            while guess != target:
                guess, count = (low + up) // 2, count + 1
                low, up = (guess + 1, up) if guess < target else (low, guess - 1)
            turns.append(count)
        assert laws.report.optimum(high) == pytest.approx(np.mean(turns))
    assert laws.report.optimum(31) == pytest.approx(129 / 31)
    assert laws.report.optimum(50) == pytest.approx(243 / 50)


def test_a_lost_game_counts_as_the_whole_budget(laws: Any) -> None:
    from recipe import Game, summary  # pyright: ignore[reportMissingImports]

    games = [Game(3, True, False), Game(5, True, False), Game(15, False, False)]
    assert summary([*games, Game(2, False, True)], 15) == {
        "success": 0.5,
        "turns": (3 + 5 + 15 + 15) / 4,
        "turns_won": 4.0,
        "malformed": 0.25,
    }
    assert summary(games[2:], 15)["turns_won"] is None


def test_the_interval_is_student_s(laws: Any) -> None:
    # Three values 1, 2, 3: standard error 1/sqrt(3), quantile 4.303.
    assert laws.report.half_width([1.0, 2.0, 3.0]) == pytest.approx(4.303 / 3**0.5)
    assert laws.report.half_width([1.0]) is None
    assert laws.report.cell([1.0, 2.0, 3.0]) == "2.00 +- 2.48"
    assert laws.report.cell([1.0, None]) == "-"


def test_the_fixed_games_deal_every_target_equally_often(laws: Any) -> None:
    import one_run  # pyright: ignore[reportMissingImports]
    from recipe import Recipe  # pyright: ignore[reportMissingImports]

    recipe = Recipe(high=5, turns=4)
    env = one_run.make_env(recipe)
    seeds = one_run.fixed_seeds(recipe, 3)
    assert len(set(seeds)) == 15
    targets = []
    for seed in seeds:
        env.reset(seed=seed)
        targets.append(env.unwrapped._state.target)
    assert targets == [1, 2, 3, 4, 5] * 3
    from gem_gymnasium.solvers import solver_for
    from gem_trl import scores

    # So a solver's mean over the greedy games is the optimum itself.
    played = scores.play(env, solver_for(env), one_run.fixed_seeds(recipe, 1))
    assert np.mean([game.turns for game in played]) == pytest.approx(laws.report.optimum(5))


# -- a whole law, minimal ------------------------------------------------------------------------
MINIMAL = {
    "gammas": "0.5",
    "range": 3,
    "turns": 2,
    "seeds": 1,
    "rollouts": 2,
    "episodes": 4,
    "hidden": 16,
    "warm-up-games": 20,
    "warm-up-steps": 3,
    "eval-repeats": 1,
}


@pytest.fixture
def run(laws: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """Return what runs a minimal law with other options, and returns what it printed."""

    def call(**options: Any) -> str:
        where = {"output": tmp_path / "out", "results": tmp_path / "results"}
        given = {**MINIMAL, **where, **options}
        laws.main([w for name, value in given.items() for w in (f"--{name}", *str(value).split())])
        return capsys.readouterr().out

    import torch  # here, since the processes of do_all import this file

    threads = torch.get_num_threads()
    yield call
    torch.set_num_threads(threads)


def test_a_minimal_law_runs_and_no_part_twice(run: Any, tmp_path: Path) -> None:
    out = run()
    assert "seed 0, warm start: done" in out
    assert "seed 0, gamma 0.5: done" in out

    out = run(gammas="0.5 1")  # one more discount, from the warm start that is there
    assert "seed 0, gamma 1: done" in out
    assert "warm start: begins" not in out
    assert "gamma 0.5: begins" not in out

    law = json.loads((tmp_path / "results" / "discount_3.json").read_text(encoding="utf-8"))
    assert [(run["seed"], run["gamma"]) for run in law["runs"]] == [(0, 1.0), (0, 0.5)]
    for each in law["runs"]:
        assert each["rollouts"] == 2
        assert all(len(curve) == 2 for curve in each["curve"].values())
        assert 1 <= each["greedy"]["turns"] <= 2
    # The same weights play the same games in the first rollout, whatever the discount.
    firsts = [{name: curve[0] for name, curve in each["curve"].items()} for each in law["runs"]]
    assert firsts[0] == firsts[1]

    text = (tmp_path / "results" / "discount_3.md").read_text(encoding="utf-8")
    assert text in out
    assert "optimum is **1.67** turns" in text
    assert "discount.py --seeds 1 --jobs 1 --gammas 1 0.5 --range 3 --turns 2 --hidden 16 " in text
    assert str(tmp_path) not in text
    assert "| 1 to 0.5 |" in text
    assert (tmp_path / "results" / "discount_3.png").read_bytes().startswith(b"\x89PNG")

    with pytest.raises(SystemExit, match="begun with rollouts 2, not 3"):
        run(rollouts=3)


def test_a_run_stops_at_its_time_budget_and_the_table_says_so(run: Any) -> None:
    assert "| 0.5 | 1/2 |" in run(**{"budget-s": 1e-9})


def note_process(part: Any) -> None:
    """Stand in for the work of a part."""
    part.output.mkdir(exist_ok=True)
    part.file.write_text(str(os.getpid()), encoding="utf-8")


def test_jobs_run_in_processes_of_their_own_and_what_fails_there_is_told(
    laws: Any, tmp_path: Path
) -> None:
    parts = [laws.Part(laws.Recipe(), tmp_path, seed, 0.5) for seed in range(3)]
    laws.write_json(parts[0].file, "done before")
    laws.do_all(parts, 2, note_process)
    texts = [part.file.read_text(encoding="utf-8") for part in parts]
    assert texts[0] == '"done before"\n'
    assert str(os.getpid()) not in texts
    nowhere = [part._replace(output=tmp_path / "no" / "folder") for part in parts]
    with pytest.raises(FileNotFoundError, match="folder"):
        laws.do_all(nowhere, 2, note_process)


# -- the command line ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--gammas", "1.5"), "--gammas must lie in [0, 1], got [1.5]"),
        (("--seeds", "11"), "--seeds must be 1 to 10, got 11"),
        (("--device", "tpu"), "argument --device: invalid choice: 'tpu'"),
    ],
)
def test_a_mistake_is_answered_by_one_sentence(
    laws: Any, capsys: pytest.CaptureFixture[str], option: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        laws.main(option)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_the_script_shows_its_help_without_torch(laws: Any) -> None:
    code = "import sys, runpy; sys.argv[1:] = ['--help']; path = sys.argv[0] = {!r}\n"
    code += "try: runpy.run_path(path, run_name='__main__')\n"
    code += "except SystemExit: print('torch' in sys.modules)"
    script = str(FOLDER / "discount.py")
    found = subprocess.run(
        [sys.executable, "-c", code.format(script)],
        cwd=FOLDER,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert found.stdout.splitlines()[-1] == "False"
    for name in laws.Recipe._fields:
        assert f"{laws.flag_of(name)} " in found.stdout
    assert "129/31 = 4.16" in found.stdout
