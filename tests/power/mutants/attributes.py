"""Mutants that read an attribute wrongly, or the element of another axis."""

from __future__ import annotations

from tests.power.implementation import Pooling
from tests.power.mutant import breaks

TORCH_POOL = "https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html"

# Pads


@breaks("Y.C1", source="https://github.com/root-project/root/pull/22438")
class PadsAxisByAxis(Pooling):
    """Pads are read as beginning and end of the first axis, then of the second."""

    def read_pads(self):
        pads = list(self.given.get("pads", [0] * 2 * self.rank))
        return pads[0::2], pads[1::2]


@breaks("Y.F1")
class PadsEndFirst(Pooling):
    """Pads at the beginning and at the end are exchanged."""

    def read_pads(self):
        return super().read_pads()[::-1]


@breaks("Y.C1", source="the order of torch.nn.functional.pad, last axis first")
class PadsLastAxisFirst(Pooling):
    """Pads are read with the last axis first."""

    def read_pads(self):
        begin, end = super().read_pads()
        return begin[::-1], end[::-1]


@breaks("Y.C1", source="https://github.com/microsoft/onnxruntime/pull/29631")
class PadsSymmetric(Pooling):
    """The pads at the beginning hold for both ends."""

    def read_pads(self):
        begin, _ = super().read_pads()
        return begin, begin


@breaks("Y.C1")
class PadsSymmetricFromTheEnd(Pooling):
    """The pads at the end hold for both ends."""

    def read_pads(self):
        _, end = super().read_pads()
        return end, end


@breaks("Y.C1")
class PadsBeginIgnored(Pooling):
    """The pads at the beginning are ignored."""

    def read_pads(self):
        _, end = super().read_pads()
        return [0] * self.rank, end


@breaks("Y.C1")
class PadsEndIgnored(Pooling):
    """The pads at the end are ignored."""

    def read_pads(self):
        begin, _ = super().read_pads()
        return begin, [0] * self.rank


@breaks("Y.C1")
class PadsIgnored(Pooling):
    """Pads are ignored."""

    def read_pads(self):
        return [0] * self.rank, [0] * self.rank


@breaks("Y.C1")
class PadsOfTheFirstAxis(Pooling):
    """The pads of the first axis hold for all."""

    def read_pads(self):
        begin, end = super().read_pads()
        return [begin[0]] * self.rank, [end[0]] * self.rank


@breaks("Y.C1")
class PadsOfTheLastAxisAlone(Pooling):
    """The pads of the first axis are ignored, where there are several."""

    def read_pads(self):
        begin, end = super().read_pads()
        return ([0, *begin[1:]], [0, *end[1:]]) if self.rank > 1 else (begin, end)


# Strides, dilations, kernel


@breaks("Y.C1")
class StridesSwapped(Pooling):
    """Strides are read with the last axis first."""

    def read_strides(self):
        return super().read_strides()[::-1]


@breaks("Y.C1")
class StrideOfTheFirstAxis(Pooling):
    """The stride of the first axis holds for all."""

    def read_strides(self):
        return super().read_strides()[:1] * self.rank


@breaks("Y.C1")
class StrideOfTheLastAxis(Pooling):
    """The stride of the last axis holds for all."""

    def read_strides(self):
        return super().read_strides()[-1:] * self.rank


@breaks("Y.C1")
class StridesIgnored(Pooling):
    """Every stride is 1."""

    def read_strides(self):
        return [1] * self.rank


@breaks("Y.C1", source=f"the default of PyTorch: {TORCH_POOL}")
class StridesDefaultToTheKernel(Pooling):
    """Strides left out are the sizes of the kernel."""

    def read_strides(self):
        return list(self.given.get("strides", self.kernel))


@breaks("Y.C1")
class DilationsSwapped(Pooling):
    """Dilations are read with the last axis first."""

    def read_dilations(self):
        return super().read_dilations()[::-1]


@breaks("Y.C1")
class DilationOfTheFirstAxis(Pooling):
    """The dilation of the first axis holds for all."""

    def read_dilations(self):
        return super().read_dilations()[:1] * self.rank


@breaks("Y.C1", "Y.C4", source="https://github.com/sonos/tract/pull/2847")
class DilationsIgnored(Pooling):
    """Every dilation is 1."""

    def read_dilations(self):
        return [1] * self.rank


@breaks("Y.C1")
class DilationsBehindTheSecondAxisIgnored(Pooling):
    """The dilation of a third spatial axis is 1."""

    def read_dilations(self):
        given = super().read_dilations()
        return given[:2] + [1] * (self.rank - 2)


@breaks("Y.C1", source="some frameworks count the cells between two taps, 0 by default")
class DilationsCountTheCellsBetween(Pooling):
    """A dilation above 1 is taken as the number of cells between two taps."""

    def read_dilations(self):
        return [dilation + 1 if dilation > 1 else 1 for dilation in super().read_dilations()]


@breaks("Y.C1")
class KernelSwapped(Pooling):
    """kernel_shape is read with the last axis first."""

    def read_kernel(self):
        return super().read_kernel()[::-1]


@breaks("Y.C1")
class KernelSquare(Pooling):
    """The first size of the kernel holds for all axes."""

    def read_kernel(self):
        return super().read_kernel()[:1] * self.rank


@breaks("Y.C1")
class KernelFlatInDepth(Pooling):
    """With three spatial axes or more the kernel has size 1 on the first: planes of a volume are pooled one by one."""

    def read_kernel(self):
        given = super().read_kernel()
        return [1, *given[1:]] if self.rank > 2 else given
