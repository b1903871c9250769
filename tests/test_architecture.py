"""The layers of the design, checked: an import points down, never up, and stays light."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gem_gymnasium
import gem_trl

RANKS = (
    {"core", "data"},
    {"sandbox"},
    {"graders", "tools"},
    {"games", "tasks", "terminal"},
    {"solvers", "multiplayer", "wrappers", "vector"},
    {"registry", "trajectory", "testing"},
    {"cli"},
)
RANK = {name: rank for rank, names in enumerate(RANKS) for name in names}
TRAINING = {"torch", "trl", "transformers", "datasets", "accelerate", "peft", "vllm", "gem_trl"}
LATE = {
    *(*TRAINING, "reasoning_gym", "textarena", "PIL", "moviepy", "ray", "mcp", "math_verify"),
    *("docker", "msgpack", "sentence_transformers"),
}
"""What ``import gem_gymnasium`` must not import; tasks and tools do, inside functions."""

IMPORT_COST_S = 0.35

GYM_ROOT = Path(gem_gymnasium.__file__).parent
TRL_ROOT = Path(gem_trl.__file__).parent
GYM_FILES = sorted(GYM_ROOT.rglob("*.py"))
TRL_FILES = sorted(TRL_ROOT.rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (module, names) of each import of a file; names are empty for ``import module``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, ()
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: write imports in full"
            yield node.module or "", tuple(alias.name for alias in node.names)


def folder_of(path: Path) -> str:
    """Return the box of the layout that a file of gem_gymnasium belongs to."""
    return path.relative_to(GYM_ROOT).with_suffix("").parts[0]


def targets(path: Path) -> Iterator[str]:
    """Yield the boxes that a file imports from."""
    for module, names in imports(path):
        package, _, rest = module.partition(".")
        if package != "gem_gymnasium":
            continue
        if rest:
            yield rest.split(".")[0]
        else:
            yield from names  # `from gem_gymnasium import registry`


@pytest.mark.parametrize("path", GYM_FILES, ids=lambda path: str(path.relative_to(GYM_ROOT)))
def test_imports_point_down(path: Path) -> None:
    here = folder_of(path)
    if here == "__init__":
        return  # the public names of the package, from every rank
    assert here in RANK, f"{here} has no rank: add it to the layers (and to the design)"
    for there in targets(path):
        if there == here:
            continue
        assert there in RANK, f"{path.name} imports gem_gymnasium.{there}, which has no rank"
        assert RANK[there] < RANK[here], f"{here} must not import {there}: it is not below"


@pytest.mark.parametrize("path", GYM_FILES, ids=lambda path: str(path.relative_to(GYM_ROOT)))
def test_gem_gymnasium_knows_nothing_of_training(path: Path) -> None:
    used = {module.split(".")[0] for module, _ in imports(path)}
    allowed = {"datasets"} if folder_of(path) in ("tasks", "data") else set[str]()
    assert used & TRAINING <= allowed


@pytest.mark.parametrize("path", TRL_FILES, ids=lambda path: str(path.relative_to(TRL_ROOT)))
def test_gem_trl_uses_public_names_only(path: Path) -> None:
    for module, names in imports(path):
        package, _, rest = module.partition(".")
        if package != "gem_gymnasium":
            continue
        assert "." not in rest, f"{module}: import from the package, not from a file in it"
        assert names or not rest, f"import names of {module}, not the module"
        public = importlib.import_module(module).__all__
        assert set(names) <= set(public), f"not in {module}.__all__: {set(names) - set(public)}"


@pytest.mark.parametrize("package", [gem_gymnasium, gem_trl])
def test_all_names_what_there_is(package: object) -> None:
    names = package.__all__  # type: ignore[attr-defined]
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(package, name) is not None


def test_packages_with_an_all_name_what_there_is() -> None:
    for path in GYM_ROOT.glob("*/__init__.py"):
        package = importlib.import_module(f"gem_gymnasium.{path.parent.name}")
        for name in getattr(package, "__all__", ()):
            assert hasattr(package, name), f"gem_gymnasium.{path.parent.name}.{name}"


def test_no_file_is_a_drawer() -> None:
    for path in (*GYM_FILES, *TRL_FILES):
        assert path.stem not in ("utils", "util", "helpers", "misc", "common")
        if path.name != "__init__.py":
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_sources_hold_no_path_of_a_machine() -> None:
    for path in (*GYM_FILES, *TRL_FILES):
        found = re.findall(r"/(?:home|root|Users|work|mnt)/\w+", path.read_text(encoding="utf-8"))
        assert not found, f"{path.name}: {found}"


def fresh(code: str) -> str:
    """Run code in a new interpreter; return what it prints."""
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, gem_gymnasium; print(*{name.split('.')[0] for name in sys.modules})"
    assert {*fresh(code).split()} & LATE == set()


def test_importing_the_package_leaves_graders_and_the_sandbox_to_the_tasks() -> None:
    code = "import sys, gem_gymnasium; print(*sys.modules)"
    loaded = {
        name.partition(".")[2].partition(".")[0]
        for name in fresh(code).split()
        if name.startswith("gem_gymnasium.")
    }
    assert loaded & {"graders", "sandbox", "tools"} == set()


def test_importing_the_package_is_silent_and_leaves_the_generators_alone() -> None:
    code = """
import gymnasium, numpy, random
before = random.getstate(), numpy.random.get_state()[1].tolist()
import gem_gymnasium
assert (random.getstate(), numpy.random.get_state()[1].tolist()) == before
"""
    assert fresh(code) == ""


def test_importing_the_package_is_cheap() -> None:
    code = """
import gymnasium, time
start = time.process_time()
import gem_gymnasium
print(time.process_time() - start)
"""
    best = min(float(fresh(code)) for _ in range(5))
    assert best <= IMPORT_COST_S, f"import gem_gymnasium costs {best:.2f} s of CPU time"


def test_the_rules_catch_what_they_forbid(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("from gem_gymnasium.vector import make_vec\nimport torch.nn as nn\n")
    assert list(targets(bad)) == ["vector"]
    assert ("torch.nn", ()) in list(imports(bad))
    assert RANK["games"] < RANK["vector"] < RANK["testing"]


def test_the_repository_holds_what_belongs_to_it_and_nothing_a_program_left_there() -> None:
    root = GYM_ROOT.parent
    listed = subprocess.run(
        ["git", "ls-files"], cwd=root, capture_output=True, text=True, timeout=60, check=False
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    assert {path.split("/")[0] for path in listed.stdout.splitlines()} <= {
        *(".ci", ".gitignore", "CHANGELOG.md", "LICENSE", "Makefile", "README.md"),
        *("benchmarks", "docs", "examples", "gem_gymnasium", "gem_trl", "pyproject.toml", "tests"),
    }
