"""Training with the search tool, by name: a tiny model searches, reads, answers, and learns."""

import math
from typing import Any

import gymnasium as gym
import pytest
import torch

from gem_gymnasium import errors
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny
from gem_trl.envs import with_history, with_tools

ENV = "gem/QA-Sample-v0"
TOOLS = {
    "tools": ["search:sample"],
    "tool_kwargs": {"max_tool_uses": 1, "preset": "search_no_reward"},
}


def searches(count: int) -> list[tiny.Conversation]:
    """Return chats in which one search comes before the answer."""
    env = with_history(with_tools(gym.make(ENV), **TOOLS), "messages", {})
    chats: list[tiny.Conversation] = []
    for seed in range(count):
        env.reset(seed=seed)
        env.step("<search>town</search>")
        *_, info = env.step("<answer>town</answer>")
        chats.append(info["messages"])
    env.close()
    return chats


@pytest.fixture(scope="module")
def searcher() -> tuple[Any, Any]:
    """A model that mostly calls the tool, and its tokenizer."""
    chats = searches(30)
    tokenizer = tiny.train_tokenizer([m["content"] for chat in chats for m in chat], 600)
    model = tiny.build_model(tokenizer, hidden=32, layers=1, heads=2)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=300, batch_size=2, learning_rate=5e-3)
    return model, tokenizer


def test_three_steps_with_search_in_the_stack(searcher: tuple[Any, Any], config: Any) -> None:
    model, tokenizer = searcher
    args: ReinforceConfig = config(
        **TOOLS, num_rollouts=3, max_completion_length=24, log_completions=False
    )
    trainer = ReinforceTrainer(model, args, env=ENV, processing_class=tokenizer)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    trainer.train()
    trainer.close()
    assert trainer.state.global_step == 3
    assert any(not torch.equal(before[n], value) for n, value in model.named_parameters())
    logs = [entry for entry in trainer.state.log_history if "loss" in entry]
    assert len(logs) == 3
    for log in logs:
        assert math.isfinite(log["loss"])
        assert log["rollout/invalid_episodes"] == 0
    assert any(log["episode/tool_uses"] > 0 for log in logs)


def test_names_of_tools_are_checked_before_anything_is_built() -> None:
    assert ReinforceConfig("out", use_cpu=True, tools=["search:wiki"]).tools == ["search:wiki"]
    with pytest.raises(errors.UnknownName, match="did you mean 'search'"):
        ReinforceConfig("out", use_cpu=True, tools=["serch:wiki"])
    with pytest.raises(errors.ConfigError, match="takes no argument"):
        ReinforceConfig("out", use_cpu=True, tools=["python:wiki"])
