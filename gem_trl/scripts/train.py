"""Train a language model on text environments: ``gem-trl train --env gem/Sudoku-easy-v0 ...``.

In the shape of TRL's own scripts: every field of the dataclasses is an option, and
``--config file.yaml`` sets defaults for them.
"""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any

from gem_gymnasium import errors
from gem_trl import mixture

DESCRIPTION = """\
Train a language model on text environments: whole episodes, credit for each turn. Options are the
fields of ReinforceConfig and of TRL's ModelConfig.
"""

EXAMPLES = """\
Examples:
  gem-trl train --model_name_or_path Qwen/Qwen3-0.6B --env gem/Sudoku-easy-v0 --output_dir out
  gem-trl train --model_name_or_path Qwen/Qwen3-0.6B --env gem/Sudoku-easy-v0 gem/Mastermind-v0 \\
      --env_weights 1.0 0.5 --advantage_estimator ppo --use_peft
  gem-trl train --config train.yaml        # there the ids are called env_id
  gem-trl train --config train.yaml --resume_from_checkpoint true      # the newest whole one
  accelerate launch -m gem_trl.scripts.cli train --config train.yaml
"""

SECTIONS = {
    "What to train, and on what": (
        "model_name_or_path",
        "dtype",
        "env_id",
        "env_weights",
        "eval_env_id",
        "output_dir",
        "resume_from_checkpoint",
        "seed",
        "use_cpu",
    ),
    "Rollouts": (
        "num_rollouts",
        "episodes_per_rollout",
        "num_envs",
        "history",
        "tools",
        "max_turns_per_episode",
        "step_timeout_s",
        "opponent_share",
    ),
    "Replies": (
        "max_completion_length",
        "max_context_length",
        "temperature",
        "prompt_template",
        "truncated_replies",
        "use_vllm",
        "vllm_mode",
        "vllm_gpu_memory_utilization",
    ),
    "Credit and loss": (
        "gamma",
        "advantage_estimator",
        "rebn_scope",
        "group_size",
        "gae_lambda",
        "num_mini_batches",
        "num_iterations",
        "epsilon",
        "beta",
        "entropy_coef",
        "loss_aggregation",
    ),
    "Optimizer and memory": (
        "learning_rate",
        "lr_scheduler_type",
        "warmup_steps",
        "max_grad_norm",
        "per_device_train_batch_size",
        "activation_checkpointing",
        "use_peft",
        "lora_r",
        "lora_alpha",
        "lora_target_modules",
    ),
    "Evaluation, logs and checkpoints": (
        "eval_strategy",
        "eval_steps",
        "eval_episodes",
        "eval_temperature",
        "logging_steps",
        "report_to",
        "log_completions",
        "save_strategy",
        "save_steps",
        "push_to_hub",
    ),
}

NO_ENV = (
    "say what to train on: --env ID [ID ...], such as --env gem/Sudoku-easy-v0 (env_id in a file); "
    "`gem-gym list` shows every id"
)
NO_MODEL = (
    "say which model to take: --model_name_or_path NAME_OR_PATH, such as Qwen/Qwen3-0.6B or a "
    "folder with a saved model"
)


@dataclass
class ReinforceScriptArguments:
    """What to train on.

    In a YAML file the names are `env_id` and `eval_env_id`: TRL's parser reads a key `env` as
    environment variables to set.

    Args:
        env_id (`list[str]`): Ids of the training environments; of a game of several players
            (`gem/KuhnPoker-v0`) the policy plays every seat.
        env_weights (`list[float]`, *optional*): The share of the episodes of each, in any unit;
            equal if unset.
        eval_env_id (`list[str]`, *optional*): Ids for evaluation; the training ids if unset.
    """

    env_id: list[str] | None = field(
        default=None,
        metadata={"aliases": ["--env"], "help": "Ids of the environments (env_id in a file)."},
    )
    env_weights: list[float] | None = field(
        default=None,
        metadata={"help": "Of several ids, the share of the episodes of each; equal if unset."},
    )
    eval_env_id: list[str] | None = field(
        default=None,
        metadata={
            "aliases": ["--eval_env"],
            "help": "Ids for evaluation; the training ids if unset.",
        },
    )


