"""The escape corpus: no attack gets through, at every level that this machine reaches.

``attack.py`` says what an attack is, ``trial.py`` what is looked at. Each runs as root, where the
tests do, and as an ordinary user; never outside a level.
"""

import platform
import re
from pathlib import Path

import pytest

from gem_gymnasium.sandbox import available
from tests.sandbox.attack import LEVELS, corpus
from tests.sandbox.callers import USERS
from tests.sandbox.conftest import GetCaller

ATTACKS = corpus()
PAGE = Path(__file__).parents[2] / "docs" / "security.md"
REACHED = [level for level, why in available().items() if not why]
TRIALS = [
    (attack, level, user)
    for attack in ATTACKS
    for level in REACHED
    for user in USERS
    if attack.statuses(level) and attack.header.get("machine") in (None, platform.machine())
]


@pytest.mark.parametrize(
    ("attack", "level", "user"),
    TRIALS,
    ids=[f"{attack.name}-{level}-{user}" for attack, level, user in TRIALS],
)
def test_an_attack_does_not_get_through(attack, level, user, get_caller: GetCaller) -> None:
    caller = get_caller(user)
    if caller.levels[level]:
        pytest.skip(f"level {level} cannot be reached by user {user!r}: {caller.levels[level]}")
    outcome = caller.ask(attack.name, level)
    if "skip" in outcome:
        pytest.skip(outcome["skip"])
    if outcome["problems"]:
        caller.close()  # whatever it is, the next attack gets a new one
    assert not outcome["problems"], "\n".join([*outcome["problems"], outcome["ending"]])


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.name for attack in ATTACKS])
def test_a_header_says_what_must_happen_at_each_level(attack) -> None:
    for level in LEVELS:
        said = attack.header[level]
        if isinstance(said, str):
            assert said.startswith("not covered")
        else:
            assert said
            assert set(said) <= {"ok", "error", "timeout", "limit", "failed"}
    assert re.match("breach$|none: .", attack.header["control"])


def test_the_page_on_security_counts_the_attacks() -> None:
    page = PAGE.read_text(encoding="utf-8")
    counted = 0
    for number, files in re.findall(
        r"^\| [^|]* \| (\d+) \| (`[a-z]+_?\*`[^|]*):", page, re.MULTILINE
    ):
        kinds = re.findall(r"`([a-z]+)_?\*`", files)
        names = [attack.name for attack in ATTACKS if re.split("[_.]", attack.name)[0] in kinds]
        assert len(names) == int(number), kinds
        counted += len(names)
    assert counted == len(ATTACKS)
    covered = {level: sum(bool(attack.statuses(level)) for attack in ATTACKS) for level in LEVELS}
    said = ", ".join(f"{number} at `{level}`" for level, number in covered.items())
    assert f"a corpus of {len(ATTACKS)} programs" in page.replace("\n", " ")
    assert f"{said}" in page.replace("\n", " ")
