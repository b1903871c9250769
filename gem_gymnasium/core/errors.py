"""The error tree.

::

    GemError
    ├── ConfigError (ValueError)        the caller's mistake: says the rule and the value
    │   ├── UnknownName                 an id, rule or option that does not exist; names the nearest
    │   ├── SnapshotMismatch            a snapshot of another id, kwargs, wrapper stack or version
    │   ├── SandboxUnavailable          no (or not this) isolation here, and why
    │   ├── DataUnavailable             rows that are not on this machine; names what gets them
    │   └── GameUnavailable             a game of TextArena that cannot be played here; says why
    ├── StepOutsideEpisode              step() or render() without an episode (a ResetNeeded)
    ├── SnapshotUnsupported             this env or wrapper cannot be snapshot
    ├── MissingDependency (ImportError) an extra is not installed; names the pip command
    ├── ConformanceError (AssertionError)  check_text_env found a broken promise
    └── MachineryError                  the machinery failed: makes a step invalid, never a reward
        ├── StepTimeout                 an env, or what it asks, did not answer in time
        ├── BackendError                a server that an env asks failed
        ├── ToolFailure                 what runs a tool's calls failed
        ├── GraderError                 a grader failed, so nothing is known of the reply
        └── EnvCrash                    an env raised

A model's mistake is in none of them: it is data (an event, a feedback, a reward).
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from gymnasium.error import ResetNeeded


class GemError(Exception):
    """Base of every error this package raises."""


class ConfigError(GemError, ValueError):
    """The caller asked for something that breaks a rule."""


class UnknownName(ConfigError):
    """A name that does not exist, with the nearest one that does.

    Args:
        kind: What it would name.
        name: The name.
        known: Those that exist.
        hint: Said in place of all that.
        far: Said where none is near, in place of all of them.
        cutoff: How alike a near one is at least, of 1.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
        hint: str = "",
        far: str = "",
        cutoff: float = 0.5,
    ) -> None:
        self.kind, self.name, self.known, self.hint, self.far = kind, name, sorted(known), hint, far
        self.cutoff = cutoff
        near = get_close_matches(name, self.known, n=1, cutoff=cutoff)
        if near:
            said = f"did you mean {near[0]!r}?"
        else:
            said = far or f"known: {', '.join(self.known) or 'none'}"
        super().__init__(f"unknown {kind} {name!r}; {hint or said}")

    def __reduce__(self) -> tuple[type[UnknownName], tuple[object, ...]]:
        # Exceptions pickle their args by default, which here is the finished message.
        made_of = self.kind, self.name, self.known, self.hint, self.far, self.cutoff
        return type(self), made_of


class SnapshotMismatch(ConfigError):
    """A snapshot does not belong to the env it is restored into."""


class SandboxUnavailable(ConfigError):
    """This machine cannot isolate untrusted code, or not by the means asked for."""


class DataUnavailable(ConfigError):
    """A task's rows are not on this machine; the message names the command that gets them."""


class GameUnavailable(ConfigError):
    """A game of TextArena that cannot be played here; the message names what it lacks."""


class StepOutsideEpisode(GemError, ResetNeeded):
    """The env was used before ``reset``, or stepped after the episode's end."""


class SnapshotUnsupported(GemError):
    """An env or wrapper of the stack has state that a snapshot cannot hold."""


class MissingDependency(GemError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package, self.extra, self.purpose = package, extra, purpose
        super().__init__(
            f"{purpose} needs {package}: run `pip install 'gem-gymnasium[{extra}]'`", name=package
        )

    def __reduce__(self) -> tuple[type[MissingDependency], tuple[str, str, str]]:
        return type(self), (self.package, self.extra, self.purpose)


class ConformanceError(GemError, AssertionError):
    """An env breaks a promise of the text-env contract."""


class MachineryError(GemError):
    """The machinery failed; the step it was part of is invalid and is masked in training."""

    stop = "tool"
    """What ``info["stop"]`` says of the step."""


class StepTimeout(MachineryError):
    """An env did not answer within its deadline."""

    stop = "timeout"


class BackendError(MachineryError):
    """A server that an env asks cannot be reached, refuses, or answers what it must not."""


class ToolFailure(MachineryError):
    """What runs a tool's calls (a sandbox, a server) failed; a call that fails is no failure."""


class GraderError(MachineryError):
    """A grader failed or was killed: its verdict is unknown, not 0."""

    stop = "grader"


class EnvCrash(MachineryError):
    """An env raised where it must not."""

    stop = "crash"
