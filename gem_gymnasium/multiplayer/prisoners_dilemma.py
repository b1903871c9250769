r"""The iterated prisoner's dilemma: cooperate or defect, both at the same time, again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.multiplayer.game import Outcome, to_each
from gem_gymnasium.multiplayer.replies import boxed, boxed_word
from gem_gymnasium.multiplayer.rounds import State, deal, to_move
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

CHOICES = ("cooperate", "defect")
EVENTS = ("chosen", "round", "over", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Play ``rounds`` rounds for points: both cooperate, both defect, or one of each.

    A dilemma needs temptation > reward > punishment > sucker, and that taking turns at defecting
    pays less than cooperating.
    """

    rounds: int = 10
    temptation: int = 5
    reward: int = 3
    punishment: int = 1
    sucker: int = 0
    max_turns: int = 1_000

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= 100:
            raise ConfigError(f"rounds must be from 1 to 100, got {self.rounds}")
        if not self.temptation > self.reward > self.punishment > self.sucker >= 0:
            raise ConfigError(
                "need temptation > reward > punishment > sucker >= 0, got "
                f"{self.temptation}, {self.reward}, {self.punishment}, {self.sucker}"
            )
        if 2 * self.reward <= self.temptation + self.sucker:
            raise ConfigError("twice the reward must be more than temptation and sucker together")
        if self.max_turns < 2 * self.rounds:
            raise ConfigError(
                f"max_turns must be enough for {self.rounds} rounds, got {self.max_turns}"
            )


def points(config: Config, own: str, other: str) -> int:
    """Return what a round pays to the one who chose ``own``."""
    if own == "cooperate":
        return config.reward if other == "cooperate" else config.sucker
    return config.temptation if other == "cooperate" else config.punishment


def totals(config: Config, state: State) -> tuple[int, int]:
    """Return the points of each seat so far."""
    return (
        sum(points(config, a, b) for a, b in state.rounds),
        sum(points(config, b, a) for a, b in state.rounds),
    )


def play(config: Config, state: State, word: str) -> tuple[State, Outcome]:
    """Choose; the second choice of a round shows both and pays."""
    seat = to_move(config, state)
    if word not in CHOICES:
        why = f"There is no {word!r}: cooperate or defect."
        return state, Outcome("unknown", to_each(seat, why, ""), legal=False)
    if seat == 0:
        told = to_each(0, f"You have chosen to {word}.", "")
        return state._replace(chosen=(word,)), Outcome("chosen", told)
    both = (state.chosen[0], word)
    after = State((*state.rounds, both))
    paid = (points(config, *both), points(config, *reversed(both)))
    told = tuple(
        f"Round {len(after.rounds)}: you {both[each]} and the other player {both[1 - each]}s: "
        f"{count_of(paid[each], 'point')} for you, {paid[1 - each]} for the other."
        for each in (0, 1)
    )
    most = config.temptation * config.rounds
    rewards = tuple(each / most for each in paid)
    if len(after.rounds) < config.rounds:
        return after, Outcome("round", told, rewards)
    total = totals(config, after)
    winners = tuple(each for each in (0, 1) if total[each] >= config.reward * config.rounds)
    told = tuple(
        f"{text}\nThe game is over: {total[each]} for you, {total[1 - each]} for the other."
        for each, text in enumerate(told)
    )
    return after, Outcome("over", told, rewards, over=True, winners=winners)


def legal_moves(config: Config, state: State) -> tuple[str, ...]:
    """Return the two choices."""
    return CHOICES


def forfeit(config: Config, state: State, seat: int) -> tuple[float, ...]:
    """Pay nothing any more; who gave no legal reply loses what it would still get by defecting."""
    left = config.rounds - len(state.rounds)
    most = config.temptation * config.rounds
    lost = -config.temptation * left / most
    return (lost, 0.0) if seat == 0 else (0.0, lost)


# -- wording ----------------------------------------------------------------------------------


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    return (
        f"The prisoner's dilemma over {count_of(config.rounds, 'round')}: two players choose to "
        f"cooperate or to defect at the same time. If both cooperate, each gets {config.reward}; "
        f"if both defect, {config.punishment}; if one defects, it gets {config.temptation} and the "
        f"other {config.sucker}. Your aim is as many points of your own as you can get. You are "
        f"player_{seat}."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    return "give \\boxed{cooperate} or \\boxed{defect}."


def view(config: Config, state: State, seat: int) -> str:
    """Return the points and the rounds left."""
    own, other = totals(config, state)[:: 1 if seat == 0 else -1]
    left = count_of(config.rounds - len(state.rounds), "round")
    return f"Points: {own} of yours, {other} of the other player's; {left} left."


def redealt(config: Config, state: State, seat: int, rng: np.random.Generator) -> State | None:
    """Let the first player have chosen otherwise."""
    if seat != 0 or not state.chosen:
        return None
    return state._replace(chosen=(CHOICES[1 - CHOICES.index(state.chosen[0])],))


class PrisonersDilemmaEnv(TextAEC[Config, State, str]):
    r"""Cooperate or defect, two players who choose at the same time.

    ## Action Space
    ``UnicodeText``: any reply; the word in its last ``\boxed{}``: ``cooperate`` or ``defect``.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has chosen, the last round, the points.
    The second to choose is shown nothing of the first's choice.

    ## Rewards
    A round's points over the most that the game can pay (``temptation * rounds``), so that a return
    lies in [0, 1]; a reply that used the last try costs what was left to win, down to -1.

    ## Episode End
    Terminated by the last round, or a reply that used a player's last try.

    ## Information
    ``event``: ``chosen``, ``round``, ``over``, ``unknown``; ``success``: at least as many points as
    steady cooperation pays. See :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    See :class:`Config`; and those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    Axelrod, "The Evolution of Cooperation" (1984); the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "prisoners_dilemma"
    config_type = Config
    state_type = State
    events = EVENTS
    simultaneous = True

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


env = raw_env = PrisonersDilemmaEnv
parallel_env = parallel(PrisonersDilemmaEnv)
