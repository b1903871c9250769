"""Time ThreadVectorEnv: waiting envs, a hanging one, and cheap steps.

    python benchmarks/vector.py [--rounds 15]

1. 64 envs that wait 50 ms a step, beside a bare ThreadPoolExecutor that steps the same kind of envs
   and builds no batch. The two take turns, so that other load on the machine meets both; the ratio
   is the median of the rounds' ratios.
2. One env that hangs: what its deadline costs the batch, and the steps after it.
3. Cheap steps, where there is nothing to wait for: Sync, Async and Thread.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import gymnasium as gym

from gem_gymnasium.vector import ThreadVectorEnv, make_vec

OUT = Path(__file__).resolve().parent / "results" / "vector.md"
ID = "gem/GuessTheNumber-v0"
NUM_ENVS = 64
WAIT_S = 0.05
DEADLINE_S = 0.5
STEPS = 10
CHEAP_STEPS = 100
REQUIRED_RATIO = 0.9
REPLY = "\\boxed{0}"  # out of range: the episode goes on


class Waiting(gym.Wrapper[str, str, str, str]):
    """An env that waits before it steps, as one does that calls a tool."""

    def step(self, action: str) -> Any:
        """Wait, then step."""
        time.sleep(WAIT_S)
        return self.env.step(action)


class HangingOnce(gym.Wrapper[str, str, str, str]):
    """An env that hangs on the reply "hang", until the event is set."""

    event = threading.Event()

    def step(self, action: str) -> Any:
        """Hang, or wait and step."""
        if action == "hang":
            self.event.wait(600)
        time.sleep(WAIT_S)
        return self.env.step(action)


def waiting() -> gym.Env[str, str]:
    """Return an env that waits and whose episodes do not end within a round."""
    return Waiting(gym.make(ID, max_turns=10_000))


def hanging() -> gym.Env[str, str]:
    """Return an env that can hang."""
    return HangingOnce(gym.make(ID, max_turns=10_000))


def seconds(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def waits(rounds: int) -> tuple[float, float, float]:
    """Return steps per second of ThreadVectorEnv and of the bare pool, and the ratio."""
    envs = ThreadVectorEnv([waiting] * NUM_ENVS)
    envs.reset(seed=0)
    bare = [waiting() for _ in range(NUM_ENVS)]
    for i, env in enumerate(bare):
        env.reset(seed=i)
    actions = (REPLY,) * NUM_ENVS
    pool = ThreadPoolExecutor(NUM_ENVS)

    def step_ours() -> None:
        for _ in range(STEPS):
            envs.step(actions)

    def step_bare() -> None:
        for _ in range(STEPS):
            list(pool.map(lambda env: env.step(REPLY), bare))

    step_ours(), step_bare()  # start the threads
    pairs: list[tuple[float, float]] = []
    for turn in range(rounds):
        if turn % 2:
            ours, theirs = seconds(step_ours), seconds(step_bare)
        else:
            theirs, ours = seconds(step_bare), seconds(step_ours)
        pairs.append((ours, theirs))
    envs.close()
    pool.shutdown()
    count = NUM_ENVS * STEPS
    rate = median(count / ours for ours, _ in pairs)
    bare_rate = median(count / theirs for _, theirs in pairs)
    return rate, bare_rate, median(theirs / ours for ours, theirs in pairs)


def hang() -> dict[str, float]:
    """Return how long the steps before, with and after a hanging env take, in seconds."""
    envs = ThreadVectorEnv([hanging] * NUM_ENVS, step_timeout_s=DEADLINE_S)
    envs.reset(seed=0)
    actions = (REPLY,) * NUM_ENVS
    envs.step(actions)  # start the threads
    before = median(seconds(lambda: envs.step(actions)) for _ in range(5))
    start = time.perf_counter()
    infos = envs.step(("hang", *actions[1:]))[4]
    during = time.perf_counter() - start
    assert infos["stop"][0] == "timeout"
    assert infos["valid"][1:].all()
    first = seconds(lambda: envs.step(actions))  # builds and resets the env that replaces it
    after = median(seconds(lambda: envs.step(actions)) for _ in range(5))
    # By send and recv the others need not wait for the deadline at all.
    envs.send(("hang", *actions[1:]), range(NUM_ENVS))
    others = seconds(lambda: envs.recv(NUM_ENVS - 1))
    envs.recv()
    HangingOnce.event.set()
    envs.close()
    return {"before": before, "during": during, "first": first, "after": after, "recv": others}


def cheap(rounds: int) -> dict[str, tuple[float, float]]:
    """Return, for each mode, env steps per second and its rate as a share of Sync's."""
    actions = (REPLY,) * NUM_ENVS
    modes = ("sync", "async", "thread")
    vecs = {mode: make_vec(ID, NUM_ENVS, mode, max_turns=1_000_000) for mode in modes}
    times: dict[str, list[float]] = {mode: [] for mode in modes}

    def step(mode: str) -> None:
        for _ in range(CHEAP_STEPS):
            vecs[mode].step(actions)

    for mode in modes:
        vecs[mode].reset(seed=0)
        step(mode)
    for _ in range(rounds):
        for mode in modes:
            times[mode].append(seconds(lambda mode=mode: step(mode)))
    for vec in vecs.values():
        vec.close()
    pairs = {mode: list(zip(times["sync"], times[mode], strict=True)) for mode in modes}
    count = NUM_ENVS * CHEAP_STEPS
    return {
        mode: (count / median(times[mode]), median(sync / own for sync, own in pairs[mode]))
        for mode in modes
    }


def machine() -> str:
    """Describe the processor and its cores."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
    return f"{model or platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    rounds: int = parser.parse_args().rounds
    rate, bare, ratio = waits(rounds)
    times = hang()
    rates = cheap(max(3, rounds // 3))
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("gem-gymnasium", "gymnasium", "numpy")
    )
    ms = {name: f"{value * 1000:.0f} ms" for name, value in times.items()}
    text = f"""# ThreadVectorEnv

`python benchmarks/vector.py --rounds {rounds}`, {datetime.date.today()}, on {machine()}.
Python {platform.python_version()}, {versions}. {NUM_ENVS} envs of `{ID}`.

## Envs that wait {WAIT_S * 1000:.0f} ms a step

| | env steps/s |
| --- | --- |
| ThreadVectorEnv | {rate:,.0f} |
| bare ThreadPoolExecutor, {NUM_ENVS} threads, no batch built | {bare:,.0f} |
| ideal, no overhead | {NUM_ENVS / WAIT_S:,.0f} |

Ratio to the bare pool, median over {rounds} alternating rounds: **{ratio:.2f}** \
(required {REQUIRED_RATIO}).

## One env that hangs, `step_timeout_s={DEADLINE_S:g}`

| | time of the step |
| --- | --- |
| before | {ms["before"]} |
| in which one env hangs | {ms["during"]} |
| next, with a fresh env built and reset | {ms["first"]} |
| after | {ms["after"]} |
| the {NUM_ENVS - 1} others by `send` and `recv`, while one hangs | {ms["recv"]} |

## Cheap steps

| mode | env steps/s | share of Sync |
| --- | --- | --- |
""" + "".join(f"| {mode} | {r:,.0f} | {share:.2f} |\n" for mode, (r, share) in rates.items())
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(text, encoding="utf-8", newline="\n")
    print(text)
    if ratio < REQUIRED_RATIO:
        sys.exit(f"the ratio {ratio:.2f} is below {REQUIRED_RATIO}")


if __name__ == "__main__":
    main()
