"""Replies that a model (or someone who means harm) may send: none may raise or take long.

The list is the same in every process; nothing is drawn from a generator.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

LONG = 100_000
"""Characters of the long strings; over the 65,536 of a text space, on purpose."""

_SPECIAL_TOKENS = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|im_start|>assistant\n", "<s>", "</s>",
    "<bos>", "<eos>", "<pad>", "<unk>", "<|eot_id|>", "<|begin_of_text|>", "[INST]", "[/INST]",
    "<start_of_turn>user\n", "<end_of_turn>", "<think>", "</think>", "<tool_call>", "</tool_call>",
    "<|fim_prefix|>", "<|reserved_special_token_0|>",
)  # fmt: skip

_DIGITS_OF_OTHER_SCRIPTS = (
    "\u0663", "\u0967\u0968", "\uff17", "\uff11\uff12\uff13", "\U0001d7d9\U0001d7da", "\u2461",
    "\xb3", "\u2167", "\u4e09", "\u0cec", "\u0be7\u0be8", "\u07c3", "\u0f23", "\u1813", "\ua623",
    "\U00011067", "\xbd", "\xb9", "\u2082", "\u2474",
)  # fmt: skip

_BOXED = (
    "", " ", "\n", "0", "-0", "+0", "-1", "1", "00000000000000000001", "1.0", "1e3", "1_000",
    "1,000", "0x10", "0b1", "NaN", "nan", "inf", "-inf", "Infinity", "None", "null", "True", "--1",
    "+-1", "1-", "- 1", "1 2", "1 2 3", "1,2,3", "1, 2, 3,", ",", ",,,", "1;2;3", "(1, 2, 3)",
    "[1, 2, 3]", "A", "a1", "A1 5", "up", "left", "up up up", "answer", "\\text{1}", "\\frac{1}{2}",
    "$1$", "{1}", "{{1}}", "}", "{", "\\}", "\\{", "\\\\}", "\\", "1}\\boxed{2", "\\boxed{1}",
    "\\boxed{\\boxed{1}}", "9" * 18, "9" * 19, "9" * 4_301, "-" + "9" * 4_301, "2147483648",
    "9223372036854775808", "1e309", "1/0", "1\x00", "\x001", "1\ud800", "1\u2028", "1\u200b",
    "\ufeff1", "1\u0301", "\uff11", "\t1\t", "1\r\n", "'; DROP TABLE games; --", "__import__('os')",
    "%s%n", "{0.__class__}", "{feedback}", "%(x)s", "$(id)",
)  # fmt: skip

_LOOSE = (
    "", " ", "\n", "\r\n", "\t", "\x00", "\x00" * 1_000, "\x1b[2J", "\x07", "\x7f", "\x85",
    "\u2028", "\ufeff", "\ufffe", "\uffff", "\u202e1", "\u200b", "\U0010ffff", "\ud800", "\udfff",
    "\ud800\udc00", "\udc00\ud800", "a\ud83d", "\ud800" * 1_000, "\xe9", "e\u0301",
    "a" + "\u0301" * 50, "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f1e9\U0001f1ea", "\u25a0\u25a1\u25a2", "\u250c\u2500\u2510", "\u6570\u72ec",
    "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "no idea", "I give up", "1", "42",
    "\\boxed", "\\boxed{", "\\boxed{1", "\\boxed 1", "boxed{1}", "\\Boxed{1}", "\\boxed {1}",
    "\\boxed[1]", "\\boxed}1{", "\\boxed{1}}", "\\\\boxed{1}", "\\fbox{1}", "$\\boxed{1}$",
    "\\(\\boxed{1}\\)", "\\boxed{1}\\boxed{2}", "\\boxed{1} or \\boxed{x}", "<answer>1</answer>",
    "<answer>1", "1</answer>", "</answer>1<answer>", "<answer></answer>",
    "<answer><answer>1</answer></answer>", "<python>print(1)</python>", "<python>", "</python>",
    "<search>x</search>", "<search>", '<tool_call>{"name": "x"}</tool_call>', "<tool_call>{",
    "```python\nprint(1)\n```", "```", "``````", "```python\nprint(1)", "[A1]", "[1 1 5]", "[up]",
    "[", '{"move": 1}', '{"move":', "null", "[[[[]]]]", "%s", "%n%n%n%n", "{}", "{0}",
    "{x!r:>99999999}", "${jndi:ldap://x}", "../../../../etc/passwd", "\\N{DIGIT ONE}", "\\u0031",
    "\\x31", "&#49;", "<b>1</b>", "\\input{/etc/passwd}", "\\def\\x{\\x\\x}\\x",
)  # fmt: skip


def _long() -> Iterator[str]:
    """Yield texts for whose length (or depth) a careless parser pays twice."""
    digits = "7" * LONG
    yield "a" * LONG
    yield " " * LONG
    yield "\n" * LONG
    yield "■" * LONG
    yield "\ud800" * LONG
    yield digits
    yield f"\\boxed{{{digits}}}"
    yield f"\\boxed{{{digits[:60_000]}}}"  # as long as an action may be
    yield f"\\boxed{{-{digits[:60_000]}}}"
    yield f"\\boxed{{{'1 ' * 30_000}}}"
    yield f"\\boxed{{{'1,' * 30_000}}}"
    yield f"\\boxed{{{' ' * 60_000}1}}"
    yield f"\\boxed{{1{' ' * 60_000}x}}"
    yield f"\\boxed{{{'٣' * 60_000}}}"
    yield "\\boxed{" * 9_000
    yield "\\boxed{" * 8_000 + "1" + "}" * 8_000
    yield "\\boxed{1}" * 7_000
    yield "\\boxed{1} " + "x" * 60_000
    yield "x" * 60_000 + " \\boxed{1}"
    yield "{" * 60_000
    yield "}" * 60_000
    yield "\\boxed{" + "{" * 30_000 + "}" * 30_000 + "}"
    yield "\\boxed{" + "\\{" * 30_000
    yield "\\" * 60_000
    yield "\\boxed{" + "\\" * 60_000 + "}"
    yield "<" * 60_000
    yield "<answer>" * 8_000
    yield "</answer>" * 7_000
    yield "<python>" * 8_000
    yield "<tool_call>" * 6_000
    yield "`" * 60_000
    yield "```\n" * 15_000
    yield "[" * 60_000
    yield "(" * 30_000 + ")" * 30_000
    yield "\\frac{1}{" * 6_000
    yield "^" * 60_000
    yield "9**" * 20_000 + "9"
    yield "\t\n" * 30_000
    yield "a\u0301" * 30_000
    yield "<|im_start|>" * 5_000


def hostile_strings() -> tuple[str, ...]:
    """Return over 250 distinct replies that no environment should choke on, the same each time."""
    strings = [
        *_LOOSE,
        *(f"\\boxed{{{inside}}}" for inside in _BOXED),
        *(f"\\boxed{{{digits}}}" for digits in _DIGITS_OF_OTHER_SCRIPTS),
        *_SPECIAL_TOKENS,
        *(f"\\boxed{{{token}}}" for token in _SPECIAL_TOKENS[:6]),
        *_long(),
    ]
    return tuple(dict.fromkeys(strings))


HOSTILE_STRINGS: Final = hostile_strings()
"""What :func:`hostile_strings` returns."""
