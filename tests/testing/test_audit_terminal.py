"""The audit of terminal tasks: solutions earn all, what knows nothing earns nothing."""

import gymnasium as gym
import pytest

from gem_gymnasium.solvers import solver_for
from gem_gymnasium.testing.audit import audit
from gem_gymnasium.testing.audit_terminal import POLICIES
from tests.terminal.shells import NEEDS_SHELL

pytestmark = NEEDS_SHELL


def test_the_solution_earns_all_and_everything_else_nothing() -> None:
    told: list[tuple[int, int]] = []
    done = audit("gem/Terminal-text-v0", rows=2, told=lambda done, of: told.append((done, of)))
    assert {line.policy: line.score for line in done.lines} == {
        name: float(name == "gold") for name in POLICIES
    }
    assert done.findings == ()
    assert told[-1] == (2 * len(POLICIES) - 1, 2 * len(POLICIES))


@pytest.mark.slow(16)
def test_no_family_pays_for_nothing() -> None:
    assert audit("gem/Terminal-v0", rows=24).findings == ()


def test_the_reference_solver_wins() -> None:
    env = gym.make("gem/Terminal-git-v0", task="resolve_merge")
    solver = solver_for(env)
    assert solver.oracle  # type: ignore[attr-defined]
    observation, info = env.reset(seed=4)
    solver.reset(observation, info)
    total = 0.0
    over = False
    while not over:
        observation, reward, over, _, info = env.step(solver.act(observation, info))
        total += float(reward)
    assert (total, info["success"], info["turn"]) == (1.0, True, 3)
    env.close()
