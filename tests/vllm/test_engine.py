"""vLLM's own engine on a CPU, beside the trainer: its weights, replies and log-probabilities."""

import copy
import math
import random
from typing import Any

import numpy as np
import pytest
import torch

from gem_trl.generation import Sampling, TransformersGenerator
from gem_trl.vllm import build
from tests.vllm.conftest import disturb, first_prompts, gap

SAMPLING = Sampling(max_new_tokens=12)
EXACT = 1e-5
"""How far the log-probabilities of equal weights may be apart in float32."""


def test_the_engine_follows_the_policy_when_told_to(build_trainer: Any) -> None:
    trainer = build_trainer()
    generator = trainer._generator
    prompts = first_prompts(trainer, 8)
    assert gap(trainer, prompts, generator.generate(prompts, SAMPLING, seed=0)) <= EXACT
    disturb(trainer.model.parameters(), 0.05)
    assert gap(trainer, prompts, generator.generate(prompts, SAMPLING, seed=1)) > 0.05
    generator.sync_weights()
    assert gap(trainer, prompts, generator.generate(prompts, SAMPLING, seed=2)) <= EXACT


def test_an_adapter_is_merged_for_the_engine_and_stays_apart_in_training(
    build_trainer: Any,
) -> None:
    from peft import LoraConfig

    lora = LoraConfig(r=4, target_modules=["q_proj", "v_proj", "down_proj"], task_type="CAUSAL_LM")
    trainer = build_trainer(peft_config=lora)
    generator, prompts = trainer._generator, first_prompts(trainer, 8)
    assert gap(trainer, prompts, generator.generate(prompts, SAMPLING, seed=0)) <= EXACT
    adapter = {n: p for n, p in trainer.model.named_parameters() if "lora_" in n}
    others = {n: p.clone() for n, p in trainer.model.named_parameters() if n not in adapter}
    disturb(adapter.values(), 0.3)
    assert gap(trainer, prompts, generator.generate(prompts, SAMPLING, seed=1)) > 0.05
    for _ in range(3):
        generator.sync_weights()
    assert gap(trainer, prompts, generator.generate(prompts, SAMPLING, seed=2)) <= EXACT
    for name, value in others.items():  # merging and taking apart again rounds
        now = trainer.model.get_parameter(name)
        torch.testing.assert_close(now, value, rtol=0, atol=1e-6)
    trainer.train()
    logs = [log for log in trainer.state.log_history if "sampling/kl" in log]
    assert len(logs) == 3
    assert all(log["sampling/sampling_logp_difference/max"] <= EXACT for log in logs)


def test_equal_seeds_give_equal_replies_and_equal_prompts_differ(build_trainer: Any) -> None:
    trainer = build_trainer(num_envs=16)
    generator = trainer._generator
    prompts = first_prompts(trainer, 1) * 16  # a group that starts alike
    first, again, other = (generator.generate(prompts, SAMPLING, seed) for seed in (5, 5, 6))
    assert [reply.ids for reply in first] == [reply.ids for reply in again]
    assert [reply.ids for reply in first] != [reply.ids for reply in other]
    assert len({reply.ids for reply in first}) > 1


def test_equal_seeds_give_equal_runs(build_trainer: Any, model: Any) -> None:
    results = []
    for _ in range(2):
        trainer = build_trainer(model=copy.deepcopy(model), num_rollouts=2)
        trainer.train()
        results.append([p.detach().clone() for p in trainer.model.parameters()])
        trainer.close()
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))


def states() -> list[Any]:
    """Return the states of the global random generators."""
    numpy = np.random.get_state()  # noqa: NPY002
    return [torch.get_rng_state().tolist(), list(numpy[1]), numpy[2], random.getstate()]


def test_the_engine_leaves_the_random_generators_alone(build_trainer: Any) -> None:
    trainer = build_trainer(use_vllm=False)
    before = states()
    generator = build(
        trainer.model, trainer.processing_class, trainer.args, trainer.accelerator, [1], 128
    )
    generator.generate([[5, 6, 7]], SAMPLING, seed=0)
    generator.close()
    assert states() == before


