"""Programming problems on text."""

from __future__ import annotations

from collections import Counter

from gem_gymnasium.tasks.code_synthetic.posed import (
    Family,
    Posed,
    either,
    length_of,
    of,
    word,
)
from gem_gymnasium.tasks.dice import Rng, between, chance, pick, pick_some, shuffled

_LINE = "One line of text."


def _words(rng: Rng, size: int) -> str:
    count = length_of(rng, min(size, 2))
    return " ".join([word(rng, between(rng, 1, 6), "abcde") for _ in range(count)])


def solve_shift(text: str, by: int) -> str:
    """Shift each letter along the alphabet."""
    out = ""
    for sign in text.strip("\n"):
        if sign.isalpha():
            first = ord("a") if sign.islower() else ord("A")
            sign = chr(first + (ord(sign) - first + by) % 26)
        out += sign
    return out


def shift(rng: Rng) -> Posed:
    """Shift letters."""
    by = between(rng, 1, 25)
    back, words = either(rng, "back", "forward")
    task = (
        f"Shift each English letter of a text {by} places {words} in the alphabet, going round "
        f"from {'a to z' if back else 'z to a'}. Small letters stay small and capital letters "
        "capital; everything else stays as it is."
    )

    def make(rng: Rng, size: int) -> str:
        letters = "abcxyzABCXYZmn" + ",.!0123"
        count = length_of(rng, min(size, 2))
        return " ".join([word(rng, between(rng, 1, 8), letters) for _ in range(count)])

    return Posed(task, _LINE, "The shifted text.", solve_shift, {"by": -by if back else by}, make)


def solve_runs(text: str, skip_one: bool, number_first: bool) -> str:
    """Write runs of letters as letter and length."""
    out, at, line = "", 0, text.strip()
    while at < len(line):
        end = at
        while end < len(line) and line[end] == line[at]:
            end += 1
        count = "" if skip_one and end - at == 1 else str(end - at)
        out += count + line[at] if number_first else line[at] + count
        at = end
    return out


def runs(rng: Rng) -> Posed:
    """Write runs of equal letters short."""
    skip_one, words = either(rng, ", a length of 1 left out", ", a length of 1 too")
    first, order = either(rng, "the length and then the letter", "the letter and then the length")
    task = f"Replace each longest run of equal letters in a word by {order}{words}."

    def make(rng: Rng, size: int) -> str:
        parts = [
            pick(rng, "abcd") * between(rng, 1, 3 + 4 * size) for _ in range(length_of(rng, size))
        ]
        return "".join(parts)

    settings = {"skip_one": skip_one, "number_first": first}
    return Posed(task, "One word of small letters.", "The result.", solve_runs, settings, make)


def solve_palindromes(text: str, least: int, kind: str) -> str:
    """Count palindromes among words, or find the longest."""
    found = [one for one in text.split() if len(one) >= least and one == one[::-1]]
    if kind == "count":
        return str(len(found))
    longest = max(map(len, found), default=0)
    return next((one for one in found if len(one) == longest), "none")


def palindromes(rng: Rng) -> Posed:
    """Find words that read the same backward."""
    least = between(rng, 2, 4)
    kind, prints = of(
        rng,
        ("count", "How many such words there are; a word that comes twice counts twice."),
        ("longest", 'The longest such word (of several, the first), or "none".'),
    )
    task = f"Find the words with at least {least} letters that read the same backward."

    def make(rng: Rng, size: int) -> str:
        words: list[str] = []
        for _ in range(length_of(rng, min(size, 2))):
            half = word(rng, between(rng, 1, 3), "ab")
            odd = pick(rng, ("", "c"))
            words.append(half + odd + (half[::-1] if chance(rng, 0.6) else half))
        return " ".join(words)

    takes = "One line of words of small letters, parted by single spaces."
    settings = {"least": least, "kind": kind}
    return Posed(task, takes, prints, solve_palindromes, settings, make)


def solve_turned(text: str, by: int, reverse: bool) -> str:
    """Turn each word around by some letters, and the order of words at will."""
    out: list[str] = []
    for one in text.split():
        cut = by % len(one)
        out.append(one[cut:] + one[:cut])
    return " ".join(out[::-1] if reverse else out)


def turned_words(rng: Rng) -> Posed:
    """Turn words around."""
    by = between(rng, 1, 7)
    reverse, words = either(rng, "Then put the words in the reverse order.", "The order stays.")
    task = (
        f"In each word of a line, {by} times over, move the first letter to the end of the word. "
        f"{words}"
    )
    settings = {"by": by, "reverse": reverse}
    takes = "One line of words of small letters, parted by single spaces."
    return Posed(task, takes, "The words, parted by single spaces.", solve_turned, settings, _words)


def solve_frequent(text: str, least: int, rising: bool) -> str:
    """List the frequent words."""
    counts = Counter(text.split())
    chosen = [one for one in counts if counts[one] >= least]
    chosen.sort(key=lambda one: (counts[one] if rising else -counts[one], one))
    return "\n".join([f"{one} {counts[one]}" for one in chosen]) or "none"


