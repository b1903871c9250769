"""Train on several GPUs, one process each, with accelerate.

The trainer is the one of 03_train.py: only the launcher changes.

    accelerate launch --config_file examples/accelerate/ddp.yaml examples/13_multi_gpu.py MODEL

``ddp.yaml`` is for models that fit on one GPU; ``fsdp2.yaml`` and ``deepspeed_zero2.yaml`` beside
it shard what does not fit. Each process plays ``episodes_per_rollout`` episodes in ``num_envs``
envs of its own, and returns are normalized over all of them. ``MODEL`` is a name on the Hub or a
path; without it a tiny model is built here, so that this also runs on two CPU processes:

    ACCELERATE_USE_CPU=true torchrun --nproc_per_node 2 examples/13_multi_gpu.py
"""

import sys
from typing import Any

import gymnasium as gym

from gem_gymnasium.wrappers import History
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny

ENV = "gem/GuessTheNumber-easy-v0"


def tiny_model() -> tuple[Any, Any]:
    """Return a tiny model that knows the form of a move, the same in every process."""
    chats = list(tiny.play_conversations(lambda: History(gym.make(ENV), "messages"), 300, 0.35, 0))
    tokenizer = tiny.train_tokenizer([message["content"] for chat in chats for message in chat])
    model = tiny.build_model(tokenizer, hidden=32, layers=1)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=60, batch_size=16, learning_rate=2e-2)
    return model, tokenizer


def main(name: str = "", output: str = "runs/multi_gpu") -> None:
    """Train the model of that name, or a tiny one for a moment."""
    model, tokenizer = (name, None) if name else tiny_model()
    args = ReinforceConfig(
        output_dir=output,
        num_rollouts=100 if name else 2,
        episodes_per_rollout=64 if name else 8,  # on each process
        history="messages",
        max_completion_length=512 if name else 16,
        per_device_train_batch_size=8,
        save_strategy="steps",
        save_steps=20,  # after a crash: trainer.train(resume_from_checkpoint=True)
        report_to="none",
    )
    trainer = ReinforceTrainer(model=model, args=args, env=ENV, processing_class=tokenizer)
    trainer.train()
    trainer.save_model()
    world, episodes = trainer.accelerator.num_processes, args.episodes_per_rollout
    trainer.accelerator.print(f"{world} processes played {world * episodes} episodes a rollout")
    trainer.close()


if __name__ == "__main__":
    main(*sys.argv[1:3])
