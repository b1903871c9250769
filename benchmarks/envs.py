"""Time step and reset of the games beside gem-llm's, in one run.

Ours goes through gymnasium.make (with its checks), GEM's through gem.make. Both play the same rules
and, where the hidden state allows it, the same action sequences; only the step calls of an episode
are timed, resets apart. Each side is a process of its own; they take turns in short rounds, so that
other load on the machine meets both, and the table has the medians over the rounds. The ratio is
the median of the rounds' ratios of CPU time, which equals that of wall time on an idle machine and
stays right on a busy one. gem-llm needs an environment of its own:

    python -m venv gem-env && gem-env/bin/pip install gem-llm pandas
    python benchmarks/envs.py --gem-python gem-env/bin/python
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from statistics import median
from string import ascii_lowercase
from types import SimpleNamespace
from typing import Any, NamedTuple

from sides import Side

POOL = 5
"""Envs of a side that are stepped one after the other between two readings of the clocks."""

KEYS = ("steps", "wall_s", "cpu_s", "resets_s")

WORDS = Path(__file__).resolve().parent.parent / "gem_gymnasium" / "data" / "words_common.txt"

OUT = Path(__file__).resolve().parent / "results" / "envs.md"


class Game(NamedTuple):
    """A game on both sides, and what it is asked for."""

    ours: str
    gem: str
    gem_rules: dict[str, Any]
    episodes: int
    """Episodes a round, a multiple of POOL."""
    required: float
    """The least ratio of our steps per CPU second to GEM's."""
    our_rules: Mapping[str, str] = {}


GAMES = {
    "GuessTheNumber 1..20, 20 turns": Game(
        "gem/GuessTheNumber-v0",
        "game:GuessTheNumber-v0-hard",
        {"min_number": 1, "max_number": 20, "max_turns": 20},
        episodes=200,
        required=0.7,
    ),
    "Mastermind 4 of 1..6, 20 turns": Game(
        "gem/Mastermind-v0",
        "game:Mastermind-v0-hard",
        {"code_length": 4, "num_numbers": 6, "max_turns": 20},
        episodes=100,
        required=1.0,
    ),
    "Minesweeper 8x8, 10 mines, 64 turns": Game(
        "gem/Minesweeper-v0",
        "game:Minesweeper-v0-hard",
        {"rows": 8, "cols": 8, "num_mines": 10, "max_turns": 64},
        episodes=100,
        required=2.0,
    ),
    "Wordle 5 letters, 25 turns": Game(
        "gem/Wordle-hard-v0",
        "game:Wordle-v0-hard",
        {"word_length": 5, "max_turns": 25},
        episodes=100,
        required=2.0,
    ),
    "FifteenPuzzle 4x4, 200 turns": Game(
        "gem/FifteenPuzzle-v0",
        "game:FifteenPuzzle-v0-hard",
        {"num_rows": 4, "max_turns": 200},
        episodes=20,
        required=2.0,
    ),
    "Hangman 5 letters, 20 turns": Game(
        "gem/Hangman-v0",
        "game:Hangman-v0-hard",
        {"word_length": 5, "max_turns": 20},
        episodes=100,
        required=1.0,
    ),
    # GEM's `clues` is the number of attempts to remove a cell: 51 leave about 32 of them.
    "Sudoku 9x9, 30 clues, 100 turns": Game(
        "gem/Sudoku-v0",
        "game:Sudoku-v0-hard",
        {"scale": 9, "clues": 51, "max_turns": 100},
        episodes=5,
        required=2.0,
    ),
    "TowerofHanoi 4 disks, 30 turns": Game(
        "gem/TowerofHanoi-v0",
        "game:TowerofHanoi-v0-hard",
        {"num_disks": 4, "max_turns": 30},
        episodes=100,
        required=1.0,
    ),
    "Game2048 to 2048, 1,500 turns": Game(
        "gem/Game2048-v0",
        "game:Game2048-v0-hard",
        {"target_tile": 2048, "max_turns": 1500},
        episodes=20,
        required=2.0,
    ),
    "Sokoban 6x6, 3 boxes, 100 turns": Game(
        "gem/Sokoban-v0",
        "game:Sokoban-v0-hard",
        {"dim_room": (6, 6), "num_boxes": 3, "max_turns": 100},
        episodes=5,
        required=2.0,
    ),
    # Letter by letter, as GEM plays it.
    "Crosswords 5 words, 60 turns": Game(
        "gem/Crosswords-v0",
        "game:Crosswords-v0-easy",
        {"num_words": 5, "max_turns": 60},
        episodes=20,
        required=2.0,
        our_rules={"feedback": "letter"},
    ),
    "WordSearch 5 words, 20 turns": Game(
        "gem/WordSearch-easy-v0",
        "game:WordSearch-v0-easy",
        {"num_words": 5, "max_turns": 20},
        episodes=20,
        required=2.0,
    ),
}


