"""Replies of transformers on a GPU, and an evaluation."""

from typing import Any

import torch

from gem_trl.generation import Sampling
from tests.gpu.conftest import ON_GPU, first_prompts

SAMPLING = Sampling(max_new_tokens=12)


def test_equal_seeds_give_equal_replies_and_the_global_generators_stay(build_trainer: Any) -> None:
    trainer = build_trainer(num_envs=32)
    prompts = first_prompts(trainer, 32)

    def generators() -> list[torch.Tensor]:
        return [torch.get_rng_state(), *([torch.cuda.get_rng_state()] if ON_GPU else [])]

    before = generators()
    draw = trainer._generator.generate
    first, again, other = (draw(prompts, SAMPLING, seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other
    assert all(torch.equal(a, b) for a, b in zip(before, generators(), strict=True))
    if ON_GPU:
        torch.rand(1, device="cuda")  # replies hang on their seed alone
        assert draw(prompts, SAMPLING, 5) == first


def test_an_evaluation_is_repeatable(build_trainer: Any) -> None:
    trainer = build_trainer()
    first = trainer.play_evaluation()
    assert first == trainer.play_evaluation()
    assert len(first) == 8
