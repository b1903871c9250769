"""What tests of several folders use: scripted episodes, golden files, small envs."""

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import gem_gymnasium
from gem_gymnasium.solvers import solver_for

GOLDEN = Path(__file__).parent / "golden"
REGEN = "REGEN_GOLDEN"
FULL_TURNS = 3
LONG_TURNS = 300
ENDS_TURNS = 50

Transition = tuple[Any, float, bool, bool, dict[str, Any]]
Policy = Callable[[gym.Env[str, str], str, dict[str, Any]], str]


def boxed(value: object) -> str:
    r"""Return the reply ``\boxed{value}``."""
    return f"\\boxed{{{value}}}"


def config_of(id: str) -> Any:
    """Return the rules that an id plays."""
    env: Any = gym.make(id).unwrapped
    env.reset(seed=0)
    return env.config


def steps_in_range(
    env: Any, actions: Iterable[str], reply_of: Callable[[str], str]
) -> Iterator[tuple[str, float, dict[str, Any]]]:
    """Play actions and yield (action, reward, info) of each step; check what every game keeps.

    Events are known, nothing is truncated, the actions play the episode out, and its return lies
    in [-0.1, 1], or [-0.1 * max_turns, 1] where malformed replies cost a turn.
    """
    total, done = 0.0, False
    for action in actions:
        if done:
            break
        _, reward, done, truncated, info = env.step(reply_of(action))
        total += reward
        assert not truncated
        assert info["event"] in (*env.events, "malformed")
        yield action, reward, info
    assert done
    lowest = -0.1 if env.on_malformed == "end" else -0.1 * env.config.max_turns
    assert lowest - 1e-9 <= total <= 1.0


def legal(seed: int = 0) -> Policy:
    """Return a policy that plays random legal moves."""
    rng = np.random.default_rng(seed)
    return lambda env, observation, info: env.unwrapped.sample_legal_action(rng)


def solver(env: gym.Env[str, str]) -> Policy:
    """Return the policy of the solver of ``env``."""
    player = solver_for(env)
    started = False

    def act(env: gym.Env[str, str], observation: str, info: dict[str, Any]) -> str:
        nonlocal started
        if not started:
            player.reset(observation, info)
            started = True
        return player.act(observation, info)

    return act


def same_again(seed: int = 0) -> Policy:
    """Return a policy that gives the first legal move over and over: no game is won by it."""
    reply: list[str] = []
    first = legal(seed)

    def act(env: gym.Env[str, str], observation: str, info: dict[str, Any]) -> str:
        if not reply:
            reply.append(first(env, observation, info))
        return reply[0]

    return act


def scripted(replies: Iterable[str]) -> Policy:
    """Return a policy that gives these replies in turn."""
    iterator = iter(replies)
    return lambda env, observation, info: next(iterator)


def episode(env: gym.Env[str, str], policy: Policy, seed: int) -> list[tuple[str, Transition]]:
    """Play one episode; return (action, what it led to), the reset as action ``""``."""
    observation, info = env.reset(seed=seed)
    calls: list[tuple[str, Transition]] = [("", (observation, 0.0, False, False, info))]
    done = False
    while not done:
        action = policy(env, observation, info)
        observation, reward, terminated, truncated, info = env.step(action)
        calls.append((action, (observation, float(reward), terminated, truncated, info)))
        done = terminated or truncated
    return calls


