"""Judge and generate calls of SONNX Conv, by `spec/sonnx/conv.md`.

Each wrong element is blamed on padding where its window has some, else on the value itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.families.attributes import integers
from plumbline.oracle.families.checks import at_least, length, one_of
from plumbline.oracle.families.clauses import element_type, elements_of, presence, same_type, type_of_output
from plumbline.oracle.families.convolution import Convolution
from plumbline.oracle.families.convolution_operators import FLOATS, Convolving
from plumbline.oracle.families.pooling import batch_and_channel, spatial_shape
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.families.windows import Geometry
from plumbline.oracle.operator import Choose, Predicate, Unspecified, evidence, on_call, on_elements, unspecified
from plumbline.oracle.size_classes import Named

ATTRIBUTES = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
WELL_FORMED = ("X.C6", "W.C6", "kernel_shape.C1", "kernel_shape.C2", "dilations.C1", "dilations.C2", "pads.C1",
               "pads.C2", "strides.C1", "strides.C3")

PRINTED = (4, 4)
"""The spatial sizes of Y in every figure: X of 8x8, pads (2, 1, 2, 2), dilations (2, 2), strides (3, 2)."""

DRAFT, PUBLISHED = (3, 2), (2, 3)
"""The spatial sizes of W in the figures of the draft, and in those of the published form."""


def _figure(kernel: tuple[int, ...]) -> Geometry:
    return Geometry((8, 8), kernel, (3, 2), (2, 2), (2, 1), (2, 2))


def _sizes_as_printed(windows: Geometry) -> tuple[int, ...]:
    """By the formula of strides.C2 as it is printed, with ``(d*k - 1) + 1`` for the dilated kernel."""
    rooms = (size + b + e for size, b, e in zip(windows.sizes, windows.begin, windows.end, strict=True))
    axes = zip(rooms, windows.kernel, windows.strides, windows.dilations, strict=True)
    return tuple((room - ((d * k - 1) + 1)) // s + 1 for room, k, s, d in axes)


def padding_is_zero() -> Predicate:
    """The clause on padding, which comes before that on values in each definition."""
    bind = on_elements("pads.F1", "Y", "not the sum of products of its window, with 0 for padding")
    found: Predicate = bind(lambda self, got: self.in_padding())
    return found


class _Conv(Convolving):
    """A call of Conv in the profile: explicit padding, standard or depthwise, every attribute given."""

    drawn_types = {"float32": (1, 1.0), "float16": (1, 0.6), "float64": (1, 0.6)}
    drawn_modes = {("NOTSET", "floor"): (1, 1.0)}
    ranks = (2,)
    one_map_for_each = True
    clauses = {"strides.C1": "strides_domain", "strides.C3": "strides_length", "pads.C1": "pads_domain",
               "pads.C2": "pads_length", "dilations.C1": "dilations_domain", "X.C6": "spatial_axes",
               "group.C1": "group_domain", "W.C6": "rank_of_w", "W.C5": "maps_of_groups", "X.C2": "channels",
               "B.C1": "shape_of_b", "dilations.U1": "not_finite_under_a_gap"}

    mode = frozenset({"NOTSET", "floor"})
    automatic = False

    @classmethod
    def has_dilations(cls, version: int) -> bool:
        """Return True: every version has dilations."""
        return True

    @classmethod
    def groups(cls, choose: Choose, channels: int) -> int:
        """Draw the number of groups: one, or as many as channels."""
        return choose(Named("group", (1, max(channels, 1))), (0.65, 0.35))

    @classmethod
    def attributes_of(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis]) -> dict[str, Any]:
        """Draw the attributes of a call, all of them given."""
        _, kernel, strides, dilations, begin, end, _ = map(list, zip(*axes, strict=True))
        return {"auto_pad": "NOTSET", "dilations": dilations, "group": 1, "kernel_shape": kernel, "pads": begin + end,
                "strides": strides}

    @cached_property
    def geometry(self) -> Geometry:
        """The windows."""
        return Geometry(self.sizes, self.kernel, self.strides, self.dilations, self.pads[:self.rank],
                        self.pads[self.rank:])

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The spatial sizes of Y (strides.C2)."""
        return self.geometry.floor_sizes

    @on_call("signature.C1")
    def no_other_attributes(self) -> str | None:
        foreign = [name for name in self.attributes if name not in ATTRIBUTES]
        return f"the operator has no attribute {', '.join(foreign)}" if foreign else None

    @on_call("restrictions.R1")
    def two_spatial_axes(self) -> str | None:
        return None if self.rank == 2 else f"X has shape {list(self.x.shape)}: {max(self.rank, 0)} spatial axes, not 2"

    @on_call("restrictions.R2")
    def explicit_padding(self) -> str | None:
        return one_of(self.call, "auto_pad", "NOTSET", ("NOTSET",))

    @on_call("restrictions.R3", needs=("X.C6",))
    def standard_or_depthwise(self) -> str | None:
        channels = self.x.shape[1]
        known = self.group_domain() is None and (self.group == 1 or self.group == channels)
        return None if known else f"group is {self.group!r}, and X has {channels} channels"

    @on_call("restrictions.R4")
    def all_attributes_set(self) -> str | None:
        absent = [name for name in ATTRIBUTES if name not in self.attributes]
        return f"not set: {', '.join(absent)}" if absent else None

    @on_call("restrictions.R5", needs=("group.C1", "W.C6"))
    def one_map_for_each_channel(self) -> str | None:
        maps = self.w.shape[0]
        return f"{maps} feature maps in {self.group} groups" if self.group > 1 and maps != self.group else None

    @on_call("auto_pad.C1")
    def auto_pad_domain(self) -> str | None:
        return one_of(self.call, "auto_pad", "NOTSET", ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"))

    @on_call("dilations.C2", needs=("X.C6", "W.C6"))
    def dilations_length(self) -> str | None:
        return length("dilations", self.dilations, len(self.kernel), "W has spatial axes:")

    @on_call("group.C2", needs=("group.C1", "X.C6"))
    def channels_of_groups(self) -> str | None:
        channels = self.x.shape[1]
        return f"{channels} channels in {self.group} groups" if channels % self.group else None

    @on_call("kernel_shape.C1")
    def kernel_domain(self) -> str | None:
        return at_least(self.call, "kernel_shape", self.given_kernel, 1) if "kernel_shape" in self.attributes else None

    @on_call("kernel_shape.C2", needs=("kernel_shape.C1", "W.C6"))
    def kernel_of_w(self) -> str | None:
        given = self.given_kernel if "kernel_shape" in self.attributes else self.kernel
        return None if given == self.kernel else f"kernel_shape is {list(given)}, W has {list(self.kernel)}"

    element_types = element_type("X.C5", "X", FLOATS)

    @on_call("Y.C2", needs=WELL_FORMED)
    def positive_sizes(self) -> str | None:
        return None if min(self.counts) >= 1 else f"the spatial sizes of Y would be {list(self.counts)}"

    missing = presence("signature.F1")
    y_sizes = spatial_shape("strides.C2", lambda self: True)
    y_planes = batch_and_channel("Y.F3", ("strides.C2",))

    @unspecified("X.U1", refusal=True)
    def empty_axes(self) -> Unspecified | None:
        return Unspecified.refusal() if 0 in self.x.shape or 0 in self.w.shape[:2] else None

    @evidence("strides.E1")
    @staticmethod
    def parenthesis() -> str:
        windows = Geometry((3,), (2,), (1,), (2,), (0,), (0,))
        (printed,), (read,) = _sizes_as_printed(windows), windows.floor_sizes
        assert printed == 0 < read
        return f"in = 3, k = 2, d = 2, s = 1, no pads: as printed the formula gives {printed} windows, and {read} fits"

    @evidence("strides.E2")
    @staticmethod
    def axes_exchanged() -> str:
        windows = Geometry((7, 7), (1, 1), (3, 2), (1, 1), (0, 0), (0, 0))
        down, right = (int(np.diff(places[:, 0])[0]) for places in windows.positions(windows.floor_sizes))
        assert (down, right) == (3, 2)
        return f"by the formula of Y, strides [3, 2] move the kernel {down} along the first spatial axis and {right} " \
               "along the second; the description says 2 and 3"

    @evidence("kernel_shape.E1")
    @staticmethod
    def kernel_exchanged() -> str:
        shape = (1, 1, *DRAFT)
        rationale, statement = [shape[3], shape[2]], list(shape[2:])
        assert rationale != statement
        return f"for W of {shape} the rationale asks for {rationale}, the statement for {statement}"

    @evidence("Y.E8")
    @staticmethod
    def four_axes_and_one_index() -> str:
        b, y = np.array([1.0, 2]), (1, 2, 3, 3)
        broadcast = np.broadcast_to(b[:, None, None], y)
        beyond = [c for c in range(y[1]) if c >= broadcast.shape[0]]
        assert beyond == [1] and broadcast[0].ndim == 3
        return f"B_b has the shape {list(broadcast.shape)}: B_b[0] has {broadcast[0].ndim} axes, B_b[{beyond[0]}] is " \
               "none of its batches"

    @evidence("Y.E1")
    @staticmethod
    def sums_that_end_too_early() -> str:
        x, w = np.array([1, 10, 100]), np.array([1, 2])
        dilated = np.zeros(3, dtype=np.int64)
        dilated[::2] = w
        short, whole = int((x * dilated)[:len(w)].sum()), int((x * dilated).sum())
        assert short != whole
        return f"W_d = {dilated.tolist()}, X = {x.tolist()}: the first {len(w)} products give {short}, all {whole}"

    @evidence("Y.E2")
    @staticmethod
    def maps_or_channels() -> str:
        x, w = np.zeros((1, 3, 8, 8), np.float32), np.zeros((3, 1, *DRAFT), np.float32)
        windows = _figure(DRAFT)
        maps = Convolution(x, w, None, 3, windows, windows.floor_sizes).values.shape[1]
        assert maps == w.shape[0] != w.shape[1]
        return f"for the depthwise figure, W of {w.shape}, Y has {maps} channels; dW1 is {w.shape[1]}"

    @evidence("Y.E3")
    @staticmethod
    def figure_of_another_kernel() -> str:
        read, printed, published = _figure(DRAFT).floor_sizes, _sizes_as_printed(_figure(DRAFT)), \
            _figure(PUBLISHED).floor_sizes
        assert PRINTED not in (read, printed) and PRINTED == published
        return f"W of {DRAFT} gives Y of {read}, as printed {printed}; W of {PUBLISHED} gives {published}"

    @evidence("Y.E4")
    @staticmethod
    def three_channels_that_are_one() -> str:
        said, x, w = 3, (1, 1, 8, 8), (1, 1, *DRAFT)
        assert said not in (x[1], w[1])
        return f"with X of {x} and W of {w} there is {x[1]} channel, and the text says {said}"

    @evidence("Y.E5")
    @staticmethod
    def depthwise_figure_of_another_kernel() -> str:
        found = {}
        for kernel in (DRAFT, PUBLISHED):
            x, w, windows = np.zeros((1, 3, 8, 8), np.float32), np.zeros((3, 1, *kernel), np.float32), _figure(kernel)
            found[kernel] = Convolution(x, w, None, 3, windows, windows.floor_sizes).values.shape
        assert found[DRAFT] != (1, 3, *PRINTED) == found[PUBLISHED]
        return f"W of {DRAFT} gives Y of {found[DRAFT]}; {found[PUBLISHED]}, as printed, needs W of {PUBLISHED}"

    @property
    def given_kernel(self) -> Any:
        """The list `kernel_shape`; None if it is not a list of ints."""
        return integers(self.attributes.get("kernel_shape"))


class Conv(_Conv):
    """A call of Conv by the draft whose part on floating point breaks off."""

    clauses = _Conv.clauses | {"pads.U1": "not_finite_over_padding", "Y.U1": "not_finite", "Y.U2": "overflow"}
    type_of_w = same_type("W.C7", "X", "W")
    type_of_b = same_type("B.C2", "X", "B")
    y_type = type_of_output("Y.F2", "Y", lambda self: self.x.dtype)
    padding = padding_is_zero()
    value = elements_of("Y.F1", "Y", "not the sum of products of its window")
