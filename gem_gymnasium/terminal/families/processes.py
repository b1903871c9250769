"""Processes and logs: find what runs, stop it and nothing else, read what it wrote."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from gem_gymnasium.terminal.families.draws import NOUNS, between, pick, pick_some, shuffled, words
from gem_gymnasium.terminal.scene import Scene
from gem_gymnasium.terminal.task import File, Link, Look, Task, lines_file, text_file


def _started(name: str, before: str = "", after: str = "") -> str:
    """Return a line that starts a process which shows under a name and does nothing."""
    return f"(exec {before} -a {name} sleep 1000000 {after}) >/dev/null 2>&1 & disown"


def stop_the_holder(rng: np.random.Generator) -> Task:
    """Stop the one process that holds a file open."""
    names = [f"{name}d" for name in pick_some(rng, NOUNS, 5)]
    paths = [f"spool/{place}.lock" for place in range(5)]
    locked = between(rng, 0, 4)
    guilty = names[locked]
    begin = "\n".join(
        _started(name, after=f"7<{path}")
        for name, path in shuffled(rng, list(zip(names, paths, strict=True)))
    )
    others = frozenset(names) - {guilty}
    return Task(
        name="stop_the_holder",
        instruction=(
            f"Some processes run, and each keeps a file in the folder spool open. End the one that "
            f"holds {paths[locked]} and write its name (argument 0 of its command line) to "
            "stopped.txt. All others must go on running."
        ),
        files={path: text_file(f"{words(rng, 2)}\n") for path in paths},
        checks=(
            Look(lambda scene: scene.lines("stopped.txt") == [guilty]),
            Look(lambda scene: guilty not in scene.alive and others <= scene.alive, 2),
        ),
        solution=(
            "for folder in /proc/[0-9]*; do for file in $folder/fd/*; do "
            f'if [ "$(readlink $file)" = "$PWD/{paths[locked]}" ]; then '
            "tr '\\0' '\\n' < $folder/cmdline | head -n 1 > stopped.txt; kill ${folder#/proc/}; "
            "fi; done; done 2>/dev/null; cat stopped.txt",
        ),
        begin=begin,
        daemons=tuple(names),
    )


def read_the_environment(rng: np.random.Generator) -> Task:
    """Find what a running process was started with."""
    names = [f"{name}-worker" for name in pick_some(rng, NOUNS, 4)]
    shards = [f"{pick(rng, NOUNS)}-{between(rng, 1000, 9999)}" for _ in names]
    begin = "\n".join(
        f"(export SHARD={shard}; exec -a {name} sleep 1000000) >/dev/null 2>&1 & disown"
        for name, shard in zip(names, shards, strict=True)
    )
    wanted = sorted(f"{name} {shard}" for name, shard in zip(names, shards, strict=True))

    def right(scene: Scene) -> bool:
        return scene.lines("shards.txt") == wanted

    return Task(
        name="read_the_environment",
        instruction=(
            "Four processes run whose names (argument 0 of the command line) end in -worker. Each "
            "was started with a variable SHARD in its environment. Write shards.txt: a line for "
            "each of them, its name, a space, the value of SHARD, sorted by name. End none of them."
        ),
        files={"README.txt": text_file("The workers have no files of their own.\n")},
        checks=(
            Look(lambda scene: {*(scene.lines("shards.txt") or [])} == {*wanted}),
            Look(lambda scene: right(scene) and scene.alive == frozenset(names)),
        ),
        solution=(
            "for folder in /proc/[0-9]*; do "
            "name=$(tr '\\0' '\\n' < $folder/cmdline | head -n 1); case $name in *-worker) "
            "echo $name $(tr '\\0' '\\n' < $folder/environ | sed -n 's/^SHARD=//p');; esac; "
            "done 2>/dev/null | LC_ALL=C sort > shards.txt",
        ),
        begin=begin,
        daemons=tuple(names),
    )


def stale_pid_files(rng: np.random.Generator) -> Task:
    """Remove the pid files of what runs no more, and of what is now another process."""
    names = [f"{name}d" for name in pick_some(rng, NOUNS, 7)]
    living, dead, mistaken = names[:3], names[3:5], names[5:]
    lines = [f"{_started(name)}\necho $! > run/{name}.pid" for name in living]
    lines += [f"echo {between(rng, 100_000, 999_999)} > run/{name}.pid" for name in dead]
    # Their numbers belong to others by now.
    lines += [
        f"cat run/{other}.pid > run/{name}.pid"
        for name, other in zip(mistaken, living, strict=False)
    ]
    stale = [f"run/{name}.pid" for name in (*dead, *mistaken)]
    kept = [f"run/{name}.pid" for name in living]

    def none_lost(scene: Scene) -> bool:
        return all(scene.data(path) for path in kept) and {*living} <= scene.alive

    def gone(scene: Scene, paths: list[str]) -> bool:
        return none_lost(scene) and not any(path in scene.entries for path in paths)

    return Task(
        name="stale_pid_files",
        instruction=(
            "Each file run/<name>.pid should hold the number of a running process whose name "
            "(argument 0 of its command line) is <name>. Some are stale: no process has the "
            "number, or another one has it. Delete the stale ones. Leave the others, and end "
            "no process."
        ),
        files={"run/README.txt": text_file("Written by the services when they start.\n")},
        checks=(
            Look(lambda scene: gone(scene, stale[:2])),
            Look(lambda scene: gone(scene, stale[2:])),
            Look(lambda scene: gone(scene, stale) and len(scene.below("run")) == 1 + len(kept)),
        ),
        solution=(
            "for file in run/*.pid; do name=${file#run/}; name=${name%.pid}; "
            "found=$(tr '\\0' '\\n' < /proc/$(cat $file)/cmdline 2>/dev/null | head -n 1); "
            '[ "$found" = "$name" ] || rm $file; done',
        ),
        begin="\n".join(lines),
        daemons=tuple(living),
    )


def log_report(rng: np.random.Generator) -> Task:
    """Merge the logs of several services by time, and count the errors by service and hour."""
    services = pick_some(rng, NOUNS, 4)
    entries: list[tuple[str, str, str]] = []
    seconds = sorted(int(s) for s in rng.choice(6 * 3600, 60, replace=False))
    for second in seconds:
        level = pick(rng, ("INFO", "INFO", "WARN", "ERROR"))
        clock = f"2024-03-05T{6 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        service = pick(rng, services)
        # A message may speak of errors without being one.
        entries.append((service, clock, f"{level} {words(rng, 2)} {pick(rng, ('ERROR', 'ok'))}"))
    files: dict[str, File | Link] = {}
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for service, clock, text in entries:
        texts[service].append(f"{clock} {text}")
    for service in services:
        half = len(texts[service]) // 2
        files[f"logs/{service}.log.1"] = lines_file(texts[service][:half])
        files[f"logs/{service}.log"] = lines_file(texts[service][half:])
    merged = [f"{clock} {service} {text}" for service, clock, text in entries]
    counts = Counter(
        f"{service} {clock[11:13]}" for service, clock, text in entries if text[:5] == "ERROR"
    )
    wanted = [f"{key} {counts[key]}" for key in sorted(counts)]
    return Task(
        name="log_report",
        instruction=(
            "The folder logs holds the logs of some services: <service>.log, and the older "
            "<service>.log.1. A line is a time, a level (INFO, WARN or ERROR) and a message. Write "
            "merged.log: all lines of all files by time, with the name of the service between time "
            "and level. Write errors.txt: for each service and hour with lines of level ERROR a "
            "line `<service> <hour> <count>` (such as `amber 07 3`), sorted alphabetically."
        ),
        files=files,
        checks=(
            Look(lambda scene: scene.lines("merged.log") == merged),
            Look(lambda scene: scene.lines("errors.txt") == wanted, 2),
        ),
        solution=(
            "export LC_ALL=C; for file in logs/*; do service=${file#logs/}; "
            "service=${service%%.*}; awk -v s=$service '{$1 = $1 \" \" s; print}' $file; done | "
            "sort > merged.log",
            "awk '$3 == \"ERROR\" {print $2, substr($1, 12, 2)}' merged.log | sort | uniq -c | "
            "awk '{print $2, $3, $1}' > errors.txt",
        ),
    )


GENERATORS = {
    "stop_the_holder": stop_the_holder,
    "read_the_environment": read_the_environment,
    "stale_pid_files": stale_pid_files,
    "log_report": log_report,
}
