"""Level zygote from the inside: its warm parent, its spares, what runs see of each other."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gem_gymnasium.sandbox import Policy, PythonSession, available, landlock, run_python
from gem_gymnasium.sandbox.libraries import STANDARD
from gem_gymnasium.sandbox.run import LEVELS
from gem_gymnasium.sandbox.zygote_server import SPARES

pytestmark = pytest.mark.skipif(bool(available()["zygote"]), reason=available()["zygote"])


def parent_pid() -> int:
    """Return the warm parent's process number; start it if it is not there."""
    run_python("1", level="zygote")
    return LEVELS["zygote"]._parents[STANDARD].process.pid  # type: ignore[attr-defined]


def children_of(pid: int) -> list[int]:
    """Return the living children of a process."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (thread / "children").read_text().split()):
            if "State:\tZ" not in Path(f"/proc/{child}/status").read_text():
                found.append(child)
    return found


def wait_until(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


def test_a_run_cannot_read_another_runs_folder() -> None:
    """Both have the same parent folder, which the ruleset of all runs grants."""
    session = PythonSession(level="zygote")
    made = session.run("open('secret', 'w').write('x'); import os; print(os.getcwd())").output
    other = made.strip()
    source = (
        f"import os\nfor what in ({other!r}, {other + '/secret'!r}):\n"
        "    for look in (os.listdir, open):\n"
        "        try: look(what); print('got in')\n        except OSError: pass\n"
        f"try: open({other + '/new'!r}, 'w'); print('got in')\nexcept OSError: pass\nprint('done')"
    )
    assert run_python(source, level="zygote").output == "done\n"
    assert session.run("print(os.listdir())").output == "['secret']\n"
    session.close()


def test_spares_wait_and_do_nothing() -> None:
    pid = parent_pid()
    assert wait_until(lambda: len(children_of(pid)) == SPARES)
    ticks = [sum(map(int, Path(f"/proc/{p}/stat").read_text().split()[13:15])) for p in (pid,)]
    time.sleep(0.5)
    again = [sum(map(int, Path(f"/proc/{p}/stat").read_text().split()[13:15])) for p in (pid,)]
    assert again[0] - ticks[0] <= 1
    assert len(children_of(pid)) == SPARES


def test_a_spare_that_died_fails_no_run() -> None:
    pid = parent_pid()
    assert wait_until(lambda: len(children_of(pid)) == SPARES)
    for child in children_of(pid):
        os.kill(child, signal.SIGKILL)
    results = [run_python(f"print({n})", level="zygote").output for n in range(8)]
    assert results == [f"{n}\n" for n in range(8)]


def test_the_run_after_the_parents_death_works() -> None:
    """A killed process closes its sockets a moment before it can be seen to be dead."""
    parent_pid()
    files = len(os.listdir("/proc/self/fd"))
    for _ in range(8):
        os.kill(parent_pid(), signal.SIGKILL)
        assert run_python("print(1)", level="zygote").output == "1\n"
    assert len(os.listdir("/proc/self/fd")) == files


def test_a_program_that_ends_while_it_is_being_killed_has_ended() -> None:
    """Its output is over the limit, but it may be gone before the order to kill it arrives."""
    policy = Policy(output_bytes=1_000)
    for _ in range(100):
        done = run_python("print('x' * 5_000)", policy=policy, level="zygote")
        assert done.detail == "output over 1000 bytes"


def test_children_die_with_the_caller() -> None:
    code = (
        "import sys, time\nfrom gem_gymnasium.sandbox import PythonSession\n"
        "s = PythonSession(level='zygote')\n"
        "print(s.run('import os; print(os.getpid(), os.getppid(), os.getcwd())').output, end='')\n"
        "sys.stdout.flush(); time.sleep(60)"
    )
    caller = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert caller.stdout is not None
    child, parent, folder = caller.stdout.readline().split()
    assert Path(f"/proc/{child}").exists()
    caller.kill()
    caller.wait()
    caller.stdout.close()
    assert wait_until(lambda: not Path(f"/proc/{child}").exists())
    assert wait_until(lambda: not Path(f"/proc/{parent}").exists())
    assert wait_until(lambda: not Path(folder).parent.exists())


def test_programs_are_an_unused_user_if_root_starts_them() -> None:
    source = "import os; print(os.getresuid(), os.getresgid(), os.getgroups())"
    output = run_python(source, level="zygote").output
    if os.getuid() == 0:
        uid = int(output.split(",")[0].strip("("))
        assert 61_184 <= uid < 65_520
        assert output == f"{(uid,) * 3} {(uid,) * 3} []\n"


def test_runs_at_once_are_different_users() -> None:
    if os.getuid() != 0:
        pytest.skip("an ordinary user's programs are that user")
    seen: list[str] = []
    policy = Policy(time_s=30)

    def run() -> None:
        source = "import os, time; time.sleep(0.5); print(os.getuid())"
        seen.append(run_python(source, policy=policy, level="zygote").output)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 4


def test_a_folder_with_a_hole_is_granted_piece_by_piece(tmp_path: Path) -> None:
    for name in ("a/deep/x", "a/hidden/secret", "b/y", "c"):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(name)
    (tmp_path / "a" / "link").symlink_to(tmp_path / "a" / "hidden")
    hidden = tmp_path / "a" / "hidden"
    granted = list(landlock.visible([tmp_path, tmp_path / "missing"], [hidden]))
    assert granted == [
        (tmp_path, landlock.LIST),
        (tmp_path / "a", landlock.LIST),
        (tmp_path / "a" / "deep", landlock.READ),
        (tmp_path / "b", landlock.READ),
        (tmp_path / "c", landlock.READ),
    ]


def test_asyncio_and_files_work_inside() -> None:
    source = (
        "import asyncio, json, pathlib, shutil, sqlite3, tempfile, zipfile\n"
        "asyncio.run(asyncio.sleep(0))\n"
        "p = pathlib.Path('a'); p.mkdir(); (p / 'x').write_text('1'); shutil.copy2(p / 'x', 'y')\n"
        "with tempfile.TemporaryDirectory() as d, tempfile.TemporaryFile() as f: f.write(b'z')\n"
        "c = sqlite3.connect('db'); c.execute('create table t(x)'); c.commit()\n"
        "zipfile.ZipFile('z.zip', 'w').write('y')\n"
        "p.rename('b'); shutil.rmtree('b')\n"
        "print(sorted(q.name for q in pathlib.Path().iterdir()))"
    )
    done = run_python(source, level="zygote")
    assert done.output == "['db', 'y', 'z.zip']\n", done
