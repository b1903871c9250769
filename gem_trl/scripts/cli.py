"""The ``gem-trl`` command."""

from __future__ import annotations

import sys
import warnings

from gem_gymnasium import errors

USAGE = """\
usage: gem-trl COMMAND [options]

commands:
  train        train a language model on text environments (options as in TRL's scripts)
  eval         score a model on fixed episodes, beside a random player and a solver
  quickstart   build a tiny model, warm it up, train it by ReBN, and show what it learned

Each command explains itself: `gem-trl train --help`. Without a command, options go to `train`:
`gem-trl --config config.yaml`.
"""


def main(argv: list[str] | None = None) -> int:
    """Run the command that ``argv`` names; return an exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        sys.stdout.write(USAGE)
        return 0
    command = "train" if arguments[0].startswith("-") else arguments.pop(0)
    if command not in COMMANDS:
        unknown = errors.UnknownName("command", command, COMMANDS)
        sys.stderr.write(f"gem-trl: {unknown}\n\n{USAGE}")
        return 2
    # TRL 1.16 asks transformers 5.24 by an older name; no user can do anything about it.
    warnings.filterwarnings(
        "ignore", message="`is_gradient_checkpointing` is deprecated", category=FutureWarning
    )
    try:
        COMMANDS[command](arguments)
    except (errors.ConfigError, errors.MissingDependency) as error:
        # They say what to change.
        sys.stderr.write(f"gem-trl {command}: {error}\n")
        return 2
    return 0


def _train(arguments: list[str]) -> None:
    from gem_trl.scripts import train

    train.parse_and_run(arguments)


def _eval(arguments: list[str]) -> None:
    from gem_trl.scripts import evaluate

    evaluate.parse_and_run(arguments)


def _quickstart(arguments: list[str]) -> None:
    from gem_trl.scripts import quickstart

    quickstart.main(quickstart.make_parser().parse_args(arguments))


COMMANDS = {"train": _train, "eval": _eval, "quickstart": _quickstart}


if __name__ == "__main__":
    raise SystemExit(main())
