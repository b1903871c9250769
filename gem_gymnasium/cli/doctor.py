"""``gem-gym doctor``: which levels of isolation are here, each tried, and why not the others."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from gem_gymnasium.sandbox.doctor import Finding, chosen, examine, is_sound, landlock_version
from gem_gymnasium.sandbox.landlock import NEEDED_VERSION

LEGEND = "Tried at each level: to connect to a port here, to read and to write a file outside."


def add_to(commands: Any) -> None:
    """Add the subcommand to ``gem-gym``'s parser."""
    parser = commands.add_parser("doctor", help="what isolates untrusted code", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write what was found; return 1 if no level isolates, or one that should does not."""
    findings = examine()
    if options.json:
        sys.stdout.write(json.dumps(as_data(findings)) + "\n")
    else:
        sys.stdout.write("\n".join(as_lines(findings)) + "\n")
    return 0 if is_sound(findings) else 1


def as_data(findings: list[Finding]) -> dict[str, Any]:
    """Return what was found as JSON takes it."""
    return {
        "run_python": chosen("python"),
        "run_shell": chosen("shell"),
        "root": os.getuid() == 0,
        "landlock": landlock_version(),
        "sound": is_sound(findings),
        "levels": {
            finding.level: {
                "isolates": finding.isolated,
                "why_not": finding.why,
                "trials": [trial._asdict() for trial in finding.trials],
            }
            for finding in findings
        },
    }


def as_lines(findings: list[Finding]) -> list[str]:
    """Return what was found as a person reads it."""
    lines = [f"{finding.level:8}{verdict(finding):14}{account(finding)}" for finding in findings]
    nothing = "none (SandboxUnavailable)"
    takes = f"run_python takes {chosen('python') or nothing}, "
    takes += f"run_shell takes {chosen('shell') or nothing}"
    user = "root: programs become an unused user" if os.getuid() == 0 else "an ordinary user"
    version = landlock_version()
    return [
        *lines,
        "",
        LEGEND,
        f"If no level is named, {takes}.",
        f"Started by {user}.",
        f"Landlock: {f'version {version}' if version else 'none'} (zygote needs {NEEDED_VERSION}).",
    ]


def verdict(finding: Finding) -> str:
    """Return in a word or two what a level is worth here."""
    if finding.why:
        return "not here"
    if finding.problems:
        return "FAILS"
    if not finding.isolated:
        return "no isolation"
    return "LEAKS" if finding.through else "isolates"


def account(finding: Finding) -> str:
    """Return the rest: why it is not here, or what the trials gave."""
    if finding.why:
        return finding.why
    reached = ", ".join(finding.through)
    parts = finding.problems
    if not parts:
        times = (f"{trial.kind} {1000 * trial.seconds:.0f} ms" for trial in finding.trials)
        parts.append(", ".join(times))
        if not reached:
            parts.append("all refused")
    if reached:
        parts.append(f"{reached} got through")
    if not finding.isolated:
        parts.append("only when asked for by name")
    return "; ".join(parts)
