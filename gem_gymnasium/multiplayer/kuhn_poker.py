r"""Kuhn poker: three cards, one card each, one bet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gem_gymnasium.multiplayer.game import Outcome, to_each
from gem_gymnasium.multiplayer.replies import boxed, boxed_word
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

CARDS = ("J", "Q", "K")
EVENTS = ("check", "bet", "call", "fold", "refused")
MOST = 2.0
"""Chips that a game can cost: the ante and a bet."""

CHOICES = {"": ("check", "bet"), "check": ("check", "bet"), "bet": ("call", "fold")}
"""What may be done after the last action."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Three actions end every game, so nothing can be set but for what the rules need."""

    max_turns: int = 3


class State(NamedTuple):
    """Each seat's card (0: J, 1: Q, 2: K), and the actions so far."""

    cards: tuple[int, ...]
    actions: tuple[str, ...] = ()


def deal(config: Config, rng: np.random.Generator) -> State:
    """Deal a card to each."""
    return State(tuple(int(card) for card in rng.permutation(3)[:2]))


def to_move(config: Config, state: State) -> int:
    """Return the seat that acts."""
    return len(state.actions) % 2


def payoff(state: State) -> tuple[float, float] | None:
    """Return the chips that each seat wins, or None while the game goes on."""
    match state.actions:
        case ("bet", "fold"):
            return 1.0, -1.0
        case ("check", "bet", "fold"):
            return -1.0, 1.0
        case (*_, "call") | ("check", "check"):
            chips = 2.0 if state.actions[-1] == "call" else 1.0
            return (chips, -chips) if state.cards[0] > state.cards[1] else (-chips, chips)
        case _:
            return None


def play(config: Config, state: State, word: str) -> tuple[State, Outcome]:
    """Check, bet, call or fold."""
    seat = to_move(config, state)
    choices = legal_moves(config, state)
    if word not in choices:
        why = f"You may {choices[0]} or {choices[1]} now."
        return state, Outcome("refused", to_each(seat, why, ""), legal=False)
    after = State(state.cards, (*state.actions, word))
    told = to_each(seat, f"You {word}.", f"The other player {word}s.")
    chips = payoff(after)
    if chips is None:
        return after, Outcome(word, told)
    shown = (
        ""
        if word == "fold"
        else "\nThe cards: player_0 {}, player_1 {}.".format(*(CARDS[card] for card in state.cards))
    )
    told = tuple(
        f"{text}{shown}\nYou {'win' if chips[each] > 0 else 'lose'} {abs(chips[each]):g}."
        for each, text in enumerate(told)
    )
    winner = int(chips[1] > 0)
    return after, Outcome(word, told, chips, over=True, winners=(winner,))


def legal_moves(config: Config, state: State) -> tuple[str, str]:
    """Return the two things that may be done."""
    return CHOICES[state.actions[-1] if state.actions else ""]


def forfeit(config: Config, state: State, seat: int) -> tuple[float, ...]:
    """Let a player without a legal reply pay the most that a game can cost."""
    return (-MOST, MOST) if seat == 0 else (MOST, -MOST)


# -- wording ----------------------------------------------------------------------------------


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    order = "first" if seat == 0 else "second"
    return (
        "Kuhn poker: each of two players puts one chip into the pot and gets one of the cards J, Q "
        "and K (K is the highest). A player may check, or bet one chip; after a bet the other may "
        "call with one chip, or fold and lose the pot. After two checks or a call the higher card "
        f"wins the pot. You act {order}."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    first, second = legal_moves(config, state)
    return f"give \\boxed{{{first}}} or \\boxed{{{second}}}."


def view(config: Config, state: State, seat: int) -> str:
    """Return a seat's own card and the actions so far."""
    said = ", ".join(f"player_{n % 2} {word}s" for n, word in enumerate(state.actions))
    return f"Your card: {CARDS[state.cards[seat]]}. Actions: {said or 'none yet'}."


def redealt(config: Config, state: State, seat: int, rng: np.random.Generator) -> State:
    """Give a seat the card that nobody has."""
    spare = 3 - sum(state.cards)
    cards = tuple(spare if each == seat else card for each, card in enumerate(state.cards))
    return state._replace(cards=cards)


class KuhnPokerEnv(TextAEC[Config, State, str]):
    r"""Poker with three cards, two players.

    ## Action Space
    ``UnicodeText``: any reply; the word in its last ``\boxed{}``: ``check``, ``bet``, ``call`` or
    ``fold``.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has acted, what happened, its own card
    and the actions so far.

    ## Rewards
    Chips: 1 or 2 won or lost; they add up to 0. A reply that used the last try loses 2. With both
    players at their best the first one loses 1/18 a game.

    ## Episode End
    Terminated by a fold, a call, two checks, or a reply that used a player's last try.

    ## Information
    ``event``: ``check``, ``bet``, ``call``, ``fold``, ``refused``; see
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    Those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    Kuhn, "A simplified two-person poker" (1950); the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "kuhn_poker"
    config_type = Config
    state_type = State
    events = EVENTS

    deal = staticmethod(deal)
    to_move = staticmethod(to_move)
    rules = staticmethod(rules)
    form = staticmethod(form)
    view = staticmethod(view)
    parse = staticmethod(boxed_word)
    write = staticmethod(boxed)
    play = staticmethod(play)
    legal_moves = staticmethod(legal_moves)
    forfeit = staticmethod(forfeit)
    redealt = staticmethod(redealt)


env = raw_env = KuhnPokerEnv
parallel_env = parallel(KuhnPokerEnv)
