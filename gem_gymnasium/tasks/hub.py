"""Data sets of the Hugging Face hub: read from the local cache alone, downloaded when asked for.

The cache is that of ``datasets``, so what ``datasets.load_dataset`` once loaded is found, and the
other way round. Its folders are ``<owner>___<name>/<subset>/<version>/<commit>``.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from gem_gymnasium.core.errors import ConfigError, DataUnavailable, MissingDependency, UnknownName
from gem_gymnasium.tasks.files import Records

_NAME = re.compile(r"[\w.-]+/[\w.-]+")


class HubName(NamedTuple):
    """A split of a data set on the hub."""

    repo: str
    """``owner/name``."""
    subset: str = ""
    """Its configuration; ``""``: the only one there is, or the one called ``default``."""
    split: str = ""
    """``""``: the only one there is."""
    revision: str = ""
    """A commit; ``""``: the newest that is in the cache, or on the hub when downloading."""

    def __str__(self) -> str:
        parts = (f"{name} {value}" for name, value in self._asdict().items() if value)
        return ", ".join(parts).removeprefix("repo ")


def is_hub_name(name: str) -> bool:
    """Return whether ``name`` has the form ``owner/name``."""
    return _NAME.fullmatch(name) is not None


def read_hub(name: HubName) -> Records:
    """Return the records of a split that is in the local cache; asks no network.

    Raises:
        DataUnavailable: It is not there.
        ConfigError: It has several splits or subsets, and none was named.
        UnknownName: It has no such split.
        MissingDependency: ``datasets`` is not installed.
    """
    datasets = _datasets()
    folder = _cached(name, datasets)
    if folder is None:
        raise DataUnavailable(f"the rows of {name} are not on this machine")
    subset, version, commit = folder.parts[-3:]
    builder = import_module("datasets.packaged_modules.cache.cache").Cache(
        repo_id=name.repo,
        dataset_name=name.repo.rpartition("/")[2],
        config_name=subset,
        version=version,
        hash=commit,
    )
    splits: list[str] = sorted(builder.info.splits or ())
    if name.split and name.split not in splits:
        raise UnknownName(f"split of {name.repo}", name.split, splits)
    if not name.split and len(splits) != 1:
        raise ConfigError(f"split must name one of {splits} of {name.repo}")
    return builder.as_dataset(split=name.split or splits[0])


def download(name: HubName) -> None:
    """Bring all splits of a data set into the local cache; ``datasets`` shows how far it is.

    Raises:
        DataUnavailable: The hub cannot be reached, or has no such data set.
        MissingDependency: ``datasets`` is not installed.
    """
    datasets = _datasets()
    try:
        builder = datasets.load_dataset_builder(
            name.repo, name.subset or None, revision=name.revision or None
        )
        builder.download_and_prepare()
    except Exception as error:  # whatever datasets, the hub's client and the network raise
        what = str(error).strip().partition("\n")[0]
        raise DataUnavailable(
            f"{name} could not be downloaded: {type(error).__name__}: {what}"
        ) from error


def _datasets() -> Any:
    try:  # by name, since it has no types
        return import_module("datasets")
    except ImportError:
        raise MissingDependency("datasets", "tasks", "a data set of the hub") from None


def _cached(name: HubName, datasets: Any) -> Path | None:
    """Return the newest folder of the cache that holds the data set, or None.

    Raises:
        ConfigError: There are several subsets, and none was named.
    """
    owner, _, repo = name.repo.partition("/")
    folders = f"{owner}___{datasets.naming.camelcase_to_snakecase(repo)}"
    base = Path(datasets.config.HF_DATASETS_CACHE) / folders
    found = [
        folder
        for folder in base.glob(f"*/*/{name.revision or '*'}")
        if (folder / "dataset_info.json").is_file()
    ]
    subsets = sorted({folder.parts[-3] for folder in found})
    subset = name.subset or ("default" if "default" in subsets else "")
    if not subset and len(subsets) > 1:
        raise ConfigError(f"subset must name one of {subsets} of {name.repo}")
    found = [folder for folder in found if subset in ("", folder.parts[-3])]
    return max(found, key=lambda folder: folder.stat().st_mtime, default=None)
