"""DatasetTask: one row an episode, in an order without repeats, judged by a grader."""

import copy
from typing import Any

import gymnasium as gym
import pytest

import gem_gymnasium
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.core.spaces import MAX_CHARS
from gem_gymnasium.graders import Grade
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.tasks.dataset_task import SENTENCES, Config, in_form
from gem_gymnasium.tasks.rows import Generated, Listed, Row
from gem_gymnasium.testing import check_text_env
from gem_gymnasium.wrappers import NormalizeScore
from tests.tasks.local import AdditionEnv, addition


def rows_posed(env: Any, count: int, seed: int | None = None) -> list[int]:
    """Return the rows of the next resets, the first with a seed."""
    return [env.reset(seed=seed if not k else None)[1]["row"] for k in range(count)]


class GradedEnv(AdditionEnv):
    """A task whose grader says what the reply says, such as ``ok 0.5``."""

    def find(self, config: Any, reply: str, /) -> str | None:
        return reply or None

    def grade(self, config: Any, reply: str, row: Row, /) -> Grade:
        status, _, score = reply.partition(" ")
        return Grade(float(score or 0), status, "as asked for")  # type: ignore[arg-type]


@pytest.mark.parametrize("answer_format", Config.forms)
def test_the_contract_holds_for_every_form_of_answer(answer_format: str) -> None:
    check_text_env(lambda: AdditionEnv(answer_format=answer_format))


@pytest.mark.parametrize("answer_format", ["boxed", "answer_tag", "none"])
def test_the_observation_ends_with_the_form_that_the_grader_reads(answer_format: str) -> None:
    env = AdditionEnv(answer_format=answer_format, prompt="Careful!\n{question}\nTake your time.")
    observation, info = env.reset(seed=1)
    question = env.rows.row(info["row"]).question
    sentence = SENTENCES[answer_format]
    assert observation == f"Careful!\n{question}\nTake your time.\n\n{sentence}"
    assert env.step(env.gold_reply() or "")[1] == 1.0
    others = {"boxed", "answer_tag"} - {answer_format}
    for other in others if answer_format != "none" else ():
        env.reset(options={"index": 0})
        _, reward, _, _, info = env.step(in_form(env.rows.row(0).gold, other))
        assert (info["event"], reward) == ("malformed", -0.1)


def test_any_form_is_read_and_none_is_asked_for() -> None:
    env = AdditionEnv(answer_format="any")
    for form in ("boxed", "answer_tag", "none"):
        observation, _ = env.reset(options={"index": 3})
        assert observation == env.rows.row(3).question
        assert env.step(in_form(env.rows.row(3).gold, form))[1] == 1.0


@pytest.mark.parametrize(
    ("reply", "reward", "event", "success", "feedback"),
    [
        ("ok 1", 1.0, "right", True, "The answer is right."),
        ("ok 0.25", 0.25, "partial", False, "The answer is partly right: 0.25."),
        ("ok 0", 0.0, "wrong", False, "The answer is wrong."),
        ("ok 7", 1.0, "right", True, "The answer is right."),
        ("unparseable 0", 0.0, "wrong", False, "The answer is wrong."),
        (
            "timeout 0",
            0.0,
            "wrong",
            False,
            "The answer took too long to judge: it counts as wrong.",
        ),
    ],
)
def test_a_grade_is_the_reward(
    reply: str, reward: float, event: str, success: bool, feedback: str
) -> None:
    env = GradedEnv()
    env.reset(seed=0)
    observation, paid, terminated, truncated, info = env.step(reply)
    assert (observation, paid, terminated, truncated) == (feedback, reward, True, False)
    assert (info["event"], info["success"], info["progress"]) == (event, success, reward)
    assert (info["score"], info["grade"]) == (reward, reply.split()[0])
    assert info["grade_detail"] == "as asked for"
    assert info["legal"]


def test_a_failed_grader_makes_the_step_invalid() -> None:
    env = GradedEnv()
    first, before = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step("error 1")
    assert (observation, reward, terminated, truncated) == (first, 0.0, False, True)
    assert (info["valid"], info["stop"], info["event"]) == (False, "grader", "failed")
    assert info["error"] == "GraderError: as asked for"
    assert (info["score"], info["grade"]) == (0.0, "")
    assert before.keys() == info.keys()
    with pytest.raises(gym.error.ResetNeeded):
        env.step("ok 1")


@pytest.mark.parametrize("on_malformed", ["end", "continue"])
@pytest.mark.parametrize("reply", ["", "42", "\\boxed{}", "\\boxed{4", "x" * (MAX_CHARS + 1)])
def test_a_reply_without_an_answer_is_malformed(reply: str, on_malformed: str) -> None:
    env = AdditionEnv(on_malformed=on_malformed)
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(reply)
    assert (reward, terminated, truncated) == (-0.1, True, False)
    assert (info["event"], info["legal"], info["grade"]) == ("malformed", False, "unparseable")
    what = "over 65536 characters" if len(reply) > MAX_CHARS else SENTENCES["boxed"]
    assert what in observation


def test_every_row_is_posed_once_before_any_is_posed_again() -> None:
    env = AdditionEnv()
    posed = rows_posed(env, 80, seed=5)
    assert sorted(posed[:40]) == sorted(posed[40:]) == list(range(40))
    assert posed[:40] != posed[40:]
    assert posed[:40] != list(range(40))


def test_a_seed_begins_its_own_order() -> None:
    env, other = AdditionEnv(), AdditionEnv()
    posed = rows_posed(env, 30, seed=5)
    assert rows_posed(env, 30, seed=5) == posed == rows_posed(other, 30, seed=5)
    assert rows_posed(env, 30, seed=6) != posed


