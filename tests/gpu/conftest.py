"""Set-up of the tests that need a GPU: `python -m pytest -m gpu tests/gpu`.

``GEM_GPU_TESTS_ON=cpu`` runs the same code without one, to try out the tests themselves;
``GEM_GPU_REPORT=file.json`` is where the numbers that they measure are written.
"""

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

from gem_gymnasium.wrappers import History
from gem_trl import ReinforceConfig, tiny
from gem_trl.rows import Row
from tests.gem_trl.conftest import ENV, build_trainer, tokenizer

__all__ = ["build_trainer", "tokenizer"]  # fixtures

DEVICE = torch.device(os.environ.get("GEM_GPU_TESTS_ON", "cuda"))
ON_GPU = DEVICE.type != "cpu"

LORA = {"r": 4, "target_modules": ["q_proj", "v_proj", "down_proj"], "task_type": "CAUSAL_LM"}

measured: dict[str, dict[str, Any]] = {}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what lies here, leave it out unless ``-m gpu`` asks for it, skip it without a GPU."""
    here = Path(__file__).parent
    ours = [item for item in items if here in item.path.parents]
    if "gpu" not in config.getoption("markexpr"):
        config.hook.pytest_deselected(items=ours)
        items[:] = [item for item in items if item not in ours]
        return
    for item in ours:
        item.add_marker("gpu")
        # What torch, Triton, TRL and vLLM say about each other's releases is not ours to mend.
        item.add_marker(pytest.mark.filterwarnings("default"))
        if ON_GPU and not torch.cuda.is_available():
            item.add_marker(pytest.mark.skip(reason="there is no CUDA device"))


@pytest.fixture
def measure(request: pytest.FixtureRequest) -> Callable[[str, Any], None]:
    """Return what notes a number down, for the report."""

    def note(name: str, value: Any) -> None:
        measured.setdefault(request.node.name, {})[name] = value
        path = os.environ.get("GEM_GPU_REPORT")
        if path:  # each time, so that a run that is killed leaves what it has
            Path(path).write_text(json.dumps(report(), indent=1))

    return note


def report() -> dict[str, Any]:
    name = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    return {"device": name, "torch": torch.__version__, "measured": measured}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if measured:
        terminalreporter.write_line(json.dumps(report(), indent=1))


def new_model(tokenizer: Any) -> Any:
    return tiny.build_model(tokenizer, hidden=128, layers=2, heads=2)  # heads of 64, as in vLLM


@pytest.fixture(scope="session")
def warm_model(tokenizer: Any) -> Any:
    """A model that mostly gives well-formed replies, and is not too sure of them."""
    chats = list(
        tiny.play_conversations(lambda: History(gym.make(ENV), "messages"), 400, 0.4, seed=1)
    )
    model = new_model(tokenizer)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=120, batch_size=16, learning_rate=5e-3)
    return model


@pytest.fixture
def model(warm_model: Any) -> Any:
    return copy.deepcopy(warm_model)


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., ReinforceConfig]:
    """Return a builder of small configurations; the precision is the default, bfloat16."""

    def build(**options: Any) -> ReinforceConfig:
        defaults: dict[str, Any] = {
            "output_dir": str(tmp_path / "out"),
            "use_cpu": not ON_GPU,
            "bf16": True,
            "history": "messages",
            "num_envs": 8,
            "episodes_per_rollout": 16,
            "num_rollouts": 3,
            "max_completion_length": 12,
            "learning_rate": 1e-3,
            "lr_scheduler_type": "constant",
            "per_device_train_batch_size": 8,
            "eval_episodes": 8,
            "logging_steps": 1,
            "save_strategy": "no",
            "report_to": "none",
            "disable_tqdm": True,
        }
        return ReinforceConfig(**{**defaults, **options})

    return build


def fixed_rows(vocabulary: int, episodes: int = 24, seed: int = 0) -> list[Row]:
    """Return rows of random tokens: chats of one to three turns that go on from each other."""
    rng = np.random.default_rng(seed)

    def tokens(least: int, most: int) -> tuple[int, ...]:
        length = int(rng.integers(least, most + 1))
        return tuple(int(token) for token in rng.integers(4, vocabulary, size=length))

    rows: list[Row] = []
    for episode in range(episodes):
        prompt = tokens(5, 60)
        for _ in range(int(rng.integers(1, 4))):
            reply = tokens(1, 12)
            advantage = float(rng.normal())
            rows.append(
                Row(prompt_ids=prompt, reply_ids=reply, advantage=advantage, episode=episode)
            )
            prompt = prompt + reply + tokens(1, 20)
    return rows


def parameters(model: Any) -> dict[str, torch.Tensor]:
    return {name: value.detach().float().cpu().clone() for name, value in model.named_parameters()}


def largest_difference(first: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    return max(float((value - other[name]).abs().max()) for name, value in first.items())


def first_prompts(trainer: Any, count: int) -> list[tuple[int, ...]]:
    """Return what the policy reads at the start of some episodes."""
    starts = trainer._experience.collector.envs.start({env: env for env in range(count)})
    encoder = trainer._encoder
    return [encoder.encode(start.observation, start.info) for start in starts.values()]
