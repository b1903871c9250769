"""One process and two (gloo) do the same with the same global batch."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

SCRIPT = Path(__file__).with_name("two_processes.py")
ROOT = SCRIPT.parents[2]


def run(processes: int, folder: Path, aggregation: str) -> dict[str, Any]:
    result = folder / f"result-{processes}-{aggregation}.pt"
    command = [sys.executable]
    if processes > 1:
        command += ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes}"]
    command += [str(SCRIPT), str(folder), aggregation, str(result)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return torch.load(result, weights_only=True)


@pytest.mark.slow
@pytest.mark.parametrize("aggregation", ["constant", "token_mean"])
def test_two_processes_do_what_one_does(
    build_trainer: Any, model: Any, tokenizer: Any, tmp_path: Path, aggregation: str
) -> None:
    episodes = build_trainer(episodes_per_rollout=10)._experience.collect_episodes()
    torch.save(episodes, tmp_path / "episodes.pt")
    model.double().save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    one, two = run(1, tmp_path, aggregation), run(2, tmp_path, aggregation)
    assert one["metrics"] == pytest.approx(two["metrics"], rel=1e-6)
    for what in ("gradients", "parameters"):
        for name, value in one[what].items():
            error = (two[what][name] - value).abs().max()
            assert error <= 1e-6 * value.abs().max(), (what, name, float(error))
    start = dict(model.named_parameters())
    moved = [name for name in start if not torch.equal(start[name], one["parameters"][name])]
    assert moved  # the step was one
