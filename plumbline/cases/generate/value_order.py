"""The values of an element type in a row, each with a place, so that values that conform are intervals of places.

Places are unsigned numbers of the width of the type in memory. Of floating-point numbers they rise from -inf to +inf,
with -0 just below +0, and NaN, which is one value here, has the last place; of integers they rise with the value; of
types such as float8, which are moved and never computed with, the place is the byte. A complex number has two parts,
each with a place.
"""

from __future__ import annotations

import re

import numpy as np

from plumbline.oracle.response import is_float

NARROW = re.compile(r"(u?int|float)([24])(_\w+)?")
"""Types of fewer than eight bits, which have a byte for each element here."""


class Row:
    """The values of one type.

    parts: how many numbers make an element.
    ends:  the first place and the last, NaN apart."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self.parts = 2 if dtype.kind == "c" else 1
        self.number = np.dtype(f"f{dtype.itemsize // 2}") if self.parts == 2 else dtype
        narrow = NARROW.fullmatch(dtype.name)
        self._held = np.dtype("u1" if dtype.name.startswith("u") else "i1") if narrow and "int" in narrow[1] else \
            self.number
        self._bits = f"u{self._held.itemsize}"
        self.width = 8 * self._held.itemsize
        self.is_float = is_float(self.number)
        self._sign, self._all = np.uint64(1 << self.width - 1), np.uint64((1 << self.width) - 1)
        self._signed = self.is_float or self._held.kind == "i"
        with np.errstate(invalid="ignore"):  # bfloat16 warns of a NaN
            self._quiet = np.array(np.nan).astype(self.number) if self.is_float else None
        self.ends = (0, int(self._all))
        if self.is_float:
            self.ends = tuple(self.places(np.array([-np.inf, np.inf]).astype(self.number)).tolist())
        elif narrow:
            count = 1 << int(narrow[2])
            low = int(self._sign) - count // 2 if self._signed else 0
            self.ends = (low, low + count - 1)
        elif dtype.kind == "b":
            self.ends = (0, 1)

    @property
    def nan(self) -> int:
        """The place of NaN in a floating-point type."""
        return int(self._all)

    def bytes_of(self, array: np.ndarray) -> bytes:
        """The elements in the order of their indexes, little-endian; NaN as the quiet one without a sign."""
        return self._bits_of(self._numbers(array)).astype(f"<{self._bits}").tobytes()

    def plain(self, array: np.ndarray) -> np.ndarray:
        """The array with every NaN as `bytes_of` has it, in this machine's order of bytes."""
        bits = self._bits_of(self._numbers(array)).view(self._held)
        return bits.view(self.dtype).reshape(array.shape) if self._held == self.number else array

    def places(self, array: np.ndarray) -> np.ndarray:
        """uint64: of the elements of an array, or of their parts one after another (which may be given themselves)."""
        numbers = self._numbers(array)
        bits = self._bits_of(numbers).astype(np.uint64)
        if not self.is_float:
            return bits ^ self._sign if self._signed else bits
        found = np.where(bits & self._sign, ~bits & self._all, bits | self._sign)
        return np.where(np.asarray(numbers != numbers), self._all, found)

    def values(self, places: np.ndarray) -> np.ndarray:
        """The elements, or their parts, at places: a flat array."""
        bits = places ^ self._sign if self._signed else places
        if self.is_float:
            bits = np.where(places & self._sign, bits, ~places & self._all)
        held = bits.astype(self._bits).view(self._held)
        if self.is_float:
            held = np.where(places == self._all, self._quiet, held)
        return held.astype(self.number)

    def elements(self, parts: np.ndarray) -> np.ndarray:
        """The elements that flat `parts` make."""
        return parts.view(self.dtype) if self.parts == 2 else parts

    def _numbers(self, array: np.ndarray) -> np.ndarray:
        flat = np.ascontiguousarray(array).reshape(-1)
        if self.parts == 2 and flat.dtype.kind != "c":
            return flat.astype(self.number)
        return flat.astype(self.dtype.newbyteorder("=")).view(self.number)

    def _bits_of(self, numbers: np.ndarray) -> np.ndarray:
        if self.is_float:
            numbers = np.where(np.asarray(numbers != numbers), self._quiet, numbers).astype(self.number)
        return numbers.astype(self._held).view(self._bits)
