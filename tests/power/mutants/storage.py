"""Mutants whose Indices are right until they are stored."""

from __future__ import annotations

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, breaks


class Stored(Pooling):
    """For mutants: the index passes through `types`, of which the last is that of Indices."""

    types: tuple[type, ...] = (np.int64,)

    def finish_indices(self, indices):
        """One after another."""
        for dtype in self.types:
            indices = indices.astype(dtype)
        return self.lay_out(indices)


@breaks("Indices.F1", of=MAX)
class IndexOf8Bits(Stored):
    """The index wraps at 256."""

    types = (np.uint8, np.int64)


@breaks("Indices.F1", of=MAX)
class IndexOf7Bits(Stored):
    """The index wraps at 128, and is negative above."""

    types = (np.int8, np.int64)


@breaks("Indices.F1", of=MAX)
class IndexOf16Bits(Stored):
    """The index wraps at 65536."""

    types = (np.uint16, np.int64)


@breaks("Indices.F1", of=MAX)
class IndexOf15Bits(Stored):
    """The index wraps at 32768, and is negative above."""

    types = (np.int16, np.int64)


@breaks("Indices.F1", of=MAX, source="https://github.com/opencv/opencv/issues/15996")
class IndexInHalf(Stored):
    """The index passes through float16, which holds whole numbers up to 2048."""

    types = (np.float16, np.int64)


@breaks("Indices.F1", of=MAX)
class IndexInSingle(Stored):
    """The index passes through float32, which holds whole numbers up to 2**24."""

    types = (np.float32, np.int64)


@breaks("Indices.F3", of=MAX)
class IndicesOf32Bits(Stored):
    """Indices are int32."""

    types = (np.int32,)


@breaks("Indices.F3", of=MAX)
class IndicesWithoutSign(Stored):
    """Indices are uint64."""

    types = (np.uint64,)


@breaks("Indices.F3", of=MAX)
class IndicesInTheTypeOfX(Pooling):
    """Indices have the type of X."""

    def finish_indices(self, indices):
        return self.lay_out(indices.astype(self.dtype))


@breaks("Indices.F1", of=MAX)
class IndexPassesThroughTheTypeOfX(Pooling):
    """The index passes through the type of X."""

    def finish_indices(self, indices):
        return super().finish_indices(indices.astype(self.dtype))


@breaks("Indices.C1", of=MAX)
class IndicesFlat(Pooling):
    """Indices are a list."""

    def finish_indices(self, indices):
        return super().finish_indices(indices).ravel()


@breaks("Indices.C1", of=MAX)
class IndicesInCoordinates(Pooling):
    """Indices are coordinates, one list for each element."""

    def finish_indices(self, indices):
        found = super().finish_indices(indices)
        return np.stack(np.unravel_index(found % max(self.x.size, 1), self.x.shape), axis=-1).astype(np.int64)


@breaks("signature.F1", of=MAX)
class IndicesNotGiven(Pooling):
    """Indices are never given."""

    def outputs(self):
        return {"Y": super().outputs()["Y"]}
