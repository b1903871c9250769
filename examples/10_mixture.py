"""Train one model on several envs at once; each gets its share of the episodes.

Runs offline on a CPU in under a minute, with a tiny model built on the spot. With a real one:
python examples/10_mixture.py --model Qwen/Qwen3-0.6B --rollouts 100
"""

import argparse

from gem_trl import ReinforceConfig, ReinforceTrainer, tiny

MIXTURE = [("gem/GuessTheNumber-easy-v0", 1.0), ("gem/Mastermind-easy-v0", 0.5)]


def main(model: str | None, rollouts: int) -> None:
    """Train, and print what each env's episodes were like."""
    policy, tokenizer = (
        tiny.build_warm([id for id, _ in MIXTURE]) if model is None else (model, None)
    )
    args = ReinforceConfig(
        output_dir="runs/mixture",
        num_rollouts=rollouts,
        episodes_per_rollout=48,
        rebn_scope="env",  # returns are compared with those of the same env; "batch": with all
        history="messages",
        max_completion_length=16 if model is None else 512,
        learning_rate=5e-4 if model is None else 1e-6,
        report_to="none",
    )
    trainer = ReinforceTrainer(policy, args, env=MIXTURE, processing_class=tokenizer)
    trainer.train()
    log = [entry for entry in trainer.state.log_history if "loss" in entry][-1]
    for id, _ in MIXTURE:
        episodes, success = log[f"env/{id}/episodes"], log[f"env/{id}/success"]
        print(f"{id}: {episodes:.0f} episodes in the last rollout, {success:.0%} won")
    print({name: value for name, value in trainer.evaluate().items() if name.endswith("/success")})
    trainer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="name or path; by default a tiny one is built")
    parser.add_argument("--rollouts", type=int, default=3)
    options = parser.parse_args()
    main(options.model, options.rollouts)
