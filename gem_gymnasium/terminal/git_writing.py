"""Build a git repository as files: loose objects, references, an index. No git is run."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping, Sequence

from gem_gymnasium.terminal.task import File, Link, text_file

BEGAN = 1_704_067_200
"""When the first commit was made; each later one an hour after it."""

WHO = "Robin Field <robin@example.org>"
CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[user]
\tname = Robin Field
\temail = robin@example.org
[advice]
\tdetachedHead = false
"""


class RepositoryWriter:
    """A repository under construction: objects that it holds, and the order of its commits."""

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}
        self._trees: dict[str, Mapping[str, str]] = {}
        self._commits = 0
        self._log: list[str] = []

    def commit(self, files: Mapping[str, str], message: str, *parents: str) -> str:
        """Add a commit of these texts; return its name. Paths may have folders."""
        when = f"{WHO} {BEGAN + 3600 * self._commits} +0000"
        self._commits += 1
        lines = [f"tree {self._tree(files)}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {when}", f"committer {when}", "", f"{message}\n"]
        name = self._add("commit", "\n".join(lines).encode())
        self._trees[name] = files
        self._log.append(f"{parents[0] if parents else '0' * 40} {name} {when}\tcommit: {message}")
        return name

    def files(
        self,
        refs: Mapping[str, str],
        head: str = "main",
        *,
        log: Sequence[tuple[str, str, str]] = (),
    ) -> dict[str, File | Link]:
        """Return the repository and the work tree of its head, by path.

        Args:
            refs: Branches, and the commits that they name.
            head: The branch that is checked out.
            log: Movements of HEAD after its commits: from where, to where, what git says of it.
        """
        when = f"{WHO} {BEGAN + 3600 * self._commits} +0000"
        moves = [f"{old} {new} {when}\t{said}" for old, new, said in log]
        tree = self._trees[refs[head]]
        found: dict[str, File | Link] = {
            ".git/HEAD": text_file(f"ref: refs/heads/{head}\n"),
            ".git/config": text_file(CONFIG),
            ".git/index": File(self._index(tree)),
            ".git/logs/HEAD": text_file("".join(f"{line}\n" for line in [*self._log, *moves])),
            ".git/refs/tags/.keep": File(),
        }
        for branch, commit in refs.items():
            found[f".git/refs/heads/{branch}"] = text_file(f"{commit}\n")
        for name, data in self._objects.items():
            found[f".git/objects/{name[:2]}/{name[2:]}"] = File(zlib.compress(data), 0o444)
        found.update({path: text_file(text) for path, text in tree.items()})
        return found

    def _add(self, kind: str, content: bytes) -> str:
        data = b"%s %d\0%s" % (kind.encode(), len(content), content)
        name = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        self._objects[name] = data
        return name

    def _tree(self, files: Mapping[str, str]) -> str:
        """Add a folder, with what is in it; return its name."""
        folders: dict[str, dict[str, str]] = {}
        entries: list[tuple[bytes, bytes]] = []
        for path, text in files.items():
            folder, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(folder, {})[rest] = text
            else:
                blob = bytes.fromhex(self._add("blob", text.encode()))
                entries.append((path.encode(), b"100644 %s\0%s" % (path.encode(), blob)))
        for folder, inside in folders.items():
            tree = bytes.fromhex(self._tree(inside))
            # git sorts a folder as if its name ended with a slash.
            entries.append((f"{folder}/".encode(), b"40000 %s\0%s" % (folder.encode(), tree)))
        return self._add("tree", b"".join(entry for _, entry in sorted(entries)))

    def _index(self, files: Mapping[str, str]) -> bytes:
        """Return the index of a work tree that git has not looked at yet (version 2)."""
        body = [struct.pack(">4sLL", b"DIRC", 2, len(files))]
        for path in sorted(files, key=str.encode):
            name, content = path.encode(), files[path].encode()
            blob = bytes.fromhex(self._add("blob", content))
            status = struct.pack(">10L", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, len(content))
            entry = status + blob + struct.pack(">H", len(name)) + name
            body.append(entry + b"\0" * (8 - len(entry) % 8))
        data = b"".join(body)
        return data + hashlib.sha1(data, usedforsecurity=False).digest()
