"""Files and permissions: modes, names, copies, links."""

from __future__ import annotations

import numpy as np

from gem_gymnasium.terminal.families.draws import (
    NOUNS,
    between,
    pick,
    pick_some,
    shuffled,
    words,
)
from gem_gymnasium.terminal.scene import Scene
from gem_gymnasium.terminal.task import File, Link, Look, Task, text_file


def set_modes(rng: np.random.Generator) -> Task:
    """Give scripts, keys and notes the modes that a rule asks for."""
    names = pick_some(rng, NOUNS, 9)
    wanted: dict[str, int] = {}
    for place, name in enumerate(names):
        folder = pick(rng, ("", "lib/", "lib/old/"))
        suffix, mode = ((".sh", 0o750), (".key", 0o400), (".txt", 0o664))[place % 3]
        wanted[f"site/{folder}{name}{suffix}"] = mode
    files = {
        path: File(words(rng, 5).encode(), pick(rng, (0o600, 0o644, 0o777))) for path in wanted
    }

    def right(scene: Scene, suffix: str) -> bool:
        kept = all(scene.data(path) == files[path].data for path in wanted)
        return kept and all(
            scene.mode(path) == mode for path, mode in wanted.items() if path.endswith(suffix)
        )

    checks = [Look(lambda scene, suffix=s: right(scene, suffix)) for s in (".sh", ".key", ".txt")]
    return Task(
        name="set_modes",
        instruction=(
            "In the folder site and all folders below it, give the files these modes: 750 to those "
            "that end in .sh, 400 to those that end in .key, 664 to those that end in .txt."
        ),
        files=files,
        checks=tuple(checks),
        solution=(
            "find site -name '*.sh' -exec chmod 750 {} +\n"
            "find site -name '*.key' -exec chmod 400 {} +\n"
            "find site -name '*.txt' -exec chmod 664 {} +",
        ),
    )


def rename_by_list(rng: np.random.Generator) -> Task:
    """Rename files, some with spaces in their names, as a list says."""
    count = between(rng, 6, 9)
    names = pick_some(rng, NOUNS, 2 * count)
    old = [f"{name} {between(rng, 1, 99)}.txt" for name in names[:count]]
    # Some of the new names are old names of others: the order of renaming matters.
    new = [f"{name}.txt" for name in names[count:]]
    new[0], new[1] = old[1], old[2]
    files = {f"photos/{name}": text_file(f"{words(rng, 6)}\n") for name in old}
    lines = [f"{a}\t{b}\n" for a, b in shuffled(rng, list(zip(old, new, strict=True)))]
    wanted = {f"photos/{b}": files[f"photos/{a}"].data for a, b in zip(old, new, strict=True)}

    def renamed(scene: Scene, path: str) -> bool:
        return scene.data(path) == wanted[path]

    return Task(
        name="rename_by_list",
        instruction=(
            "Each line of names.tsv holds the present name of a file in the folder photos, a tab, "
            "and its new name. Rename all of them. A new name may be the present name of another "
            "file; nothing may be lost, and nothing else may be in the folder afterwards."
        ),
        files={**files, "names.tsv": text_file("".join(lines))},
        checks=(
            Look(lambda scene: all(renamed(scene, path) for path in list(wanted)[:2]), 2),
            Look(lambda scene: all(renamed(scene, path) for path in list(wanted)[2:])),
            Look(lambda scene: scene.below("photos") == sorted(wanted)),
        ),
        solution=(
            "mkdir new\n"
            'while IFS=$\'\\t\' read -r old new; do mv "photos/$old" "new/$new"; done < names.tsv\n'
            "mv new/* photos/ && rmdir new",
        ),
    )


def remove_copies(rng: np.random.Generator) -> Task:
    """Remove files whose content another file has too, but for the first by name."""
    count = between(rng, 4, 6)
    contents = [f"{words(rng, 8)} {number}\n" for number in range(count)]
    # Two of the same size that differ: a size alone decides nothing.
    contents.append(contents[0].replace("a", "e", 1) if "a" in contents[0] else contents[0] + "\n")
    names = [f"inbox/{name}.dat" for name in pick_some(rng, NOUNS, 3 * count)]
    files = {name: text_file(contents[place % len(contents)]) for place, name in enumerate(names)}
    kept: dict[bytes, str] = {}
    for name in sorted(files):
        kept.setdefault(files[name].data, name)
    wanted = sorted(kept.values())
    extra = sorted({*files} - {*wanted})

    def none_lost(scene: Scene) -> bool:
        return all(scene.data(name) == files[name].data for name in wanted)

    half = len(extra) // 2
    return Task(
        name="remove_copies",
        instruction=(
            "In the folder inbox several files have exactly the same content as others. Of each "
            "group of equal files keep the one whose name comes first in alphabetical order and "
            "delete the others. Leave all other files as they are."
        ),
        files=files,
        checks=(
            Look(lambda s: none_lost(s) and all(n not in s.entries for n in extra[:half])),
            Look(lambda s: none_lost(s) and all(n not in s.entries for n in extra[half:])),
            Look(lambda scene: scene.below("inbox") == wanted and none_lost(scene), 2),
        ),
        solution=(
            "cd inbox; export LC_ALL=C\n"
            "sha256sum *.dat | sort -k1,1 -k2,2 | awk 'seen[$1]++ {print $2}' | xargs rm -f",
        ),
    )


def newest_release(rng: np.random.Generator) -> Task:
    """Point links to the newest release of each program, by version and not by alphabet."""
    programs = pick_some(rng, NOUNS, 3)
    files: dict[str, File | Link] = {}
    newest: dict[str, str] = {}
    for program in programs:
        major, minor = between(rng, 1, 3), between(rng, 2, 8)
        patch = between(rng, 10, 30)
        versions = [
            (major, minor, 9), (major, minor, patch), (major, 1, 99), (major - 1, 40, 2),
        ]  # fmt: skip
        for version in versions:
            path = f"releases/{program}/{'.'.join(map(str, version))}"
            files[f"{path}/run"] = text_file(f"{words(rng, 4)}\n", 0o755)
        top = ".".join(map(str, versions[1]))
        newest[f"current/{program}"] = f"releases/{program}/{top}"
        old = ".".join(map(str, versions[0]))
        files[f"current/{program}"] = Link(f"../releases/{program}/{old}")

    def leads_right(scene: Scene, link: str) -> bool:
        entry = scene.entries[link]
        there = scene.entries.get(newest[link])
        is_kept = there is not None and there.kind == "folder"
        return entry.kind == "link" and entry.target.rstrip("/") == f"../{newest[link]}" and is_kept

    return Task(
        name="newest_release",
        instruction=(
            "Each folder in releases holds the releases of a program, named by version "
            "(major.minor.patch, compared as numbers: 1.10.0 is newer than 1.9.9). Each symbolic "
            "link in current should lead to the newest release of the program of that name, as "
            "../releases/<program>/<version>, but leads to an older one. Put the links right."
        ),
        files=files,
        checks=tuple(Look(lambda scene, link=link: leads_right(scene, link)) for link in newest),
        solution=(
            "for link in current/*; do name=${link#current/}; "
            "top=$(ls releases/$name | sort -t. -k1,1n -k2,2n -k3,3n | tail -n 1); "
            "ln -sfn ../releases/$name/$top $link; done",
        ),
    )


GENERATORS = {
    "set_modes": set_modes,
    "rename_by_list": rename_by_list,
    "remove_copies": remove_copies,
    "newest_release": newest_release,
}
