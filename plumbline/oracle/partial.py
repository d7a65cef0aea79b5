"""Represent calls known in part: reading what is unknown raises Undecided.

A predicate that answers about such a call without raising has read nothing unknown, so its answer holds whatever the
unknown parts are.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NoReturn

import numpy as np


class Undecided(Exception):
    """Something was read that is not known; the text says what: ``the size of X on axis 2``."""


class UnknownSize:
    """The size of one axis of a tensor: it can be shown (as the model's symbol, or ?), and is equal to those of the
    same symbol."""

    def __init__(self, tensor: str, axis: int, symbol: str) -> None:
        self._tensor = tensor
        self._axis = axis
        self._symbol = symbol

    def __repr__(self) -> str:
        return self._symbol or "?"

    def _asked(self, *_: object) -> NoReturn:
        named = f" ({self._symbol})" if self._symbol else ""
        raise Undecided(f"the size of {self._tensor} on axis {self._axis}{named}")

    def __eq__(self, other: object) -> bool:
        """Sizes of one symbol are equal, as ONNX has it; nothing else is known of them."""
        return isinstance(other, UnknownSize) and other._symbol == self._symbol != "" or self._asked()

    def __ne__(self, other: object) -> bool:
        return not self == other

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = _asked
    __index__ = __int__ = __float__ = __neg__ = __abs__ = _asked
    __add__ = __sub__ = __mul__ = __floordiv__ = __truediv__ = __mod__ = __divmod__ = __pow__ = _asked
    __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rtruediv__ = __rmod__ = __rdivmod__ = __rpow__ = _asked


class PartialTensor:
    """An input with its element type and shape, as far as they are known, and none of its elements.

    dtype: None where unknown. shape: None where even the rank is; a size that is not known is its symbol, or "".
    name: of the input, for messages."""

    def __init__(self, dtype: np.dtype | None, shape: tuple[int | str, ...] | None, name: str = "X") -> None:
        self._dtype = dtype
        self._name = name
        self._shape = None if shape is None else tuple(
            UnknownSize(name, axis, size) if isinstance(size, str) else size for axis, size in enumerate(shape))

    @property
    def dtype(self) -> np.dtype:
        """The element type. Raises Undecided."""
        if self._dtype is None:
            raise Undecided(f"the element type of {self._name}")
        return self._dtype

    @property
    def shape(self) -> tuple[int | UnknownSize, ...]:
        """The sizes, unknown ones among them. Raises Undecided where the rank is not known."""
        if self._shape is None:
            raise Undecided(f"the rank of {self._name}")
        return self._shape

    @property
    def ndim(self) -> int:
        """The rank. Raises Undecided."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements. Raises Undecided."""
        return math.prod(map(int, self.shape))

    def _asked(self, *_: object, **__: object) -> NoReturn:
        raise Undecided(f"the elements of {self._name}")

    __getattr__ = __array__ = __array_ufunc__ = __array_function__ = _asked
    __len__ = __iter__ = __getitem__ = __contains__ = __bool__ = __int__ = __index__ = __float__ = _asked
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __abs__ = __invert__ = _asked
    __add__ = __sub__ = __mul__ = __floordiv__ = __truediv__ = __mod__ = __pow__ = __and__ = __or__ = _asked
    __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rtruediv__ = __rmod__ = __rpow__ = _asked
    __hash__ = object.__hash__


class PartialAttributes(Mapping[str, Any]):
    """Attributes of which some (a function's, given by its caller) are not known: neither their value nor whether they
    are set."""

    def __init__(self, known: Mapping[str, Any], unknown: Collection[str]) -> None:
        self._known = known
        self._unknown = unknown

    def _ask(self, name: str) -> None:
        if name in self._unknown:
            raise Undecided(f"the attribute {name}")

    def __getitem__(self, name: str) -> Any:
        self._ask(name)
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        self._ask(str(name))
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        yield from self._known
        for name in self._unknown:
            self._ask(name)

    def __len__(self) -> int:
        return sum(1 for _ in self)