# -- the worker: runs in either environment, so it imports only what it times ---------------------


def make_ours(game: Game) -> tuple[Any, Callable[[Any], tuple[Any, Any]]]:
    """Return an env of ours and what reads what `actions_of` must know of its hidden state."""
    import gymnasium

    import gem_gymnasium  # noqa: F401 - registers the ids

    def peek(env: Any) -> tuple[Any, Any]:
        state = env.unwrapped._state
        if "WordSearch" in game.ours:
            return env.unwrapped.config.size, [[n - 1 for n in line] for line in state.lines]
        return state.solution, None if "Crosswords" in game.ours else state.board

    return gymnasium.make(game.ours, **game.our_rules), peek


def make_gem(game: Game) -> tuple[Any, Callable[[Any], tuple[Any, Any]]]:
    """Return an env of GEM's and what reads what `actions_of` must know of its hidden state."""
    import gem

    if game.gem.startswith(("game:Wordle", "game:Hangman", "game:WordSearch")):
        give_gem_words()

    def peek(env: Any) -> tuple[Any, Any]:
        if "WordSearch" in game.gem:
            placed = [(word, *place) for word, place in env.placed_words.items()]
            return len(env.game_board), [
                (row, column, row, column + len(word) - 1)
                if way == "across"
                else (row, column, row + len(word) - 1, column)
                for word, row, column, way in placed
            ]
        if "Crosswords" in game.gem:
            return env.solution, None
        return [*chain(*env.full_grid)], [*chain(*env.board)]

    return gem.make(game.gem, **game.gem_rules), peek


def give_gem_words() -> None:
    """Give GEM our words instead of those it downloads at every construction."""
    import nltk
    import nltk.corpus

    nltk.download = lambda *args, **kwargs: True
    nltk.corpus.words = SimpleNamespace(words=lambda *args: five_letter_words())


@cache
def five_letter_words() -> list[str]:
    """Return the words of five letters that our games hide."""
    return [word for word in WORDS.read_text("ascii").split() if len(word) == 5]


