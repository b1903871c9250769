"""Fixtures of self-play's tests: a model that has learned nothing, and a tokenizer of the games."""

from typing import Any

import pytest

from gem_gymnasium.multiplayer.kuhn_poker import KuhnPokerEnv
from gem_gymnasium.multiplayer.tic_tac_toe import TicTacToeEnv
from gem_trl import tiny


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """Return one that knows the games' words, so that their prompts are short."""
    chats = [*tiny.play_games(KuhnPokerEnv, 30, 0.0, 0), *tiny.play_games(TicTacToeEnv, 30, 0.0, 0)]
    return tiny.train_tokenizer([m["content"] for chat in chats for m in chat], vocab_size=700)


@pytest.fixture
def model(tokenizer: Any) -> Any:
    """A model that has learned nothing."""
    return tiny.build_model(tokenizer, hidden=16, layers=1, heads=2)
