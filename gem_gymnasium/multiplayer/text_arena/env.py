"""TextArenaAEC: a game of TextArena as a PettingZoo env."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv  # pyright: ignore[reportMissingTypeStubs]

from gem_gymnasium.core.errors import (
    ConfigError,
    EnvCrash,
    GameUnavailable,
    MachineryError,
    SnapshotMismatch,
    SnapshotUnsupported,
    StepOutsideEpisode,
)
from gem_gymnasium.core.render import can_draw, check_render_mode, draw_text
from gem_gymnasium.core.spaces import MAX_CHARS, UnicodeText
from gem_gymnasium.core.text_env import FAILED, MALFORMED, failure_info
from gem_gymnasium.multiplayer.text_aec import FORFEIT, OTHER, TEXT, Observation
from gem_gymnasium.multiplayer.text_arena import games
from gem_gymnasium.multiplayer.text_arena.confine import Dice, confined
from gem_gymnasium.multiplayer.text_arena.deadline import call_within
from gem_gymnasium.multiplayer.text_arena.wording import (
    ACTION,
    BOARD,
    Message,
    Reading,
    clean,
    read,
)

MOVED, REFUSED = "moved", "refused"
GAME = "GAME"
FORMAT_VERSION = 1

ResultT = TypeVar("ResultT")


class TextArenaAEC(AECEnv[str, Observation, str]):
    """A game of TextArena, with the spaces and the infos of ``TextAEC``.

    Agents are ``player_0``, ``player_1``, ...; an observation is ``{"text": str}``, an action any
    str. The text is what the player was told since its last move (before that: the rules too), the
    newest board that it was shown, and whether it is its turn. Of a reply, the last 4,096
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

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo declares it as an instance attribute
        "render_modes": ["ansi", "human", *(["rgb_array"] if can_draw() else [])],
        "render_fps": 2,
        "is_parallelizable": True,
    }
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
        super().__init__()
        self._arguments: dict[str, Any] = {
            "env_id": env_id, "num_players": num_players, "render_mode": render_mode,
            "max_turns": max_turns, "deadline_s": deadline_s, **kwargs,
        }  # fmt: skip
        check_render_mode(render_mode, self.metadata["render_modes"])
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
        self.render_mode, self.max_turns, self.deadline_s = render_mode, max_turns, deadline_s
        self.kwargs: dict[str, Any] = {
            "env_id": env_id, "num_players": players, "max_turns": max_turns, **kwargs,
        }  # fmt: skip
        self.metadata = {**type(self).metadata, "name": f"textarena/{env_id}"}
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._observations = spaces.Dict({TEXT: UnicodeText()})
        self._actions = UnicodeText()
        self.agents: list[str] = []
        self.rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.np_random: np.random.Generator | None = None
        self._game: Any = None
        self._seed = 0
        self._replies: list[str] = []
        """What the game was given in this episode: with the seed, all that has led to its state."""
        self._log: list[list[Message]] = []
        """What each seat was told since its last move."""
        self._boards: list[str] = []
        self._call(Dice(0), lambda: games.make(env_id, kwargs))  # raises what it lacks, here

    # -- the PettingZoo protocol --------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return ``Dict(text=UnicodeText)``, the same object for every agent."""
        return self._observations

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return ``UnicodeText``, the same object for every agent."""
        return self._actions

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
        if seed is not None or self.np_random is None:
            self.np_random, _ = seeding.np_random(seed)
        self.agents = []  # should the deal fail
        self._deal(int(self.np_random.integers(2**32)))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self.agents[self._to_move()]
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
        if not self.agents:
            raise StepOutsideEpisode("there is no episode to move in: call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise ConfigError(f"the episode of {agent} is over: its action must be None")
            self._was_dead_step(cast("Any", None))
            return
        if not isinstance(action, str):
            raise ConfigError(f"an action must be a str, got {type(action).__name__}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        seat = self.possible_agents.index(agent)
        before = self._errors(seat)
        try:
            over = self._give(clean(action) if len(action) <= MAX_CHARS else "")
            rewards = self._paid() if over else {}
        except MachineryError as error:
            self._fail(seat, error)
            return
        errors, out = (now > then for now, then in zip(self._errors(seat), before, strict=True))
        event = MALFORMED if len(action) > MAX_CHARS else FORFEIT if out else (
            REFUSED if errors else MOVED)  # fmt: skip
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = rewards
        elif len(self._replies) >= self.max_turns:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[self._next(seat)]
        self._inform(seat, event, legal=event == MOVED)
        self._accumulate_rewards()
        self._show()

    def observe(self, agent: str) -> Observation:
        """Return what an agent can read now; asking twice changes nothing."""
        return {TEXT: self._read(self.possible_agents.index(agent)).text}

    def render(self) -> Any:
        """Return what each seat can see, as text (``ansi``) or frame (``rgb_array``), else None.

        Raises:
            StepOutsideEpisode: The env was never reset.
        """
        if self._game is None:
            raise StepOutsideEpisode("the env was never reset: call reset() before render()")
        if self.render_mode == "ansi":
            return self._picture()
        return draw_text(self._picture()) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    # -- the game -----------------------------------------------------------------------------

    def _call(self, dice: Dice, function: Callable[[], ResultT]) -> ResultT:
        """Run a part of TextArena: with these dice, in time, its errors as ours."""
        with confined(dice):
            try:
                return call_within(self.deadline_s, function, f"TextArena's {self.env_id}")
            except (ConfigError, MachineryError):
                raise
            except Exception as error:
                raise EnvCrash(
                    f"TextArena's {self.env_id} raised {type(error).__name__}: {error}"
                ) from error

    def _deal(self, seed: int) -> None:
        """Make the game anew (some keep things from one episode to the next) and begin it."""
        self._seed, self._dice, self._replies = seed, Dice(seed), []
        self._log = [[] for _ in self.possible_agents]
        self._boards = [""] * len(self.possible_agents)
        self._call(self._dice, self._begin)

    def _begin(self) -> None:
        self._game = games.make(self.env_id, self.game_kwargs)
        try:
            self._game.reset(num_players=len(self.possible_agents), seed=self._seed)
        except Exception as error:
            lacks = games.lack_of(error)
            if lacks is not None:
                raise GameUnavailable(f"TextArena's {self.env_id} needs {lacks}") from error
            if isinstance(error, (AssertionError, ValueError)):
                raise ConfigError(f"TextArena's {self.env_id} cannot begin: {error}") from error
            raise
        self._listen()

    def _give(self, reply: str) -> bool:
        """Give the game a reply; return whether it is over."""

        def play() -> bool:
            seat = self._to_move()
            over = bool(self._game.step(reply)[0])
            self._log[seat] = []
            self._listen()
            if over:
                self._say_why()
            return over

        over = self._call(self._dice, play)
        self._replies.append(reply)
        return over

    def _listen(self) -> None:
        """Take what the game has to tell, for every seat."""
        state = self._game.state
        asked, messages = self._game.get_observation()
        waiting = dict(state.observations)
        for seat in range(len(self.possible_agents)):
            new = messages if seat == asked else waiting.get(seat, [])
            state.observations[seat] = []
            told = [Message(self._name(sender), str(text).strip("\n"), _kind(kind))
                    for sender, text, kind in new
                    if sender != seat or _kind(kind) != ACTION]  # its own reply it knows
            boards = [each.text for each in told if each.kind == BOARD]
            if boards:
                self._boards[seat] = "\n".join(boards)
            self._log[seat] += [each for each in told if each.kind != BOARD]

    def _name(self, sender: int) -> str:
        """Return who says something: the game, or a player by its name in the game."""
        return GAME if sender == -1 else str(
            self._game.state.role_mapping.get(sender, f"Player {sender}"))

    def _say_why(self) -> None:
        """Tell each seat why the game is over, if the game has not."""
        for seat, log in enumerate(self._log):
            reason = self._game.state.game_info.get(seat, {}).get("reason")
            if reason and not any(str(reason) in each.text for each in log):
                log.append(Message(GAME, str(reason), "GAME_ADMIN"))

    def _to_move(self) -> int:
        seat = int(self._game.state.current_player_id)
        if not 0 <= seat < len(self.possible_agents):
            raise EnvCrash(f"TextArena's {self.env_id} asks player {seat}, who does not exist")
        return seat

    def _next(self, seat: int) -> int:
        """Return who comes next: whom the game asks, or, when it is over, the next in the row."""
        if self._is_over():
            return (seat + 1) % len(self.possible_agents)
        return self._to_move()

    def _errors(self, seat: int) -> tuple[int, bool]:
        """Return a player's errors in this turn, and whether they were too many."""
        state = self._game.state
        out = bool(state.game_info.get(seat, {}).get("invalid_move"))
        return int(getattr(state, "error_count", 0)), out

    def _paid(self) -> dict[str, float]:
        """Return what the game pays in the end."""
        paid, _ = self._call(self._dice, self._game.close)
        try:
            rewards = [float(paid.get(seat, 0.0)) for seat in range(len(self.possible_agents))]
        except (AttributeError, TypeError, ValueError):
            rewards = [math.nan]
        if not all(map(math.isfinite, rewards)):
            raise EnvCrash(f"TextArena's {self.env_id} pays {paid}")
        return dict(zip(self.possible_agents, rewards, strict=True))

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
        over = any(self.terminations.values())
        best = max(self.rewards.values())
        alone = len(self.possible_agents) == 1
        asked = None if self._is_over() else self.possible_agents.index(self.agent_selection)
        allowed = int(getattr(self._game.state, "error_allowance", 0) or 0)
        for seat, agent in enumerate(self.possible_agents):
            paid = self.rewards[agent]
            won = over and (paid >= 1.0 if alone else paid == best and best > 0)
            drawn = over and len(set(self.rewards.values())) == 1
            progress = min(1.0, max(0.0, paid)) if alone else 1.0 if won else 0.5 if drawn else 0.0
            mine = mover is None or seat == mover
            reading = self._read(seat)
            self.infos[agent] = {
                "event": event if mine else OTHER,
                "turn": len(self._replies),
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
                "tries_left": max(0, allowed - self._errors(seat)[0]) if seat == asked else allowed,
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
        return read(self._log[seat], self._boards[seat], turn)

    def _picture(self) -> str:
        """Return every seat's board, once where all see the same."""
        boards = list(dict.fromkeys(self._boards))
        if len(boards) == 1:
            return boards[0]
        pairs = zip(self.possible_agents, self._boards, strict=True)
        return "\n\n".join(f"{agent}:\n{board}" for agent, board in pairs)

    def _show(self) -> None:
        """Show it to a person who watches."""
        if self.render_mode == "human":
            sys.stdout.write(f"{self._picture()}\n\n")

    # -- beyond PettingZoo --------------------------------------------------------------------

    def snapshot(self) -> bytes:
        """Return the episode, the settings and the generator as JSON bytes.

        Of the game it holds the seed and the replies, which lead to its state again.

        Raises:
            SnapshotUnsupported: An argument of the game is no JSON.
        """
        generator = self.np_random
        try:
            kwargs = json.loads(json.dumps(self.kwargs))
        except TypeError as error:
            raise SnapshotUnsupported(f"an argument of the game is no JSON: {error}") from error
        return json.dumps(
            {
                "format": FORMAT_VERSION,
                "kwargs": kwargs,
                "rng": None if generator is None else generator.bit_generator.state,
                "seed": self._seed,
                "replies": self._replies,
                "log": self._log,
                "begun": self._game is not None,
                "agents": self.agents,
                "selection": self.agent_selection if self.agents else None,
                "rewards": self.rewards,
                "owed": self._cumulative_rewards,
                "terminations": self.terminations,
                "truncations": self.truncations,
                "infos": self.infos,
            }
        ).encode()

    def restore(self, data: bytes) -> None:
        """Take up the episode of a :meth:`snapshot` of an env with the same settings.

        Raises:
            SnapshotMismatch: It is of another game, other settings or another format, or the game
                does not go the same way again.
        """
        try:
            saved: dict[str, Any] = json.loads(data)
            saved.get("format")
        except (ValueError, AttributeError) as error:
            raise SnapshotMismatch(f"this is no snapshot: {error}") from error
        own = {"format": FORMAT_VERSION, "kwargs": json.loads(json.dumps(self.kwargs))}
        for key, value in own.items():
            if saved.get(key) != value:
                raise SnapshotMismatch(f"{key} is {value!r} here and {saved.get(key)!r} there")
        if saved["rng"] is not None:
            self.np_random = np.random.Generator(np.random.PCG64())
            self.np_random.bit_generator.state = saved["rng"]
        if saved["begun"]:
            self._deal(saved["seed"])
            for reply in saved["replies"]:
                self._give(reply)
            if json.loads(json.dumps(self._log)) != saved["log"]:
                raise SnapshotMismatch(f"TextArena's {self.env_id} went another way than before")
        self.agents = saved["agents"]
        if saved["selection"] is not None:
            self.agent_selection = saved["selection"]
        self.rewards, self._cumulative_rewards = saved["rewards"], saved["owed"]
        self.terminations, self.truncations = saved["terminations"], saved["truncations"]
        self.infos = saved["infos"]

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle and a copy hold: the game itself need not be picklable."""
        return {"arguments": self._arguments, "snapshot": self.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        arguments: dict[str, Any] = state["arguments"]
        self.__init__(**arguments)
        self.restore(state["snapshot"])


def _kind(kind: Any) -> str:
    """Return the name of an ``ObservationType``; some games give another object in its place."""
    return str(getattr(kind, "name", ""))
