"""``gem-gym audit``: what replies that know nothing earn on a task."""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
from typing import Any

from gem_gymnasium import multiplayer, registry
from gem_gymnasium.cli.listing import table
from gem_gymnasium.cli.progress import clear, progress
from gem_gymnasium.core.errors import ConfigError, DataUnavailable, MissingDependency, UnknownName
from gem_gymnasium.testing.audit import POLICIES, Audit, audit

EPILOG = """\
A finding is a right answer that does not score 1, a policy that scores above the best constant
answer (and 0.05) beyond chance, a step that crashed, or one that took too long. The exit status is
1 if there is any.

  gem-gym audit gem/Math-Synthetic-v0
  gem-gym audit 'gem/RG-*' --rows 50 --json
"""
NO_TASKS = ("game", "versus", "terminal-folder", "mcp")
"""Families of ids that have no answers of their own."""

HEADER = ("id", "policy", "score", "95 %", "rows", "crashes", "mean ms", "worst ms")


def add_to(commands: Any) -> None:
    """Add the subcommand to ``gem-gym``'s parser."""
    parser = commands.add_parser(
        "audit",
        help="what replies that know nothing earn on a task",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pattern", help="an id, or a pattern such as 'gem/RG-*'")
    parser.add_argument("--rows", type=int, default=200, help="rows of each id (default: 200)")
    parser.add_argument("--seed", type=int, default=0, help="of what policies draw (default: 0)")
    parser.add_argument(
        "--policies", nargs="+", choices=POLICIES, default=list(POLICIES), help="only these"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object an id")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Audit every id that fits the pattern.

    Raises:
        UnknownName: No id of a task fits.
        ConfigError: The id is a game.
    """
    known = [id for row in registry.ROWS if row.family not in NO_TASKS for id in row.ids()]
    ids = fnmatch.filter(known, options.pattern)
    if not ids and options.pattern in {*registry.ids(), *multiplayer.ids()}:
        raise ConfigError(f"{options.pattern} is a game: there are no answers to audit")
    if not ids:
        raise UnknownName("task", options.pattern, known)
    findings = 0
    for id in ids:
        try:
            done = audit(
                id,
                rows=options.rows,
                seed=options.seed,
                policies=options.policies,
                told=lambda done, of, id=id: progress(id, done, of, "steps"),
            )
        except (DataUnavailable, MissingDependency) as error:
            if len(ids) == 1:
                raise
            sys.stderr.write(f"{id}: left out: {error}\n")
            continue
        clear()
        findings += len(done.findings)
        sys.stdout.write(f"{as_json(done)}\n" if options.json else f"{as_table(done)}\n\n")
        sys.stdout.flush()
    return 1 if findings else 0


def as_json(done: Audit) -> str:
    """Return an audit as one JSON object."""
    lines = [line._asdict() for line in done.lines]
    return json.dumps({"id": done.id, "policies": lines, "findings": list(done.findings)})


def as_table(done: Audit) -> str:
    """Return an audit as a table and its findings."""
    rows = [
        (
            done.id,
            line.policy,
            f"{line.score:.3f}",
            f"{line.low:.3f}-{line.high:.3f}",
            str(line.rows),
            str(line.crashes),
            f"{line.mean_s * 1000:.1f}",
            f"{line.worst_s * 1000:.0f}",
        )
        for line in done.lines
    ]
    found = [f"finding: {finding}" for finding in done.findings] or ["no finding"]
    return "\n".join([*table([HEADER, *rows]), *found])
