"""check_text_aec finds what it promises to find."""

import random
from typing import Any

import pytest

from gem_gymnasium.core.errors import ConfigError, ConformanceError, UnknownName
from gem_gymnasium.multiplayer import kuhn_poker, rock_paper_scissors
from gem_gymnasium.multiplayer.game import to_all
from gem_gymnasium.multiplayer.kuhn_poker import KuhnPokerEnv
from gem_gymnasium.multiplayer.rock_paper_scissors import RockPaperScissorsEnv
from gem_gymnasium.testing import check_text_aec


def show_both_cards(config: Any, state: Any, seat: int) -> str:
    return f"{kuhn_poker.view(config, state, seat)} {state.cards}"


class OpenCards(KuhnPokerEnv):
    view = staticmethod(show_both_cards)


def tell_the_choice(config: Any, state: Any, word: str) -> Any:
    after, outcome = rock_paper_scissors.play(config, state, word)
    if outcome.event == "chosen":
        outcome.told = to_all(f"player_0 has chosen {word}.")
    return after, outcome


class EarlyNews(RockPaperScissorsEnv):
    play = staticmethod(tell_the_choice)


def deal_from_the_world(config: Any, rng: Any) -> Any:
    return kuhn_poker.State(tuple(random.sample(range(3), 2)))


class Worldly(KuhnPokerEnv):
    deal = staticmethod(deal_from_the_world)


def parse_carelessly(reply: str) -> Any:
    return reply.split("\\boxed{")[1].split("}")[0]


class Careless(KuhnPokerEnv):
    parse = staticmethod(parse_carelessly)


class Loose(KuhnPokerEnv):
    """Forgets a key of the info of whom it waits for."""

    def _info(self, *args: Any, **kwargs: Any) -> Any:
        info = super()._info(*args, **kwargs)
        if info["turn"]:
            del info["feedback"]
        return info


class Forgetful(KuhnPokerEnv):
    """Leaves the hands out of its snapshot."""

    def restore(self, data: bytes) -> None:
        super().restore(data)
        self._state = kuhn_poker.State((0, 1))


class Reading(KuhnPokerEnv):
    """Counts how often it is read."""

    count = 0

    def observe(self, agent: str) -> Any:
        self.count += 1
        return {"text": f"{super().observe(agent)['text']} {self.count}"}


class Endless(RockPaperScissorsEnv):
    """Its rounds never count."""

    play = staticmethod(
        lambda config, state, word: (
            state,
            rock_paper_scissors.Outcome("chosen", to_all(""), legal=True),
        )
    )

    def __init__(self, **rules: Any) -> None:
        super().__init__(**{"max_turns": 10**6, **rules})


@pytest.mark.parametrize("game", [KuhnPokerEnv, RockPaperScissorsEnv])
def test_a_good_game_passes(game: Any) -> None:
    check_text_aec(game, hostile=["", "\\boxed{bet}"])


@pytest.mark.parametrize(
    ("game", "check", "said"),
    [
        (OpenCards, "secrecy", "has another secret"),
        (EarlyNews, "secrecy", "before it has chosen"),
        (Worldly, "determinism", "a global generator was used"),
        (Careless, "hostile", "raised IndexError"),
        (Loose, "infos", "the same keys and types always"),
        (Forgetful, "snapshot", "goes on in another way"),
        (Reading, "observe", "two answers"),
        (Endless, "infos", "not over after"),
    ],
)
def test_a_broken_promise_is_found_and_named(game: Any, check: str, said: str) -> None:
    others = ["pettingzoo", "infos", "determinism", "observe", "secrecy", "hostile", "snapshot"]
    skip = [name for name in others if name != check]
    with pytest.raises(ConformanceError, match=rf"\[{check}\] ") as caught:
        check_text_aec(game, hostile=["no box"], skip=skip)
    assert said in str(caught.value)


def test_pettingzoo_s_own_tests_are_run() -> None:
    class NoText(KuhnPokerEnv):
        def observe(self, agent: str) -> Any:
            return super().observe(agent)["text"]

    with pytest.raises(ConformanceError, match=r"\[pettingzoo\] PettingZoo's tests fail"):
        check_text_aec(NoText)


def test_arguments_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ConfigError, match="env_fn must be a function"):
        check_text_aec(KuhnPokerEnv())  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown check 'secrecey'; did you mean 'secrecy'"):
        check_text_aec(KuhnPokerEnv, skip=["secrecey"])
    with pytest.raises(ConfigError, match="need a seed"):
        check_text_aec(KuhnPokerEnv, seeds=[])
