"""Run programs that nobody trusts: no network, a folder of their own, bounded in everything."""

from gem_gymnasium.core.errors import SandboxUnavailable
from gem_gymnasium.sandbox.policy import Policy, Result
from gem_gymnasium.sandbox.run import available, run_python, run_shell
from gem_gymnasium.sandbox.session import PythonSession
from gem_gymnasium.sandbox.shell_session import ShellSession

__all__ = [
    "Policy",
    "PythonSession",
    "Result",
    "SandboxUnavailable",
    "ShellSession",
    "available",
    "run_python",
    "run_shell",
]
