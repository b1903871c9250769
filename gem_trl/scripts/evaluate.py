"""Evaluate a language model on text environments: ``gem-trl eval --env gem/Sudoku-easy-v0 ...``.

The options are those of ``gem-trl train``, so a training's own ``--config`` file evaluates what it
trained, under the same prompts and limits.
"""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gem_gymnasium import errors
from gem_trl.scripts.train import NO_ENV, ReinforceScriptArguments, ids_of, model_options

if TYPE_CHECKING:  # they import torch
    from rich.table import Table

    from gem_trl.report import Report
    from gem_trl.trainer import ReinforceTrainer

DESCRIPTION = """\
Evaluate a model, a checkpoint folder or a PEFT adapter on fixed episodes, and put it beside the
random player and the solver. Each env's episodes are the same whatever else is evaluated, and
training cannot draw them. A training's file may be given: what only a training reads is ignored,
eval_env_id included.
"""

EXAMPLES = """\
Examples:
  gem-trl eval --model_name_or_path out --env gem/Sudoku-easy-v0 --eval_episodes 200
  gem-trl eval --model_name_or_path out/checkpoint-100 --config train.yaml --output results.json
  gem-trl eval --model_name_or_path Qwen/Qwen3-0.6B --dtype bfloat16 --eval_temperature 0.7 \\
      --env gem/Sudoku-easy-v0 gem/Mastermind-easy-v0 --transcripts replies.jsonl
"""

SECTIONS = {
    "What to evaluate, and on what": (
        "model_name_or_path",
        "model_revision",
        "dtype",
        "env_id",
        "use_cpu",
    ),
    "Episodes": (
        "eval_episodes",
        "eval_seed",
        "eval_temperature",
        "num_envs",
        "max_turns_per_episode",
        "step_timeout_s",
    ),
    "Prompts and replies": (
        "max_completion_length",
        "max_context_length",
        "history",
        "history_kwargs",
        "tools",
        "tool_kwargs",
        "prompt_template",
        "chat_template_kwargs",
        "truncated_replies",
        "use_vllm",
        "vllm_mode",
        "vllm_gpu_memory_utilization",
    ),
    "Output files": ("output", "transcripts"),
}

ONLY_FOR_TRAINING: dict[str, Any] = {
    "advantage_estimator": "rebn",  # no critic
    "rebn_scope": "batch",  # and opponents: of games whose every seat is played
    "opponent_share": 0.0,
    "beta": 0.0,  # no reference model
    "eval_strategy": "no",
    "save_strategy": "no",
    "report_to": [],
    "push_to_hub": False,
}
"""What an evaluation sets, whatever the training's file says."""


@dataclass
class EvaluationScriptArguments(ReinforceScriptArguments):
    """What to evaluate on, and what to write.

    Args:
        output (`str`, *optional*): A JSON file for the figures and every episode.
        transcripts (`str`, *optional*): A JSON-lines file for the texts, an episode a line.
    """

    output: str | None = field(
        default=None, metadata={"help": "JSON file for the figures and every episode's outcome."}
    )
    transcripts: str | None = field(
        default=None,
        metadata={"help": "JSON-lines file for what the model read and wrote, an episode a line."},
    )


