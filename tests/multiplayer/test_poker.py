"""Poker: counterfactual regret minimization, exploitability, and every information set."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.multiplayer import AllSeats
from gem_gymnasium.multiplayer.kuhn_poker import KuhnPokerEnv
from gem_gymnasium.multiplayer.leduc_poker import LeducPokerEnv
from gem_gymnasium.multiplayer.players import (
    cfr,
    information_sets,
    kuhn_poker,
    leduc_poker,
    player_for,
)
from gem_gymnasium.wrappers import History

ENVS = {"kuhn_poker": KuhnPokerEnv, "leduc_poker": LeducPokerEnv}
SOLVERS = {"kuhn_poker": kuhn_poker, "leduc_poker": leduc_poker}
KUHN, LEDUC = kuhn_poker.tree(), leduc_poker.tree()
VALUE = {"kuhn_poker": -1 / 18, "leduc_poker": -0.085606}
"""To the first seat; Leduc's is the -0.0856 of the literature (Lanctot et al., 2019: OpenSpiel)."""


def passive(tree: cfr.Tree) -> dict[str, dict[str, float]]:
    """Return the policy that always checks, else folds."""
    return {
        key: {"check" if "check" in words else "fold": 1.0}
        for key, (_, words) in tree.choices().items()
    }


def uniform(tree: cfr.Tree) -> dict[str, dict[str, float]]:
    return {key: dict.fromkeys(words, 1 / len(words)) for key, (_, words) in tree.choices().items()}


def drawn(tree: cfr.Tree, seed: int) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    return {
        key: dict(zip(words, map(float, rng.dirichlet(np.ones(len(words)))), strict=True))
        for key, (_, words) in tree.choices().items()
    }


def test_the_equilibrium_of_kuhn_poker_cannot_be_exploited_and_is_worth_a_18th() -> None:
    policy = kuhn_poker.EQUILIBRIUM
    assert kuhn_poker.exploitability(policy) == pytest.approx(0.0, abs=1e-12)
    assert cfr.value(KUHN, policy, policy) == pytest.approx(-1 / 18)


def test_the_stored_policy_of_leduc_poker_is_an_equilibrium_to_a_ten_thousandth_of_a_chip() -> None:
    policy = leduc_poker.EQUILIBRIUM
    assert policy.keys() == LEDUC.choices().keys()
    assert 0.0 <= leduc_poker.exploitability(policy) < 1e-4
    low = -leduc_poker.best_response(policy, 1)
    high = leduc_poker.best_response(policy, 0)
    assert low <= VALUE["leduc_poker"] <= high


@pytest.mark.parametrize(("name", "iterations", "most"), [("kuhn_poker", 200, 1e-3),
                                                          ("leduc_poker", 150, 1e-2)])  # fmt: skip
def test_counterfactual_regret_minimization_comes_near_the_equilibrium(
    name: str, iterations: int, most: float
) -> None:
    tree = SOLVERS[name].tree()
    policy = cfr.solve(tree, iterations)
    assert cfr.exploitability(tree, policy) < most
    assert cfr.value(tree, policy, policy) == pytest.approx(VALUE[name], abs=most)


