"""Faults injected into real envs and models: the run finishes, with the right counts."""

import math
from collections import Counter
from typing import Any

import pytest
import torch

from gem_gymnasium import errors
from gem_trl import ReinforceTrainer
from gem_trl.watch import MAX_INVALID_ROLLOUTS
from tests.gem_trl.faulty import CONTEXT, ESTIMATORS, INVALID, Ledger, first_words

EPISODES = 12


class Recording(ReinforceTrainer):
    """Notes the prompt of every row that reaches the loss and trains."""

    trained: Counter[str]

    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        for row in inputs["rows"]:
            if row.trains:
                self.trained[first_words(self._encoder.decode(row.prompt_ids))] += 1
        return super().compute_loss(model, inputs, *args, **kwargs)


def train(build_trainer: Any, ledger: Ledger, **options: Any) -> Any:
    trainer = build_trainer(
        ledger, trainer_class=Recording,
        **{"num_rollouts": 2, "episodes_per_rollout": EPISODES, "history": "none",
           "learning_rate": 1e-3, "max_context_length": 200, **options},
    )  # fmt: skip
    trainer.trained = Counter()
    try:
        trainer.train()
    finally:
        ledger.release.set()
    return trainer


def check_counts(trainer: Any, ledger: Ledger) -> None:
    """Compare what the trainer logged and trained on with what the envs noted."""
    logs = [log for log in trainer.state.log_history if "rollout/episodes" in log]
    total = {name: sum(log[name] for log in logs) for name in logs[0] if name.startswith("rollout")}
    assert len(logs) == trainer.args.max_steps
    assert total["rollout/episodes"] == len(ledger.fault_of) == EPISODES * len(logs)
    assert total["rollout/invalid_episodes"] == ledger.happened(INVALID)
    assert total["rollout/context_stops"] == ledger.happened(CONTEXT)
    assert total["rollout/transitions"] == sum(ledger.steps.values())
    assert trainer.trained == ledger.trainable()
    assert all(torch.isfinite(p).all() for p in trainer.model.parameters())


@pytest.mark.parametrize("fault", sorted((INVALID | CONTEXT) - {"hang_step", "hang_reset"}))
def test_a_fault_ends_its_episode_and_nothing_else(
    build_trainer: Any, fault: str, caplog: Any
) -> None:
    ledger = Ledger(fault)
    trainer = train(build_trainer, ledger)
    assert ledger.happened({fault}) >= 3
    check_counts(trainer, ledger)
    assert ("episodes of a rollout are invalid and masked. The first: " in caplog.text) == (
        fault in INVALID
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_all_faults_together(build_trainer: Any, estimator: str) -> None:
    ledger = Ledger(*sorted((INVALID | CONTEXT) - {"hang_step", "hang_reset"}))
    trainer = train(
        build_trainer, ledger, num_rollouts=3, advantage_estimator=estimator,
        **ESTIMATORS[estimator],
    )  # fmt: skip
    assert len(set(ledger.fault_of.values())) > 6
    check_counts(trainer, ledger)


@pytest.mark.parametrize("fault", ["hang_step", "hang_reset"])
def test_an_env_that_hangs_is_given_up_at_its_deadline(build_trainer: Any, fault: str) -> None:
    ledger = Ledger(fault, share=0.25)
    trainer = train(build_trainer, ledger, num_rollouts=1, step_timeout_s=2.0)
    assert ledger.happened({fault}) >= 1
    check_counts(trainer, ledger)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_rollout_without_a_valid_episode_changes_nothing(
    build_trainer: Any, model: Any, estimator: str
) -> None:
    before = {name: value.clone() for name, value in model.state_dict().items()}
    ledger = Ledger("raise_step", "raise_reset", share=1.0)
    trainer = train(build_trainer, ledger, advantage_estimator=estimator, **ESTIMATORS[estimator])
    check_counts(trainer, ledger)
    assert not trainer.trained
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert "episode/return" not in trainer.state.log_history[0]


def test_rollouts_without_a_valid_episode_stop_the_run(build_trainer: Any) -> None:
    ledger = Ledger("raise_step", share=1.0)
    with pytest.raises(errors.MachineryError, match=r"Faulty: crash: RuntimeError: broken\): mend"):
        train(build_trainer, ledger, num_rollouts=10)
    assert len(ledger.fault_of) == MAX_INVALID_ROLLOUTS * EPISODES


def test_an_evaluation_without_a_valid_episode_is_no_best_model(build_trainer: Any) -> None:
    trainer = train(
        build_trainer, Ledger(""), num_rollouts=2, eval_env=Ledger("raise_step", share=1.0),
        eval_strategy="steps", eval_steps=1, save_strategy="steps", save_steps=1,
        load_best_model_at_end=True, metric_for_best_model="eval_reward",
    )  # fmt: skip
    assert trainer.state.global_step == 2
    assert trainer.state.best_model_checkpoint is None


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("mode", ["penalize", "mask"])
def test_replies_without_an_end(
    build_trainer: Any, model: Any, estimator: str, mode: str, caplog: Any
) -> None:
    end = torch.tensor([model.generation_config.eos_token_id])  # it never comes
    model.lm_head.register_forward_hook(lambda *call: call[-1].index_fill(-1, end, -math.inf))
    ledger = Ledger("")
    trainer = train(
        build_trainer, ledger, truncated_replies=mode, advantage_estimator=estimator,
        max_completion_length=3, **ESTIMATORS[estimator],
    )  # fmt: skip
    log = trainer.state.log_history[0]
    assert log["completions/clipped_ratio"] == 1.0
    if mode == "penalize":
        check_counts(trainer, ledger)
    else:
        assert not trainer.trained
        assert "no reply came to its end: raise max_completion_length" in caplog.text


def test_no_prompt_fits(build_trainer: Any, caplog: Any) -> None:
    ledger = Ledger("flood_reset", share=1.0)
    check_counts(train(build_trainer, ledger, num_rollouts=1), ledger)
    assert "no first prompt fitted the context: raise max_context_length" in caplog.text


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_returns_that_are_all_equal(build_trainer: Any, model: Any, estimator: str) -> None:
    before = {name: value.clone() for name, value in model.state_dict().items()}
    ledger = Ledger("", reward=0.0)
    trainer = train(build_trainer, ledger, advantage_estimator=estimator, **ESTIMATORS[estimator])
    check_counts(trainer, ledger)
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert trainer.state.log_history[0]["returns/std"] == 0.0