def transcript(id: str, policy: Policy, seed: int = 0, **kwargs: Any) -> str:
    """Return an episode as the text of a golden file.

    In a long episode the middle turns show their feedback only, and a digest of what was seen; of
    one over LONG_TURNS only the first and the last ENDS_TURNS are shown, and a digest of the rest.
    """
    env = gym.make(id, **kwargs)
    lines = [f"# {id} seed={seed}" + "".join(f" {k}={v!r}" for k, v in kwargs.items())]
    calls = episode(env, policy, seed)
    env.close()
    cut = range(ENDS_TURNS, len(calls) - ENDS_TURNS if len(calls) > LONG_TURNS else 0)
    for turn, (action, (observation, reward, terminated, truncated, info)) in enumerate(calls):
        if turn in cut:
            if turn == cut.start:
                digest = hashlib.sha256(repr(calls[cut.start : cut.stop]).encode()).hexdigest()[:16]
                lines.append(f"... {len(cut)} turns {digest}")
            continue
        if turn:
            lines += [f"> {line}" for line in action.splitlines() or [""]]
        if FULL_TURNS <= turn < len(calls) - FULL_TURNS:
            digest = hashlib.sha256(observation.encode("utf-8")).hexdigest()[:16]
            observation = f"{info['feedback']}\n... {digest}"
        lines += [f"< {line}".rstrip() for line in observation.splitlines()]
        if turn:
            flags = f"terminated={terminated} truncated={truncated}"
            score = f"success={info['success']} progress={info['progress']:.4f}"
            lines.append(f"= {reward:+.4f} {flags} {info['event']} legal={info['legal']} {score}")
    return "\n".join(lines) + "\n"


def assert_golden(name: str, text: str) -> None:
    """Compare ``text`` with a golden file; ``REGEN_GOLDEN=1`` writes it instead."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get(REGEN):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"no golden file {path.name}: run with {REGEN}=1, read it, commit it"
    golden = path.read_text(encoding="utf-8")
    assert text == golden, f"{path.name} differs; if that is meant, bump -vN and run {REGEN}=1"


def replies(id: str, seed: int, count: int) -> list[str]:
    """Return replies to play against ``id``: legal ones of the first state, and some nonsense."""
    env = gym.make(id)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    legal_replies = [env.unwrapped.sample_legal_action(rng) for _ in range(count)]
    env.close()
    return [reply if i % 4 != 3 else f"hm {i} {reply[:5]}" for i, reply in enumerate(legal_replies)]


class Faulty(gym.Env[str, str]):
    """An env that can be told to wait, hang or crash: the action, or the reset option, says so.

    ``"sleep 0.1"`` waits, ``"hang"`` waits until ``release`` is set, ``"crash"`` raises, ``"end"``
    terminates, ``"cut"`` truncates; anything else is a step. Resets obey ``options["do"]``.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012
    extra_info = {"draw": int}  # noqa: RUF012

    def __init__(self, log: list[tuple[str, int]] | None = None, event: Any = None) -> None:
        self.observation_space = gem_gymnasium.UnicodeText()
        self.action_space = gem_gymnasium.UnicodeText()
        self.render_mode = "ansi"
        self.log = [] if log is None else log
        self.release = event
        self.turn = 0
        self.closed = 0
        self.note = "none"

    def _obey(self, order: str) -> None:
        verb, _, rest = order.partition(" ")
        self.log.append((order, id(self)))
        if verb == "sleep":
            time.sleep(float(rest))
        elif verb == "hang":
            self.release.wait(60)
        elif verb == "crash":
            raise RuntimeError(rest or "the env broke")

    def _info(self, event: str, draw: int) -> dict[str, Any]:
        return {
            "event": event, "turn": self.turn, "max_turns": 100, "legal": True, "success": False,
            "progress": 0.0, "feedback": f"{event}.", "view": f"turn {self.turn}",
            "optimal_turns": -1, "valid": True, "error": "", "stop": "", "draw": draw,
        }  # fmt: skip

    def _answer(self, event: str) -> tuple[str, dict[str, Any]]:
        info = self._info(event, int(self.np_random.integers(1_000_000)))
        return f"{info['feedback']}\n{info['draw']}\n{info['view']}", info

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        self._obey((options or {}).get("do", "reset"))
        self.turn = 0
        return self._answer("reset")

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        self._obey(action)
        self.turn += 1
        observation, info = self._answer("step")
        return observation, 1.0, action == "end", action == "cut", info

    def render(self) -> str:
        return f"frame {self.turn}"

    def double(self, value: int) -> int:
        return 2 * value

    def close(self) -> None:
        self.closed += 1