def actions_of(name: str, seed: int, env: Any, peek: Callable[[Any], Any], first: int) -> list[str]:
    """Return the actions of an episode; ``peek`` gives what they need of the hidden state.

    ``first`` is the number of the first row and column.
    """
    rng = random.Random(seed)
    if name.startswith("GuessTheNumber"):
        return [f"\\boxed{{{n}}}" for n in rng.sample(range(1, 21), 20)]
    if name.startswith("Mastermind"):
        return [f"\\boxed{{{' '.join(map(str, rng.sample(range(1, 7), 4)))}}}" for _ in range(20)]
    if name.startswith("Minesweeper"):
        # GEM counts rows and columns from 0, we from 1: both have those from 1 to 7.
        cells = rng.sample([(row, column) for row in range(1, 8) for column in range(1, 8)], 49)
        verbs = ["reveal", "flag", "reveal"] * 17
        return [f"\\boxed{{{v} {r} {c}}}" for v, (r, c) in zip(verbs, cells, strict=False)]
    if name.startswith("Wordle"):
        return [f"\\boxed{{{word}}}" for word in rng.sample(five_letter_words(), 25)]
    if name.startswith("Hangman"):
        return [f"\\boxed{{{letter}}}" for letter in rng.sample(ascii_lowercase, 20)]
    if name.startswith("TowerofHanoi"):
        return [f"\\boxed{{{' '.join(rng.sample('ABC', 2))}}}" for _ in range(30)]
    if name.startswith("Sokoban"):
        return [f"\\boxed{{{rng.choice(['up', 'down', 'left', 'right'])}}}" for _ in range(100)]
    if name.startswith(("FifteenPuzzle", "Game2048")):
        directions = ("up", "down", "left", "right")
        return [f"\\boxed{{{rng.choice(directions)}}}" for _ in range(1_500)]
    if name.startswith("WordSearch"):
        size, lines = peek(env)
        wrong = [(row, *rng.sample(range(size), 2)) for row in rng.choices(range(size), k=15)]
        lines = [*lines, *((row, a, row, b) for row, a, b in wrong)]
        rng.shuffle(lines)
        return [f"\\boxed{{{' '.join(str(n + first) for n in line)}}}" for line in lines]
    solution, board = peek(env)
    actions: list[str] = []
    if name.startswith("Crosswords"):
        for row, line in enumerate(solution):
            for column, letter in enumerate(line):
                if letter.isalpha():
                    place = f"{row + first} {column + first}"
                    # The right letter, and for every other one a wrong one before it.
                    guesses = ["Q", letter.upper()] if (row + column) % 2 else [letter.upper()]
                    actions += [f"\\boxed{{{place} {guess}}}" for guess in guesses]
        return actions
    for cell in rng.sample(range(81), 81):
        # The right number in an empty cell; every third given one is tried as well and refused.
        if not board[cell] or cell % 3 == 0:
            actions.append(f"\\boxed{{{cell // 9 + 1} {cell % 9 + 1} {solution[cell]}}}")
    return actions


def work(side: str, name: str) -> None:
    """Serve rounds: for each line with a first seed, print what a round's episodes took."""
    game = GAMES[name]
    make = make_ours if side == "ours" else make_gem
    envs, peeks = zip(*(make(game) for _ in range(POOL)), strict=True)
    first_row = 1 if side == "ours" else 0
    for line in sys.stdin:
        first = int(line)
        seeds = [range(i, i + POOL) for i in range(first, first + game.episodes, POOL)]
        batches = [play_batch(name, some, envs, peeks[0], first_row) for some in seeds]
        total = {key: sum((batch[key] for batch in batches[1:]), batches[0][key]) for key in KEYS}
        print(json.dumps(total), flush=True)


def play_batch(
    name: str, seeds: Iterable[int], envs: Sequence[Any], peek: Callable[[Any], Any], first: int
) -> dict[str, Any]:
    """Play an episode in each env; return the steps, their wall and CPU time, the resets' times.

    All are reset before the first step, so that one reading of the clocks spans them: reading the
    CPU clock takes as long as half a step.
    """
    resets_s, episodes = list[float](), list[tuple[Any, list[str]]]()
    for seed, env in zip(seeds, envs, strict=True):
        start = time.perf_counter()
        env.reset(seed=seed)
        resets_s.append(time.perf_counter() - start)
        episodes.append((env.step, actions_of(name, seed, env, peek, first)))
    steps, cpu, start = 0, time.process_time(), time.perf_counter()
    for step, actions in episodes:
        for action in actions:
            _, _, terminated, truncated, _ = step(action)
            steps += 1
            if terminated or truncated:
                break
    wall_s, cpu_s = time.perf_counter() - start, time.process_time() - cpu
    return {"steps": steps, "wall_s": wall_s, "cpu_s": cpu_s, "resets_s": resets_s}


# -- the comparison -------------------------------------------------------------------------------


