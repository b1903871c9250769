"""Which checkpoints are whole, so that a run that was killed resumes from one that is.

transformers writes ``trainer_state.json`` last of all, before it deletes older checkpoints. The
trainer writes its own files earlier and lets every process finish first; so a checkpoint is whole
if and only if that file is there and can be read.
"""

# torch and transformers are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import torch

from gem_gymnasium import errors
from gem_trl import _compat
from gem_trl.critic import CriticLearner
from gem_trl.experience import Experience
from gem_trl.exploitability import Exploitability
from gem_trl.metrics import Averages
from gem_trl.nonfinite import NonFiniteGuard
from gem_trl.opponents import FrozenOpponents

LAST_FILE = "trainer_state.json"
CRITIC_FILE = "critic.pt"
OPPONENTS_FILE = "opponents.pt"


class ResumableTrainer(_compat.BaseTrainer):
    """A trainer whose checkpoints also hold rollouts' state, metrics, guard, critic, opponents."""

    _experience: Experience
    _averages: Averages
    _guard: NonFiniteGuard
    _exploitability: Exploitability
    _critic: CriticLearner | None
    _opponents: FrozenOpponents | None

    def train(
        self,
        resume_from_checkpoint: str | bool | None = None,
        trial: Any = None,
        ignore_keys_for_eval: list[str] | None = None,
    ) -> Any:
        """Train, from a checkpoint if one is given.

        Args:
            resume_from_checkpoint: A checkpoint's path, or True for the newest whole one in
                ``output_dir``.
            trial: As in :meth:`transformers.Trainer.train`.
            ignore_keys_for_eval: Ignored.

        Returns:
            As :meth:`transformers.Trainer.train`.

        Raises:
            ConfigError: There is no such checkpoint, or the run was killed while writing it.
        """
        checkpoint = to_resume_from(resume_from_checkpoint, self.args.output_dir or ".")
        return super().train(checkpoint, trial, ignore_keys_for_eval)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        name = f"checkpoint-{self.state.global_step}"
        folder = Path(self._get_output_dir(trial=trial), name)
        begin_checkpoint(folder, self.accelerator)
        state = {
            **self._experience.state_dict(),
            "averages": self._averages.state_dict(),
            "guard": self._guard.state_dict(),
            "exploitability": self._exploitability.state_dict(),
        }
        torch.save(state, folder / self._state_file())
        # What is the same on every process is saved by one.
        if self._critic is not None and self.args.should_save:
            torch.save(self._critic.state_dict(), folder / CRITIC_FILE)
        if self._opponents is not None and self.args.should_save:
            torch.save(self._opponents.state_dict(), folder / OPPONENTS_FILE)
        self.accelerator.wait_for_everyone()  # with save_only_model nothing below waits
        super()._save_checkpoint(model, trial)
        self.create_model_card()

    def _save_rng_state(self, output_dir: str) -> None:
        super()._save_rng_state(output_dir)
        self.accelerator.wait_for_everyone()  # the last file, which comes next, speaks for all

    def _issue_warnings_after_load(self, load_result: Any) -> None:
        # A tensor that two names share is saved under one: the other is not missing.
        tied: dict[str, str] = getattr(self.model, "all_tied_weights_keys", {})
        missing = [name for name in load_result.missing_keys if name not in tied]
        super()._issue_warnings_after_load(load_result._replace(missing_keys=missing))

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is None:
            return
        path = Path(checkpoint, self._state_file())
        if not path.exists():
            raise errors.ConfigError(
                f"{checkpoint} holds no {path.name}: it was saved by another trainer or with "
                "another number of processes"
            )
        state = torch.load(path, weights_only=True)
        self._experience.load_state_dict(state)
        self._averages.load_state_dict(state["averages"])
        self._guard.load_state_dict(state["guard"])
        self._exploitability.load_state_dict(state["exploitability"])
        if self._critic is not None:
            path = Path(checkpoint, CRITIC_FILE)
            critic = torch.load(path, map_location="cpu", weights_only=True)
            self._critic.load_state_dict(critic)
        path = Path(checkpoint, OPPONENTS_FILE)
        if self._opponents is not None and path.exists():  # else the pool begins now
            pool = torch.load(path, map_location="cpu", weights_only=True)
            self._opponents.load_state_dict(pool)

    def _state_file(self) -> str:
        return f"rollout_state_{self.accelerator.process_index}.pt"


def begin_checkpoint(checkpoint: str | Path, accelerator: Any) -> None:
    """Make a checkpoint's folder, not whole yet even if a whole one stood there. Collective."""
    folder = Path(checkpoint)
    folder.mkdir(parents=True, exist_ok=True)
    if accelerator.is_main_process:
        (folder / LAST_FILE).unlink(missing_ok=True)
    accelerator.wait_for_everyone()


def is_whole(checkpoint: str | Path) -> bool:
    """Return whether the writing of a checkpoint came to its end."""
    try:
        json.loads((Path(checkpoint) / LAST_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


def newest_whole(output_dir: str | Path) -> str | None:
    """Return the whole checkpoint of the most steps in a folder, or None."""
    found = {
        int(match[1]): path
        for path in Path(output_dir).glob("checkpoint-*")
        if (match := re.fullmatch(r"checkpoint-(\d+)", path.name))
    }
    for step in sorted(found, reverse=True):
        if is_whole(found[step]):
            return str(found[step])
    return None


def to_resume_from(given: str | bool | None, output_dir: str | Path) -> str | None:
    """Return the checkpoint to resume from, or None to start anew.

    Args:
        given: A checkpoint's path; True for the newest whole one in ``output_dir``.
        output_dir: Where the run saves its checkpoints.

    Raises:
        ConfigError: There is no such checkpoint, or it was not written to its end.
    """
    if not given:
        return None
    newest = newest_whole(output_dir)
    if given is True:
        if newest is None:
            raise errors.ConfigError(f"{output_dir} holds no whole checkpoint to resume from")
        return newest
    if not is_whole(given):
        hint = f"; the newest whole one is {newest}" if newest is not None else ""
        raise errors.ConfigError(
            f"{given} is no whole checkpoint ({LAST_FILE}, which is written last, is missing or "
            f"cut off){hint}"
        )
    return str(given)
