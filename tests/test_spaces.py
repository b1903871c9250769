"""UnicodeText: a space of any text, true in every vector env and past stock conversions."""

import pickle
from copy import copy, deepcopy
from functools import partial
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Dict, Discrete, Text, Tuple
from gymnasium.spaces.utils import (
    flatdim,
    flatten,
    flatten_space,
    is_space_dtype_shape_equiv,
    unflatten,
)
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium import MAX_CHARS, UnicodeText
from tests.helpers import boxed

any_text = st.text(st.characters(exclude_categories=[]), max_size=200)  # also lone surrogates

# As long as the longest prompt: characters of three and four bytes, emoji, box drawing.
LOUD = (
    "数独" * 25_000,
    "👩🏽‍🚀🧩" * 10_000,
    "┌─┬■□┐" * 8_333,
    "a\x00b\ud800",
    "",
    "𐍈" * MAX_CHARS,
)


class Loud(gym.Env[Any, str]):
    """Says the texts of LOUD in turn, and the action back; ends after five steps."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, start: int = 0, nested: bool = False) -> None:
        text = UnicodeText()
        self.start, self.nested, self.turn = start, nested, 0
        self.observation_space = (
            Dict(text=text, pair=Tuple((text, Discrete(9)))) if nested else text
        )
        self.action_space = UnicodeText()

    def say(self, action: str) -> Any:
        text = LOUD[(self.start + self.turn) % len(LOUD)]
        return {"text": text, "pair": (action, self.turn)} if self.nested else text

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.turn = 0
        return self.say(""), {"turn": 0}

    def step(self, action: str) -> Any:
        self.turn += 1
        return self.say(action), 1.0, self.turn == 5, False, {"turn": self.turn}


# -- the space itself -----------------------------------------------------------------------------


def test_contains_knows_str_and_length_only() -> None:
    space = UnicodeText(5, min_length=1)
    for text in ("a", "■□▢", "\x00", "\ud800", "数独数独数", np.str_("ab")):
        assert space.contains(text)
    for other in ("", "abcdef", None, 3, b"ab", ["a"], np.array("a")):
        assert not space.contains(other)
    assert "x" * MAX_CHARS in UnicodeText()
    assert "x" * (MAX_CHARS + 1) not in UnicodeText()
    assert "" in UnicodeText()


def test_it_is_a_text_space() -> None:
    space = UnicodeText()
    assert isinstance(space, Text)
    assert (space.max_length, space.min_length) == (65_536, 0)
    assert repr(space) == "UnicodeText(0, 65536)"
    assert space != Text(65_536, min_length=0)
    assert space == UnicodeText(seed=3)
    assert space != UnicodeText(5)
    with pytest.raises(TypeError, match="unhashable"):
        hash(space)


def test_samples_are_short_texts_of_the_space_and_repeatable() -> None:
    space = UnicodeText(seed=3)
    texts = [space.sample() for _ in range(200)]
    assert all(text in space for text in texts)
    assert {len(text) for text in texts} >= {0, 1, 64}
    assert max(map(len, texts)) == 64
    space.seed(3)
    assert [space.sample() for _ in range(200)] == texts
    assert len(UnicodeText(3, min_length=3).sample()) == 3
    masked = space.sample(mask=(4, None))
    assert len(masked) == 4


def test_copies_and_pickles_are_equal_and_small() -> None:
    space = UnicodeText(100, min_length=2, max_sample_length=7, seed=1)
    for twin in (copy(space), deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert twin == space
        assert twin.max_sample_length == 7
    assert pickle.loads(pickle.dumps(space)).sample() == space.sample()
    assert len(pickle.dumps(UnicodeText())) < 5_000


@given(text=any_text)
def test_flatten_and_back(text: str) -> None:
    space = UnicodeText(200)
    flat = flatten(space, text)
    assert flat.shape == (flatdim(space),)
    assert flat in flatten_space(space)
    assert unflatten(space, flat) == text


@given(texts=st.lists(any_text, min_size=3, max_size=3))
def test_batches_are_tuples_of_the_very_texts(texts: list[str]) -> None:
    space = UnicodeText(200)
    batch = batch_space(space, 3)
    joined = concatenate(space, texts, create_empty_array(space, 3))
    assert joined == tuple(texts)
    assert joined in batch
    assert list(iterate(batch, joined)) == texts
    assert batch.from_jsonable(batch.to_jsonable([joined])) == [joined]


def test_spaces_of_other_sizes_are_equivalent_but_not_equal() -> None:
    assert is_space_dtype_shape_equiv(UnicodeText(3), UnicodeText(5))
    assert not is_space_dtype_shape_equiv(UnicodeText(3), Discrete(3))
    assert UnicodeText(3) != UnicodeText(5)


# -- AsyncVectorEnv -------------------------------------------------------------------------------


def play(envs: Any, steps: int = 7) -> list[Any]:
    """Play, and keep deep copies: what was returned must not depend on what comes later."""
    calls = [envs.reset(seed=1)]
    for turn in range(steps):
        calls.append(envs.step((f"é{turn}\ud800", "■" * 70, "")))
    envs.close()
    return calls


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize(
    ("context", "nested"),
    [("fork", False), ("fork", True), ("spawn", False), ("forkserver", True)],
)
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "pipe"])
def test_async_gives_the_true_observations(shared: bool, context: str, nested: bool) -> None:
    env_fns = [partial(Loud, start, nested) for start in range(3)]
    # Without shared memory gymnasium has a fault in NEXT_STEP (below); not met here, as no reset
    # follows a finished episode.
    true = play(SyncVectorEnv(env_fns))
    assert data_equivalence(
        play(AsyncVectorEnv(env_fns, shared_memory=shared, context=context)), true, exact=True
    )
    if not nested:
        assert true[0][0] == LOUD[:3]
        assert type(true[1][0]) is tuple


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_async_autoreset_gives_the_true_observations(mode: AutoresetMode) -> None:
    env_fns = [partial(Loud, start) for start in range(3)]
    true = play(SyncVectorEnv(env_fns, autoreset_mode=mode), 12)
    assert data_equivalence(
        play(AsyncVectorEnv(env_fns, autoreset_mode=mode), 12), true, exact=True
    )


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_async_takes_mixed_ids() -> None:
    ids = ("gem/GuessTheNumber-v0", "gem/Mastermind-v0", "gem/Sudoku-easy-v0")
    env_fns = [partial(gym.make, id) for id in ids]
    actions = (boxed(3), boxed("1 2 3 4"), boxed("1 1 1"))
    results = []
    for envs in (SyncVectorEnv(env_fns), AsyncVectorEnv(env_fns)):
        results.append([envs.reset(seed=5), *(envs.step(actions) for _ in range(5))])
        envs.close()
    assert data_equivalence(*results, exact=True)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_async_copies_stay_as_they_were_and_views_do_not() -> None:
    env_fns = [partial(Loud, start) for start in range(3)]
    envs = AsyncVectorEnv(env_fns, copy=True)
    first, _ = envs.reset()
    envs.step(("", "", ""))
    assert first == LOUD[:3]
    envs.close()
    envs = AsyncVectorEnv(env_fns, copy=False)
    view, _ = envs.reset()
    assert tuple(view) == LOUD[:3]
    envs.step(("", "", ""))
    assert tuple(view) == LOUD[1:4]  # as arrays of numbers do with copy=False
    assert (view[-1], view[0:2], len(view)) == (LOUD[3], LOUD[1:3], 3)
    assert repr(view) == repr(LOUD[1:4])
    with pytest.raises(IndexError):
        view[3]
    envs.close()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_async_tells_of_a_text_that_is_too_long() -> None:
    class TooLong(Loud):
        def say(self, action: str) -> str:
            return "x" * (MAX_CHARS + 1)

    envs = AsyncVectorEnv([TooLong])
    with (
        pytest.warns(UserWarning, match="ERROR"),
        pytest.raises(ValueError, match="65537 characters in a space of at most 65536"),
    ):
        envs.reset()
    envs.close(terminate=True)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_gymnasiums_own_fault_without_shared_memory_is_as_known() -> None:
    """Reset after an end, shared_memory=False, NEXT_STEP: the worker resets once more.

    When this fails gymnasium has mended it, and the docs should no longer warn.
    """
    envs = AsyncVectorEnv([partial(gym.make, "gem/GuessTheNumber-v0")], shared_memory=False)
    envs.reset(seed=1)
    assert envs.step(["malformed"])[2][0]
    envs.reset(seed=1)
    infos = envs.step([boxed(1)])[4]
    assert infos["event"][0] == "reset"
    envs.close()


# -- array conversion -----------------------------------------------------------------------------


class Mixed(gym.Env[Any, Any]):
    """Text inside a Dict and a Tuple, beside an array; the action likewise."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self) -> None:
        box = gym.spaces.Box(0, 1, (2,), np.float32)
        self.observation_space = Dict(text=UnicodeText(), pair=Tuple((UnicodeText(), box)))
        self.action_space = Dict(text=UnicodeText(), box=box)
        self.seen: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        return self.say("数"), {"note": "■", "list": ["é"]}

    def say(self, text: str) -> Any:
        return {"text": text, "pair": (f"<{text}>", np.zeros(2, np.float32))}

    def step(self, action: Any) -> Any:
        self.seen = action
        return self.say(action["text"]), 1.0, False, False, {"note": "■", "list": ["é"]}


