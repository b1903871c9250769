"""A policy that plays against itself: Kuhn poker, one model in both seats.

Runs offline on a CPU in under a minute, with a tiny model built on the spot; so short a run shows
how it goes, not how well (benchmarks/self_play.py does). With a real model:
python examples/08_self_play.py --model Qwen/Qwen3-0.6B --rollouts 100
"""

import argparse

from gem_trl import ReinforceConfig, ReinforceTrainer, tiny

ENV = "gem/KuhnPoker-v0"  # an id of PettingZoo's registry: every seat is the policy's
PLAYERS = ("random", "solver")


def main(model: str | None, rollouts: int) -> None:
    """Train, and print how far the policy can be exploited, and how it does against our players."""
    policy, tokenizer = (
        tiny.build_warm([ENV], games=600, steps=150) if model is None else (model, None)
    )
    args = ReinforceConfig(
        output_dir="runs/self_play",
        num_rollouts=rollouts,
        episodes_per_rollout=48,  # games; each is an episode for either seat
        rebn_scope="role",  # the seats' returns are compared with those of the same seat
        entropy_coef=0.1,  # without it, self-play runs in circles
        opponent_share=0.25,  # of the games against an earlier self, frozen
        opponent_interval=1,
        gamma=1.0,
        history="none" if model is None else "messages",  # each seat remembers its own past only
        max_completion_length=8 if model is None else 512,
        learning_rate=3e-4 if model is None else 1e-6,
        eval_strategy="steps",  # against a random player and the solver
        eval_steps=2,
        eval_episodes=100,
        eval_temperature=1.0,  # an equilibrium is a mixed one: greedy play is not the policy
        report_to="none",
    )
    trainer = ReinforceTrainer(policy, args, env=ENV, processing_class=tokenizer)
    show("before", trainer.evaluate())
    trainer.train()
    for entry in trainer.state.log_history:
        if "eval_episode/return" in entry:
            show(f"step {entry['step']}", entry)
    trainer.close()


def show(when: str, metrics: dict[str, float]) -> None:
    """Print what an evaluation measured."""
    exact = metrics[f"eval_env/{ENV}/exploitability"]
    average = metrics[f"eval_env/{ENV}/exploitability_average"]
    against = [metrics[f"eval_env/gem/KuhnPoker-vs-{name}-v0/return"] for name in PLAYERS]
    print(
        f"{when}: exploitability {exact:.3f} chips a game (its average {average:.3f}); return "
        f"{against[0]:+.2f} against random, {against[1]:+.2f} against the solver"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="name or path; by default a tiny one is built")
    parser.add_argument("--rollouts", type=int, default=4)
    options = parser.parse_args()
    main(options.model, options.rollouts)
