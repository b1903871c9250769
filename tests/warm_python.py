"""Processes of their own for scripts that train, without eight seconds of imports for each.

They are forked from one process, started at the first use in a session, that has imported what
others make (torch, transformers, trl) and nothing of ours.
"""

import atexit
import multiprocessing
import os
import runpy
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired

IMPORTED = ("gymnasium", "torch", "torch.distributed.fsdp", "transformers.trainer", "datasets",
            "peft", "trl.models.utils", "trl.experimental.utils", "trl.trainer.utils")  # fmt: skip

OFFLINE = {
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HOME": str(Path(tempfile.gettempdir()) / "no-hugging-face"),  # read at import, never made
}

CONTEXT = multiprocessing.get_context("forkserver")


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(
    script: str, arguments: tuple[str, ...], folder: str, variables: dict[str, str],
    out: str, err: str,
) -> None:  # fmt: skip
    """Be what ``python SCRIPT ARGUMENTS`` is, in the process that was forked for it."""
    os.environ.update(variables)
    for number, path in ((1, out), (2, err)):
        file = os.open(path, os.O_WRONLY)
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).parent))
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        atexit._run_exitfuncs()  # multiprocessing leaves them out


class WarmPython:
    """A process that runs a script in ``folder``; what it writes goes to files in ``files``."""

    def __init__(
        self, script: Path, *arguments: str, folder: Path, files: Path, **variables: str
    ) -> None:
        self.out, self.err = files / "stdout", files / "stderr"
        for path in (self.out, self.err):
            path.write_text("")  # what another wrote there
        CONTEXT.set_forkserver_preload([*IMPORTED])
        with environment(OFFLINE):
            forkserver.ensure_running()
        given = (str(script), arguments, str(folder), variables, str(self.out), str(self.err))
        self.process: ForkServerProcess = CONTEXT.Process(target=_run, args=given)
        self.process.start()

    def wait(self, timeout_s: float) -> CompletedProcess[str]:
        """Return how it ended, or kill it.

        Raises:
            TimeoutExpired: It had not ended.
        """
        self.process.join(timeout_s)
        code = self.process.exitcode
        if code is None:
            self.process.kill()
            raise TimeoutExpired([], timeout_s, self.out.read_text(), self.err.read_text())
        self.process.close()
        return CompletedProcess([], code, self.out.read_text(), self.err.read_text())
