"""Repair of git repositories: undo, merge, recover, move commits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gem_gymnasium.terminal.families.draws import NOUNS, between, pick, pick_some, words
from gem_gymnasium.terminal.git_reading import Repository
from gem_gymnasium.terminal.git_writing import RepositoryWriter
from gem_gymnasium.terminal.scene import Scene
from gem_gymnasium.terminal.task import Look, Task


def _lines(rng: np.random.Generator, count: int) -> str:
    return "".join(f"{words(rng, 4)}\n" for _ in range(count))


def _look(passes: Callable[[Scene], bool], weight: int = 1) -> Look:
    return Look(passes, weight, reads_git=True)


def _is_clean(scene: Scene, repository: Repository, branch: str) -> bool:
    """Return whether a branch is checked out, and its files are those in the folder."""
    files = repository.files(repository.branch(branch))
    return repository.head() == branch and all(
        scene.text(path) == text for path, text in files.items()
    )


def undo_commit(rng: np.random.Generator) -> Task:
    """Revert a commit that others followed."""
    writer = RepositoryWriter()
    names = [f"{name}.txt" for name in pick_some(rng, NOUNS, 4)]
    files = {name: _lines(rng, 5) for name in names}
    commits = [writer.commit(files, "Begin")]
    bad_at = between(rng, 1, 3)
    wanted = dict(files)
    bad_message = f"Tidy {names[0]}"
    for place in range(1, 6):
        if place == bad_at:
            files = {**files, names[0]: _lines(rng, 2)}
            message = bad_message
        else:
            changed = names[1 + place % 3]
            files = {**files, changed: files[changed] + _lines(rng, 1)}
            wanted[changed] = files[changed]
            message = f"Add to {changed}"
        commits.append(writer.commit(files, message, commits[-1]))
    top = commits[-1]

    def undone(scene: Scene) -> bool:
        repository = Repository(scene)
        return repository.files(repository.branch("main")) == wanted

    def kept(scene: Scene) -> bool:
        repository = Repository(scene)
        history = repository.history(repository.branch("main"))
        return undone(scene) and [commit.name for commit in history[1:]] == commits[::-1]

    return Task(
        name="undo_commit",
        instruction=(
            "The current folder is a git repository on the branch main. The commit "
            f"`{bad_message}` did damage. Undo what it did by one new commit on top of main, "
            "without changing the history before that; what the later commits did is to stay."
        ),
        files=writer.files({"main": top}),
        checks=(
            _look(undone, 2),
            _look(kept),
            _look(lambda scene: undone(scene) and _is_clean(scene, Repository(scene), "main")),
        ),
        solution=(f"git revert --no-edit $(git log --format=%H --grep '{bad_message}')",),
    )


def resolve_merge(rng: np.random.Generator) -> Task:
    """Merge a branch, with a conflict to be resolved by a rule."""
    writer = RepositoryWriter()
    base, ours, theirs = (pick_some(rng, NOUNS, 12)[start : start + 4] for start in (0, 4, 8))
    topic = pick(rng, ("feature", "import", "spring"))
    other = f"{pick(rng, NOUNS)}.md"

    def listed(*parts: list[str]) -> str:
        return "".join(f"{word}\n" for word in sorted({word for part in parts for word in part}))

    first = writer.commit({"list.txt": listed(base), other: "one\n"}, "Begin")
    here = writer.commit({"list.txt": listed(base, ours), other: "one\n"}, "Add ours", first)
    there_files = {"list.txt": listed(base, theirs), other: "one\ntwo\n"}
    there = writer.commit(there_files, "Add theirs", first)
    wanted = {"list.txt": listed(base, ours, theirs), other: "one\ntwo\n"}

    def merged(scene: Scene) -> bool:
        repository = Repository(scene)
        return repository.files(repository.branch("main")) == wanted

    def parents(scene: Scene) -> bool:
        repository = Repository(scene)
        commit = repository.commit(repository.branch("main"))
        return commit.parents == (here, there) and repository.branch(topic) == there

    return Task(
        name="resolve_merge",
        instruction=(
            "The current folder is a git repository on the branch main. Merge the branch "
            f"{topic} into main by a merge commit. Both have added lines to list.txt: the merged "
            "file must hold every line of both, each once, in alphabetical order. Leave the branch "
            f"{topic} as it is."
        ),
        files=writer.files({"main": here, topic: there}),
        checks=(
            _look(merged),
            _look(parents),
            _look(lambda scene: merged(scene) and parents(scene), 2),
        ),
        solution=(
            f"git merge {topic}",
            f"(git show main:list.txt; git show {topic}:list.txt) | LC_ALL=C sort -u > list.txt\n"
            "git add list.txt && git commit -q -m 'Merge'",
        ),
    )


def recover_commit(rng: np.random.Generator) -> Task:
    """Find commits that no branch holds any more, and give them a branch."""
    writer = RepositoryWriter()
    names = [f"{name}.txt" for name in pick_some(rng, NOUNS, 3)]
    files = {name: _lines(rng, 4) for name in names}
    first = writer.commit(files, "Begin")
    second = writer.commit({**files, names[0]: _lines(rng, 4)}, f"Rewrite {names[0]}", first)
    lost_files, lost = dict(files), [first]
    for number in range(1, between(rng, 3, 4)):
        lost_files = {**lost_files, f"draft{number}.txt": _lines(rng, 3)}
        lost.append(writer.commit(lost_files, f"Draft {number}", lost[-1]))
    branch = f"{pick(rng, NOUNS)}-draft"
    last = f"Draft {len(lost) - 1}"
    log = [
        (second, first, f"checkout: moving from main to {branch}"),
        (lost[-1], second, f"checkout: moving from {branch} to main"),
    ]

    def recovered(scene: Scene) -> bool:
        return Repository(scene).branch(branch) == lost[-1]

    def kept(scene: Scene) -> bool:
        repository = Repository(scene)
        main = repository.branch("main")
        is_there = repository.files(lost[-1]) == lost_files
        return recovered(scene) and is_there and main == second

    return Task(
        name="recover_commit",
        instruction=(
            f"The current folder is a git repository. Its branch {branch} was deleted by mistake; "
            f"the last commit on it was `{last}`. Bring the branch back, with the very commits "
            "that it had. The branch main must stay where it is, and checked out."
        ),
        files=writer.files({"main": second}, log=log),
        checks=(
            _look(recovered, 2),
            _look(kept),
            _look(lambda scene: recovered(scene) and _is_clean(scene, Repository(scene), "main")),
        ),
        solution=(
            f"git branch {branch} $(git reflog --format=%H --grep-reflog '{last}' | head -n 1)",
        ),
    )


def move_commits(rng: np.random.Generator) -> Task:
    """Move the newest commits from main to a branch of their own."""
    writer = RepositoryWriter()
    names = [f"{name}.txt" for name in pick_some(rng, NOUNS, 3)]
    files = {name: _lines(rng, 4) for name in names}
    commits = [writer.commit(files, "Begin")]
    for number in range(1, between(rng, 5, 7)):
        files = {**files, names[number % 3]: _lines(rng, 4)}
        commits.append(writer.commit(files, f"Step {number}", commits[-1]))
    count = between(rng, 2, 3)
    branch, stays = f"try-{pick(rng, NOUNS)}", commits[-1 - count]

    def moved(scene: Scene) -> bool:
        return Repository(scene).branch(branch) == commits[-1]

    def cut(scene: Scene) -> bool:
        return Repository(scene).branch("main") == stays

    return Task(
        name="move_commits",
        instruction=(
            f"The current folder is a git repository. The newest {count} commits on main were "
            f"meant for a branch of their own. Make the branch {branch} that holds them (the very "
            "commits, on top of what they are on now), and take them off main. At the end "
            "main is checked out, and the files in the folder are those of main."
        ),
        files=writer.files({"main": commits[-1]}),
        checks=(
            _look(moved),
            _look(cut),
            _look(lambda s: moved(s) and cut(s) and _is_clean(s, Repository(s), "main"), 2),
        ),
        solution=(f"git branch {branch} && git reset -q --hard HEAD~{count}",),
    )


GENERATORS = {
    "undo_commit": undo_commit,
    "resolve_merge": resolve_merge,
    "recover_commit": recover_commit,
    "move_commits": move_commits,
}
