"""A run that is killed, wherever, and resumed ends as one that was not, bit for bit."""

import json
import random
import signal
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from transformers.trainer_utils import get_last_checkpoint

from gem_gymnasium import errors
from gem_trl.checkpoints import is_whole, newest_whole, to_resume_from
from tests.gem_trl import killed_run
from tests.warm_python import WarmPython

SCRIPT = Path(killed_run.__file__)


def start(files: Path, *arguments: object) -> WarmPython:
    files.mkdir(exist_ok=True)
    return WarmPython(SCRIPT, *map(str, arguments), folder=files, files=files)


def wait_until_ready(started: WarmPython) -> None:
    """Wait for what the script says when its trainer is built."""
    while started.out.read_text() != "ready\n":
        assert started.process.is_alive(), started.err.read_text()
        time.sleep(0.01)


def run(files: Path, *arguments: object) -> int:
    ended = start(files, *arguments).wait(900)  # on a busy machine
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr[-3000:]
    return ended.returncode


@pytest.fixture(scope="module")
def saved(warm_model: Any, tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    warm_model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


class Straight(NamedTuple):
    """The run that nobody kills: where it is, how long it trained."""

    folder: Path
    seconds: float


@pytest.fixture(scope="module")
def straight(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> Straight:
    folder = tmp_path_factory.mktemp("straight")
    started = start(tmp_path_factory.mktemp("files"), saved, folder)
    wait_until_ready(started)
    begin = time.monotonic()
    ended = started.wait(900)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return Straight(folder, time.monotonic() - begin)


def compare(one: Path, other: Path) -> None:
    first, second = (torch.load(path / "final.pt", weights_only=True) for path in (one, other))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)
    logs = [json.loads((path / "log.json").read_text(encoding="utf-8")) for path in (one, other)]
    for before, after in zip(*logs, strict=True):
        measured = ("step_time", "time/", "tokens_per_s/", "train_")
        names = [name for name in before if not name.startswith(measured)]
        assert {n: before[n] for n in names} == {n: after[n] for n in names}


@pytest.mark.slow(30)
def test_a_run_that_is_killed_again_and_again(
    saved: Path, straight: Straight, tmp_path: Path
) -> None:
    killed, files = tmp_path / "killed", tmp_path / "files"
    half_written = []
    for where, at in (("rollout", 2), ("step", 3), ("optimizer", 5), ("state", 6)):
        assert run(files, saved, killed, where, at) == -signal.SIGKILL
        last = get_last_checkpoint(str(killed))
        if where in ("optimizer", "state"):  # transformers would take the half-written one
            assert Path(last).name == f"checkpoint-{at}"
            assert not is_whole(last)
            newest = newest_whole(killed)
            assert newest == str(killed / f"checkpoint-{at - 1}")
            half_written.append(last)
            with pytest.raises(errors.ConfigError, match=f"the newest whole one is {newest}"):
                to_resume_from(last, killed)
        else:
            assert last == newest_whole(killed) == str(killed / f"checkpoint-{at}")
    assert len(half_written) == 2
    assert run(files, saved, killed) == 0
    compare(straight.folder, killed)


@pytest.mark.slow(20)
def test_a_run_that_is_killed_at_any_moment(
    saved: Path, straight: Straight, tmp_path: Path
) -> None:
    killed, files = tmp_path / "killed", tmp_path / "files"
    moments = random.Random(1)
    for _ in range(2):
        started = start(files, saved, killed)
        wait_until_ready(started)
        time.sleep(moments.uniform(0.1, 0.9) * straight.seconds)
        started.process.kill()
        started.wait(60)
    assert run(files, saved, killed) == 0
    compare(straight.folder, killed)


def test_what_cannot_be_resumed_from_is_refused(build_trainer: Any, tmp_path: Path) -> None:
    trainer = build_trainer(num_rollouts=2, output_dir=str(tmp_path))
    with pytest.raises(errors.ConfigError, match="holds no whole checkpoint to resume from"):
        trainer.train(resume_from_checkpoint=True)
    (tmp_path / "checkpoint-12").mkdir()
    with pytest.raises(errors.ConfigError, match=r"checkpoint-12 is no whole checkpoint .*cut off"):
        trainer.train(resume_from_checkpoint=str(tmp_path / "checkpoint-12"))
    (tmp_path / "checkpoint-9").mkdir()
    (tmp_path / "checkpoint-9" / "trainer_state.json").write_text("{}")
    (tmp_path / "checkpoint-x").mkdir()
    assert to_resume_from(True, tmp_path) == str(tmp_path / "checkpoint-9")
    assert to_resume_from(False, tmp_path) is to_resume_from(None, tmp_path) is None


def test_a_checkpoint_that_is_written_anew_is_not_whole_meanwhile(
    build_trainer: Any, tmp_path: Path
) -> None:
    trainer = build_trainer(
        num_rollouts=1, save_strategy="steps", save_steps=1, output_dir=str(tmp_path)
    )
    trainer.train()
    folder = tmp_path / "checkpoint-1"
    assert is_whole(folder)
    whole: list[bool] = []
    save_model = trainer.save_model
    trainer.save_model = lambda *a, **k: (whole.append(is_whole(folder)), save_model(*a, **k))
    trainer._save_checkpoint(trainer.model, None)
    assert whole == [False]
    assert is_whole(folder)
