"""How often a run is looked at while it runs."""

from __future__ import annotations

import os
import threading
import time

import pytest

from gem_gymnasium.sandbox.level import Ending, Running
from gem_gymnasium.sandbox.reading import capture


class Looked(Running):
    """A program that says nothing and never ends; counts how often it is looked at."""

    def __init__(self, look_s: float) -> None:
        self.look_s, self.looks = look_s, 0
        self.pipes = [os.pipe() for _ in range(3)]
        for reading, _ in self.pipes:
            os.set_blocking(reading, False)
        self.stdout, self.stderr, self.ended = (reading for reading, _ in self.pipes)

    def excess(self) -> str:
        self.looks += 1
        time.sleep(self.look_s)
        return ""

    def kill(self) -> None:
        raise AssertionError("capture leaves that to its caller")

    def wait(self, timeout_s: float) -> Ending:
        raise AssertionError("capture leaves that to its caller")

    def close(self) -> None:
        for ends in self.pipes:
            for descriptor in ends:
                os.close(descriptor)


@pytest.mark.parametrize(
    ("look_s", "at_least", "at_most"),
    [
        (0.0, 15, 100),  # every hundredth of a second; the rest is for a busy machine
        (0.002, 8, 24),  # every 0.04 s, so that looking takes a twentieth of the time
        (0.05, 2, 7),  # every tenth of a second: an expensive look is still not put off
    ],
)
def test_a_look_that_is_cheap_comes_often(look_s: float, at_least: int, at_most: int) -> None:
    running = Looked(look_s)
    try:
        assert capture(running, time_s=1.0, output_bytes=100).reason == "timeout"
    finally:
        running.close()
    assert at_least <= running.looks <= at_most


def test_looks_of_several_runs_take_no_more_together_than_those_of_one() -> None:
    runs = [Looked(0.002) for _ in range(5)]
    threads = [
        threading.Thread(target=capture, args=(run,), kwargs={"time_s": 1.0, "output_bytes": 100})
        for run in runs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for run in runs:
        run.close()
        assert 2 <= run.looks <= 12  # every tenth of a second; alone, every 0.04 s
