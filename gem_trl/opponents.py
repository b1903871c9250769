"""Frozen opponents: earlier selves of the policy, for games that it plays with itself."""

# torch and transformers are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gem_trl.generation import TransformersGenerator
from gem_trl.rollout import Opponent

Weights = dict[str, Tensor]


class FrozenOpponents:
    """Keeps copies of the policy's weights, and seats one of them in some games of a rollout.

    A copy holds the weights that are trained (an adapter's only, where there is one) and lies in
    main memory. A second model of the policy's shape plays with them, by transformers' ``generate``
    even where the policy's own replies come from vLLM.

    Args:
        model_of: Returns the policy, unwrapped.
        size: How many copies are kept; the oldest goes.
        interval: Rollouts between copies; the first is made before the first rollout.
        share: Share of the games of several players that have an opponent.
        eos_ids: The tokens that end a reply.
        pad_id: The padding token.
        device: Where the opponent plays.
        autocast: In what it plays, as the policy does: half precision perhaps.
    """

    def __init__(
        self,
        model_of: Callable[[], Any],
        *,
        size: int,
        interval: int,
        share: float,
        eos_ids: Sequence[int],
        pad_id: int,
        device: torch.device,
        autocast: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        self._model_of, self._size, self._interval, self._share = model_of, size, interval, share
        self._pool: list[Weights] = []
        self._model: Any = None
        self._autocast = autocast
        self._generator = TransformersGenerator(
            self._open_model, eos_ids=eos_ids, pad_id=pad_id, device=device
        )

    @contextmanager
    def _open_model(self) -> Generator[Any]:
        with self._autocast():
            yield self._model

    def see(self, rollout: int) -> None:
        """Copy the policy's weights, if they are due before this rollout, or there is no copy."""
        if self._pool and rollout % self._interval:
            return
        copied = {name: each.detach().cpu().clone() for name, each in _trained(self._model_of())}
        self._pool = [*self._pool, copied][-self._size :]

    def invite(self, seats: Sequence[int], rng: np.random.Generator) -> Opponent:
        """Draw one of the copies, and the games that it plays in.

        Args:
            seats: Of the game of each episode to come; with one seat there is no opponent.
            rng: Where the choices come from.
        """
        weights = self._pool[int(rng.integers(len(self._pool)))]
        if self._model is None:
            self._model = _copied(self._model_of())
        own = dict(self._model.named_parameters())
        with torch.no_grad():
            for name, value in weights.items():
                own[name].copy_(value)
        invited = rng.random(len(seats)) < self._share
        learners = [
            int(rng.integers(count)) if count > 1 and there else None
            for count, there in zip(seats, invited, strict=True)
        ]
        return Opponent(self._generator, learners)

    def state_dict(self) -> dict[str, Any]:
        """Return the copies."""
        return {"pool": self._pool}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up the copies that ``state_dict`` returned."""
        self._pool = list(state["pool"])


def _copied(model: Any) -> Any:
    """Return a frozen copy of a model that has nothing of the model left in it."""
    copied = copy.deepcopy(model).eval().requires_grad_(False)
    # A patched forward (TRL's fused head, accelerate's autocast) may hold on to the model it was
    # made for, and would play with that one's weights.
    for module in copied.modules():
        module.__dict__.pop("forward", None)
    return copied


def _trained(model: Any) -> list[tuple[str, Tensor]]:
    return [(name, each) for name, each in model.named_parameters() if each.requires_grad]
