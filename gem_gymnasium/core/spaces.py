"""UnicodeText: a gymnasium Text space that takes any str and works in every vector env.

``gymnasium.spaces.Text`` needs a fixed charset, checks it character by character, and in
``AsyncVectorEnv``'s shared memory never refreshes what it first read. This subclass keeps
``isinstance(space, Text)`` and registers its own handlers on gymnasium's public single-dispatch
functions; nothing of gymnasium is patched.
"""

from __future__ import annotations

import contextlib
import ctypes
import string
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Space, Text
from gymnasium.spaces import utils as space_utils
from gymnasium.vector.utils import shared_memory

from gem_gymnasium.core.errors import ConfigError

MAX_CHARS = 65_536
"""Characters of the longest action or observation; one size, so that ids mix in a vector env."""

_NO_CHARACTER = 0x110000  # one past the last code point: padding in flattened text
_LENGTH_BYTES = 8  # each shared-memory slot starts with its text's length in bytes, an int64
_BYTES_PER_CHARACTER = 4  # the most UTF-8 needs
_SAMPLE_CHARACTERS = string.ascii_letters + string.digits + " "


class UnicodeText(Text):
    """Any ``str`` of ``min_length`` to ``max_length`` characters (any code point, also surrogates).

    Args:
        max_length: Characters of the longest text.
        min_length: Characters of the shortest text.
        max_sample_length: Characters of the longest text that ``sample`` draws.
        seed: Seed of ``sample``.
    """

    def __init__(
        self,
        max_length: int = MAX_CHARS,
        *,
        min_length: int = 0,
        max_sample_length: int = 64,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(max_length, min_length=min_length, charset=_SAMPLE_CHARACTERS, seed=seed)
        self.max_sample_length = max(min_length, min(max_length, max_sample_length))

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` is a str of a permitted length; constant time."""
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Draw a short text of letters, digits and spaces.

        Args:
            mask: ``(length or None, charset mask or None)`` as for ``Text``.
            probability: As for ``Text``.
        """
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        length = int(self.np_random.integers(self.min_length, self.max_sample_length + 1))
        picks = self.np_random.integers(len(_SAMPLE_CHARACTERS), size=length)
        return "".join(_SAMPLE_CHARACTERS[int(i)] for i in picks)

    def __repr__(self) -> str:
        return f"UnicodeText({self.min_length}, {self.max_length})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UnicodeText)
            and self.min_length == other.min_length
            and self.max_length == other.max_length
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # mutable (it holds an RNG), like Text


def require_texts(env: gym.Env[Any, Any], who: str) -> None:
    """Refuse an env whose observations or actions are no texts.

    Args:
        env: Any env.
        who: What needs texts, for the message.

    Raises:
        ConfigError: A space is no text space.
    """
    spaces = {"observations": env.observation_space, "actions": env.action_space}
    for what, space in spaces.items():
        if not isinstance(space, Text):
            raise ConfigError(f"{who} needs text {what}, got {space}")


class _SharedTexts(Sequence[str]):
    """The texts of all envs in shared memory, read anew at each access.

    gymnasium decodes shared memory once, in the constructor, and from then on deep-copies what it
    got. So the deep copy is where the current texts are read: it gives a plain ``tuple[str]``.
    """

    def __init__(self, memory: npt.NDArray[np.uint8], slot_bytes: int, n: int) -> None:
        self._memory, self._slot_bytes, self._n = memory, slot_bytes, n

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(self._n)))
        start = range(self._n)[index] * self._slot_bytes
        text = start + _LENGTH_BYTES
        length = int(self._memory[start:text].view(np.int64)[0])
        return self._memory[text : text + length].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(self._n))

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __copy__(self) -> tuple[str, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return repr(tuple(self))


def _slot_bytes(space: UnicodeText) -> int:
    used = _LENGTH_BYTES + _BYTES_PER_CHARACTER * space.max_length
    return -(-used // _LENGTH_BYTES) * _LENGTH_BYTES  # so that every length is aligned


def _create_shared_memory(space: UnicodeText, n: int = 1, ctx: Any = None) -> Any:
    return ctx.Array(ctypes.c_uint8, n * _slot_bytes(space))


def _read_from_shared_memory(space: UnicodeText, shared_memory: Any, n: int = 1) -> Any:
    memory = np.frombuffer(shared_memory.get_obj(), np.uint8)
    return _SharedTexts(memory, _slot_bytes(space), n)


def _write_to_shared_memory(space: UnicodeText, index: int, value: str, shared_memory: Any) -> None:
    data = value.encode("utf-8", "surrogatepass")
    if len(value) > space.max_length:
        raise ValueError(f"{len(value)} characters in a space of at most {space.max_length}")
    memory = np.frombuffer(shared_memory.get_obj(), np.uint8)
    start = index * _slot_bytes(space)
    text = start + _LENGTH_BYTES
    memory[start:text].view(np.int64)[0] = len(data)
    memory[text : text + len(data)] = np.frombuffer(data, np.uint8)


def _flatten(space: UnicodeText, x: str) -> npt.NDArray[np.int32]:
    flat = np.full(space.max_length, _NO_CHARACTER, np.int32)
    flat[: len(x)] = np.frombuffer(x.encode("utf-32-le", "surrogatepass"), "<u4")
    return flat


def _unflatten(space: UnicodeText, x: npt.NDArray[Any]) -> str:
    codes = np.asarray(x)
    return codes[codes < _NO_CHARACTER].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _flatten_space(space: UnicodeText) -> Box:
    return Box(0, _NO_CHARACTER, (space.max_length,), np.int32)


def _is_equivalent(space_1: UnicodeText, space_2: Space[Any]) -> bool:
    return isinstance(space_2, UnicodeText)


def _leave_text_alone(value: str, xp: Any, device: Any = None) -> str:
    return value


def _leave_objects_alone(value: npt.NDArray[Any], xp: Any, device: Any = None) -> Any:
    """Convert an array of numbers as gymnasium does; texts (the infos of a batch) stay."""
    return value if value.dtype.kind in "OSU" else _convert_numbers(value, xp, device)


def _convert_numbers(value: npt.NDArray[Any], xp: Any, device: Any) -> Any:
    from gymnasium.wrappers.array_conversion import array_conversion

    # What arrays dispatch to without the handler above: arrays are no registered Iterable type.
    return array_conversion.dispatch(Iterable)(value, xp, device)


def _register_handlers() -> None:
    """Register what UnicodeText does in gymnasium's dispatch tables."""
    space_utils.flatten.register(UnicodeText, _flatten)
    space_utils.unflatten.register(UnicodeText, _unflatten)
    # pyright: ignore below: gymnasium's own return types are partly untyped.
    space_utils.flatten_space.register(  # pyright: ignore[reportUnknownMemberType]
        UnicodeText, _flatten_space
    )
    space_utils.is_space_dtype_shape_equiv.register(UnicodeText, _is_equivalent)
    shared_memory.create_shared_memory.register(  # pyright: ignore[reportUnknownMemberType]
        UnicodeText, _create_shared_memory
    )
    shared_memory.read_from_shared_memory.register(UnicodeText, _read_from_shared_memory)
    shared_memory.write_to_shared_memory.register(UnicodeText, _write_to_shared_memory)
    # ArrayConversion (and with it the torch and jax wrappers) takes a str for an iterable of
    # arrays and returns the repr of a generator; of an array of strs, as in the infos of every
    # vector env of texts, it raises. Without array-api-compat there is no such wrapper.
    with contextlib.suppress(ImportError):
        from gymnasium.wrappers.array_conversion import array_conversion

        array_conversion.register(str, _leave_text_alone)
        array_conversion.register(np.ndarray, _leave_objects_alone)


_register_handlers()
