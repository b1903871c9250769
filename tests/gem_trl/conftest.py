"""Tiny models, built once a session, and third-party warnings that are not ours to mend."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

import gymnasium as gym
import pytest
import torch

from gem_gymnasium.wrappers import History
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny
from gem_trl.scripts import cli

torch.set_num_threads(1)

ENV = "gem/GuessTheNumber-easy-v0"

Run = Callable[..., tuple[int, str, str]]
"""Runs the ``gem-trl`` command: exit status, standard output, standard error."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ignore what TRL 1.16 and transformers 5.24 say to each other."""
    for item in items:
        if "gem_trl" in str(item.path):
            for message in ("ignore:.*gradient_checkpointing.*:FutureWarning",):
                item.add_marker(pytest.mark.filterwarnings(message))


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    chats = tiny.play_conversations(lambda: History(gym.make(ENV), "messages"), 60, 0.5, seed=0)
    return tiny.train_tokenizer([m["content"] for chat in chats for m in chat], vocab_size=380)


@pytest.fixture(scope="session")
def warm_model(tokenizer: Any) -> Any:
    """A model that mostly gives well-formed replies; copy it before training."""
    chats = list(
        tiny.play_conversations(lambda: History(gym.make(ENV), "messages"), 300, 0.5, seed=1)
    )
    model = tiny.build_model(tokenizer, hidden=32, layers=1, heads=2)
    tiny.warm_start(
        model,
        tiny.encode_conversations(tokenizer, chats),
        steps=120,
        batch_size=16,
        learning_rate=1e-2,
    )
    return model


@pytest.fixture
def model(warm_model: Any, tokenizer: Any) -> Any:
    fresh = tiny.build_model(tokenizer, hidden=32, layers=1, heads=2)
    fresh.load_state_dict(warm_model.state_dict())
    return fresh


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., ReinforceConfig]:
    """Return a builder of small configurations."""

    def build(**options: Any) -> ReinforceConfig:
        defaults: dict[str, Any] = {
            "output_dir": str(tmp_path / "out"),
            "use_cpu": True,
            "history": "messages",
            "num_envs": 4,
            "episodes_per_rollout": 6,
            "num_rollouts": 2,
            "max_completion_length": 12,
            "learning_rate": 1e-3,
            "lr_scheduler_type": "constant",
            "per_device_train_batch_size": 8,
            "eval_episodes": 5,
            "save_strategy": "no",
            "report_to": "none",
            "disable_tqdm": True,
        }
        return ReinforceConfig(**{**defaults, **options})

    return build


@pytest.fixture
def build_trainer(model: Any, tokenizer: Any, config: Callable[..., ReinforceConfig]) -> Any:
    """Return a builder of trainers; closes their envs afterwards."""
    trainers: list[ReinforceTrainer] = []

    def build(env: Any = ENV, trainer_class: type = ReinforceTrainer, **options: Any) -> Any:
        keys = ("eval_env", "callbacks", "optimizers", "peft_config", "model")
        arguments = {key: options.pop(key) for key in keys if key in options}
        trainer = trainer_class(
            arguments.pop("model", model),
            config(**options),
            env=env,
            processing_class=tokenizer,
            **arguments,
        )
        trainers.append(trainer)
        return trainer

    yield build
    for trainer in trainers:
        trainer.close()


@pytest.fixture
def saved(model: Any, tokenizer: Any, tmp_path: Path) -> Path:
    """A folder with a tiny model and its tokenizer."""
    path = tmp_path / "tiny"
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs the command: exit status, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        try:
            status: Any = cli.main([str(argument) for argument in arguments])
        except SystemExit as exit:
            status = exit.code
        captured = capsys.readouterr()
        return int(status or 0), captured.out, captured.err

    return call
