"""The warm parent of level ``zygote``: imports once, has confined children ready, hands out runs.

A program of its own (``zygote.py`` starts it), with a clean environment and none of the caller's
memory. It takes requests from one socket, each with the descriptors that the program will have, and
tells through the request's own status socket in which folder it runs and, later, how it ended.
Closing that socket kills the run; closing the main one ends all.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import shutil
import signal
import socket
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

from gem_gymnasium.sandbox import zygote_child
from gem_gymnasium.sandbox.libraries import Library
from gem_gymnasium.sandbox.users import unused_user

IS_ROOT = os.getuid() == 0

READY = b"ready"
SPARES = 4
"""Children that are confined and wait for a program, so that a run need not wait for them."""

DESCRIPTORS = len(zygote_child.GIVEN) + 1
"""Of a request: what the child is given, and the status socket."""

STARTED = struct.Struct("<i")
"""What the status socket says first: the child's process number; then the folder's name."""

ENDED = struct.Struct("<i")
"""What the status socket says at the end: an exit status, or minus a signal."""

TOLD = {ord("k"): signal.SIGKILL, ord("s"): signal.SIGSTOP, ord("c"): signal.SIGCONT}
"""What the status socket takes."""


@dataclass(slots=True)
class Child:
    """A forked child: waiting for a program, or (with a status socket) running one."""

    pid: int
    handle: int
    uid: int | None
    folder: str
    orders: socket.socket
    status: socket.socket | None = field(default=None)


class Server:
    """The loop: take requests, fork, kill, and tell the end."""

    def __init__(self, requests: socket.socket, folders: str, library: Library) -> None:
        self.requests = requests
        self.folders = folders
        self.selector = selectors.DefaultSelector()
        self.selector.register(requests, selectors.EVENT_READ)
        self.children: dict[int, Child] = {}
        self.spares: list[Child] = []
        self.made = 0
        self.shared = zygote_child.prepare(Path(folders), library)

    def run(self) -> None:
        """Serve until the caller closes its end."""
        while True:
            # Children are made ready when there is nothing else to do.
            events = self.selector.select(0 if len(self.spares) < SPARES else None)
            if not events:
                try:
                    self.spares.append(self.fork(None))
                except OSError:  # the next request meets it too, and tells
                    events = self.selector.select(1.0)
            for key, _ in events:
                if key.fileobj is self.requests:
                    if not self.take():
                        self.stop()
                        return
                elif (child := self.children.get(key.data)) is not None:
                    self.reap(child) if key.fd == child.handle else self.obey(child)

    def take(self) -> bool:
        """Give what one request asks for to a child; False if there will be no more requests."""
        try:
            message, descriptors, _, _ = socket.recv_fds(
                self.requests, zygote_child.MAX_REQUEST, DESCRIPTORS
            )
        except ConnectionError:
            return False
        if not message:
            return False
        *given, status = descriptors
        told = socket.socket(fileno=status)
        try:
            child = self.hand(message, given)
        except OSError as error:
            os.write(given[-1], f"cannot start a program: {error}".encode())
            told.close()
        else:
            child.status = told
            self.selector.register(told, selectors.EVENT_READ, child.pid)
            with contextlib.suppress(OSError):
                told.send(STARTED.pack(child.pid) + os.fsencode(child.folder))
        for descriptor in given:
            os.close(descriptor)
        return True

    def hand(self, request: bytes, given: list[int]) -> Child:
        """Give a request to a child that waits, or to a new one.

        Raises:
            OSError: No child can be made.
        """
        folder: str | None = json.loads(request)["folder"]
        while True:
            waiting = folder is None and self.spares
            child = self.spares.pop(0) if waiting else self.fork(folder)
            try:
                socket.send_fds(child.orders, [request], given)
            except ConnectionError:
                if not waiting:
                    raise
                continue  # it had died while it waited
            child.orders.close()
            return child

    def fork(self, folder: str | None) -> Child:
        """Fork a child that confines itself and waits for a request.

        Raises:
            OSError: There is no process, no user or no folder for it.
        """
        uid = unused_user({child.uid for child in self.children.values()}) if IS_ROOT else None
        if folder is None:
            self.made += 1
            folder = os.path.join(self.folders, str(self.made))
            os.mkdir(folder, 0o700)
        rulesets = zygote_child.rulesets(folder, self.shared)
        orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            pid = os.fork()
            if pid == 0:
                orders.close()
                self.close()
                zygote_child.be(theirs, folder, self.shared, rulesets, uid)  # does not return
        finally:
            for ruleset in rulesets:
                os.close(ruleset)
            theirs.close()
        child = Child(pid, os.pidfd_open(pid), uid, folder, orders)
        self.children[pid] = child
        self.selector.register(child.handle, selectors.EVENT_READ, pid)
        return child

    def obey(self, child: Child) -> None:
        """Do what the caller says of a child; a closed socket means kill."""
        assert child.status is not None
        try:
            told = child.status.recv(16)
        except ConnectionError:
            told = b""
        if not told:
            self.selector.unregister(child.status)
        for what in told or b"k":
            os.kill(child.pid, TOLD[what])

    def reap(self, child: Child) -> None:
        """Tell how a child ended and forget it."""
        _, status = os.waitpid(child.pid, 0)
        self.selector.unregister(child.handle)
        os.close(child.handle)
        child.orders.close()
        del self.children[child.pid]
        if child in self.spares:
            self.spares.remove(child)
        if child.status is not None:
            with contextlib.suppress(KeyError):
                self.selector.unregister(child.status)
            with contextlib.suppress(OSError):
                child.status.send(ENDED.pack(os.waitstatus_to_exitcode(status)))
            child.status.close()

    def stop(self) -> None:
        """Kill every child and remove what they left."""
        for child in self.children.values():
            os.kill(child.pid, signal.SIGKILL)
        for child in self.children.values():
            os.waitpid(child.pid, 0)
        shutil.rmtree(self.folders, ignore_errors=True)

    def close(self) -> None:
        """Let go, in a forked child, of everything that is the server's."""
        self.selector.close()
        self.requests.close()
        for child in self.children.values():
            os.close(child.handle)
            child.orders.close()
            if child.status is not None:
                child.status.close()


def main(descriptor: int, folders: str, packages: str, warm: str, warm_up: str) -> None:
    """Import, say that it is done, serve.

    Args:
        descriptor: The socket of the requests.
        folders: Where the folders of the runs are made.
        packages: The names of ``Library.packages``, parted by commas.
        warm: Those of ``Library.warm``.
        warm_up: ``Library.warm_up``.
    """
    shown, imported = (tuple(filter(None, names.split(","))) for names in (packages, warm))
    library = Library(shown, imported, warm_up)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the caller, who closes the socket
    zygote_child.make_library_reachable()
    for name in library.warm:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    exec(compile(warm_up, "<warm-up>", "exec"), {"__name__": "__warm_up__"})
    server = Server(socket.socket(fileno=descriptor), folders, library)
    for name in [name for name in sys.modules if name.partition(".")[0] == "gem_gymnasium"]:
        del sys.modules[name]  # a program gets none of it
    gc.collect()
    gc.freeze()  # so that a child's collection touches (and copies) no page of the parent's
    server.requests.send(READY)
    server.run()
