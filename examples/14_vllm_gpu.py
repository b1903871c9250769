"""Generate with vLLM in the training process (colocate mode). Needs a GPU and a downloaded model.

pip install 'gem-gymnasium[vllm]'
python examples/14_vllm_gpu.py --model Qwen/Qwen3-0.6B

Not run by the tests, nor on a GPU by its authors: what `make test-vllm` runs is the same code with
vLLM's engine for CPUs. Each rollout starts by handing the engine the policy's weights; the loss is
weighted by the ratio of the two models' probabilities (sampling/* in the logs says how far they are
apart).
"""

import argparse
import sys

import torch

from gem_trl import ReinforceConfig, ReinforceTrainer


def main(model: str, env: str) -> None:
    """Train."""
    if not torch.cuda.is_available():
        sys.exit("this example needs a GPU; examples/03_train.py runs without")
    args = ReinforceConfig(
        output_dir="runs/vllm",
        num_rollouts=100,
        num_envs=64,
        episodes_per_rollout=128,
        max_completion_length=512,
        max_context_length=4096,
        model_init_kwargs={"dtype": "bfloat16"},
        activation_checkpointing=True,
        use_vllm=True,
        vllm_mode="colocate",
        vllm_gpu_memory_utilization=0.3,
        vllm_enable_sleep_mode=True,  # the engine's memory is free while the policy trains
        learning_rate=1e-6,
    )
    trainer = ReinforceTrainer(model, args, env=env)
    trainer.train()
    trainer.save_model()
    trainer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="Qwen/Qwen3-0.6B", help="name or path")
    parser.add_argument("--env", default="gem/Sudoku-easy-v0")
    options = parser.parse_args()
    main(options.model, options.env)
