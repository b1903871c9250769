"""Rollouts: what reaches the env, what reaches the rows, and every way an episode can end."""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from gem_gymnasium import UnicodeText, errors
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History
from gem_trl.envs import open_envs
from gem_trl.generation import Reply, Sampling
from gem_trl.prompts import PromptEncoder
from gem_trl.rollout import Collector
from tests.gem_trl.conftest import ENV

SAMPLING = Sampling(max_new_tokens=8)


class Scripted:
    """Generates the same text for every prompt, or what ``choose`` says."""

    def __init__(self, tokenizer: Any, choose: Any, *, finished: bool = True) -> None:
        self._tokenizer, self._choose, self._finished = tokenizer, choose, finished
        self.batches: list[int] = []

    def sync_weights(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def close(self) -> None:
        pass

    def generate(
        self, prompts: Sequence[Sequence[int]], sampling: Sampling, seed: int
    ) -> list[Reply]:
        self.batches.append(len(prompts))
        end = [self._tokenizer.eos_token_id] if self._finished else []
        texts = [self._choose(self._tokenizer.decode(list(prompt))) for prompt in prompts]
        return [
            Reply((*self._tokenizer(text)["input_ids"], *end), self._finished) for text in texts
        ]


class Countdown(gym.Env[str, str]):
    """Runs for as many steps as its seed says (modulo 4, plus 1), and records its actions."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, fault: str = "", at: int = 2) -> None:
        self.observation_space = self.action_space = UnicodeText()
        self.fault, self.at = fault, at
        self.actions: list[str] = []

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.left = 0 if seed is None else seed % 4 + 1
        self.turn = 0
        return f"start {self.left}", {}

    def step(self, action: str) -> Any:
        self.actions.append(action)
        self.turn += 1
        if self.fault == "raise" and self.turn == self.at:
            raise RuntimeError("broken")
        if self.fault == "hang" and self.turn == self.at:
            import time

            time.sleep(3.0)
        text = "x" * 100_000 if self.fault == "flood" and self.turn == self.at else "go on"
        over = self.turn >= self.left
        return text, 1.0, over, False, {"success": over}


def collector(
    source: Any, tokenizer: Any, generator: Any, num_envs: int = 2, **options: Any
) -> Collector:
    envs = open_envs(source, num_envs, "none", {}, options.pop("timeout_s", 30.0))
    options = {"max_prompt_tokens": 500, **options}
    return Collector(envs, PromptEncoder(tokenizer), generator, **options)


def number_it(env: int, place: int) -> int:
    return place


def test_rows_hold_the_very_ids_that_were_fed_and_sampled(tokenizer: Any) -> None:
    generator = Scripted(tokenizer, lambda prompt: "\\boxed{5}")
    play = collector(ENV, tokenizer, generator, 3)
    episodes = play.collect(5, lambda env, place: 100 + place, SAMPLING, 0)
    for episode in episodes:
        env = gym.make(ENV)
        observation, info = env.reset(seed=episode.seed)
        for turn in episode.turns:
            assert turn.prompt_ids == PromptEncoder(tokenizer).encode(observation, info)
            assert turn.reply_ids[-1] == tokenizer.eos_token_id
            observation, reward, terminated, _, info = env.step("\\boxed{5}")
            assert turn.reward == reward
            assert turn.event == info["event"]
        assert terminated == episode.terminated
        assert episode.success == info["success"]


def test_episodes_come_in_the_order_they_started_each_played_to_its_end(tokenizer: Any) -> None:
    play = collector(Countdown, tokenizer, Scripted(tokenizer, lambda prompt: "a"), 3)
    episodes = play.collect(11, number_it, SAMPLING, 0)
    assert [episode.seed for episode in episodes] == list(range(11))
    assert [len(episode.turns) for episode in episodes] == [place % 4 + 1 for place in range(11)]


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("vector_class", [SyncVectorEnv, ThreadVectorEnv])
def test_a_vector_env_in_any_autoreset_mode_gives_the_same_episodes(
    tokenizer: Any, mode: AutoresetMode, vector_class: Any
) -> None:
    generator = Scripted(tokenizer, lambda prompt: "a")
    vector = vector_class([Countdown] * 3, autoreset_mode=mode)
    episodes = collector(vector, tokenizer, generator).collect(7, number_it, SAMPLING, 0)
    own = collector(Countdown, tokenizer, generator, 3).collect(7, number_it, SAMPLING, 0)
    assert [e.turns for e in episodes] == [e.turns for e in own]
    assert [e.final_prompt_ids for e in episodes] == [e.final_prompt_ids for e in own]
    vector.close()


def test_a_same_step_vector_env_gives_the_real_last_observation(tokenizer: Any) -> None:
    vector = SyncVectorEnv(
        [lambda: History(gym.make(ENV), "messages")] * 2, autoreset_mode=AutoresetMode.SAME_STEP
    )
    generator = Scripted(tokenizer, lambda prompt: "\\boxed{5}")
    episodes = collector(vector, tokenizer, generator).collect(4, number_it, SAMPLING, 0)
    for episode in episodes:
        assert "Turns left" in tokenizer.decode(episode.final_prompt_ids)
        text = tokenizer.decode(episode.final_prompt_ids)
        assert text.count("<|assistant|>") == len(episode.turns) + 1


def test_a_vector_env_must_say_its_autoreset_mode(tokenizer: Any) -> None:
    vector = SyncVectorEnv([Countdown])
    del vector.metadata["autoreset_mode"]
    with pytest.raises(errors.ConfigError, match="autoreset_mode"):
        open_envs(vector, 1, "none", {}, 1.0)


@pytest.mark.parametrize("mode", ["penalize", "mask"])
def test_a_reply_without_eos_is_penalised_or_masked(tokenizer: Any, mode: Any) -> None:
    env = Countdown()
    generator = Scripted(tokenizer, lambda prompt: "endless", finished=False)
    play = collector(lambda: env, tokenizer, generator, 1, truncated_replies=mode)
    (episode,) = play.collect(1, lambda e, p: 1, SAMPLING, 0)
    assert env.actions == (["", ""] if mode == "penalize" else ["endless", "endless"])
    assert [turn.trains for turn in episode.turns] == [mode == "penalize"] * 2
    assert not any(turn.finished for turn in episode.turns)


def test_a_prompt_over_the_context_truncates_the_episode(tokenizer: Any) -> None:
    play = collector(
        lambda: Countdown("flood"), tokenizer, Scripted(tokenizer, lambda prompt: "a"), 2
    )
    episodes = play.collect(4, number_it, SAMPLING, 0)
    lengths = [len(episode.turns) for episode in episodes]
    assert lengths == [1, 2, 2, 2]  # the flood comes at turn 2
    for episode in episodes[2:]:
        assert (episode.truncated, episode.terminated) == (True, False)
        assert (episode.stop, episode.valid) == ("context", True)
        assert episode.final_prompt_ids == ()
    assert episodes[0].terminated
    assert episodes[1].terminated  # it ended by itself, at the very flood


def test_a_first_prompt_over_the_context_is_an_episode_without_turns(tokenizer: Any) -> None:
    play = collector(
        Countdown, tokenizer, Scripted(tokenizer, lambda prompt: "a"), 2, max_prompt_tokens=1
    )
    episodes = play.collect(3, number_it, SAMPLING, 0)
    assert [(e.turns, e.stop) for e in episodes] == [((), "context")] * 3


@pytest.mark.parametrize(("fault", "stop"), [("raise", "crash"), ("hang", "timeout")])
def test_an_env_that_fails_gives_an_invalid_episode_and_the_rest_go_on(
    tokenizer: Any, fault: str, stop: str
) -> None:
    play = collector(
        lambda: Countdown(fault), tokenizer, Scripted(tokenizer, lambda prompt: "a"), 4,
        timeout_s=0.5,
    )  # fmt: skip
    episodes = play.collect(8, number_it, SAMPLING, 0)
    assert len(episodes) == 8
    for place, episode in enumerate(episodes):
        fails = place % 4 >= 1
        assert episode.valid == (not fails)
        assert episode.stop == (stop if fails else "")
        assert len(episode.turns) == (2 if fails else 1)
        if fails:
            assert episode.turns[-1].reward == 0.0


def test_only_live_episodes_are_generated_for(tokenizer: Any) -> None:
    generator = Scripted(tokenizer, lambda prompt: "a")
    play = collector(Countdown, tokenizer, generator, 4)
    play.collect(4, number_it, SAMPLING, 0)
    assert generator.batches == [4, 3, 2, 1]


def test_ids_are_cycled_and_reported(tokenizer: Any) -> None:
    ids = ["gem/GuessTheNumber-easy-v0", "gem/Mastermind-easy-v0"]
    play = collector(ids, tokenizer, Scripted(tokenizer, lambda prompt: "no"), 4)
    episodes = play.collect(4, number_it, SAMPLING, 0)
    assert [episode.env_id for episode in episodes] == ids * 2


def test_an_empty_list_of_ids_is_refused() -> None:
    with pytest.raises(errors.ConfigError, match="an empty list"):
        open_envs([], 1, "none", {}, 1.0)


def test_equal_seeds_draw_equal_replies(build_trainer: Any) -> None:
    generator = build_trainer().build_generator()
    prompts = [(5, 6, 7), (8, 9)]
    sampling = Sampling(max_new_tokens=6, temperature=2.0)
    first, second, third = (generator.generate(prompts, sampling, seed) for seed in (1, 1, 2))
    assert first == second != third
    state = np.random.get_state()[1]  # noqa: NPY002 - the global state is what is looked at
    generator.generate(prompts, sampling, 3)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_top_k_one_is_greedy(build_trainer: Any) -> None:
    generator = build_trainer().build_generator()
    prompts = [(5, 6, 7), (8, 9), (40,)]
    greedy = generator.generate(prompts, Sampling(max_new_tokens=6, temperature=0.0), 1)
    drawn = generator.generate(prompts, Sampling(max_new_tokens=6, top_k=1), 2)
    assert greedy == drawn


class Short(Countdown):
    """One turn an episode."""

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        observation, info = super().reset(seed=seed, options=options)
        self.left = 1
        return observation, info


class Long(Countdown):
    """Eight turns an episode."""

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        observation, info = super().reset(seed=seed, options=options)
        self.left = 8
        return observation, info


gym.register("test/Short-v0", entry_point=Short)
gym.register("test/Long-v0", entry_point=Long)


@pytest.mark.parametrize("num_envs", [2, 3, 4, 7])
def test_short_episodes_are_not_played_more_often(tokenizer: Any, num_envs: int) -> None:
    ids = ["test/Short-v0", "test/Long-v0"]
    play = collector(ids, tokenizer, Scripted(tokenizer, lambda prompt: "a"), num_envs)
    episodes = play.collect(12, number_it, SAMPLING, 0)
    assert [episode.env_id for episode in episodes] == ids * 6
    assert [len(episode.turns) for episode in episodes] == [1, 8] * 6


def test_more_ids_than_envs_and_a_made_env_are_refused() -> None:
    with pytest.raises(errors.ConfigError, match="at least as many envs, got 1"):
        open_envs(["test/Short-v0", "test/Long-v0"], 1, "none", {}, 1.0)
    with pytest.raises(errors.ConfigError, match="a callable that builds a new one"):
        open_envs(gym.make("test/Short-v0"), 1, "none", {}, 1.0)  # type: ignore[arg-type]
    with pytest.raises(errors.ConfigError, match=r"history_kwargs .*turnz"):
        open_envs(ENV, 1, "text", {"turnz": 3}, 1.0)


@pytest.mark.parametrize("reward", [float("nan"), float("inf")])
def test_a_reward_that_is_not_finite_makes_the_episode_invalid(
    tokenizer: Any, reward: float
) -> None:
    def make() -> gym.Env[str, str]:
        return gym.wrappers.TransformReward(Countdown(), lambda r: reward)

    play = collector(make, tokenizer, Scripted(tokenizer, lambda prompt: "a"), 2)
    for episode in play.collect(4, number_it, SAMPLING, 0):
        assert (episode.valid, episode.stop, episode.total_reward) == (False, "crash", 0.0)
        assert len(episode.turns) == 1


def test_an_env_that_never_ends_is_truncated(tokenizer: Any) -> None:
    class Endless(Countdown):
        def step(self, action: str) -> Any:
            self.left = 10**9
            return super().step(action)

    play = collector(Endless, tokenizer, Scripted(tokenizer, lambda prompt: "a"), 1, max_turns=5)
    (episode,) = play.collect(1, number_it, SAMPLING, 0)
    assert (len(episode.turns), episode.truncated, episode.valid) == (5, True, True)


def test_a_vector_env_without_history_is_warned_about_and_left_open(
    build_trainer: Any, caplog: Any
) -> None:
    vector = SyncVectorEnv([Countdown] * 2)
    trainer = build_trainer(vector)
    assert "no History wrapper" in caplog.text
    trainer.close()
    vector.reset(seed=0)  # still open
    caplog.clear()
    build_trainer(vector, history="none")
    assert not caplog.text
    with pytest.raises(errors.ConfigError, match="needs an eval_env"):
        build_trainer(vector, history="none", eval_strategy="steps", eval_steps=1)


def test_only_our_sampling_options_count(build_trainer: Any, model: Any) -> None:
    generator = build_trainer().build_generator()
    prompts = [(5, 6, 7), (8, 9)]
    sampling = Sampling(max_new_tokens=6, temperature=1.5)
    plain = generator.generate(prompts, sampling, 1)
    own = model.generation_config
    own.min_p, own.num_beams, own.no_repeat_ngram_size = 0.9, 3, 1
    assert generator.generate(prompts, sampling, 1) == plain
    assert model.generation_config is own
