"""From an observation to prompt tokens, so that no text can pose as a special token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from transformers import PreTrainedTokenizerBase

from gem_gymnasium import errors, parsing

OBSERVATION = "{observation}"

PROMPT_TEMPLATES: Mapping[str, str] = {
    "none": OBSERVATION,
    "game": (
        "You are playing a game in turns. Read what you see, think it through step by step, and "
        "give your move in the form the rules ask for.\n\n"
        f"{OBSERVATION}\n\nMove:\n"
    ),
    "question": (
        "Answer the question below. Reason step by step and put the final answer in \\boxed{}.\n\n"
        f"Question: {OBSERVATION}\n\nAnswer:\n"
    ),
    "code": (
        "Write a correct and efficient Python program for the task below. Think first, then give "
        "the whole program in one Markdown code block.\n\n"
        f"Task: {OBSERVATION}\n\nSolution:\n"
    ),
}
"""Named templates for models without a chat template."""

# Private-use characters: no template contains them, and contents are never searched for them.
_MARK_OPEN, _MARK_CLOSE = "\ue000", "\ue001"


class PromptEncoder:
    """Encode observations for one tokenizer.

    A tokenizer with a chat template gets ``info["messages"]`` if the env gives them, else one user
    message with the observation, and the generation prompt. One without gets ``prompt_template``
    with the observation filled in.

    Args:
        tokenizer: The policy's tokenizer.
        prompt_template: A name in ``PROMPT_TEMPLATES``, or a text that holds ``{observation}``.
        chat_template_kwargs: Passed on to ``apply_chat_template``.

    Raises:
        ConfigError: The template has no ``{observation}``.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        prompt_template: str = "none",
        chat_template_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        self._template = PROMPT_TEMPLATES.get(prompt_template, prompt_template)
        if OBSERVATION not in self._template:
            raise errors.ConfigError(
                f"prompt_template must be one of {', '.join(PROMPT_TEMPLATES)} or hold "
                f"{OBSERVATION}, got {prompt_template!r}"
            )
        self._tokenizer: Any = tokenizer
        self._chat_kwargs = dict(chat_template_kwargs or {})
        added = cast("Mapping[int, Any]", self._tokenizer.added_tokens_decoder)
        self._special_texts = tuple(
            {token.content for token in added.values() if token.special}
            | set(self._tokenizer.all_special_tokens)
        )

    def encode(self, observation: str, info: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the prompt's token ids for one observation and its info."""
        if not self._tokenizer.chat_template:
            before, after = self._template.split(OBSERVATION, 1)
            text = parsing.replace_surrogates(observation)
            if not self._holds_special(text):
                return self._ids(before + text + after, start=True)
            return self._join([before, after], [text])
        messages = info.get("messages") or [{"role": "user", "content": observation}]
        return self.encode_messages(messages, add_generation_prompt=True)

    def encode_messages(
        self, messages: Sequence[Mapping[str, str]], *, add_generation_prompt: bool
    ) -> tuple[int, ...]:
        """Return the token ids of a chat."""
        contents = [parsing.replace_surrogates(message["content"]) for message in messages]
        if not any(map(self._holds_special, contents)):
            return self._ids(self._render(messages, contents, add_generation_prompt))
        # A content spells out a special token: encode the template and the contents apart.
        marks = [f"{_MARK_OPEN}{i}{_MARK_CLOSE}" for i in range(len(contents))]
        rendered = self._render(messages, marks, add_generation_prompt)
        pieces: list[str] = []
        shown: list[str] = []
        for part in rendered.split(_MARK_OPEN):
            number, mark, rest = part.partition(_MARK_CLOSE)
            if mark:  # a template may leave contents out, so each is found by its number
                shown.append(contents[int(number)])
                pieces.append(rest)
            else:
                pieces.append(part)
        return self._join(pieces, shown, start=False)

    def encode_reply(self, text: str) -> tuple[int, ...]:
        """Return the token ids of a whole reply, its end-of-sequence token included."""
        return (*self._ids(text, plain=True), self._tokenizer.eos_token_id)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of sampled ids, special tokens left out."""
        return cast(
            "str",
            self._tokenizer.decode(
                list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False
            ),
        )

    def _render(
        self, messages: Sequence[Mapping[str, str]], contents: Sequence[str], prompt: bool
    ) -> str:
        chat = [
            {**message, "content": content}
            for message, content in zip(messages, contents, strict=True)
        ]
        return cast(
            "str",
            self._tokenizer.apply_chat_template(
                chat, tokenize=False, add_generation_prompt=prompt, **self._chat_kwargs
            ),
        )

    def _holds_special(self, text: str) -> bool:
        return any(special in text for special in self._special_texts)

    def _ids(self, text: str, *, start: bool = False, plain: bool = False) -> tuple[int, ...]:
        """Tokenize: ``start`` adds what the tokenizer puts first, ``plain`` knows no specials."""
        ids = self._tokenizer(text, add_special_tokens=start, split_special_tokens=plain)
        return tuple(ids["input_ids"])

    def _join(
        self, pieces: Sequence[str], contents: Sequence[str], *, start: bool = True
    ) -> tuple[int, ...]:
        """Encode ``pieces`` with special tokens and the ``contents`` between them without."""
        ids = list(self._ids(pieces[0], start=start))
        for content, piece in zip(contents, pieces[1:], strict=True):
            ids += self._ids(content, plain=True)
            ids += self._ids(piece)
        return tuple(ids)
