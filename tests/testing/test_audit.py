"""The audit: it finds a grader that pays for nothing, and blames none that does not."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import pytest

from gem_gymnasium import registry
from gem_gymnasium.cli.main import main, make_parser
from gem_gymnasium.core.errors import ConfigError, GraderError, UnknownName
from gem_gymnasium.graders import Grade, find_answer, grade_qa
from gem_gymnasium.tasks.dataset_task import DatasetTask
from gem_gymnasium.tasks.rows import Listed, Row, Rows
from gem_gymnasium.testing.audit import HANG_SHARE, POLICIES, audit, findings
from gem_gymnasium.testing.audit_line import Line, interval

COUNT = 60


class CapitalsEnv(DatasetTask):
    """Rows of one word each, none of which is frequent; graded by a function of the test's."""

    how = staticmethod(lambda reply, row: grade_qa(reply, [row.answer], answer_format="boxed"))

    def open_rows(self, config: Any, /) -> Rows:
        words = [f"{a}{b}ia" for a in "bcdfgklmnp" for b in ("a", "e", "i", "o", "u", "ou")]
        rows = [Row(str(n), f"Which land is {n}?", word, gold=word) for n, word in enumerate(words)]
        return Listed(rows[:COUNT], name="lands")

    def grade(self, config: Any, reply: str, row: Row, /) -> Grade:
        return type(self).how(reply, row)


class ContainsEnv(CapitalsEnv):
    """A grader that looks for the answer anywhere: it pays for many answers at once."""

    how = staticmethod(lambda reply, row: Grade(float(row.answer in reply)))


class NearEnv(CapitalsEnv):
    """A grader that pays for what is near: nearly everything to a one in the middle."""

    def open_rows(self, config: Any, /) -> Rows:
        values = [-9] * 5 + list(range(-9, 22))
        return Listed([Row(str(n), "?", str(n), gold=str(n)) for n in values], name="numbers")

    @staticmethod
    def how(reply: str, row: Row) -> Grade:
        found = find_answer(reply, "boxed") or ""
        number = int(found) if re.fullmatch(r"-?\d{1,3}", found) else 10**6
        return Grade(max(0.0, 1 - abs(number - int(row.answer)) / 30))


class StrictEnv(CapitalsEnv):
    """A grader that the right answer does not please."""

    how = staticmethod(lambda reply, row: Grade(0.5 if row.answer in reply else 0.0))


class BrokenEnv(CapitalsEnv):
    """A grader that fails on some answers."""

    @staticmethod
    def how(reply: str, row: Row) -> Grade:
        if "nan" in (find_answer(reply, "boxed") or ""):
            raise GraderError("no number")
        return grade_qa(reply, [row.answer], answer_format="boxed")


ENVS = {
    "Good": CapitalsEnv,
    "Contains": ContainsEnv,
    "Strict": StrictEnv,
    "Near": NearEnv,
    "Broken": BrokenEnv,
}


@pytest.fixture(autouse=True)
def ids() -> Iterator[None]:
    for name, kind in ENVS.items():
        gym.register(f"audit/{name}-v0", entry_point=kind, order_enforce=False)
    yield
    for name in ENVS:
        del gym.registry[f"audit/{name}-v0"]


