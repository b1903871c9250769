"""Downloads, over a real connection: to a hub that runs on this machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gem_gymnasium
from tests.tasks.hub_server import COMMIT, Hub, serving
from tests.tasks.local import DATA

CARD = b"""---
configs:
- config_name: default
  data_files:
  - split: train
    path: train.jsonl
---
"""

FETCH = "from gem_gymnasium.cli.main import main; raise SystemExit(main({!r}))"
PLAY = """
import gymnasium, gem_gymnasium
env = gymnasium.make("gem/QA-HotpotQA-v0", **{kwargs!r})
print(env.reset(options={{"index": 1}})[0].splitlines()[0])
"""


@pytest.fixture
def hub() -> Hub:
    rows = (DATA / "qa_problem.jsonl").read_bytes()
    return Hub("axon-rl/HotpotQA", {"train.jsonl": rows, "README.md": CARD})


@pytest.fixture
def address(hub: Hub) -> Iterator[str]:
    with serving(hub) as url:
        yield url


def run(code: str, address: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter whose hub is at an address and whose cache is in a folder."""
    env = {
        **os.environ,
        "HF_ENDPOINT": address,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PYTHONPATH": str(Path(gem_gymnasium.__file__).parent.parent),
    }
    for name in ("HF_DATASETS_CACHE", "HF_HUB_OFFLINE", "HF_HUB_CACHE"):
        env.pop(name, None)
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)


def test_what_was_fetched_is_played_without_another_request(
    hub: Hub, address: str, tmp_path: Path
) -> None:
    play = PLAY.format(kwargs={})
    missing = run(play, address, tmp_path)
    assert "run `gem-gym fetch gem/QA-HotpotQA-v0`" in missing.stderr
    assert hub.requests == []

    fetched = run(FETCH.format(["fetch", "gem/QA-HotpotQA-v0"]), address, tmp_path)
    assert fetched.returncode == 0, fetched.stderr
    assert fetched.stdout == "axon-rl/HotpotQA, split train is on this machine: 4 rows\n"
    assert any("train.jsonl" in request for request in hub.requests)

    hub.requests.clear()
    played = run(play, address, tmp_path)
    assert played.stdout.strip() == "Which planet has the Great Red Spot?", played.stderr
    pinned = run(PLAY.format(kwargs={"revision": COMMIT}), address, tmp_path)
    assert pinned.stdout == played.stdout
    assert hub.requests == []


def test_download_true_fetches_at_make(hub: Hub, address: str, tmp_path: Path) -> None:
    played = run(PLAY.format(kwargs={"download": True}), address, tmp_path)
    assert played.stdout.strip().endswith("Which planet has the Great Red Spot?"), played.stderr
    assert hub.requests


def test_a_data_set_that_does_not_exist_is_one_sentence(address: str, tmp_path: Path) -> None:
    done = run(FETCH.format(["fetch", "me/nothing"]), address, tmp_path)
    assert done.returncode == 2
    assert "me/nothing could not be downloaded: RepositoryNotFoundError" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_hub_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    # The hub's client tries for half a minute, most of which it sleeps between its tries.
    code = "import time; time.sleep = lambda seconds: None; " + FETCH.format(["fetch", "me/own"])
    done = run(code, "http://127.0.0.1:9", tmp_path)
    assert done.returncode == 2
    assert "gem-gym: me/own could not be downloaded" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
