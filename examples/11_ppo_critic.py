"""PPO: a critic, a model of its own, says what each turn was worth.

Runs offline on a CPU in under a minute, with a tiny model built on the spot. With a real one:
python examples/11_ppo_critic.py --model Qwen/Qwen3-0.6B --rollouts 100
"""

import argparse

from gem_trl import ReinforceConfig, ReinforceTrainer, tiny

ENV = "gem/GuessTheNumber-easy-v0"


def main(model: str | None, rollouts: int) -> None:
    """Train, and print the share of the returns' variance that the critic explains (0 at first)."""
    policy, tokenizer = tiny.build_warm([ENV]) if model is None else (model, None)
    args = ReinforceConfig(
        output_dir="runs/ppo",
        num_rollouts=rollouts,
        episodes_per_rollout=64,
        advantage_estimator="ppo",
        gamma=0.9,
        gae_lambda=0.95,
        critic_learning_rate=2e-3 if model is None else 1e-5,
        num_mini_batches=2,  # two optimizer steps a rollout, of policy and critic alike
        logging_steps=2,
        history="messages",
        max_completion_length=16 if model is None else 512,
        learning_rate=5e-4 if model is None else 1e-6,
        report_to="none",
    )
    trainer = ReinforceTrainer(policy, args, env=ENV, processing_class=tokenizer)
    trainer.train()
    for entry in trainer.state.log_history:
        if "loss" in entry:
            print(
                f"step {entry['step']}: return {entry['episode/return']:.3f}, value loss "
                f"{entry['value_loss']:.4f}, explained variance {entry['explained_variance']:.2f}"
            )
    trainer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="name or path; by default a tiny one is built")
    parser.add_argument("--rollouts", type=int, default=6)
    options = parser.parse_args()
    main(options.model, options.rollouts)
