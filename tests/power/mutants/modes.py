"""Mutants that take auto_pad, ceil_mode, count_include_pad or storage_order for another value."""

from __future__ import annotations

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, MEAN, breaks


@breaks("Y.C4")
class ValidAsSame(Pooling):
    """VALID pads as SAME_UPPER does."""

    def read_auto_pad(self):
        mode = super().read_auto_pad()
        return "SAME_UPPER" if mode == "VALID" else mode


@breaks("Y.C5", source="https://github.com/ThanatosShinji/onnx-tool/issues/10")
class AutoPadIgnored(Pooling):
    """auto_pad is ignored."""

    def read_auto_pad(self):
        return "NOTSET"


@breaks("auto_pad.F1")
class LowerAsUpper(Pooling):
    """SAME_LOWER is taken for SAME_UPPER."""

    def read_auto_pad(self):
        return super().read_auto_pad().replace("LOWER", "UPPER")


@breaks("auto_pad.F1", source="https://github.com/root-project/root/issues/21737")
class UpperAsLower(Pooling):
    """SAME_UPPER is taken for SAME_LOWER."""

    def read_auto_pad(self):
        return super().read_auto_pad().replace("UPPER", "LOWER")


@breaks("Y.C2", "Y.C3", source="https://github.com/microsoft/onnxruntime/pull/29627")
class CeilModeIgnored(Pooling):
    """ceil_mode is ignored."""

    def read_ceil(self):
        return False


@breaks("Y.C1")
class CeilModeAlways(Pooling):
    """Sizes are always rounded up."""

    def read_ceil(self):
        return True


@breaks("Y.C1")
class CeilModeByDefault(Pooling):
    """ceil_mode left out is 1."""

    def read_ceil(self):
        return self.given.get("ceil_mode", 1) == 1


@breaks("Y.C2", "Y.C3")
class CeilModeWithoutPadsAlone(Pooling):
    """ceil_mode is ignored where there are pads."""

    def read_ceil(self):
        return super().read_ceil() and not any(self.given.get("pads", ()))


@breaks("pads.F1", of=MEAN)
class NeverCountsPadding(Pooling):
    """count_include_pad is taken for 0."""

    def counts_padding(self):
        return False


@breaks("pads.F1", of=MEAN)
class AlwaysCountsPadding(Pooling):
    """count_include_pad is taken for 1."""

    def counts_padding(self):
        return True


@breaks("pads.F1", of=MEAN,
        source="the default of PyTorch: https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool2d.html")
class CountsPaddingByDefault(Pooling):
    """count_include_pad left out is 1."""

    def counts_padding(self):
        return self.given.get("count_include_pad", 1) == 1


@breaks("pads.F1", of=MEAN)
class CountsNoAutomaticPadding(Pooling):
    """count_include_pad is ignored where the padding is automatic."""

    def counts_padding(self):
        return super().counts_padding() and self.auto_pad == "NOTSET"


@breaks("Indices.F2", of=MAX, source="https://github.com/sonos/tract/pull/2860")
class StorageOrderIgnored(Pooling):
    """Indices count row by row whatever storage_order is."""

    def column_major(self):
        return False


@breaks("Indices.F1", of=MAX)
class AlwaysColumnMajor(Pooling):
    """Indices count column by column whatever storage_order is."""

    def column_major(self):
        return True
