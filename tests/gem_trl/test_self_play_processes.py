"""Self-play on two processes (gloo): each plays its own games, and they learn as one."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from gem_gymnasium.multiplayer.kuhn_poker import KuhnPokerEnv
from gem_trl import tiny
from tests.gem_trl.self_play_processes import OPPONENTS, ROLLOUTS, trainer_in, weights

SCRIPT = Path(__file__).with_name("self_play_processes.py")


@pytest.mark.slow
def test_two_processes_learn_what_one_does_from_the_same_games(tmp_path: Path) -> None:
    chats = list(tiny.play_games(KuhnPokerEnv, 60, 0.0, 0))
    tokenizer = tiny.train_tokenizer([m["content"] for chat in chats for m in chat], vocab_size=700)
    model: Any = tiny.build_model(tokenizer, hidden=16, layers=1, heads=2)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=120, batch_size=8, learning_rate=2e-2)
    model.double().save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    environment = {
        **os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(SCRIPT.parents[2]),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, *launch, str(SCRIPT), str(tmp_path)],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    # The test's own script wrote it, with pickled Episode records.
    (first, second), learned = torch.load(tmp_path / "result.pt", weights_only=False)
    assert len(first) == len(second) == ROLLOUTS

    # Each plays the games of its own seeds, some of them with an opponent.
    alone: Any = trainer_in(tmp_path, "alone", **OPPONENTS)
    alone._opponents.see(0)
    for rank, played in enumerate((first, second)):
        alone._experience._rank, alone._experience._blocks = rank, 0
        alone._experience._episodes_begun = [0] * 4
        assert alone._experience.collect_episodes() == played[0]
    alone.close()
    assert any(len(part) < 12 for part in (*first, *second))
    assert any(turn.legal for each in first[0] for turn in each.turns)

    # One process that is given all of them learns the same.
    one: Any = trainer_in(tmp_path, "one")
    together = [[*mine, *theirs] for mine, theirs in zip(first, second, strict=True)]
    one._experience.collect_episodes = lambda: together.pop(0)
    before = weights(one)
    one.train()
    for name, value in weights(one).items():
        assert (learned[name] - value).abs().max() <= 1e-6 * value.abs().max(), name
        assert not torch.equal(before[name], value), name
    one.close()
