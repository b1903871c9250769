"""check_text_env: a good env passes, and each broken promise is named."""

import random
import re
import time
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.core.spaces import MAX_CHARS
from gem_gymnasium.testing import (
    CHECKS,
    HOSTILE_STRINGS,
    ConformanceError,
    check_text_env,
    hostile_strings,
)
from gem_gymnasium.wrappers import History
from tests.testing.coin import (
    CoinEnv,
)


def test_a_good_env_passes() -> None:
    check_text_env(CoinEnv)
    check_text_env(lambda: CoinEnv(swap=True), seeds=[5], steps=4)


def test_a_good_made_env_passes_with_all_its_render_modes() -> None:
    if "tests/Coin-v0" not in gym.registry:
        gym.register("tests/Coin-v0", CoinEnv)
    check_text_env(lambda: gym.make("tests/Coin-v0"))


def test_a_wrapped_env_passes_but_for_the_wording() -> None:
    check_text_env(lambda: History(CoinEnv()), skip=["wording"])
    with pytest.raises(ConformanceError, match=r"(?s)\[wording\].*skip=\['wording'\]"):
        check_text_env(lambda: History(CoinEnv()))


# -- one env a broken promise: what changes, and what the message says ----------------------------


class NoSeeding(CoinEnv):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return super().reset()


class GlobalRandom(CoinEnv):
    def judge(self, action: str) -> tuple[str, str]:
        random.random()
        return super().judge(action)


class GlobalNumpy(CoinEnv):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        np.random.seed(0)  # noqa: NPY002 - the fault that is to be found
        return super().reset(seed=seed)


class Shared(CoinEnv):
    flips = 0

    def judge(self, action: str) -> tuple[str, str]:
        Shared.flips += 1
        event, feedback = super().judge(action)
        return event, f"{feedback} {Shared.flips // 7}"


class Leftover(CoinEnv):
    best = 0

    def judge(self, action: str) -> tuple[str, str]:
        event, feedback = super().judge(action)
        self.best = max(self.best, self.right)
        return event, f"{feedback} Best: {self.best}."


def with_info(change: Any) -> type[CoinEnv]:
    """Return an env whose infos pass through ``change(env, info, event)``."""

    class Changed(CoinEnv):
        def info(self, event: str, feedback: str, legal: bool = True) -> dict[str, Any]:
            info = super().info(event, feedback, legal)
            change(self, info, event)
            return info

    return Changed


def lacks_key(env: Any, info: dict[str, Any], event: str) -> None:
    del info["optimal_turns"]


def numpy_bool(env: Any, info: dict[str, Any], event: str) -> None:
    info["legal"] = np.bool_(info["legal"])


def key_after_steps_only(env: Any, info: dict[str, Any], event: str) -> None:
    if event != "reset":
        info["coin"] = 1


def changing_type(env: Any, info: dict[str, Any], event: str) -> None:
    info["score"] = env.turn if env.turn < 2 else 2.5


def progress_over_one(env: Any, info: dict[str, Any], event: str) -> None:
    info["progress"] = 1.5 if env.turn == 3 else 0.0


def unknown_event(env: Any, info: dict[str, Any], event: str) -> None:
    info["event"] = "edge" if event == "wrong" else event


def start_event(env: Any, info: dict[str, Any], event: str) -> None:
    info["event"] = "start" if event == "reset" else event


def stuck_turn(env: Any, info: dict[str, Any], event: str) -> None:
    info["turn"] = min(info["turn"], 1)


def endless(env: Any, info: dict[str, Any], event: str) -> None:
    info["max_turns"] = 2


def error_of_a_valid_step(env: Any, info: dict[str, Any], event: str) -> None:
    info["error"] = "hm"


def bare_invalid_step(env: Any, info: dict[str, Any], event: str) -> None:
    info["valid"] = event == "reset"


def unknown_stop(env: Any, info: dict[str, Any], event: str) -> None:
    info["stop"] = "bored"


def view_not_shown(env: Any, info: dict[str, Any], event: str) -> None:
    env.text = lambda head, info: head


COINS: list[int] = []


def shared_list(env: Any, info: dict[str, Any], event: str) -> None:
    info["coins"] = COINS


class FeedbackNotShown(CoinEnv):
    def text(self, head: str, info: dict[str, Any]) -> str:
        return f"Hm.\n{info['view']}"


class BothFlags(CoinEnv):
    def step(self, action: str) -> Any:
        observation, reward, over, _, info = super().step(action)
        return observation, reward, over, over, info


