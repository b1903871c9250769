r"""Leduc poker: six cards, two rounds of bets, one card that both see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gem_gymnasium.multiplayer.game import Outcome, to_each
from gem_gymnasium.multiplayer.replies import boxed, boxed_word
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

RANKS = ("J", "Q", "K")
BETS = (2, 4)
"""Chips of a bet in each round."""

RAISES = 2
"""Bets and raises in a round, at most."""

EVENTS = ("check", "bet", "raise", "call", "fold", "refused")
MOST = 1.0 + RAISES * sum(BETS)
"""Chips that a game can cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Two rounds end every game, so nothing can be set but for what the rules need."""

    max_turns: int = 8


class State(NamedTuple):
    """The cards of both seats and the one on the table (0 to 5; two of a rank), and the actions."""

    cards: tuple[int, ...]
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    """The actions of each round."""


def deal(config: Config, rng: np.random.Generator) -> State:
    """Deal a card to each, and one for the table, which is shown in the second round."""
    return State(tuple(int(card) for card in rng.permutation(6)[:3]))


def is_over(actions: tuple[str, ...]) -> bool:
    """Return whether a round is: a call, a fold, or two checks."""
    return actions[-1:] in (("call",), ("fold",)) or actions == ("check", "check")


def to_move(config: Config, state: State) -> int:
    """Return the seat that acts; the first player begins both rounds."""
    return len(state.second if is_over(state.first) else state.first) % 2


def chips_in(state: State) -> tuple[float, float]:
    """Return what each seat has put into the pot."""
    pot = [1.0, 1.0]
    for bet, actions in zip(BETS, (state.first, state.second), strict=True):
        for place, word in enumerate(actions):
            if word in ("call", "raise"):
                pot[place % 2] = pot[1 - place % 2]
            if word in ("bet", "raise"):
                pot[place % 2] += bet
    return pot[0], pot[1]


def payoff(state: State) -> tuple[float, float] | None:
    """Return the chips that each seat wins, or None while the game goes on."""
    pot = chips_in(state)
    for actions in (state.first, state.second):
        if actions[-1:] == ("fold",):
            loser = (len(actions) - 1) % 2
            return (-pot[0], pot[0]) if loser == 0 else (pot[1], -pot[1])
    if not is_over(state.second):
        return None
    own, other = (strength(state, seat) for seat in (0, 1))
    if own == other:
        return 0.0, 0.0
    return (pot[1], -pot[1]) if own > other else (-pot[0], pot[0])


def strength(state: State, seat: int) -> tuple[bool, int]:
    """Return how good a hand is: a pair with the table's card, then the rank."""
    rank = state.cards[seat] // 2
    return rank == state.cards[2] // 2, rank


def legal_moves(config: Config, state: State) -> tuple[str, ...]:
    """Return what may be done."""
    actions = state.second if is_over(state.first) else state.first
    if actions[-1:] in ((), ("check",)):
        return ("check", "bet")
    raised = sum(word in ("bet", "raise") for word in actions)
    return ("call", "fold", "raise") if raised < RAISES else ("call", "fold")


def play(config: Config, state: State, word: str) -> tuple[State, Outcome]:
    """Check, bet, raise, call or fold."""
    seat = to_move(config, state)
    choices = legal_moves(config, state)
    if word not in choices:
        why = f"You may {' or '.join(choices)} now."
        return state, Outcome("refused", to_each(seat, why, ""), legal=False)
    if is_over(state.first):
        after = state._replace(second=(*state.second, word))
    else:
        after = state._replace(first=(*state.first, word))
    told = to_each(seat, f"You {word}.", f"The other player {word}s.")
    chips = payoff(after)
    if chips is None:
        if is_over(after.first) and not after.second and not is_over(state.first):
            table = f"The table's card: {RANKS[state.cards[2] // 2]}. The second round begins."
            told = tuple(f"{text}\n{table}" for text in told)
        return after, Outcome(word, told)
    shown = (
        ""
        if word == "fold"
        else "\nThe cards: player_0 {}, player_1 {}.".format(
            *(RANKS[card // 2] for card in state.cards[:2])
        )
    )
    told = tuple(f"{text}{shown}\n{_won(chips[each])}" for each, text in enumerate(told))
    winners = () if chips[0] == 0 else (int(chips[1] > 0),)
    return after, Outcome(word, told, chips, over=True, winners=winners)


def _won(chips: float) -> str:
    if not chips:
        return "The pot is shared: a draw."
    return f"You {'win' if chips > 0 else 'lose'} {abs(chips):g}."


def forfeit(config: Config, state: State, seat: int) -> tuple[float, ...]:
    """Let a player without a legal reply pay the most that a game can cost."""
    return (-MOST, MOST) if seat == 0 else (MOST, -MOST)


# -- wording ----------------------------------------------------------------------------------


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    order = "first" if seat == 0 else "second"
    return (
        "Leduc poker: the deck has two J, two Q and two K (K is the highest). Each of two players "
        "puts one chip into the pot and gets a card. In a round a player may check, or bet "
        f"{BETS[0]} chips ({BETS[1]} in the second round); after a bet the other may call, fold "
        f"and lose the pot, or raise by as much, with at most {RAISES} bets and raises in a round. "
        "After the first round a card is put on the table for both. In the end a pair with that "
        f"card wins, then the higher card; equal cards share the pot. You act {order} in both "
        "rounds."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    return f"give one of {', '.join(map(boxed, legal_moves(config, state)))}."


def view(config: Config, state: State, seat: int) -> str:
    """Return a seat's own card, the table's once it is shown, the pot and the actions so far."""
    table = RANKS[state.cards[2] // 2] if is_over(state.first) else "not shown yet"
    lines = [f"Your card: {RANKS[state.cards[seat] // 2]}. The table's card: {table}."]
    for name, actions in (("First", state.first), ("Second", state.second)):
        if actions:
            said = ", ".join(f"player_{n % 2} {word}s" for n, word in enumerate(actions))
            lines.append(f"{name} round: {said}.")
    own, other = chips_in(state)[:: 1 if seat == 0 else -1]
    return "\n".join([*lines, f"In the pot: {own:g} of yours, {other:g} of the other player's."])


def redealt(config: Config, state: State, seat: int, rng: np.random.Generator) -> State:
    """Give a seat a card that nobody has."""
    spare = [card for card in range(6) if card not in state.cards]
    new = spare[int(rng.integers(len(spare)))]
    cards = tuple(new if each == seat else card for each, card in enumerate(state.cards))
    return state._replace(cards=cards)


class LeducPokerEnv(TextAEC[Config, State, str]):
    r"""Poker with six cards and two rounds, two players.

    ## Action Space
    ``UnicodeText``: any reply; the word in its last ``\boxed{}``: ``check``, ``bet``, ``raise``,
    ``call`` or ``fold``.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has acted, what happened, its own card,
    the table's, the actions and the pot.

    ## Rewards
    Chips won or lost, at most 13; they add up to 0. A reply that used the last try loses 13.

    ## Episode End
    Terminated by a fold, the end of the second round, or a reply that used a player's last try.

    ## Information
    ``event``: ``check``, ``bet``, ``raise``, ``call``, ``fold``, ``refused``; see
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    Those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    Southey et al., "Bayes' Bluff: Opponent Modelling in Poker" (2005); the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "leduc_poker"
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


env = raw_env = LeducPokerEnv
parallel_env = parallel(LeducPokerEnv)
