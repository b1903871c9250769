"""The escape corpus can fail: where nothing confines an attack, it does get through.

Each runs in a container (bwrap: namespaces of its own, the machine's files read-only) that also
holds the bait, the caller and nothing else, but at no level of the sandbox.
"""

import pytest

from tests.sandbox.attack import corpus
from tests.sandbox.conftest import GetCaller

CONTROLS = [attack for attack in corpus() if attack.header["control"] == "breach"]


@pytest.mark.slow
@pytest.mark.parametrize("attack", CONTROLS, ids=[attack.name for attack in CONTROLS])
def test_an_attack_gets_through_where_nothing_confines_it(attack, get_caller: GetCaller) -> None:
    caller = get_caller("contained")
    try:
        outcome = caller.ask(attack.name, "control")
    except OSError:
        return  # it killed or stopped the caller, which is its parent here
    if any(not problem.startswith("BREACH") for problem in outcome["problems"]):
        caller.close()
    assert outcome["problems"] != [], outcome["ending"]
