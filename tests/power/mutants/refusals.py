"""Mutants that refuse windows or padding inside the domain. Each names clauses that a refused case is there for."""

from __future__ import annotations

from math import prod

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, MEAN, breaks


class Refusing(Pooling):
    """For mutants: refuses the calls that `refused` names."""

    def refused(self) -> bool:
        """Whether this call is refused."""
        return False

    def check(self):
        """Before anything is computed."""
        self.kernel, self.strides, self.dilations = self.read_kernel(), self.read_strides(), self.read_dilations()
        self.begin, self.end = self.read_pads()
        if self.refused():
            raise NotImplementedError(self.__doc__)


# Padding


@breaks("pads.C2", source="https://github.com/microsoft/onnxruntime/issues/23088")
class RefusesPadsOfTheKernel(Refusing):
    """Refuses pads at or above the kernel."""

    def refused(self):
        return any(pad >= size for pad, size in zip(self.begin + self.end, self.kernel * 2, strict=True))


@breaks("pads.C1", source="PyTorch: pad should be at most half of effective kernel size")
class RefusesPadsAboveHalfTheKernel(Refusing):
    """Refuses pads above half the kernel."""

    def refused(self):
        return any(2 * pad > size for pad, size in zip(self.begin + self.end, self.kernel * 2, strict=True))


@breaks("sonnx/maxpool#pads.C3", of=MAX, source="https://github.com/tenstorrent/tt-forge-onnx/issues/2757")
@breaks("pads.C2", of=MEAN)
class RefusesAsymmetricPads(Refusing):
    """Refuses pads that differ at the two ends."""

    def refused(self):
        return self.begin != self.end


@breaks("pads.C1")
class RefusesPadsUnequalOnTheAxes(Refusing):
    """Refuses pads that differ from axis to axis."""

    def refused(self):
        return len(set(self.begin)) > 1


@breaks("pads.C1")
class RefusesPads(Refusing):
    """Refuses any padding."""

    def refused(self):
        return any(self.begin + self.end)


@breaks("sonnx/maxpool#pads.C4", of=MAX)
@breaks("pads.F1", of=MEAN)
class RefusesDilationWithPads(Refusing):
    """Refuses a dilated window where there is padding."""

    def refused(self):
        return any(self.begin + self.end) and max(self.dilations) > 1


@breaks("auto_pad.C1")
class RefusesSameLower(Refusing):
    """Refuses SAME_LOWER."""

    def refused(self):
        return self.given.get("auto_pad") == "SAME_LOWER"


@breaks("auto_pad.C1")
class RefusesSame(Refusing):
    """Refuses SAME_UPPER and SAME_LOWER."""

    def refused(self):
        return self.given.get("auto_pad", "NOTSET").startswith("SAME")


@breaks("Y.C4")
class RefusesValid(Refusing):
    """Refuses VALID."""

    def refused(self):
        return self.given.get("auto_pad") == "VALID"


# Windows


@breaks("dilations.C1", source="https://github.com/mortont/axon_onnx/issues/7")
class RefusesDilation(Refusing):
    """Refuses dilation."""

    def refused(self):
        return max(self.dilations) > 1


@breaks("dilations.C1", "dilations.C2")
class RefusesUnequalDilations(Refusing):
    """Refuses dilations that differ from axis to axis, and any on a single axis."""

    def refused(self):
        return len({*self.dilations, 1 if self.rank == 1 else self.dilations[0]}) > 1


@breaks("dilations.C1")
class RefusesDilationsOf31Bits(Refusing):
    """Refuses dilations from 2**31 on, which 32 bits with a sign do not hold."""

    def refused(self):
        return max(self.dilations) >= 2**31


@breaks("signature.C1", source="https://github.com/onnx/tutorials/issues/156")
class RefusesDilationsGiven(Refusing):
    """Refuses the attribute dilations, whatever it holds."""

    def refused(self):
        return "dilations" in self.given


@breaks("strides.C1", of=MAX)
class RefusesStridesLeftOut(Refusing):
    """Refuses a call without strides."""

    def refused(self):
        return "strides" not in self.given


@breaks("strides.C1", "sonnx/maxpool#strides.C3", of=MAX)
@breaks("strides.C1", of=MEAN)
class RefusesUnequalStrides(Refusing):
    """Refuses strides that differ from axis to axis, and strides above 2."""

    def refused(self):
        return len(set(self.strides)) > 1 or max(self.strides) > 2


@breaks("sonnx/maxpool#kernel_shape.C1", "kernel_shape.C2", of=MAX)
@breaks("kernel_shape.C2", of=MEAN)
class RefusesUnequalKernel(Refusing):
    """Refuses a kernel that is not square."""

    def refused(self):
        return len(set(self.kernel)) > 1


@breaks("kernel_shape.C1")
class RefusesKernelsOfOne(Refusing):
    """Refuses a kernel of one element."""

    def refused(self):
        return prod(self.kernel) == 1


@breaks("Y.F1")
class RefusesLargeKernels(Refusing):
    """Refuses kernels of more than eight cells."""

    def refused(self):
        return prod(self.kernel) > 8


@breaks("Y.C1")
class RefusesStrideAboveKernel(Refusing):
    """Refuses a stride above the kernel."""

    def refused(self):
        return any(stride > size for stride, size in zip(self.strides, self.kernel, strict=True))


@breaks("sonnx/maxpool#Y.C3", of=MAX)
@breaks("kernel_shape.C2", of=MEAN)
class RefusesASingleWindow(Refusing):
    """Refuses a kernel that is not below the size of X on some axis."""

    def refused(self):
        return any(size >= of_x for size, of_x in zip(self.kernel, self.sizes, strict=True))


@breaks("sonnx/maxpool#Y.C3", of=MAX)
@breaks("pads.C2", of=MEAN)
class RefusesAKernelAboveX(Refusing):
    """Refuses a kernel above the size of X, whatever the padding."""

    def refused(self):
        return any(size > of_x for size, of_x in zip(self.kernel, self.sizes, strict=True))


@breaks("Y.C2", "Y.C3", source="https://github.com/microsoft/onnxruntime/pull/29627")
class RefusesCeilMode(Refusing):
    """Refuses ceil_mode 1."""

    def refused(self):
        return self.given.get("ceil_mode") == 1


@breaks("sonnx/maxpool#ceil_mode.C1", "sonnx/maxpool#restrictions.R4", of=MAX)
@breaks("signature.C1", of=MEAN)
class RefusesCeilModeGiven(Refusing):
    """Refuses the attribute ceil_mode, whatever it holds."""

    def refused(self):
        return "ceil_mode" in self.given
