"""The live back ends against a server on loopback, and what their failures do to an episode."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium import restore, snapshot
from gem_gymnasium.core.errors import BackendError, ConfigError, StepTimeout
from gem_gymnasium.core.http import MAX_BYTES
from gem_gymnasium.games.wiki_game import WikiGameEnv
from gem_gymnasium.games.wiki_game_deals import pages_of
from gem_gymnasium.games.wiki_game_graphs import MAX_LINKS, Page
from gem_gymnasium.games.wiki_game_html import MAX_HREFS, read_article
from gem_gymnasium.games.wiki_game_live import Kiwix, MediaWiki, make_page
from tests.games.wiki_server import ARTICLES, WikiServer, serving
from tests.helpers import boxed

TIMEOUT_S = 20.0
SHORT_S = 0.3
PLACES = {"mediawiki": "/wiki/api.php", "kiwix": "/wiki/content/book"}
ENDS = {"start": "Philosophy", "target": "Number 3"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WikiServer]:
    monkeypatch.setenv("no_proxy", "*")
    pages_of.cache_clear()
    with serving() as it:
        yield it


def wiki_env(server: WikiServer, backend: str, **rules: Any) -> WikiGameEnv:
    url = server.url + PLACES[backend]
    return WikiGameEnv(**{"backend": backend, "url": url, "timeout_s": TIMEOUT_S, **rules})


def client(server: WikiServer, backend: str) -> Any:
    return pages_of(backend, server.url + PLACES[backend], TIMEOUT_S)


# -- articles -------------------------------------------------------------------------------------
@pytest.mark.parametrize("backend", PLACES)
@pytest.mark.parametrize("title", ["Logic", "Mind", "Dead end", "Café & AT&T"])
def test_an_article_is_read(server: WikiServer, backend: str, title: str) -> None:
    summary, links = ARTICLES[title]
    assert client(server, backend).page(title) == Page(title, summary, (*links,))


@pytest.mark.parametrize("backend", PLACES)
def test_a_redirect_leads_to_the_article(server: WikiServer, backend: str) -> None:
    assert client(server, backend).page("Ethic").title == "Ethics"
    assert client(server, backend).page("Philosophy of mind").title == "Mind"


@pytest.mark.parametrize("backend", PLACES)
@pytest.mark.parametrize("title", ["Red link", "fr:Chat", "<bad>", "\ud800", "../../etc/passwd"])
def test_what_is_missing_is_none(server: WikiServer, backend: str, title: str) -> None:
    assert client(server, backend).page(title) is None


def test_a_long_list_of_links_is_continued(server: WikiServer) -> None:
    page = client(server, "mediawiki").page("Mathematics")
    assert page.links == tuple(ARTICLES["Mathematics"][1])
    assert page.summary == "The study of numbers. And more."
    assert len(server.requests) == 3


def test_kiwix_finds_a_title_that_is_no_path(server: WikiServer) -> None:
    assert client(server, "kiwix").page("café").title == "Café & AT&T"
    assert [path.partition("?")[0] for path in server.requests] == [
        "/wiki/content/book/caf%C3%A9", "/wiki/suggest",
        "/wiki/content/book/Caf%C3%A9_%26_AT%26T",
    ]  # fmt: skip


def test_kiwix_is_read_raw_too(server: WikiServer) -> None:
    raw = Kiwix(f"{server.url}/wiki/raw/book/content/", TIMEOUT_S)
    # Of the raw pages, relative links lead on; those of another folder are none of the book's.
    assert raw.page("Logic") == Page("Logic", "The study of reasoning.", ("Philosophy",))
    assert raw.page("ethics").title == "Ethics"


def test_an_article_is_asked_for_once(server: WikiServer) -> None:
    pages = client(server, "mediawiki")
    assert pages.page("Logic") is pages.page("Logic")
    assert len(server.requests) == 1


# -- failures -------------------------------------------------------------------------------------
def test_a_busy_server_is_asked_again(server: WikiServer) -> None:
    page = MediaWiki(f"{server.url}/busy/api.php", TIMEOUT_S).page("Logic")
    assert page is not None
    assert len(server.requests) == 3


@pytest.mark.parametrize("kind", [MediaWiki, Kiwix])
@pytest.mark.parametrize(
    ("mood", "error"),
    [("broken", "500"), ("big", "over 4194304 bytes"), ("short", "broke off"),
     ("file", "unknown url type|302|redirect"), ("loop", "302")],
)  # fmt: skip
def test_a_failed_server_is_an_error(server: WikiServer, kind: Any, mood: str, error: str) -> None:
    with pytest.raises(BackendError, match=error):
        kind(f"{server.url}/{mood}/content/book", TIMEOUT_S).page("Logic")
    assert len(server.requests) <= 12


@pytest.mark.parametrize("mood", ["drip", "dripping-headers"])
def test_a_server_that_drips_is_cut_off(server: WikiServer, mood: str) -> None:
    with pytest.raises(StepTimeout, match="did not answer in time"):
        MediaWiki(f"{server.url}/{mood}/api.php", SHORT_S).page("Logic")
    assert server.hung_up.wait(30)


def test_a_server_that_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(StepTimeout):
        MediaWiki(f"http://127.0.0.1:{silent.getsockname()[1]}/api.php", SHORT_S).page("Logic")


def test_no_server_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(BackendError, match="refused"):
        MediaWiki(f"http://127.0.0.1:{port}/api.php", TIMEOUT_S).page("Logic")


@pytest.mark.parametrize(
    "answer",
    [b"", b"<html>", b"[]", b"3", b"null", b"\xff\xfe", b"[" * 100_000, b'{"query": []}',
     b'{"query": {"pages": [{}]}}', b'{"query": {"pages": [{"title": 3}]}}',
     b'{"query": {"pages": [{"title": "x", "extract": 1}]}}',
     b'{"query": {"pages": [{"title": ""}]}}',
     b'{"query": {"pages": [{"title": "x", "links": [1]}]}}', b'{"error": {"info": "no"}}',
     b'{"error": 1}', b'{"query": {"pages": [{"title": "x"}]}, "continue": 3}'],
)  # fmt: skip
def test_nonsense_is_an_error(server: WikiServer, answer: bytes) -> None:
    server.answers["nonsense"] = answer
    with pytest.raises(BackendError):
        MediaWiki(f"{server.url}/nonsense/api.php", TIMEOUT_S).page("Logic")


def test_a_continuation_without_end_ends(server: WikiServer) -> None:
    page = {"title": "x", "links": [{"title": "y"}]}
    answer = {"query": {"pages": [page]}, "continue": {"plcontinue": "1"}}
    server.answers["again"] = json.dumps(answer).encode()
    assert MediaWiki(f"{server.url}/again/api.php", TIMEOUT_S).page("x") == Page("x", "", ("y",))


def test_pages_are_made_fit_to_be_shown() -> None:
    links = ["a\nb", "", "a b", "x}", "<next page>", "z" * 300, "File:x", "\ud800", "me", "\x00"]
    page = make_page("me", "one\ntwo \ud800", [*links, *(f"n{n}" for n in range(3_000))])
    assert page.summary == "one two ?"
    assert page.links[:3] == ("a b", "?", "n0")
    assert len(page.links) == MAX_LINKS
    long = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 20  # 360 characters, if written out
    assert make_page("me", "", [long, "n"]).links == ("n",)
    with pytest.raises(ValueError, match="title"):
        make_page("{}", "", [])


@given(st.text(alphabet="<>/ap href='\"=!-tbl", max_size=60))
def test_no_html_is_too_broken(text: str) -> None:
    article = read_article(text)
    assert all(article.hrefs)


@pytest.mark.parametrize("harm", ["<a href=b{}>", "<a href=//x/{}>", "<p>", "<table></p>"])
def test_a_page_that_means_harm_is_read_in_no_time(harm: str) -> None:
    text = "".join(harm.format(n) for n in range(MAX_BYTES // len(harm)))
    start = time.process_time()
    assert len(read_article(text).hrefs) <= MAX_HREFS
    assert time.process_time() - start < 2.0


def test_a_link_that_is_no_address_is_passed_over(server: WikiServer) -> None:
    text = '<p>One.</p><a href="http://[">x</a><a href="Logic">y</a>'
    server.answers["odd"] = text.encode()
    page = Kiwix(f"{server.url}/odd/content/book", TIMEOUT_S).page("Me")
    assert page == Page("Me", "One.", ("Logic",))


def test_what_a_redirect_holds_besides_is_not_read(server: WikiServer) -> None:
    start = time.monotonic()
    with pytest.raises(BackendError, match="HTTP status 302"):
        MediaWiki(f"{server.url}/endless/api.php", TIMEOUT_S).page("Logic")
    assert time.monotonic() - start < TIMEOUT_S / 2


# -- the game -------------------------------------------------------------------------------------
@pytest.mark.parametrize("backend", PLACES)
def test_a_game_is_won_on_a_live_wiki(server: WikiServer, backend: str) -> None:
    env = wiki_env(server, backend)
    _, info = env.reset(seed=0, options=ENDS)
    assert (info["optimal_turns"], info["progress"]) == (-1, 0.0)
    for title in ("Logic", "mathematics", "number 3"):
        observation, reward, terminated, _, info = env.step(boxed(title))
    assert (reward, terminated, info["success"], info["progress"]) == (1.0, True, True, 1.0)
    assert "Article: Number 3\n  Three." in observation


def test_a_link_without_an_article_is_struck_off(server: WikiServer) -> None:
    env = wiki_env(server, "mediawiki")
    env.reset(seed=0, options=ENDS)
    observation, reward, terminated, _, info = env.step(boxed("Red link"))
    assert (reward, terminated, info["event"], info["legal"]) == (0.0, False, "missing", True)
    assert "- Red link" not in observation
    observation, *_ = env.step(boxed("Ethic"))
    assert "You follow the link to Ethic, which is Ethics." in observation


@pytest.mark.parametrize(
    ("variant", "event", "over"),
    [("noregrets", "dead_end", True), ("oneback", "bounced", False),
     ("freenav", "moved", False), ("eidetic", "moved", False)],
)  # fmt: skip
def test_a_dead_end(server: WikiServer, variant: str, event: str, over: bool) -> None:
    env = wiki_env(server, "mediawiki", variant=variant)
    env.reset(seed=0, options=ENDS | {"start": "Mind"})
    observation, reward, terminated, _, info = env.step(boxed("Dead end"))
    assert (info["event"], reward, terminated, info["success"]) == (event, 0.0, over, False)
    if variant == "oneback":
        assert "Article: Mind" in observation
    elif variant == "freenav":
        assert "It has no links." in observation
        assert env.sample_legal_action(env.np_random) == boxed("<back>")
    elif variant == "eidetic":
        assert "Article: Dead end" in observation
        assert "- Logic" in observation


def test_titles_are_drawn_from_the_list_and_unfit_ones_passed_over(server: WikiServer) -> None:
    env = wiki_env(server, "mediawiki", titles="Logic|Mind|Nowhere|Logic|Dead end")
    seen = set()
    for seed in range(30):
        env.reset(seed=seed)
        assert env._state is not None
        seen.add((env._state.start, env._state.target))
    assert seen == {(a, b) for a in ("Logic", "Mind") for b in ("Logic", "Mind", "Dead end")} - {
        ("Logic", "Logic"), ("Mind", "Mind"),
    }  # fmt: skip
    with pytest.raises(ConfigError, match="no article"):
        wiki_env(server, "mediawiki", titles="Nowhere|Neverland").reset(seed=0)


def test_a_server_that_goes_away_makes_the_step_invalid_and_no_reward(server: WikiServer) -> None:
    env = wiki_env(server, "mediawiki")
    good, _ = env.reset(seed=0, options=ENDS)
    server.wiki = lambda query: {"error": {"info": "read-only\nfor now"}}  # type: ignore[method-assign]
    observation, reward, terminated, truncated, info = env.step(boxed("Logic"))
    assert (observation, reward, terminated, truncated) == (good, 0.0, False, True)
    assert (info["valid"], info["stop"], info["turn"]) == (False, "tool", 0)
    assert "read-only for now" in info["error"]
    with pytest.raises(BackendError):
        env.reset(options={"start": "Ethics", "target": "Mind"})


def test_a_slow_server_is_a_time_out(server: WikiServer) -> None:
    env = wiki_env(server, "mediawiki")
    env.reset(seed=0, options=ENDS)
    env.config = env.config_type(
        backend="mediawiki", url=f"{server.url}/drip/api.php", timeout_s=SHORT_S
    )
    info = env.step(boxed("Logic"))[4]
    assert (info["valid"], info["stop"]) == (False, "timeout")


def test_an_episode_on_a_live_wiki_can_be_saved(server: WikiServer) -> None:
    env, other = wiki_env(server, "kiwix"), wiki_env(server, "kiwix")
    env.reset(seed=0, options=ENDS)
    env.step(boxed("Logic"))
    restore(other, snapshot(env))
    assert env.step(boxed("Mathematics")) == other.step(boxed("Mathematics"))
