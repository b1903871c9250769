"""What each stock gymnasium wrapper does with a text env: one row a wrapper, single and vector.

``WORKS``: unmodified, observations within the wrapper's space. ``MEANINGLESS``: runs, and gives
numbers that say nothing. ``REFUSES``: an error that says why.
"""

import importlib.util
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers as w
from gymnasium.error import DependencyNotInstalled, ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as v

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.render import FRAME_SHAPE
from gem_gymnasium.core.spaces import UnicodeText
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History, NormalizeScore, ToolUse
from tests.helpers import boxed

ID = "gem/GuessTheNumber-v0"

Wrap = Callable[[Any], Any]


def upper(text: Any) -> Any:
    return text.upper()


def play(env: gym.Env[Any, Any], turns: int = 3) -> None:
    """Play, and check every observation."""
    observation, _ = env.reset(seed=1)
    assert observation in env.observation_space
    for turn in range(turns):
        observation, _, terminated, truncated, _ = env.step(boxed(turn + 1))
        assert observation in env.observation_space
        if terminated or truncated:
            observation, _ = env.reset()
    env.close()


# -- single envs ---------------------------------------------------------------------------------
WORKS: dict[str, Wrap] = {
    "TimeLimit": lambda e: w.TimeLimit(e, 2),
    "OrderEnforcing": w.OrderEnforcing,
    "PassiveEnvChecker": w.PassiveEnvChecker,
    "RecordEpisodeStatistics": w.RecordEpisodeStatistics,
    "Autoreset": w.Autoreset,
    "TransformObservation": lambda e: w.TransformObservation(e, upper, UnicodeText()),
    "TransformAction": lambda e: w.TransformAction(e, upper, UnicodeText()),
    "TransformReward": lambda e: w.TransformReward(e, lambda r: 2 * r),
    "ClipReward": lambda e: w.ClipReward(e, -1, 1),
    "NormalizeReward": w.NormalizeReward,
    "TimeAwareObservation": lambda e: w.TimeAwareObservation(w.TimeLimit(e, 9), flatten=False),
    "DelayObservation": lambda e: w.DelayObservation(e, 1),
    "FrameStackObservation": lambda e: w.FrameStackObservation(e, 3),
    "FrameStackObservation zero": lambda e: w.FrameStackObservation(e, 3, padding_type="zero"),
    "FrameStackObservation text": lambda e: w.FrameStackObservation(e, 3, padding_type=""),
    "StickyAction": lambda e: w.StickyAction(e, 0.5),
    "RepeatAction": lambda e: w.RepeatAction(e, 2),
    "FilterObservation": lambda e: w.FilterObservation(
        w.TimeAwareObservation(w.TimeLimit(e, 9), flatten=False), ["obs"]
    ),
    "ArrayConversion": lambda e: w.ArrayConversion(e, np, np),
    "NumpyToTorch": lambda e: w.NumpyToTorch(e),
}

OURS: dict[str, Wrap] = {
    "History": History,
    "NormalizeScore": NormalizeScore,
    "ToolUse": lambda e: ToolUse(e, ["python"]),
}

NEEDS = {
    "ArrayConversion": "array_api_compat", "NumpyToTorch": "torch",
    "JaxToNumpy": "jax", "JaxToTorch": "jax",
}  # fmt: skip

MEANINGLESS: dict[str, Wrap] = {
    "FlattenObservation": w.FlattenObservation,
    "TimeAwareObservation": lambda e: w.TimeAwareObservation(w.TimeLimit(e, 9)),
}

BOX = "requires a Box|only compatible with Box"

