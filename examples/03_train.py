"""Train a language model on an env, in TRL's shape.

A tiny model is built here so that this runs offline in seconds; put your own in its place.
"""

import sys

import gymnasium as gym

from gem_gymnasium.wrappers import History
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny

ENV = "gem/GuessTheNumber-easy-v0"


def main(output: str = "runs/example", rollouts: int = 2) -> None:
    """Build, warm up and train a tiny model."""
    # model, tokenizer = "Qwen/Qwen3-0.6B", None       # a real one, on a GPU
    chats = list(tiny.play_conversations(lambda: History(gym.make(ENV), "messages"), 500, 0.35, 0))
    tokenizer = tiny.train_tokenizer([message["content"] for chat in chats for message in chat])
    model = tiny.build_model(tokenizer, hidden=48, layers=1)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=60, batch_size=16, learning_rate=2e-2)

    args = ReinforceConfig(
        output_dir=output,
        num_rollouts=rollouts,
        episodes_per_rollout=32,
        history="messages",
        max_completion_length=16,
        learning_rate=5e-4,
        gamma=0.9,
        report_to="none",
    )
    trainer = ReinforceTrainer(model=model, args=args, env=ENV, processing_class=tokenizer)
    trainer.train()
    print(trainer.evaluate())
    trainer.close()


if __name__ == "__main__":
    main(*sys.argv[1:2])
