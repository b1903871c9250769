"""A parser in TRL's shape whose help fits on two screens: the options that matter, in sections."""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import dataclasses
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from gem_gymnasium import errors
from gem_trl._compat import TrlParser

Sections = Mapping[str, Sequence[str]]
"""The names of the options that the short help shows, by the section's title."""

INDENT = 26
ALWAYS = (
    ("--config FILE", "A YAML file with any of the options; the command line wins."),
    ("--help-all", "Show every option, those of transformers and TRL included."),
)


class _HelpAll(argparse.Action):
    """Print what argparse itself prints: every option."""

    def __call__(self, parser: Any, *_: Any) -> None:
        parser.short = False
        parser.print_help()
        parser.exit()


class ScriptParser(TrlParser):
    """TRL's parser, with ``--help`` for the options that matter and ``--help-all`` for every one.

    Args:
        dataclass_types: Dataclasses, each field of which is an option.
        sections: What the short help shows.
        prog: The command's name.
        synopsis: What follows it in the usage line.
        description: What it does, in a paragraph.
        epilog: Examples.
    """

    def __init__(
        self,
        dataclass_types: Any,
        *,
        sections: Sections,
        prog: str | None,
        synopsis: str,
        description: str,
        epilog: str,
    ) -> None:
        super().__init__(
            dataclass_types, prog=prog, description=description, usage=f"%(prog)s {synopsis}"
        )
        self.short = True
        self._sections, self._examples = sections, epilog
        self.add_argument(
            "--help-all",
            action=_HelpAll,
            nargs=0,
            dest=argparse.SUPPRESS,
            default=argparse.SUPPRESS,
            help="show every option and exit",
        )

    def format_help(self) -> str:
        """Return the short help, or the long one once ``--help-all`` is met."""
        if not self.short:
            return super().format_help()
        width = max(58, min(100, shutil.get_terminal_size().columns) - 2)
        fields = {
            field.name: field
            for dataclass_type in self.dataclass_types
            for field in dataclasses.fields(dataclass_type)
        }
        parts = [self.format_usage(), textwrap.fill(self.description or "", width)]
        for title, names in self._sections.items():
            lines = [_entry(fields[name], width) for name in names]
            parts.append("\n".join([f"{title}:", *lines]))
        more = [_item(name, text, width) for name, text in ALWAYS]
        parts.append("\n".join(["And:", *more]))
        return "\n\n".join(part.rstrip() for part in (*parts, self._examples)) + "\n"

    def parse(self, argv: Sequence[str] | None) -> Any:
        """Parse options and the file of ``--config``; exit where one is unknown or refused."""
        try:
            return self.parse_args_and_config(
                args=None if argv is None else list(argv), fail_with_unknown_args=True
            )
        except yaml.YAMLError as error:
            message = f"the file of --config is no YAML: {error}"
            cause: Exception = error
        except (ValueError, OSError) as error:  # TRL's parser raises where argparse would exit
            message, cause = self._mended(str(error)), error
        sys.stderr.write(f"{self.prog}: {message}\n")
        raise SystemExit(2) from cause

    def _mended(self, message: str) -> str:
        """Return what is wrong in words of this command, where TRL speaks to its programmers."""
        if message.startswith("`env` field should be a dict"):
            return (
                "in a file the ids are called env_id: [gem/Sudoku-easy-v0]; TRL reads a key `env` "
                "as environment variables to set"
            )
        unknown = re.search(r"(?:not used by|from config file).*?'--([^'=]*)", message)
        if unknown is None:
            return message
        kind, dashes = ("key", "") if "from config file" in message else ("option", "--")
        options = [name for action in self._actions for name in action.option_strings]
        known = [name[2:] for name in options if name.startswith("--")]
        far = "--help-all shows every one"
        # Two dashes would make any two short names alike.
        said = str(errors.UnknownName(kind, unknown[1], known, far=far))
        return re.sub("'([^']*)'", rf"'{dashes}\1'", said)


def _entry(field: dataclasses.Field[Any], width: int) -> str:
    name = field.metadata.get("aliases", [f"--{field.name}"])[0]
    text = " ".join(str(field.metadata.get("help", "")).replace("%%", "%").split())
    text = text.partition(". ")[0].rstrip(".")  # transformers' go on
    default = field.default
    if default is not None and default is not dataclasses.MISSING and default is not False:
        text += f" (default: {getattr(default, 'value', default)})"  # an Enum's value
    return _item(str(name), f"{text}.", width)


def _item(name: str, text: str, width: int) -> str:
    """Return an option and what it does, in two columns."""
    lines = textwrap.wrap(text, width - INDENT) or [""]
    head = f"  {name}"
    if len(head) > INDENT - 2:
        lines.insert(0, head)
    else:
        lines[0] = head.ljust(INDENT) + lines[0]
    return "\n".join([lines[0], *(" " * INDENT + line for line in lines[1:])])