REFUSES: dict[str, tuple[Wrap, str]] = {
    "FilterObservation": (lambda e: w.FilterObservation(e, ["x"]), "only usable with `Dict`"),
    "MaxAndSkipObservation": (w.MaxAndSkipObservation, "must have the shape"),
    "NormalizeObservation": (w.NormalizeObservation, "to have a shape"),
    "DtypeObservation": (lambda e: w.DtypeObservation(e, np.float32), BOX),
    "RescaleObservation": (lambda e: w.RescaleObservation(e, 0, 1), BOX),
    "ReshapeObservation": (lambda e: w.ReshapeObservation(e, (1,)), BOX),
    "ResizeObservation": (lambda e: w.ResizeObservation(e, (9, 9)), BOX),
    "GrayscaleObservation": (w.GrayscaleObservation, BOX),
    "DiscretizeObservation": (lambda e: w.DiscretizeObservation(e, 3), BOX),
    "ClipAction": (w.ClipAction, BOX),
    "RescaleAction": (lambda e: w.RescaleAction(e, 0, 1), BOX),
    "DiscretizeAction": (lambda e: w.DiscretizeAction(e, 3), BOX),
    "AtariPreprocessing": (w.AtariPreprocessing, "opencv|ale|Atari|shape"),
    "AddRenderObservation": (w.AddRenderObservation, "to return a numpy array"),
    "RecordVideo": (lambda e: w.RecordVideo(e, "nowhere"), "ansi, which is incompatible"),
    "HumanRendering": (w.HumanRendering, "but got 'ansi'"),
}

RENDERED: dict[str, Wrap] = {
    "AddRenderObservation": w.AddRenderObservation,
    "AddRenderObservation both": lambda e: w.AddRenderObservation(e, render_only=False),
    "AddWhiteNoise": lambda e: w.AddWhiteNoise(e, probability_of_noise_per_pixel=0.1),
    "ObstructView": lambda e: w.ObstructView(e, 0.2, 10),
    "RenderCollection": w.RenderCollection,
}


def needs(name: str) -> None:
    module = NEEDS.get(name.split()[0])
    if module is not None and importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


@pytest.mark.parametrize("name", WORKS)
def test_works_unmodified(name: str) -> None:
    needs(name)
    env = WORKS[name](gym.make(ID))
    play(env)


@pytest.mark.parametrize("name", [name for name in WORKS if name not in NEEDS])
def test_the_stack_can_be_made_again_from_its_spec(name: str) -> None:
    env = WORKS[name](gym.make(ID))
    spec = env.spec
    assert spec is not None
    if "Transform" in name or name in ("OrderEnforcing", "PassiveEnvChecker"):
        return  # functions are no JSON; and what make adds itself is not told from what was added
    twin = gym.make(gym.envs.registration.EnvSpec.from_json(spec.to_json()))
    assert str(twin) == str(env)


@pytest.mark.parametrize("name", OURS)
def test_ours_stand_below_an_autoreset_not_above_it(name: str) -> None:
    play(w.Autoreset(OURS[name](gym.make(ID))))
    with pytest.raises(ConfigError, match=rf"put it outside, Autoreset\({name}\(env, \.\.\.\)\)"):
        OURS[name](w.TimeLimit(w.Autoreset(gym.make(ID)), 9))


@pytest.mark.parametrize("name", MEANINGLESS)
def test_runs_but_is_meaningless(name: str) -> None:
    env = MEANINGLESS[name](gym.make(ID))
    play(env, 1)
    assert isinstance(env.observation_space, gym.spaces.Box)


@pytest.mark.parametrize("name", REFUSES)
def test_refuses_with_an_error_that_says_why(name: str) -> None:
    wrap, message = REFUSES[name]
    with pytest.raises(Exception, match=message):
        play(wrap(gym.make(ID, render_mode="ansi")))


@pytest.mark.parametrize("name", RENDERED)
def test_works_on_frames(name: str) -> None:
    pytest.importorskip("PIL")
    env = RENDERED[name](gym.make(ID, render_mode="rgb_array"))
    play(env)


def test_frames_all_have_one_shape() -> None:
    pytest.importorskip("PIL")
    env = gym.make(ID, render_mode="rgb_array")
    env.reset(seed=1)
    frames = [env.render()]
    env.step("x" * 5_000)
    frames.append(env.render())
    assert {frame.shape for frame in frames} == {FRAME_SHAPE}
    assert {frame.dtype for frame in frames} == {np.dtype(np.uint8)}
    assert not np.array_equal(*frames)


