import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.tower_of_hanoi import Config, State, play, view
from gem_gymnasium.solvers.tower_of_hanoi import TowerOfHanoiSolver, next_move, read_pegs


def distances(disks: int) -> dict[tuple[str, str, str], int]:
    """Return how far every position is from all disks on C, by search from there (moves go both
    ways)."""
    config = Config(disks=disks, max_turns=2**disks)
    goal = State(("", "", "987654321"[-disks:]), disks)
    found, border, far = {goal.pegs: 0}, [goal], 0
    while border:
        far += 1
        after = [play(config, state, (a, b))[0] for state in border for a in "ABC" for b in "ABC"]
        border = [state for state in {s.pegs: s for s in after}.values() if state.pegs not in found]
        found |= {state.pegs: far for state in border}
    return found


@pytest.mark.parametrize("disks", [2, 3, 4, 5])
def test_each_move_is_one_of_the_shortest_way_from_every_position(disks: int) -> None:
    config, far = Config(disks=disks, max_turns=2**disks), distances(disks)
    assert len(far) == 3**disks
    for pegs, distance in far.items():
        move = next_move(pegs)
        if distance == 0:
            assert move is None
            continue
        assert move is not None
        after, outcome = play(config, State(pegs), move)
        assert outcome.legal
        assert far[after.pegs] == distance - 1


def test_the_last_pegs_of_a_text_are_read() -> None:
    old, new = State(("321", "", "")), State(("", "31", "2"))
    config = Config(disks=3, max_turns=10)
    text = f"{view(config, old)}\nTurns left: 3.\nPeg C is empty.\n{view(config, new)}\nTurns left"
    assert read_pegs(text) == new.pegs


def test_a_text_of_another_game_is_refused() -> None:
    with pytest.raises(ConfigError, match="Chess"):
        TowerOfHanoiSolver().reset("Chess: mate the king.", {})
