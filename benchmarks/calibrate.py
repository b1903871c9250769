"""Measure what a random legal player and the solver score on each game, or prove the solvers.

Without options: plays both, and players that read nothing, on every id and writes
``gem_gymnasium/data/calibration.json``, the scale of ``wrappers.NormalizeScore`` (its format is in
``gem_gymnasium/data/SOURCES.md``).

With --prove: the solver plays 500 seeds of every id; a lost one fails the run, but for the ids in
which luck decides, whose rate is stated. Rows whose game and solver did not change since are taken
from the table that is there, so a stopped run goes on.

    python benchmarks/calibrate.py
    python benchmarks/calibrate.py --ids gem/Sudoku-v0 gem/Sudoku-hard-v0 --seeds 1000
    python benchmarks/calibrate.py --prove
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple, cast

import gymnasium as gym
import numpy as np

import gem_gymnasium
from gem_gymnasium import registry
from gem_gymnasium.core.intervals import Z95, wilson
from gem_gymnasium.multiplayer.players import names_for, player_for
from gem_gymnasium.multiplayer.single_player import SinglePlayer
from gem_gymnasium.solvers import solver_for

ROOT = Path(__file__).resolve().parent.parent
CALIBRATION = ROOT / "gem_gymnasium" / "data" / "calibration.json"
PROOF = ROOT / "benchmarks" / "results" / "prove.md"

FEWEST_SEEDS = 300
SEEDS = 500
SWINGS = {"KuhnPoker": 10_000, "LeducPoker": 10_000, "LowestUnique": 5_000}
"""More episodes where luck moves the return of one by more than the players differ."""

NO_SCALE = ("gem/RockPaperScissors-vs-random-v0", "gem/PrisonersDilemma-vs-random-v0")
"""Ids against other players in which no player of ours earns more than random play."""

SAMPLE_SEEDS = 10
"""Seeds whose summed return a test plays again, to find that the file is stale."""


HEADER = ("id", "seeds", "wins", "mean turns", "max turns", "budget", "source")


class Episode(NamedTuple):
    """How one episode went."""

    total: float
    success: bool
    turns: int
    budget: int


def play_random(env: gym.Env[str, str], seed: int) -> Episode:
    """Play random legal moves."""
    rng = np.random.default_rng([seed, 1])
    base: Any = env.unwrapped
    env.reset(seed=seed)
    return finish(env, lambda _: base.sample_legal_action(rng), "")


def play_solver(env: gym.Env[str, str], seed: int) -> Episode:
    """Let the solver play; it gets no info, so the text must tell it all.

    In one seat of a game of several that is the best player of ours that the game has.
    """
    observation, _ = env.reset(seed=seed)
    base: Any = env.unwrapped
    if isinstance(base, SinglePlayer):
        rng = np.random.default_rng([seed, 1])
        player = player_for(names_for(base.game.name)[-1], base.game)
        return finish(env, lambda text: player(text, {}, rng), observation)
    solver = solver_for(env)
    solver.reset(observation, {})
    return finish(env, lambda text: solver.act(text, {}), observation)


def play_constant(env: gym.Env[str, str], seed: int) -> Episode:
    """Play one reply, legal at first, over and over."""
    env.reset(seed=seed)
    reply = draw(env, seed, 1)[0]
    return finish(env, lambda _: reply, "")


def play_first(env: gym.Env[str, str], seed: int) -> Episode:
    """Play the first legal move in an order of moves that is the same at every turn."""
    base: Any = env.unwrapped
    env.reset(seed=seed)
    return finish(env, lambda _: base.sample_legal_action(np.random.default_rng([seed, 1])), "")


def play_cycle(env: gym.Env[str, str], seed: int) -> Episode:
    """Play four replies, legal at first, in turn."""
    env.reset(seed=seed)
    replies = cycle(draw(env, seed, 4))
    return finish(env, lambda _: next(replies), "")


def draw(env: gym.Env[str, str], seed: int, count: int) -> list[str]:
    """Draw replies that are legal now, different ones as far as there are."""
    rng, base = np.random.default_rng([seed, 1]), cast("Any", env.unwrapped)
    replies = [base.sample_legal_action(rng) for _ in range(20 * count)]
    return [*dict.fromkeys(replies)][:count]


BLIND = {"constant": play_constant, "first": play_first, "cycle": play_cycle}
"""Players that never read an observation."""


def finish(env: gym.Env[str, str], act: Callable[[str], str], observation: str) -> Episode:
    """Play an episode to its end."""
    total, over, info = 0.0, False, dict[str, Any]()
    while not over:
        observation, reward, terminated, truncated, info = env.step(act(observation))
        total, over = total + float(reward), terminated or truncated
    return Episode(total, info["success"], info["turn"], info["max_turns"])


def summarize(episodes: list[Episode]) -> dict[str, Any]:
    """Return the statistics of one player on one id (format: data/SOURCES.md)."""
    totals, n = [episode.total for episode in episodes], len(episodes)
    mean, half = fmean(totals), Z95 * stdev(totals) / sqrt(n)
    wins = sum(episode.success for episode in episodes)
    return {
        "return": round(mean, 6),
        "return_interval": [round(mean - half, 6), round(mean + half, 6)],
        "success": round(wins / n, 6),
        "success_interval": [round(bound, 6) for bound in wilson(wins / n, n)],
        "turns": round(fmean(episode.turns for episode in episodes), 3),
        "sample_return": round(sum(totals[:SAMPLE_SEEDS]), 9),
    }


def calibrated_ids() -> tuple[str, ...]:
    """Return the ids that have a scale."""
    return tuple(id for id in registry.ids("game", "versus") if id not in NO_SCALE)


def seeds_for(id: str) -> int:
    """Return how many episodes an id needs."""
    return SWINGS.get(id.removeprefix("gem/").partition("-")[0], SEEDS)


def calibrate(ids: Iterable[str], wanted: int | None, out: Path) -> None:
    """Measure both players on each id, keeping the other ids of the file."""
    measured: dict[str, Any] = {}
    for id in ids:
        env, seeds = gym.make(id), wanted or seeds_for(id)
        game: dict[str, Any] = {"kwargs": gym.spec(id).kwargs, "seeds": seeds}
        for name, play in (("random", play_random), ("solver", play_solver)):
            game[name] = summarize([play(env, s) for s in track(range(seeds), f"{id} {name}")])
        game["blind"] = {
            name: round(fmean(play(env, seed).total for seed in range(seeds)), 6)
            for name, play in BLIND.items()
        }
        measured[id] = game
    # Read as late as this: another run may have written other ids meanwhile.
    before = json.loads(out.read_text(encoding="utf-8"))["games"] if out.exists() else {}
    games = before | measured
    known = {id: games[id] for id in calibrated_ids() if id in games}  # drops ids of the past
    out.write_text(dump({"sample_seeds": SAMPLE_SEEDS, "games": known}), encoding="utf-8")
    print(f"{'id':34} {'random':>8} {'solver':>8} {'solver wins':>12}")
    for id, game in measured.items():
        scores = game["random"]["return"], game["solver"]["return"], game["solver"]["success"]
        print(f"{id:34} {scores[0]:8.3f} {scores[1]:8.3f} {scores[2]:12.3f}")


def dump(document: dict[str, Any]) -> str:
    """Return the calibration as JSON with one line a player, so that a change shows in a diff."""
    games: list[str] = []
    for id, game in document["games"].items():
        lines = ",\n".join(f"      {json.dumps(k)}: {json.dumps(v)}" for k, v in game.items())
        games.append(f"    {json.dumps(id)}: {{\n{lines}\n    }}")
    body = ",\n".join(games)
    return f'{{\n  "sample_seeds": {document["sample_seeds"]},\n  "games": {{\n{body}\n  }}\n}}\n'


def fingerprint(id: str) -> str:
    """Return a hash of the files that hold an id's game and solver, and of its kwargs."""
    env = gym.make(id).unwrapped
    name = Path(inspect.getfile(type(env))).stem
    package = Path(gem_gymnasium.__file__).parent
    files = [*package.glob(f"games/{name}*.py"), *package.glob(f"solvers/{name}*.py")]
    digest = hashlib.sha256(json.dumps(gym.spec(id).kwargs, sort_keys=True).encode())
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def read_proof(path: Path) -> dict[str, list[str]]:
    """Return the rows of a table written before, by id."""
    if not path.exists():
        return {}
    lines = [line.strip("| \n").split(" | ") for line in path.read_text("utf-8").splitlines()]
    games = registry.ids("game")
    return {row[0]: row for row in lines if len(row) == len(HEADER) and row[0] in games}


