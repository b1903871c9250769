"""The child of level ``zygote``: confined between the fork and the program's first line."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import socket
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, cast

from gem_gymnasium.sandbox import harness, landlock, libraries, seccomp
from gem_gymnasium.sandbox.confine import confine
from gem_gymnasium.sandbox.users import hand_over

DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


MAX_REQUEST = 65_536
CONFINED = b"."
"""What ``setup`` says if nothing failed."""

GIVEN = ("source", "stdin", "stdout", "stderr", "answers", "setup")
"""The descriptors of a program.

``source`` holds its text, or is where a session's requests come from; ``answers`` is where a
session answers; ``setup`` is where it is told, before the program's first line, whether it is
confined.
"""


class HiddenPackages:
    """An importer that knows of installed packages only that a program must not read them.

    Without it their import would fail as forbidden instead of missing, which no package that can
    do without them expects.
    """

    def __init__(self, library: libraries.Library, folders: list[Path]) -> None:
        shown = {path.stem for path in libraries.packages(library, folders)}
        names = {entry.stem for folder in folders for entry in folder.iterdir()}
        self.names = names - shown

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse a hidden package.

        Raises:
            ModuleNotFoundError: The package is hidden.
        """
        if path is None and name in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class Shared(NamedTuple):
    """What all runs have in common."""

    everything: int
    """Landlock ruleset, a descriptor: what all may read, and all that is in ``folders``."""
    coarse: list[bytes]
    """What all may read, in few rules that name more than that."""
    exact: list[bytes]
    """What all may read."""
    folders: Path
    """Where the runs' own folders are."""
    own_bytes: int
    """Address space of the interpreter."""
    path: list[str]
    """What ``sys.path`` is in the program."""
    hidden: HiddenPackages
    server: int
    """The parent's process number."""


_library: dict[str, str] = {}
"""Folder of the library that other users cannot reach -> a path through an open descriptor."""


def make_library_reachable() -> None:
    """Let a process that drops its user go on importing from below a folder such as ``/root``.

    The way to an open descriptor's folder, ``/proc/self/fd/N``, needs no right to what lies above.
    """
    if os.getuid() != 0:
        return
    for entry in list(sys.path):
        path = Path(entry).resolve()
        if not path.is_dir() or all(
            above.stat().st_mode & 0o001 for above in (path, *path.parents)
        ):
            continue
        descriptor = os.open(path, os.O_PATH | os.O_DIRECTORY)
        _library[entry] = f"/proc/self/fd/{descriptor}"
    sys.path[:] = [_library.get(entry, entry) for entry in sys.path]
    for module in list(sys.modules.values()):
        places = getattr(module, "__path__", None)
        if isinstance(places, list):
            module.__path__ = [reached(place) for place in cast("list[str]", places)]
    sys.path_importer_cache.clear()


def reached(place: str) -> str:
    """Return a folder by a path that can be walked."""
    for folder, way in _library.items():
        if place == folder or place.startswith(folder + "/"):
            return way + place[len(folder) :]
    return place


def prepare(folders: Path, library: libraries.Library) -> Shared:
    """Open what every program may read, while this process still can.

    Landlock knows no exceptions, so that what is visible beside hidden packages takes hundreds of
    rules: too many for each run. Of two rulesets only what both grant is granted: the one for all
    runs is exact but takes in all runs' folders, the one of a run is coarse but for its folder.
    """
    seccomp.strict(0)  # composed once, here
    roots = libraries.existing([*libraries.SHARED, *libraries.standard_library()])
    roots = [root for root in roots if not any(above in root.parents for above in roots)]
    closed = libraries.package_folders()
    packages = libraries.packages(library, closed)
    devices = [(Path(path), landlock.DEVICE) for path in DEVICES if Path(path).exists()]
    paths = [
        *landlock.visible(roots, closed),
        *((path, landlock.READ) for path in packages),
        *((path, landlock.LIST) for path in closed),  # the importer lists them
        *devices,
    ]
    exact = rules(paths)
    coarse = rules([*((path, landlock.READ) for path in (*roots, *closed)), *devices])
    everything = landlock.ruleset([*exact, *rules([(folders, landlock.WRITE)])])
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return Shared(
        everything,
        coarse,
        exact,
        folders,
        pages * os.sysconf("SC_PAGE_SIZE"),
        [_library.get(entry, entry) for entry in libraries.search_path(closed)],
        HiddenPackages(library, closed),
        os.getpid(),
    )


