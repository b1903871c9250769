"""A Python tool in a game: the player thinks in code, in an interpreter that remembers.

python examples/05_python_tool.py
"""

import re

import gymnasium as gym

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.tools import PythonTool
from gem_gymnasium.wrappers import History, ToolUse

BEGIN = """\
from itertools import permutations

def pegs(code, guess):
    black = sum(a == b for a, b in zip(code, guess))
    return black, len(set(code) & set(guess)) - black

codes = list(permutations(range(1, 7), 2))
print(*codes[0])"""

GO_ON = """\
codes = [code for code in codes if pegs(code, ({guess})) == ({black}, {white})]
print(len(codes), "codes are left")
print(*codes[0])"""


def act(info: dict) -> str:
    """Play like a model that calls the tool, then guesses what the tool printed."""
    if info["event"] == "tool":
        return f"The first code that fits: \\boxed{{{info['feedback'].splitlines()[-1]}}}"
    found = re.match(r"(\d) (\d): (\d) black, (\d) white", info["feedback"])
    if found is None:
        return f"I list the codes.\n<python>\n{BEGIN}\n</python>"
    first, second, black, white = found.groups()
    source = GO_ON.format(guess=f"{first}, {second}", black=black, white=white)
    return f"I strike out what does not fit.\n<python>\n{source}\n</python>"


def main() -> None:
    """Play one game and show every turn of it."""
    env = gym.make("gem/Mastermind-easy-v0")
    # A call pays 0.05 and a success 0.25 more, as in GEM (preset); a training may want neither.
    env = ToolUse(env, [PythonTool(persistent=True)], preset="python", max_tool_uses=10)
    env = History(env, layout="messages")  # what a tool gave is a message of the role "tool"
    observation, info = env.reset(seed=1)
    print(observation)
    total, over = 0.0, False
    while not over:
        reply = act(info)
        _, reward, terminated, truncated, info = env.step(reply)
        total, over = total + float(reward), terminated or truncated
        print("\n".join(f"> {line}" for line in reply.splitlines()))
        print(info["feedback"])
    uses, level = info["tool_uses"], info["sandbox"]
    print(f"success {info['success']} after {info['turn']} turns and {uses} programs, {total:.2f}")
    print(f"roles of the messages: {' '.join(message['role'] for message in info['messages'][:5])}")
    print(f"every program ran in the sandbox, level {level}")
    env.close()


if __name__ == "__main__":
    main()
