"""TextAEC: the one place where a game of several players meets the PettingZoo protocol."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

import numpy as np

from gem_gymnasium.core.errors import ConfigError, SnapshotMismatch, StepOutsideEpisode
from gem_gymnasium.core.game import ConfigT, MoveT, StateT, build_config, tuples
from gem_gymnasium.core.snapshot import DAMAGE
from gem_gymnasium.core.spaces import MAX_CHARS
from gem_gymnasium.core.text_env import MALFORMED
from gem_gymnasium.multiplayer.aec_base import (
    FORFEIT,
    OTHER,
    TEXT,
    AECBase,
    Observation,
    read_snapshot,
)
from gem_gymnasium.multiplayer.game import MultiGame, Outcome, lost, to_all, to_each

FORMAT_VERSION = 1
SETTINGS = ("render_mode", "retries")
_NONE = type(None)
SAVED: dict[str, tuple[type, ...]] = {
    "rng": (dict, _NONE), "state": (list, _NONE), "turn": (int,), "tries": (int,), "new": (list,),
    "told": (list,), "agents": (list,), "selection": (str, _NONE), "rewards": (dict,),
    "owed": (dict,), "terminations": (dict,), "infos": (dict,),
}  # fmt: skip
"""What a snapshot has beside the env's own settings."""


