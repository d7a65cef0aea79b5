"""Judge and generate calls of ONNX ReverseSequence, by `spec/onnx/reversesequence.md`."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_within
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, row_by_row
from plumbline.oracle.operator import Choose, on_call
from plumbline.oracle.size_classes import WIDE_ROWS


class ReverseSequence(Movement):
    """A call of ReverseSequence."""

    output = "Y"
    wide = {**WIDE_ROWS, "rank": 2}
    flag_notes = {"time-first": "The time axis is the first, along which neighbours are of other sequences.",
                  "unequal-lengths": "Sequences have other lengths than others.",
                  "no-length": "A sequence has the length 0."}

    value = elements_of("Y.F2", "Y", "not the element of input at the reversed place")
    nan = bits_of_nan("Y.U1")

    @property
    def lengths(self) -> np.ndarray:
        """The input."""
        return self.inputs["sequence_lens"]

    @property
    def axes(self) -> tuple[int, int]:
        """The batch axis and the time axis."""
        return int(self.attribute("batch_axis")), int(self.attribute("time_axis"))

    @on_call("batch_axis.C2")
    def batch_axis(self) -> str | None:
        return axis_within(self, 1, 0, 1, "batch_axis")

    @on_call("time_axis.C2")
    def time_axis(self) -> str | None:
        return axis_within(self, 0, 0, 1, "time_axis")

    @on_call("time_axis.C3")
    def two_axes(self) -> str | None:
        return "both axes are the same" if self.axes[0] == self.axes[1] else None

    @on_call("input.C3")
    def has_two_axes(self) -> str | None:
        return None if self.source.ndim >= 2 else f"input has {self.source.ndim} axes"

    @on_call("sequence_lens.C2", needs=("input.C3", "batch_axis.C2"))
    def one_for_each(self) -> str | None:
        wanted = (self.source.shape[self.axes[0]],)
        return None if self.lengths.shape == wanted else f"sequence_lens has shape {self.lengths.shape}, not {wanted}"

    @on_call("sequence_lens.C3", needs=("input.C3", "time_axis.C2"))
    def lengths_within(self) -> str | None:
        most = self.source.shape[self.axes[1]]
        wrong = self.lengths[(self.lengths < 0) | (self.lengths > most)]
        return f"{wrong[0]} is not from 0 to {most}" if wrong.size else None

    def places(self) -> np.ndarray:
        """Return the positions of times counted from the ends of the sequences."""
        batch, time = self.axes
        positions = np.moveaxis(row_by_row(self.source.shape), (batch, time), (0, 1))
        times, lengths = np.arange(positions.shape[1]), self.lengths[:, None]
        reversed_ = np.where(times < lengths, lengths - 1 - times, times)
        reversed_ = reversed_.reshape(*reversed_.shape, *[1] * (positions.ndim - 2))
        return np.moveaxis(np.take_along_axis(positions, reversed_, axis=1), (0, 1), (batch, time))

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: two axes or more, and any lengths."""
        shape = a_shape(choose)
        if len(shape) < 2:
            return None
        time = choose((0, 1))
        attributes: dict[str, Any] = {"time_axis": time, "batch_axis": 1 - time}
        for name in [] if time else list(attributes):  # which are the defaults
            if choose((True, False)):
                del attributes[name]
        data = choose.tensor(shape, a_type(choose, cls.types_of("input", version)), "bits")
        lengths = choose.tensor((shape[1 - time],), "int64", "order") % (shape[time] + 1)
        return Call("ReverseSequence", attributes, {"input": data, "sequence_lens": lengths})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"time-first": self.axes[1] == 0, "unequal-lengths": len(np.unique(self.lengths)) > 1,
                "no-length": bool((self.lengths == 0).any())}
