"""Map the values of an element type to ordered integers.

In this order, the values that conform to a specification form intervals. The integer is the place of a value, unsigned
and as wide as the type in memory. For floating-point numbers it rises from -inf to +inf, with -0 just below +0; NaN,
which counts as one value, comes last. For integers it rises with the value. For types such as float8, which operators
move and never compute with, it is the byte. A complex number has two parts, each with a place.
"""

from __future__ import annotations

import re

import numpy as np

from plumbline.oracle.response import is_float

NARROW = re.compile(r"(u?int|float)([24])(_\w+)?")
"""Types of 2 and 4 bits, which take a byte for each element in memory."""


class Row:
    """The ordered values of a type.

    parts: numbers in an element: 2 for complex types.
    ends:  the first and the last place, NaN aside."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self.parts = 2 if dtype.kind == "c" else 1
        self.number = np.dtype(f"f{dtype.itemsize // 2}") if self.parts == 2 else dtype
        narrow = NARROW.fullmatch(dtype.name)
        # in memory, an integer of 2 or 4 bits is one of 8
        self._stored = np.dtype("u1" if dtype.name.startswith("u") else "i1") if narrow and "int" in narrow[1] else \
            self.number
        self._bits = f"u{self._stored.itemsize}"
        self.width = 8 * self._stored.itemsize
        self.is_float = is_float(self.number)
        self._sign, self._all = np.uint64(1 << self.width - 1), np.uint64((1 << self.width) - 1)
        self._signed = self.is_float or self._stored.kind == "i"
        with np.errstate(invalid="ignore"):  # bfloat16 warns of a NaN
            self._quiet = np.array(np.nan if self.is_float else 0).astype(self.number)
        self.ends = (0, int(self._all))
        if self.is_float:
            self.ends = tuple(self.places(np.array([-np.inf, np.inf]).astype(self.number)).tolist())
        elif narrow:
            count = 1 << int(narrow[2])
            low = int(self._sign) - count // 2 if self._signed else 0  # the sign bit is flipped
            self.ends = (low, low + count - 1)
        elif dtype.kind == "b":
            self.ends = (0, 1)

    @property
    def nan(self) -> int:
        """The place of NaN in a floating-point type."""
        return int(self._all)

    def bytes_of(self, array: np.ndarray) -> bytes:
        """Return the elements in row-major order, little-endian, every NaN quiet and positive."""
        return self._bits_of(self._numbers(array)).astype(f"<{self._bits}").tobytes()

    def plain(self, array: np.ndarray) -> np.ndarray:
        """Return the array with every NaN quiet and positive, in native byte order."""
        bits = self._bits_of(self._numbers(array)).view(self._stored)
        return bits.view(self.dtype).reshape(array.shape) if self._stored == self.number else array

    def places(self, array: np.ndarray) -> np.ndarray:
        """Return the place of each part of each element, or of parts given as such: uint64, flat."""
        numbers = self._numbers(array)
        bits = self._bits_of(numbers).astype(np.uint64)
        if not self.is_float:
            return bits ^ self._sign if self._signed else bits
        places = np.where(bits & self._sign, ~bits & self._all, bits | self._sign)
        return np.where(np.asarray(numbers != numbers), self._all, places)

    def values(self, places: np.ndarray) -> np.ndarray:
        """Return the elements, or their parts, at places: a flat array."""
        bits = places ^ self._sign if self._signed else places
        if self.is_float:
            bits = np.where(places & self._sign, bits, ~places & self._all)
        numbers = bits.astype(self._bits).view(self._stored)
        if self.is_float:
            numbers = np.where(places == self._all, self._quiet, numbers)
        return numbers.astype(self.number)

    def elements(self, parts: np.ndarray) -> np.ndarray:
        """Return the elements that flat parts make up."""
        return parts.view(self.dtype) if self.parts == 2 else parts

    def _numbers(self, array: np.ndarray) -> np.ndarray:
        flat = np.ascontiguousarray(array).reshape(-1)
        if self.parts == 2 and flat.dtype.kind != "c":
            return flat.astype(self.number)
        return flat.astype(self.dtype.newbyteorder("=")).view(self.number)

    def _bits_of(self, numbers: np.ndarray) -> np.ndarray:
        if self.is_float:
            numbers = np.where(np.asarray(numbers != numbers), self._quiet, numbers).astype(self.number)
        return numbers.astype(self._stored).view(self._bits)
