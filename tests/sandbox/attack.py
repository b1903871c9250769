"""The escape corpus as data: what each file of ``attacks/`` tries, and what must happen.

A file begins with a TOML table in comments, which is read without running it:

    # /// attack
    # tries = "one line"
    # zygote = ["ok"]                 the statuses that a run may end with, a key for each level
    # bwrap = ["ok"]
    # docker = "not covered: why"     the attack is not run there
    # rlimit = "not covered"
    # control = "breach"              it gets through where nothing confines it, or "none: why"
    # ///

Further keys: ``policy`` (fields of Policy), ``output`` (a regular expression that the output must
match), ``padding`` (bytes of input after the bait's line), ``earlier`` (a program with a secret
runs before), ``kept_folder`` (the folder outlives the run; ``afterwards`` is run in it next and
must print ``afterwards_output``), ``during`` (what the test does meanwhile: "kill" or "stop" the
sandbox's own processes, "call" a port, "run beside" it), ``machine`` (the only one
that it is for), ``session`` (it runs in a PythonSession, and the next run must work).
"""

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

LEVELS = ("zygote", "bwrap", "docker", "rlimit")
FOLDER = Path(__file__).with_name("attacks")
PRELUDE = Path(__file__).with_name("prelude.py").read_text(encoding="utf-8")
_REQUIRED = {"tries", "control", *LEVELS}
_OPTIONAL = {"policy", "output", "padding", "earlier", "kept_folder", "afterwards"}
_OPTIONAL |= {"afterwards_output", "during", "machine", "session"}

# Small, so that bombs need not be large to be seen.
POLICY: dict[str, Any] = {
    "time_s": 5.0,
    "memory_bytes": 256 << 20,
    "processes": 16,
    "output_bytes": 65_536,
    "disk_bytes": 8 << 20,
}


class Attack(NamedTuple):
    """One program of the corpus."""

    name: str
    text: str
    header: dict[str, Any]

    @property
    def is_shell(self) -> bool:
        """Whether it is a program for bash, not Python."""
        return self.name.endswith(".sh")

    @property
    def policy(self) -> dict[str, Any]:
        """The fields of the policy that it runs under."""
        return POLICY | self.header.get("policy", {})

    def statuses(self, level: str) -> list[str]:
        """Return how it may end at a level; empty if it is not covered there."""
        allowed = self.header[level]
        return allowed if isinstance(allowed, list) else []

    def source(self, bait: dict[str, Any]) -> str:
        """Return the program to run, with its prelude."""
        if self.header.get("session"):  # which has no input
            given = f"import io, sys; sys.stdin = io.StringIO({self.stdin(bait)!r})\n"
            return given + PRELUDE + self.text
        if not self.is_shell:
            return PRELUDE + self.text
        words = {**bait, **bait["policy"]}
        known = {name: word for name, word in words.items() if isinstance(word, str | int)}
        return "".join(f"bait_{k}={shlex.quote(str(w))}\n" for k, w in known.items()) + self.text

    def stdin(self, bait: dict[str, Any]) -> str:
        """Return its input: the bait in one line of JSON, then the padding."""
        return json.dumps(bait) + "\n" + "x" * self.header.get("padding", 0)


def load(name: str) -> Attack:
    """Read one attack.

    Raises:
        ValueError: Its header is malformed.
    """
    text = (FOLDER / name).read_text(encoding="utf-8")
    start, _, rest = text.partition("\n")
    header, end, _ = rest.partition("# ///\n")
    if start != "# /// attack" or not end:
        raise ValueError(f"{name} does not begin with a header")
    table = tomllib.loads("".join(line.removeprefix("# ") for line in header.splitlines(True)))
    wrong = (_REQUIRED - table.keys()) | (table.keys() - _REQUIRED - _OPTIONAL)
    if wrong:
        raise ValueError(f"{name}: keys missing or unknown: {sorted(wrong)}")
    return Attack(name, text, table)


def corpus() -> list[Attack]:
    """Return every attack, by name."""
    return [load(path.name) for path in sorted(FOLDER.iterdir()) if path.suffix in (".py", ".sh")]
