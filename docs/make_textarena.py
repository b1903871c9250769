"""Write docs/textarena.md: every game of TextArena, what it needs, what it keeps, its faults.

    pip install 'gem-gymnasium[textarena]'
    python docs/make_textarena.py                 # or, to see some rows only:
    python docs/make_textarena.py Nim-v0 Chess-v0

Everything is found by playing; it takes ten minutes. TextArena must be as installed (no data of
nltk, no OPENROUTER_API_KEY), and Python 3.12 or newer, which some games need.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pettingzoo.test import parallel_api_test, parallel_seed_test

from gem_gymnasium.core.errors import ConfigError, GameUnavailable, MachineryError
from gem_gymnasium.multiplayer import TextParallel, textarena, textarena_ids, textarena_single
from gem_gymnasium.multiplayer.text_arena import games
from gem_gymnasium.testing import check_text_aec, check_text_env
from gem_gymnasium.testing.guesses import guess
from gem_gymnasium.testing.hostile import HOSTILE_STRINGS

PAGE = Path(__file__).resolve().parent / "textarena.md"

SEEDS = range(3)
MAX_TURNS = 100
PATIENCE = 30
"""Errors that a game allows a guessing player here, so that it gets further than its second one."""
DEADLINE_S = 5.0
"""Also how long each loop without an end takes here; ``SLOW_DEALS_S`` where deals are slow."""
SLOW_DEALS_S = 60.0
SLOW_DEALS = ("RushHour", "Sokoban")
HOSTILE = HOSTILE_STRINGS[::4]
PLAYED_HOSTILE = 40
ENDLESS = 600

SLOW = {
    "Sokoban-v0-medium": "not run: a deal took 2 to 99 s",
    "Sudoku-v0-hard": "not run: a deal took 0.5 to 11 s",
}
"""Games that are left out, and why; their smaller siblings are the same code."""

NEWER = ("Checkers", "Chess", "IteratedStagHunt", "ReverseTicTacToe", "UltimateTexasHoldem")
"""Games whose source only Python 3.12 reads."""
NEEDS_NEWER = "Python 3.12 or newer"

HINTS: Mapping[str, str] = {
    "Bandit": "[red] [blue] [green]",
    "Briscola": "[play 1] [play 2]",
    "Chopsticks": "[attack 0 0] [attack 1 1] [split 1 1]",
    "ColonelBlotto": "[A10 B5 C5] [A7 B7 C6]",
    "Countdown": "[0 1 +] [0 1 -] [0 1 *]",
    "Crosswords": "[1 1 a] [2 2 e] [3 3 s]",
    "Cryptarithm": "[S 9] [E 5] [M 1] [O 0] [N 6]",
    "GermanWhist": "[play 1] [play 2] [play 9]",
    "IteratedTwoThirdsAverage": "[30]",
    "Mastermind": "[1 2 3 4] [4 3 2 1] [5 6 1 2]",
    "NewRecruit": "[Propose] A A A A A A A A [Accept] [Reject]",
    "Nim": "[0 1] [1 1] [2 1]",
    "PegJump": "[1 4] [4 6] [6 1] [12 5] [14 12]",
    "QuantumTicTacToe": "[0,1] [2,3] [4,5]",
    "RushHour": "[A+] [A-] [X+] [X-] [B+] [B-] [C+] [C-]",
    "Slitherlink": "[h 0 0] [v 0 0] [h 1 1] [v 1 1]",
    "Sudoku": "[1 1 1] [2 3 4]",
    "TowerOfHanoi": "[A C] [A B] [B C] [C B] [C A] [B A]",
    "TwoDollar": "[Propose] $1.00 [Accept] [Reject]",
}
"""Forms of moves that a game's own words do not show in brackets, by its name in TextArena."""


class Found(NamedTuple):
    """A row's cells behind the id."""

    players: str
    needs: str = "nothing"
    same: str = "-"
    """Whether equal seeds gave equal games."""
    contract: str = "-"
    faults: str = ""


def deadline_of(id: str) -> float:
    """Return the deadline that a game is given here."""
    return SLOW_DEALS_S if games.kind_of(id) in SLOW_DEALS else DEADLINE_S


def fault_of(error: str) -> str:
    """Return what an invalid step's error says of TextArena."""
    said = re.sub(r"^\w+: TextArena's \S+ ", "", error)
    said = re.sub(r": '[a-h]\d[a-h]\d'$", "", said)  # a move of chess
    if "took over" in said:
        return "a loop without an end (left at the deadline)"
    if said.startswith("pays"):
        return "pays a text in place of a number"
    return said.replace("raised", "raises", 1)


