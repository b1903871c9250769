"""Self-play with replies from vLLM's own engine, and of earlier selves from transformers."""

from typing import Any

from tests.vllm.test_training import EXACT

KUHN = "gem/KuhnPoker-v0"


def test_the_engine_replies_for_the_policy_and_transformers_for_earlier_selves(
    build_trainer: Any,
) -> None:
    trainer = build_trainer(
        env=KUHN, history="none", rebn_scope="role", opponent_share=0.5, opponent_interval=1,
        episodes_per_rollout=24, learning_rate=0.01,
    )  # fmt: skip
    trainer.train()
    logs = [log for log in trainer.state.log_history if "sampling/kl" in log]
    assert len(logs) == 3
    for log in logs:  # an earlier self's turn among them would be as far off as the policy moved
        assert log["sampling/sampling_logp_difference/max"] <= EXACT
        assert log["rollout/invalid_episodes"] == 0
        # A seat of an earlier self, or one that never had a turn, has no episode.
        assert 12 <= log["rollout/episodes"] <= 36
    assert len(trainer._opponents.state_dict()["pool"]) == 3


def test_greedy_games_are_those_of_transformers(build_trainer: Any) -> None:
    trainer = build_trainer(env=KUHN, history="none")
    plain = build_trainer(env=KUHN, history="none", use_vllm=False, model=trainer.model)
    for ours, its in zip(plain.play_evaluation(), trainer.play_evaluation(), strict=True):
        assert [turn.reply_ids for turn in ours.turns] == [turn.reply_ids for turn in its.turns]
        assert (ours.env_id, ours.seat, ours.rewards) == (its.env_id, its.seat, its.rewards)