def write_proof(path: Path, rows: dict[str, list[str]]) -> None:
    """Write the table, ids in the registry's order."""
    proved = [rows[id] for id in registry.ids("game") if id in rows]
    table = [list(HEADER), ["---"] * len(HEADER), *proved]
    text = "\n".join(f"| {' | '.join(row)} |" for row in table)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "# Every start is winnable: the solver against the turn budget\n\n"
        "Written by `python benchmarks/calibrate.py --prove`. Episode `s` is `reset(seed=s)`; the\n"
        "solver reads observations only (an oracle, which those of Crosswords and WikiGame are,\n"
        "also knows what they are drawn from). `budget` is the smallest turn budget met, `source`\n"
        "a hash of the files of the game and its solver. Only ids in which luck decides may have\n"
        "fewer wins than seeds.\n\n"
        f"{text}\n",
        encoding="utf-8",
    )


def prove(ids: Iterable[str], seeds: int, out: Path, fresh: bool) -> int:
    """Play the solver on each id; return the number of episodes lost and not by bad luck."""
    rows, lost = {} if fresh else read_proof(out), 0
    for id in ids:
        source = fingerprint(id)
        done = rows.get(id)
        luck = id in registry.ids_of_luck()
        won = done is not None and (luck or done[1] == done[2])
        if done and won and done[6] == source and int(done[1]) >= seeds:
            print(f"{id}: proved before ({done[2]} of {done[1]} won)")
            continue
        env = gym.make(id)
        episodes = [play_solver(env, seed) for seed in track(range(seeds), id)]
        losses = [seed for seed, episode in enumerate(episodes) if not episode.success]
        turns = [episode.turns for episode in episodes]
        budget = min(episode.budget for episode in episodes)
        counts = f"{seeds}", f"{seeds - len(losses)}", f"{fmean(turns):.2f}", f"{max(turns)}"
        # Read anew: another run may have written other ids meanwhile.
        rows = (rows if fresh else read_proof(out)) | {id: [id, *counts, f"{budget}", source]}
        write_proof(out, rows)
        print(f"{id}: {seeds - len(losses)} of {seeds} won")
        if losses and not luck:
            lost += len(losses)
            print(f"LOST {id}: seeds {losses[:20]}", file=sys.stderr)
    return lost


