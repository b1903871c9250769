r"""One spelling for answers that mean the same: LaTeX's and Unicode's many ways of writing.

Pure, linear in the length of the text, never raises. What is left is still LaTeX; nothing is
computed.
"""

from __future__ import annotations

import re

_DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("**", "**"), ("`", "`"))

_LATEX_CALLS = {"exp": "e^", "sqrt": "\\sqrt"}

_FONTS = (
    "text|textbf|textit|textrm|textsf|texttt|mathrm|mathbf|mathit|mathsf|mbox|hbox|operatorname"
)
_FONT = re.compile(rf"\\(?:{_FONTS})\*?\s*\{{([^{{}}]*)\}}")

_DROPPED = re.compile(
    r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits|qquad|quad|middle)(?![a-zA-Z])"
)
_NO_SPACE = re.compile(r"\\!\s*")
_SPACE = re.compile(r"\\[ ,;:>]|~|[\u00a0\u2009\u202f\u200b\ufeff]")

_COMMANDS = {
    "dfrac": "\\frac", "tfrac": "\\frac", "cfrac": "\\frac", "dbinom": "\\binom",
    "tbinom": "\\binom", "cdot": "*", "times": "*", "ast": "*", "div": "/", "leq": "\\le ",
    "leqslant": "\\le ", "geq": "\\ge ", "geqslant": "\\ge ", "neq": "\\ne ", "lbrace": "\\{",
    "rbrace": "\\}", "lbrack": "[", "rbrack": "]", "degree": "°", "degrees": "°",
    "infin": "\\infty ", "varnothing": "\\emptyset ", "approx": "\\approx ", "percent": "%",
    "textdollar": "$", "dots": "...", "ldots": "...", "cdots": "...", "lt": "<", "gt": ">",
    "colon": ":",
}  # fmt: skip
_COMMAND = re.compile(rf"\\({'|'.join(_COMMANDS)})(?![a-zA-Z])")

_CIRCLE = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![a-zA-Z]))")
_CHARACTERS = str.maketrans(
    dict.fromkeys("\u2212\u2013\u2014\u2010\u2011", "-")
    | dict.fromkeys("\u00d7\u00b7\u22c5\u2217", "*")
    | dict.fromkeys("\u00f7\u2215\u2044", "/")
    | {
        "\u2264": "\\le ", "\u2265": "\\ge ", "\u2260": "\\ne ", "\u2248": "\\approx ",
        "\u00b1": "\\pm ", "\u221e": "\\infty ", "\u03c0": "\\pi ", "\u03b8": "\\theta ",
        "\u2205": "\\emptyset ", "\u222a": "\\cup ", "\u2229": "\\cap ", "\u2208": "\\in ",
        "\u211d": "\\mathbb{R}", "\u00b2": "^{2}", "\u00b3": "^{3}", "\u00ba": "°",
        "\u00bd": " \\frac{1}{2}", "\u2153": " \\frac{1}{3}", "\u2154": " \\frac{2}{3}",
        "\u00bc": " \\frac{1}{4}", "\u00be": " \\frac{3}{4}",
        "\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\uff0c": ",",
    }
)  # fmt: skip
_ROOT = re.compile(r"\u221a\s*(\d+|[a-zA-Z])")

_FRACTION = re.compile(r"\\frac\s*(?:\{\s*([^{}]*?)\s*\}|(\w))\s*(?:\{\s*([^{}]*?)\s*\}|(\w))")
_SHORT_ROOT = re.compile(r"\\sqrt\s*([0-9a-zA-Z])(?![0-9])")
_SHORT_POWER = re.compile(r"\^\s*\{\s*([0-9a-zA-Z])\s*\}")
# Models double backslashes, but between the rows of a matrix they are right.
_DOUBLED = re.compile(
    r"(?<!\\)\\\\(?=(?:[dt]?frac|sqrt|text|math|pi|cdot|times|left|right|infty|begin|end|pm|cup|log|"
    r"ln|sin|cos|tan|angle|circ|boxed)(?![a-z]))"
)
_GROUPED = re.compile(r"(?<=\d)\{,\}(?=\d{3})")
_SHORT_BINOMIAL = re.compile(r"\\binom\s*(\w)\s*(\w)")
_NEGATIVE = re.compile(r"(?<![\w\\])(?:negative|minus) ?(?=[\d.$\\(])", re.IGNORECASE)
_LEAD = re.compile(r"^(?:\\approx|\\implies|\\therefore|(?:=|is)(?=[\s$\\\d-])|and so)\s*")
_ANSWER_IS = re.compile(r"\banswer\s*(?:is\b\s*:?|:|=)\s*", re.IGNORECASE)
_INFINITY = re.compile(r"(?<![a-zA-Z\\])(?:infinity|inf)(?![a-zA-Z])", re.IGNORECASE)
_ONE_LETTER = re.compile(r"\\(?:mathrm|text|operatorname)\{([a-zA-Z])\}")
_CALL = re.compile(r"(?<![a-zA-Z\\])(exp|sqrt)\s*\(([^()]*)\)")
_NAME = re.compile(
    r"(?<![a-zA-Z\\])(pi|theta|infinity|sin|cos|tan|log|ln|arcsin|arccos|arctan)(?![a-zA-Z])"
)
_SIGNS = re.compile(r"\+\s*-")
_LONG_POWER = re.compile(r"\^\s*(?:(-?\d{2,}|-\d)|\(([^()]*)\))")
_LOOSE = re.compile(r"(?<![0-9A-Za-z]) | (?![0-9A-Za-z])")