class TextAEC(MultiGame[ConfigT, StateT, MoveT], AECBase):
    """A text game of several players as a :class:`pettingzoo.AECEnv`.

    Agents are ``player_0``, ``player_1``, ...; an observation is ``{"text": str}`` (PettingZoo's
    ``api_test`` takes no bare str), an action any str: a model's whole reply.

    An observation is complete text: the rules until the player has moved, what it was told since
    its last move, what it can see now, and whether it is its turn.

    **A reply that holds no legal move** changes nothing: the same player is told why and asked
    again, ``retries`` times in a turn. The next such reply loses the game (:meth:`forfeit`).

    ``infos`` has the keys of :data:`MULTI_INFO_TYPES`: those of ``TextEnv`` (``event`` is one of
    the game's events for the player who moved, ``other`` for those who waited, ``malformed`` and
    ``forfeit``; ``success`` is a win; ``progress`` is 1, 1/2 and 0 for a win, a draw and a loss),
    ``seat``, ``tries_left`` (of who waits, or waited at the end, those of a new turn) and
    ``to_move``: whether the game waits for this player (for several, where all choose at the same
    time).

    Args:
        render_mode: ``"ansi"``, ``"human"``, ``"rgb_array"`` (needs Pillow) or None: what each seat
            sees, secrets too, for who watches.
        retries: How often a player is asked again in one turn.
        **rules: Fields of ``config_type``.

    Raises:
        ConfigError: A rule does not exist or its value is refused.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if hasattr(cls, "name"):
            cls.metadata = {**cls.metadata, "name": f"{cls.name}_v0"}

    def __init__(self, *, render_mode: str | None = None, retries: int = 2, **rules: Any) -> None:
        super().__init__(render_mode)
        if type(retries) is not int or retries < 0:
            raise ConfigError(f"retries must be an int, at least 0, got {retries!r}")
        self.config: ConfigT = build_config(self.config_type, rules, SETTINGS)
        self.retries = retries
        self.kwargs: dict[str, Any] = {"retries": retries, **rules}
        self.possible_agents = [f"player_{seat}" for seat in range(self.players(self.config))]
        self._state: StateT | None = None
        self._turn = self._tries = 0
        self._new: list[bool] = []
        """Whether each seat has yet to move, and so to read the rules."""
        self._told: list[str] = []
        """What each seat was told since its last move."""

    # -- the PettingZoo protocol --------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: Seed of the env's own generator; None goes on with it.
            options: Not used; PettingZoo's ``api_test`` passes some of its own.
        """
        self._state = self.deal(self.config, self._generator(seed))
        self._seat_all()
        self._turn, self._tries = 0, self.retries
        self._new = [True] * len(self.agents)
        self._told = [""] * len(self.agents)
        self.agent_selection = self.agents[self.to_move(self.config, self._state)]
        self.infos = {
            agent: self._info(seat, "reset", legal=True) for seat, agent in enumerate(self.agents)
        }
        self._show()

    def step(self, action: str | None) -> None:
        """Apply a reply of ``agent_selection``.

        Args:
            action: The model's whole reply, any str; None for an agent whose episode is over.

        Raises:
            StepOutsideEpisode: The env was never reset, or every agent is done.
            ConfigError: ``action`` is no str.
        """
        seat = self._replying(action)
        if seat is None:
            return
        self._new[seat], self._told[seat] = False, ""
        self._finish(seat, self._judged(seat, cast("str", action)))
        self._accumulate_rewards()
        self._show()

    def observe(self, agent: str) -> Observation:
        """Return what an agent can read now; asking twice changes nothing.

        Raises:
            StepOutsideEpisode: The env was never reset.
            UnknownName: There is no such agent.
        """
        self._check_begun("observe")
        seat = self._seat_of(agent)
        parts = [
            self.rules(self.config, seat) + self._promise() if self._new[seat] else "",
            self._told[seat],
            self._view(seat),
        ]
        return {TEXT: "\n".join(part for part in parts if part)}

    @property
    def _is_begun(self) -> bool:
        return self._state is not None

    # -- one move -----------------------------------------------------------------------------

    def _judged(self, seat: int, reply: str) -> Outcome:
        """Return what a reply leads to; a legal one changes the state."""
        assert self._state is not None
        players = len(self.possible_agents)
        move = self.parse(reply) if len(reply) <= MAX_CHARS else None
        if move is None:
            form = self.form(self.config, self._state, seat)
            why = (
                f"The reply is over {MAX_CHARS} characters long."
                if len(reply) > MAX_CHARS
                else f"No valid action was found: {form}"
            )
            return self._refused(
                seat, Outcome(MALFORMED, to_each(seat, why, "", players), legal=False)
            )
        state, outcome = self.play(self.config, self._state, move)
        if not outcome.legal:
            return self._refused(seat, outcome)
        self._state = state
        self._turn += 1
        self._tries = self.retries
        if not outcome.over and self._turn >= cast("Any", self.config).max_turns:
            last = self.unfinished(self.config, state)
            ends = last.told or to_all("The last turn is used: the game is a draw.", players)
            told = tuple(f"{a}\n{b}" if a else b for a, b in zip(outcome.told, ends, strict=True))
            return Outcome(outcome.event, told, last.rewards, over=True, winners=last.winners)
        return outcome

    def _refused(self, seat: int, outcome: Outcome) -> Outcome:
        """Take a try away, or the game where there is none left."""
        assert self._state is not None
        if self._tries:
            self._tries -= 1
            return outcome
        who = self.possible_agents[seat]
        told = tuple(
            f"{outcome.told[each]}\nThat was the last try: you lose."
            if each == seat
            else f"{who} gave no legal move: the game is over."
            for each in range(len(self.possible_agents))
        )
        players = len(self.possible_agents)
        rewards = self.forfeit(self.config, self._state, seat) or lost(seat, players)
        winners = tuple(each for each in range(players) if rewards[each] > 0)
        return Outcome(FORFEIT, told, rewards, legal=False, over=True, winners=winners)

    def _finish(self, seat: int, outcome: Outcome) -> None:
        """Tell, pay and hand on."""
        assert self._state is not None
        for each, text in enumerate(outcome.told):
            if text:
                self._told[each] = f"{self._told[each]}\n{text}" if self._told[each] else text
        for each, reward in enumerate(outcome.rewards):
            self.rewards[self.possible_agents[each]] = float(reward)
        if outcome.over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[
                (self.agents.index(self.agent_selection) + 1) % len(self.agents)
            ]
        else:
            self.agent_selection = self.agents[self.to_move(self.config, self._state)]
        for each, agent in enumerate(self.possible_agents):
            event, legal = (outcome.event, outcome.legal) if each == seat else (OTHER, True)
            self.infos[agent] = self._info(each, event, legal, outcome)

    def _info(
        self, seat: int, event: str, legal: bool, outcome: Outcome | None = None
    ) -> dict[str, Any]:
        """Return a player's info."""
        assert self._state is not None
        over = outcome is not None and outcome.over
        won = over and outcome is not None and seat in outcome.winners
        forfeit = outcome is not None and outcome.event == FORFEIT
        drawn = over and outcome is not None and not outcome.winners and not forfeit
        asked = event != OTHER if over else seat == self.to_move(self.config, self._state)
        return {
            "event": event,
            "turn": self._turn,
            "max_turns": cast("Any", self.config).max_turns,
            "legal": legal,
            "success": won,
            "progress": 1.0 if won else 0.5 if drawn else 0.0,
            "feedback": self._told[seat],
            "view": self._view(seat),
            "optimal_turns": -1,
            "valid": True,
            "error": "",
            "stop": "",
            "seat": seat,
            "tries_left": self._tries if asked else self.retries,
            "to_move": not over and seat in self._waits_for(),
        }

    def _waits_for(self) -> Sequence[int]:
        """Return the seats that the game waits for; the first of them is asked."""
        assert self._state is not None
        first = self.to_move(self.config, self._state)
        return range(first, len(self.possible_agents)) if self.simultaneous else (first,)

    # -- wording ------------------------------------------------------------------------------

    def _promise(self) -> str:
        """Return what becomes of a reply without a legal move."""
        if not self.retries:
            return "\nA reply without a legal move loses the game."
        times = "once" if self.retries == 1 else f"{self.retries} times"
        return (
            f"\nAfter a reply without a legal move you are asked again, {times} in a turn; "
            "the next one loses the game."
        )

    def _view(self, seat: int) -> str:
        """Return what a seat can see now, and whether it is its turn."""
        assert self._state is not None
        prompt = self._prompt(self.possible_agents[seat], seat)
        return f"{self.view(self.config, self._state, seat)}\n{prompt}"

    def _prompt(self, agent: str, seat: int) -> str:
        """Return whose turn it is."""
        assert self._state is not None
        if self.terminations.get(agent, True):
            return "The game is over."
        if seat not in self._waits_for():
            return "It is not your turn."
        return f"It is your turn: {self.form(self.config, self._state, seat)}"

    def _views(self) -> list[str]:
        assert self._state is not None
        return [self.view(self.config, self._state, s) for s in range(len(self.possible_agents))]

    # -- beyond PettingZoo --------------------------------------------------------------------

    def sample_legal_action(self, rng: np.random.Generator) -> str:
        """Return a well-formed, legal, random reply of the player who moves now.

        Args:
            rng: Where the choice comes from; the env's own generator is left alone.

        Raises:
            StepOutsideEpisode: There is no episode to move in.
        """
        if self._state is None or not self.agents or self.terminations[self.agent_selection]:
            raise StepOutsideEpisode("there is no legal action outside an episode: call reset()")
        moves = self.legal_moves(self.config, self._state)
        return self.write(moves[int(rng.integers(len(moves)))])

    def snapshot(self) -> bytes:
        """Return the episode, the settings and the generator as JSON bytes."""
        generator = self.np_random
        return json.dumps(
            {
                "format": FORMAT_VERSION,
                "name": self.metadata["name"],
                "config": asdict(cast("Any", self.config)),
                "retries": self.retries,
                "rng": None if generator is None else generator.bit_generator.state,
                "state": self._state,
                "turn": self._turn,
                "tries": self._tries,
                "new": self._new,
                "told": self._told,
                "agents": self.agents,
                "selection": self.agent_selection if self.agents else None,
                "rewards": self.rewards,
                "owed": self._cumulative_rewards,
                "terminations": self.terminations,
                "infos": self.infos,
            }
        ).encode()

    def restore(self, data: bytes) -> None:
        """Take up the episode of a :meth:`snapshot` of an env with the same settings.

        Raises:
            SnapshotMismatch: It is of another game, other settings or another format, or damaged.
                The env is then as it was.
        """
        own = {
            "format": FORMAT_VERSION,
            "name": self.metadata["name"],
            "config": asdict(cast("Any", self.config)),
            "retries": self.retries,
        }
        saved = read_snapshot(data, own)
        before = dict(vars(self))
        try:
            self._take_up(saved)
        except DAMAGE as error:
            vars(self).clear()
            vars(self).update(before)
            raise SnapshotMismatch(f"this snapshot is damaged: {error!r}") from error

    def _take_up(self, saved: dict[str, Any]) -> None:
        for key, kind in SAVED.items():
            if not isinstance(saved[key], kind):
                raise TypeError(f"{key} is {saved[key]!r}")
        agents = set(saved["agents"])
        by_agent = [set(saved[key]) for key in ("rewards", "owed", "terminations", "infos")]
        if any(each != by_agent[0] or not agents <= each for each in by_agent):
            raise ValueError(f"players {sorted(agents)}, but values for {by_agent}")
        if agents and (saved["selection"] not in agents or saved["state"] is None):
            raise ValueError(f"nobody of {sorted(agents)} can move")
        if saved["rng"] is not None:
            self.np_random = np.random.Generator(np.random.PCG64())
            self.np_random.bit_generator.state = saved["rng"]
        state = saved["state"]
        self._state = None if state is None else self.state_type(*tuples(state))
        self._turn, self._tries = saved["turn"], saved["tries"]
        self._new, self._told = saved["new"], saved["told"]
        self.agents = saved["agents"]
        if saved["selection"] is not None:
            self.agent_selection = saved["selection"]
        self.rewards, self._cumulative_rewards = saved["rewards"], saved["owed"]
        self.terminations = saved["terminations"]
        self.truncations = dict.fromkeys(self.terminations, False)
        self.infos = saved["infos"]
        for agent in self.agents:  # what cannot be told is no episode
            self.observe(agent)
