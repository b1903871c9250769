"""What an evaluation says of a model: its figures beside the random player's and the solver's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gem_gymnasium.data import load_json
from gem_trl.episode import Episode
from gem_trl.scores import Interval, mean_interval, normalized, share_interval


class Calibrated(NamedTuple):
    """A player's figures from the package's calibration, which plays hundreds of seeds."""

    total_reward: Interval
    success: Interval
    turns: float


class Figures(NamedTuple):
    """The model's figures over the valid episodes."""

    total_reward: Interval
    success: Interval
    turns: Interval
    """As they were played, lost episodes included."""
    illegal: float
    """The share of the turns in which the move was refused or there was none."""
    truncated: float
    """The share of the episodes that someone outside the rules ended."""


class Report(NamedTuple):
    """One env's evaluation."""

    env_id: str
    episodes: Sequence[Episode]
    figures: Figures | None
    """None where every episode failed."""
    random: Calibrated | None
    """None where the id was not calibrated, as for ``solver``."""
    solver: Calibrated | None

    @property
    def invalid(self) -> int:
        """How many episodes the machinery failed."""
        return sum(not episode.valid for episode in self.episodes)

    @property
    def score(self) -> Interval | None:
        """The return on the scale of :class:`gem_gymnasium.wrappers.NormalizeScore`."""
        if self.figures is None or self.random is None or self.solver is None:
            return None
        return normalized(
            self.figures.total_reward, self.random.total_reward.mean, self.solver.total_reward.mean
        )


def report_on(episodes: Sequence[Episode]) -> Report:
    """Return the report on episodes of one env; there is at least one.

    An episode that the machinery failed counts in no figure.
    """
    valid = [episode for episode in episodes if episode.valid]
    turns = [turn for episode in valid for turn in episode.turns]
    figures = None
    if valid:
        figures = Figures(
            mean_interval([episode.total_reward for episode in valid]),
            share_interval(sum(episode.success for episode in valid), len(valid)),
            mean_interval([len(episode.turns) for episode in valid]),
            float(np.mean([not turn.legal for turn in turns])) if turns else 0.0,
            float(np.mean([episode.truncated for episode in valid])),
        )
    env_id = episodes[0].env_id
    game: Mapping[str, Any] = load_json("calibration.json")["games"].get(env_id, {})
    random, solver = (_calibrated(game[player]) if game else None for player in PLAYERS)
    return Report(env_id, episodes, figures, random, solver)


PLAYERS = ("random", "solver")


def _calibrated(player: Mapping[str, Any]) -> Calibrated:
    return Calibrated(
        Interval(player["return"], *player["return_interval"]),
        Interval(player["success"], *player["success_interval"]),
        player["turns"],
    )


# -- as a table ------------------------------------------------------------------------------------
COLUMNS = ("", "model", "random player", "solver")


def table_rows(report: Report) -> list[tuple[str, str, str, str]]:
    """Return the table's cells: a figure a row, a player a column."""
    figures, random, solver = report.figures, report.random, report.solver
    if figures is None:
        return [("every episode failed", "-", "-", "-")]
    rows = [
        ("return", _interval(figures.total_reward), *_both(random, solver, "total_reward")),
        ("success", _interval(figures.success), *_both(random, solver, "success")),
        ("turns", _interval(figures.turns, 1), *_both(random, solver, "turns")),
        ("illegal moves", f"{figures.illegal:.1%}", "", ""),
        ("cut off", f"{figures.truncated:.1%}", "", ""),
    ]
    score = report.score
    if score is not None and random is not None and solver is not None:
        # Where random play always wins, it scores as much as the solver.
        zero = "0" if random.total_reward.mean < solver.total_reward.mean else "1"
        rows.append(("NormalizeScore", _interval(score), zero, "1"))
    return rows


def _both(random: Calibrated | None, solver: Calibrated | None, name: str) -> tuple[str, str]:
    def cell(player: Calibrated | None) -> str:
        value = getattr(player, name, None)
        if isinstance(value, Interval):
            return _interval(value)
        return "-" if value is None else f"{value:.1f}"

    return cell(random), cell(solver)


def _interval(interval: Interval, digits: int = 2) -> str:
    mean, low, high = (f"{value:.{digits}f}" for value in interval)
    return f"{mean} [{low}, {high}]" if math.isfinite(interval.low) else mean


# -- as data ---------------------------------------------------------------------------------------
def as_json(report: Report) -> dict[str, Any]:
    """Return what a JSON file holds of a report; numbers that are not finite become None."""
    figures = report.figures
    return {
        "episodes": len(report.episodes),
        "invalid_episodes": report.invalid,
        "return": figures and _bounds(figures.total_reward),
        "success": figures and _bounds(figures.success),
        "turns": figures and _bounds(figures.turns),
        "illegal_share": figures and figures.illegal,
        "truncated_share": figures and figures.truncated,
        "normalized_score": report.score and _bounds(report.score),
        **{
            name: player
            and {
                "return": _bounds(player.total_reward),
                "success": _bounds(player.success),
                "turns": player.turns,
            }
            for name, player in zip(PLAYERS, (report.random, report.solver), strict=True)
        },
        "played": [
            {
                "seed": episode.seed,
                "seat": episode.seat,
                "return": episode.total_reward,
                "success": episode.success,
                "turns": len(episode.turns),
                "truncated": episode.truncated,
                "stop": episode.stop,
                "valid": episode.valid,
            }
            for episode in report.episodes
        ],
    }


def _bounds(interval: Interval) -> dict[str, float | None]:
    return {
        name: value if math.isfinite(value) else None for name, value in interval._asdict().items()
    }


def transcript(episode: Episode, decode: Callable[[Sequence[int]], str]) -> dict[str, Any]:
    """Return an episode as texts: what the model read and wrote in each turn.

    Args:
        episode: The episode.
        decode: Turns token ids into text.
    """
    return {
        "env": episode.env_id,
        "seed": episode.seed,
        "seat": episode.seat,
        "return": episode.total_reward,
        "success": episode.success,
        "turns": [
            {
                "prompt": decode(turn.prompt_ids),
                "reply": decode(turn.reply_ids),
                "finished": turn.finished,
                "legal": turn.legal,
                "event": turn.event,
                "reward": turn.reward,
            }
            for turn in episode.turns
        ],
    }
