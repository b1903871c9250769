"""Math with a Python tool: the model writes a program, reads what it printed, and answers.

python examples/06_math_with_python.py

A tiny model is built here so that this runs offline in a minute; put your own in its place. It
has learned to write programs, and is too small to copy what they print: this shows the loop, not
learning. The rows are made here too: a hub data set is one argument away.
"""

import re
import sys

import gymnasium as gym
import numpy as np

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.tasks.rows import Listed, Row
from gem_gymnasium.tools import PythonTool
from gem_gymnasium.wrappers import History, ToolUse
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny

ROWS = Listed(
    [
        Row(id=f"{a}x{b}", question=f"What is {a} times {b}?", answer=str(a * b))
        for a in range(2, 10)
        for b in range(2, 10)
    ],
    name="products",
)


def make_env() -> gym.Env:
    """Return single-turn math made multi-turn by a tool; what is seen are chat messages."""
    env = gym.make("gem/Math-v0", data=ROWS)  # or gym.make("gem/Math-GSM8K-v0")
    # Only the right answer pays; preset="python" would pay programs that run as well, as in GEM.
    env = ToolUse(env, [PythonTool()], max_tool_uses=2)
    return History(env, layout="messages")


def teacher(info: dict, rng: np.random.Generator) -> str:
    """Answer like a model that mostly remembers that it has a tool and reads what it printed."""
    if info["event"] == "tool" and rng.random() < 0.7:
        return f"\\boxed{{{info['feedback'].split()[-1]}}}"
    first, second = re.findall(r"\d+", info["messages"][0]["content"])[:2]
    if info["event"] != "tool" and rng.random() < 0.7:
        return f"<python>print({first} * {second})</python>"
    return f"\\boxed{{{rng.integers(2, 100)}}}"


def conversations(count: int) -> list[list[dict[str, str]]]:
    """Return chats of the teacher."""
    env, rng = make_env(), np.random.default_rng(0)
    chats = []
    for seed in range(count):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(teacher(info, rng))
            over = terminated or truncated
        chats.append(info["messages"])
    env.close()
    return chats


def main(output: str = "runs/math", rollouts: int = 3) -> None:
    """Show a chat, then train a tiny model that has seen some."""
    chats = conversations(600)
    for message in max(chats[:5], key=len):
        print(f"{message['role']}: {message['content']}")
    tokenizer = tiny.train_tokenizer([message["content"] for chat in chats for message in chat])
    model = tiny.build_model(tokenizer, hidden=64)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=150, batch_size=8, learning_rate=1e-2)

    args = ReinforceConfig(
        output,
        num_rollouts=rollouts,
        episodes_per_rollout=32,
        history="messages",
        max_completion_length=32,
        learning_rate=5e-4,
        report_to="none",
        save_strategy="no",
    )
    trainer = ReinforceTrainer(model, args, env=make_env, processing_class=tokenizer)
    trainer.train()
    print(trainer.evaluate())
    trainer.close()


if __name__ == "__main__":
    main(*sys.argv[1:2])
