"""Hub data sets: read from the cache of ``datasets`` alone, and never over the network unasked."""

import shutil
import socket
import time
from pathlib import Path
from typing import Any

import datasets
import gymnasium as gym
import pytest
from datasets.packaged_modules.json.json import Json

from gem_gymnasium.cli.fetch import hub_name
from gem_gymnasium.cli.main import main
from gem_gymnasium.core.errors import ConfigError, DataUnavailable, UnknownName
from gem_gymnasium.tasks import table
from gem_gymnasium.tasks.data_sets import DATA_SETS
from gem_gymnasium.tasks.hub import HubName, read_hub
from tests.tasks.local import DATA, file_of

HUB_IDS = [f"gem/{row.name}-v0" for row in DATA_SETS]
LIMIT_S = 2.0


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point ``datasets`` to an empty cache, and let every connection fail."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a network call")

    monkeypatch.setattr(table, "_loaded", {})  # what this process has read before
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return tmp_path / "cache"


def put(cache: Path, repo: str, files: dict[str, Path], subset: str = "default") -> str:
    """Build a data set with ``datasets`` and leave it where a download would; return its commit."""
    owner, name = repo.split("/")
    commit = f"{len(repo):040x}"
    builder = Json(
        dataset_name=name,
        hash=commit,
        cache_dir=str(cache / "built"),
        data_files={split: [str(path)] for split, path in files.items()},
    )
    datasets.disable_progress_bars()
    builder.download_and_prepare()
    built = Path(builder.cache_dir)
    info = built / "dataset_info.json"
    info.write_text(info.read_text().replace(built.parts[-3], subset))
    snake = built.parts[-4]
    shutil.move(built, cache / f"{owner}___{snake}" / subset / built.parts[-2] / commit)
    return commit


def test_an_id_poses_the_rows_of_the_cache(cache: Path) -> None:
    put(cache, "axon-rl/HotpotQA", {"train": DATA / "qa_problem.jsonl"})
    env: Any = gym.make("gem/QA-HotpotQA-v0")
    observation, info = env.reset(options={"index": 1})
    assert observation.startswith("Which planet has the Great Red Spot?")
    assert env.step("<answer>jupiter</answer>")[1] == 1.0
    assert len(env.unwrapped.rows) == 4
    assert info["row_id"] == "1"


def test_nested_columns_of_the_hub_are_read(cache: Path) -> None:
    put(cache, "MiniMaxAI/SynLogic", {"train": DATA / "synlogic.jsonl"}, "easy")
    env: Any = gym.make("gem/Logic-SynLogic-easy-v0")
    env.reset(options={"index": 2})
    assert env.step(env.unwrapped.gold_reply())[1] == 1.0
    with pytest.raises(DataUnavailable, match="SynLogic, subset hard"):
        gym.make("gem/Logic-SynLogic-hard-v0")


def test_subset_split_and_revision_are_chosen(cache: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.jsonl"
    test.write_text('{"question": "Who?", "answer": ["Ada"]}\n' * 3)
    commit = put(
        cache,
        "me/two",
        {"train": DATA / "qa_question.jsonl", "test": test},
    )
    assert len(read_hub(HubName("me/two", split="test"))) == 3
    assert len(read_hub(HubName("me/two", "default", "train", commit))) == 4
    with pytest.raises(ConfigError, match="split must name one of \\['test', 'train'\\]"):
        read_hub(HubName("me/two"))
    with pytest.raises(UnknownName, match="did you mean 'train'"):
        read_hub(HubName("me/two", split="trian"))
    with pytest.raises(DataUnavailable, match="revision abc"):
        read_hub(HubName("me/two", split="test", revision="abc"))


def test_one_of_several_subsets_must_be_named(cache: Path) -> None:
    for subset in ("large", "small"):
        put(cache, "me/many", {"train": DATA / "qa_question.jsonl"}, subset)
    with pytest.raises(ConfigError, match="subset must name one of \\['large', 'small'\\]"):
        read_hub(HubName("me/many"))
    assert len(read_hub(HubName("me/many", "small"))) == 4


@pytest.mark.parametrize("id", HUB_IDS)
def test_an_id_that_was_not_fetched_says_how_to(cache: Path, id: str) -> None:
    start = time.perf_counter()
    with pytest.raises(DataUnavailable) as caught:
        gym.make(id)
    assert time.perf_counter() - start < LIMIT_S
    message = str(caught.value)
    assert f"run `gem-gym fetch {id}`" in message
    assert "download=True" in message
    offline = message.partition("download=True. ")[2].partition(" needs no download")[0]
    assert offline.startswith(f"gem/{type_of(id)}")


def type_of(id: str) -> str:
    """Return the family that the id's grader belongs to."""
    entry_point = str(gym.spec(id).entry_point)
    names = {"math": "Math", "geometry": "Geometry", "code": "Code", "qa": "QA", "logic": "Logic"}
    return names[entry_point.partition(":")[0].rpartition(".")[2]]


@pytest.mark.parametrize("id", HUB_IDS)
def test_what_an_id_says_to_fetch_is_what_it_reads(id: str) -> None:
    kwargs = gym.spec(id).kwargs
    assert hub_name(id) == HubName(
        kwargs["data"], kwargs.get("subset", ""), kwargs.get("split", "")
    )


def test_a_data_set_of_the_callers_own_is_fetched_by_its_name(cache: Path) -> None:
    with pytest.raises(DataUnavailable, match="`gem-gym fetch me/own --subset x --revision abc`"):
        gym.make("gem/QA-v0", data="me/own", subset="x", revision="abc")
    assert hub_name("me/own", "x", "abc") == HubName("me/own", "x", "", "abc")


def test_fetch_of_an_unknown_id_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fetch", "gem/Math-GSM8-v0"]) == 2
    assert "did you mean 'gem/Math-GSM8K-v0'" in capsys.readouterr().err
    assert main(["fetch", "gem/Sudoku-v0"]) == 2
    assert "unknown data set 'gem/Sudoku-v0'; it is read from no hub" in capsys.readouterr().err


def test_every_data_set_of_gem_has_an_id_and_a_local_file() -> None:
    named = [row.gem for row in DATA_SETS if row.gem]
    assert len(named) == len(set(named)) == 31
    assert all(row.gem or "SynLogic" in row.name for row in DATA_SETS)
    assert {file_of(row).suffix for row in DATA_SETS} == {".jsonl", ".parquet"}