def test_a_row_is_posed_by_its_index_and_the_order_goes_on_after() -> None:
    env, other = AdditionEnv(), AdditionEnv()
    begun = rows_posed(env, 3, seed=1), rows_posed(other, 3, seed=1)
    for index in (0, 39, 7):
        observation, info = env.reset(options={"index": index})
        assert (info["row"], info["row_id"]) == (index, str(index))
        assert observation.startswith(env.rows.row(index).question)
    assert begun[0] == begun[1]
    assert rows_posed(env, 20) == rows_posed(other, 20)


def test_a_row_follows_from_the_seed_where_that_is_asked_for() -> None:
    env = AdditionEnv()
    by_seed = {"row_from_seed": True}
    posed = [env.reset(seed=seed, options=by_seed)[1]["row"] for seed in (0, 39, 40, 10**12 + 3)]
    assert posed == [0, 39, 0, (10**12 + 3) % 40]
    expected = rows_posed(env, 1, seed=3)[0]
    assert env.reset(seed=3, options={"row_from_seed": False})[1]["row"] == expected


def test_one_vector_reset_with_seeds_poses_many_rows() -> None:
    envs = gym.vector.SyncVectorEnv([AdditionEnv] * 5)
    _, infos = envs.reset(seed=10, options={"row_from_seed": True})
    assert infos["row"].tolist() == [10, 11, 12, 13, 14]
    envs.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"index": -1}, r"index must be in 0\.\.39, got -1"),
        ({"index": 40}, r"index must be in 0\.\.39, got 40"),
        ({"index": "3"}, "index must be an int"),
        ({"index": 1.0}, "index must be an int"),
        ({"row_from_seed": 1}, "row_from_seed must be True or False"),
        ({"row_from_seed": True}, "needs a seed"),
    ],
)
def test_options_that_name_no_row_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        AdditionEnv().reset(options=options)


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ConfigError, match="not both"):
        AdditionEnv().reset(seed=1, options={"index": 1, "row_from_seed": True})
    with pytest.raises(UnknownName, match="did you mean 'index'"):
        AdditionEnv().reset(options={"indx": 1})


def test_a_snapshot_holds_the_order() -> None:
    env, other = AdditionEnv(), AdditionEnv()
    rows_posed(env, 7, seed=2)
    data = gem_gymnasium.snapshot(env)
    rest = rows_posed(env, 60)
    for target in (env, other):
        gem_gymnasium.restore(target, data)
        assert rows_posed(target, 60) == rest


def test_branches_after_the_first_go_on_in_orders_of_their_own() -> None:
    env = AdditionEnv()
    rows_posed(env, 7, seed=2)
    copies = gem_gymnasium.branch(env, 4)
    rest = rows_posed(env, 20)
    orders = [rows_posed(twin, 20) for twin in copies]
    assert orders[0] == rest
    assert len({tuple(order) for order in orders}) == 4
    assert [rows_posed(twin, 20) for twin in gem_gymnasium.branch(copies[1], 2)] != orders[:2]


def test_rows_of_the_callers_own_are_part_of_the_identity() -> None:
    env = AdditionEnv()
    assert "data" not in env.kwargs
    with pytest.raises(UnknownName, match="data"):
        AdditionEnv(data=Listed([Row("a", "b", "c")]))  # this one has no data to choose
    with pytest.raises(ConfigError, match=r"Listed\(\[Row\(.* got \[{'question': '1\+1'"):
        AdditionEnv(data=[{"question": "1+1", "answer": "2"}])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"answer_format": "box"}, "did you mean 'boxed'"),
        ({"answer_format": "code"}, "unknown answer format 'code'"),
        ({"prompt": "Answer:"}, "prompt must contain {question}"),
        ({"max_turns": 2}, "max_turns must be 1"),
        ({"max_turn": 1}, "did you mean 'max_turns'"),
        ({"random": True}, "no random variant"),
    ],
)
def test_settings_that_make_no_sense_are_refused(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        AdditionEnv(**kwargs)


def test_the_gold_solver_is_an_oracle_that_scores_1() -> None:
    env = AdditionEnv()
    solver = solver_for(env)
    assert getattr(solver, "oracle", False)
    for seed in range(10):
        observation, info = env.reset(seed=seed)
        solver.reset(observation, info)
        assert env.step(solver.act(observation, info))[1] == 1.0


def test_a_data_set_without_answers_says_so() -> None:
    class Unanswered(AdditionEnv):
        def open_rows(self, config: Any, /) -> Listed:  # type: ignore[override]
            return Listed([Row("a", "What is it?", "it")])

    env = Unanswered()
    env.reset()
    assert env.gold_reply() is None
    with pytest.raises(ConfigError, match="no right answer"):
        solver_for(env).act("", {})


def test_a_task_has_no_calibration() -> None:
    with pytest.raises(ConfigError):
        NormalizeScore(AdditionEnv())


def test_questions_over_the_limit_and_lone_surrogates_fit_the_space() -> None:
    class Long(AdditionEnv):
        def open_rows(self, config: Any, /) -> Listed:  # type: ignore[override]
            return Listed([Row("\ud800", "\ud800" + "x" * 100_000 + "end", "a")])

    env = Long()
    observation, info = env.reset()
    assert observation in env.observation_space
    assert observation.endswith(f"end\n\n{SENTENCES['boxed']}")
    (observation + info["row_id"]).encode("utf-8")


def test_a_copy_of_an_env_shares_its_rows() -> None:
    env = AdditionEnv()
    env.reset(seed=0)
    assert copy.deepcopy(env).rows is env.rows
    assert isinstance(env.rows, Generated)
    assert env.rows.item is addition