def play(env: Any, seed: int, replies: Any) -> tuple[str, set[str]]:
    """Play an episode; return a digest of all that was read and paid, and the faults met."""
    env.reset(seed=seed)
    env.patient()
    seen: list[Any] = []
    for agent in env.agent_iter():
        observation, *rest = env.last()
        seen.append((agent, observation, *rest))
        env.step(None if rest[1] or rest[2] else replies(env, agent, observation["text"]))
    faults = {fault_of(each[-1]["error"]) for each in seen if each[-1]["error"]}
    return hashlib.sha256(repr(seen).encode()).hexdigest(), faults


class Patient(textarena):
    """A game that allows more errors, so that guesses get somewhere."""

    patience = PATIENCE

    def patient(self) -> None:
        """Allow them from now on."""
        assert self._episode is not None
        state = self._episode.game.state
        if self.patience and getattr(state, "error_allowance", 0):
            state.error_allowance = self.patience

    @property
    def replies(self) -> list[str]:
        """What the game was given."""
        assert self._episode is not None
        return self._episode.replies


class Impatient(Patient):
    """The game as it is."""

    patience = 0


def guesser(seed: int, hints: str) -> Any:
    """Return a player that guesses."""
    rng = np.random.default_rng(seed)
    return lambda env, agent, text: guess(f"{env.rules_of(agent)}\n{hints}\n{text}", rng)


def traces(ids: Iterable[str]) -> dict[str, tuple[list[str], list[str]]]:
    """Return the digests of each game's episodes, and the faults met in them."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for id in ids:
        episodes: list[tuple[str, set[str]]] = []
        for kind in (Patient, Impatient):
            env = kind(id, max_turns=MAX_TURNS, deadline_s=deadline_of(id))
            players = {seed: guesser(seed, HINTS.get(games.kind_of(id), "")) for seed in SEEDS}
            episodes += [play(env, seed, player) for seed, player in players.items()]
        faults = {fault for _, faults in episodes for fault in faults}
        found[id] = [digest for digest, _ in episodes], sorted(faults)
    return found


def traces_elsewhere(ids: Sequence[str], hash_seed: int) -> dict[str, Any]:
    """Return the same, of another process in which sets have another order."""
    run = subprocess.run(
        [sys.executable, __file__, "--traces", *ids],
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        check=True,
        timeout=1_800,
    )
    return json.loads(run.stdout)


def hostile_faults(id: str) -> set[str]:
    """Return the faults that hostile replies bring out."""
    faults: set[str] = set()
    for seed, reply in enumerate(HOSTILE):
        env = Impatient(id, max_turns=PLAYED_HOSTILE, deadline_s=deadline_of(id))
        faults |= play(env, seed, lambda *_, reply=reply: reply)[1]
        if any("loop" in fault for fault in faults):
            return faults  # each more would take as long
    env = Impatient(id, max_turns=ENDLESS, deadline_s=deadline_of(id))
    play(env, 0, lambda *_: "")
    if len(env.replies) == ENDLESS:
        faults.add(f"goes on for over {ENDLESS} replies that are no moves")
    return faults


def broken_promise(id: str, loops: bool) -> str:
    """Return which of PettingZoo's, gymnasium's and our own tests fails, or that all pass."""
    settings = {"max_turns": 40, "deadline_s": deadline_of(id)}
    single = games.players_of(id) == (1, 1)
    # Fewer where every end is a loop that takes as long as the deadline.
    hostile = HOSTILE_STRINGS[:2] if loops else HOSTILE_STRINGS[::40]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_text_aec(lambda **kw: textarena(id, **settings, **kw), seeds=[0], hostile=hostile)
            parallel_api_test(TextParallel(textarena(id, **settings)), num_cycles=20)
            parallel_seed_test(lambda: TextParallel(textarena(id, **settings)), num_cycles=20)
            if single:
                check_text_env(
                    lambda **kw: textarena_single(id, **settings, **kw),
                    seeds=[0], steps=8, hostile=hostile, step_limit_s=1.0,
                )  # fmt: skip
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return "all pass"


def players_of(id: str) -> str:
    """Return how many players a game deals to."""
    fewest, most = games.players_of(id)
    taken: list[int] = []
    for players in range(fewest, most + 1):
        try:
            textarena(id, players, deadline_s=deadline_of(id)).reset(seed=0)
        except GameUnavailable:
            return str(fewest) if fewest == most else f"{fewest}-{most}"
        except (ConfigError, MachineryError):
            continue
        taken.append(players)
    if len(taken) > 2 and taken != list(range(taken[0], taken[-1] + 1)):
        return ", ".join(map(str, taken))
    return f"{taken[0]}-{taken[-1]}" if len(taken) > 1 else str(taken[0]) if taken else "-"


def find(ids: Sequence[str]) -> dict[str, Found]:
    """Return each game's row."""
    found: dict[str, Found] = {}
    for id in ids:
        try:
            textarena(id, deadline_s=deadline_of(id)).reset(seed=0) if id not in SLOW else None
        except GameUnavailable as error:
            lacks = str(error).partition(" needs ")[2]
            found[id] = Found(players_of(id), lacks)
    run = [id for id in ids if id not in found and id not in SLOW]
    here, there = (traces_elsewhere(run, hash_seed) if run else {} for hash_seed in (1, 2))
    for id in run:
        same = "yes" if here[id][0] == there[id][0] else "no"
        faults = {*here[id][1], *hostile_faults(id)}
        loops = any("loop" in fault for fault in faults)
        contract = broken_promise(id, loops)
        print(id, same, contract, sorted(faults), file=sys.stderr, flush=True)
        needs = NEEDS_NEWER if games.kind_of(id) in NEWER else "nothing"
        found[id] = Found(players_of(id), needs, same, contract, "; ".join(sorted(faults)))
    for id in set(ids) & set(SLOW):
        found[id] = Found("1", "nothing", SLOW[id], "not run")
    return {id: found[id] for id in ids}


