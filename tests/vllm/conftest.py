"""Set-up of the tests that run vLLM's own engine on a CPU: `make test-vllm`."""

import os

# Before vLLM is imported. One GiB holds every reply; the eager back end compiles nothing.
os.environ["VLLM_CPU_KVCACHE_SPACE"] = "1"
os.environ["VLLM_CPU_CI_ENV"] = "1"
os.environ["VLLM_LOGGING_LEVEL"] = "ERROR"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
import torch

from gem_gymnasium.wrappers import History
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny
from gem_trl.rows import Row

ENV = "gem/GuessTheNumber-easy-v0"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies here, and ignore what torch, vLLM and transformers say to each other."""
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker("vllm")
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    chats = tiny.play_conversations(lambda: History(gym.make(ENV), "messages"), 60, 0.5, seed=0)
    return tiny.train_tokenizer([m["content"] for chat in chats for m in chat], vocab_size=380)


@pytest.fixture(scope="session")
def warm_model(tokenizer: Any) -> Any:
    """A model that mostly gives well-formed replies, and is far from certain of them."""
    chats = list(
        tiny.play_conversations(lambda: History(gym.make(ENV), "messages"), 600, 0.35, seed=1)
    )
    model = new_model(tokenizer)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=200, learning_rate=5e-3)
    return model


def new_model(tokenizer: Any) -> Any:
    return tiny.build_model(tokenizer, hidden=64, layers=2, heads=2)  # heads of 32, for vLLM


@pytest.fixture
def model(warm_model: Any, tokenizer: Any) -> Any:
    fresh = new_model(tokenizer)
    fresh.load_state_dict(warm_model.state_dict())
    return fresh


@pytest.fixture
def build_trainer(model: Any, tokenizer: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Return a builder of trainers that generate with vLLM; shuts their engines down."""
    trainers: list[ReinforceTrainer] = []

    def build(**options: Any) -> Any:
        keys = ("peft_config", "model", "env", "processing_class")
        arguments = {key: options.pop(key) for key in keys if key in options}
        defaults: dict[str, Any] = {
            "output_dir": str(tmp_path / "out"),
            "use_cpu": True,
            "use_vllm": True,
            "history": "messages",
            "num_envs": 8,
            "episodes_per_rollout": 16,
            "num_rollouts": 3,
            "max_completion_length": 12,
            "learning_rate": 1e-3,
            "lr_scheduler_type": "constant",
            "per_device_train_batch_size": 16,
            "eval_episodes": 12,
            "save_strategy": "no",
            "report_to": "none",
            "disable_tqdm": True,
        }
        trainer = ReinforceTrainer(
            arguments.pop("model", model),
            ReinforceConfig(**{**defaults, **options}),
            **{"env": ENV, "processing_class": tokenizer, **arguments},
        )
        trainers.append(trainer)
        return trainer

    yield build
    for trainer in trainers:
        trainer.close()


def first_prompts(trainer: Any, count: int) -> list[tuple[int, ...]]:
    """Return what the policy reads at the start of some episodes."""
    starts = trainer._experience.collector.envs.start({env: env for env in range(count)})
    encoder = trainer._encoder
    return [encoder.encode(start.observation, start.info) for start in starts.values()]


def gap(trainer: Any, prompts: list[tuple[int, ...]], replies: list[Any]) -> float:
    """Return the largest distance between vLLM's log-probabilities and the trainer's own."""
    rows = [
        Row(prompt_ids=prompt, reply_ids=reply.ids, advantage=0.0)
        for prompt, reply in zip(prompts, replies, strict=True)
    ]
    trainer._scorer.store_old(trainer.model, rows)
    return max(
        abs(ours - its)
        for row, reply in zip(rows, replies, strict=True)
        for ours, its in zip(row.old_log_probs or (), reply.log_probs, strict=True)
    )


@torch.no_grad()
def disturb(parameters: Any, size: float) -> None:
    """Move parameters by noise, always the same."""
    generator = torch.Generator().manual_seed(0)
    for parameter in parameters:
        parameter.add_(size * torch.randn(parameter.shape, generator=generator))
