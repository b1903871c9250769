"""TextArenaAEC: a game of TextArena as a PettingZoo env."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from gem_gymnasium.core.errors import (
    ConfigError,
    MachineryError,
    SnapshotMismatch,
    SnapshotUnsupported,
)
from gem_gymnasium.core.snapshot import DAMAGE
from gem_gymnasium.core.spaces import MAX_CHARS
from gem_gymnasium.core.text_env import FAILED, MALFORMED, failure_info
from gem_gymnasium.multiplayer.aec_base import (
    FORFEIT,
    OTHER,
    TEXT,
    AECBase,
    Observation,
    read_snapshot,
)
from gem_gymnasium.multiplayer.text_arena import games
from gem_gymnasium.multiplayer.text_arena.confine import Dice
from gem_gymnasium.multiplayer.text_arena.episode import Episode, call
from gem_gymnasium.multiplayer.text_arena.wording import Reading, clean

MOVED, REFUSED = "moved", "refused"
FORMAT_VERSION = 1

SAVED = {
    "agents": "agents", "agent_selection": "selection", "rewards": "rewards",
    "_cumulative_rewards": "owed", "terminations": "terminations", "truncations": "truncations",
    "infos": "infos",
}  # fmt: skip
"""The env's attributes that a snapshot holds, with their names in it."""

LOAD_S = 120.0
"""Seconds that a game may take to be made for the first time in a process."""


