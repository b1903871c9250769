"""Training and evaluation with a tool in the stack: the model's programs run, and it goes on."""

import json
import math
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
import torch
from gymnasium.vector import SyncVectorEnv

from gem_gymnasium import errors
from gem_gymnasium.sandbox import available
from gem_gymnasium.wrappers import History, ToolUse
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny
from gem_trl.envs import open_envs, with_history, with_tools
from tests.gem_trl.conftest import ENV, Run
from tests.helpers import legal

needs_sandbox = pytest.mark.skipif(
    all(available()[level] for level in ("zygote", "bwrap") if level in available()),
    reason="no isolating level of the sandbox",
)
TOOLS = {"tools": ["python"], "tool_kwargs": {"max_tool_uses": 2, "preset": "python"}}


def stack() -> gym.Env[Any, Any]:
    return with_history(with_tools(gym.make(ENV), **TOOLS), "messages", {})


def programs(count: int) -> list[tiny.Conversation]:
    """Return chats in which a program comes before each guess, as long as there may be one."""
    env, act = stack(), legal(0)
    chats: list[tiny.Conversation] = []
    for seed in range(count):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            asks = info["event"] != "tool" and info["tool_uses"] < 2
            reply = "<python>print(5)</python>" if asks else act(env, observation, info)
            observation, _, terminated, truncated, info = env.step(reply)
            over = terminated or truncated
        chats.append(info["messages"])
    env.close()
    return chats


@pytest.fixture(scope="module")
def caller() -> tuple[Any, Any]:
    """A model that mostly calls the tool, and its tokenizer."""
    chats = programs(30)
    tokenizer = tiny.train_tokenizer([m["content"] for chat in chats for m in chat], 400)
    model = tiny.build_model(tokenizer, hidden=32, layers=1, heads=2)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=160, batch_size=2, learning_rate=1e-2)
    return model, tokenizer


@pytest.fixture
def trained(caller: tuple[Any, Any], config: Any) -> ReinforceTrainer:
    model, tokenizer = caller
    args: ReinforceConfig = config(
        **TOOLS, num_rollouts=3, max_completion_length=16, log_completions=False
    )
    trainer = ReinforceTrainer(model, args, env=ENV, processing_class=tokenizer)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    trainer.train()
    trainer.close()
    assert any(not torch.equal(before[n], value) for n, value in model.named_parameters())
    return trainer


@needs_sandbox
def test_three_steps_with_a_python_tool_in_the_stack(trained: ReinforceTrainer) -> None:
    assert trained.state.global_step == 3
    logs = [entry for entry in trained.state.log_history if "loss" in entry]
    assert len(logs) == 3
    for log in logs:
        assert math.isfinite(log["loss"])
        assert log["rollout/invalid_episodes"] == 0
        assert 0 < log["episode/tool_uses"] <= 2


@needs_sandbox
def test_the_commands_take_tools(caller: tuple[Any, Any], run: Run, tmp_path: Path) -> None:
    model, tokenizer = caller
    saved = tmp_path / "caller"
    model.save_pretrained(saved)
    tokenizer.save_pretrained(saved)
    common = (
        "--env", ENV, "--tools", "python", "--tool_kwargs", json.dumps(TOOLS["tool_kwargs"]),
        "--history", "messages", "--use_cpu", "--max_completion_length", 16, "--num_envs", 4,
    )  # fmt: skip
    out, transcripts = tmp_path / "out", tmp_path / "replies.jsonl"
    status, *_ = run(
        "train", "--model_name_or_path", saved, *common, "--output_dir", out, "--max_steps", 3,
        "--episodes_per_rollout", 4, "--learning_rate", 1e-6, "--save_strategy", "no",
        "--report_to", "none", "--disable_tqdm", "true",
    )  # fmt: skip
    assert status == 0
    status, *_ = run(
        "eval", "--model_name_or_path", out, *common, "--eval_episodes", 4,
        "--transcripts", transcripts,
    )  # fmt: skip
    assert status == 0
    episodes = [json.loads(line) for line in transcripts.read_text("utf-8").splitlines()]
    turns = [turn for episode in episodes for turn in episode["turns"]]
    assert any(turn["event"] == "tool" for turn in turns)
    assert any("<|tool|>Tool python, use 1 of 2:" in turn["prompt"] for turn in turns)


def test_tools_go_under_the_history_that_is_added_and_over_one_that_is_there() -> None:
    env = stack()
    assert isinstance(env, History)
    assert isinstance(env.env, ToolUse)
    there = with_tools(History(gym.make(ENV)), ["python"], {})
    assert isinstance(there, ToolUse)
    assert with_history(there, "text", {}) is there
    assert with_tools(there, ["python"], {}) is there
    bare = gym.make(ENV)
    assert with_tools(bare, [], {}) is bare


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tools": ["pyton"]}, "unknown tool 'pyton'; did you mean 'python'"),
        ({"tool_kwargs": {"max_tool_uses": 2}}, "tool_kwargs without tools, got {'max_tool_uses"),
    ],
)
def test_options_that_are_refused_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.ConfigError, match=message):
        ReinforceConfig("out", use_cpu=True, **options)


def test_a_file_may_name_one_tool() -> None:
    assert ReinforceConfig("out", use_cpu=True, tools="python").tools == ["python"]  # type: ignore[arg-type]


def test_what_the_wrapper_refuses_is_said_before_an_episode() -> None:
    def opened(source: Any, **tool_kwargs: Any) -> None:
        open_envs(source, 1, "none", {}, 1.0, ["python"], tool_kwargs)

    with pytest.raises(errors.ConfigError, match=r"tool_kwargs .*max_uses"):
        opened(ENV, max_uses=2)
    with pytest.raises(errors.ConfigError, match="max_tool_uses must be at least 1"):
        opened(ENV, max_tool_uses=0)
    vector = SyncVectorEnv([lambda: gym.make(ENV)])
    with pytest.raises(errors.ConfigError, match="tools cannot be added to the envs of a vector"):
        opened(vector)
    vector.close()
