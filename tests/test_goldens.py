"""One transcript for each way in which an episode of each id can end, to be read as text.

The wording is part of the task: a changed character needs a new version of the id. After that,
``REGEN_GOLDEN=1 pytest tests/test_goldens.py`` writes the files anew.
"""

import gymnasium as gym
import pytest

import gem_gymnasium
from tests.helpers import GOLDEN, assert_golden, legal, same_again, scripted, solver, transcript

IDS = gem_gymnasium.registry.ids()
ENDS = ("win", "malformed", "turns")


def name(id: str, end: str) -> str:
    return f"{id.removeprefix('gem/')}-{end}"


def play(id: str, end: str) -> str:
    if end == "win":
        return transcript(id, solver(gym.make(id)))
    if end == "malformed":
        first = legal()
        script = scripted(["I have no idea, sorry."])
        return transcript(id, lambda e, o, i: (script if i["turn"] else first)(e, o, i), seed=1)
    # The first move, over and over; seeds where it happens to win are passed over.
    texts = (transcript(id, same_again(), seed) for seed in range(2, 20))
    return next(text for text in texts if "success=True" not in text)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("id", IDS)
def test_the_episode_reads_as_it_did(id: str, end: str) -> None:
    text = play(id, end)
    last = text.splitlines()[-1]
    if end == "win":
        assert "success=True progress=1.0000" in last
    elif end == "malformed":
        assert "-0.1000 terminated=True truncated=False malformed legal=False" in last
    else:
        assert "The last turn is used" in text
        assert "success=False" in last
    assert_golden(name(id, end), text)


def test_every_id_has_its_goldens_and_there_are_no_others() -> None:
    wanted = {name(id, end) for id in IDS for end in ENDS}
    assert {path.stem for path in GOLDEN.glob("*.txt")} == wanted
