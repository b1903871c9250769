"""``gem-gym fetch``: bring a data set of the hub onto this machine."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from gem_gymnasium import registry
from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.tasks.hub import HubName, download, is_hub_name, read_hub


def add_to(commands: Any) -> None:
    """Add the subcommand to ``gem-gym``'s parser."""
    parser = commands.add_parser("fetch", help="download a data set", description=__doc__)
    parser.add_argument("id", help="such as gem/Math-GSM8K-v0, or a data set's owner/name")
    parser.add_argument("--subset", default="", help="of owner/name: its configuration")
    parser.add_argument("--revision", default="", help="the commit (default: the newest)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Download, and say what is there now.

    Raises:
        UnknownName: There is no such id, or it needs no download.
        DataUnavailable: The hub cannot be reached, or has no such data set.
    """
    name = hub_name(options.id, options.subset, options.revision)
    download(name)
    rows = f": {len(read_hub(name))} rows" if name.split or name.repo != options.id else ""
    sys.stdout.write(f"{name} is on this machine{rows}\n")
    return 0


def hub_name(id: str, subset: str = "", revision: str = "") -> HubName:
    """Return what an id, or ``owner/name``, is called on the hub.

    Raises:
        UnknownName: There is no such id, or it needs no download.
    """
    id = id.rpartition(":")[2]  # as in gymnasium.make("gem_gymnasium:gem/...")
    sets = {
        known: HubName(data, kwargs.get("subset", ""), kwargs.get("split", ""))
        for row in registry.TASK_ROWS
        for known, kwargs in row.ids().items()
        if (data := kwargs.get("data"))
    }
    if id in sets:
        return sets[id]._replace(revision=revision)
    if id in registry.ids():
        raise UnknownName("data set", id, sets, hint="it is read from no hub: nothing to fetch")
    if id.startswith(f"{registry.NAMESPACE}/") or not is_hub_name(id):
        raise UnknownName("data set", id, sets)
    return HubName(id, subset, "", revision)