def test_a_good_task_has_no_finding() -> None:
    done = audit("audit/Good-v0")
    assert done.findings == ()
    scores = {line.policy: line.score for line in done.lines}
    assert list(scores) == list(POLICIES)
    assert scores["gold"] == 1.0
    assert all(score <= 1 / COUNT + 1e-9 for name, score in scores.items() if name != "gold")
    assert not any(line.crashes for line in done.lines)
    short = {"power tower": COUNT // HANG_SHARE}
    assert all(line.rows == short.get(line.policy, COUNT) for line in done.lines)


def test_a_grader_that_pays_for_many_answers_is_found() -> None:
    found = audit("audit/Contains-v0", policies=["gold", "constant", "spray"]).findings
    assert len(found) == 1
    assert found[0].startswith("spray: scores 0.")


def test_the_best_constant_answer_need_not_be_the_most_frequent() -> None:
    found = audit("audit/Near-v0", policies=["gold", "constant", "zero"])
    scores = {line.policy: line.score for line in found.lines}
    assert scores["constant"] == scores["zero"] > 0.7  # the most frequent one, -9, earns 0.57
    assert found.findings == ()


def test_right_answers_that_do_not_score_are_found() -> None:
    found = audit("audit/Strict-v0", policies=["gold", "constant"]).findings
    assert found == ("gold: the right answers score 0.500, not 1",)


def test_steps_that_fail_are_found() -> None:
    found = audit("audit/Broken-v0", policies=["constant", "nan"]).findings
    assert found == (f"nan: {COUNT} of the steps crashed or were invalid",)


def test_equal_seeds_give_equal_audits() -> None:
    def scores(seed: int) -> list[tuple[str, float]]:
        lines = audit("audit/Good-v0", seed=seed, rows=20).lines
        return [(line.policy, line.score) for line in lines]

    assert scores(1) == scores(1)


def test_rows_are_spread_over_the_whole_set() -> None:
    done = audit("audit/Good-v0", rows=7, policies=["gold"])
    assert done.lines[0].rows == 7


def test_a_game_cannot_be_audited() -> None:
    with pytest.raises(ConfigError, match="is no task"):
        audit("gem/GuessTheNumber-v0")


def test_an_interval_holds_the_mean_and_narrows() -> None:
    for scores in ([0.0] * 50, [1.0] * 50, [0.0, 1.0] * 25, [0.3, 0.5] * 25, [0.2] * 50):
        low, high = interval(scores)
        mean = sum(scores) / len(scores)
        assert 0 <= low <= mean + 1e-9
        assert mean - 1e-9 <= high <= 1
        wide = interval(scores[:10])
        assert high - low <= wide[1] - wide[0] + 1e-9
    assert interval([]) == (0.0, 1.0)
    # Wilson's interval of 25 of 50, by hand.
    low, high = interval([0.0, 1.0] * 25)
    assert math.isclose(low, 0.3664, abs_tol=1e-4)
    assert math.isclose(high, 0.6336, abs_tol=1e-4)


def line(policy: str, score: float, low: float, **others: Any) -> Line:
    values = {"rows": 100, "crashes": 0, "mean_s": 0.0, "worst_s": 0.0, **others}
    return Line(policy, score, low, 1.0, **values)


def test_a_finding_is_beyond_chance_and_beyond_the_best_constant() -> None:
    constant = line("constant", 0.5, 0.4)
    assert findings([constant, line("spray", 0.6, 0.45)]) == []
    assert findings([constant, line("spray", 0.7, 0.6)]) != []
    assert findings([line("junk", 0.04, 0.01)]) == []
    assert findings([line("junk", 0.2, 0.1)]) != []
    assert findings([line("gold", 1.0, 0.99)]) == []
    assert findings([line("null", 0.0, 0.0, worst_s=99.0)]) == ["null: a step took 99.0 s"]


def test_the_command_says_which_ids_there_are() -> None:
    options = make_parser().parse_args(["audit", "gem/Nothing-*"])
    with pytest.raises(UnknownName, match="unknown task"):
        options.run(options)
    assert main(["audit", "gem/Nothing-*"]) == 2


def test_the_command_has_a_table_json_and_a_status(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = registry.Row("Good", "x", {}, family="qa")
    rows = tuple(row._replace(name=name) for name in ("Good", "Contains"))
    monkeypatch.setattr(registry, "ROWS", rows)
    monkeypatch.setattr(registry.Row, "id", lambda self, variant: f"audit/{self.name}-v0")
    assert main(["audit", "audit/Good-v0", "--rows", "10"]) == 0
    out = capsys.readouterr().out
    assert "no finding" in out
    assert "spray in one" in out
    assert main(["audit", "audit/*", "--rows", "30", "--json"]) == 1
    good, contains = map(json.loads, capsys.readouterr().out.splitlines())
    assert (good["id"], good["findings"]) == ("audit/Good-v0", [])
    assert contains["findings"]


def test_an_audit_of_no_rows_or_of_a_game_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="rows must be at least 1, got 0"):
        audit("audit/Good-v0", rows=0)
    assert main(["audit", "gem/Sudoku-v0"]) != 0
    assert "gem/Sudoku-v0 is a game: there are no answers to audit" in capsys.readouterr().err