def test_a_collection_of_texts() -> None:
    env = gym.make(ID, render_mode="ansi_list")
    observation, _ = env.reset(seed=1)
    last, *_ = env.step(boxed(1))
    assert env.render() == [observation, last]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of moviepy's own
def test_video(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    pytest.importorskip("PIL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # moviepy's, and gymnasium's about an existing folder
        env = w.RecordVideo(gym.make(ID, render_mode="rgb_array"), str(tmp_path), lambda e: True)
        env.reset(seed=1)
        for _ in range(3):
            env.step(boxed(1))
        env.close()
    (video,) = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 1_000


def test_values_pass_through_as_they_should() -> None:
    env = w.TimeLimit(gym.make(ID), 2)
    env.reset(seed=1)
    assert env.step(boxed(1))[2:4] == (False, False)
    assert env.step(boxed(2))[2:4] == (False, True)  # cut from outside: not terminated
    env = w.FrameStackObservation(gym.make(ID), 3)
    first, _ = env.reset(seed=1)
    stack, *_ = env.step(boxed(1))
    assert stack[:2] == (first[0], first[0])
    env = w.DelayObservation(gym.make(ID), 1)
    assert env.reset(seed=1)[0] == ""
    assert env.step(boxed(1))[0].startswith("Guess the Number")
    env = w.RecordEpisodeStatistics(gym.make(ID))
    env.reset(seed=1)
    episode = env.step("malformed")[4]["episode"]
    assert (round(float(episode["r"]), 3), int(episode["l"])) == (-0.1, 1)
    env = w.TransformAction(gym.make(ID), lambda text: boxed(text), UnicodeText())
    env.reset(seed=1)
    assert env.step("3")[4]["legal"]


def test_order_is_enforced() -> None:
    with pytest.raises(ResetNeeded):
        gym.make(ID).step("x")


def test_the_table_has_every_stock_wrapper() -> None:
    rows = {name.split()[0] for table in (WORKS, MEANINGLESS, REFUSES, RENDERED) for name in table}
    assert set(w.__all__) - {"vector"} - rows == {"JaxToNumpy", "JaxToTorch"}


@pytest.mark.parametrize("name", ["JaxToNumpy", "JaxToTorch"])
def test_the_jax_wrappers_need_jax(name: str) -> None:
    if importlib.util.find_spec("jax") is None:
        with pytest.raises((DependencyNotInstalled, ImportError), match=r"[Jj]ax"):
            getattr(w, name)(gym.make(ID))
    else:
        play(getattr(w, name)(gym.make(ID)))


# -- vector envs ---------------------------------------------------------------------------------
VECTOR_WORKS: dict[str, Wrap] = {
    "RecordEpisodeStatistics": v.RecordEpisodeStatistics,
    "DictInfoToList": v.DictInfoToList,
    "TransformObservation": lambda e: v.TransformObservation(
        e, lambda texts: tuple(map(upper, texts))
    ),
    "VectorizeTransformObservation": lambda e: v.VectorizeTransformObservation(
        e, w.TransformObservation, func=upper, observation_space=UnicodeText()
    ),
    "TransformAction": lambda e: v.TransformAction(e, lambda texts: tuple(map(upper, texts))),
    "VectorizeTransformAction": lambda e: v.VectorizeTransformAction(
        e, w.TransformAction, func=upper, action_space=UnicodeText()
    ),
    "TransformReward": lambda e: v.TransformReward(e, lambda r: 2 * r),
    "VectorizeTransformReward": lambda e: v.VectorizeTransformReward(
        e, w.TransformReward, func=lambda r: 2 * r
    ),
    "ClipReward": lambda e: v.ClipReward(e, -1, 1),
    "NormalizeReward": v.NormalizeReward,
    "ArrayConversion": lambda e: v.ArrayConversion(e, np, np),
    "NumpyToTorch": lambda e: v.NumpyToTorch(e),
}

VECTOR_MEANINGLESS: dict[str, Wrap] = {"FlattenObservation": v.FlattenObservation}

VECTOR_REFUSES: dict[str, tuple[Wrap, str]] = {
    "FilterObservation": (lambda e: v.FilterObservation(e, ["x"]), "only usable with `Dict`"),
    "NormalizeObservation": (v.NormalizeObservation, "dtypes are not compatible"),
    "DtypeObservation": (lambda e: v.DtypeObservation(e, np.float32), BOX),
    "RescaleObservation": (lambda e: v.RescaleObservation(e, 0, 1), BOX),
    "ReshapeObservation": (lambda e: v.ReshapeObservation(e, (1,)), BOX),
    "ResizeObservation": (lambda e: v.ResizeObservation(e, (9, 9)), BOX),
    "GrayscaleObservation": (v.GrayscaleObservation, BOX),
    "RescaleAction": (lambda e: v.RescaleAction(e, 0, 1), BOX),
    "ClipAction": (v.ClipAction, BOX),
    "RecordVideo": (lambda e: v.RecordVideo(e, "nowhere"), "which is incompatible"),
    "HumanRendering": (v.HumanRendering, "but got 'None'"),
}

SAME_STEP_REFUSES = {
    "TransformObservation", "VectorizeTransformObservation", "FlattenObservation",
}  # fmt: skip


def vector_env(kind: type, mode: AutoresetMode) -> Any:
    return kind([lambda: gym.make(ID)] * 3, autoreset_mode=mode)


def play_vector(envs: Any) -> None:
    def contained(observations: Any) -> bool:
        return observations in envs.observation_space

    disabled = envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    observations, _ = envs.reset(seed=1)
    assert contained(observations)
    for turn in range(4):
        actions = (boxed(turn + 1), "malformed" if turn == 1 else boxed(3 + turn), boxed(20 - turn))
        observations, rewards, terminations, truncations, _ = envs.step(actions)
        assert contained(observations)
        assert rewards.shape == (3,)
        done = np.asarray(terminations) | np.asarray(truncations)
        if disabled and done.any():
            envs.reset(options={"reset_mask": done})
    envs.close()


@pytest.mark.parametrize("kind", [SyncVectorEnv, ThreadVectorEnv])
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", VECTOR_WORKS)
def test_vector_wrapper_works_unmodified(name: str, mode: AutoresetMode, kind: type) -> None:
    needs(name)
    envs = vector_env(kind, mode)
    if mode is AutoresetMode.SAME_STEP and name in SAME_STEP_REFUSES:
        with pytest.raises(ValueError, match=r"SAME_STEP|SameStep|same"):
            play_vector(VECTOR_WORKS[name](envs))
        envs.close()
        return
    play_vector(VECTOR_WORKS[name](envs))


@pytest.mark.parametrize("name", VECTOR_MEANINGLESS)
def test_vector_wrapper_runs_but_is_meaningless(name: str) -> None:
    play_vector(VECTOR_MEANINGLESS[name](vector_env(SyncVectorEnv, AutoresetMode.NEXT_STEP)))


@pytest.mark.parametrize("name", VECTOR_REFUSES)
def test_vector_wrapper_refuses(name: str) -> None:
    envs = vector_env(SyncVectorEnv, AutoresetMode.NEXT_STEP)
    wrap, message = VECTOR_REFUSES[name]
    with pytest.raises(Exception, match=message):
        play_vector(wrap(envs))
    envs.close()


def test_the_table_has_every_stock_vector_wrapper() -> None:
    rows = {*VECTOR_WORKS, *VECTOR_MEANINGLESS, *VECTOR_REFUSES}
    assert set(v.__all__) - rows == {"JaxToNumpy", "JaxToTorch"}


@pytest.mark.parametrize("kind", [SyncVectorEnv, ThreadVectorEnv])
def test_vector_video(kind: type, tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    pytest.importorskip("PIL")
    envs = kind([lambda: gym.make(ID, render_mode="rgb_array")] * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # moviepy's own
        recorded = v.RecordVideo(envs, str(tmp_path), episode_trigger=lambda e: True)
        recorded.reset(seed=1)
        for _ in range(3):
            recorded.step((boxed(1), boxed(2)))
        recorded.close()
    assert list(tmp_path.glob("*.mp4"))
