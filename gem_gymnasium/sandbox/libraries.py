"""Which files of this Python a confined program may read: the standard library, some packages.

The rest of ``site-packages`` is hidden: it holds data sets with their answers. Imports the
standard library only, since the zygote's process loads it without the package.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("numpy", "sympy", "mpmath", "scipy", "pandas", "networkx", "sortedcontainers")
"""Installed packages that a program can import, beside the standard library."""

NEEDED_BY_PACKAGES = ("dateutil", "pytz", "six.py", "tzdata", "numpy.libs", "scipy.libs")
"""What ``PACKAGES`` import."""


class Library(NamedTuple):
    """What a Python program finds beside the standard library.

    Args:
        packages: What can be imported, by the names of their files and folders.
        warm: What level ``zygote`` imports, if it is installed, before the first run.
        warm_up: A source, to be trusted, that its warm parent runs then; it fills caches.
    """

    packages: tuple[str, ...] = (*PACKAGES, *NEEDED_BY_PACKAGES)
    warm: tuple[str, ...] = ("numpy", "numpy.random", "sympy")
    warm_up: str = ""


STANDARD = Library()
"""What programs of models get."""

SHARED = (
    *("/lib", "/lib64", "/usr/lib64", "/usr/local/lib"),
    *(f"/usr/lib/{machine}-linux-gnu" for machine in ("x86_64", "aarch64")),
    *("/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/localtime"),
)
"""The system's shared libraries and time zones."""


def standard_library() -> list[Path]:
    """Return the folders of the standard library."""
    paths = sysconfig.get_paths()
    return existing(paths[name] for name in ("stdlib", "platstdlib"))


def package_folders() -> list[Path]:
    """Return the folders where packages are installed: this Python's, a venv's and the system's."""
    places = [*standard_library(), *(Path(entry).resolve().parent for entry in sys.path)]
    names = ("site-packages", "dist-packages")
    return existing(
        [
            *(place / name for place in places for name in names),
            "/usr/lib/python3/dist-packages",
            *Path("/usr/local/lib").glob("python3*/*-packages"),
        ]
    )


def packages(library: Library, folders: Sequence[Path]) -> list[Path]:
    """Return what of the packages in ``folders`` can be read: files and folders."""
    return existing(folder / name for folder in folders for name in library.packages)


def search_path(folders: Sequence[Path]) -> list[str]:
    """Return ``sys.path`` without what a program must not read (projects installed editable).

    ``folders`` are those of packages.
    """
    folders = [*standard_library(), *folders]
    return [
        entry
        for entry in sys.path
        if any(folder in (path := Path(entry).resolve(), *path.parents) for folder in folders)
    ]


def existing(paths: Iterable[Path | str]) -> list[Path]:
    """Return the paths that exist, without symbolic links and each once."""
    return list(dict.fromkeys(path.resolve() for path in map(Path, paths) if path.exists()))
