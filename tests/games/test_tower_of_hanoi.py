from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.games.tower_of_hanoi import (
    EVENTS,
    RANDOM_CONFIGS,
    Config,
    State,
    TowerOfHanoiEnv,
    deal,
    form,
    legal_move,
    optimal_turns,
    parse,
    play,
    progress,
    rules,
    view,
    write,
)
from tests.helpers import config_of

EASY = Config(disks=3, max_turns=10)
STATE = State(("32", "1", ""))
LAST = State(("1", "", "32"), 2)
CASES = [
    # state, move, event, pegs, reward, feedback
    (STATE, ("A", "C"), "moved", ("3", "1", "2"), 0.0, "Moved disk 2 from A to C."),
    (State(("3", "21", "")), ("A", "C"), "moved", ("", "21", "3"), 1 / 3, "Moved disk 3 from A"),
    (State(("3", "21", ""), 1), ("A", "C"), "moved", ("", "21", "3"), 0.0, "Moved disk 3 from A"),
    (State(("1", "2", "3"), 1), ("B", "C"), "moved", ("1", "", "32"), 1 / 3, "Moved disk 2 from B"),
    (LAST, ("A", "C"), "solved", ("", "", "321"), 1 / 3, "Moved disk 1 from A to C: all disks"),
    (State(("21", "3", "")), ("A", "C"), "moved", ("2", "3", "1"), 0.0, "Moved disk 1 from A to C"),
    (STATE, ("A", "B"), "too_large", None, 0.0, "Disk 2 cannot lie on the smaller disk 1 of peg B"),
    (STATE, ("C", "A"), "empty", None, 0.0, "Peg C is empty."),
    (STATE, ("A", "A"), "same_peg", None, 0.0, "A move needs two different pegs, not A twice."),
    (STATE, ("C", "C"), "same_peg", None, 0.0, "A move needs two different pegs, not C twice."),
    (STATE, ("A", "D"), "no_peg", None, 0.0, "There is no peg D: the pegs are A, B and C."),
    (STATE, ("X", "A"), "no_peg", None, 0.0, "There is no peg X: the pegs are A, B and C."),
]


@pytest.mark.parametrize(("state", "move", "event", "pegs", "reward", "feedback"), CASES)
def test_each_move_has_its_event(
    state: State, move: Any, event: str, pegs: Any, reward: float, feedback: str
) -> None:
    after, outcome = play(EASY, state, move)
    assert (outcome.event, outcome.legal) == (event, pegs is not None)
    assert outcome.reward == pytest.approx(reward, abs=1e-12)
    assert outcome.feedback.startswith(feedback)
    assert outcome.over == outcome.success == (event == "solved")
    assert after.pegs == (pegs or state.pegs)
    assert after.best == state.best + (reward > 0)


def test_the_table_covers_every_event() -> None:
    assert {case[2] for case in CASES} == {*EVENTS}


def test_the_pegs_are_drawn_from_bottom_to_top() -> None:
    assert view(EASY, STATE) == "A: 3 2\nB: 1\nC: -"


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{A C}", ("A", "C")),
        (r"\boxed{A B} no, \boxed{ b,C }", ("B", "C")),
        (r"\boxed{ac}", ("A", "C")),
        (r"\boxed{D A}", ("D", "A")),
        (r"\boxed{A B C}", None),
        (r"\boxed{A}", None),
        (r"\boxed{1 3}", None),
        (r"\boxed{from to}", None),
        (r"\boxed{À C}", None),
        ("A C", None),
    ],
)
def test_parse(reply: str, move: tuple[str, str] | None) -> None:
    assert parse(reply) == move


@given(move=st.tuples(st.sampled_from("ABCDZ"), st.sampled_from("ABCDZ")))
def test_parse_reads_what_write_wrote(move: tuple[str, str]) -> None:
    assert parse(write(move)) == move


def test_no_text_before_the_first_move_holds_one() -> None:
    assert parse(rules(EASY)) is None
    assert parse(form(EASY)) is None


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"disks": 1}, r"disks must be in 2\.\.9"),
        ({"disks": 10, "max_turns": 2000}, r"disks must be in 2\.\.9"),
        ({"max_turns": 14}, "at least the 15 moves that 4 disks take"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TowerOfHanoiEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'disks'"):
        gym.make("gem/TowerofHanoi-v0", disk=3)


@pytest.mark.parametrize("disks", range(2, 7))
def test_the_optimum_is_the_length_of_the_shortest_way(disks: int) -> None:
    config = Config(disks=disks, max_turns=2**disks)
    start = deal(config, np.random.default_rng(0))
    reached, border, moves = {start.pegs}, {start.pegs}, 0
    while not any(len(pegs[2]) == disks for pegs in border):
        moves += 1
        states, pairs = [State(pegs) for pegs in border], [(a, b) for a in "ABC" for b in "ABC"]
        border = {play(config, state, pair)[0].pegs for state in states for pair in pairs} - reached
        reached |= border
    assert moves == optimal_turns(config, start)


def test_legal_moves_are_those_that_play_allows() -> None:
    rng = np.random.default_rng(0)
    for pegs in (("321", "", ""), ("32", "1", ""), ("3", "1", "2"), ("", "21", "3")):
        state = State(pegs)
        every = {(a, b) for a in "ABC" for b in "ABC" if play(EASY, state, (a, b))[1].legal}
        assert {legal_move(EASY, state, rng) for _ in range(100)} == every


MOVES = st.tuples(st.sampled_from("ABCD"), st.sampled_from("ABC")).map(write)
ACTIONS = st.one_of(MOVES, st.just("no idea"), st.just("legal"), st.just("again"))


@given(actions=st.lists(ACTIONS, min_size=25, max_size=25), ends=st.booleans(), seed=st.integers(0))
@settings(max_examples=50, deadline=None)
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, seed: int
) -> None:
    env = TowerOfHanoiEnv(disks=2, max_turns=25, on_malformed="end" if ends else "continue")
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    total, paid, done, reply = 0.0, 0.0, False, write(("A", "B"))
    for action in actions:
        if done:
            break
        if action == "legal":
            reply = env.sample_legal_action(rng)
        elif action != "again":
            reply = action
        _, reward, done, truncated, info = env.step(reply)
        total, paid = total + reward, paid + max(0.0, reward)
        assert not truncated
        assert info["event"] in (*EVENTS, "malformed")
        assert info["legal"] or action != "legal"
        assert env._state is not None
        assert info["progress"] == progress(env.config, env._state) == pytest.approx(paid)
        assert info["success"] == (info["progress"] == 1.0)
    assert done
    assert (-0.1 if ends else -0.1 * 25) - 1e-9 <= total <= 1.0


def test_disks_put_back_and_forth_pay_once() -> None:
    state, paid = State(("3", "21", "")), 0.0
    for move in [("A", "C"), ("C", "A")] * 4:
        state, outcome = play(EASY, state, move)
        paid += outcome.reward
    assert paid == pytest.approx(1 / 3)
    assert state.best == 1


def test_the_variants_are_those_of_the_table() -> None:
    assert config_of("gem/TowerofHanoi-v0") == Config(disks=4, max_turns=30)
    assert config_of("gem/TowerofHanoi-easy-v0") == EASY
    assert config_of("gem/TowerofHanoi-hard-v0") == Config(disks=5, max_turns=35)
    env = TowerOfHanoiEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(30)} == {*RANDOM_CONFIGS}
