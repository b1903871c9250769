"""What every multi-player id keeps: PettingZoo's contract, our own, and secrets."""

import functools
import json
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test
from pettingzoo.utils.wrappers import CaptureStdoutWrapper

import gem_gymnasium
from gem_gymnasium import multiplayer
from gem_gymnasium.core.errors import (
    ConfigError,
    SnapshotMismatch,
    SnapshotUnsupported,
    StepOutsideEpisode,
    UnknownName,
)
from gem_gymnasium.testing import check_text_aec

IDS = multiplayer.ids()


def make(id: str, **kwargs: Any) -> Any:
    return pettingzoo.make("aec", id, **kwargs)


@pytest.mark.parametrize("id", IDS)
def test_the_conformance_suite_passes(id: str) -> None:
    check_text_aec(functools.partial(make, id))


@pytest.mark.parametrize("id", IDS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo_s_tests_of_the_parallel_form_pass(id: str, capfd: Any) -> None:
    parallel_api_test(pettingzoo.make("parallel", id), num_cycles=30)
    parallel_seed_test(lambda: pettingzoo.make("parallel", id), num_cycles=30)


@pytest.mark.parametrize("id", IDS)
def test_both_forms_play_the_same_game(id: str) -> None:
    aec, parallel = make(id), pettingzoo.make("parallel", id)
    aec.reset(seed=5)
    observations, _ = parallel.reset(seed=5)
    rng = np.random.default_rng(0)
    paid = dict.fromkeys(aec.possible_agents, 0.0)
    paid_too = dict(paid)
    while parallel.agents:
        asked = [agent for agent in aec.agents if aec.infos[agent]["to_move"]]
        assert {agent: aec.observe(agent) for agent in aec.agents} == observations
        replies = {}
        for agent in asked:
            assert aec.agent_selection == agent
            replies[agent] = aec.sample_legal_action(rng)
            aec.step(replies[agent])
            for each in paid:
                paid[each] += aec.rewards[each]
        observations, rewards, *_ = parallel.step(replies)
        for each, reward in rewards.items():
            paid_too[each] += reward
    assert paid == pytest.approx(paid_too)


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("retries", [0, 2])
def test_who_gives_no_legal_move_is_asked_again_and_then_loses(id: str, retries: int) -> None:
    env = make(id, retries=retries)
    env.reset(seed=0)
    agent = env.agent_selection
    before = env.observe(agent)["text"]
    assert ("asked again" in before) == bool(retries)
    for left in reversed(range(retries)):
        env.step("no move at all")
        assert env.agent_selection == agent
        assert (env.infos[agent]["event"], env.infos[agent]["tries_left"]) == ("malformed", left)
        assert not any(env.rewards.values())
        assert "No valid action was found: " in env.observe(agent)["text"]
    env.step("no move at all")
    assert all(env.terminations.values())
    assert env.infos[agent]["event"] == "forfeit"
    assert env.rewards[agent] < 0
    assert all(reward >= 0 for other, reward in env.rewards.items() if other != agent)


@pytest.mark.parametrize("id", IDS)
def test_a_legal_move_gives_the_tries_back(id: str) -> None:
    env = make(id)
    env.reset(seed=0)
    agent = env.agent_selection
    env.step("")
    env.step(env.sample_legal_action(np.random.default_rng(0)))
    assert any(env.terminations.values()) or env.infos[agent]["tries_left"] == 2


@pytest.mark.parametrize("id", IDS)
def test_moves_are_written_as_they_are_read(id: str) -> None:
    env = make(id)
    for seed in range(5):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not any(env.terminations.values()):
            for move in env.legal_moves(env.config, env._state):
                assert env.parse(env.write(move)) == move
                assert env.play(env.config, env._state, move)[1].legal
            env.step(env.sample_legal_action(rng))


@pytest.mark.parametrize("id", IDS)
def test_the_class_docstring_has_every_heading(id: str) -> None:
    headings = [
        "Action Space", "Observation Space", "Rewards", "Episode End", "Information", "Arguments",
        "References", "Version History",
    ]  # fmt: skip
    doc = type(make(id)).__doc__ or ""
    assert [line.strip()[3:] for line in doc.splitlines() if "## " in line] == headings
    for event in make(id).events:
        assert f"``{event}``" in doc


def test_names_and_modules_are_pettingzoo_s() -> None:
    from gem_gymnasium.multiplayer import connect_four as connect_four_v0

    assert connect_four_v0.env is connect_four_v0.raw_env
    assert connect_four_v0.env().metadata["name"] == "connect_four_v0"
    assert connect_four_v0.parallel_env().possible_agents == ["player_0", "player_1"]
    assert {"gem/ConnectFour-v0", "gem/LiarsDice-4p-v0"} <= set(pettingzoo.aec_registry)


def test_all_who_choose_at_the_same_time_are_told_that_it_is_their_turn() -> None:
    env = pettingzoo.make("parallel", "gem/LowestUnique-v0")
    observations, infos = env.reset(seed=0)
    for agent in env.agents:
        assert infos[agent]["to_move"]
        assert "It is your turn: give a number from 1 to 6" in observations[agent]["text"]


def test_a_choice_behind_a_malformed_one_is_kept() -> None:
    env = pettingzoo.make("parallel", "gem/RockPaperScissors-v0")
    env.reset(seed=0)
    *_, infos = env.step({"player_0": "garbage", "player_1": "\\boxed{paper}"})
    assert (infos["player_0"]["to_move"], infos["player_1"]["to_move"]) == (True, False)
    observations, *_ = env.step({"player_0": "\\boxed{rock}"})
    assert (
        "Round 1: you paper, the other player rock: you win it." in observations["player_1"]["text"]
    )


def test_a_step_without_an_action_that_is_needed_applies_nothing() -> None:
    env = pettingzoo.make("parallel", "gem/RockPaperScissors-v0")
    with pytest.raises(StepOutsideEpisode):
        env.step({})
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="the action of player_1 must be a str, got None"):
        env.step({"player_0": "\\boxed{rock}", "player_1": None})
    assert env.aec_env._state.chosen == ()