def rules(paths: Iterable[tuple[Path, int]]) -> list[bytes]:
    """Return Landlock rules whose descriptors stay open."""
    return landlock.prepared(
        [(os.open(path, os.O_PATH | os.O_CLOEXEC), rights) for path, rights in paths]
    )


def rulesets(folder: str, shared: Shared) -> list[int]:
    """Return descriptors of what Landlock is to let a program through to, all to be applied.

    Raises:
        OSError: The kernel refuses.
    """
    of_all = Path(folder).parent == shared.folders
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        own = landlock.prepared([(place, landlock.WRITE)])
        if of_all:
            return [os.dup(shared.everything), landlock.ruleset([*shared.coarse, *own])]
        return [landlock.ruleset([*shared.exact, *own])]
    finally:
        os.close(place)


def be(
    orders: socket.socket, folder: str, shared: Shared, rulesets: list[int], uid: int | None
) -> NoReturn:
    """Be the child: confine yourself, wait for a program, run it."""
    status = 1
    try:
        status = wait_and_run(orders, folder, shared, rulesets, uid)
    finally:
        os._exit(status)  # never back into the parent's loop


def wait_and_run(
    orders: socket.socket, folder: str, shared: Shared, rulesets: list[int], uid: int | None
) -> int:
    """Confine the process, wait for a program and run it; return its exit status."""
    failure = ""
    program = seccomp.strict(os.getpid())
    try:
        become(folder, shared, rulesets, uid, orders.fileno())
    except BaseException as error:
        failure = repr(error)
    message, descriptors, _, _ = socket.recv_fds(orders, MAX_REQUEST, len(GIVEN))
    orders.close()
    if not message:  # the parent is gone
        return 1
    request: dict[str, Any] = json.loads(message)
    source, stdin, stdout, stderr, answers, setup = descriptors
    try:
        if failure:
            raise OSError(0, failure)
        limit(request["limits"], shared.own_bytes)
        seccomp.install(program)
    except BaseException as error:
        os.write(setup, f"cannot confine a program: {error}".encode()[:4_000])
        return 1
    os.write(setup, CONFINED)
    for place, descriptor in enumerate((stdin, stdout, stderr)):
        os.dup2(descriptor, place)
        os.close(descriptor)
    os.close(setup)
    if request["session"]:
        return harness.run_session(source, answers)
    os.close(answers)
    return harness.run_file(source)


def become(folder: str, shared: Shared, rulesets: list[int], uid: int | None, orders: int) -> None:
    """Confine the process, but for what a request decides and the system calls.

    Raises:
        OSError: The kernel refuses.
    """
    os.setsid()
    os.umask(0o077)
    if uid is not None:
        hand_over(folder, uid)
    os.chdir(folder)
    with contextlib.suppress(OSError):  # if memory runs out, this process is to go first
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    confine(uid=uid, parent=shared.server, rulesets=rulesets)
    close_all_but(orders, *(int(way.rpartition("/")[2]) for way in _library.values()))
    os.environ.update(HOME=folder, TMPDIR=folder)
    sys.path[:] = shared.path
    sys.meta_path.insert(0, shared.hidden)
    seed()


def limit(limits: dict[str, tuple[int, int]], own_bytes: int) -> None:
    """Set the process's (soft, hard) limits; ``AS`` comes on top of the interpreter's memory."""
    for name, (soft, hard) in limits.items():
        own = own_bytes if name == "AS" else 0
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (soft + own, hard + own))


def close_all_but(*kept: int) -> None:
    """Close every descriptor but the standard ones and those named."""
    above = 2
    for descriptor in sorted({*kept}):
        os.closerange(above + 1, descriptor)
        above = max(above, descriptor)
    os.closerange(above + 1, 65_536)


def seed() -> None:
    """Seed the global generators, so that the same program gives the same output."""
    random.seed(0)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)
