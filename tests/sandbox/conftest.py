"""Callers of the sandbox, one for each user, started when a test first wants one."""

from collections.abc import Callable, Iterator

import pytest

from tests.sandbox.callers import Caller

GetCaller = Callable[[str], Caller]


@pytest.fixture(scope="session")
def get_caller() -> Iterator[GetCaller]:
    callers: dict[str, Caller] = {}
    reasons: dict[str, str] = {}

    def get(user: str) -> Caller:
        if user in reasons:
            pytest.skip(reasons[user])
        if user not in callers or callers[user].is_closed:
            try:
                callers[user] = Caller(user)
            except OSError as error:
                reasons[user] = f"the sandbox cannot be called as user {user!r} here: {error}"
                pytest.skip(reasons[user])
        return callers[user]

    yield get
    for caller in callers.values():
        caller.close()