class IntReward(CoinEnv):
    def step(self, action: str) -> Any:
        observation, reward, over, cut, info = super().step(action)
        return observation, int(reward), over, cut, info


class NumpyFlag(CoinEnv):
    def step(self, action: str) -> Any:
        observation, reward, over, cut, info = super().step(action)
        return observation, reward, np.bool_(over), cut, info


class EchoesRaw(CoinEnv):
    def judge(self, action: str) -> tuple[str, str]:
        event, feedback = super().judge(action)
        return event, f"{action[:5]!s}: {feedback}"


class EchoesAll(CoinEnv):
    def judge(self, action: str) -> tuple[str, str]:
        event, feedback = super().judge(action)
        return event, f"{action.encode('utf-8', 'replace').decode()} {feedback}"


class Raises(CoinEnv):
    def judge(self, action: str) -> tuple[str, str]:
        if action.startswith("\\boxed{9999999999999999999"):
            int(action[7:-1])
        return super().judge(action)


class Slow(CoinEnv):
    def judge(self, action: str) -> tuple[str, str]:
        if len(action) > MAX_CHARS:
            deadline = time.thread_time() + 0.06
            while time.thread_time() < deadline:
                pass
        return super().judge(action)


class StepsWhenOver(CoinEnv):
    def step(self, action: str) -> Any:
        self.over = False
        return super().step(action)


class StepsBeforeReset(CoinEnv):
    begun = False

    def step(self, action: str) -> Any:
        self.over = self.over and self.begun
        self.begun = True
        return super().step(action)


class ForgetsInSnapshot(CoinEnv):
    def snapshot_state(self) -> dict[str, Any]:
        return {**super().snapshot_state(), "right": 0}


class NoSnapshot(gym.Wrapper[str, str, str, str]):
    pass


class HoldsALambda(CoinEnv):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.callback = lambda: 0
        return super().reset(seed=seed)


class SharesWithCopies(CoinEnv):
    def __deepcopy__(self, memo: Any) -> Any:
        return self


class ClosesOnce(CoinEnv):
    closed = False

    def close(self) -> None:
        if self.closed:
            raise RuntimeError("closed already")
        self.closed = True


class IllegalSamples(CoinEnv):
    def sample_legal_action(self, rng: Any) -> str:
        return "edge" if rng.random() < 0.2 else "heads"


class SamplesFromItself(CoinEnv):
    def sample_legal_action(self, rng: Any) -> str:
        return super().sample_legal_action(self.np_random)


class Swallows(CoinEnv):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__()


class NoText(CoinEnv):
    def __init__(self) -> None:
        super().__init__()
        self.observation_space = gym.spaces.Discrete(3)  # type: ignore[assignment]

    def text(self, head: str, info: dict[str, Any]) -> Any:
        return 1


