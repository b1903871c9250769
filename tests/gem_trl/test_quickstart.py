"""``gem-trl quickstart`` from end to end, made small."""

import json
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer

from gem_trl import trainer
from gem_trl.scripts import quickstart
from tests.gem_trl.conftest import ENV, Run


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the parts that have no option small."""
    small = {id: r._replace(warm_up_games=40) for id, r in quickstart.RECIPES.items()}
    monkeypatch.setattr(quickstart, "RECIPES", small)
    few = quickstart.DEFAULT_RECIPE._replace(warm_up_games=40)
    monkeypatch.setattr(quickstart, "DEFAULT_RECIPE", few)
    monkeypatch.setattr(quickstart, "EPISODES_PER_ROLLOUT", 6)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("id", ["gem/GuessTheNumber-v0", "gem/Sudoku-easy-v0"])
def test_quickstart_leaves_picture_metrics_table_and_model(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, id: str
) -> None:
    played: list[Any] = []

    class Watched(trainer.ReinforceTrainer):
        def __init__(self, *args: Any, env: Any, **options: Any) -> None:
            played.append(env)
            super().__init__(*args, env=env, **options)

    monkeypatch.setattr(trainer, "ReinforceTrainer", Watched)
    output = tmp_path / "deep" / "run"
    # After 3 steps of warm start nothing is learned, but all is left that a long run leaves.
    options = ("--warm-up-steps", 3, "--rollouts", 2, "--eval-episodes", 4, "--output", output)
    status, out, _ = run("quickstart", "--env", id, *options)
    assert status == 0
    assert played == [id]

    table = (output / "table.md").read_text(encoding="utf-8")
    assert id in table
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| ")]
    assert rows == ["| player", "| random player", "| warm start", "| trained model", "| solver"]
    assert table.splitlines()[-1].endswith(" 1.00 [1.00, 1.00] |")
    assert table.splitlines()[-1].startswith("| solver | 1.000 [")
    assert table.strip() in out.replace("\n\n\n", "\n\n")

    lines = (output / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    steps = quickstart.RECIPES.get(id, quickstart.DEFAULT_RECIPE).mini_batches
    assert [entry["step"] for entry in entries] == [steps, 2 * steps]  # one entry a rollout
    assert all(entry["rollout/episodes"] == 6 for entry in entries)

    assert (output / "curve.png").read_bytes().startswith(b"\x89PNG")
    model = AutoModelForCausalLM.from_pretrained(output / "model")
    tokenizer = AutoTokenizer.from_pretrained(output / "model")
    assert model.config.vocab_size == len(tokenizer)
    for name in ("curve.png", "metrics.jsonl", "model"):
        assert str(output / name) in out


@pytest.mark.usefixtures("short")
def test_quickstart_without_warm_up_is_possible(run: Run, tmp_path: Path) -> None:
    options = ("--warm-up-steps", 0, "--rollouts", 1, "--eval-episodes", 2, "--output", tmp_path)
    status, out, _ = run("quickstart", *options)
    assert status == 0
    assert "warm start: 0 steps" in out
    assert ENV in out


def test_every_recipe_is_for_an_id_there_is() -> None:
    for id, recipe in quickstart.RECIPES.items():
        gymnasium.spec(id)
        assert recipe.history in ("text", "messages", "none")
