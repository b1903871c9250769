"""``gem-trl eval --use_vllm`` with vLLM's own engine on a CPU."""

from pathlib import Path
from typing import Any

import pytest

from gem_trl.scripts import cli
from tests.vllm.conftest import ENV, disturb


@pytest.fixture(params=["model", "adapter"])
def saved(request: pytest.FixtureRequest, model: Any, tokenizer: Any, tmp_path: Path) -> Path:
    """Return a folder with a model, or with an adapter of the model in another folder."""
    folder = tmp_path / "model"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if request.param == "model":
        return folder
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    lora = LoraConfig(r=4, target_modules=["q_proj", "down_proj"], task_type="CAUSAL_LM")
    adapted: Any = get_peft_model(AutoModelForCausalLM.from_pretrained(folder), lora)
    disturb((p for name, p in adapted.named_parameters() if "lora_" in name), 0.1)
    adapted.save_pretrained(tmp_path / "adapter")
    return tmp_path / "adapter"


def test_greedy_transcripts_are_those_of_transformers(saved: Path, tmp_path: Path) -> None:
    written: list[str] = []
    for number, more in enumerate(([], ["--use_vllm"])):
        file = tmp_path / f"{number}.jsonl"
        arguments = ["eval", "--model_name_or_path", saved, "--env", ENV, "--use_cpu"]
        arguments += ["--eval_episodes", 20, "--history", "messages", "--transcripts", file]
        arguments += ["--max_completion_length", 12, *more]
        assert not cli.main([str(argument) for argument in arguments])
        written.append(file.read_text(encoding="utf-8"))
    assert written[0].count("\n") == 20
    assert written[0] == written[1]
