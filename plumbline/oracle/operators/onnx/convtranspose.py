"""Judge and generate calls of ONNX ConvTranspose, by `spec/onnx/convtranspose.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from math import prod

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, length_of, values_of
from plumbline.oracle.families.pooling import spatial_shape
from plumbline.oracle.families.transposed_windows import TransposedWindows
from plumbline.oracle.operator import Choose, Unspecified, disputed, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import CONVOLVED, SUMMED

MOST = 2**19
"""Elements of Y above which no call is made: with SAME a long stride makes Y long."""


class ConvTranspose(TransposedWindows):
    """A call of ConvTranspose under one version of its specification."""

    clauses = CONVOLVED | SUMMED | {
        "X.C3": "spatial_axes", "W.C1": "rank_of_w", "W.C2": "channels", "W.C3": "positive_kernel",
        "Y.C3": "y_same", "Y.F2": "value", "Y.U5": "not_finite_over_padding"}
    operator = "ConvTranspose"
    drawn_modes = {("NOTSET", "computed"): (1, 0.4), ("VALID", "computed"): (1, 0.1),
                   ("SAME_UPPER", "computed"): (1, 0.13), ("SAME_LOWER", "computed"): (1, 0.13),
                   ("NOTSET", "given"): (1, 0.13), ("SAME_UPPER", "given"): (1, 0.05),
                   ("SAME_LOWER", "given"): (1, 0.05), ("VALID", "given"): (1, 0.01)}

    @property
    def halves_up(self) -> tuple[bool, ...]:
        """True if halves of negative padding are rounded up: the equations alone round them towards zero, then down."""
        return (False, True) if self.automatic else (self.version < 11,)

    @cached_property
    def more_at_the_beginning(self) -> bool:
        """The end at which computed padding has its odd cell."""
        return bool((self.auto_pad == "SAME_UPPER") == (self.version < 11) if self.sized
                    else self.auto_pad == "SAME_LOWER")

    added_domain, added_length = values_of("output_padding", 0, "output_padding.C2"), length_of(
        "output_padding", clause="output_padding.C3", needs="X.C3")
    shape_domain, shape_length = values_of("output_shape", 0, "output_shape.C3"), length_of(
        "output_shape", clause="output_shape.C2", needs="X.C3")

    @on_call("output_padding.C4", needs=("output_padding.C3", "strides.C3", "dilations.C3"))
    def added_below_step(self) -> str | None:
        steps = [max(pair) for pair in zip(self.strides, self.dilations, strict=True)]
        above = any(more >= step for more, step in zip(self.added, steps, strict=True))
        return f"output_padding is {list(self.added)}, and is to be below {steps}" if above else None

    @on_call("W.C2", needs=("W.C1",))
    def channels(self) -> str | None:
        taken, there = self.inputs["W"].shape[0], self.x.shape[1]
        return None if taken == there else f"W takes {taken} channels, X has {there}"

    shape_of_b = on_call("B.C2", needs=("group.C2", "W.C1"))(TransposedWindows.shape_of_b)

    y_explicit = spatial_shape("Y.C1", lambda self: self.mode == {"NOTSET", "computed"})
    y_valid = spatial_shape("Y.C2", lambda self: self.mode == {"VALID", "computed"})
    y_given = spatial_shape("Y.C4", lambda self: self.sized)

    @on_elements("auto_pad.F1", "Y", "not the sum of products of its cells")
    def automatic_padding(self, got: np.ndarray) -> bool:
        return self.is_same and any(self.same_totals)

    @on_elements("output_shape.F1", "Y", "not the sum of products of its cells, with the padding of the size given")
    def generated_padding(self, got: np.ndarray) -> bool:
        return self.sized and any(self.same_totals)

    @on_elements("Y.F3", "Y", "not B, or 0, and no cell of X reaches it")
    def between_cells(self, got: np.ndarray) -> np.ndarray:
        reached = self.convolution.places < prod(self.sizes)
        return np.broadcast_to(~reached.any(axis=0).reshape(self.shape[2:]), self.shape)

    value = elements_of("Y.F2", "Y", "not the sum of products of its cells")

    @unspecified("output_padding.U1", refusal=True)
    def added_below_dilation(self) -> Unspecified | None:
        some = any(more >= step for more, step in zip(self.added, self.strides, strict=True))
        return Unspecified.refusal() if some else None

    @unspecified("output_padding.U2")
    def added_zeros(self) -> Unspecified | None:
        if not self.has_windows or not any(self.added):
            return None
        last = np.zeros(self.shape, bool)
        for axis, more in enumerate(self.added, 2):
            last[(slice(None),) * axis + (slice(max(self.shape[axis] - more, 0), None),)] = True
        bias = np.zeros(1, self.x.dtype) if self.b is None else self.b
        bias = bias.reshape(1, -1, *(1,) * self.rank)
        return Unspecified.of(last, "Y", admits=lambda got: (got == 0) | (got == bias))

    @unspecified("output_shape.U1")
    def split_of_the_attribute(self) -> Unspecified | None:
        return self.split_otherwise() if self.sized and self.automatic else None

    @unspecified("output_shape.U2", refusal=True)
    def valid_and_shape(self) -> Unspecified | None:
        if self.auto_pad != "VALID" or not self.sized or self.whole == self.counts:
            return None
        return Unspecified({}, (self.with_windows(counts=self.whole),))

    size_of_editions = disputed("auto_pad.E1")(TransposedWindows.size_with_strides)

    @disputed("auto_pad.E2")
    def size_by_inference(self) -> Unspecified | None:
        sizes = zip(self.whole, self.extents, self.strides, strict=True)
        return self.with_other_counts(tuple(whole - max(extent - stride, 0) for whole, extent, stride in sizes)
                                      ) if self.is_same else None

    @disputed("auto_pad.E3")
    def split_of_a_test(self) -> Unspecified | None:
        return self.split_otherwise() if self.is_same and self.more_at_the_beginning else None

    @disputed("output_shape.E1")
    def split_of_editions(self) -> Unspecified | None:
        return self.split_otherwise() if self.sized else None

    def split_otherwise(self) -> Unspecified | None:
        """The reading that has the odd cell of padding at the other end, where there is one."""
        if not any(total > 0 and total % 2 for total in self.same_totals):
            return None
        return Unspecified({}, (self.with_windows(more_at_the_beginning=not self.more_at_the_beginning),))

    def misinferred(self) -> Mapping[str, Mapping[str, tuple[int, ...]]]:
        """Y loses its axes from the first on that is shorter than that of X."""
        if not self.sized:
            return {}
        pairs = takewhile(lambda pair: pair[0] >= pair[1], zip(self.counts, self.sizes, strict=True))
        inferred = [size for size, _ in pairs]
        return {"output_shape.E4": {"Y": (*self.shape[:2], *inferred)}} if len(inferred) < self.rank else {}

    @evidence("output_shape.E4")
    @staticmethod
    def axes_that_are_missing() -> str:
        call = Call("ConvTranspose", {"output_shape": [6, 5]}, {"X": np.zeros((1, 1, 6, 6), np.float32),
                                                                "W": np.zeros((1, 1, 3, 3), np.float32)})
        definition = ConvTranspose(call, 11)
        inferred, read = definition.misinferred()["output_shape.E4"]["Y"], definition.shape
        assert len(inferred) < len(call.inputs["X"].shape) == len(read)
        return f"X of (1, 1, 6, 6), output_shape [6, 5]: {inferred} is inferred, and Y has {read}"

    @evidence("output_shape.E2")
    @staticmethod
    def two_splits() -> str:
        total = 2 * (2 - 1) + 3 - 4
        sentence, equation = total // 2, total - total // 2
        assert sentence != equation
        return f"in = 2, s = 2, k = 3, output_shape 4, SAME_UPPER: of {total} cell of padding the equation has " \
               f"{equation} at the beginning, the sentence on auto_pad {sentence}"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call with Y no larger than `MOST`; a given size is sometimes larger than what X reaches."""
        call = super().make(choose, version)
        if call is not None and "output_shape" in call.attributes:
            more = choose((0, 1, 2, 3), (0.85, 0.05, 0.05, 0.05))
            larger = [size + more for size in call.attributes["output_shape"]]
            call = replace(call, attributes={**call.attributes, "output_shape": larger})
        return None if call is None or prod(cls(call, version).counts) > MOST else call
