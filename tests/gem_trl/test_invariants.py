"""What the trainer must satisfy whatever it is trained on: gradients, masks, log-probabilities."""

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gem_trl import tiny
from gem_trl._compat import add_fused_lm_head
from gem_trl.batch import collate, log_probs_of
from gem_trl.rows import Row, chains, filler, micro_batches, mini_batches

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def double_model(tokenizer: Any) -> Any:
    """A model with random weights, in float64."""
    return tiny.build_model(tokenizer, hidden=32, layers=2, heads=2).double().eval()


tokens = st.lists(st.integers(1, 50), min_size=1, max_size=6).map(tuple)
rows = st.builds(
    Row, prompt_ids=tokens, reply_ids=tokens, advantage=st.floats(-2, 2), trains=st.booleans()
)


def tabular_model(tokenizer: Any, seed: int = 0) -> Any:
    """A Llama that is a table: the logits after a token are that token's column of lm_head."""
    size = len(tokenizer) + len(tokenizer) % 2  # rotary positions want an even width
    built = tiny.build_model(tokenizer, hidden=size, layers=1, heads=1)
    # What the layer adds is made nothing below, so that it may be as narrow as can be.
    narrow = {"head_dim": 2, "intermediate_size": 1, "tie_word_embeddings": False}
    model: Any = type(built)(type(built.config)(**{**built.config.to_dict(), **narrow})).double()
    model.generation_config = built.generation_config
    with torch.no_grad():
        embedding = torch.eye(len(tokenizer), size, dtype=torch.float64)
        model.model.embed_tokens.weight = torch.nn.Parameter(embedding, requires_grad=False)
        model.lm_head = torch.nn.Linear(size, len(tokenizer), bias=False, dtype=torch.float64)
        generator = torch.Generator().manual_seed(seed)
        model.lm_head.weight.copy_(
            torch.randn(model.lm_head.weight.shape, generator=generator, dtype=torch.float64)
        )
        layer = model.model.layers[0]
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
        for parameter in (*layer.parameters(), model.model.norm.weight):
            parameter.requires_grad_(False)
        model.model.norm.weight.fill_(size**-0.5)
        model.model.norm.variance_epsilon = 0.0
    return model