def test_replies_are_as_likely_as_those_of_transformers(build_trainer: Any) -> None:
    """Both sample one prompt 2,000 times; the shares of the guesses differ by chance alone."""
    trainer = build_trainer(num_envs=64)
    prompts = first_prompts(trainer, 1) * 2_000
    own = TransformersGenerator(
        trainer._open_model,
        eos_ids=trainer._generator._eos_ids,
        pad_id=trainer.processing_class.pad_token_id,
        device=torch.device("cpu"),
    )
    counts: dict[tuple[int, ...], list[int]] = {}
    for side, generator in enumerate((trainer._generator, own)):
        for reply in generator.generate(prompts, SAMPLING, seed=3):
            counts.setdefault(reply.ids, [0, 0])[side] += 1
    common = [pair for pair in counts.values() if sum(pair) >= 20]
    assert len(common) >= 5
    # Two samples of one distribution: (a - b)^2 / (a + b) summed is chi-squared.
    statistic = sum((a - b) ** 2 / (a + b) for a, b in common)
    degrees = len(common)
    assert statistic < degrees + 4 * math.sqrt(2 * degrees)


def test_greedy_episodes_are_those_of_transformers(build_trainer: Any) -> None:
    trainer = build_trainer()
    with_vllm = trainer.play_evaluation()
    assert with_vllm == trainer.play_evaluation()
    plain = build_trainer(use_vllm=False, model=trainer.model)
    for ours, its in zip(plain.play_evaluation(), with_vllm, strict=True):
        assert [turn.reply_ids for turn in ours.turns] == [turn.reply_ids for turn in its.turns]
        assert ours.success == its.success


def test_a_call_is_sampled_as_it_asks(build_trainer: Any) -> None:
    trainer = build_trainer(num_envs=32)
    prompts = first_prompts(trainer, 1) * 32
    draw = trainer._generator.generate
    hot = draw(prompts, Sampling(max_new_tokens=12, temperature=1.5), 0)
    greedy = draw(prompts, Sampling(max_new_tokens=12, temperature=0.0), 0)
    likeliest = draw(prompts, Sampling(max_new_tokens=12, top_k=1), 1)
    short = draw(prompts, Sampling(max_new_tokens=2), 0)
    assert len({reply.ids for reply in hot}) > 5
    assert {reply.ids for reply in greedy} == {reply.ids for reply in likeliest}
    assert len({reply.ids for reply in greedy}) == 1
    assert {len(reply.ids) for reply in short} == {2}
    assert not any(reply.finished for reply in short)


@pytest.mark.parametrize("policy", ["penalize", "mask"])
def test_truncated_replies_are_told_apart(build_trainer: Any, policy: str) -> None:
    trainer = build_trainer(max_completion_length=5, truncated_replies=policy, num_rollouts=1)
    episodes = trainer._experience.collect_episodes()
    turns = [turn for episode in episodes for turn in episode.turns]
    end = trainer.processing_class.eos_token_id
    assert all(turn.finished == (turn.reply_ids[-1] == end) for turn in turns)
    assert all(turn.trains == (turn.finished or policy == "penalize") for turn in turns)
    assert not all(turn.finished for turn in turns)
    trainer.train()
    assert trainer.state.global_step == 1


def test_the_longest_prompt_that_fits_gets_a_whole_reply(build_trainer: Any) -> None:
    trainer = build_trainer(vllm_max_model_length=96)
    longest = trainer._max_prompt_tokens
    assert longest == 96 - 12
    prompt = first_prompts(trainer, 1)[0]
    prompts = [(prompt * 10)[-length:] for length in (longest, longest - 1)]
    replies = trainer._generator.generate(prompts, SAMPLING, seed=0)
    assert all(reply.finished or len(reply.ids) == 12 for reply in replies)
    assert gap(trainer, prompts, replies) <= EXACT
    episodes = trainer._experience.collect_episodes()
    stopped = [episode for episode in episodes if episode.stop == "context"]
    assert stopped
    assert all(len(t.prompt_ids) <= longest for episode in episodes for t in episode.turns)


def test_prompts_longer_together_than_a_batch_are_all_answered(build_trainer: Any) -> None:
    trainer = build_trainer(num_envs=64)
    text = first_prompts(trainer, 1)[0] * 10
    prompts = [text[start : start + 100] for start in range(64)]
    assert sum(map(len, prompts)) > 4_096  # what TRL lets an engine read at once
    replies = trainer._generator.generate(prompts, SAMPLING, seed=0)
    assert len(replies) == 64
    assert gap(trainer, prompts, replies) <= EXACT


def test_a_broken_model_masks_its_rows_and_is_counted(build_trainer: Any) -> None:
    trainer = build_trainer()
    with torch.no_grad():
        trainer.model.model.norm.weight.fill_(math.nan)
    episodes = trainer._experience.collect_episodes()
    turns = [turn for episode in episodes for turn in episode.turns]
    assert turns
    assert not any(turn.trains for turn in turns)
    assert all(math.isnan(value) for turn in turns for value in turn.log_probs)
