"""Python's values as JSON that keeps apart what Python's types do (a tuple from a list).

Used on both sides of the sandbox: see :func:`inside`. Imports the standard library only, and
nothing from the future, since it runs as a text behind others.
"""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any, NamedTuple, cast

MAX_DEPTH = 60
"""Lists in lists."""

MAX_TEXT = 200
"""Characters of a value that has no form in JSON."""

_KINDS: tuple[type[Any], ...] = (list, tuple, set, frozenset, dict)


class Other(NamedTuple):
    """A value without a form in JSON: its ``repr``."""

    text: str


def encode(value: Any, depth: int = 0) -> Any:
    """Return a value as JSON that keeps apart what Python's types do."""
    if value is None or value is True or value is False or type(value) is str:
        return value
    if depth > MAX_DEPTH:
        return {"other": "..."}
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool | str):
        return bool(value) if isinstance(value, bool) else str.__str__(value)
    if isinstance(value, int):
        return {"int": hex(value)}
    if isinstance(value, float):
        return {"float": float.__repr__(value)}
    if isinstance(value, complex):
        return {"complex": [float.__repr__(value.real), float.__repr__(value.imag)]}
    if isinstance(value, bytes | bytearray):
        return {"bytes": bytes(value).hex()}
    for kind in _KINDS:
        if isinstance(value, kind):
            items: Any = dict[Any, Any].items(value) if kind is dict else kind.__iter__(value)
            forms = [encode(item, depth + 1) for item in items]
            # the order of a set is another in each process
            return {kind.__name__: sorted(forms, key=repr) if "set" in kind.__name__ else forms}
    return {"other": repr(value)[:MAX_TEXT]}


def decode(form: Any) -> Any:
    """Return the value that ``encode`` gave a form.

    Raises:
        ValueError: It is no such form.
        TypeError: Ditto.
    """
    if not isinstance(form, dict):
        if isinstance(form, list):
            raise ValueError("a list without its type")
        return form
    ((name, inner),) = cast("dict[str, Any]", form).items()
    if name == "int":
        return int(inner, 16)
    if name == "float":
        return float(inner)
    if name == "complex":
        return complex(*map(float, inner))
    if name == "bytes":
        return bytes.fromhex(inner)
    if name == "other":
        return Other(str(inner))
    for kind in _KINDS:
        if name == kind.__name__:
            return kind([decode(item) for item in inner])
    raise ValueError(f"no form of a value: {name!r}")


def is_plain(form: Any) -> bool:
    """Return whether the value of a form that ``decode`` takes holds no ``Other``."""
    if not isinstance(form, dict):
        return True
    ((name, inner),) = cast("dict[str, Any]", form).items()
    return name != "other" and all(map(is_plain, inner))


def inside(names: Iterable[str], call: str = "") -> str:
    """Return files of this folder as one program for the sandbox, which has none of the package.

    Their imports from the package are left out: each finds what it needs in the files before it.

    Args:
        names: The files' names, or paths, in their order.
        call: What the program does when all is defined.
    """
    texts = [files(__package__ or "").joinpath(name).read_text(encoding="utf-8") for name in names]
    lines = [line for text in texts for line in text.splitlines()]
    kept = [line for line in lines if not line.startswith("from gem_gymnasium.")]
    return "\n".join([*kept, call, ""])
