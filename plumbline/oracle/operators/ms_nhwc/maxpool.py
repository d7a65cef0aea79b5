"""Judge and generate calls of MaxPool in the NHWC domain, by `spec/ms.nhwc/maxpool.md`."""

from __future__ import annotations

from functools import cached_property
from math import prod

import numpy as np

from plumbline.oracle.families.maxima import Maxima
from plumbline.oracle.families.windows import Geometry
from plumbline.oracle.operator import Unspecified, Wrong, evidence, on_call, on_outputs, unspecified
from plumbline.oracle.operators.onnx.addresses import CEIL_MODE, MAXIMA, POOLED, WINDOWS
from plumbline.oracle.operators.onnx.maxpool import _MaxPool
from plumbline.oracle.response import Response, is_float

EXAMPLE_TYPES = ("float32", "uint8")


class NhwcMaxPool(_MaxPool):
    """A call whose indices may count in the layout of the text or in that of the name."""

    clauses = MAXIMA | CEIL_MODE | WINDOWS | POOLED
    introduced = {**_MaxPool.introduced, "activation": 11, "activation_params": 11}
    channel_last = False
    drawn_types = {"float32": (1, 1.0), "float16": (1, 1.0), "float64": (1, 1.0), "int8": (1, 1.0),
                     "uint8": (1, 1.0), "int32": (1, 0.2), "int64": (1, 0.2)}

    @cached_property
    def indices(self) -> np.ndarray:
        """The canonical indices: of the first maximum of each window, in the layout of this reading."""
        if not self.channel_last:
            return super().indices
        channels, cells = self.x.shape[1], prod(self.sizes)
        plane, cell = np.divmod(self.maxima.indices, cells)
        batch, channel = np.divmod(plane, channels)
        return np.asarray((batch * cells + cell) * channels + channel)

    def row_major(self, got: np.ndarray) -> np.ndarray:
        """Return `got`, indices of Y's shape that may count with the channel last, as positions in X (-1: none)."""
        if not self.channel_last:
            return super().row_major(got)
        channels, cells = self.x.shape[1], prod(self.sizes)
        batch, rest = np.divmod(got.astype(np.int64), channels * cells)
        cell, channel = np.divmod(rest, channels)
        return np.where((got >= 0) & (got < self.x.size), (batch * channels + channel) * cells + cell, -1)

    def stack_offset(self, output: str, count: int) -> int | None:
        """Return None: each call has a layout of its own."""
        return None if output == "Indices" and self.x.shape[1] > 1 else super().stack_offset(output, count)

    @on_call("X.C2")
    def numbers(self) -> str | None:
        return None if self.x.dtype.kind in "iu" or is_float(self.x.dtype) else f"X is {self.x.dtype.name}"

    @unspecified("activation.U1", refusal=True)
    def activation(self) -> Unspecified | None:
        given = {"activation", "activation_params"} & set(self.attributes)
        return Unspecified.everything("Y", "Indices") if given else None

    @unspecified("X.U2", refusal=True)
    def other_types(self) -> Unspecified | None:
        return None if self.x.dtype.name in EXAMPLE_TYPES else Unspecified.refusal()

    @unspecified("Indices.U2")
    def order_of_positions(self) -> Unspecified | None:
        if self.x.shape[1] == 1 or prod(self.sizes) == 1 or self.column_major or not self.has_windows:
            return None
        return Unspecified({}, (self.with_windows(channel_last=True),))

    @on_outputs("Indices.F3")
    def type_of_indices(self, response: Response) -> Wrong | None:
        got = response.given.get("Indices")
        if got is None or got.dtype.kind in "iu":
            return None
        return Wrong("Indices", f"Indices is {got.dtype.name}", None, "integers", got.dtype.name)

    @evidence("X.E1")
    @staticmethod
    def channel_last_example() -> str:
        x = np.arange(1, 26).reshape(1, 1, 5, 5)
        pooled = Geometry((1, 5), (5, 5), (1, 1), (1, 1), (2, 2), (2, 2))
        last = Maxima(x.transpose(0, 3, 1, 2), pooled, (1, 5)).values.transpose(0, 2, 3, 1)[0, 0, 0].tolist()
        second = Maxima(x, Geometry((5, 5), (5, 5), (1, 1), (1, 1), (2, 2), (2, 2)), (5, 5)).values[0, 0, 0].tolist()
        assert second == [13, 14, 15, 15, 15] != last
        return f"Y of maxpool_2d_uint8 begins {second}, as with the channel second; with the channel last it would " \
               f"begin {last}"