def by_hand(estimator: str, gamma: float, episodes: list[list[float]]) -> list[list[float]]:
    """Return the advantage of every turn of episodes of these rewards, groups of four."""
    advantages: list[list[float]] = []
    if estimator in ("grpo", "dr_grpo", "rloo"):
        totals = [sum(rewards) for rewards in episodes]
        for place, (total, rewards) in enumerate(zip(totals, episodes, strict=True)):
            group = totals[place // 4 * 4 : place // 4 * 4 + 4]
            mean, std = float(np.mean(group)), float(np.std(group))
            value = {
                "grpo": (total - mean) / std if std else 0.0,
                "dr_grpo": total - mean,
                "rloo": total - (sum(group) - total) / 3,
            }[estimator]
            advantages.append([value] * len(rewards))
        return advantages
    # A new critic says 0 everywhere, so that GAE with lambda 1/2 only halves the discount.
    rate = gamma * 0.5 if estimator == "ppo" else gamma
    for rewards in episodes:
        futures = [rewards[t:] for t in range(len(rewards))]
        advantages.append([sum(rate**k * r for k, r in enumerate(future)) for future in futures])
    return advantages


@pytest.mark.parametrize("aggregation", ["constant", "sequence_sum", "token_mean"])
@pytest.mark.parametrize(
    ("estimator", "gamma"),
    [
        ("rebn", 1.0), ("rebn", 0.5), ("reinforce", 1.0), ("reinforce", 0.5), ("ppo", 0.9),
        ("grpo", 1.0), ("dr_grpo", 1.0), ("rloo", 1.0),
    ],
)  # fmt: skip
def test_the_gradient_is_the_analytic_policy_gradient(
    build_trainer: Any, tokenizer: Any, aggregation: str, estimator: str, gamma: float
) -> None:
    model = tabular_model(tokenizer)
    # A policy that nearly always gives a well-formed guess, so that returns differ.
    with torch.no_grad():
        for guess in range(1, 11):
            path = tokenizer(f"<|assistant|>\\boxed{{{guess}}}<|end|>")["input_ids"]
            for before, after in itertools.pairwise(path):
                model.lm_head.weight[after, before] = 12.0
    trainer = build_trainer(
        model=model,
        loss_aggregation=aggregation,
        advantage_estimator=estimator,
        gamma=gamma,
        gae_lambda=0.5,
        group_size=4,
        episodes_per_rollout=16,
        per_device_train_batch_size=5,
        max_grad_norm=0.0,
        truncated_replies="mask",
        seed=4,
    )
    collected = trainer._experience.collect_episodes
    episodes: list[Any] = []
    trainer._experience.collect_episodes = lambda: episodes.extend(collected()) or episodes
    trainer.create_optimizer_and_scheduler(1)
    trainer.training_step(trainer.model, {"tick": 0})

    # From here on nothing of gem_trl but the recorded episodes.
    rewards = [[turn.reward for turn in episode.turns] for episode in episodes]
    pairs = [
        (turn, value)
        for episode, values in zip(episodes, by_hand(estimator, gamma, rewards), strict=True)
        for turn, value in zip(episode.turns, values, strict=True)
        if turn.finished
    ]
    turns, advantages = [turn for turn, _ in pairs], np.array([value for _, value in pairs])
    assert advantages.std() > 0.01
    if estimator in ("rebn", "ppo"):
        advantages = (advantages - advantages.mean()) / advantages.std()
    count = {"constant": len(turns) * 12, "sequence_sum": len(turns)}.get(
        aggregation, sum(len(turn.reply_ids) for turn in turns)
    )
    table = model.lm_head.weight.detach()
    expected = torch.zeros_like(table)
    for turn, advantage in zip(turns, advantages, strict=True):
        previous = turn.prompt_ids[-1]
        for token in turn.reply_ids:
            slope = -torch.softmax(table[:, previous], 0)
            slope[token] += 1.0
            expected[:, previous] -= advantage * slope / count
            previous = token
    actual = model.lm_head.weight.grad
    error = (actual - expected).abs().max() / expected.abs().max()
    assert error < 1e-6  # the promise is 1e-5; Llama norms in float32 whatever the weights are


@st.composite
def chats(draw: st.DrawFn) -> list[Row]:
    """Rows of some episodes, shuffled: chats that grow, with a turn left out here and there."""
    batch_rows: list[Row] = []
    for episode in range(draw(st.integers(1, 3))):
        seen: tuple[int, ...] = ()
        for _ in range(draw(st.integers(1, 3))):
            row = draw(rows)
            row.prompt_ids, row.episode = seen + row.prompt_ids, episode
            seen = row.prompt_ids + row.reply_ids
            if draw(st.integers(0, 3)):
                batch_rows.append(row)
    lone = draw(rows)
    return draw(st.permutations([*batch_rows, lone]))


@given(chats())
def test_masks_cover_reply_tokens_of_training_rows_and_nothing_else(batch_rows: list[Row]) -> None:
    batch = collate(batch_rows, pad_id=0, device=CPU)
    for i, row in enumerate(batch_rows):
        n, start = int(batch.sequences[i]), int(batch.starts[i])
        reply = batch.reply_ids[i][batch.reply_mask[i]].tolist()
        assert reply == list(row.reply_ids)
        assert batch.reply_ids[i][batch.mask[i] == 1].tolist() == (reply if row.trains else [])
        # What stands before the reply in its sequence is the prompt, counted from 0; then padding.
        begin = start - len(row.prompt_ids)
        end = start + len(row.reply_ids)
        assert batch.input_ids[n, begin:end].tolist() == list(row.prompt_ids + row.reply_ids)
        assert batch.position_ids[n, begin:end].tolist() == list(range(end - begin))
        assert batch.attention_mask[n, begin:].all()
        assert not batch.attention_mask[n, :begin].any()


@given(chats())
def test_chains_part_the_rows_and_each_goes_on_from_the_one_before(batch_rows: list[Row]) -> None:
    groups = chains(batch_rows)
    assert sorted(i for group in groups for i in group) == list(range(len(batch_rows)))
    for group in groups:
        for before, after in itertools.pairwise(batch_rows[i] for i in group):
            read = before.prompt_ids + before.reply_ids
            assert after.prompt_ids[: len(read)] == read
            assert after.episode == before.episode >= 0
    # A growing chat is one chain, whatever turns are left out.
    assert len(groups) == len({row.episode for row in batch_rows})


def test_a_prompt_that_was_rewritten_starts_a_chain_of_its_own() -> None:
    first = Row(prompt_ids=(1, 2), reply_ids=(3,), advantage=0.0, episode=0)
    same = Row(prompt_ids=(1, 2, 3, 4), reply_ids=(5,), advantage=0.0, episode=0)
    other = Row(prompt_ids=(1, 2, 4, 4, 5, 6), reply_ids=(5,), advantage=0.0, episode=0)
    another_episode = Row(prompt_ids=(1, 2, 3, 7), reply_ids=(5,), advantage=0.0, episode=1)
    assert chains([other, same, another_episode, first]) == [[3, 1], [0], [2]]


@given(chats())
def test_a_shared_sequence_gives_each_row_what_it_has_alone(
    double_model: Any, batch_rows: list[Row]
) -> None:
    together = log_probs_of(double_model, collate(batch_rows, 0, CPU), 0.8, fused=False)
    for i, row in enumerate(batch_rows):
        alone = log_probs_of(double_model, collate([row], 0, CPU), 0.8, fused=False)
        for a, b in zip(alone, together, strict=True):
            torch.testing.assert_close(b[i, : len(row.reply_ids)], a[0], rtol=1e-5, atol=1e-6)


@given(st.lists(rows, max_size=9), st.integers(1, 4), st.integers(0, 99))
def test_mini_batches_part_the_rows(batch_rows: list[Row], count: int, seed: int) -> None:
    for number, row in enumerate(batch_rows):
        row.advantage = float(number)
    parts = list(mini_batches(batch_rows, count, np.random.default_rng(seed)))
    assert len(parts) == count
    numbers = sorted(row.advantage for part in parts for row in part)
    assert numbers == list(range(len(batch_rows)))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@given(st.lists(rows, max_size=9), st.integers(1, 4))
def test_micro_batches_part_the_rows_by_length(batch_rows: list[Row], size: int) -> None:
    parts = micro_batches(batch_rows, size)
    assert [len(part) <= size for part in parts] == [True] * len(parts)
    lengths = [row.length for part in parts for row in part]
    assert lengths == sorted(row.length for row in batch_rows)


@given(chats(), st.integers(1, 3))
def test_micro_batches_keep_chains_whole(batch_rows: list[Row], size: int) -> None:
    parts = micro_batches(batch_rows, size)
    assert all(len(chains(part)) <= size for part in parts)
    assert sum(len(chains(part)) for part in parts) == len(chains(batch_rows))
    assert sorted(map(id, itertools.chain(*parts))) == sorted(map(id, batch_rows))


def test_filler_adds_nothing_to_the_gradient(model: Any) -> None:
    row = Row(prompt_ids=(5, 6), reply_ids=(7, 1), advantage=1.0)
    batch = collate([filler(row)], 0, CPU)
    log_probs, entropies = log_probs_of(model, batch, 1.0, fused=False)
    ((log_probs + entropies) * batch.mask).sum().backward()
    assert all(p.grad is None or not p.grad.any() for p in model.parameters())


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_fused_and_plain_log_probabilities_agree(model: Any, temperature: float) -> None:
    batch_rows = [
        Row(prompt_ids=(5, 6, 7), reply_ids=(8, 9, 1), advantage=1.0, episode=0),
        Row(prompt_ids=(5, 6, 7, 8, 9, 1, 4), reply_ids=(7, 2), advantage=1.0, episode=0),
        Row(prompt_ids=(10,), reply_ids=(11,), advantage=1.0),
    ]
    batch = collate(batch_rows, 0, CPU)
    plain = log_probs_of(model, batch, temperature, fused=False)
    add_fused_lm_head(model, temperature=temperature, outputs=("log_probs", "entropy"))
    fused = log_probs_of(model, batch, temperature, fused=True)
    for a, b in zip(plain, fused, strict=True):
        torch.testing.assert_close(a * batch.mask, b * batch.mask, rtol=1e-5, atol=1e-5)


def test_padding_does_not_change_log_probabilities(model: Any) -> None:
    short = Row(prompt_ids=(10, 12), reply_ids=(11, 1), advantage=1.0)
    long = Row(prompt_ids=tuple(range(5, 35)), reply_ids=(8, 9, 13, 1), advantage=1.0)
    alone, _ = log_probs_of(model, collate([short], 0, CPU), 1.0, fused=False)
    together, _ = log_probs_of(model, collate([short, long], 0, CPU), 1.0, fused=False)
    torch.testing.assert_close(together[0, :2], alone[0], rtol=1e-4, atol=1e-5)


def test_old_log_probs_are_those_of_the_sampling_policy(build_trainer: Any) -> None:
    trainer = build_trainer(num_iterations=2, num_rollouts=1, temperature=0.8)
    first = trainer._experience.next_mini_batch()
    batch = trainer._scorer.collate(trainer.model, first)
    with torch.no_grad():
        now, _ = log_probs_of(trainer.model, batch, 0.8, fused=False)
    torch.testing.assert_close(now * batch.mask, batch.old_log_probs, rtol=1e-4, atol=1e-5)
