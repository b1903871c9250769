"""Run the tests that a task folder brings along, in a fresh sandbox; read what they say."""

from __future__ import annotations

import json
import math
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from gem_gymnasium.core.errors import GraderError
from gem_gymnasium.sandbox import Policy, ShellSession
from gem_gymnasium.sandbox.policy import Place
from gem_gymnasium.terminal.checker import Verdict
from gem_gymnasium.terminal.layout import lay_out
from gem_gymnasium.terminal.scene import read_folder
from gem_gymnasium.terminal.task_folder import TaskFolder

WORK, TESTS, LOGS = "/app", "/tests", "/logs/verifier"
"""Where the layouts expect the agent's folder, the tests, and (Harbor) what they say."""

OUTPUT_BYTES = 1 << 20

_SCRIPTS = {"harbor": "test.sh", "terminal-bench": "run-tests.sh"}
_COMMAND = "cd {work} && TEST_DIR={tests} T_BENCH_TEST_DIR={tests} bash {tests}/{script}"
_RESULT = re.compile(
    r"^(PASSED|FAILED|ERROR|XPASS|XFAIL)\s+(\S+)|^(\S+::\S+)\s+(PASSED|FAILED|ERROR)\b",
    re.MULTILINE,
)


def run_tests(task: TaskFolder, folder: Path, policy: Policy, level: str) -> Verdict:
    """Run a task's tests on the folder that an agent has left, and nobody works in any more.

    They run in a sandbox of their own, but over files that the agent wrote: they are as hard to
    deceive as whoever wrote them has made them.

    Raises:
        GraderError: The sandbox failed, or the tests of a Harbor task have said nothing.
    """
    with tempfile.TemporaryDirectory(prefix="gem-tests-") as place:
        tests, logs = Path(place) / "tests", Path(place) / "logs"
        for made in (Path(place), tests, logs):
            made.mkdir(mode=0o755, exist_ok=True)
            made.chmod(0o755)
        lay_out(tests, task.tests)
        places = (Place(tests, TESTS), Place(logs, LOGS, writable=True))
        own = replace(policy, time_s=task.test_s, output_bytes=OUTPUT_BYTES, places=places)
        shell = ShellSession(replace(own, folder=folder), level, place=WORK)
        try:
            command = _COMMAND.format(work=WORK, tests=TESTS, script=_SCRIPTS[task.layout])
            result = shell.run(command)
        finally:
            shell.close()
        said = read_folder(logs)
    if result.status == "failed":
        raise GraderError(f"the sandbox of the tests failed: {result.detail}")
    if result.status in ("timeout", "limit"):
        return Verdict(0, 1, 0.0)  # what the agent left makes its tests hang
    if task.layout == "terminal-bench":
        return results_of(result.output, result.status == "ok")
    for name in ("reward.txt", "reward.json"):
        if name in said and said[name].data is not None:
            return reward_of(name, cast("bytes", said[name].data))
    raise GraderError(f"the tests wrote no {LOGS}/reward.txt: {result.output[-200:]!r}")


def results_of(output: str, ended_well: bool) -> Verdict:
    """Return what tests in the manner of pytest say; without such lines, how they ended."""
    results: dict[str, bool] = {}
    for status, name, other_name, other_status in _RESULT.findall(output):
        results[name or other_name] = (status or other_status) in ("PASSED", "XFAIL")
    if not results:
        return Verdict(int(ended_well), 1, float(ended_well))
    passed = sum(results.values())
    return Verdict(passed, len(results), passed / len(results))


def reward_of(name: str, data: bytes) -> Verdict:
    """Return what Harbor's reward file says, held within 0 and 1.

    Raises:
        GraderError: It says nothing that can be read.
    """
    try:
        text = data.decode()
        if name.endswith(".json"):
            told: Any = json.loads(text)
            values = [told["reward"]] if "reward" in told else list(told.values())
            reward = sum(float(value) for value in values) / len(values)
        else:
            reward = float(text.strip())
    except (
        *(ValueError, LookupError, TypeError, AttributeError, ZeroDivisionError),
        RecursionError,
    ) as error:
        raise GraderError(f"{name} of the tests says {data[:80]!r}") from error
    if not math.isfinite(reward):
        raise GraderError(f"{name} of the tests says {reward}")
    score = min(1.0, max(0.0, reward))
    return Verdict(int(score == 1.0), 1, score)