def canonical(text: str) -> str:
    """Return the text of an answer in one spelling, with single spaces."""
    text = _DOUBLED.sub(r"\\", unwrapped(text)).replace("\\\\", " \\cr ")
    text = _GROUPED.sub(",", _NO_SPACE.sub("", text))
    text = _CIRCLE.sub("°", text)
    text = _DROPPED.sub("", text)
    text = _COMMAND.sub(lambda match: _COMMANDS[match[1]], text)
    text = _ROOT.sub(r"\\sqrt{\1}", text).translate(_CHARACTERS)
    text = _SPACE.sub(" ", text)
    text = _FONT.sub(r" \1 ", text)
    text = text.replace("\\%", "%").replace("\\$", "$").replace("\\&", "&")
    text = _INFINITY.sub(r"\\infty", text)
    text = _FRACTION.sub(_fraction, text)
    text = _SHORT_ROOT.sub(r"\\sqrt{\1}", text)
    text = _NEGATIVE.sub("-", _SHORT_BINOMIAL.sub(r"\\binom{\1}{\2}", text))
    text = _SHORT_POWER.sub(r"^\1", text)
    text = " ".join(text.split())
    text = _LEAD.sub("", text)
    return unwrapped(text.rstrip(" .,;:\\"))


def _fraction(match: re.Match[str]) -> str:
    above, below = match[1] or match[2] or "", match[3] or match[4] or ""
    return f"\\frac{{{above}}}{{{below}}}"


def unwrapped(text: str) -> str:
    r"""Return text without the signs of a formula around it: ``$``, ``\(``, ``\[``, ``**``."""
    text = text.strip()
    for _ in range(4):
        for opening, closing in _DELIMITERS:
            size = len(opening) + len(closing)
            inner = text[len(opening) : -len(closing)]
            if (
                len(text) > size
                and text.startswith(opening)
                and text.endswith(closing)
                and opening not in inner
            ):
                text = inner.strip()
                break
        else:
            break
    return text


def squeezed(text: str) -> str:
    """Return canonical text in lower case and without the spaces that say nothing.

    A space between two letters or digits stays: ``1 1/2`` is not ``11/2``.
    """
    return _LOOSE.sub("", text).lower()


def as_latex(text: str) -> str:
    """Return an answer's text with what programs write (``x**2``, ``sqrt(2)``, ``pi``) as LaTeX."""
    text = _DOUBLED.sub(r"\\", unwrapped(text)).replace("**", "^").translate(_CHARACTERS)
    text = _ROOT.sub(r"\\sqrt{\1}", text)
    text = _ONE_LETTER.sub(r"\1", text)
    text = _CALL.sub(lambda call: f"{_LATEX_CALLS[call[1]]}{{{call[2]}}}", text)
    text = _NAME.sub(r"\\\1 ", text)
    text = _LONG_POWER.sub(lambda power: f"^{{{power[1] or power[2]}}}", text)
    return _SIGNS.sub("-", text)


def after_lead_in(text: str) -> str:
    """Return what comes after the last "answer is" or "answer:" of a sentence, else all."""
    rest = ""
    for match in _ANSWER_IS.finditer(text):
        rest = text[match.end() :].lstrip(" }*").rstrip(" .*")
    return rest or text