@pytest.mark.parametrize(
    ("id", "moves"),
    [
        ("gem/TwentyQuestions-v0", ["<say>Is it alive?</say>\\boxed{ask}"]),
        ("gem/PrisonersDilemma-v0", []),
    ],
)
def test_nobody_wins_a_shared_game_by_another_s_forfeit(id: str, moves: list[str]) -> None:
    env = make(id, retries=0)
    env.reset(seed=0)
    for move in [*moves, "no move"]:
        env.step(move)
    for agent in env.agents:
        assert not env.infos[agent]["success"]
        assert env.infos[agent]["progress"] == 0.0


def test_an_offer_lasts_until_the_next_one_and_only_the_other_player_takes_it() -> None:
    env = make("gem/Negotiation-v0")
    env.reset(seed=0)
    for reply in ("\\boxed{talk}", "\\boxed{1 0 0}", "\\boxed{talk}"):
        env.step(reply)
    assert "accept" not in env.observe("player_1")["text"].rpartition("It is your turn")[2]
    env.step("\\boxed{talk}")
    env.step("\\boxed{accept}")
    assert env.infos["player_0"]["event"] == "agreed"


def test_what_is_said_carries_no_controls_and_no_special_tokens() -> None:
    env = make("gem/Negotiation-v0")
    env.reset(seed=0)
    env.step("<say>hi<|im_end|>\x1b[31m\x00 there</say>\\boxed{talk}")
    assert "It says: hi< |im_end|>[31m there" in env.observe("player_1")["text"]


def test_tries_left_are_the_agent_s_own() -> None:
    env = pettingzoo.make("parallel", "gem/RockPaperScissors-v0")
    env.reset(seed=0)
    *_, infos = env.step({"player_0": "", "player_1": ""})
    assert {agent: info["tries_left"] for agent, info in infos.items()} == {
        "player_0": 1,
        "player_1": 2,
    }
    *_, infos = env.step({"player_0": "\\boxed{rock}"})
    assert {agent: info["tries_left"] for agent, info in infos.items()} == {
        "player_0": 2,
        "player_1": 1,
    }


def test_who_forfeits_has_no_try_left_and_the_others_have_all_of_theirs() -> None:
    env = make("gem/Nim-v0", retries=1)
    env.reset(seed=0)
    env.step("")
    env.step("")
    assert all(env.terminations.values())
    assert [env.infos[agent]["tries_left"] for agent in env.possible_agents] == [0, 1]


@pytest.mark.parametrize("call", ["last", "agent_iter", "render", "step", "observe"])
def test_a_call_before_the_first_reset_says_so(call: str) -> None:
    arguments = {"step": [""], "observe": ["player_0"]}.get(call, [])
    with pytest.raises(StepOutsideEpisode, match=rf"call reset\(\) before {call}\(\)"):
        getattr(make("gem/Nim-v0"), call)(*arguments)


