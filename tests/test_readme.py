"""The README: its code runs, its commands exist, its links lead somewhere, its numbers are ours."""

import argparse
import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import pytest

from gem_gymnasium.cli.main import make_parser
from gem_gymnasium.registry import ids
from tests.test_examples import folder, run_offline

__all__ = ["folder"]  # a fixture

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

MAX_LINES = 120
FIRST_CODE_BEFORE_LINE = 30
SHELL = ("bash", "console", "sh", "shell")


class Block(NamedTuple):
    """A fenced block: the line its fence stands on (from 1), its language, its text."""

    line: int
    language: str
    text: str


def blocks_of(markdown: str) -> list[Block]:
    """Return the fenced blocks of a text."""
    blocks: list[Block] = []
    opened: tuple[int, str] | None = None
    body: list[str] = []
    for number, line in enumerate(markdown.splitlines(), start=1):
        if not line.startswith("```"):
            body.append(line)
        elif opened is None:
            opened, body = (number, line[3:].strip()), []
        else:
            blocks.append(Block(*opened, "\n".join(body) + "\n"))
            opened = None
    assert opened is None, f"the block that line {opened and opened[0]} opens is never closed"
    return blocks


def commands_of(block: Block) -> Iterator[list[str]]:
    """Yield the commands of a shell block as words; of a console block, those after a prompt."""
    lines = block.text.replace("\\\n", " ").splitlines()
    if any(line.startswith("$ ") for line in lines):
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    for line in lines:
        for command in re.split(r"&&|;|\|", line):
            words = shlex.split(command, comments=True)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                words = words[1:]  # a variable set for the command
            if words:
                yield words


# -- what a command may be -----------------------------------------------------------------------
def make_targets() -> set[str]:
    return set(re.findall(r"^([\w-]+):(?!=)", MAKEFILE, re.MULTILINE))


def check_make(words: list[str]) -> None:
    targets = [word for word in words if "=" not in word and not word.startswith("-")]
    assert set(targets) <= make_targets(), f"no such target in the Makefile: {targets}"
    for word in words:
        name, given, value = word.partition("=")
        if given:
            assert re.search(rf"^{name} \?=", MAKEFILE, re.MULTILINE), f"make knows no {name}"
        if name == "ARGS" and targets == ["train"]:
            check_gem_trl(["quickstart", *shlex.split(value)])


@cache
def parser_of(command: str) -> argparse.ArgumentParser:
    from gem_trl.scripts import evaluate, quickstart, train

    return {"train": train, "eval": evaluate, "quickstart": quickstart}[command].make_parser()


def check_gem_trl(words: list[str]) -> None:
    from gem_trl.scripts import cli

    command, *options = words
    if command.startswith("-"):
        command, options = "train", words
    assert command in cli.COMMANDS, f"gem-trl has no command {command}"
    known = {*parser_of(command)._option_string_actions}
    known |= {"--config"} if command != "quickstart" else set()
    for word in options:
        if word.startswith("-"):
            option = word.partition("=")[0]
            assert option in known, f"gem-trl {command} has no option {option}"
        elif word.startswith("gem/"):
            gym.spec(word)


def check_pip(words: list[str]) -> None:
    assert words[0] == "install", f"pip {words[0]}?"
    for word in words[1:]:
        name, extras = re.fullmatch(r"([^\[\]]*)(?:\[(.*)\])?", word).groups()  # type: ignore[union-attr]
        if name in (".", PROJECT["project"]["name"]):
            for extra in (extras or "").split(","):
                known = {"", *PROJECT["project"]["optional-dependencies"]}
                assert extra in known, f"pyproject.toml has no extra {extra}"
        else:
            assert name.startswith("-") or not extras, f"an extra of another package: {word}"


def check_python(words: list[str]) -> None:
    if words[0] == "-m":
        if words[1] == "pip":
            return check_pip(words[2:])
        assert importlib.util.find_spec(words[1]), f"no module {words[1]}"
    elif not words[0].startswith("-"):
        assert (ROOT / words[0]).is_file(), f"no file {words[0]}"
    return None


def check_nothing(words: list[str]) -> None:
    """Accept a command of the system."""


def check_gem_gym(words: list[str]) -> None:
    """Check a command of gem-gym, and the id it plays."""
    try:
        options = make_parser().parse_args(words)
    except SystemExit:
        raise AssertionError(f"gem-gym does not take {words}") from None
    if hasattr(options, "id"):
        gym.spec(options.id)


CHECKS = {
    "make": check_make,
    "gem-gym": check_gem_gym,
    "gem-trl": check_gem_trl,
    "pip": check_pip,
    "python": check_python,
    "python3": check_python,
    "pytest": check_nothing,
    "cd": check_nothing,
    "git": check_nothing,
    "source": check_nothing,
}
"""How each program that a README may name is checked; another needs an entry."""


def check_command(words: list[str]) -> None:
    """Raise an AssertionError that says what is wrong with a command."""
    program, *rest = words
    assert program in CHECKS, f"say in CHECKS how {program!r} is to be checked"
    CHECKS[program](rest)


