"""Mutants whose Indices are right until they are stored."""

from __future__ import annotations

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, breaks


def stored(*types: type, clause: str = "Indices.F1", source: str = ""):
    """Makes a mutant of a class: the index passes through these types."""
    def make(pooling: type[Pooling]) -> type[Pooling]:
        def finish_indices(self, indices):
            for dtype in types:
                indices = indices.astype(dtype)
            return self.lay_out(indices)
        pooling.finish_indices = finish_indices
        return breaks(clause, of=MAX, source=source)(pooling)
    return make


@stored(np.uint8, np.int64)
class IndexOf8Bits(Pooling):
    """The index wraps at 256."""


@stored(np.int8, np.int64)
class IndexOf7Bits(Pooling):
    """The index wraps at 128, and is negative above."""


@stored(np.uint16, np.int64)
class IndexOf16Bits(Pooling):
    """The index wraps at 65536."""


@stored(np.int16, np.int64)
class IndexOf15Bits(Pooling):
    """The index wraps at 32768, and is negative above."""


@stored(np.float16, np.int64, source="https://github.com/opencv/opencv/issues/15996")
class IndexInHalf(Pooling):
    """The index passes through float16, which holds whole numbers up to 2048."""


@stored(np.float32, np.int64)
class IndexInSingle(Pooling):
    """The index passes through float32, which holds whole numbers up to 2**24."""


@stored(np.int32, clause="Indices.F3")
class IndicesOf32Bits(Pooling):
    """Indices are int32."""


@stored(np.uint64, clause="Indices.F3")
class IndicesWithoutSign(Pooling):
    """Indices are uint64."""


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
