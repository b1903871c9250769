r"""The forms of a move that games share: what stands in the last ``\boxed{}``, and what is said."""

from __future__ import annotations

from gem_gymnasium.core.parsing import (
    echo,
    last_boxed,
    last_tag,
    replace_surrogates,
    to_int,
    to_ints,
    to_word,
)

SAID_CHARS = 500
"""Characters of a message that others are shown."""


def boxed_int(reply: str) -> int | None:
    r"""Return the integer in the last ``\boxed{}``, or None."""
    return to_int(last_boxed(reply))


def boxed_pair(reply: str) -> tuple[int, int] | None:
    r"""Return the two integers in the last ``\boxed{}``, or None."""
    numbers = to_ints(last_boxed(reply))
    return (numbers[0], numbers[1]) if numbers is not None and len(numbers) == 2 else None


def boxed_word(reply: str) -> str | None:
    r"""Return the word in the last ``\boxed{}``, in lower case, or None."""
    return to_word(last_boxed(reply))


def said(reply: str) -> str:
    """Return what the last ``<say>`` tag holds, on one line, cut to ``SAID_CHARS``; may be empty.

    The rest of a reply, its reasoning, is shown to nobody. Control characters are left out, and
    what looks like a special token of a chat template is broken up: it would speak for another.
    """
    text = " ".join((last_tag(reply, "say") or "").split())
    text = "".join(sign for sign in text if sign.isprintable()).replace("<|", "< |")
    return replace_surrogates(echo(text, SAID_CHARS))


def boxed(move: object) -> str:
    """Return the reply that holds a move."""
    return f"\\boxed{{{move}}}"
