"""The ``gem-gym`` command."""

from __future__ import annotations

import argparse
import os
import sys
from io import TextIOWrapper

from gem_gymnasium.cli import audit, doctor, fetch, index, listing, play, rate
from gem_gymnasium.core.errors import GemError, UnknownName

DESCRIPTION = """\
Look at gem-gymnasium's environments, and play them as a person.

  gem-gym list                     every id: its family, turns, and what players score on it
  gem-gym play gem/Sudoku-v0       play in the terminal; :hint asks the solver
  gem-gym rate gem/Nim-v0          let the players of a game of several play, and rate them
  gem-gym doctor                   what isolates untrusted code on this machine, tried
  gem-gym fetch gem/Math-GSM8K-v0  download the data set of an id
  gem-gym audit gem/QA-Sample-v0   what replies that know nothing earn on a task
  gem-gym index serve wiki         a search server; also: index build, index query
"""

COMMANDS = {
    "list": listing,
    "play": play,
    "rate": rate,
    "doctor": doctor,
    "fetch": fetch,
    "audit": audit,
    "index": index,
}


def make_parser() -> argparse.ArgumentParser:
    """Return the command's parser; each subcommand adds its own options."""
    parser = argparse.ArgumentParser(
        prog="gem-gym",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS.values():
        command.add_to(commands)
    return parser


def open_missing_streams() -> None:
    """Read nothing from, and write nowhere to, a stream that the shell closed (``>&-``)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - till exit


def main(argv: list[str] | None = None) -> int:
    """Run the command that ``argv`` names; return an exit status."""
    open_missing_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = make_parser()
    for stream in (sys.stdin, sys.stdout):  # what cannot be read or shown becomes question marks
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        if not arguments:
            parser.print_help()
            return 0
        if arguments[0] not in COMMANDS and not arguments[0].startswith("-"):
            raise UnknownName("command", arguments[0], COMMANDS)
        options = parser.parse_args(arguments)
        return options.run(options)
    except GemError as error:  # they say what to change
        sys.stderr.write(f"gem-gym: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stdout.write("\n")
        return 130
    except BrokenPipeError:  # `gem-gym list | head`; nothing more can be written, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    raise SystemExit(main())
