"""A terminal task without Docker: a scripted agent looks around, works, submits.

python examples/09_terminal.py
"""

import re

import gymnasium as gym

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.wrappers import History


def act(observation: str, info: dict) -> str:
    """Play like a model that knows a shell: three commands, each after the last one's output."""
    if info["turn"] == 0:
        return "First I look at what there is.\n<bash>ls; head -n 2 story.txt</bash>"
    count = re.search(r"Write the (\d+) most frequent", observation)
    if info["turn"] == 1 and count:
        return (
            "I count the words.\n<bash>\n"
            "words() { tr A-Z a-z < story.txt | tr -cs a-z '\\n' | grep .; }\n"
            f"n={count[1]}\n"
            "words | wc -l\n</bash>"
        )
    if info["turn"] == 2:
        return (
            "The shell remembers the function and the number.\n<bash>\n"
            "words | sort | uniq -c | sort -k1,1nr -k2,2 | head -n $n | "
            "awk '{print $1, $2}' > top.txt; cat top.txt\n</bash>"
        )
    return "That is what was asked for: <submit/>"


def main() -> None:
    """Play one task and show every turn of it."""
    env = History(gym.make("gem/Terminal-text-v0", task="word_counts"), layout="messages")
    observation, info = env.reset(seed=0)
    print(observation)
    rules, total, over = observation, 0.0, False
    while not over:
        reply = act(rules, info)
        _, reward, terminated, truncated, info = env.step(reply)
        total, over = total + float(reward), terminated or truncated
        print("\n".join(f"> {line}" for line in reply.splitlines()))
        print(info["feedback"])
    passed, of, level = info["checks_passed"], info["checks_total"], info["sandbox"]
    print(f"reward {total:g}, {passed} of {of} checks, in the sandbox (level {level})")
    env.close()


if __name__ == "__main__":
    main()
