"""A side of a comparison: a process of its own that answers lines by lines of JSON.

Ours and the peer's packages cannot share an environment, and taking turns lets other load on the
machine meet both.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any


class Side:
    """A side's process; ``options`` are those of ``subprocess.Popen``."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self._process: subprocess.Popen[str] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options
        )

    def ask(self, line: str) -> dict[str, Any]:
        """Have a job done and return its result; ends the program if the process has ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{line}\n")
        stdin.flush()
        answer = stdout.readline()
        if not answer:
            sys.exit(f"{' '.join(map(str, self._process.args))} ended with {self._process.wait()}")
        return json.loads(answer)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
