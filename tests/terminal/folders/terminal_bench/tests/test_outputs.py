"""Checks the program from outside; writes its results as pytest does in its summary."""

import subprocess


def greeting(*arguments: str) -> str:
    command = ["bash", "/app/greet.sh", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=5).stdout.strip()


CASES = {
    "test_a_name": (("Ada",), "Hello, Ada!"),
    "test_a_name_of_two_words": (("Ada  L",), "Hello, Ada  L!"),
    "test_no_name": ((), "Hello, world!"),
}

for name, (arguments, expected) in CASES.items():
    passed = greeting(*arguments) == expected
    print("PASSED" if passed else "FAILED", f"test_outputs.py::{name}")  # noqa: T201
