"""One process and two (gloo) do the same with the same global batch, whatever the estimator."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from accelerate import DistributedType

from gem_gymnasium import errors
from gem_trl.distributed import check_sharding
from tests.gem_trl.faulty import ESTIMATORS

SCRIPT = Path(__file__).with_name("two_processes.py")
ROOT = SCRIPT.parents[2]

AGGREGATIONS = ("constant", "token_mean", "sequence_sum")
CASES = [f"{name}:{AGGREGATIONS[i % 3]}" for i, name in enumerate(ESTIMATORS)]
CASES.append("rebn:token_mean")


def run(processes: int, folder: Path) -> dict[str, Any]:
    result = folder / f"result-{processes}.pt"
    command = [sys.executable]
    if processes > 1:
        command += ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes}"]
    command += [str(SCRIPT), str(folder), ",".join(CASES), str(result)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return torch.load(result, weights_only=True)


@pytest.mark.slow(33)
def test_two_processes_do_what_one_does(
    build_trainer: Any, model: Any, tokenizer: Any, tmp_path: Path
) -> None:
    episodes = build_trainer(episodes_per_rollout=15)._experience.collect_episodes()
    torch.save(episodes, tmp_path / "episodes.pt")
    model.double().save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    every_one, every_two = run(1, tmp_path), run(2, tmp_path)
    start = dict(model.named_parameters())
    for case in CASES:
        one, two = every_one[case], every_two[case]
        assert one["metrics"] == pytest.approx(two["metrics"], rel=1e-6), case
        for what in ("gradients", "parameters"):
            for name, value in one[what].items():
                error = (two[what][name] - value).abs().max()
                assert error <= 1e-6 * value.abs().max(), (case, what, name, float(error))
        moved = [name for name in start if not torch.equal(start[name], one["parameters"][name])]
        assert moved, case  # the step was one
        if case.startswith("ppo"):
            assert one["parameters"]["critic.head.weight"].any()


def test_sharding_under_which_a_rollout_would_hang_is_refused() -> None:
    def accelerator(kind: DistributedType, **plugins: Any) -> Any:
        return SimpleNamespace(distributed_type=kind, state=SimpleNamespace(**plugins))

    zero = [
        accelerator(DistributedType.DEEPSPEED, deepspeed_plugin=SimpleNamespace(zero_stage=stage))
        for stage in (2, 3)
    ]
    fsdp = [
        accelerator(DistributedType.FSDP, fsdp_plugin=SimpleNamespace(fsdp_version=version))
        for version in (2, 1)
    ]
    check_sharding(zero[0])
    check_sharding(fsdp[0])
    with pytest.raises(errors.ConfigError, match="zero_stage must be at most 2, got 3"):
        check_sharding(zero[1])
    with pytest.raises(errors.ConfigError, match="fsdp_version must be 2, got 1"):
        check_sharding(fsdp[1])