# -- the README ----------------------------------------------------------------------------------
BLOCKS = blocks_of(README)
PYTHON = [block for block in BLOCKS if block.language == "python"]
TRAINING = [block for block in PYTHON if "ReinforceTrainer(" in block.text]
COMMANDS = [c for block in BLOCKS if block.language in SHELL for c in commands_of(block)]
PROSE = re.sub(r"^```.*?^```", "", README, flags=re.MULTILINE | re.DOTALL)
INLINE = [
    shlex.split(code)
    for code in re.findall(r"`([^`]+)`", PROSE)
    if re.match(r"(make|gem-gym|gem-trl|pip|python) .", code)
]


def test_it_is_short_and_begins_with_code() -> None:
    assert len(README.splitlines()) <= MAX_LINES
    assert BLOCKS, "README.md has no code block"
    assert BLOCKS[0].line < FIRST_CODE_BEFORE_LINE
    assert BLOCKS[0].language == "python"


def test_nothing_is_left_to_fill_in() -> None:
    assert re.findall(r"@@\w+|TODO|FIXME|XXX|TBD", README) == []


def at_line(block: Block) -> str:
    return f"line {block.line}"


@pytest.mark.parametrize("block", [b for b in PYTHON if b not in TRAINING], ids=at_line)
def test_a_python_block_runs(block: Block, folder: Path) -> None:
    run = run_offline(block.text, folder)
    assert run.returncode == 0, run.stderr


def test_the_first_block_prints_what_its_comments_say(folder: Path) -> None:
    printed = run_offline(PYTHON[0].text, folder).stdout
    code = PYTHON[0].text.partition("print(")[2]
    comments = [text.strip() for text in re.findall(r"#(.*)", code)]
    assert "\n".join(comments) == printed.strip()


TRAINING_PRELUDE = """
import gem_trl
from gem_trl import tiny
texts = ["10 is higher"] * 9
tokenizer = tiny.train_tokenizer(texts)
tiny.build_model(tokenizer, hidden=16, layers=1, heads=2).save_pretrained("tiny")
tokenizer.save_pretrained("tiny")
trained = []
class Stopped(gem_trl.ReinforceTrainer):
    def train(self, *args, **kwargs):
        trained.append(self._config)
        self.close()
gem_trl.ReinforceTrainer = Stopped
"""
TRAINING_CODA = """
if not trained:
    train("tiny")
assert len(trained) == 1
"""


@pytest.mark.parametrize("block", TRAINING, ids=at_line)
def test_a_block_that_trains_builds_its_trainer(block: Block, folder: Path) -> None:
    run = run_offline(TRAINING_PRELUDE + block.text + TRAINING_CODA, folder)
    assert run.returncode == 0, run.stderr


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("words", [*COMMANDS, *INLINE], ids=" ".join)
def test_a_command_is_one_there_is(words: list[str]) -> None:
    check_command(words)


def test_there_are_commands() -> None:
    assert {words[0] for words in COMMANDS} >= {"make", "pip"}
    assert ["make", "train"] in COMMANDS
    assert ["make", "test"] in COMMANDS


def test_links_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", README)
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert missing == []


def named_ids() -> list[str]:
    """Return every id the README names, ``gem/X[-a,-b]-v0`` written out."""
    found: list[str] = []
    for name, variants, version in re.findall(
        r"gem/(\w+(?:-\w+)*?)(?:\[([-\w,]+)\])?(-v\d+)", README
    ):
        found += [f"gem/{name}{v}{version}" for v in ("", *filter(None, variants.split(",")))]
    return found


def test_ids_are_registered_and_every_game_is_named() -> None:
    assert set(ids("game")) <= set(named_ids()) <= set(ids())


# -- the checks can fail -------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("make trian", "no such target"),
        ("make train ARGZ=3", "make knows no ARGZ"),
        ('make train ARGS="--environment x"', "quickstart has no option --environment"),
        ("gem-trl play", "no command play"),
        ("gem-gym plya gem/Sudoku-v0", "gem-gym does not take"),
        ("gem-trl train --num_rolouts 3", "no option --num_rolouts"),
        ("pip install '.[trian]'", "no extra trian"),
        ("pip install 'gem-gymnasium[train,dve]'", "no extra dve"),
        ("pip uninstall x", "pip uninstall"),
        ("python examples/99_none.py", "no file"),
        ("python -m gem_trl.scripts.none", "no module"),
        ("curl x", "say in CHECKS"),
    ],
)
def test_a_wrong_command_is_found(command: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_command(shlex.split(command))


def test_an_id_that_is_not_registered_is_found() -> None:
    with pytest.raises(gym.error.UnregisteredEnv):
        check_command(["gem-trl", "quickstart", "--env", "gem/Sudoku-esy-v0"])


def test_blocks_and_commands_are_read_as_meant() -> None:
    text = (
        "a\n```python\nx = 1\n```\n```console\n$ A=1 make x && pip y # z\nout\n$ b \\\n  c\n```\n"
    )
    first, second = blocks_of(text)
    assert first == Block(2, "python", "x = 1\n")
    assert list(commands_of(second)) == [["make", "x"], ["pip", "y"], ["b", "c"]]
    with pytest.raises(AssertionError, match="line 1 opens is never closed"):
        blocks_of("```python\nx\n")
