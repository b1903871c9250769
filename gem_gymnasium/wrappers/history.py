"""History: let the observation hold what happened so far, as one text or as chat messages."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import echo, replace_surrogates
from gem_gymnasium.core.spaces import MAX_CHARS, UnicodeText, require_texts
from gem_gymnasium.wrappers.stack import refuse_autoreset

Layout = Literal["text", "messages"]
Views = Literal["last", "all", "none"]
ToolRole = Literal["tool", "user"]

_GAP = " ... "


class Exchange(NamedTuple):
    """One turn as it is shown: the (cut) reply, the feedback to it, the view after it."""

    reply: str
    feedback: str
    view: str
    tool: str = ""
    """The tool that gave the feedback; ``""``: the env did."""


def joined(*parts: str) -> str:
    """Join the parts that are not empty by line breaks."""
    return "\n".join(part for part in parts if part)


def left_out(turns: int) -> str:
    """Return the note that stands for dropped turns, or ``""``."""
    if not turns:
        return ""
    return f"[{turns} earlier turn{'s' if turns > 1 else ''} left out]"


def split_view(observation: str, info: dict[str, Any]) -> tuple[str, str]:
    """Part an observation into what comes before its view, and the view."""
    # A snapshot is JSON, which would join two lone surrogates; no prompt can hold any.
    observation = replace_surrogates(observation)
    view = replace_surrogates(info.get("view", ""))
    if not view or not observation.endswith(view):
        return observation, ""
    return observation[: -len(view)].removesuffix("\n"), view


class History(gym.Wrapper[str, str, str, str], RecordConstructorArgs):
    """Show the whole episode, not only its newest observation.

    ``layout="text"``: the observation is one text: the rules, then each reply with its feedback,
    then the newest view. ``layout="messages"``: ``info["messages"]`` is a fresh list of fresh
    dicts ``{"role", "content"}`` that only ever grows at its end: the first observation as a user
    message, then each reply as an assistant and each observation as a user message (what a tool
    gave as a tool message); a prompt so extends the one before (until turns are dropped). The
    observation is then the same as one text.

    Args:
        env: An env whose observation and action spaces are texts. Its ``info["view"]``, if any,
            ends its observation.
        layout: ``"text"`` or ``"messages"``.
        replies: Show the player's replies; False leaves feedbacks only (``"text"`` only).
        views: Which views to show: the ``"last"`` (``"text"`` only, its default), ``"all"``
            (default of ``"messages"``), or ``"none"``.
        turns: How many of the newest turns to remember; None for all. The rules are never dropped.
        max_reply_chars: A longer reply has its middle cut out.
        max_chars: Bound on the whole text, at most ``MAX_CHARS``. Beyond it the oldest turns are
            dropped, and the text says how many.
        tool_role: Role of the message with what a tool gave (``info["tool"]`` is not empty, see
            ``ToolUse``); ``"user"`` for a chat template that knows no ``"tool"``.

    Raises:
        ConfigError: An option is refused, the env's spaces are no texts, or an Autoreset is below.
    """

    def __init__(
        self,
        env: gym.Env[str, str],
        layout: Layout = "text",
        *,
        replies: bool = True,
        views: Views | None = None,
        turns: int | None = None,
        max_reply_chars: int = 2_000,
        max_chars: int = MAX_CHARS,
        tool_role: ToolRole = "tool",
    ) -> None:
        RecordConstructorArgs.__init__(
            self,
            layout=layout,
            replies=replies,
            views=views,
            turns=turns,
            max_reply_chars=max_reply_chars,
            max_chars=max_chars,
            tool_role=tool_role,
        )
        super().__init__(env)
        require_texts(env, "History")
        refuse_autoreset(env, "History")
        if layout not in ("text", "messages"):
            raise ConfigError(f"layout must be 'text' or 'messages', got {layout!r}")
        default: Views = "last" if layout == "text" else "all"
        self.views: Views = default if views is None else views
        if self.views not in ("last", "all", "none"):
            raise ConfigError(f"views must be 'last', 'all' or 'none', got {views!r}")
        if layout == "messages" and (self.views == "last" or not replies):
            raise ConfigError(
                "layout='messages' only appends: it needs replies=True and views='all' or 'none', "
                f"got replies={replies}, views={views!r}"
            )
        if turns is not None and turns < 0:
            raise ConfigError(f"turns must be None or at least 0, got {turns}")
        if max_reply_chars < 1 or not 1 <= max_chars <= MAX_CHARS:
            raise ConfigError(
                f"max_reply_chars must be at least 1 and max_chars in 1..{MAX_CHARS}, got "
                f"{max_reply_chars} and {max_chars}"
            )
        if tool_role not in ("tool", "user"):
            raise ConfigError(f"tool_role must be 'tool' or 'user', got {tool_role!r}")
        self.tool_role: ToolRole = tool_role
        self.layout, self.replies, self.turns = layout, replies, turns
        self.max_reply_chars, self.max_chars = max_reply_chars, max_chars
        self.observation_space = UnicodeText()
        self._rules = self._first_view = ""
        self._exchanges: list[Exchange] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode and forget the one before."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._rules, self._first_view = split_view(observation, info)
        self._exchanges = []
        return self._answer(info)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Step the env and add the turn to what is shown."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        feedback, view = split_view(observation, info)
        reply, tool = echo(action, self.max_reply_chars), info.get("tool", "")
        self._exchanges.append(Exchange(reply, feedback, view, tool))
        text, info = self._answer(info)
        return text, float(reward), terminated, truncated, info

    def _answer(self, info: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Compose the text and, in the messages layout, the messages."""
        shown = self._shown()
        dropped = len(self._exchanges) - len(shown)
        text = self._text(shown, dropped)
        if self.layout == "messages":
            info = {**info, "messages": self._messages(shown, dropped)}
        return text, info

    def _shown(self) -> list[Exchange]:
        """Return the newest exchanges that the options and the bound leave room for."""
        candidates = self._exchanges
        if not candidates:
            return []
        if self.turns is not None:
            candidates = candidates[len(candidates) - min(self.turns, len(candidates)) :]
        every = self.views == "all"
        # What is shown in any case: rules, note (with the line breaks: 64), a view.
        room = self.max_chars - len(self._rules) - 64
        if self.views != "none":
            room -= len(self._first_view if every else self._exchanges[-1].view)
        count = 0
        for reply, feedback, view, _ in reversed(candidates):
            room -= len(feedback) + (len(view) if every else 0) + 3
            room -= len("You: ") + len(reply) if self.replies else 0
            if room < 0:
                break
            count += 1
        return candidates[len(candidates) - count :]

    def _text(self, shown: list[Exchange], dropped: int) -> str:
        """Compose the episode as one text of at most ``max_chars`` characters."""
        every = self.views == "all"
        parts = [self._rules, self._first_view if every else "", left_out(dropped)]
        for exchange in shown:
            if self.replies:
                parts.append(f"You: {exchange.reply}")
            parts.append(exchange.feedback)
            if every:
                parts.append(exchange.view)
        if dropped and not shown:  # the last feedback is shown always
            parts.append(self._exchanges[-1].feedback)
            if every:
                parts.append(self._exchanges[-1].view)
        if self.views == "last":
            parts.append(self._exchanges[-1].view if self._exchanges else self._first_view)
        return self._bounded(joined(*parts))

    def _messages(self, shown: list[Exchange], dropped: int) -> list[dict[str, str]]:
        """Compose the episode as chat messages."""
        every = self.views == "all"
        first = joined(self._rules, self._first_view if every else "", left_out(dropped))
        messages = [{"role": "user", "content": self._bounded(first)}]
        for exchange in shown:
            content = joined(exchange.feedback, exchange.view if every else "")
            messages.append({"role": "assistant", "content": exchange.reply})
            role = self.tool_role if exchange.tool else "user"
            messages.append({"role": role, "content": content})
        if dropped and not shown:
            last = self._exchanges[-1]
            parts = (messages[0]["content"], last.feedback, last.view if every else "")
            messages[0]["content"] = self._bounded(joined(*parts))
        return messages

    def _bounded(self, text: str) -> str:
        """Cut the middle out of a text that is still too long."""
        if len(text) <= self.max_chars:
            return text
        half = max(0, self.max_chars - len(_GAP)) // 2
        return (text[:half] + _GAP + text[len(text) - half :])[: self.max_chars]

    def snapshot_state(self) -> dict[str, Any]:
        """Return the remembered turns (see :func:`gem_gymnasium.snapshot`)."""
        return {
            "rules": self._rules,
            "first_view": self._first_view,
            "exchanges": [list(exchange) for exchange in self._exchanges],
        }

    def restore_state(self, data: dict[str, Any]) -> None:
        """Take up the turns that ``snapshot_state`` returned."""
        self._rules, self._first_view = data["rules"], data["first_view"]
        self._exchanges = [Exchange(*exchange) for exchange in data["exchanges"]]
