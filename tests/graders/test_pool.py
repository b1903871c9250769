"""The pool: deadlines, deaths, threads, event loops, forks, confinement."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.graders import Grade, Pool, agrade
from gem_gymnasium.graders.pool import RENEW_AFTER, Work, shared_pool
from gem_gymnasium.sandbox import available

WORK = Work((str(Path(__file__).parent / "sleepy_work.py"),), packages=(), warm=())
DONE = Grade(0.5, "ok", "done")


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(WORK, workers=2)
    pool.grade({"what": "sleep", "value": 0}, time_s=10)
    yield pool
    pool.close()


def pid_of(pool: Pool) -> int:
    """Return the process of the worker that judges next."""
    return int(pool.grade({"what": "pid"}, time_s=10).detail)


@pytest.mark.parametrize(
    ("score", "grade"),
    [
        (0.25, (0.25, "ok", "scored")),
        (7.5, (1.0, "ok", "scored")),
        (-1, (0.0, "ok", "scored")),
        ("nan", (0.0, "ok", "scored; a score of nan counts as 0")),
        ("inf", (0.0, "ok", "scored; a score of inf counts as 0")),
    ],
)
def test_a_score_is_between_0_and_1(pool: Pool, score: object, grade: Grade) -> None:
    assert pool.grade({"what": "score", "value": score}, time_s=10) == grade


@pytest.mark.parametrize(
    ("what", "status", "detail"),
    [
        ("spin", "timeout", "over 0.5 s"),
        ("memory", "timeout", "over 1073741824 bytes of memory"),
        ("raise", "error", "the worker failed: ValueError: a fault"),
        ("exit", "error", "the worker ended without a grade"),
        ("noise", "error", "the worker failed: output over 65536 bytes"),
    ],
)
def test_what_goes_wrong_is_told_apart_and_the_next_answer_is_judged(
    pool: Pool, what: str, status: str, detail: str
) -> None:
    assert pool.grade({"what": what}, time_s=0.5) == (0.0, status, detail)
    assert pool.grade({"what": "sleep", "value": 0}, time_s=10) == DONE


def test_what_a_scorer_prints_is_no_grade(pool: Pool) -> None:
    assert pool.grade({"what": "print"}, time_s=10) == DONE


def test_a_worker_killed_in_mid_grade_is_an_error(pool: Pool) -> None:
    pid = pid_of(pool)
    killer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
    killer.start()
    start = time.monotonic()
    grade = pool.grade({"what": "sleep", "value": 20}, time_s=30)
    assert (grade.score, grade.status) == (0.0, "error")
    assert time.monotonic() - start < 10
    assert pool.grade({"what": "sleep", "value": 0}, time_s=10) == DONE


def test_a_worker_killed_while_idle_is_replaced_unseen(pool: Pool) -> None:
    pid = pid_of(pool)
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.3)
    assert pool.grade({"what": "sleep", "value": 0}, time_s=10) == DONE
    assert pid_of(pool) != pid


def test_a_hung_answer_delays_no_other_by_more_than_its_deadline() -> None:
    pool = Pool(WORK, workers=1)
    pool.grade({"what": "sleep", "value": 0}, time_s=10)
    with ThreadPoolExecutor(4) as threads:
        start = time.monotonic()
        hung = threads.submit(pool.grade, {"what": "spin"}, time_s=1.0)
        time.sleep(0.2)
        others = [threads.submit(pool.grade, {"what": "sleep", "value": 0}, time_s=10)] * 3
        assert [other.result() for other in others] == [DONE] * 3
        assert time.monotonic() - start < 1.0 + 2.0
        assert hung.result().status == "timeout"
    pool.close()


def test_a_second_worker_judges_while_the_first_hangs(pool: Pool) -> None:
    with ThreadPoolExecutor(2) as threads:
        hung = threads.submit(pool.grade, {"what": "spin"}, time_s=3.0)
        time.sleep(0.2)
        assert pool.grade({"what": "sleep", "value": 0}, time_s=10) == DONE
        assert not hung.done()


def test_many_threads_share_few_workers(pool: Pool) -> None:
    with ThreadPoolExecutor(16) as threads:
        pids = list(threads.map(lambda _: pid_of(pool), range(64)))
    assert len({*pids}) <= 2


def test_waiting_for_a_worker_is_not_on_the_answers_clock() -> None:
    pool = Pool(WORK, workers=1)
    pool.grade({"what": "sleep", "value": 0}, time_s=10)
    request = {"what": "sleep", "value": 0.4}
    with ThreadPoolExecutor(3) as threads:
        grades = list(threads.map(lambda _: pool.grade(request, time_s=1.0), range(3)))
    assert grades == [DONE] * 3
    pool.close()


def test_event_loops_are_not_blocked(pool: Pool) -> None:
    ticks: list[float] = []

    async def tick() -> None:
        while True:
            ticks.append(time.monotonic())
            await asyncio.sleep(0.02)

    async def main() -> list[Grade]:
        ticking = asyncio.create_task(tick())
        request = {"what": "sleep", "value": 0.3}
        grades = await asyncio.gather(*(agrade(pool.grade, request, time_s=10) for _ in range(4)))
        ticking.cancel()
        return grades

    assert asyncio.run(main()) == [DONE] * 4
    gaps = [later - earlier for earlier, later in pairwise(ticks)]
    assert len(ticks) > 5
    assert max(gaps) < 0.3


def test_a_loop_that_lags_makes_no_time_out(pool: Pool) -> None:
    async def main() -> Grade:
        grading = asyncio.create_task(agrade(pool.grade, {"what": "sleep", "value": 0}, time_s=1.0))
        await asyncio.sleep(0)
        time.sleep(1.5)  # the loop stands still for longer than the deadline
        return await grading

    assert asyncio.run(main()) == DONE


def test_alone_means_a_worker_of_its_own(pool: Pool) -> None:
    remember = {"what": "remember"}
    assert pool.grade(remember, time_s=10).detail == "1"
    assert pool.grade(remember, time_s=10).detail == "2"
    assert pool.grade(remember, time_s=10, alone=True).detail == "1"
    assert pool.grade(remember, time_s=10).detail == "3"


def test_a_worker_is_renewed_before_its_caches_fill_the_memory(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert RENEW_AFTER >= 100
    monkeypatch.setattr("gem_gymnasium.graders.pool.RENEW_AFTER", 2)
    details = [pool.grade({"what": "remember"}, time_s=10).detail for _ in range(5)]
    assert "3" not in details


def test_a_worker_writes_no_file_and_reaches_no_network(pool: Pool, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    bait = tmp_path / "bait"
    for place in (str(bait), "bait", "/tmp/gem-bait"):
        assert pool.grade({"what": "write", "value": place}, time_s=10).status == "error"
    assert not bait.exists()
    assert not Path("/tmp/gem-bait").exists()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        request = {"what": "connect", "value": server.getsockname()[1]}
        assert pool.grade(request, time_s=10).status == "error"
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_forked_process_has_workers_of_its_own() -> None:
    code = (
        "import os, sys\nfrom gem_gymnasium.graders.pool import Pool, Work\n"
        "pool = Pool(Work((sys.argv[1],), (), ()), workers=1)\n"
        "pid = lambda: pool.grade({'what': 'pid'}, time_s=10).detail\n"
        "before = pid()\n"
        "child = os.fork()\n"
        "if child == 0: os._exit(0 if pid().isdigit() and pid() != before else 1)\n"
        "assert pid() == before and os.waitpid(child, 0)[1] == 0\n"
        "print('both')"
    )
    command = [sys.executable, "-c", code, *WORK.files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("both\n", 0), done.stderr


def test_no_signal_handler_is_installed(pool: Pool) -> None:
    before = [signal.getsignal(number) for number in signal.valid_signals()]
    pool.grade({"what": "spin"}, time_s=0.2)
    assert [signal.getsignal(number) for number in signal.valid_signals()] == before


@pytest.mark.skipif(bool(available()["bwrap"]), reason="no level bwrap here")
def test_it_works_behind_namespaces_too() -> None:
    pool = Pool(WORK, workers=1, level="bwrap")
    assert pool.grade({"what": "sleep", "value": 0}, time_s=10) == DONE
    assert pool.grade({"what": "spin"}, time_s=0.5).status == "timeout"
    assert pool.grade({"what": "write", "value": "bait"}, time_s=10).status == "error"
    pool.close()


def test_all_envs_of_a_process_share_one_pool() -> None:
    assert shared_pool(WORK) is shared_pool(Work(WORK.files, (), ()))


def test_a_closed_pool_says_so(pool: Pool) -> None:
    pool.close()
    pool.close()
    with pytest.raises(ConfigError, match="closed"):
        pool.grade({"what": "pid"}, time_s=1)


def test_a_pool_needs_a_worker() -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        Pool(WORK, workers=0)
