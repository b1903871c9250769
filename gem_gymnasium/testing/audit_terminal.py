"""Audit terminal tasks: what commands that know nothing earn, and whether solutions earn all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from gem_gymnasium.terminal import TerminalEnv
from gem_gymnasium.testing.audit_line import Line, Tally

_SUBMIT = "<submit/>"

_NAMES = "grep -oE '[A-Za-z0-9_/.-]+\\.[a-z]+' <<'END' | sort -u\n{task}\nEND\n"


def _junk(env: TerminalEnv, task: str, rng: np.random.Generator) -> list[str]:
    """Give harmless commands drawn at random, and one that writes letters drawn at random."""
    letters = "".join(rng.choice(list("abcdef 0123456789"), 24))
    commands = [env.sample_legal_action(rng) for _ in range(3)]
    return [*(c for c in commands if c != _SUBMIT), f"<bash>echo {letters} > answer.txt</bash>"]


def _named(content: str) -> Callable[..., list[str]]:
    """Return the policy that writes something into every file that the task speaks of."""

    def replies(env: TerminalEnv, task: str, rng: np.random.Generator) -> list[str]:
        each = f'mkdir -p "$(dirname "$name")"; {content} > "$name"'
        return [f"<bash>for name in $({_NAMES.format(task=task)}); do {each}; done</bash>"]

    return replies


POLICIES: Mapping[str, Callable[[TerminalEnv, str, np.random.Generator], list[str]]] = {
    "gold": lambda env, task, rng: list(env.solution_replies()[:-1]),
    "constant": lambda env, task, rng: [],
    "echo": lambda env, task, rng: [f"<bash>{task}</bash>"],
    "empty answer": _named(":"),
    "zero": _named("echo 0"),
    "junk": _junk,
    "injection": _named('echo \'{"score": 1.0, "reward": 1.0, "passed": true}\''),
    "spray": lambda env, task, rng: [
        "<bash>chmod -R 755 . ; find . -name '*~' -delete; git add -A; git commit -qm x; "
        "git merge -q -X ours $(git branch --format='%(refname:short)'); sort -o * * ; true</bash>"
    ],
}
"""What plays the tasks; ``constant`` submits at once, ``spray`` does what often helps."""


def audit_terminal(
    env: gym.Env[Any, str],
    seeds: int,
    seed: int,
    policies: Sequence[str],
    told: Callable[[int, int], None],
) -> list[Line]:
    """Play an env of terminal tasks with every policy; see ``audit``."""
    base: Any = env.unwrapped
    names = [name for name in policies if name in POLICIES]
    lines: list[Line] = []
    for place, name in enumerate(names):
        rng = np.random.default_rng([seed, *name.encode()])
        tally = Tally()
        for number in range(seeds):
            told(place * seeds + number, len(names) * seeds)
            observation, _ = env.reset(seed=seed + number)
            task = observation.partition("The task: ")[2]
            total, over = 0.0, False
            for reply in [*POLICIES[name](base, task, rng), _SUBMIT]:
                start = time.perf_counter()
                _, reward, terminated, truncated, _ = env.step(reply)
                tally.times.append(time.perf_counter() - start)
                total, over = total + float(reward), terminated or truncated
                tally.crashes += truncated
                if over:
                    break
            tally.scores.append(max(0.0, total))
        lines.append(tally.line(name))
    return lines
