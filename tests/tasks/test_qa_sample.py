"""Tests for gem_gymnasium.tasks.qa_sample and its world: every answer is in the passages."""

import re
from collections import Counter
from functools import cache
from hashlib import sha256

import pytest

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.data.sample_world import world
from gem_gymnasium.tasks.qa_generated import HopsConfig
from gem_gymnasium.tasks.qa_sample import QaSampleEnv, passages, questions


@cache
def texts() -> dict[str, str]:
    """Return the passages by their titles, without what stands after those in brackets."""
    return {re.sub(r" \(.*\)$", "", one.title): one.text for one in passages()}


@cache
def any_title() -> re.Pattern[str]:
    longest_first = sorted(texts(), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")


def names_in(text: str) -> list[str]:
    """Return the titles that a text mentions, the longest where they overlap."""
    return list(dict.fromkeys(any_title().findall(text)))


def test_there_are_a_thousand_passages_with_titles_of_their_own() -> None:
    assert len(passages()) >= 1_000
    assert len({one.title for one in passages()}) == len(passages())
    assert len({one.text for one in passages()}) == len(passages())
    plain = [re.sub(r" \(.*\)$", "", one.title) for one in passages()]
    assert len({*plain}) == len(plain)


def test_the_world_is_the_same_on_every_machine() -> None:
    text = "\n".join(f"{one.title}\t{one.text}" for one in passages())
    assert sha256(text.encode()).hexdigest()[:16] == "8cfd3cc4cb905b7a"


def test_a_question_of_one_hop_is_answered_by_the_one_passage_that_it_names() -> None:
    for asked in questions()[::5]:
        if asked.hops == 1:
            [title] = names_in(asked.question)
            assert re.search(rf"\b{re.escape(asked.answers[0])}\b", texts()[title]), asked


def test_a_question_of_two_hops_is_answered_only_by_a_passage_that_the_first_one_names() -> None:
    for asked in questions()[::5]:
        if asked.hops == 2:
            [title] = names_in(asked.question)
            first = texts()[title]
            assert not re.search(rf"\b{re.escape(asked.answers[0])}\b", first) or (
                asked.kind in ("author_town", "founder_town", "work_river", "firm_river")
            ), asked
            seconds = [texts()[name] for name in names_in(first) if name != title]
            assert any(asked.answers[0] in text for text in seconds), asked


def test_no_question_gives_its_answer_away_or_stands_twice() -> None:
    asked = questions()
    assert len(asked) >= 5_000
    assert len({one.question for one in asked}) == len(asked)
    assert not [one for one in asked if any(answer in one.question for answer in one.answers)]
    assert {one.hops for one in asked} == {1, 2}


def test_no_constant_answer_is_worth_much() -> None:
    counts = Counter(one.answers[0] for one in questions())
    assert counts.most_common(1)[0][1] <= 0.02 * len(questions())


def test_lives_and_dates_fit_together() -> None:
    there = world()
    for person in there.people:
        assert 60 < person.died - person.born < 95
        if person.teacher:
            assert person.teacher.profession == person.profession
            assert 15 <= person.born - person.teacher.born <= 45
    for work in there.works:
        assert work.author.born + 20 < work.year < work.author.died
    for firm in there.firms:
        assert firm.founder.born + 20 < firm.year < firm.founder.died


def test_an_episode_takes_any_right_spelling() -> None:
    env = QaSampleEnv()
    [index] = [at for at, one in enumerate(questions()) if one.kind == "river_length"][:1]
    for answer in questions()[index].answers:
        env.reset(options={"index": index})
        _, reward, *_ = env.step(f"<answer>{answer}</answer>")
        assert reward == 1.0


@pytest.mark.parametrize(
    ("rules", "error", "said"),
    [
        ({"min_hops": 3}, ConfigError, "1 <= min_hops <= max_hops <= 2"),
        ({"metric": "f2"}, UnknownName, "f1"),
    ],
)
def test_rules_that_cannot_be_are_refused(
    rules: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        HopsConfig(**rules)  # type: ignore[arg-type]
