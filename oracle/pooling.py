"""A call of an ONNX pooling operator read under one version of its text: defaults filled in, windows laid out.

What is malformed reads as None or as it stands; clauses on calls judge it, and the rest is asked only of calls that
these accept.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.attributes import Integers, integer_list, integers, pads, spatial_rank
from plumbline.oracle.call import Call
from plumbline.oracle.windows import Geometry

SAME = ("SAME_UPPER", "SAME_LOWER")


class PoolCall:
    """A call and the version of the text it is read under."""

    def __init__(self, call: Call, version: int) -> None:
        self.call = call
        self.version = version
        self.x: np.ndarray = call.inputs["X"]

    @cached_property
    def rank(self) -> int:
        """The number of spatial axes; negative when X has no batch or no channel axis."""
        return spatial_rank(self.call)

    @cached_property
    def auto_pad(self) -> Any:
        """NOTSET where absent; "" where it is no text, for a clause to judge."""
        value = self.call.attributes.get("auto_pad", "NOTSET")
        return value if isinstance(value, str) else ""

    @cached_property
    def ceil_mode(self) -> Any:
        """0 where absent, or no number, for a clause to judge."""
        value = self.call.attributes.get("ceil_mode", 0)
        return value if isinstance(value, (int, float)) else 0

    @cached_property
    def kernel(self) -> Integers:
        """`kernel_shape`; None where it is no list of ints."""
        return integers(self.call.attributes.get("kernel_shape"))

    @cached_property
    def strides(self) -> Integers:
        """`strides`; None where it is no list of ints."""
        return integer_list(self.call, "strides", 1)

    @cached_property
    def dilations(self) -> Integers:
        """`dilations`; None where it is no list of ints."""
        return integer_list(self.call, "dilations", 1)

    @cached_property
    def pads(self) -> Integers:
        """`pads`; None where it is no list of ints."""
        return pads(self.call)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The spatial sizes of X."""
        return self.x.shape[2:]

    @cached_property
    def extents(self) -> tuple[int, ...]:
        """The dilated kernel, ``d*(k-1) + 1`` per axis."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilations, strict=True))

    @cached_property
    def explicit_sizes(self) -> tuple[int, ...]:
        """Output sizes with auto_pad NOTSET: the quotient of the formula rounded down, or up with ceil_mode.

        Source: ONNX, MaxPool and AveragePool, Summary; the last window by the sentence added in version 22."""
        found = []
        for size, begin, end, extent, stride in zip(self.sizes, self.pads[:self.rank], self.pads[self.rank:],
                                                    self.extents, self.strides, strict=True):
            room = size + begin + end - extent
            out = (-(-room // stride) if self.ceil_mode else room // stride) + 1
            if self.ceil_mode and self.version >= 22 and (out - 1) * stride >= size + begin:
                out -= 1
            found.append(out)
        return tuple(found)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The spatial sizes of the output by the formula that applies; may be zero or less."""
        if self.automatic:
            return tuple(-(-size // stride) for size, stride in zip(self.sizes, self.strides, strict=True))
        if self.auto_pad == "VALID":
            return tuple((size - extent) // stride + 1
                         for size, extent, stride in zip(self.sizes, self.extents, self.strides, strict=True))
        return self.explicit_sizes

    @cached_property
    def same_totals(self) -> tuple[int, ...]:
        """The padding of each axis, both ends together, with SAME_UPPER or SAME_LOWER: ``(out-1)*s + ke - in``."""
        return tuple((out - 1) * stride + extent - size for out, stride, extent, size in
                     zip(self.counts, self.strides, self.extents, self.sizes, strict=True))

    @cached_property
    def geometry(self) -> Geometry:
        """The windows, with the pads that apply; negative padding counts as zero."""
        nothing = (0,) * self.rank
        begin, end = nothing, nothing
        if self.automatic:
            totals = [max(total, 0) for total in self.same_totals]
            less = tuple(total // 2 for total in totals)
            more = tuple(total - half for total, half in zip(totals, less, strict=True))
            begin, end = (less, more) if self.auto_pad == "SAME_UPPER" else (more, less)
        elif self.auto_pad != "VALID":
            begin, end = self.pads[:self.rank], self.pads[self.rank:]
        return Geometry(self.sizes, self.kernel, self.strides, self.dilations, begin, end)

    @property
    def mode(self) -> frozenset[str]:
        """How it pads and how it rounds, in two words of the text."""
        return frozenset({self.auto_pad, "ceil" if self.ceil_mode else "floor"})

    @property
    def automatic(self) -> bool:
        """Whether the padding is split automatically."""
        return self.auto_pad in SAME

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the output; sizes below zero count as zero."""
        return self.x.shape[:2] + tuple(max(count, 0) for count in self.counts)

    @property
    def has_windows(self) -> bool:
        """Whether X and the output have elements at all."""
        return 0 not in self.x.shape and all(count > 0 for count in self.counts)

    @cached_property
    def windows_in_the_padding(self) -> bool:
        """Whether, with explicit padding, some window left by `counts` still starts in the padding at the end."""
        return self.auto_pad == "NOTSET" and any(
            (count - 1) * stride >= size + begin for count, stride, size, begin in
            zip(self.counts, self.strides, self.sizes, self.pads[:self.rank], strict=True))
