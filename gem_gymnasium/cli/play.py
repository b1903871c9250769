"""``gem-gym play``: play an environment in the terminal, reading what a model reads."""

from __future__ import annotations

import argparse
import secrets
from typing import Any

import gymnasium as gym

from gem_gymnasium import registry
from gem_gymnasium.cli.play_table import SLIPS, is_table, play_table, read_line, say
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.data import load_json
from gem_gymnasium.multiplayer import ids
from gem_gymnasium.solvers import Solver, solver_for
from gem_gymnasium.tasks.dataset_task import DatasetTask, in_form
from gem_gymnasium.testing.script import text_of
from gem_gymnasium.wrappers import NormalizeScore

EPILOG = """\
Type a move as it stands between the braces (`5`, `1 2 3`, `up`), or a whole reply with \\boxed{}.
The answer to a task is put into its form for you.
In a terminal (gem/Terminal-...) a command stands between <bash> and </bash>, and <submit/> ends.
  :hint   what the solver would do (not in games of several players)
  :rules  the rules again
  :quit   stop
"""
COSTS = "Here a reply that holds no move costs 0.1 and its turn (on_malformed='continue')."


def add_to(commands: Any) -> None:
    """Add the subcommand to ``gem-gym``'s parser."""
    parser = commands.add_parser(
        "play",
        help="play an id in the terminal",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "id",
        help="such as gem/Sudoku-easy-v0; `gem-gym list` shows all, docs/multiplayer.md those of "
        "several players (gem/ConnectFour-v0)",
    )
    parser.add_argument("--seed", type=int, help="the episode (default: a new one, and its seed)")
    parser.add_argument(
        "--opponent",
        help="games of several players: solver, heuristic, random or person (default: solver or "
        "heuristic, which the game has, else random)",
    )
    parser.add_argument("--seat", type=int, help="likewise: your seat (default: 0)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play one episode with the person at the terminal.

    Raises:
        ConfigError: The seed is negative, or an option is for games of several players.
        UnknownName: There is no such id.
    """
    id = options.id.rpartition(":")[2]  # as in gymnasium.make("gem_gymnasium:gem/Sudoku-v0")
    if id in registry.ids("versus"):  # the same game, in which the person takes one seat
        name, _, opponent = id.removesuffix("-v0").partition("-vs-")
        id, options.opponent = f"{name}-v0", options.opponent or opponent
    if id not in registry.ids() and not is_table(id):
        known = {*registry.ids(), *ids()}
        raise UnknownName("game", id, known, far="`gem-gym list` shows every id")
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    if seed < 0:
        raise ConfigError(f"seed must be at least 0, got {seed}")
    if is_table(id):
        return play_table(id, seed, options.opponent, options.seat or 0)
    for name in ("opponent", "seat"):
        if getattr(options, name) is not None:
            raise ConfigError(f"--{name} is for games of several players, and {id} is for one")
    # A slip of the finger costs a turn, not the game.
    env: gym.Env[Any, Any] = gym.make(id, on_malformed="continue")
    if id in load_json("calibration.json")["games"]:
        env = NormalizeScore(env)
    first, info = env.reset(seed=seed)
    rules = text_of(first)
    solver = solver_for(env)
    task = env.unwrapped
    form = task.config.answer_format if isinstance(task, DatasetTask) else "boxed"
    solver.reset(rules, {})
    say(f"{id}, seed {seed}. A move, or :hint, :rules, :quit.", COSTS, "", rules)
    observation, total, over = rules, 0.0, False
    while not over:
        reply = ask_person(solver, rules, observation, form)
        if reply is None:
            break
        shown, reward, terminated, truncated, info = env.step(reply)
        observation = text_of(shown)
        pay, over = float(reward), terminated or truncated
        total += pay
        solver.observe(observation, {})
        paid = f"  (+{pay:.3g})" if pay > 0 else f"  ({pay:.3g})" if pay else ""
        say(f"\n{observation}{paid}")
    say(f"\n{score(id, total, info, over)}")
    env.close()
    return 0


def ask_person(solver: Solver, rules: str, observation: str, form: str) -> str | None:
    """Return the person's next reply, in the form that is asked for; None to stop."""
    while True:
        text = read_line()
        if text is None:
            return None
        if text == ":hint":
            say(solver.act(observation, {}))
        elif text == ":rules":
            say(rules)
        elif text.lower() in SLIPS:
            say(f"did you mean :{text.lower()}? For a move of that name, type \\boxed{{{text}}}.")
        elif text.startswith(":"):
            say(f"there is no {text}: type :hint, :rules or :quit")
        elif text:
            return text if "\\boxed" in text else in_form(text, form)


def score(id: str, total: float, info: dict[str, Any], over: bool) -> str:
    """Return what the episode was worth."""
    how = "You won" if info["success"] else "You lost" if over else "You stopped"
    lines = [
        f"{how} after {info['turn']} of {info['max_turns']} turns, with a return of {total:.3g}."
    ]
    if over and "normalized_score" in info:
        game = load_json("calibration.json")["games"][id]
        lines.append(
            f"A random player has {game['random']['return']:.3g} on average, the solver "
            f"{game['solver']['return']:.3g}: your normalized score is "
            f"{info['normalized_score']:.2f}."
        )
    return "\n".join(lines)
