"""Mutants that refuse inputs inside the domain, or outputs. Each names clauses that a refused case is there for."""

from __future__ import annotations

from tests.power.mutant import MAX, MEAN, breaks
from tests.power.mutants.refusals import Refusing

# X


@breaks("X.C1")
class RefusesOneAxis(Refusing):
    """Refuses X with one spatial axis."""

    def refused(self):
        return self.rank == 1


@breaks("X.C1")
class RefusesThreeAxes(Refusing):
    """Refuses X with three spatial axes."""

    def refused(self):
        return self.rank == 3


@breaks("X.C1", of=MAX)
class RefusesFourAxes(Refusing):
    """Refuses X with four spatial axes."""

    def refused(self):
        return self.rank > 3


@breaks("kernel_shape.C2")
class RefusesAnythingButTwoAxes(Refusing):
    """Refuses X with any number of spatial axes but two."""

    def refused(self):
        return self.rank != 2


@breaks("X.C2", "X.C3")
class RefusesHalf(Refusing):
    """Refuses float16."""

    def refused(self):
        return self.dtype == "float16"


@breaks("X.C2", "X.C3")
class RefusesDouble(Refusing):
    """Refuses float64."""

    def refused(self):
        return self.dtype == "float64"


@breaks("X.C3", of=MAX)
class RefusesSignedBytes(Refusing):
    """Refuses int8."""

    def refused(self):
        return self.dtype == "int8"


@breaks("X.C3", "X.C4", of=MAX, source="https://github.com/ROCm/AMDMIGraphX/pull/2973")
class RefusesBytes(Refusing):
    """Refuses uint8."""

    def refused(self):
        return self.dtype == "uint8"


@breaks("Y.F3")
class RefusesBatches(Refusing):
    """Refuses a batch above 1."""

    def refused(self):
        return self.batches > 1


@breaks("Y.F3", of=MAX, source="https://github.com/tenstorrent/tt-metal/issues/13624")
class RefusesChannelsOffTheBlock(Refusing):
    """Refuses more than 16 channels where their number is no multiple of 16."""

    def refused(self):
        return self.channels > 16 and self.channels % 16 != 0


# Outputs


@breaks("Indices.F1", of=MAX)
class RefusesIndices(Refusing):
    """Refuses to give Indices."""

    def refused(self):
        return self.with_indices


@breaks("Indices.F1", of=MAX)
class RefusesIndicesOfDilatedWindows(Refusing):
    """Refuses to give Indices where a window is dilated."""

    def refused(self):
        return self.with_indices and max(self.dilations) > 1


@breaks("Indices.F2", of=MAX)
class RefusesColumnMajor(Refusing):
    """Refuses storage_order 1."""

    def refused(self):
        return self.given.get("storage_order") == 1


@breaks("pads.F1", of=MEAN)
class RefusesToCountPadding(Refusing):
    """Refuses count_include_pad 1."""

    def refused(self):
        return self.given.get("count_include_pad") == 1
