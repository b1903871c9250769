"""What reaches TextArena of a reply, and what a player reads of TextArena's messages; pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gem_gymnasium.core.parsing import MAX_DIGITS, cut_middle
from gem_gymnasium.core.spaces import MAX_CHARS

REPLY_CHARS = 2_000
"""Characters of a reply that reach TextArena, its last ones: an answer ends a reply."""

RULES, BOARD, ACTION = "PROMPT", "GAME_BOARD", "PLAYER_ACTION"
"""Names of TextArena's ``ObservationType``: the rules, what is seen now, another's reply."""

GAME = "GAME"
"""The game, where it speaks."""

_SPACE = 16
_ROOM = 1_000

_LONG_SPACE = re.compile(rf"(\s{{{_SPACE}}})\s+")
_LONG_DIGITS = re.compile(rf"(\d{{{MAX_DIGITS}}})\d+")


_SPEAKER = re.compile(r"\n(?=\[[A-Z]\w)")


class Message(NamedTuple):
    """One message of TextArena to one player."""

    sender: str
    """``GAME``, or a player by its name in the game."""
    text: str


class Reading(NamedTuple):
    """What a player can read, in its order."""

    rules: str
    told: str
    view: str

    @property
    def text(self) -> str:
        """All of it, cut to what an observation may hold."""
        whole = "\n".join(part for part in self if part)
        return whole if len(whole) <= MAX_CHARS else cut_middle(whole, MAX_CHARS - _ROOM)


def clean(reply: str) -> str:
    r"""Return what TextArena is given of a reply.

    Its parsers are regexes that are quadratic in a reply's length, some cubic in that of a run of
    spaces (``\s*(...)?([^\[\]]+?)\s*\.*\]``), and ``int`` of what they find; and it shows replies
    to the other players. So: the last ``REPLY_CHARS`` characters, runs of spaces and digits cut, no
    control characters and lone surrogates, no special tokens of chat templates.
    """
    text = reply[-REPLY_CHARS:]
    if not text.isprintable():
        text = "".join(
            sign if sign.isprintable() or sign in "\n\t" else " " if sign.isspace() else ""
            for sign in text
        )
    text = _LONG_SPACE.sub(r"\1", text)
    text = _LONG_DIGITS.sub(r"\1", text)
    return text.replace("<|", "< |")


def say(messages: Sequence[Message]) -> str:
    """Return messages as a player reads them.

    Only a message begins a line with who speaks: else a reply of several lines could pass for words
    of the game or of another player.
    """
    return "\n".join(f"[{each.sender}] {_indented(each)}" for each in messages)


def _indented(message: Message) -> str:
    if message.sender == GAME:  # which draws boards, and quotes replies
        return _SPEAKER.sub("\n  ", message.text)
    return message.text.replace("\n", "\n  ")