@pytest.mark.slow
def test_the_script_makes_a_policy_as_good_as_the_stored_one(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "solve_poker.py"
    out = tmp_path / "policy.json"
    run = subprocess.run(
        [sys.executable, str(script), "--out", str(out)], check=True, capture_output=True, text=True
    )
    made = json.loads(out.read_text())
    assert [*made] == [*leduc_poker.EQUILIBRIUM]
    assert leduc_poker.exploitability(made) < 1e-4
    assert run.stdout.startswith("288 information sets, 3,000 iterations\n")


@pytest.mark.parametrize(
    ("tree", "policy", "exploited"),
    [
        # always passes: a bet of any card wins the ante of whoever folds, for either seat
        (KUHN, passive(KUHN), 1.0),
        (KUHN, uniform(KUHN), 11 / 24),
        (LEDUC, passive(LEDUC), 1.0),
        # NashConv of the uniform policy in OpenSpiel's leduc_poker: 4.7472
        (LEDUC, uniform(LEDUC), 4.747222 / 2),
    ],
)
def test_other_policies_are_exploited_by_what_they_lose(
    tree: cfr.Tree, policy: cfr.Policy, exploited: float
) -> None:
    assert cfr.exploitability(tree, policy) == pytest.approx(exploited, abs=1e-6)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_best_response_of_kuhn_poker_is_the_best_of_all_pure_answers(seat: int) -> None:
    policy = drawn(KUHN, 0)
    own = {key: words for key, (mover, words) in KUHN.choices().items() if mover == seat}
    values: list[float] = []
    for words in itertools.product(*own.values()):
        answer = {key: {word: 1.0} for key, word in zip(own, words, strict=True)}
        sides = (answer, policy) if seat == 0 else (policy, answer)
        values.append(cfr.value(KUHN, *sides) * (1 if seat == 0 else -1))
    assert len(values) == 2**6
    assert kuhn_poker.best_response(policy, seat) == pytest.approx(max(values))


@pytest.mark.parametrize("seat", [0, 1])
def test_no_pure_answer_in_leduc_poker_beats_the_best_response(seat: int) -> None:
    policy = drawn(LEDUC, 1)
    best = leduc_poker.best_response(policy, seat)
    for seed in range(20):
        answer = {
            key: {max(each, key=lambda word: each[word]): 1.0}
            for key, each in drawn(LEDUC, 2 + seed).items()
        }
        sides = (answer, policy) if seat == 0 else (policy, answer)
        assert cfr.value(LEDUC, *sides) * (1 if seat == 0 else -1) <= best


@pytest.mark.parametrize(
    ("key", "chances", "why"),
    [
        ("Q: check", None, "lacks the information set 'Q: check'"),
        ("Q: check", {"check": 0.5}, "must add up to 1 in the information set 'Q: check'"),
        ("Q: check", {"check": 1.5, "bet": -0.5}, "must add up to 1"),
        ("Q: check", {"check": 0.5, "raise": 0.5}, "must add up to 1"),
        ("Q: check", {"check": float("nan"), "bet": 1.0}, "must add up to 1"),
    ],
)
def test_what_is_no_policy_is_refused(key: str, chances: dict | None, why: str) -> None:
    policy = {each: words for each, words in uniform(KUHN).items() if each != key}
    if chances is not None:
        policy[key] = chances
    with pytest.raises(ConfigError, match=why):
        kuhn_poker.exploitability(policy)


@pytest.mark.parametrize(("name", "sets"), [("kuhn_poker", 12), ("leduc_poker", 288)])
def test_the_information_sets_are_what_the_env_shows(name: str, sets: int) -> None:
    table = {each.key: each for each in information_sets(name)}
    assert list(table) == list(SOLVERS[name].tree().choices())
    assert len(table) == sets
    seen: set[str] = set()
    env, rng = ENVS[name](), np.random.default_rng(0)
    for seed in range(1_000, 1_200):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            agent, state = env.agent_selection, env._state
            here = table[SOLVERS[name].key_of(state)]
            assert env.observe(agent)["text"] == here.observation
            assert env.possible_agents.index(agent) == here.seat
            assert tuple(env.legal_moves(env.config, state)) == here.words
            seen.add(here.key)
            env.step(env.sample_legal_action(rng))
    assert len(seen) > sets / 2


def test_there_are_information_sets_of_poker_only() -> None:
    with pytest.raises(UnknownName, match="poker game"):
        information_sets("nim")


@pytest.mark.parametrize("name", list(ENVS))
def test_the_player_says_each_word_as_often_as_its_policy(name: str) -> None:
    policy = SOLVERS[name].EQUILIBRIUM
    mixed = [each for each in information_sets(name) if min(policy[each.key].values()) > 0.3]
    here = mixed[0]
    play, rng = player_for("solver", ENVS[name]()), np.random.default_rng(0)
    said = [play(here.observation, {}, rng) for _ in range(2_000)]
    for word, chance in policy[here.key].items():
        assert said.count(f"\\boxed{{{word}}}") / 2_000 == pytest.approx(chance, abs=0.04)


@pytest.mark.parametrize("name", SOLVERS)
def test_the_average_wins_what_its_policies_win_on_average(name: str) -> None:
    tree = SOLVERS[name].tree()
    policies = [drawn(tree, seed) for seed in range(3)] + [passive(tree)]
    average = cfr.Average(tree)
    for policy in policies:
        average.add(policy)
    mean = average.policy()
    for seed in range(3):
        other = drawn(tree, 100 + seed)
        first = np.mean([cfr.value(tree, policy, other) for policy in policies])
        second = np.mean([cfr.value(tree, other, policy) for policy in policies])
        assert cfr.value(tree, mean, other) == pytest.approx(first)
        assert cfr.value(tree, other, mean) == pytest.approx(second)


def test_where_no_policy_leads_the_average_is_uniform() -> None:
    average = cfr.Average(KUHN)
    average.add(passive(KUHN) | {"J:": {"bet": 1.0}})
    assert average.policy()["J: check bet"] == {"call": 0.5, "fold": 0.5}
    assert average.policy()["Q: check bet"] == {"fold": 1.0, "call": 0.0}


def test_the_information_sets_of_a_game_are_read_through_the_wrappers_of_each_seat() -> None:
    env = AllSeats(KuhnPokerEnv(retries=0), wrap=lambda seat: History(seat, "messages"))
    sets = {each.key: each for each in information_sets(env)}
    assert sets.keys() == KUHN.choices().keys()
    asked = sets["Q: check bet"]
    assert asked.replies == ("\\boxed{call}", "\\boxed{fold}")
    roles = [message["role"] for message in asked.info["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert "A reply without a legal move loses the game." in asked.info["messages"][0]["content"]


def test_there_are_no_information_sets_where_the_settings_are_not_the_solvers() -> None:
    with pytest.raises(ConfigError, match="standard settings only"):
        information_sets(AllSeats(LeducPokerEnv(max_turns=3)))
