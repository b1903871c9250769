"""What level ``docker`` asks an engine to create: a container with every limit, and its command."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from gem_gymnasium.sandbox.child_process import (
    ANSWERS,
    OUTPUT,
    PYTHON_FLAGS,
    START_S,
    environment,
)
from gem_gymnasium.sandbox.level import MAX_FILES, WORK, limits
from gem_gymnasium.sandbox.policy import Policy, Program

NOBODY = 65_534
"""The user of a program, in a container without any power."""

INTERPRETER_BYTES = 32 << 20
"""Memory of an interpreter, or of a shell, beside the program's."""

SESSION_S = 86_400
"""How long a session may live, all its commands together."""

LABEL = "gem-gymnasium.until"
"""What marks the containers; its value is when a container must be over, in seconds since 1970."""


def configuration(
    program: Program, policy: Policy, *, volumes: Iterable[str] = ()
) -> dict[str, Any]:
    """Return what the engine is asked to create, by the names of its API (``ContainerCreate``).

    Args:
        program: What it runs; the text comes first on stdin.
        policy: What it may use.
        volumes: Folders that the image wants kept outside it, where no limit would hold.
    """
    user = user_of(policy)
    # The owner too: on a folder that is there already, runc leaves out the mode.
    rights = f"uid={user},gid={user},mode=1777"
    memory = f"rw,nosuid,nodev,exec,size={policy.disk_bytes},nr_inodes={MAX_FILES},{rights}"
    in_memory = dict.fromkeys(("/tmp", *volumes), memory)
    mounts: list[dict[str, Any]] = []
    if policy.folder is None:
        in_memory[WORK] = memory
    else:
        source = str(Path(policy.folder).resolve())
        mounts.append({"Type": "bind", "Source": source, "Target": WORK})
    for place in policy.places:
        source, is_closed = str(Path(place.source).resolve()), not place.writable
        mounts.append(
            {"Type": "bind", "Source": source, "Target": place.target, "ReadOnly": is_closed}
        )
    first, *arguments = command_of(program)
    memory_bytes = policy.memory_bytes + INTERPRETER_BYTES
    time_s = SESSION_S if program.kind == "shell session" else policy.time_s
    until = int(time.time() + START_S + time_s)
    return {
        "Image": policy.image,
        "Entrypoint": [first],
        "Cmd": arguments,
        "User": f"{user}:{user}",
        "Hostname": "gem",
        "WorkingDir": WORK,
        # Where programs and packages are is the image's to say.
        "Env": [f"{name}={value}" for name, value in environment(WORK).items() if name != "PATH"],
        "Labels": {LABEL: str(until)},
        "Healthcheck": {"Test": ["NONE"]},
        # It ends when the connection that feeds it does.
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "Tty": False,
        "HostConfig": {
            "NetworkMode": "none",
            "ReadonlyRootfs": True,
            "Tmpfs": in_memory,
            "Mounts": mounts,
            "Memory": memory_bytes,
            "MemorySwap": memory_bytes,
            "ShmSize": policy.disk_bytes,
            "PidsLimit": policy.processes + 1,  # and the init process
            "Ulimits": _ulimits(program, policy),
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "Privileged": False,
            "IpcMode": "private",
            "Init": True,
            "LogConfig": {"Type": "none", "Config": {}},  # else the engine's disk keeps the output
        },
    }


def _ulimits(program: Program, policy: Policy) -> list[dict[str, Any]]:
    """Return the limits of one process.

    Not ``AS``, which the engine does not know (the container's memory is limited), and not
    ``NPROC``: the kernel would count the user's processes in all containers (the container's are).
    """
    return [
        {"Name": name.lower(), "Soft": soft, "Hard": hard}
        for name, (soft, hard) in limits(program, policy).items()
        if name not in ("AS", "NPROC")
    ]


def user_of(policy: Policy) -> int:
    """Return whom a program runs as: nobody, but in an ordinary user's folder as that user."""
    return NOBODY if policy.folder is None or os.getuid() == 0 else os.getuid()


def text_of(program: Program) -> bytes:
    """Return a program's text as it goes through stdin."""
    return program.text.encode("utf-8", "replace")


def command_of(program: Program) -> list[str]:
    """Return the command that runs a program whose text comes first on stdin.

    Before its first line it writes one byte to stdout, so that no program can pass for one that
    could not be started.
    """
    length = len(text_of(program))
    if program.kind == "python":
        harness = files("gem_gymnasium.sandbox").joinpath("harness.py").read_text(encoding="utf-8")
        return ["python3", *PYTHON_FLAGS, "-c", harness, "piped", str(length)]
    if program.kind == "shell session":
        command = (
            f"printf .; exec {OUTPUT}>&1 {ANSWERS}>&2; exec bash --noprofile --norc --noediting -i"
        )
        return ["bash", "--noprofile", "--norc", "-c", command, "bash"]
    # Byte by byte, since the rest is the program's; `head -c` of BusyBox takes more than it gives.
    command = (
        f'c="$(dd bs=1 count={length} 2>/dev/null)" || {{ echo "no dd" >&2; exit 1; }}\n'
        'printf .; eval "unset c\n$c"'
    )
    choose = 'if command -v bash >/dev/null; then exec bash --noprofile --norc -c "$1" bash; fi'
    return ["/bin/sh", "-c", f'{choose}; exec /bin/sh -c "$1" sh', "sh", command]
