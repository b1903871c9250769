"""``gem-trl eval``: the episodes of the trainer's own evaluation, adapters, files and tables."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from peft import LoraConfig, get_peft_model

from gem_trl.loading import is_adapter, load_merged
from gem_trl.scores import share_interval
from tests.gem_trl.conftest import ENV, Run

OPTIONS = ("--history", "messages", "--max_completion_length", 12, "--use_cpu", "--num_envs", 3)


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_it_plays_the_trainers_own_evaluation(
    run: Run, saved: Path, tmp_path: Path, build_trainer: Callable[..., Any]
) -> None:
    output, transcripts = tmp_path / "deep" / "r.json", tmp_path / "t.jsonl"
    status, out, err = run(
        *("eval", "--model_name_or_path", saved, "--env", ENV, *OPTIONS, "--eval_episodes", 6),
        *("--output", output, "--transcripts", transcripts),
    )
    assert (status, "Traceback" in err) == (0, False)
    trainer = build_trainer(eval_episodes=6)
    episodes = trainer.play_evaluation()
    result = read(output)["envs"][ENV]
    assert [e["seed"] for e in result["played"]] == [e.seed for e in episodes]
    assert [e["return"] for e in result["played"]] == [e.total_reward for e in episodes]
    assert [e["turns"] for e in result["played"]] == [len(e.turns) for e in episodes]
    success = share_interval(sum(e.success for e in episodes), 6)
    assert result["success"] == pytest.approx(success._asdict())
    assert read(output)["settings"]["history"] == "messages"

    lines = [json.loads(line) for line in transcripts.read_text(encoding="utf-8").splitlines()]
    assert [line["seed"] for line in lines] == [e.seed for e in episodes]
    decode = trainer.processing_class.decode
    assert lines[0]["turns"][0]["reply"] == decode(episodes[0].turns[0].reply_ids)

    assert f"{ENV}: 6 episodes, seed 0, greedy, 95 % intervals" in out
    assert re.search(r"success +\d\.\d\d \[.*\] +0\.39 \[.*\] +1\.00 \[", out)
    assert re.search(r"NormalizeScore +-?\d\.\d\d \[.*\] +0 +1 *\n", out)
    assert str(output) in out
    assert not (tmp_path / "trainer_output").exists()


def test_an_envs_episodes_do_not_depend_on_the_others(
    run: Run, saved: Path, tmp_path: Path
) -> None:
    def played(*envs: str) -> Any:
        output = tmp_path / "r.json"
        options = ("--eval_episodes", 3, "--eval_temperature", 1.0, "--output", output)
        assert (
            run("eval", "--model_name_or_path", saved, "--env", *envs, *OPTIONS, *options)[0] == 0
        )
        return read(output)["envs"]

    both = played("gem/GuessTheNumber-hard-v0", ENV)
    assert [*both] == ["gem/GuessTheNumber-hard-v0", ENV]
    assert played(ENV)[ENV] == both[ENV]


def test_a_game_of_several_players_is_played_with_our_players(
    run: Run, saved: Path, tmp_path: Path
) -> None:
    output = tmp_path / "r.json"
    options = (*OPTIONS, "--eval_episodes", 3, "--output", output)
    training = ("--rebn_scope", "role", "--opponent_share", 0.5)  # as its file may have them
    command = ("eval", "--model_name_or_path", saved, "--env", "gem/KuhnPoker-v0")
    assert run(*command, *options, *training)[0] == 0
    assert [*read(output)["envs"]] == [f"gem/KuhnPoker-vs-{p}-v0" for p in ("random", "solver")]


def test_a_trainings_file_evaluates_what_it_trained(
    run: Run, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = {
        "model_name_or_path": "elsewhere",
        "output_dir": "out",
        "env_id": [ENV, "gem/GuessTheNumber-v0"],
        "env_weights": [1.0, 2.0],
        "advantage_estimator": "ppo",
        "beta": 0.1,
        "eval_strategy": "steps",
        "history": "messages",
        "max_completion_length": 12,
        "eval_episodes": 2,
        "use_cpu": True,
    }
    Path("train.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    status, out, _ = run("eval", "--config", "train.yaml", "--model_name_or_path", saved)
    assert status == 0
    assert "gem/GuessTheNumber-v0: 2 episodes" in out
    assert {path.name for path in tmp_path.iterdir()} == {"train.yaml", saved.name}


@pytest.fixture
def adapter(model: Any, tokenizer: Any, saved: Path, tmp_path: Path) -> Path:
    """The folder of an adapter of the saved model that changes what it says."""
    model.name_or_path = str(saved)
    adapted: Any = get_peft_model(model, LoraConfig(r=4, task_type="CAUSAL_LM"))
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=1.0)
    path = tmp_path / "adapter"
    adapted.save_pretrained(path)
    return path


def test_an_adapter_is_merged_into_its_model(
    run: Run, adapter: Path, saved: Path, tmp_path: Path
) -> None:
    assert is_adapter(str(adapter))
    assert not is_adapter(str(saved))
    assert not is_adapter(str(tmp_path / "none"))
    merged, tokenizer = load_merged(str(adapter), {"revision": "main", "dtype": "float32"})
    base, _ = load_merged(str(adapter), {})
    assert not hasattr(merged, "peft_config")
    ids = tokenizer("10 is higher", return_tensors="pt").input_ids
    assert torch.equal(merged(ids).logits, base(ids).logits)

    def replies(path: Path) -> list[Any]:
        output = tmp_path / "t.jsonl"
        options = (*OPTIONS, "--eval_episodes", 3, "--transcripts", output)
        assert run("eval", "--model_name_or_path", path, "--env", ENV, *options)[0] == 0
        lines = output.read_text(encoding="utf-8").splitlines()
        return [turn["reply"] for line in lines for turn in json.loads(line)["turns"]]

    assert replies(adapter) != replies(saved)