class Worker(Side):
    """One side of a game in a process of its own."""

    def __init__(self, python: str, side: str, name: str) -> None:
        super().__init__([python, __file__, "--worker", side, name], stderr=subprocess.DEVNULL)
        self.rounds: list[dict[str, Any]] = []

    def run(self, seed: int) -> None:
        """Play one round."""
        self.rounds.append(self.ask(str(seed)))

    def close(self) -> None:
        """End the process, and forget the first round, which warmed it up."""
        super().close()
        del self.rounds[0]

    def cpu_us(self) -> list[float]:
        """Return the CPU microseconds a step of each round."""
        return [1e6 * result["cpu_s"] / result["steps"] for result in self.rounds]

    def cells(self) -> tuple[str, ...]:
        """Return the side's cells of the table."""
        resets_ms = sorted(1e3 * reset for result in self.rounds for reset in result["resets_s"])
        return (
            f"{median(result['steps'] / result['wall_s'] for result in self.rounds):,.0f}",
            f"{median(self.cpu_us()):.1f}",
            f"{median(resets_ms):.3f}",
            f"{resets_ms[int(0.99 * len(resets_ms))]:.3f}",
        )


def measure(name: str, gem_python: str | None, rounds: int) -> dict[str, Worker]:
    """Let each side play its rounds, in turns."""
    workers = {"ours": Worker(sys.executable, "ours", name)}
    if gem_python:
        workers["gem-llm"] = Worker(gem_python, "gem-llm", name)
    for i in range(rounds + 1):
        for worker in workers.values():
            worker.run(seed=i * GAMES[name].episodes)
    for worker in workers.values():
        worker.close()
    return workers


def describe_machine() -> str:
    """Return the CPU and its cores."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        model = next((x.split(":", 1)[1].strip() for x in lines if "model name" in x), model)
    return f"{model}, {os.cpu_count()} cores"


def describe_versions(gem_python: str | None) -> str:
    """Return the versions of what was timed."""
    names = ("gem-gymnasium", "gymnasium", "numpy")
    ours = ", ".join(f"{name} {version(name)}" for name in names)
    text = f"Python {platform.python_version()}, {ours}"
    if not gem_python:
        return text
    code = (
        "from importlib.metadata import version; import platform;"
        "print(version('gem-llm'), 'on Python', platform.python_version())"
    )
    done = subprocess.run([gem_python, "-c", code], capture_output=True, text=True, check=True)
    return f"{text}; gem-llm {done.stdout.strip()}"


def main() -> int:
    """Run the command line; returns 1 if a required ratio is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gem-python", metavar="PATH", help="a Python that has gem-llm installed")
    parser.add_argument("--rounds", type=int, default=60, help="rounds a side (default: 60)")
    parser.add_argument("--out", type=Path, default=OUT, help="Markdown file to write")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        work(*args.worker)
        return 0
    header = ("game", "side", "steps/s", "CPU us/step", "reset median ms", "reset p99 ms", "ratio")
    rows, missed = [header, ("---",) * len(header)], False
    for name, game in GAMES.items():
        workers = measure(name, args.gem_python, args.rounds)
        for side, worker in workers.items():
            ratio = ""
            if side == "ours" and "gem-llm" in workers:
                pairs = zip(worker.cpu_us(), workers["gem-llm"].cpu_us(), strict=True)
                value = median(gem / ours for ours, gem in pairs)
                ratio = f"{value:.2f} (required {game.required:g})"
                missed = missed or value < game.required
            rows.append((name, side, *worker.cells(), ratio))
            print(" | ".join(rows[-1]), flush=True)
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    command = "python benchmarks/envs.py" + (" --gem-python PATH" if args.gem_python else "")
    args.out.write_text(
        f"# Step and reset times beside gem-llm\n\n`{command} --rounds {args.rounds}`, "
        f"{datetime.date.today()}, on {describe_machine()}.\n{describe_versions(args.gem_python)}."
        "\n\nOurs is timed through `gymnasium.make`. Medians over rounds in which the sides take\n"
        "turns, one process each. The ratio is of steps per CPU second, the median of the rounds'\n"
        "ratios; steps/s is by the wall clock, so other load lowers it.\n\n"
        f"{table}\n",
        encoding="utf-8",
    )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
