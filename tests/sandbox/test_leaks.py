"""After many runs the caller is where it was: memory, CPU, processes, files, folders."""

import pytest

from gem_gymnasium.sandbox import available
from tests.sandbox.callers import USERS
from tests.sandbox.conftest import GetCaller

RUNS = {"zygote": 1_000, "bwrap": 40}
REACHED = [level for level in RUNS if not available().get(level, "not there")]
GROWTH_MB = 12.0


@pytest.mark.slow
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("level", REACHED)
def test_many_runs_leave_nothing(level: str, user: str, get_caller: GetCaller) -> None:
    caller = get_caller(user)
    if caller.levels[level]:
        pytest.skip(f"level {level} cannot be reached by user {user!r}: {caller.levels[level]}")
    told = caller.endure(level, RUNS[level])
    before, after = told["before"], told["after"]
    assert told["wrong"] == []
    for name in ("processes", "files", "threads", "temporary", "below_files"):
        assert after[name] <= before[name], (name, before, after)
    for name in ("caller_mb", "below_mb"):
        assert after[name] - before[name] < GROWTH_MB, (name, before, after)
    assert after["idle_cpu_s"] <= 0.1, after
