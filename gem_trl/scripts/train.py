"""Train a language model on text environments: ``gem-trl train --env gem/Sudoku-easy-v0 ...``.

In the shape of TRL's own scripts: every field of the dataclasses is an option, and
``--config file.yaml`` sets defaults for them.
"""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from typing import Any

import gymnasium


@dataclass
class ReinforceScriptArguments:
    """What to train on.

    In a YAML file the names are `env_id` and `eval_env_id`: TRL's parser reads a key `env` as
    environment variables to set.

    Args:
        env_id (`list[str]`): Ids of the training environments, cycled over the envs.
        eval_env_id (`list[str]`, *optional*): Ids for evaluation; the training ids if unset.
    """

    env_id: list[str] = field(
        default_factory=lambda: ["gem/GuessTheNumber-v0"],
        metadata={
            "aliases": ["--env"],
            "help": "Ids of the training environments, cycled over the envs.",
        },
    )
    eval_env_id: list[str] | None = field(
        default=None,
        metadata={
            "aliases": ["--eval_env"],
            "help": "Ids for evaluation; the training ids if unset.",
        },
    )


def main(script_args: Any, training_args: Any, model_args: Any) -> None:
    """Train, save the model, and push it where asked to.

    Args:
        script_args: A :class:`ReinforceScriptArguments`.
        training_args: A :class:`gem_trl.ReinforceConfig`.
        model_args: A :class:`trl.ModelConfig`.

    Raises:
        ConfigError: No model is named, or an option is refused.
    """
    from gem_gymnasium import errors
    from gem_trl._compat import get_peft_config, get_quantization_config
    from gem_trl.trainer import ReinforceTrainer

    for given in (script_args.env_id, script_args.eval_env_id or []):
        for id in [given] if isinstance(given, str) else given:  # YAML may hold one id
            if ":" not in id:  # else its module is not imported yet
                gymnasium.spec(id)  # a wrong id is found before the model is loaded
    if model_args.model_name_or_path is None:
        raise errors.ConfigError("say which model to train: --model_name_or_path NAME_OR_PATH")
    training_args.model_init_kwargs = {
        "revision": model_args.model_revision,
        "attn_implementation": model_args.attn_implementation,
        "dtype": model_args.dtype,
        **(training_args.model_init_kwargs or {}),
    }
    quantization = get_quantization_config(model_args)
    if quantization is not None:
        training_args.model_init_kwargs["quantization_config"] = quantization
    trainer = ReinforceTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        env=script_args.env_id,
        eval_env=script_args.eval_env_id,
        peft_config=get_peft_config(model_args),
    )
    trainer.train(resume_from_checkpoint=training_args.resume_from_checkpoint)
    trainer.save_model(training_args.output_dir)
    trainer.accelerator.print(f"Model saved to {training_args.output_dir}.")
    if training_args.push_to_hub:
        trainer.push_to_hub()
    trainer.close()


def make_parser(subparsers: Any = None, prog: str | None = None) -> argparse.ArgumentParser:
    """Return the script's parser, as a subcommand where ``subparsers`` is given."""
    from gem_trl._compat import ModelConfig, TrlParser
    from gem_trl.config import ReinforceConfig

    types: Any = (ReinforceScriptArguments, ReinforceConfig, ModelConfig)
    if subparsers is not None:
        return subparsers.add_parser(
            "train",
            help="Train a language model on text environments",
            dataclass_types=types,
        )
    return TrlParser(types, prog=prog)


def parse_and_run(argv: list[str] | None = None) -> None:
    """Parse ``argv`` (``--config file.yaml`` included) and train.

    Raises:
        SystemExit: An option or a key of the file is unknown or refused; the message names it.
    """
    parser: Any = make_parser(prog="gem-trl train")
    try:
        parsed = parser.parse_args_and_config(args=argv, fail_with_unknown_args=True)
    except (ValueError, OSError) as error:  # TRL's parser raises where argparse would exit
        sys.stderr.write(f"{parser.prog}: {error}\n")
        raise SystemExit(2) from error
    main(*parsed)


if __name__ == "__main__":
    parse_and_run()
