"""The page on terminal tasks: its block runs, and it names what there is."""

from dataclasses import fields
from pathlib import Path

from gem_gymnasium.terminal import GENERATORS, Config
from tests.terminal.attacks import ATTACKS
from tests.terminal.shells import NEEDS_SHELL, TASKS
from tests.test_examples import folder, run_offline
from tests.test_readme import blocks_of

__all__ = ["folder"]  # a fixture

PAGE = (Path(__file__).parents[2] / "docs" / "terminal.md").read_text(encoding="utf-8")


@NEEDS_SHELL
def test_the_block_runs_and_prints_what_it_says(folder: Path) -> None:
    (block,) = (block for block in blocks_of(PAGE) if block.language == "python")
    run = run_offline(block.text, folder)
    assert run.returncode == 0, run.stderr
    code = block.text.partition("print(info")[2]
    comments = [line.partition("#")[2].strip() for line in code.splitlines() if "#" in line]
    assert "\n".join(comments) == run.stdout.strip()


def test_it_names_every_family_task_and_number() -> None:
    for family, task in TASKS:
        (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{family}`")]
        assert f"`{task}`" in line
    assert len(GENERATORS) == 6
    assert f"{sum(len(attack.tasks) for attack in ATTACKS)} in all" in PAGE
    for field in fields(Config):
        assert field.name in PAGE or field.name == "level"
