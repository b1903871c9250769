"""Write docs/audit.md from what ``gem-gym audit --json`` has said.

    gem-gym audit 'gem/*' --json > audit.jsonl
    python docs/make_audit.py audit.jsonl

Several files are read in their order; of an id that comes twice, the last counts. The exit status
is 1 if a finding has no reason here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from gem_gymnasium.testing.audit import HANGS

PAGE = Path(__file__).resolve().parent / "audit.md"

REASONS: Mapping[str, str] = {
    "gem/RG-propositional_logic-v0 gold": (
        "Where its premises are true whatever is so, reasoning-gym's own example answer does not "
        "follow from them, and its scorer says so"
    ),
}
"""Why a finding is no fault, by ``<id> <policy>``."""

INTRO = """\
# What replies that know nothing earn

<!-- Written by `python docs/make_audit.py`; edit that, not this. -->

`gem-gym audit` has each policy answer the same rows (200, or all there are), spread evenly over a
data set: *gold* gives the stored answer, *constant* the one answer that does best of those that
are right most often, and these know nothing: {policies}. `gem-gym audit --help` says more.

A *finding* is gold below 1, a policy above the best constant answer (and 0.05) beyond chance, a
step that crashed, or one over 15 s. {findings}

*best of the rest* is the policy that earns most of those that know nothing, with the 95 % interval
of its mean score. A dash: the data set has no gold answer. *rows*: a policy whose steps took 120 s
in all stopped; *power tower*, which uses up every deadline, plays a tenth. Times are those of a
loaded machine with two cores.
"""
HEADER = ("id", "rows", "gold", "constant", "best of the rest", "slowest step")


def row(*cells: object) -> str:
    """Return a table's row."""
    return f"| {' | '.join(map(str, cells))} |"


def line(audit: Mapping[str, Any]) -> str:
    """Return an id's row."""
    policies = {policy["policy"]: policy for policy in audit["policies"]}
    rest = [policy for name, policy in policies.items() if name not in ("gold", "constant")]
    best = max(rest, key=lambda policy: policy["score"])
    said = "none earns anything"
    if best["score"]:
        said = f"{best['policy']} {best['score']:.3f} ({best['low']:.3f}-{best['high']:.3f})"
    gold = f"{policies['gold']['score']:.3f}" if "gold" in policies else "-"
    slowest = max(policy["worst_s"] for policy in policies.values())
    constant = policies["constant"]
    counts = [policy["rows"] for name, policy in policies.items() if name not in HANGS]
    return row(
        f"`{audit['id']}`",
        "-".join(map(str, sorted({min(counts), max(counts)}))),
        gold,
        f"{constant['score']:.3f}",
        said,
        f"{slowest:.1f} s",
    )


def page(audits: Mapping[str, Mapping[str, Any]]) -> tuple[str, list[str]]:
    """Return the page, and the findings that have no reason."""
    found = {
        f"{id} {finding.partition(':')[0]}": finding
        for id, audit in audits.items()
        for finding in audit["findings"]
    }
    unexplained = [f"{key}: {finding}" for key, finding in found.items() if key not in REASONS]
    said = f"There is none in the {len(audits)} ids below."
    if found:
        head = f"The {len(audits)} ids below have {len(found)}, each with its reason:"
        reasons = [
            f"- `{key.partition(' ')[0]}`: {text}. {REASONS.get(key, '')}"
            for key, text in found.items()
        ]
        said = "\n".join([head, "", *reasons])
    first = next(iter(audits.values()))
    names = [p["policy"] for p in first["policies"] if p["policy"] not in ("gold", "constant")]
    intro = INTRO.format(policies=", ".join(names), findings=said)
    intro = "\n\n".join(
        part if part.startswith(("#", "<", "-")) else fill(part, 100, break_on_hyphens=False)
        for part in intro.rstrip().split("\n\n")
    )
    rows = [row(*HEADER), "|---" * len(HEADER) + "|", *(line(audits[id]) for id in sorted(audits))]
    return "\n".join([intro, "", *rows]) + "\n", unexplained


def main(files: Sequence[str]) -> int:
    """Write the page; returns 1 if a finding has no reason."""
    lines = [text for name in files for text in Path(name).read_text("utf-8").splitlines()]
    audits = {audit["id"]: audit for audit in map(json.loads, lines)}
    text, unexplained = page(audits)
    PAGE.write_text(text, encoding="utf-8")
    for finding in unexplained:
        print(f"without a reason: {finding}")
    return int(bool(unexplained))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