def track(seeds: range, what: str) -> Iterator[int]:
    """Yield seeds under a progress bar, or after one line where none can be shown."""
    if sys.stdout.isatty() and importlib.util.find_spec("rich") is not None:
        from rich.progress import track as rich_track

        return iter(rich_track(seeds, description=what, transient=True))
    print(f"{what}: {len(seeds)} episodes", flush=True)
    return iter(seeds)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ids", nargs="+", metavar="ID", help="default: every id")
    parser.add_argument(
        "--seeds", type=int, help=f"episodes an id (default: {SEEDS}; more where luck needs them)"
    )
    parser.add_argument("--prove", action="store_true", help="prove the solvers instead")
    parser.add_argument("--fresh", action="store_true", help="with --prove: forget earlier rows")
    parser.add_argument("--out", type=Path, help="file to write (default: the committed one)")
    args = parser.parse_args()
    every = registry.ids("game") if args.prove else calibrated_ids()
    if unknown := [id for id in args.ids or () if id not in every]:
        parser.error(f"unknown ids {unknown}; known: {', '.join(every)}")
    if args.seeds is not None and args.seeds < FEWEST_SEEDS:
        parser.error(f"--seeds must be at least {FEWEST_SEEDS}, got {args.seeds}")
    if args.prove:
        lost = prove(args.ids or every, args.seeds or SEEDS, args.out or PROOF, args.fresh)
        return 1 if lost else 0
    calibrate(args.ids or every, args.seeds, args.out or CALIBRATION)
    return 0


if __name__ == "__main__":
    sys.exit(main())
