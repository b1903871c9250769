"""Put a task's files into a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from gem_gymnasium.terminal.task import File, Link

EPOCH = 1_704_067_200
"""When every file was last changed: the start of 2024, the same in every episode."""


def lay_out(folder: Path, files: Mapping[str, File | Link]) -> None:
    """Write files into a folder that nothing has worked in yet."""
    for path, file in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(file, Link):
            place.symlink_to(file.target)
        else:
            place.write_bytes(file.data)
    for place in sorted(folder.rglob("*"), reverse=True):
        if not place.is_symlink():
            file = files.get(str(place.relative_to(folder)))
            place.chmod(file.mode if isinstance(file, File) else 0o755)
        os.utime(place, (EPOCH, EPOCH), follow_symlinks=False)
