"""The error tree: kinds, messages, and that errors survive the way through a process."""

import copy
import pickle

import gymnasium as gym
import pytest

from gem_gymnasium.core import errors
from gem_gymnasium.core.errors import GemError, MissingDependency, UnknownName

PLAIN = [
    errors.ConfigError, errors.SnapshotMismatch, errors.SandboxUnavailable,
    errors.StepOutsideEpisode, errors.SnapshotUnsupported, errors.ConformanceError,
    errors.MachineryError, errors.StepTimeout, errors.BackendError, errors.ToolFailure,
    errors.EnvCrash, errors.DataUnavailable, errors.GraderError, errors.GameUnavailable,
]  # fmt: skip
EXAMPLES: list[GemError] = [
    *(kind("what happened") for kind in PLAIN),
    UnknownName("rule", "lwo", ["low", "high"]),
    UnknownName("rule", "zzz", []),
    MissingDependency("Pillow", "games", "render_mode='rgb_array'"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_errors_can_be_pickled_and_copied(error: GemError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error), copy.copy(error)):
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert twin.__dict__ == error.__dict__


def test_every_error_of_the_module_is_an_example() -> None:
    kinds = {
        value for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, GemError) and value is not GemError
    }  # fmt: skip
    assert kinds == {type(error) for error in EXAMPLES}
    assert all(kind.__name__ in (errors.__doc__ or "") for kind in kinds)


@pytest.mark.parametrize(
    ("kind", "base"),
    [
        (errors.ConfigError, ValueError),
        (errors.UnknownName, errors.ConfigError),
        (errors.SnapshotMismatch, errors.ConfigError),
        (errors.StepOutsideEpisode, gym.error.ResetNeeded),
        (errors.MissingDependency, ImportError),
        (errors.ConformanceError, AssertionError),
        (errors.StepTimeout, errors.MachineryError),
        (errors.BackendError, errors.MachineryError),
        (errors.EnvCrash, errors.MachineryError),
        (errors.GraderError, errors.MachineryError),
        (errors.SandboxUnavailable, errors.ConfigError),
        (errors.DataUnavailable, errors.ConfigError),
    ],
)
def test_the_tree(kind: type, base: type) -> None:
    assert issubclass(kind, base)
    assert issubclass(kind, GemError)


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("lwo", ["low", "high"], "unknown rule 'lwo'; did you mean 'low'?"),
        ("max_turn", ["max_turns", "min"], "unknown rule 'max_turn'; did you mean 'max_turns'?"),
        ("zzz", ["low", "high"], "unknown rule 'zzz'; known: high, low"),
        ("zzz", [], "unknown rule 'zzz'; known: none"),
    ],
)
def test_an_unknown_name_comes_with_the_nearest(name: str, known: list[str], message: str) -> None:
    assert str(UnknownName("rule", name, known)) == message


def test_a_missing_dependency_names_the_command() -> None:
    error = MissingDependency("Pillow", "games", "drawing")
    assert str(error) == "drawing needs Pillow: run `pip install 'gem-gymnasium[games]'`"
    assert error.name == "Pillow"


def test_a_hint_of_the_callers_wins_and_survives_pickling() -> None:
    error = UnknownName("rule", "low", ["lower"], "ask again")
    assert str(error) == str(pickle.loads(pickle.dumps(error))) == "unknown rule 'low'; ask again"


@pytest.mark.parametrize(
    ("name", "message"),
    [("lwo", "unknown rule 'lwo'; did you mean 'low'?"), ("zzz", "unknown rule 'zzz'; ask again")],
)
def test_what_is_said_where_none_is_near_survives_pickling(name: str, message: str) -> None:
    error = UnknownName("rule", name, ["low", "high"], far="ask again")
    assert str(error) == str(pickle.loads(pickle.dumps(error))) == message