def main(script_args: Any, training_args: Any, model_args: Any) -> None:
    """Evaluate, print a table for each env, and write the files that are asked for.

    Args:
        script_args: An :class:`EvaluationScriptArguments`.
        training_args: A :class:`gem_trl.ReinforceConfig`.
        model_args: A :class:`trl.ModelConfig`.

    Raises:
        ConfigError: No model or env is named, or an option is refused.
    """
    from rich.console import Console

    from gem_trl import report
    from gem_trl.games import with_opponents
    from gem_trl.loading import is_adapter, load_merged
    from gem_trl.trainer import ReinforceTrainer

    ids = ids_of(script_args.env_id)
    if not ids:
        raise errors.ConfigError(NO_ENV.replace("train on", "evaluate on"))
    ids = with_opponents(ids)  # a game of several players is played with each of our players
    name, options = model_args.model_name_or_path, model_options(training_args, model_args)
    for path in filter(None, (script_args.output, script_args.transcripts)):
        Path(path).parent.mkdir(parents=True, exist_ok=True)  # before the hours, not after
    model, tokenizer = load_merged(name, options) if is_adapter(name) else (name, None)
    training_args.model_init_kwargs = options if tokenizer is None else None
    for option, value in ONLY_FOR_TRAINING.items():
        setattr(training_args, option, value)
    with tempfile.TemporaryDirectory() as folder:  # a trainer makes one at once
        training_args.output_dir = folder
        trainer = ReinforceTrainer(model, training_args, env=ids[0], processing_class=tokenizer)
        console = Console(highlight=False, quiet=not trainer.is_world_process_zero())
        reports: list[Report] = []
        with closing(trainer):
            for id in ids:
                with console.status(f"{id}: {training_args.eval_episodes} episodes"):
                    reports.append(report.report_on(trainer.play_evaluation(id)))
                console.print(table(reports[-1], training_args))
            if trainer.is_world_process_zero():
                write(script_args, trainer, str(name), reports)
    for path in filter(None, (script_args.output, script_args.transcripts)):
        console.print(f"Written: {path}", soft_wrap=True)


def table(report: Report, training_args: Any) -> Table:
    """Return the table of one env's report."""
    from rich import box
    from rich.table import Table

    from gem_trl.report import COLUMNS, table_rows

    temperature = training_args.eval_temperature
    how = f"temperature {temperature:g}" if temperature else "greedy"
    failed = f", {report.invalid} failed and left out" if report.invalid else ""
    shown = Table(
        title=f"{report.env_id}: {len(report.episodes)} episodes{failed}, seed "
        f"{training_args.eval_seed}, {how}, 95 % intervals",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,  # so that it fits 80 columns
    )
    for number, column in enumerate(COLUMNS):
        shown.add_column(column, justify="right" if number else "left")
    for row in table_rows(report):
        shown.add_row(*row)
    return shown


def write(
    script_args: Any, trainer: ReinforceTrainer, model: str, reports: Sequence[Report]
) -> None:
    """Write the files that are asked for."""
    from gem_trl.report import as_json, transcript

    args: Any = trainer.args
    if script_args.output:
        names = (*SECTIONS["Episodes"], *SECTIONS["Prompts and replies"])
        results = {
            "model": model,
            "settings": {name: getattr(args, name) for name in names},
            "envs": {report.env_id: as_json(report) for report in reports},
        }
        text = json.dumps(results, indent=1, allow_nan=False)
        Path(script_args.output).write_text(text + "\n", encoding="utf-8")
    if script_args.transcripts:
        tokenizer: Any = trainer.processing_class
        with Path(script_args.transcripts).open("w", encoding="utf-8") as file:
            for report in reports:
                for episode in report.episodes:
                    line = json.dumps(transcript(episode, tokenizer.decode), ensure_ascii=False)
                    file.write(line + "\n")


def make_parser(prog: str | None = None) -> argparse.ArgumentParser:
    """Return the script's parser."""
    from gem_trl._compat import ModelConfig
    from gem_trl.config import ReinforceConfig
    from gem_trl.scripts.options import ScriptParser

    return ScriptParser(
        (EvaluationScriptArguments, ReinforceConfig, ModelConfig),
        sections=SECTIONS,
        prog=prog,
        synopsis="--model_name_or_path NAME --env ID [ID ...] [options]",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )


def parse_and_run(argv: list[str] | None = None) -> None:
    """Parse ``argv`` (``--config file.yaml`` included) and evaluate.

    Raises:
        SystemExit: An option or a key of the file is unknown or refused; the message names it.
    """
    parser: Any = make_parser(prog="gem-trl eval")
    main(*parser.parse(argv))


if __name__ == "__main__":
    parse_and_run()