def ids_of(given: list[str] | str | None) -> list[str]:
    """Return ids as a list, each looked up; a wrong one is found before a model is loaded.

    Raises:
        UnknownName: There is no such id; the message names the nearest.
    """
    from gem_trl.games import check_id

    ids = [given] if isinstance(given, str) else given or []  # YAML may hold one id
    for id in ids:
        check_id(id)
    return ids


def env_of(script_args: Any) -> list[str] | list[tuple[str, float]]:
    """Return the ids to train on, with their weights if there are any.

    Raises:
        ConfigError: There is no id, one is there twice, or the weights are wrong.
        UnknownName: There is no such id.
    """
    ids = ids_of(script_args.env_id)
    if not ids:
        raise errors.ConfigError(NO_ENV)
    weights = script_args.env_weights
    if weights is None:
        mixture.parse(ids)  # a wrong list is found before a model is loaded, too
        return ids
    weights = [weights] if isinstance(weights, int | float) else weights
    if len(weights) != len(ids):
        raise errors.ConfigError(
            f"--env_weights takes one weight for each id of --env, got {len(weights)} for "
            f"{len(ids)}: {', '.join(ids)}"
        )
    pairs = list(zip(ids, map(float, weights), strict=True))
    mixture.parse(pairs)
    return pairs


def model_options(training_args: Any, model_args: Any) -> dict[str, Any]:
    """Return what `from_pretrained` is to be called with.

    Raises:
        ConfigError: No model is named.
    """
    from gem_trl._compat import get_quantization_config

    if model_args.model_name_or_path is None:
        raise errors.ConfigError(NO_MODEL)
    options = {
        "revision": model_args.model_revision,
        "attn_implementation": model_args.attn_implementation,
        "dtype": model_args.dtype,
        **(training_args.model_init_kwargs or {}),
    }
    quantization = get_quantization_config(model_args)
    return options if quantization is None else {**options, "quantization_config": quantization}


def main(script_args: Any, training_args: Any, model_args: Any) -> None:
    """Train, save the model, and push it where asked to.

    Args:
        script_args: A :class:`ReinforceScriptArguments`.
        training_args: A :class:`gem_trl.ReinforceConfig`.
        model_args: A :class:`trl.ModelConfig`.

    Raises:
        ConfigError: No model or env is named, or an option is refused.
    """
    from gem_trl._compat import get_peft_config
    from gem_trl.trainer import ReinforceTrainer

    env, eval_env = env_of(script_args), ids_of(script_args.eval_env_id)
    training_args.model_init_kwargs = model_options(training_args, model_args)
    trainer = ReinforceTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        env=env,
        eval_env=eval_env or None,
        peft_config=get_peft_config(model_args),
    )
    given = training_args.resume_from_checkpoint
    newest = str(given).lower() == "true"  # the option's type is a path
    trainer.train(resume_from_checkpoint=True if newest else given)
    trainer.save_model(training_args.output_dir)
    trainer.accelerator.print(f"Model saved to {training_args.output_dir}.")
    if training_args.push_to_hub:
        trainer.push_to_hub()
    trainer.close()


def make_parser(subparsers: Any = None, prog: str | None = None) -> argparse.ArgumentParser:
    """Return the script's parser, as a subcommand where ``subparsers`` is given."""
    from gem_trl._compat import ModelConfig
    from gem_trl.config import ReinforceConfig
    from gem_trl.scripts.options import ScriptParser

    types: Any = (ReinforceScriptArguments, ReinforceConfig, ModelConfig)
    if subparsers is not None:
        return subparsers.add_parser(
            "train",
            help="Train a language model on text environments",
            dataclass_types=types,
        )
    return ScriptParser(
        types,
        sections=SECTIONS,
        prog=prog,
        synopsis="--model_name_or_path NAME --env ID [ID ...] [options]",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )


def parse_and_run(argv: list[str] | None = None) -> None:
    """Parse ``argv`` (``--config file.yaml`` included) and train.

    Raises:
        SystemExit: An option or a key of the file is unknown or refused; the message names it.
    """
    parser: Any = make_parser(prog="gem-trl train")
    main(*parser.parse(argv))


if __name__ == "__main__":
    parse_and_run()
