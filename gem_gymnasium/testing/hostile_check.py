"""The check that no reply raises, takes long or breaks what an env returns."""

from __future__ import annotations

from time import thread_time

from gem_gymnasium.testing.script import AnyEnv, Step, Suite, broken, reset
from gem_gymnasium.testing.watch import Watch

_TRIES = 3


def check_hostile(suite: Suite) -> None:
    """Send each hostile reply, each at the start of an episode or within one."""
    seed = suite.seeds[0]
    env = suite.env_fn()
    watch = Watch(env)
    step = watch.reset(reset(env, seed))
    for reply in suite.hostile:
        if step.done:
            step = watch.reset(reset(env))
        step, seconds = _timed(env, reply)
        watch.step(step, reply)
        for _ in range(_TRIES - 1):  # a busy machine is no fault of the env
            if seconds <= suite.step_limit_s:
                break
            step = watch.reset(reset(env, seed))
            step, again = _timed(env, reply)
            watch.step(step, reply)
            seconds = min(seconds, again)
        if seconds > suite.step_limit_s:
            raise broken(
                f"step() takes {seconds * 1000:.0f} ms of CPU time on {_named(reply)}; allowed are "
                f"{suite.step_limit_s * 1000:.0f} ms",
                "parse in linear time (no regex that backtracks, no int() of an endless number), "
                "and refuse replies over MAX_CHARS before parsing",
            )
    env.close()


def _timed(env: AnyEnv, reply: str) -> tuple[Step, float]:
    """Step, and return the CPU seconds of this thread: other load must not fail an env."""
    start = thread_time()
    try:
        step = Step(*env.step(reply))
    except Exception as error:
        raise broken(
            f"step() raises {type(error).__name__} on {_named(reply)}: {error}",
            "a malformed reply is data: report event 'malformed' and say in the feedback what was "
            "wrong",
        ) from error
    return step, thread_time() - start


def _named(reply: str) -> str:
    if len(reply) <= 60:
        return f"the reply {reply!r}"
    return f"the reply {reply[:40]!r}... of {len(reply)} characters"
