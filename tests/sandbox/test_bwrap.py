"""What only bubblewrap's level has to care for: where its Python lies, and whom it runs as."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gem_gymnasium.sandbox import available, run_python, run_shell, users
from gem_gymnasium.sandbox.bwrap import Bwrap
from gem_gymnasium.sandbox.policy import Policy, Program
from gem_gymnasium.sandbox.run import SandboxFailure

pytestmark = pytest.mark.skipif(bool(available()["bwrap"]), reason=f"bwrap: {available()['bwrap']}")
REPOSITORY = Path(__file__).parents[2]
ONE_RUN = """
from gem_gymnasium.sandbox import run_python, run_shell
print(run_python("import os, tempfile; print(6 * 7, tempfile.gettempdir(), os.listdir('/tmp'))",
    level="bwrap"))
print(run_shell("echo $((6 * 7)); echo x > $TMPDIR/file && cat $TMPDIR/file", level="bwrap"))
"""


def test_a_python_below_tmp_runs_too() -> None:
    """There ``/tmp`` cannot be the run's folder; programs are told of another."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        site = next(path for path in map(Path, sys.path) if (path / "gymnasium").is_dir())
        done = subprocess.run(
            [f"{folder}/bin/python", "-c", ONE_RUN],
            env={**os.environ, "PYTHONPATH": f"{REPOSITORY}:{site}"},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.stderr == ""
    python, shell = done.stdout.splitlines()
    assert "output='42 /sandbox [" in python
    assert "output='42\\nx\\n'" in shell


def test_a_run_that_cannot_start_gives_its_user_back(tmp_path: Path) -> None:
    level = Bwrap()
    folder = tmp_path / "gone"
    folder.mkdir()
    policy = Policy(folder=folder)
    folder.rmdir()
    with pytest.raises(SandboxFailure, match=r"could not be started: .*gone"):
        level.start(Program("shell", "true"), policy)
    assert not level._users  # pyright: ignore[reportPrivateUsage]


@pytest.mark.skipif(os.getuid() != 0, reason="only root takes another user")
def test_a_machine_without_an_unused_user_is_a_failure_of_the_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(users, "UNUSED", range(0))
    for done in (run_shell("true", level="bwrap"), run_python("1", level="bwrap")):
        assert done.status == "failed"
        assert "no unused user is left" in done.detail