def test_after_all_have_left_there_is_nobody_to_ask() -> None:
    env = make("gem/KuhnPoker-v0", retries=0)
    env.reset(seed=0)
    paid: list[float] = []
    for reply in ("", None, None):
        paid.append(env.last()[1])
        env.step(reply)
    assert paid == [0.0, 2.0, -2.0]
    assert list(env.agent_iter()) == []
    with pytest.raises(
        StepOutsideEpisode, match=r"every agent has left: call reset\(\) before last"
    ):
        env.last()


def test_nobody_else_is_observed() -> None:
    env = make("gem/KuhnPoker-v0")
    env.reset(seed=0)
    with pytest.raises(UnknownName, match="unknown agent 'player_9'; did you mean 'player_1'"):
        env.observe("player_9")


def test_a_setting_of_one_player_s_games_is_no_rule_here() -> None:
    for name in ("on_malformed", "random"):
        with pytest.raises(UnknownName, match=f"unknown rule '{name}'; known: .*retries, seats"):
            make("gem/LiarsDice-v0", **{name: True})
    with pytest.raises(UnknownName, match="unknown rule 'retrys'; did you mean 'retries'"):
        make("gem/LiarsDice-v0", retrys=0)


def test_a_wrapper_changes_the_metadata_of_the_env_that_it_wraps_only() -> None:
    before = list(make("gem/Nim-v0").metadata["render_modes"])
    CaptureStdoutWrapper(make("gem/Nim-v0", render_mode="human"))
    for other in (make("gem/Nim-v0"), make("gem/KuhnPoker-v0"), type(make("gem/Nim-v0"))):
        assert other.metadata["render_modes"] == before


def test_a_game_has_a_snapshot_of_its_own() -> None:
    env = make("gem/Nim-v0")
    env.reset(seed=0)
    for take in (gem_gymnasium.snapshot, lambda game: gem_gymnasium.branch(game, 2)):
        with pytest.raises(SnapshotUnsupported, match=r"env\.unwrapped\.snapshot\(\)"):
            take(env)
        for other in (pettingzoo.make("parallel", "gem/Nim-v0"), "gem/Nim-v0", None):
            with pytest.raises(SnapshotUnsupported, match=r"is no gymnasium\.Env; .*aec_env's"):
                take(other)  # type: ignore[arg-type]


@pytest.mark.parametrize("actions", ["\\boxed{rock}", ["\\boxed{rock}"] * 2, None])
def test_actions_come_with_their_agents(actions: Any) -> None:
    env = pettingzoo.make("parallel", "gem/RockPaperScissors-v0")
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="actions must be a dict of replies by agent, got "):
        env.step(actions)


def test_a_snapshot_of_something_else_is_refused() -> None:
    env = make("gem/Nim-v0")
    for data in (b"garbage", b"[]", b"[" * 100_000, make("gem/TicTacToe-v0").snapshot()):
        with pytest.raises(SnapshotMismatch):
            env.restore(data)


@pytest.mark.parametrize("damage", ["missing", None, -7.5, "x", [[]], {}])
def test_a_damaged_snapshot_is_refused_and_the_game_goes_on(damage: Any) -> None:
    env, other = make("gem/KuhnPoker-v0"), make("gem/KuhnPoker-v0")
    for each in (env, other):
        each.reset(seed=3)
        each.step("\\boxed{pass}")
    whole = json.loads(env.snapshot())
    other.step("\\boxed{bet}")
    before = other.snapshot()
    refused: set[str] = set()
    for key in whole:
        damaged = {**whole, key: damage}
        if damage == "missing":
            del damaged[key]
        try:
            other.restore(json.dumps(damaged).encode())
        except SnapshotMismatch:
            refused.add(key)
            assert other.snapshot() == before
        else:
            other.restore(before)
    assert set(whole) - refused == ({"rng"} if damage is None else set())  # an env without seed


@pytest.mark.parametrize("number", [-1, 2**200, "x", None])
@pytest.mark.parametrize("key", ["state", "inc", "uinteger"])
def test_a_damaged_generator_is_refused_and_the_game_goes_on(number: Any, key: str) -> None:
    env = make("gem/KuhnPoker-v0")
    env.reset(seed=3)
    whole = json.loads(env.snapshot())
    env.step("\\boxed{bet}")
    before = env.snapshot()
    (whole["rng"] if key == "uinteger" else whole["rng"]["state"])[key] = number
    with pytest.raises(SnapshotMismatch, match="damaged"):
        env.restore(json.dumps(whole).encode())
    assert env.snapshot() == before
