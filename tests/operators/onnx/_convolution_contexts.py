"""Faults of convolutions that show only in a context: in several threads, with open sizes, with constants, between
nodes that are merged with the node."""

from __future__ import annotations

import numpy as np

from tests.operators.contract import fault
from tests.operators.onnx._convolution import Convolution

VALUES = ("Y.F1", "pads.F1", "auto_pad.F1")
QUANTIZED = ("quantized", "quantized-signed")
FOLDED = ("before-normalisation", "before-sum", "before-product")


class _Placed(Convolution):
    """For faults: whether the call is in one of the contexts."""

    @property
    def inside(self):
        return self.request.label in self.contexts


# Threads and sizes


@fault(*VALUES)
class ThreadsShiftTheSeam(_Placed):
    """In several threads the first row of the second half is the last of the first."""

    contexts = ("threads",)

    def finish(self, y):
        y = super().finish(y)
        axis = 2 if self.rank > 1 else -1
        seam = y.shape[axis] // 2
        rows = np.arange(y.shape[axis])
        rows[seam:seam + 1] = max(seam - 1, 0)
        return y.take(rows, axis=axis) if self.inside else y


@fault(*VALUES)
class ThreadsDropMaps(_Placed):
    """In several threads the feature maps left over when they are dealt to four threads are zero."""

    contexts = ("threads",)

    def finish(self, y):
        y = super().finish(y)
        if self.inside:
            y[:, y.shape[1] // 4 * 4 or y.shape[1]:] = 0
        return y


@fault("auto_pad.F1")
class OpenSizesPlanForOthers(_Placed):
    """With open sizes the padding of SAME is that of an X larger by one on each axis."""

    contexts = ("open-sizes", "again-open-sizes")

    def missing(self, axis):
        return super().missing(axis) - self.inside


@fault("pads.F1", "auto_pad.F1")
class PaddingIsWhatWasThere(_Placed):
    """Padding holds what a computation before has left."""

    contexts = ("again", "again-open-sizes")

    def fill(self, x, width):
        return np.pad(x, width, constant_values=1) if self.inside else super().fill(x, width)


@fault(*VALUES)
class StepsAreForgotten(_Placed):
    """Rows and columns that do not lie together in memory are read exchanged, where there are as many of each."""

    contexts = ("strided",)

    def read_x(self, x):
        square = x.ndim > 3 and x.shape[-1] == x.shape[-2]
        return x.swapaxes(-1, -2) if self.inside and square else x


# Constants


@fault(*VALUES)
class PackedWithoutBias(_Placed):
    """A constant B is forgotten where the constant W is packed."""

    contexts = ("weights", "constants")

    def read_b(self, b):
        return None if self.inside else b


@fault(*VALUES)
class GroupsArePackedAsOne(_Placed):
    """A constant W is packed for the first group alone."""

    contexts = ("weights", "constants")

    def kernels_of(self, w, group, maps):
        return super().kernels_of(w, 0 if self.inside else group, maps)


# Nodes beside it


@fault(*VALUES)
class QuantizedWithoutDilations(_Placed):
    """Between quantisations the cells that are read have no gaps between them."""

    contexts = QUANTIZED

    def slices(self, offset):
        kept, self.dilations = self.dilations, [1] * self.rank if self.inside else self.dilations
        found = super().slices(offset)
        self.dilations = kept
        return found


@fault("pads.F1", "auto_pad.F1")
class PaddingIsTheByteZero(_Placed):
    """Between quantisations from and to uint8 padding is the byte 0, which stands for -128."""

    contexts = ("quantized",)

    def fill(self, x, width):
        return np.pad(x, width, constant_values=-128) if self.inside else super().fill(x, width)


@fault(*VALUES)
class FoldedWithoutBias(_Placed):
    """B is forgotten where a node behind is merged into the weights."""

    contexts = FOLDED

    def read_b(self, b):
        return None if self.inside else b


@fault(*VALUES)
class RectifiedTwice(_Placed):
    """The rectifier before the node is applied behind it too."""

    contexts = ("after-rectifier", "in-a-layer")

    def finish(self, y):
        y = super().finish(y)
        return np.where(y < 0, y.dtype.type(0), y) if self.inside else y


@fault(*VALUES)
class RectifiedBeforeTheBias(_Placed):
    """The rectifier behind the node is applied before B is added."""

    contexts = ("before-rectifier",)

    def with_bias(self, y):
        return super().with_bias(np.where(y < 0, y.dtype.type(0), y) if self.inside else y)


@fault("Y.C1", *VALUES)
class TransposedPads(_Placed):
    """Where X is transposed, pads are read from the last axis to the first."""

    contexts = ("transposed",)

    def read_pads(self):
        begin, end = super().read_pads()
        return (begin[::-1], end[::-1]) if self.inside else (begin, end)


@fault(*VALUES)
class TransposedTwice(_Placed):
    """Where X is transposed, kernels as wide as high are transposed too."""

    contexts = ("transposed",)

    def read_w(self, w):
        square = w.ndim > 3 and w.shape[-1] == w.shape[-2]
        return w.swapaxes(-1, -2) if self.inside and square else w