class TextArenaAEC(AECBase):
    """A game of TextArena, with the spaces and the infos of ``TextAEC``.

    Agents are ``player_0``, ``player_1``, ...; an observation is ``{"text": str}``, an action any
    str. The text is what the player was told since its last move (before that: the rules too), the
    newest board that it was shown, and whether it is its turn. Of a reply, the last 2,000
    characters reach the game, without control characters.

    **The game is TextArena's**: its rules, its wording, its errors and how many it allows, and its
    rewards, paid at the end. Players that it has put out stay agents until then.

    ``infos`` has the keys of ``MULTI_INFO_TYPES``. ``event`` is, for the player who replied:
    ``moved``; ``refused`` (the game asks again); ``forfeit`` (the game allows no more errors);
    ``malformed`` (a reply over 65,536 characters, of which the game gets an empty one); ``failed``;
    and ``other`` for those who waited. ``turn`` counts the replies of all players, and after
    ``max_turns`` of them the episode is truncated: TextArena's own limits are the game's affair.
    ``success`` is the best reward of all where it is above 0 (1.0 where there is one player),
    ``progress`` 1, 1/2 and 0 for a win, a draw and a loss (the reward where there is one player).

    Should TextArena raise or take longer than a deadline, the episode is truncated, pays nothing
    and its infos are those of an invalid step.

    Args:
        env_id: An id of TextArena's, such as ``"TicTacToe-v0"``.
        num_players: None: as few as the game takes.
        render_mode: ``"ansi"``, ``"human"``, ``"rgb_array"`` (needs Pillow) or None: the boards of
            all players, for who watches.
        max_turns: Replies of all players after which an episode is truncated.
        deadline_s: Seconds that TextArena may take to deal, or for one reply.
        **kwargs: Of the game's class in TextArena.

    Raises:
        MissingDependency: TextArena is not installed.
        GameUnavailable: The game needs something that is not here; the message says what.
        UnknownName: TextArena has no such game.
        ConfigError: An argument is refused.
    """

    events = (MOVED, REFUSED, FAILED)

    def __init__(
        self,
        env_id: str,
        num_players: int | None = None,
        *,
        render_mode: str | None = None,
        max_turns: int = 2_000,
        deadline_s: float = 20.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(render_mode)
        self._arguments: dict[str, Any] = {
            "env_id": env_id, "num_players": num_players, "render_mode": render_mode,
            "max_turns": max_turns, "deadline_s": deadline_s, **kwargs,
        }  # fmt: skip
        fewest, most = games.players_of(env_id)
        players = fewest if num_players is None else num_players
        if type(players) is not int or not fewest <= players <= most:
            raise ConfigError(
                f"num_players of {env_id} must be from {fewest} to {most}, got {num_players!r}"
            )
        if type(max_turns) is not int or max_turns < 1:
            raise ConfigError(f"max_turns must be an int, at least 1, got {max_turns!r}")
        if not deadline_s > 0:
            raise ConfigError(f"deadline_s must be above 0, got {deadline_s!r}")
        self.env_id, self.game_kwargs = env_id, kwargs
        self.max_turns, self.deadline_s = max_turns, deadline_s
        self.kwargs: dict[str, Any] = {
            "env_id": env_id, "num_players": players, "max_turns": max_turns, **kwargs,
        }  # fmt: skip
        self.metadata = {**self.metadata, "name": f"textarena/{env_id}"}
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._episode: Episode | None = None
        games.load(env_id)  # with no deadline: an import must not be left in its midst
        # Raises what it lacks; some read word lists for seconds, the first time.
        call(env_id, Dice(0), max(deadline_s, LOAD_S), lambda: games.make(env_id, kwargs))

    # -- the PettingZoo protocol --------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: Seed of the env's own generator; None goes on with it.
            options: Not used; PettingZoo's ``api_test`` passes some of its own.

        Raises:
            GameUnavailable: The game needs something that is not here.
            ConfigError: The game refuses the number of players.
            MachineryError: TextArena raised, or took too long.
        """
        generator = self._generator(seed)
        self.agents = []  # should the deal fail
        episode = self._episode = self._begin(int(generator.integers(2**32)))
        self._seat_all()
        self.agent_selection = self.agents[episode.to_move()]
        self._inform(None, "reset", legal=True)
        self._show()

    def step(self, action: str | None) -> None:
        """Give the game a reply of ``agent_selection``.

        Args:
            action: The model's whole reply, any str; None for an agent whose episode is over.

        Raises:
            StepOutsideEpisode: The env was never reset, or every agent is done.
            ConfigError: ``action`` is no str.
        """
        seat = self._replying(action)
        if seat is None:
            return
        action, episode = cast("str", action), cast("Episode", self._episode)
        before = episode.errors(seat)
        try:
            over = episode.give(clean(action) if len(action) <= MAX_CHARS else "")
            rewards = episode.paid() if over else []
            asked = seat if over else episode.to_move()
        except MachineryError as error:
            self._fail(seat, error)
            return
        errors, out = (now > then for now, then in zip(episode.errors(seat), before, strict=True))
        event = MALFORMED if len(action) > MAX_CHARS else FORFEIT if out else (
            REFUSED if errors else MOVED)  # fmt: skip
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = dict(zip(self.agents, rewards, strict=True))
        elif len(episode.replies) >= self.max_turns:
            self.truncations = dict.fromkeys(self.agents, True)
        following = (seat + 1) % len(self.agents) if self._is_over() else asked
        self.agent_selection = self.agents[following]
        self._inform(seat, event, legal=event == MOVED)
        self._accumulate_rewards()
        self._show()

    def observe(self, agent: str) -> Observation:
        """Return what an agent can read now; asking twice changes nothing.

        Raises:
            StepOutsideEpisode: The env was never reset.
            UnknownName: There is no such agent.
        """
        self._check_begun("observe")
        return {TEXT: self._read(self._seat_of(agent)).text}

    @property
    def _is_begun(self) -> bool:
        return self._episode is not None

    # -- one reply ----------------------------------------------------------------------------

    def _begin(self, seed: int) -> Episode:
        players = len(self.possible_agents)
        return Episode(self.env_id, self.game_kwargs, players, seed, self.deadline_s)

    def _fail(self, seat: int, error: MachineryError) -> None:
        """Cut the episode off: what the game has become is not known."""
        self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[(seat + 1) % len(self.agents)]
        for agent in self.agents:
            self.infos[agent] = {
                **self.infos[agent], **failure_info(error), "view": "", "to_move": False,
            }  # fmt: skip

    def _is_over(self) -> bool:
        return any(self.terminations.values()) or any(self.truncations.values())

    # -- what is told -------------------------------------------------------------------------

    def _inform(self, mover: int | None, event: str, *, legal: bool) -> None:
        """Write every player's info."""
        episode = self._episode
        assert episode is not None
        over = any(self.terminations.values())
        best = max(self.rewards.values())
        alone = len(self.possible_agents) == 1
        asked = None if self._is_over() else self.possible_agents.index(self.agent_selection)
        allowed = episode.errors_allowed
        for seat, agent in enumerate(self.possible_agents):
            paid = self.rewards[agent]
            won = over and (paid >= 1.0 if alone else paid == best and best > 0)
            drawn = over and len(set(self.rewards.values())) == 1
            progress = min(1.0, max(0.0, paid)) if alone else 1.0 if won else 0.5 if drawn else 0.0
            mine = mover is None or seat == mover
            reading = self._read(seat)
            self.infos[agent] = {
                "event": event if mine else OTHER,
                "turn": len(episode.replies),
                "max_turns": self.max_turns,
                "legal": legal if mine else True,
                "success": won,
                "progress": progress,
                "feedback": reading.told,
                "view": reading.view,
                "optimal_turns": -1,
                "valid": True,
                "error": "",
                "stop": "",
                "seat": seat,
                "tries_left": max(0, allowed - episode.errors(seat)[0])
                if seat == (mover if over else asked)
                else allowed,
                "to_move": seat == asked,
            }

    def _read(self, seat: int) -> Reading:
        agent = self.possible_agents[seat]
        if self._is_over():
            turn = "The game is over."
        elif agent == self.agent_selection:
            turn = "It is your turn."
        else:
            turn = "It is not your turn."
        return cast("Episode", self._episode).read(seat, turn)

    def _views(self) -> Sequence[str]:
        return cast("Episode", self._episode).boards

    # -- beyond PettingZoo --------------------------------------------------------------------

    def rules_of(self, agent: str) -> str:
        """Return the rules, which an agent reads until its first move.

        Raises:
            StepOutsideEpisode: The env was never reset.
            UnknownName: There is no such agent.
        """
        self._check_begun("rules_of")
        return "\n".join(cast("Episode", self._episode).rules[self._seat_of(agent)])

    def snapshot(self) -> bytes:
        """Return the episode, the settings and the generator as JSON bytes.

        Of the game it holds the seed and the replies, which lead to its state again.

        Raises:
            SnapshotUnsupported: An argument of the game is no JSON.
        """
        generator, episode = self.np_random, self._episode
        try:
            kwargs = json.loads(json.dumps(self.kwargs))
        except TypeError as error:
            raise SnapshotUnsupported(f"an argument of the game is no JSON: {error}") from error
        return json.dumps(
            {
                "format": FORMAT_VERSION,
                "kwargs": kwargs,
                "rng": None if generator is None else generator.bit_generator.state,
                "seed": None if episode is None else episode.seed,
                "replies": [] if episode is None else episode.replies,
                "told": [] if episode is None else episode.told,
                **{key: getattr(self, name, None) for name, key in SAVED.items()},
            }
        ).encode()

    def restore(self, data: bytes) -> None:
        """Take up the episode of a :meth:`snapshot` of an env with the same settings.

        Raises:
            SnapshotMismatch: It is of another game, other settings or another format, or damaged,
                or the game does not go the same way again.
            MachineryError: TextArena raised, or took too long, where it had not before.
        """
        saved = read_snapshot(data, {"format": FORMAT_VERSION, "kwargs": self.kwargs})
        try:
            generator = np.random.Generator(np.random.PCG64())
            if saved["rng"] is not None:
                generator.bit_generator.state = saved["rng"]
            episode = None if saved["seed"] is None else self._begin(saved["seed"])
            if episode is not None:
                episode.replay(saved["replies"], saved["told"])
            attributes = {name: saved[key] for name, key in SAVED.items() if saved[key] is not None}
        except ConfigError:
            raise
        except DAMAGE as error:
            raise SnapshotMismatch(f"this snapshot is damaged: {error!r}") from error
        # Only now: an env that could not take it up goes on as it was.
        self.np_random = None if saved["rng"] is None else generator
        self._episode = episode
        vars(self).update(attributes)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle and a copy hold: the game itself need not be picklable."""
        return {"arguments": self._arguments, "snapshot": self.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        arguments: dict[str, Any] = state["arguments"]
        self.__init__(**arguments)
        self.restore(state["snapshot"])
