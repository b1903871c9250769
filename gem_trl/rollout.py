"""Play whole episodes with the policy and record every turn's token ids."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from gem_trl.env_batch import Envs, Info, Start
from gem_trl.episode import Episode, Turn
from gem_trl.generation import Generator, Reply, Sampling
from gem_trl.prompts import PromptEncoder

TruncatedReplies = Literal["penalize", "mask"]

TRAINING, EVALUATION, SAMPLING, SHUFFLING = range(4)
EVALUATION_SAMPLING, MIXING, SUBSAMPLING, OPPONENTS = range(4, 8)
"""The second number of each random stream's key, so that none can draw what another draws."""


def derived_seed(*key: int) -> int:
    """Return the seed that a key of non-negative integers stands for."""
    return int(np.random.SeedSequence(key).generate_state(1, np.uint64)[0] >> 1)


class Opponent(NamedTuple):
    """Somebody else, who plays in some games every seat but one."""

    generator: Generator
    learners: Sequence[int | None]
    """For each place among the episodes, the policy's seat; None: it plays all of them."""


class Assignment(NamedTuple):
    """Which episode an env is to play: its place in the result, its seed, the policy's seat."""

    place: int
    seed: int
    learner: int | None = None


@dataclass(slots=True)
class _Live:
    """An episode under way: which seat is asked what, and the turns of each that has played."""

    assignment: Assignment
    prompt_ids: tuple[int, ...]
    seat: int = 0
    turns: dict[int, list[Turn]] = field(default_factory=dict[int, list[Turn]])

    @property
    def learns(self) -> bool:
        """Whether the seat that is asked is the policy's."""
        return self.assignment.learner in (None, self.seat)

    def pay(self, rewards: Sequence[float]) -> None:
        """Add what each seat was paid to its newest turn; who has not moved yet gets nothing."""
        for seat, reward in enumerate(rewards):
            if reward and (own := self.turns.get(seat)):
                own[-1] = replace(own[-1], reward=own[-1].reward + reward)


