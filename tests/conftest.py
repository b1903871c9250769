"""What holds for every test: one thread for BLAS and torch, Hypothesis, which tests are run."""

import gc
import os

# Before torch or numpy is imported: the machine is shared, and the results must not depend on it.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("repeatable")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests unless markers or node ids were asked for, and vLLM's unless it was."""
    marks = config.getoption("markexpr")
    if any("::" in arg for arg in config.args):
        return
    unasked = {"vllm"} if "vllm" not in marks else set[str]()
    if not marks:
        unasked.add("slow")
    left_out = [item for item in items if any(map(item.get_closest_marker, unasked))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=seconds_of, reverse=True)


def seconds_of(item: pytest.Item) -> float:
    """Return what ``slow(seconds)`` says: the longest come first, so that no core waits for one."""
    mark = item.get_closest_marker("slow")
    return mark.args[0] if mark and mark.args else 0.0


def pytest_collection_finish() -> None:
    """Keep what is imported by now, and the tests themselves, out of every later collection.

    They are two million objects, which ``gc.collect`` would walk through (0.6 s) at the end of each
    training and of each look for leaks, and Python every now and then.
    """
    gc.collect()
    gc.freeze()
