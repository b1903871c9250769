"""What each family adds: its columns, its form of answer, its grader's settings."""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.tasks.code import tests_of as read_tests
from gem_gymnasium.tasks.data_sets import DATA_SETS
from tests.tasks.local import DATA, LOCAL


def make(id: str, **kwargs: Any) -> Any:
    return gym.make(id, **{**LOCAL.get(id, {}), **kwargs}).unwrapped


@pytest.mark.parametrize(
    ("reply", "reward"),
    [
        ("Heated, it is <answer>Mercury.</answer>", 1.0),
        ("<answer>the quicksilver</answer>", 1.0),
        ("<answer>liquid mercury</answer>", 0.0),
        ("mercury", -0.1),
    ],
)
def test_qa_compares_words_with_every_gold(reply: str, reward: float) -> None:
    env = make("gem/QA-HotpotQA-v0")
    env.reset(options={"index": 0})
    assert env.step(reply)[1] == reward


def test_qa_can_pay_the_share_of_words() -> None:
    env = make("gem/QA-HotpotQA-v0", metric="f1")
    env.reset(options={"index": 0})
    _, reward, _, _, info = env.step("<answer>liquid mercury</answer>")
    assert reward == pytest.approx(2 / 3)
    assert (info["event"], info["success"], info["score"]) == ("partial", False, reward)
    with pytest.raises(UnknownName, match="did you mean 'f1'"):
        make("gem/QA-HotpotQA-v0", metric="f")


def test_rule_taker_asks_for_the_box_that_its_grader_reads() -> None:
    env = make("gem/Logic-RuleTaker-d3-v0")
    observation, _ = env.reset(options={"index": 0})
    assert observation.endswith("Put the final answer in \\boxed{}.")
    assert env.step("<answer>True</answer>")[1] == -0.1
    env.reset(options={"index": 0})
    assert env.step("So \\boxed{true}.")[1] == 1.0
    guesses = {env.guess(env.rows.row(0), np.random.default_rng(seed)) for seed in range(20)}
    assert guesses == {"True", "False"}


def test_syn_logic_poses_the_puzzle_and_not_the_chat_around_it() -> None:
    env = make("gem/Logic-SynLogic-hard-v0")
    observation, _ = env.reset(options={"index": 2})
    assert observation.startswith("Ann stands left of Bo")
    assert "Think, then answer." not in observation
    assert env.step("\\boxed{Bo}")[1] == 1.0


@pytest.mark.parametrize(
    ("reply", "program"),
    [
        ("```python\nprint(1)\n```", "print(1)"),
        ("```\na = 1\n```\nor rather\n```py\nprint(2)\n```", "print(2)"),
        ("print(1)", None),
        ("```python\nprint(1)", None),
        ("```python\n\n```", None),
    ],
)
def test_code_is_the_last_closed_block(reply: str, program: str | None) -> None:
    env = make("gem/Code-Taco8k-v0")
    assert env.find(env.config, reply) == program


def test_tests_are_read_from_json_text_or_as_they_are() -> None:
    env = make("gem/Code-CodeContest-v0")
    kinds = [type(env.rows.row(index).answer) for index in range(3)]
    assert kinds == [str, dict, str]
    for index in range(3):
        assert set(read_tests(env.rows.row(index).answer)) == {"inputs", "outputs"}
    with pytest.raises(ConfigError, match="no JSON"):
        read_tests("[1")


def test_code_has_a_gold_where_a_column_holds_a_program(tmp_path: Path) -> None:
    env = make("gem/Code-CodeContest-v0")
    env.reset(seed=0)
    assert env.gold_reply() is None  # the answer's column holds tests
    path = tmp_path / "own.jsonl"
    record = {"problem": "Print 1.", "tests": {"inputs": [""], "outputs": ["1"]}, "by": "print(1)"}
    path.write_text(json.dumps(record))
    env = make("gem/Code-v0", data=str(path), gold_key="by")
    env.reset(seed=0)
    assert env.gold_reply() == "```python\nprint(1)\n```"


def test_code_has_one_form_of_answer() -> None:
    with pytest.raises(UnknownName, match="answer format"):
        make("gem/Code-CodeContest-v0", answer_format="boxed")
    with pytest.raises(ConfigError, match="max_tests must be at least 1"):
        make("gem/Code-CodeContest-v0", max_tests=0)


def test_a_guess_is_of_the_answers_form_and_follows_from_the_generator() -> None:
    for row in DATA_SETS:
        env = make(f"gem/{row.name}-v0")
        env.reset(seed=0)
        reply = env.sample_legal_action(np.random.default_rng(5))
        assert reply == env.sample_legal_action(np.random.default_rng(5))
        assert env.find(env.config, reply)


def test_an_eval_id_reads_its_own_split() -> None:
    splits = {row.name: row.settings["split"] for row in DATA_SETS if row.name.startswith("Eval-")}
    assert splits["Eval-MATH500"] == "math"
    assert splits["Eval-TriviaQA"] == "tq"
    assert len(splits) == 14


def test_the_files_of_the_tests_have_no_stray_ones() -> None:
    used = {Path(kwargs["data"]).name for kwargs in LOCAL.values()}
    assert {path.name for path in DATA.iterdir()} == used
