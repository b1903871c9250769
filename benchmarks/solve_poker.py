"""Solve Leduc poker and write ``gem_gymnasium/data/leduc_poker.json`` (15 seconds of one core).

python benchmarks/solve_poker.py
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from gem_gymnasium.multiplayer.players import cfr, leduc_poker

DATA = Path(__file__).resolve().parent.parent / "gem_gymnasium" / "data" / "leduc_poker.json"
ITERATIONS = 3_000
DIGITS = 6


def rounded(chances: dict[str, float]) -> dict[str, float]:
    """Return chances cut to ``DIGITS`` without those that are 0; they still add up to 1."""
    most = max(chances, key=lambda word: chances[word])
    kept = {word: round(chance, DIGITS) for word, chance in chances.items() if word != most}
    kept[most] = round(1.0 - sum(kept.values()), DIGITS)
    return {word: kept[word] for word in chances if kept[word]}


def main() -> None:
    """Write the policy and say how good it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DATA)
    out: Path = parser.parse_args().out
    tree = leduc_poker.tree()
    policy = {key: rounded(each) for key, each in cfr.solve(tree, ITERATIONS).items()}
    rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(each)}" for key, each in policy.items())
    out.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    print(f"{len(policy)} information sets, {ITERATIONS:,} iterations")
    print(f"the first seat wins {cfr.value(tree, policy, policy):.6f}")
    print(f"exploitability {cfr.exploitability(tree, policy):.6f}")


if __name__ == "__main__":
    main()
