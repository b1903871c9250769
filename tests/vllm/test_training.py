"""Training with replies from vLLM's own engine on a CPU."""

from typing import Any

import pytest
import torch

from gem_trl.advantages import ESTIMATORS, GROUPED

EXACT = 1e-5


@pytest.mark.parametrize("estimator", [*ESTIMATORS, "ppo", *GROUPED])
def test_three_steps_of_each_estimator(build_trainer: Any, estimator: str) -> None:
    gamma = 1.0 if estimator in GROUPED else 0.9
    trainer = build_trainer(advantage_estimator=estimator, gamma=gamma, learning_rate=0.01)
    before = {name: p.detach().clone() for name, p in trainer.model.named_parameters()}
    trainer.train()
    assert trainer.state.global_step == 3
    for name, value in trainer.model.named_parameters():
        assert torch.isfinite(value).all(), name
        assert not torch.equal(before[name], value), name
    logs = [log for log in trainer.state.log_history if "sampling/kl" in log]
    assert len(logs) == 3
    for log in logs:  # the third rollout is sampled from weights that were pushed twice
        assert log["sampling/sampling_logp_difference/max"] <= EXACT
        assert log["sampling/importance_sampling_ratio/mean"] == pytest.approx(1.0, abs=1e-4)
        assert log["sampling/nan_rows"] == 0


def test_later_steps_of_a_rollout_keep_the_ratio_to_the_sampler(build_trainer: Any) -> None:
    trainer = build_trainer(num_rollouts=1, num_iterations=3, learning_rate=0.01, epsilon=10.0)
    trainer.train()
    logs = [log for log in trainer.state.log_history if "sampling/kl" in log]
    assert len(logs) == 3
    # The policy has moved by now; trainer and sampler at the time of the rollout have not.
    assert all(log["sampling/sampling_logp_difference/max"] <= EXACT for log in logs)
    assert logs[-1]["entropy"] != logs[0]["entropy"]
