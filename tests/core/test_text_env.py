"""TextEnv: what a game gets from the adapter."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from gem_gymnasium import MAX_CHARS, Outcome, UnicodeText, branch, restore, snapshot
from gem_gymnasium.core.errors import (
    BackendError,
    ConfigError,
    MachineryError,
    StepOutsideEpisode,
    StepTimeout,
    UnknownName,
)
from gem_gymnasium.core.text_env import INFO_TYPES, LOST, OUT_OF_TURNS, STOPS
from gem_gymnasium.testing import check_text_env
from tests.core.stairs import (
    Config,
    HalfAGameEnv,
    StairsEnv,
    State,
)
from tests.helpers import boxed


def begun(**kwargs: Any) -> StairsEnv:
    env = StairsEnv(**kwargs)
    env.reset(seed=1)
    return env


def test_a_game_of_pure_functions_keeps_the_whole_contract() -> None:
    check_text_env(StairsEnv)
    check_text_env(lambda: StairsEnv(random=True, on_malformed="continue"))


def test_the_first_observation_is_rules_and_view() -> None:
    observation, info = StairsEnv().reset(seed=1)
    assert observation == "Climb 3 steps.\nStep 0.\nTurns left: 4."
    assert info == {
        "event": "reset", "turn": 0, "max_turns": 4, "legal": True, "success": False,
        "progress": 0.0, "feedback": "", "view": "Step 0.\nTurns left: 4.", "optimal_turns": 2,
        "valid": True, "error": "", "stop": "", "height": info["height"],
    }  # fmt: skip
    assert set(info) == {*INFO_TYPES, "height"}
    assert "" in STOPS


def test_a_step_is_feedback_and_view() -> None:
    env = begun()
    observation, reward, terminated, truncated, info = env.step(boxed(1))
    assert observation == "Up 1.\nStep 1.\nTurns left: 3."
    assert (reward, terminated, truncated) == (0.25, False, False)
    assert (info["event"], info["turn"], info["legal"], info["progress"]) == ("up", 1, True, 1 / 3)


def test_an_illegal_move_costs_its_turn_and_nothing_else() -> None:
    env = begun()
    observation, reward, terminated, truncated, info = env.step(boxed(7))
    assert observation == "You slip.\nStep 0.\nTurns left: 3."
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert (info["event"], info["legal"], info["turn"]) == ("slip", False, 1)


def test_success_ends_the_episode() -> None:
    env = begun()
    env.step(boxed(2))
    observation, reward, terminated, truncated, info = env.step(boxed(1))
    assert observation == "You are up.\nStep 3.\nTurns left: 2."
    assert (reward, terminated, truncated, info["success"]) == (0.5, True, False, True)
    with pytest.raises(StepOutsideEpisode, match="over: call reset"):
        env.step(boxed(1))


def test_the_last_turn_ends_it_by_the_rules_and_shows_what_it_did() -> None:
    env = begun(goal=9, last=True)
    for _ in range(3):
        env.step(boxed(1))
    observation, reward, terminated, truncated, info = env.step(boxed(2))
    assert observation == f"Up 2.\n{OUT_OF_TURNS}\nStep 5.\nTurns left: 0."
    assert (reward, terminated, truncated) == (0.25 + 0.125, True, False)
    assert info["feedback"] == f"Up 2.\n{OUT_OF_TURNS}"
    assert not info["success"]


def test_a_win_at_the_last_turn_is_a_win() -> None:
    env = begun(goal=4, last=True)
    for _ in range(3):
        env.step(boxed(1))
    observation, reward, terminated, _, info = env.step(boxed(1))
    assert (reward, terminated, info["success"]) == (0.5, True, True)
    assert OUT_OF_TURNS not in observation


def test_a_malformed_reply_ends_the_episode_by_default() -> None:
    observation, reward, terminated, truncated, info = begun().step("up, please")
    assert observation == (
        f"No valid action was found: give \\boxed{{1}} or \\boxed{{2}}.\n{LOST}\n"
        "Step 0.\nTurns left: 3."
    )
    assert (reward, terminated, truncated) == (-0.1, True, False)
    assert (info["event"], info["legal"], info["turn"]) == ("malformed", False, 1)


def test_a_malformed_reply_may_cost_a_turn_instead() -> None:
    env = begun(on_malformed="continue", last=True)
    for turn in range(1, 5):
        observation, reward, terminated, _, info = env.step("up, please")
        assert (reward, terminated, info["turn"]) == (-0.1, turn == 4, turn)
        assert LOST not in observation
    assert OUT_OF_TURNS in observation


def test_a_reply_over_the_limit_is_malformed_though_it_parses() -> None:
    env = begun(on_malformed="continue")
    fits = boxed(1).rjust(MAX_CHARS)
    assert env.step(fits)[4]["event"] == "up"
    observation, _, _, _, info = env.step(" " + fits)
    assert info["event"] == "malformed"
    assert observation.startswith("The reply is over 65536 characters long.")


@pytest.mark.parametrize("action", [None, 3, b"\\boxed{1}", ["\\boxed{1}"]])
def test_an_action_that_is_no_text_is_the_callers_mistake(action: Any) -> None:
    env = begun()
    with pytest.raises(ConfigError, match="an action must be a str"):
        env.step(action)
    assert env.step(boxed(1))[4]["turn"] == 1  # and costs nothing


def test_nothing_works_before_a_reset() -> None:
    env = StairsEnv()
    with pytest.raises(StepOutsideEpisode, match="never reset"):
        env.step(boxed(1))
    with pytest.raises(StepOutsideEpisode):
        env.sample_legal_action(np.random.default_rng(0))


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"goals": 3}, UnknownName, "unknown rule 'goals'; did you mean 'goal'"),
        ({"max_turn": 3}, UnknownName, "did you mean 'max_turns'"),
        ({"on_malformd": "end"}, UnknownName, "did you mean 'on_malformed'"),
        ({"goal": 0}, ConfigError, "goal must be at least 1, got 0"),
        ({"goal": "3"}, ConfigError, "goal must be of type int, got '3'"),
        ({"goal": True}, ConfigError, "goal must be of type int, got True"),
        ({"last": 1}, ConfigError, "last must be of type bool, got 1"),
        ({"on_malformed": "stop"}, ConfigError, "on_malformed must be 'end' or 'continue'"),
        ({"render_mode": "jpeg"}, ConfigError, "render_mode must be one of .*'ansi'"),
        ({"random": "no"}, ConfigError, "random must be True or False, got 'no'"),
        ({"random": True, "goal": 3}, ConfigError, "random=True draws every rule"),
    ],
)
def test_wrong_arguments_are_refused_at_construction(
    kwargs: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        StairsEnv(**kwargs)


def test_a_class_that_misses_functions_says_which() -> None:
    with pytest.raises(TypeError, match=r"HalfAGameEnv .* methods form, play, progress"):
        HalfAGameEnv()


def test_reset_options_want_a_deal_of_their_own() -> None:
    class Optional(StairsEnv):
        reset_options = ("start",)

    with pytest.raises(NotImplementedError, match="must have a deal_as_told"):
        Optional().reset(options={"start": 3})


def test_a_game_without_a_random_variant_refuses_it() -> None:
    class Fixed(StairsEnv):
        random_configs = ()

    with pytest.raises(ConfigError, match="Fixed has no random variant"):
        Fixed(random=True)


def test_reset_options_are_refused_but_an_empty_dict_is_fine() -> None:
    env = StairsEnv()
    env.reset(options={})
    with pytest.raises(UnknownName, match="unknown reset option 'level'"):
        env.reset(options={"level": 3})


def test_the_random_variant_draws_its_rules_at_each_reset() -> None:
    env = StairsEnv(random=True)
    goals = {env.reset(seed=seed)[1]["max_turns"] for seed in range(20)}
    assert goals == {4, 9}
    env.reset(seed=3)
    first = [env.reset()[0] for _ in range(10)]
    env.reset(seed=3)
    assert [env.reset()[0] for _ in range(10)] == first
    assert len(set(first)) == 2


def test_infos_are_new_objects() -> None:
    env = begun(on_malformed="continue")
    first = env.step(boxed(7))[4]
    first["event"] = "spoilt"
    first["extra"] = 1
    assert set(env.step(boxed(7))[4]) == {*INFO_TYPES, "height"}


def test_sampling_leaves_the_env_alone() -> None:
    env = begun()
    state = env.np_random.bit_generator.state
    rng = np.random.default_rng(0)
    assert {env.sample_legal_action(rng) for _ in range(50)} == {boxed(1), boxed(2)}
    assert env.np_random.bit_generator.state == state


def test_render_gives_the_last_observation(capsys: pytest.CaptureFixture[str]) -> None:
    env = begun(render_mode="ansi")
    observation, *_ = env.step(boxed(1))
    assert env.render() == observation
    assert begun().render() is None
    assert capsys.readouterr().out == ""
    env = begun(render_mode="human")
    observation, *_ = env.step(boxed(1))
    assert env.render() is None
    assert capsys.readouterr().out.endswith(f"{observation}\n\n")


def test_frames_are_drawn_where_pillow_is() -> None:
    pytest.importorskip("PIL")
    env = begun(render_mode="rgb_array")
    frame = env.render()
    assert (frame.shape, frame.dtype) == ((480, 640, 3), np.uint8)
    assert frame.min() < 50 < frame.max()


def test_spaces_are_the_envs_own() -> None:
    one, other = StairsEnv(), StairsEnv()
    assert one.observation_space == UnicodeText()
    one.action_space.seed(1)
    assert one.action_space is not other.action_space
    assert isinstance(one, gym.Env)


def test_a_snapshot_holds_nested_tuples_and_the_drawn_config() -> None:
    env = StairsEnv(random=True)
    env.reset(seed=4)
    env.step(boxed(1))
    data = snapshot(env)
    rest = [env.step(boxed(1)), env.reset(), env.step(boxed(2))]
    twin = StairsEnv(random=True)
    restore(twin, data)
    assert [twin.step(boxed(1)), twin.reset(), twin.step(boxed(2))] == rest
    restore(twin, data)
    first, second = branch(twin, 2)
    assert first.step(boxed(1)) == second.step(boxed(1)) == rest[0]
    assert first.reset() == rest[1]


class RemoteStairsEnv(StairsEnv):
    """Stairs whose steps a server holds, which answers, fails or is late as the reply asks."""

    reset_options = ("start",)

    @staticmethod
    def deal_as_told(config: Config, rng: np.random.Generator, options: Any) -> State:
        if options["start"] < 0:
            raise BackendError("no such start")
        return State(options["start"])

    @staticmethod
    def play(config: Config, state: State, move: int) -> tuple[State, Outcome]:
        if move == 8:
            raise BackendError("no route to the stairs")
        if move == 9:
            raise StepTimeout("the stairs are late" + "!" * 9_000)
        return StairsEnv.play(config, state, move)


@pytest.mark.parametrize(
    ("reply", "stop", "error"),
    [
        (boxed(8), "tool", "BackendError: no route to the stairs"),
        (boxed(9), "timeout", "StepTimeout: the stairs are late!"),
    ],
)
def test_a_failed_server_makes_the_step_invalid(reply: str, stop: str, error: str) -> None:
    env = RemoteStairsEnv()
    env.reset(seed=0)
    good, _, _, _, before = env.step(boxed(1))
    observation, reward, terminated, truncated, info = env.step(reply)
    assert (observation, reward, terminated, truncated) == (good, 0.0, False, True)
    assert (info["valid"], info["stop"], info["event"]) == (False, stop, "failed")
    assert info["error"].startswith(error)
    assert len(info["error"]) <= 500
    assert {key: info[key] for key in ("turn", "progress", "view", "success")} == {
        key: before[key] for key in ("turn", "progress", "view", "success")
    }
    assert {key: type(value) for key, value in info.items()} == {
        key: type(value) for key, value in before.items()
    }
    with pytest.raises(StepOutsideEpisode):
        env.step(boxed(1))
    assert env.reset()[1]["valid"]


def test_a_human_is_shown_no_invalid_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = RemoteStairsEnv(render_mode="human")
    first, _ = env.reset(seed=0)
    good, *_ = env.step(boxed(1))
    env.step(boxed(8))
    assert capsys.readouterr().out == f"{first}\n\n{good}\n\n"


def test_a_game_may_know_reset_options() -> None:
    env = RemoteStairsEnv()
    env.reset(seed=0, options={"start": 42})
    assert env._state == State(42)
    with pytest.raises(UnknownName, match="did you mean 'start'"):
        env.reset(options={"strat": 3})
    with pytest.raises(MachineryError, match="no such start"):
        env.reset(options={"start": -1})
    with pytest.raises(StepOutsideEpisode):  # the episode before is not taken up again
        env.step(boxed(1))
