"""The checker: scores what an episode left, from outside, after everything in it is dead."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import NamedTuple

from gem_gymnasium.core.errors import GraderError
from gem_gymnasium.sandbox import Policy, ShellSession
from gem_gymnasium.terminal.layout import lay_out
from gem_gymnasium.terminal.scene import Entry, Scene, read_folder
from gem_gymnasium.terminal.task import Check, File, Look, Run

CHECK_S = 10.0
"""Seconds for all that the checks of one episode run; a program that hangs takes no more."""

LEAST_S = 0.5
"""Seconds that each has all the same."""

POLICY = Policy(time_s=5.0, output_bytes=1 << 18)
"""What the command of one check may use."""


UNPACK_S = 3.0
"""Seconds in which all packs of an episode are unpacked; beyond it none of them is."""

MAX_PACKS = 20
"""Packs of an episode that are unpacked; of more, none is."""

_PACK = re.compile(r"((?:[^\0]*/)?\.git/)objects/pack/pack-[0-9a-f]{40}\.pack")
_UNPACK = (
    "for folder in *; do git init -q --template= $folder/r; "
    "for pack in $folder/*.pack; do git -C $folder/r unpack-objects -q < $pack; done; done"
)


class Verdict(NamedTuple):
    """How many checks passed, and the weighted share of those that did."""

    passed: int
    total: int
    score: float


def judge(checks: Sequence[Check], scene: Scene, level: str) -> Verdict:
    """Return what a scene is worth.

    Args:
        checks: What is checked.
        scene: What the episode left.
        level: The sandbox level in which checks that run something do so.

    Raises:
        GraderError: The sandbox that a check needs failed.
    """
    deadline = time.monotonic() + CHECK_S
    if any(isinstance(check, Look) and check.reads_git for check in checks):
        scene = unpacked(scene, level)
    passed = [_passes(check, scene, level, deadline) for check in checks]
    weights = [check.weight for check in checks]
    gained = sum(weight for weight, ok in zip(weights, passed, strict=True) if ok)
    return Verdict(sum(passed), len(checks), gained / sum(weights))


def _passes(check: Check, scene: Scene, level: str, deadline: float) -> bool:
    if isinstance(check, Look):
        try:
            return check.passes(scene)
        except (ValueError, LookupError, TypeError, RecursionError):  # hostile data: not passed
            return False
    time_s = max(LEAST_S, min(POLICY.time_s, deadline - time.monotonic()))
    return run_on_copies(check, scene, level, time_s).strip() == check.output.strip()


def run_on_copies(check: Run, scene: Scene, level: str, time_s: float = POLICY.time_s) -> str:
    """Run a check's command in a fresh sandbox; return what it wrote, "" if it did not end well.

    Raises:
        GraderError: The sandbox failed.
    """
    copies = {
        path: File(entry.data, entry.mode & 0o777 | 0o600)
        for path, entry in scene.entries.items()
        if entry.data is not None and any(f"{path}/".startswith(f"{name}/") for name in check.files)
    }
    shell = ShellSession(POLICY, level)
    try:
        lay_out(shell.folder, {**copies, **{p: File(data) for p, data in check.given.items()}})
        result = shell.run(check.command, time_s=time_s)
    finally:
        shell.close()
    if result.status == "failed":
        raise GraderError(f"the sandbox of a check failed: {result.detail}")
    return result.output if result.status == "ok" else ""


def unpacked(scene: Scene, level: str) -> Scene:
    """Return a scene whose git objects are all loose: packs are unpacked in a fresh sandbox.

    It is one sandbox for all packs, and its folder is read as any other: so time, number and memory
    are bounded for all packs together.

    Raises:
        GraderError: The sandbox failed.
    """
    packs = {path: found[1] for path in scene.entries if (found := _PACK.fullmatch(path))}
    if not packs or len(packs) > MAX_PACKS:
        return scene
    repositories = sorted({*packs.values()})
    files = {
        f"{repositories.index(repository)}/{number}.pack": File(scene.data(path) or b"")
        for number, (path, repository) in enumerate(packs.items())
    }
    shell = ShellSession(POLICY, level)
    try:
        lay_out(shell.folder, files)
        result = shell.run(_UNPACK, time_s=UNPACK_S)
        shell.stop()
        made = read_folder(shell.folder)
    finally:
        shell.close()
    if result.status == "failed":
        raise GraderError(f"the sandbox that unpacks git's objects failed: {result.detail}")
    if result.status in ("timeout", "limit"):
        return scene
    entries: dict[str, Entry] = dict(scene.entries)
    for path, entry in made.items():
        number, _, inside = path.partition("/r/.git/")
        if inside.startswith("objects/"):
            entries.setdefault(repositories[int(number)] + inside, entry)
    return scene._replace(entries=entries)