BROKEN: list[tuple[Any, str]] = [
    (NoSeeding, r"\[gymnasium\] gymnasium's check_env refuses the env.*super\(\)\.reset"),
    (NoText, r"\[steps\] the observation of reset\(\) has no text"),
    (with_info(lacks_key), r"\[steps\] info after reset\(\) lacks 'optimal_turns'.*INFO_TYPES"),
    (with_info(numpy_bool), r"\[steps\] info\['legal'\] after reset\(\) is a bool.*, not a bool"),
    (with_info(key_after_steps_only), r"\[steps\] .*differs .* in \['coin'\].*every key after"),
    (with_info(changing_type), r"\[steps\] .*differs .* in \['score'\].*always of one type"),
    (with_info(progress_over_one), r"\[steps\] info\['progress'\] .* is 1\.5.*within \[0, 1\]"),
    (with_info(unknown_event), r"\[steps\] .*event 'edge', which is none of .*'right'.*`events`"),
    (with_info(start_event), r"\[steps\] info\['event'\] after reset\(\) is 'start'"),
    (with_info(stuck_turn), r"\[steps\] .* gives turn 1 of 3 where it is turn 2 of 3"),
    (with_info(endless), r"\[steps\] the turn budget \(2\) is used, and the episode goes on"),
    (with_info(error_of_a_valid_step), r"\[steps\] .*error 'hm' and valid True"),
    (with_info(bare_invalid_step), r"\[steps\] .* is invalid, with error=''"),
    (with_info(unknown_stop), r"\[steps\] .*stop='bored'.*'timeout'"),
    (with_info(shared_list), r"\[steps\] the infos .* share the object info\['coins'\]"),
    (BothFlags, r"\[steps\] .* is terminated and truncated at once"),
    (IntReward, r"\[steps\] the reward of .* is [01] \(int\).*Python float"),
    (NumpyFlag, r"\[steps\] terminated of .* is a bool.*return True or False"),
    (with_info(view_not_shown), r"\[wording\] .* does not end with info\['view'\]"),
    (FeedbackNotShown, r"\[wording\] .* does not start with info\['feedback'\]"),
    (StepsBeforeReset, r"\[outside\] step\(\) on a never-reset env does not raise.*ResetNeeded"),
    (StepsWhenOver, r"\[outside\] .*does not raise"),
    (Shared, r"\[(gymnasium|determinism)\] .*"),
    (Leftover, r"\[determinism\] seed 0 .* the second time: call \d+ gives observation"),
    (GlobalRandom, r"\[global_rng\] the env uses the global generator of random\b.*np_random"),
    (GlobalNumpy, r"\[global_rng\] the env uses the global generator of numpy\.random"),
    (IllegalSamples, r"\[legal_actions\] sample_legal_action gave 'edge', which is not legal"),
    (SamplesFromItself, r"\[legal_actions\] sample_legal_action changes the env"),
    (EchoesRaw, r"\[hostile\] the observation .* cannot be encoded.*parsing\.echo"),
    (EchoesAll, r"\[hostile\] the observation .* is not in UnicodeText.*space's length"),
    (Raises, r"\[hostile\] step\(\) raises ValueError on the reply .*data: report event"),
    (Slow, r"\[hostile\] step\(\) takes \d+ ms of CPU time on .* of 100000 characters; allowed"),
    (ForgetsInSnapshot, r"\[snapshot\] a snapshot at call \d+, restored into .* goes on otherwise"),
    (lambda: NoSnapshot(CoinEnv()), r"\[snapshot\] metadata\['snapshot'\] is True but.*NoSnapshot"),
    (HoldsALambda, r"\[copies\] the env cannot be pickled within an episode.*EzPickle"),
    (SharesWithCopies, r"\[copies\] the original of an env that was deep-copied goes on otherwise"),
    (ClosesOnce, r"\[close\] close\(\) raises RuntimeError: closed already.*do nothing"),
    (Swallows, r"\[kwargs\] the unknown argument surely_no_such_option=1 is swallowed"),
]  # fmt: skip


@pytest.mark.parametrize(("env_fn", "message"), BROKEN, ids=[message[:40] for _, message in BROKEN])
def test_each_broken_promise_is_named_with_its_remedy(env_fn: Any, message: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_text_env(env_fn)
    assert re.match(message, str(caught.value), re.DOTALL), str(caught.value)
    assert "To mend it: " in str(caught.value)


def test_every_check_has_a_broken_env() -> None:
    text = " ".join(message for _, message in BROKEN)
    assert [name for name in CHECKS if name not in text] == []


def test_a_skipped_check_does_not_run() -> None:
    check_text_env(FeedbackNotShown, skip=["wording"])


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'wording'"):
        check_text_env(CoinEnv, skip=["wordng"])
    with pytest.raises(ConfigError, match="a seed and a step"):
        check_text_env(CoinEnv, seeds=[])
    with pytest.raises(ConfigError, match="a seed and a step"):
        check_text_env(CoinEnv, steps=0)
    for no_function in (CoinEnv(), "gem/Sudoku-v0"):
        with pytest.raises(ConfigError, match=r"must be a function that builds the env"):
            check_text_env(no_function)  # type: ignore[arg-type]


def test_hostile_strings_are_many_distinct_and_the_same_each_time() -> None:
    assert len(HOSTILE_STRINGS) >= 200
    assert len(set(HOSTILE_STRINGS)) == len(HOSTILE_STRINGS)
    assert hostile_strings() == HOSTILE_STRINGS
    for sample in ("", "\x00", "\ud800", "\\boxed{\\boxed{1}}", "٣", "<|im_end|>"):
        assert any(sample in text for text in HOSTILE_STRINGS)
    assert max(map(len, HOSTILE_STRINGS)) > 100_000
    assert sum(len(text) > MAX_CHARS for text in HOSTILE_STRINGS) >= 5


def test_the_suite_leaves_the_global_generators_alone() -> None:
    random.seed(3)
    state = random.getstate()
    check_text_env(CoinEnv, seeds=[0], steps=5)
    assert random.getstate() == state
