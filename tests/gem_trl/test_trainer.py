"""The trainer as a whole: it trains, logs, evaluates, and refuses what it cannot do."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from gem_gymnasium import errors
from gem_trl import ReinforceConfig, ReinforceTrainer
from gem_trl.rollout import EVALUATION, TRAINING, derived_seed

ENV = "gem/GuessTheNumber-easy-v0"


def parameters(model: Any) -> dict[str, torch.Tensor]:
    return {name: value.detach().clone() for name, value in model.named_parameters()}


def test_training_changes_every_parameter_and_logs_what_trl_users_know(build_trainer: Any) -> None:
    trainer = build_trainer(learning_rate=0.01)
    before = parameters(trainer.model)
    trainer.train()
    for name, value in trainer.model.named_parameters():
        assert not torch.equal(before[name], value), name
    log = trainer.state.log_history[0]
    expected = {
        "loss", "grad_norm", "num_tokens", "step_time", "reward", "reward_std", "entropy",
        "completions/mean_length", "completions/clipped_ratio", "clip_ratio/region_mean",
        "episode/return", "episode/length", "episode/success", "returns/mean", "returns/std",
        "rollout/episodes", "rollout/transitions", "rollout/invalid_episodes",
    }  # fmt: skip
    assert expected <= set(log)
    assert log["rollout/episodes"] == 6
    assert trainer.state.global_step == 2


@pytest.mark.parametrize("estimator", ["rebn", "reinforce"])
@pytest.mark.parametrize("aggregation", ["constant", "sequence_sum", "token_mean"])
def test_each_estimator_and_aggregation_trains(
    build_trainer: Any, estimator: str, aggregation: str
) -> None:
    trainer = build_trainer(
        advantage_estimator=estimator,
        loss_aggregation=aggregation,
        num_rollouts=1,
        num_iterations=2,
        num_mini_batches=2,
        beta=0.1,
        entropy_coef=0.01,
    )
    trainer.train()
    assert trainer.state.global_step == 4  # one rollout feeds iterations x mini-batches steps
    logs = [entry for entry in trainer.state.log_history if "kl" in entry]
    assert logs[0]["kl"] == pytest.approx(0.0, abs=1e-6)  # nothing has moved yet
    assert logs[-1]["kl"] > 0.0


def test_micro_batch_size_changes_no_gradient(build_trainer: Any, model: Any) -> None:
    gradients = []
    for size in (1, 3, 64):
        trainer = build_trainer(
            model=_copy(model), per_device_train_batch_size=size, num_rollouts=1, max_grad_norm=0.0
        )
        trainer.create_optimizer_and_scheduler(1)
        trainer.training_step(trainer.model, {"tick": 0})
        gradients.append({n: p.grad.clone() for n, p in trainer.model.named_parameters()})
    for other in gradients[1:]:
        for name, value in gradients[0].items():
            torch.testing.assert_close(other[name], value, rtol=1e-4, atol=1e-7)


def _copy(model: Any) -> Any:
    fresh = type(model)(model.config)
    fresh.load_state_dict(model.state_dict())
    fresh.generation_config = model.generation_config
    return fresh


def test_equal_seeds_give_equal_parameters_and_others_do_not(
    build_trainer: Any, model: Any
) -> None:
    results = []
    for seed in (1, 1, 2):
        trainer = build_trainer(model=_copy(model), seed=seed)
        trainer.train()
        results.append(parameters(trainer.model))
    assert all(torch.equal(results[0][name], results[1][name]) for name in results[0])
    assert any(not torch.equal(results[0][name], results[2][name]) for name in results[0])


def test_evaluation_is_repeatable_and_leaves_training_as_it_was(
    build_trainer: Any, model: Any
) -> None:
    quiet = build_trainer(model=_copy(model))
    quiet.train()
    watched = build_trainer(model=_copy(model), eval_strategy="steps", eval_steps=1)
    first, second = watched.evaluate(), watched.evaluate()
    assert first == {key: second[key] for key in first}
    watched.train()
    for name, value in parameters(quiet.model).items():
        assert torch.equal(value, parameters(watched.model)[name]), name
    evaluations = [entry for entry in watched.state.log_history if "eval_reward" in entry]
    assert len(evaluations) >= 2
    assert all(key.startswith("eval_") for key in first if key != "epoch")  # transformers adds it


def test_evaluation_plays_the_fixed_seeds_once_each(build_trainer: Any) -> None:
    trainer = build_trainer(num_envs=3, eval_episodes=7, eval_seed=5)
    episodes = trainer.play_evaluation()
    assert [episode.seed for episode in episodes] == [
        derived_seed(5, EVALUATION, j) for j in range(7)
    ]


def test_training_episodes_are_seeded_by_env_and_number(build_trainer: Any) -> None:
    trainer = build_trainer(num_envs=2, episodes_per_rollout=6, seed=3)
    seeds = {episode.seed for episode in trainer._experience.collect_episodes()}
    possible = {derived_seed(3, TRAINING, 0, env, k) for env in range(2) for k in range(6)}
    assert len(seeds) == 6
    assert seeds <= possible


def test_a_rollout_is_a_fixed_number_of_whole_episodes(build_trainer: Any) -> None:
    trainer = build_trainer(num_envs=4, episodes_per_rollout=7)
    episodes = trainer._experience.collect_episodes()
    assert len(episodes) == 7
    assert all(episode.terminated and episode.turns for episode in episodes)


def test_best_model_and_model_card_are_saved(build_trainer: Any, tmp_path: Path) -> None:
    trainer = build_trainer(
        save_strategy="steps",
        save_steps=1,
        eval_strategy="steps",
        eval_steps=1,
        load_best_model_at_end=True,
        metric_for_best_model="eval_reward",
    )
    trainer.train()
    out = Path(trainer.args.output_dir)
    assert trainer.state.best_model_checkpoint is not None
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "gem" in card
    assert "2510.01051" in card
    state = json.loads((out / "checkpoint-2" / "trainer_state.json").read_text(encoding="utf-8"))
    assert state["global_step"] == 2


def test_log_completions_prints_a_table(build_trainer: Any, capsys: Any) -> None:
    build_trainer(log_completions=True, num_rollouts=1, num_completions_to_print=2).train()
    output = capsys.readouterr().out
    assert "Advantage" in output
    assert "boxed" in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gamma": 1.1}, "gamma must be at least 0 and at most 1, got 1.1"),
        ({"num_envs": 0}, "num_envs must be at least 1, got 0"),
        ({"advantage_estimator": "rebm"}, "did you mean 'rebn'"),
        ({"loss_aggregation": "tokens_mean"}, "did you mean 'token_mean'"),
        ({"truncated_replies": "drop"}, "unknown truncated_replies 'drop'"),
        ({"history": "txt"}, "did you mean 'text'"),
        ({"gradient_accumulation_steps": 4}, "gradient_accumulation_steps must be 1"),
        ({"temperature": 0.0}, "temperature must be above 0"),
    ],
)
def test_a_refused_option_says_rule_and_value(options: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.ConfigError, match=message):
        ReinforceConfig("out", use_cpu=True, **options)


def test_a_missing_env_and_an_impossible_context_are_refused(
    build_trainer: Any, model: Any, tokenizer: Any, config: Any
) -> None:
    with pytest.raises(errors.ConfigError, match="env is missing"):
        ReinforceTrainer(model, config(), processing_class=tokenizer)
    with pytest.raises(errors.ConfigError, match="leaves no room for a prompt"):
        build_trainer(max_completion_length=4_096)


def test_prompt_templates_must_hold_the_observation(build_trainer: Any) -> None:
    with pytest.raises(errors.ConfigError, match="must be one of none, game, question, code"):
        build_trainer(prompt_template="games")


def test_peft_trains_the_adapter_only(build_trainer: Any) -> None:
    from peft import LoraConfig

    lora = LoraConfig(r=2, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    trainer = build_trainer(peft_config=lora, beta=0.1, num_rollouts=1)
    before = parameters(trainer.model)
    trainer.train()
    for name, value in trainer.model.named_parameters():
        if "lora" not in name:
            assert torch.equal(before[name], value), name
    assert any(
        not torch.equal(before[name], value)
        for name, value in trainer.model.named_parameters()
        if "lora" in name
    )


@pytest.mark.parametrize(
    "options",
    [
        {"max_context_length": 30, "max_completion_length": 12},  # no prompt fits
        {"max_completion_length": 1, "truncated_replies": "mask"},  # no reply ends
        {"num_mini_batches": 8, "episodes_per_rollout": 1, "num_envs": 1},  # more parts than rows
    ],
)
@pytest.mark.parametrize("beta", [0.0, 0.1])
def test_a_mini_batch_in_which_no_row_trains_is_a_step_that_changes_nothing_wrong(
    build_trainer: Any, options: dict[str, Any], beta: float
) -> None:
    trainer = build_trainer(num_rollouts=1, beta=beta, **options)
    trainer.train()
    assert all(torch.isfinite(p).all() for p in trainer.model.parameters())
    assert trainer.state.global_step == options.get("num_mini_batches", 1)


def test_episode_metrics_are_averaged_over_the_rollouts_of_a_log(build_trainer: Any) -> None:
    each = build_trainer(num_rollouts=4, logging_steps=1, learning_rate=0.0)
    each.train()
    both = build_trainer(num_rollouts=4, logging_steps=4, learning_rate=0.0)
    both.train()
    singles = [e["episode/return"] for e in each.state.log_history if "episode/return" in e]
    (together,) = [e for e in both.state.log_history if "episode/return" in e]
    assert len(singles) == 4
    assert together["episode/return"] == pytest.approx(sum(singles) / 4)


def test_lora_dropout_is_switched_off_too(build_trainer: Any) -> None:
    from peft import LoraConfig

    lora = LoraConfig(r=2, lora_dropout=0.5, target_modules=["q_proj"], task_type="CAUSAL_LM")
    trainer = build_trainer(peft_config=lora)
    rates = [m.p for m in trainer.model.modules() if isinstance(m, torch.nn.Dropout)]
    assert rates
    assert not any(rates)


def test_a_tokenizer_without_pad_token_gets_one(model: Any, tokenizer: Any, config: Any) -> None:
    import copy

    bare = copy.deepcopy(tokenizer)
    bare.pad_token = None
    trainer = ReinforceTrainer(model, config(num_rollouts=1), env=ENV, processing_class=bare)
    trainer.train()
    assert bare.pad_token_id == model.generation_config.eos_token_id
    trainer.close()


def test_a_model_without_a_name_needs_a_tokenizer(model: Any, config: Any) -> None:
    with pytest.raises(errors.ConfigError, match="processing_class"):
        ReinforceTrainer(model, config(), env=ENV)