def converters() -> list[Any]:
    array = pytest.importorskip("gymnasium.wrappers.array_conversion")
    found = [lambda env: array.ArrayConversion(env, np, np)]
    try:
        import torch  # noqa: F401
        from gymnasium.wrappers.numpy_to_torch import NumpyToTorch
    except ImportError:
        return found
    return [*found, NumpyToTorch]


@pytest.mark.parametrize("which", ["numpy", "torch"])
def test_array_conversion_leaves_text_alone(which: str) -> None:
    found = converters()
    if which == "torch" and len(found) < 2:
        pytest.skip("torch is not installed")
    convert = found[which == "torch"]
    env = convert(gym.make("gem/GuessTheNumber-v0"))
    observation, info = env.reset(seed=1)
    assert observation == gym.make("gem/GuessTheNumber-v0").reset(seed=1)[0]
    assert info["event"] == "reset"
    observation, reward, _, _, info = env.step(boxed(1))
    assert observation.startswith(info["feedback"])
    assert info["turn"] == 1
    assert float(reward) == 0.0


@pytest.mark.parametrize("which", ["numpy", "torch"])
def test_array_conversion_leaves_text_inside_dicts_and_tuples_alone(which: str) -> None:
    found = converters()
    if which == "torch" and len(found) < 2:
        pytest.skip("torch is not installed")
    convert = found[which == "torch"]
    base = Mixed()
    env = convert(base)
    observation, info = env.reset(seed=1)
    assert observation["text"] == "数"
    assert observation["pair"][0] == "<数>"
    assert info["note"] == "■"
    box: Any = np.ones(2, np.float32)
    if which == "torch":
        import torch

        assert isinstance(observation["pair"][1], torch.Tensor)
        box = torch.ones(2)
    observation, *_ = env.step({"text": "■ go", "box": box})
    assert base.seen["text"] == "■ go"
    assert isinstance(base.seen["box"], np.ndarray)
    assert observation["pair"][0] == "<■ go>"


