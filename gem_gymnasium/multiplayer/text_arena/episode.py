"""Episode: a game of TextArena being played, confined, in time, and read seat by seat."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from gem_gymnasium.core.errors import ConfigError, EnvCrash, MachineryError, SnapshotMismatch
from gem_gymnasium.multiplayer.text_arena import games
from gem_gymnasium.multiplayer.text_arena.confine import Dice, confined
from gem_gymnasium.multiplayer.text_arena.deadline import call_within
from gem_gymnasium.multiplayer.text_arena.wording import (
    ACTION,
    BOARD,
    GAME,
    RULES,
    Message,
    Reading,
    say,
)

ResultT = TypeVar("ResultT")


def call(what: str, dice: Dice, deadline_s: float, function: Callable[[], ResultT]) -> ResultT:
    """Run a part of TextArena.

    Args:
        what: The game's id, for messages.
        dice: What it draws from.
        deadline_s: Seconds that it may take.
        function: It.

    Raises:
        StepTimeout: It took longer.
        EnvCrash: It raised.
        ConfigError: It raised that on its own account.
    """
    with confined(dice), games.alone(what, deadline_s):
        try:
            return call_within(deadline_s, function, f"TextArena's {what}")
        except (ConfigError, MachineryError):
            raise
        except Exception as error:
            name = type(error).__name__
            raise EnvCrash(f"TextArena's {what} raised {name}: {error}") from error


class Episode:
    """One episode; the seed and the replies it was given lead to its state again.

    Args:
        env_id: TextArena's id.
        kwargs: Of the game's class.
        players: How many play.
        seed: From 0 to ``2**32 - 1``.
        deadline_s: Seconds that dealing, and each reply, may take.

    Raises:
        GameUnavailable: The game needs something that is not here.
        ConfigError: The game refuses the number of players.
        MachineryError: TextArena raised, or took too long.
    """

    def __init__(
        self, env_id: str, kwargs: Mapping[str, Any], players: int, seed: int, deadline_s: float
    ) -> None:
        self.env_id, self.seed, self.deadline_s = env_id, seed, deadline_s
        self.replies: list[str] = []
        self.told: list[list[Message]] = [[] for _ in range(players)]
        """What each seat was told since its last move, without rules and boards."""
        self.rules: list[list[str]] = [[] for _ in range(players)]
        self.boards = [""] * players
        self.is_new = [True] * players
        """Whether each seat has yet to move, and so to read the rules."""
        self.game: Any = None
        self._seats = range(players)
        self._dice = Dice(seed)

        def begin() -> Any:
            # Made anew: some games keep things from one episode to the next.
            self.game = games.make(env_id, kwargs)
            games.begin(self.game, env_id, players, seed)
            self._listen()

        call(env_id, self._dice, deadline_s, begin)

    def to_move(self) -> int:
        """Return the seat that the game asks.

        Raises:
            EnvCrash: There is no such seat.
        """
        seat = self.game.state.current_player_id
        if seat not in self._seats:
            raise EnvCrash(f"TextArena's {self.env_id} asks player {seat}, who does not exist")
        return int(seat)

    def give(self, reply: str) -> bool:
        """Give the game a reply of the seat that it asks; return whether it is over.

        Raises:
            MachineryError: TextArena raised, or took too long; what the game has become is not
                known, and nothing of it is told.
        """
        told, rules = [[*said] for said in self.told], [[*said] for said in self.rules]
        before = told, rules, [*self.boards], [*self.is_new]

        def play() -> bool:
            seat = self.to_move()
            over = bool(self.game.step(reply)[0])
            self.told[seat], self.is_new[seat] = [], False
            self._listen()
            if over:
                self._say_why()
            return over

        try:
            over = call(self.env_id, self._dice, self.deadline_s, play)
        except MachineryError:
            self.told, self.rules, self.boards, self.is_new = before
            raise
        self.replies.append(reply)
        return over

    def replay(self, replies: Sequence[str], told: Sequence[Any]) -> None:
        """Give the game replies that it was given before.

        Args:
            replies: Them, in their order.
            told: What every seat had been told after them, as JSON has it.

        Raises:
            SnapshotMismatch: It tells something else this time.
            MachineryError: TextArena raised, or took too long.
        """
        for reply in replies:
            self.give(reply)
        if json.loads(json.dumps(self.told)) != told:
            raise SnapshotMismatch(f"TextArena's {self.env_id} went another way than before")

    def errors(self, seat: int) -> tuple[int, int]:
        """Return a seat's errors in this turn, and how often it has been put out."""
        state = self.game.state
        out = int(bool(state.game_info.get(seat, {}).get("invalid_move")))
        # Some games go on asking a player that they have put out.
        order: list[int] = getattr(state, "elimination_order", [])
        out += order.count(seat)
        return int(getattr(state, "error_count", 0)), out

    @property
    def errors_allowed(self) -> int:
        """How many errors the game allows a seat in a turn."""
        return int(getattr(self.game.state, "error_allowance", 0) or 0)

    def paid(self) -> list[float]:
        """Return what the game pays each seat in the end.

        Raises:
            EnvCrash: It pays something that is no number.
        """
        paid, _ = call(self.env_id, self._dice, self.deadline_s, self.game.close)
        try:
            rewards = [float(paid.get(seat, 0.0)) for seat in self._seats]
        except (AttributeError, TypeError, ValueError):
            rewards = [math.nan]
        if not all(map(math.isfinite, rewards)):
            raise EnvCrash(f"TextArena's {self.env_id} pays {paid}")
        return rewards

    def read(self, seat: int, turn: str) -> Reading:
        """Return what a seat can read now.

        Args:
            seat: Who reads.
            turn: Whose turn it is, in words.
        """
        rules = "\n".join(self.rules[seat]) if self.is_new[seat] else ""
        board = self.boards[seat]
        return Reading(rules, say(self.told[seat]), f"{board}\n{turn}" if board else turn)

    def _listen(self) -> None:
        """Take what the game has to tell, for every seat."""
        state = self.game.state
        asked, messages = self.game.get_observation()
        waiting = dict(state.observations)
        for seat in self._seats:
            state.observations[seat] = []
            boards: list[str] = []
            for sender, said, type_of in messages if seat == asked else waiting.get(seat, []):
                # Some games give something else in the place of the ObservationType.
                kind, text = str(getattr(type_of, "name", "")), str(said).strip("\n")
                if kind == BOARD:
                    boards.append(text)
                elif kind == RULES and self.is_new[seat]:
                    self.rules[seat].append(text)
                elif kind != ACTION or sender != seat:  # its own reply it knows
                    self.told[seat].append(Message(self._speaker(sender), text))
            if boards:
                self.boards[seat] = "\n".join(boards)

    def _speaker(self, sender: int) -> str:
        """Return who says something: the game, or a player by its name in the game."""
        if sender == -1:
            return GAME
        return str(self.game.state.role_mapping.get(sender, f"Player {sender}"))

    def _say_why(self) -> None:
        """Tell each seat why the game is over, if the game has not."""
        for seat, told in enumerate(self.told):
            reason = self.game.state.game_info.get(seat, {}).get("reason")
            if reason and not any(str(reason) in each.text for each in told):
                told.append(Message(GAME, str(reason)))
