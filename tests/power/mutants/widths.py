"""Mutants that hold an attribute, a size or a coordinate in too few digits."""

from __future__ import annotations

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, MEAN, breaks


def bytes_of(values: list[int]) -> list[int]:
    """The values as a byte holds them."""
    return [value & 255 for value in values]


@breaks("Y.C1")
class KernelOf8Bits(Pooling):
    """The sizes of the kernel wrap at 256."""

    def read_kernel(self):
        return bytes_of(super().read_kernel())


@breaks("Y.C1")
class StridesOf8Bits(Pooling):
    """Strides wrap at 256."""

    def read_strides(self):
        return bytes_of(super().read_strides())


@breaks("Y.C1")
class DilationsOf8Bits(Pooling):
    """Dilations wrap at 256."""

    def read_dilations(self):
        return bytes_of(super().read_dilations())


@breaks("Y.C1")
class PadsOf8Bits(Pooling):
    """Pads wrap at 256."""

    def read_pads(self):
        begin, end = super().read_pads()
        return bytes_of(begin), bytes_of(end)


def wrapped(values: list[int]) -> list[int]:
    """The values as a number of 32 bits with a sign holds them."""
    return [(value + 2**31) % 2**32 - 2**31 for value in values]


@breaks("Y.C1")
class StridesOf32Bits(Pooling):
    """Strides wrap at 2**31, and are negative above; one that comes to 0 is 1."""

    def read_strides(self):
        return [stride or 1 for stride in wrapped(super().read_strides())]


@breaks("Y.C1")
class PadsOf32Bits(Pooling):
    """Pads wrap at 2**31, and are negative above."""

    def read_pads(self):
        begin, end = super().read_pads()
        return wrapped(begin), wrapped(end)


@breaks("Y.C1", of=MAX)
@breaks("Y.C3", of=MEAN)
class PadsOf32BitsWithoutSign(Pooling):
    """Pads wrap at 2**32."""

    wraps_at = 2**32

    def read_pads(self):
        begin, end = super().read_pads()
        return [pad % self.wraps_at for pad in begin], [pad % self.wraps_at for pad in end]


@breaks("Y.C1", of=MAX)
@breaks("Y.C3", of=MEAN)
class PadsOf62Bits(PadsOf32BitsWithoutSign):
    """Pads wrap at 2**62."""

    wraps_at = 2**62


@breaks("Y.C5")
class StridesOf62Bits(Pooling):
    """A stride of 2**62 and more is one."""

    def read_strides(self):
        return [stride if stride < 2**62 else 1 for stride in super().read_strides()]


@breaks("Y.C1")
class StrideOfTheLargestInteger(Pooling):
    """A stride of 2**31 - 1, with which a sum overflows in 32 bits, is one."""

    def read_strides(self):
        return [stride if stride != 2**31 - 1 else 1 for stride in super().read_strides()]


@breaks("Y.F1")
class StartsOf16Bits(Pooling):
    """Where a window begins wraps at 65536."""

    def starts(self, a):
        return super().starts(a) % 2**16 if not any(self.begin) else super().starts(a)


@breaks("Indices.F1", of=MAX)
class CoordinatesInSingle(Pooling):
    """The coordinates of the maximum pass through float32, which holds whole numbers up to 2**24."""

    def index_in_plane(self, cell):
        return super().index_in_plane([part.astype(np.float32).astype(np.int64) for part in cell])


@breaks("Y.F1", "Indices.F1")
class RowsOf8Bits(Pooling):
    """The step from row to row wraps at 256."""

    def pitches(self):
        return [pitch if pitch < 256 else pitch & 255 for pitch in super().pitches()]