def frequent_words(rng: Rng) -> Posed:
    """List words that come often."""
    least = between(rng, 2, 4)
    rising, order = either(rng, "rarest first", "most frequent first")
    task = f"List the words that come at least {least} times in a text."
    prints = (
        f"One line a word: the word, a space, how often it comes; the {order}, those that come "
        'equally often by alphabet. Print "none" if there is no such word.'
    )

    def make(rng: Rng, size: int) -> str:
        words = [word(rng, between(rng, 1, 3), "ab") for _ in range(2 + 2 * size)]
        many = 3 + length_of(rng, size)
        lines = [" ".join([pick(rng, words) for _ in range(6)]) for _ in range(1 + many // 6)]
        return "\n".join(lines)

    takes = "Several lines of words of small letters."
    settings = {"least": least, "rising": rising}
    return Posed(task, takes, prints, solve_frequent, settings, make)


def solve_brackets(text: str, pairs: str) -> str:
    """Tell how deep brackets are nested, or where they go wrong."""
    closing = {pairs[at + 1]: pairs[at] for at in range(0, len(pairs), 2)}
    stack: list[str] = []
    deepest = 0
    for at, sign in enumerate(text.strip(), start=1):
        if sign in closing.values():
            stack.append(sign)
            deepest = max(deepest, len(stack))
        elif sign in closing and (not stack or stack.pop() != closing[sign]):
            return f"error {at}"
    return "open" if stack else str(deepest)


def brackets(rng: Rng) -> Posed:
    """Check brackets."""
    chosen = sorted(pick_some(rng, ("()", "[]", "{}", "<>"), between(rng, 2, 3)))
    pairs = "".join(chosen)
    task = (
        f"Check whether the brackets {' '.join(chosen)} in a line match: each closing one must "
        "close the last one that is still open, and be of its kind. All other characters count for "
        "nothing."
    )
    prints = (
        'If a closing bracket does not match: "error" and its position in the line, counted from 1 '
        '(of the first such bracket). If brackets are open at the end: "open". Else the greatest '
        "number of brackets that are open at a time."
    )

    def make(rng: Rng, size: int) -> str:
        line, stack = "", ""
        for _ in range(2 * length_of(rng, size)):
            kind = pick(rng, chosen)
            if stack and chance(rng, 0.45):
                line, stack = line + stack[-1], stack[:-1]
            elif chance(rng, 0.2):
                line += pick(rng, "abx+")
            else:
                line, stack = line + kind[0], stack + kind[1]
        line += stack[::-1] if chance(rng, 0.7) else ""
        if line and chance(rng, 0.25):
            at = between(rng, 0, len(line) - 1)
            line = line[:at] + pick(rng, pairs) + line[at + 1 :]
        return line or chosen[0]

    takes = "One line without spaces."
    return Posed(task, takes, prints, solve_brackets, {"pairs": pairs}, make)


def solve_anagrams(text: str, least: int, kind: str) -> str:
    """Count groups of words with the same letters."""
    groups = Counter("".join(sorted(one)) for one in set(text.split()))
    if kind == "groups":
        return str(sum(size >= least for size in groups.values()))
    return str(sum(size for size in groups.values() if size >= least))


def anagrams(rng: Rng) -> Posed:
    """Group words with the same letters."""
    least = between(rng, 2, 3)
    kind, prints = of(
        rng,
        ("groups", f"The number of groups with at least {least} words."),
        (
            "words",
            f"The number of words in groups of at least {least} words, all such groups together.",
        ),
    )
    task = (
        "Two words are in the same group if each can be made from the other by reordering its "
        "letters. A word that comes several times counts once."
    )

    def make(rng: Rng, size: int) -> str:
        stems = [word(rng, between(rng, 2, 4), "abcd") for _ in range(1 + 2 * size)]
        count = 2 + length_of(rng, min(size, 2))
        return " ".join(["".join(shuffled(rng, pick(rng, stems))) for _ in range(count)])

    takes = "One line of words of small letters."
    return Posed(task, takes, prints, solve_anagrams, {"least": least, "kind": kind}, make)


def solve_edits(text: str, swap: int, gap: int) -> str:
    """Return the least cost to turn one word into another."""
    one, other = text.split()
    costs = [gap * at for at in range(len(other) + 1)]
    for letter in one:
        new = [costs[0] + gap]
        for at, target in enumerate(other):
            change = costs[at] + (0 if letter == target else swap)
            new.append(min(change, costs[at + 1] + gap, new[at] + gap))
        costs = new
    return str(costs[-1])


def edits(rng: Rng) -> Posed:
    """Turn one word into another."""
    swap, gap = between(rng, 1, 5), between(rng, 1, 4)
    task = (
        "Turn the first word into the second at the least cost: replacing a letter by another "
        f"costs {swap}, inserting or deleting a letter {gap}."
    )

    def make(rng: Rng, size: int) -> str:
        return "\n".join([word(rng, length_of(rng, min(size, 2)), "abc") for _ in range(2)])

    takes = "Two lines, one word of small letters each."
    return Posed(task, takes, "The least cost.", solve_edits, {"swap": swap, "gap": gap}, make)


FAMILIES: tuple[Family, ...] = (
    shift,
    runs,
    palindromes,
    turned_words,
    frequent_words,
    brackets,
    anagrams,
    edits,
)