def vector_converters() -> dict[str, Any]:
    array = pytest.importorskip("gymnasium.wrappers.vector.array_conversion")
    found: dict[str, Any] = {"numpy": lambda envs: array.ArrayConversion(envs, np, np)}
    try:
        import torch  # noqa: F401
        from gymnasium.wrappers.vector.numpy_to_torch import NumpyToTorch
    except ImportError:
        return found
    return {**found, "torch": NumpyToTorch}


@pytest.mark.parametrize("which", ["numpy", "torch"])
def test_vector_array_conversion_leaves_text_alone(which: str) -> None:
    found = vector_converters()
    if which not in found:
        pytest.skip("torch is not installed")
    ids = ["gem/GuessTheNumber-v0"] * 2
    envs = found[which](SyncVectorEnv([partial(gym.make, id) for id in ids]))
    plain = SyncVectorEnv([partial(gym.make, id) for id in ids])
    actions = (boxed(1), boxed(2))
    observations, _ = envs.reset(seed=1)
    assert observations == plain.reset(seed=1)[0]
    observations, rewards, terminations, _, infos = envs.step(actions)
    plain_observations, *_, plain_infos = plain.step(actions)
    assert observations == plain_observations
    assert infos["feedback"].tolist() == plain_infos["feedback"].tolist()
    assert infos["turn"].tolist() == [1, 1]
    assert rewards.shape == (2,)
    assert type(terminations) is type(rewards)
    envs.close()