class Collector:
    """Plays episodes in a batch of envs, one generation call a turn for all of them.

    Args:
        envs: Where the episodes are played.
        encoder: Makes prompts of observations and texts of replies.
        generator: Draws the replies.
        max_prompt_tokens: A longer prompt ends its episode as truncated, ``stop="context"``.
        max_turns: An episode of so many turns is truncated, so that none plays for ever.
        truncated_replies: What becomes of a reply without end-of-sequence: ``"penalize"`` gives
            the env an empty reply and trains the row; ``"mask"`` gives the env the text and keeps
            the row out of the loss.
    """

    def __init__(
        self,
        envs: Envs,
        encoder: PromptEncoder,
        generator: Generator,
        *,
        max_prompt_tokens: int,
        max_turns: int = 10_000,
        truncated_replies: TruncatedReplies = "penalize",
    ) -> None:
        self.envs = envs
        self._encoder, self._generator = encoder, generator
        self._max_prompt_tokens, self._max_turns = max_prompt_tokens, max_turns
        self._truncated_replies: TruncatedReplies = truncated_replies
        self.seconds: dict[str, float] = {}
        """Seconds that the newest episodes spent in generation and in the envs."""

    def collect(
        self,
        count: int,
        seed_of: Callable[[int, int], int],
        sampling: Sampling,
        seed: int,
        kinds: Sequence[int] | None = None,
        opponent: Opponent | None = None,
    ) -> list[Episode]:
        """Play ``count`` episodes, each to its end.

        A game of several players gives an episode for each seat of the policy's that has moved.

        Which kind of env (of a list of ids) plays an episode is fixed beforehand: were it the one
        that is free first, short episodes would be played more often.

        Args:
            count: How many; stopping at a number of turns would favour short episodes.
            seed_of: ``(env index, place among the episodes) -> seed`` of the next episode an env
                plays; called once for each episode, in the order in which they start.
            sampling: How replies are drawn.
            seed: Seed of the replies' randomness.
            kinds: The kind of env that is to play each episode; in turn if None.
            opponent: Who else plays in which games; the policy plays all seats if None.

        Returns:
            The episodes, by their places, and of a game by their seats.
        """
        self._generator.sync_weights()
        done: dict[int, list[Episode]] = {}
        live: dict[int, _Live] = {}
        self.seconds = {"generate": 0.0, "env": 0.0}
        waiting: list[deque[int]] = [deque() for _ in self.envs.weights]
        for place in range(count):
            waiting[place % len(waiting) if kinds is None else kinds[place]].append(place)
        free: list[int] = list(range(self.envs.num_envs))
        call = 0
        while len(done) < count:
            assigned: dict[int, Assignment] = {}
            if self.envs.restarts_singly or not live:
                for env in free:
                    if waiting[self.envs.kinds[env]]:
                        place = waiting[self.envs.kinds[env]].popleft()
                        learner = None if opponent is None else opponent.learners[place]
                        assigned[env] = Assignment(place, seed_of(env, place), learner)
            if assigned:
                started = time.perf_counter()
                starts = self.envs.start({env: a.seed for env, a in assigned.items()})
                self._spend("env", started)
                free = [env for env in free if env not in assigned]
                for env, start in starts.items():
                    ended = self._begin(env, assigned[env], start, live)
                    if ended:  # a failed start frees its env at once
                        done[assigned[env].place] = ended
                        free.append(env)
                free.sort()
                continue
            replies = self._replies(live, sampling, derived_seed(seed, call), opponent)
            self._turn(live, done, free, replies)
            call += 1
        self._generator.finish()
        return [episode for place in range(count) for episode in done[place]]

    def _spend(self, phase: str, started: float) -> None:
        self.seconds[phase] += time.perf_counter() - started

    def _begin(
        self, env: int, assignment: Assignment, start: Start, live: dict[int, _Live]
    ) -> list[Episode]:
        """Start an episode, or return it if it ends before its first turn."""
        prompt_ids = self._encoder.encode(start.observation, start.info)
        begun = _Live(assignment, prompt_ids, start.seat)
        if not start.info.get("valid", True):
            return self._ended(env, begun, **_failure(start.info))
        if len(begun.prompt_ids) > self._max_prompt_tokens:
            return self._ended(env, replace(begun, prompt_ids=()), stop="context")
        live[env] = begun
        return []

    def _replies(
        self, live: dict[int, _Live], sampling: Sampling, seed: int, opponent: Opponent | None
    ) -> dict[int, Reply]:
        """Draw the next reply of every live episode."""
        started = time.perf_counter()
        mine = [env for env in sorted(live) if live[env].learns]
        prompts = [live[env].prompt_ids for env in mine]
        replies = dict(zip(mine, self._generator.generate(prompts, sampling, seed), strict=True))
        others = [env for env in sorted(live) if not live[env].learns]
        if others:
            assert opponent is not None  # it plays the seats that the policy does not
            prompts = [live[env].prompt_ids for env in others]
            drawn = opponent.generator.generate(prompts, sampling, derived_seed(seed, 1))
            replies |= zip(others, drawn, strict=True)
        self._spend("generate", started)
        return replies

    def _turn(
        self,
        live: dict[int, _Live],
        done: dict[int, list[Episode]],
        free: list[int],
        by_env: dict[int, Reply],
    ) -> None:
        """Play one turn of every live episode."""
        penalize = self._truncated_replies == "penalize"
        texts = {
            env: "" if penalize and not reply.finished else self._encoder.decode(reply.ids)
            for env, reply in by_env.items()
        }
        started = time.perf_counter()
        steps = self.envs.step(texts)
        self._spend("env", started)
        for env, step in sorted(steps.items()):
            episode, reply = live[env], by_env[env]
            # A sampler that gave not-a-number drew from nothing: its reply must teach nothing.
            scored = reply.log_probs is None or math.isfinite(sum(reply.log_probs))
            odd = [each for each in step.rewards if not math.isfinite(each)]
            turns = episode.turns.setdefault(episode.seat, [])
            turns.append(
                Turn(
                    prompt_ids=episode.prompt_ids,
                    reply_ids=reply.ids,
                    reward=0.0,
                    log_probs=reply.log_probs,
                    finished=reply.finished,
                    trains=scored and (penalize or reply.finished),
                    legal=bool(step.info.get("legal", True)),
                    event=str(step.info.get("event", "")),
                )
            )
            prompt_ids = self._encoder.encode(step.observation, step.info)
            fits = len(prompt_ids) <= self._max_prompt_tokens
            episode.prompt_ids, episode.seat = prompt_ids if fits else (), step.seat
            if not odd:  # NaN would reach every advantage of the rollout
                episode.pay(step.rewards)
            if odd:
                error = f"reward {odd[0]}"
                ended = self._ended(env, episode, stop="crash", error=error, valid=False)
            elif not step.info.get("valid", True):
                ended = self._ended(env, episode, **_failure(step.info))
            elif step.terminated or step.truncated:
                ended = self._ended(
                    env,
                    episode,
                    terminated=step.terminated,
                    stop=str(step.info.get("stop", "")),
                    wins=step.wins,
                )
            elif not fits:
                ended = self._ended(env, episode, stop="context")
            elif len(turns) >= self._max_turns:
                ended = self._ended(env, episode)
            else:
                continue
            done[episode.assignment.place] = ended
            del live[env]
            free.append(env)
        free.sort()

    def _ended(
        self,
        env: int,
        episode: _Live,
        *,
        terminated: bool = False,
        stop: str = "",
        error: str = "",
        valid: bool = True,
        wins: Sequence[bool] = (),
    ) -> list[Episode]:
        """Return the episode of each seat of the policy's that has moved.

        Where none has, there is one without turns if the game failed or did not begin, so that it
        is counted.
        """
        learner, next_seat = episode.assignment.learner, episode.seat
        seats = [seat for seat in sorted(episode.turns) if learner in (None, seat)]
        if not seats and not (valid and episode.turns):
            seats = [next_seat if learner is None else learner]
        return [
            Episode(
                env_id=self.envs.env_id(env),
                seed=episode.assignment.seed,
                seat=seat,
                turns=tuple(episode.turns.get(seat, ())),
                terminated=terminated,
                truncated=not terminated,
                success=bool(wins) and wins[seat],
                valid=valid,
                stop=stop,
                error=error,
                final_prompt_ids=episode.prompt_ids if seat == next_seat else (),
            )
            for seat in seats
        ]


def _failure(info: Info) -> dict[str, Any]:
    """Return what an episode records of the info of an invalid step or reset."""
    stop, error = str(info.get("stop", "")), str(info.get("error", ""))
    return {"stop": stop, "error": error, "valid": False}
