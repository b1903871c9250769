"""One transcript for each way in which an episode of each id can end, to be read as text.

The wording is part of the task: a changed character needs a new version of the id. After that,
``REGEN_GOLDEN=1 pytest tests/test_goldens.py`` writes the files anew.
"""

import gymnasium as gym
import pytest

import gem_gymnasium
from gem_gymnasium.core.text_env import OUT_OF_TURNS
from tests.helpers import (
    GOLDEN,
    Policy,
    assert_golden,
    legal,
    same_again,
    scripted,
    solver,
    transcript,
)

IDS = gem_gymnasium.registry.ids("game")
ENDS = ("win", "malformed", "turns")


def name(id: str, end: str) -> str:
    return f"{id.removeprefix('gem/')}-{end}"


def play(id: str, end: str) -> str:
    """Return the episode of the first seed that ends as asked for, whatever luck does."""
    if end == "win":
        texts = (transcript(id, solver(gym.make(id)), seed) for seed in range(20))
        return next(text for text in texts if "success=True" in text)
    if end == "malformed":
        texts = (transcript(id, one_legal_move_then_nonsense(), seed) for seed in range(1, 20))
        return next(text for text in texts if "malformed legal=False" in text)
    # The first move, over and over; seeds where it wins or loses at once are passed over.
    texts = (transcript(id, same_again(), seed) for seed in range(2, 20))
    return next(text for text in texts if OUT_OF_TURNS in text)


def one_legal_move_then_nonsense() -> Policy:
    first, script = legal(), scripted(["I have no idea, sorry."])
    return lambda env, text, info: (script if info["turn"] else first)(env, text, info)


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
        assert OUT_OF_TURNS in text
        assert "success=False" in last
    assert_golden(name(id, end), text)


def test_every_id_has_its_goldens_and_there_are_no_others() -> None:
    wanted = {name(id, end) for id in IDS for end in ENDS}
    assert {path.stem for path in GOLDEN.glob("*.txt")} == wanted
