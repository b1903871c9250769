"""The critic of PPO: what it reads, how it learns, and that it resumes."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from accelerate import Accelerator, DistributedType

from gem_gymnasium.core.errors import ConfigError
from gem_trl import tiny
from gem_trl.batch import collate
from gem_trl.critic import Critic, CriticLearner, build_critic, value_loss
from gem_trl.episode import Episode, Turn
from gem_trl.rows import Row, filler

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def double_model(tokenizer: Any) -> Any:
    return tiny.build_model(tokenizer, hidden=32, layers=2, heads=2).double().eval()


@pytest.fixture
def critic(double_model: Any, config: Any) -> Critic:
    """A critic whose head was given weights, so that values differ."""
    critic = build_critic(double_model, config())
    torch.nn.init.normal_(critic.head.weight, generator=torch.Generator().manual_seed(0))
    return critic


def row(*prompt: int, reply: tuple[int, ...] = (9, 1), episode: int = -1, **options: Any) -> Row:
    return Row(prompt_ids=prompt, reply_ids=reply, advantage=0.0, episode=episode, **options)


def test_a_value_depends_on_the_whole_prompt_and_on_nothing_else(critic: Critic) -> None:
    def value(*rows: Row) -> list[float]:
        return critic(collate(list(rows), 0, CPU, torch.float64)).tolist()

    alone = value(row(5, 6, 7))[0]
    assert value(row(5, 6, 8))[0] != alone  # the last token counts
    assert value(row(4, 6, 7))[0] != alone  # and the first
    assert value(row(5, 6, 7, reply=(3,)))[0] == pytest.approx(alone, abs=1e-12)
    # Beside a longer row, and in a chat whose rows share a sequence. The norms compute in float32.
    beside = value(row(5, 6, 7), row(*range(5, 30)))
    assert beside[0] == pytest.approx(alone, abs=1e-5)
    first = row(5, 6, 7, reply=(8, 1), episode=0)
    second = row(5, 6, 7, 8, 1, 4, episode=0)
    shared = value(second, first)
    assert shared[1] == pytest.approx(alone, abs=1e-5)
    assert shared[0] == pytest.approx(value(row(5, 6, 7, 8, 1, 4))[0], abs=1e-5)


def test_a_new_critic_says_0_and_shares_nothing_with_the_policy(
    double_model: Any, config: Any
) -> None:
    critic = build_critic(double_model, config())
    assert critic(collate([row(5, 6)], 0, CPU, torch.float64)).tolist() == [0.0]
    policys = {id(parameter) for parameter in double_model.parameters()}
    assert not policys & {id(parameter) for parameter in critic.parameters()}


def test_a_critic_may_start_from_another_model(
    double_model: Any, config: Any, tmp_path: Path
) -> None:
    double_model.save_pretrained(tmp_path / "other")
    named = build_critic(double_model, config(critic_model_name_or_path=str(tmp_path / "other")))
    for ours, theirs in zip(
        named.body.parameters(), double_model.base_model.parameters(), strict=True
    ):
        torch.testing.assert_close(ours.double(), theirs)


@pytest.mark.parametrize(
    ("clip", "expected"),
    [
        # errors 1, 2, 3 (masked): (1 + 4) / 2 over a divisor of 4
        (None, 2.5 / 4),
        # held within 0.5 of 0: at 0.5 and 0.5, so errors 1.5 and 2 (the larger of 2 and 1.5)
        (0.5, (1.5**2 + 2.0**2) / 2 / 4),
    ],
)
def test_value_loss_by_hand(clip: float | None, expected: float) -> None:
    values = torch.tensor([1.0, 4.0, 3.0], requires_grad=True)
    loss = value_loss(
        values,
        torch.tensor([0.0, 4.0, 0.0]),
        torch.tensor([2.0, 2.0, 0.0]),
        torch.tensor([1.0, 1.0, 0.0]),
        divisor=4.0,
        clip=clip,
    )
    loss.backward()
    assert loss.item() == pytest.approx(expected)
    assert values.grad is not None
    # Clipped upwards too far from its old value, the first row pulls no more.
    slopes = [-1.0 / 4 if clip is None else 0.0, 2.0 / 4, 0.0]
    np.testing.assert_allclose(values.grad, slopes)


def learner_of(critic: Critic, config: Any, **options: Any) -> CriticLearner:
    args = config(**options)  # which resets accelerate's state, so it comes first
    return CriticLearner(critic, Accelerator(cpu=True), args, pad_id=0)


def turn(*prompt: int, **options: Any) -> Turn:
    return Turn(prompt_ids=prompt, reply_ids=(9, 1), reward=0.0, **options)


def test_values_are_read_per_turn_and_behind_a_cut(critic: Critic, config: Any) -> None:
    def episode(*turns: Turn, terminated: bool, **options: Any) -> Episode:
        return Episode(
            env_id="test/A-v0", seed=0, turns=turns, terminated=terminated,
            truncated=not terminated, **options,
        )  # fmt: skip

    chat = [(5, 6), (5, 6, 9, 1, 7), (5, 6, 9, 1, 7, 9, 1, 8)]
    played = [
        episode(turn(*chat[0]), turn(*chat[1]), terminated=False, final_prompt_ids=chat[2]),
        episode(turn(*chat[0]), terminated=True, final_prompt_ids=chat[1]),
        episode(terminated=False, final_prompt_ids=chat[0], valid=False),
        episode(turn(*chat[1]), terminated=False, stop="context"),
    ]
    expected = critic(collate([row(*prompt) for prompt in chat], 0, CPU, torch.float64)).tolist()
    values = learner_of(critic, config).values_of(played)
    assert [len(value.turns) for value in values] == [2, 1, 0, 1]
    read = [*values[0].turns, values[0].final, *values[1].turns, *values[3].turns]
    np.testing.assert_allclose(read, [expected[i] for i in (0, 1, 2, 0, 1)], atol=1e-5)
    assert [value.final for value in values[1:]] == [0.0, 0.0, 0.0]


def test_learning_brings_values_to_their_targets_and_filler_adds_nothing(
    double_model: Any, config: Any
) -> None:
    learner = learner_of(
        build_critic(double_model, config()), config,
        critic_learning_rate=1e-2, value_clip=None, max_grad_norm=0.0,
    )  # fmt: skip
    rows = [
        row(5, 6, value=0.0, value_target=1.0),
        row(7, 8, 4, value=0.0, value_target=-2.0),
    ]
    lost = [learner.learn([[rows[0]], [rows[1]]], 2.0) for _ in range(60)]
    assert lost[0] == pytest.approx((1.0 + 4.0) / 4)
    assert lost[-1] < 0.01 * lost[0]
    # In a part of its own, or two rows in a part: the same gradient, so the same step.
    before = [parameter.detach().clone() for parameter in learner.critic.parameters()]
    saved = copy.deepcopy(learner.state_dict())
    alone = learner.learn([[rows[0], rows[1]]], 2.0)
    moved = [parameter.detach().clone() for parameter in learner.critic.parameters()]
    assert any(not torch.equal(a, b) for a, b in zip(before, moved, strict=True))
    learner.load_state_dict(saved)
    padded = learner.learn([[rows[0]], [rows[1]], [filler(rows[0])]], 2.0)
    assert padded == pytest.approx(alone, rel=1e-4)
    for a, b in zip(moved, learner.critic.parameters(), strict=True):
        torch.testing.assert_close(b, a, rtol=1e-3, atol=1e-5)


def test_sharded_training_is_refused(critic: Critic, config: Any) -> None:
    class Sharded:
        distributed_type = DistributedType.FSDP

    with pytest.raises(ConfigError, match="FSDP"):
        CriticLearner(critic, Sharded(), config(), pad_id=0)


def test_ppo_trains_both_and_says_what_the_critic_explains(build_trainer: Any) -> None:
    trainer = build_trainer(
        advantage_estimator="ppo", num_rollouts=3, num_iterations=2, critic_learning_rate=1e-3
    )
    policy = [p.detach().clone() for p in trainer.model.parameters()]
    critic = [p.detach().clone() for p in trainer._critic.critic.parameters()]
    trainer.train()
    for before, network in ((policy, trainer.model), (critic, trainer._critic.critic)):
        moved = zip(before, network.parameters(), strict=True)
        assert any(not torch.equal(a, b) for a, b in moved)
    logs = [entry for entry in trainer.state.log_history if "episode/return" in entry]
    assert len(logs) == 6
    assert logs[0]["explained_variance"] == 0.0  # it says 0 of everything
    assert logs[0]["values/mean"] == 0.0
    assert all(entry["value_loss"] > 0 for entry in logs)
    assert logs[-1]["explained_variance"] not in (0.0, 1.0)
    assert [entry["rollout/stale_rows"] > 0 for entry in logs] == [False, True] * 3


def test_ppo_resumes_with_its_critic(build_trainer: Any, tmp_path: Path) -> None:
    options = {
        "advantage_estimator": "ppo", "num_rollouts": 3, "num_iterations": 2, "save_steps": 3,
        "save_strategy": "steps", "critic_learning_rate": 1e-3,
    }  # fmt: skip
    whole = build_trainer(output_dir=str(tmp_path / "whole"), **options)
    start = {name: value.clone() for name, value in whole.model.state_dict().items()}
    whole.train()
    # step 3 of 6: in the middle of a rollout
    whole_state = {n: v.clone() for n, v in whole.model.state_dict().items()}
    whole_critic = {n: v.clone() for n, v in whole._critic.critic.state_dict().items()}
    whole.model.load_state_dict(start)
    again = build_trainer(model=whole.model, output_dir=str(tmp_path / "whole"), **options)
    again.train(resume_from_checkpoint=str(tmp_path / "whole" / "checkpoint-3"))
    for name, value in again.model.state_dict().items():
        assert torch.equal(value, whole_state[name]), name
    for name, value in again._critic.critic.state_dict().items():
        assert torch.equal(value, whole_critic[name]), name


def test_a_named_critic_has_the_policys_dtype_and_must_read_what_the_policy_reads(
    double_model: Any, config: Any, tmp_path: Path, tokenizer: Any
) -> None:
    half = copy.deepcopy(double_model).to(torch.bfloat16)
    half.save_pretrained(tmp_path / "half")
    args = config(critic_model_name_or_path=str(tmp_path / "half"))
    assert build_critic(double_model, args).body.dtype == torch.float64
    args.model_init_kwargs = {"revision": "of the policy"}  # says nothing of the critic
    build_critic(double_model, args)
    double_model.config.vocab_size += 1
    try:
        with pytest.raises(ConfigError, match="vocab_size must be at least the policy's"):
            build_critic(double_model, config(critic_model_name_or_path=str(tmp_path / "half")))
    finally:
        double_model.config.vocab_size -= 1
    with pytest.raises(ConfigError, match="critic_model_name_or_path"):
        build_critic(double_model, config(critic_model_name_or_path=str(tmp_path / "none")))


def test_a_resumed_critic_takes_the_rate_of_the_configuration(critic: Critic, config: Any) -> None:
    state = copy.deepcopy(learner_of(critic, config, critic_learning_rate=1e-3).state_dict())
    learner = learner_of(critic, config, critic_learning_rate=1e-5)
    learner.load_state_dict(state)
    assert [group["lr"] for group in learner._optimizer.param_groups] == [1e-5]


def test_a_step_that_is_not_finite_is_skipped_and_says_so(critic: Critic, config: Any) -> None:
    learner = learner_of(critic, config)
    before = [parameter.detach().clone() for parameter in critic.parameters()]
    assert learner.learn([[row(5, 6, value=0.0, value_target=float("inf"))]], 1.0) is None
    for old, new in zip(before, critic.parameters(), strict=True):
        assert torch.equal(old, new)
