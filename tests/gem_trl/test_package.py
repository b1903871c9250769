"""The package itself: lazy names, and a clear error without the train extra."""

import importlib
import importlib.util
import subprocess
import sys
from typing import Any

import pytest

import gem_trl
from gem_gymnasium import errors


def test_without_the_train_extra_the_error_names_the_pip_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find_spec = importlib.util.find_spec

    def find(name: str, *rest: Any) -> Any:
        return None if name == "trl" else find_spec(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    with pytest.raises(errors.MissingDependency, match=r"pip install 'gem-gymnasium\[train\]'"):
        importlib.reload(gem_trl)


def test_importing_gem_trl_imports_no_torch_until_a_name_is_used() -> None:
    code = "import sys, gem_trl; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
    for name, home in gem_trl._HOMES.items():
        assert getattr(gem_trl, name) is getattr(importlib.import_module(home), name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Trainer'"):
        _ = gem_trl.Trainer
    assert set(gem_trl.__all__) == set(dir(gem_trl))
