"""The generated pages say what is so now."""

import importlib.util
from dataclasses import fields
from pathlib import Path

import pytest

from gem_gymnasium import multiplayer, registry
from gem_gymnasium.tools import PythonTool, SearchTool
from gem_gymnasium.wrappers.tool_use import PRESETS
from tests.test_examples import folder, run_offline
from tests.test_readme import Block, blocks_of

__all__ = ["folder"]  # a fixture

DOCS = Path(__file__).parent.parent / "docs"
spec = importlib.util.spec_from_file_location("make_docs", DOCS / "make.py")
assert spec is not None
assert spec.loader is not None
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)


@pytest.mark.parametrize("page", make.PAGES)
def test_a_generated_page_is_up_to_date(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert text == make.PAGES[page](), "run `python docs/make.py` and commit the result"


TOOLS = [
    block
    for block in blocks_of((DOCS / "tools.md").read_text(encoding="utf-8"))
    if block.language == "python"
]


@pytest.mark.parametrize("block", TOOLS, ids=lambda block: f"line {block.line}")
def test_a_block_of_the_page_on_tools_runs(block: Block, folder: Path) -> None:
    run = run_offline(block.text, folder)
    assert run.returncode == 0, run.stderr
    code = block.text.partition("print(info")[2]
    comments = [line.partition("#")[2].strip() for line in code.splitlines() if "#" in line]
    assert "\n".join(comments) == run.stdout.strip()


def test_the_page_on_tools_has_gem_s_presets_and_every_option() -> None:
    page = (DOCS / "tools.md").read_text(encoding="utf-8")
    for name, row in PRESETS.items():
        paid = f"| {row.max_tool_uses} | {row.call_reward:g} | {row.success_reward:g} |"
        (line,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert paid in line
    for tool in (PythonTool, SearchTool):
        for field in fields(tool):
            assert f"\n| `{field.name}` | " in page


def test_every_id_that_needs_no_download_has_been_audited() -> None:
    page = (DOCS / "audit.md").read_text(encoding="utf-8")
    rows = (*registry.GENERATED, registry.REASONING_GYM)
    for id in (id for row in rows for id in row.ids()):
        assert f"\n| `{id}` | " in page, f"run `gem-gym audit {id}`; see docs/make_audit.py"


MULTIPLAYER = [
    block
    for block in blocks_of((DOCS / "multiplayer.md").read_text(encoding="utf-8"))
    if block.language == "python"
]


@pytest.mark.parametrize("block", MULTIPLAYER, ids=lambda block: f"line {block.line}")
def test_a_block_of_the_page_on_several_players_runs(block: Block, folder: Path) -> None:
    run = run_offline(block.text, folder)
    assert run.returncode == 0, run.stderr


def test_the_page_on_several_players_names_every_game() -> None:
    page = (DOCS / "multiplayer.md").read_text(encoding="utf-8")
    for id in multiplayer.ids():
        name, _, variant = id.removesuffix("-v0").partition("-")
        assert f"`{name}-v0`" in page
        assert f"-{variant}" in page
