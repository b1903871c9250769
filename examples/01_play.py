"""The loop: make an env, read, reply, until the episode ends."""

import gymnasium

import gem_gymnasium  # registers the ids


def main() -> None:
    """Find a number by bisection, reading nothing but the text."""
    env = gymnasium.make("gem/GuessTheNumber-v0")
    observation, info = env.reset(seed=42)
    print(observation)
    low, high = 1, 20
    over = False
    while not over:
        guess = (low + high) // 2
        reply = f"The number lies in {low} to {high}, so I halve it: \\boxed{{{guess}}}"
        observation, reward, terminated, truncated, info = env.step(reply)
        print(f"\n> {reply}\n{observation}")
        if "higher" in info["feedback"]:
            low = guess + 1
        else:
            high = guess - 1
        over = terminated or truncated
    print(f"\nreward {reward}, success {info['success']}, turns {info['turn']}")

    # A live episode can be saved, restored and branched, wrappers and generator included.
    env.reset(seed=7)
    saved = gem_gymnasium.snapshot(env)
    first = env.step(r"\boxed{10}")
    gem_gymnasium.restore(env, saved)
    assert env.step(r"\boxed{10}") == first
    print(f"a snapshot takes {len(saved)} bytes and continues the same")


if __name__ == "__main__":
    main()