INTRO = """\
# TextArena's games

<!-- Written by `python docs/make_textarena.py`; edit that, not this. -->

What was found by playing all {games} games of TextArena {version} (each in the form that
`gem_gymnasium.multiplayer.textarena` gives it; its `-raw` and `-train` ids are the same games).
{run} run offline; {offline} of these keep every promise.
[multiplayer.md](multiplayer.md#games-of-textarena) is on their use.

- *needs*: what keeps the game from being made here, as the error says it.
- *equal seeds*: whether {seeds} episodes of guessed moves gave the same bytes in two processes in
  which sets have another order, and beside and after other games.
- *tests*: PettingZoo's `api_test`, `seed_test`, `render_test`, `parallel_api_test` and
  `parallel_seed_test`, our `check_text_aec`, and for one player gymnasium's `check_env` and our
  `check_text_env`.
- *faults of TextArena*: what it did on guessed or hostile replies. The adapter makes an invalid
  step of each: the episode is truncated, pays nothing, and `infos` say why.

| game | players | needs | equal seeds | tests | faults of TextArena |
|---|---|---|---|---|---|
"""


def page(found: Mapping[str, Found]) -> str:
    """Return the page; games of one kind whose cells are the same share a row."""
    rows: dict[tuple[str, Found], list[str]] = {}
    for id, cells in found.items():
        rows.setdefault((games.kind_of(id), cells), []).append(id)
    run = [cells for cells in found.values() if cells.needs in ("nothing", NEEDS_NEWER)]
    keep = [cells for cells in run if (cells.same, cells.contract) == ("yes", "all pass")]
    lines = [
        "| " + " | ".join([", ".join(f"`{id}`" for id in ids), *map(escaped, cells)]) + " |"
        for (_, cells), ids in rows.items()
    ]
    head = INTRO.format(games=len(found), version=sys.modules["textarena"].__version__,
                        run=len(run), offline=len(keep), seeds=2 * len(SEEDS))  # fmt: skip
    return head + "\n".join(lines) + "\n"


def escaped(cell: str) -> str:
    """Return a cell that Markdown takes."""
    return cell.replace("|", "\\|").replace("\n", " ")


def rows_of(text: str) -> dict[str, tuple[str, ...]]:
    """Return the cells of each game on a page."""
    found: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        if line.startswith("| `"):
            first, *cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            found.update(dict.fromkeys(re.findall(r"`([^`]+)`", first), tuple(cells)))
    return found


def main(arguments: Sequence[str]) -> int:
    """Write the page, or print that of some games, or with ``--traces`` their traces."""
    if arguments[:1] == ["--traces"]:
        print(json.dumps(traces(arguments[1:])))
    elif arguments:
        print(page(find(arguments)), end="")
    else:
        PAGE.write_text(page(find(textarena_ids())), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
