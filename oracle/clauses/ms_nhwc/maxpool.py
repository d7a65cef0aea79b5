"""MaxPool of the internal NHWC domain: the clauses of `spec/ms.nhwc/maxpool.md`, bound to predicates."""

from __future__ import annotations

from math import prod

import numpy as np

from plumbline.oracle.answer import is_float
from plumbline.oracle.binding import Bindings, Wrong
from plumbline.oracle.clauses.onnx import common
from plumbline.oracle.clauses.onnx.maxpool import ATTRIBUTES, MaxCall, bind_maxpool
from plumbline.oracle.maximum import MaxAnswer, Maxima
from plumbline.oracle.windows import Geometry

EXAMPLE_TYPES = ("float32", "uint8")

class NhwcCall(MaxCall):
    """A call whose indices may count in either layout."""

    def row_major(self, got: np.ndarray) -> np.ndarray:
        """Indices in the layout of the text where they point at a maximum so, in that of the name elsewhere."""
        here = super().row_major(got)
        if self.column_major or self.x.shape[1] == 1:
            return here
        channels, cells = self.x.shape[1], prod(self.sizes)
        batch, rest = np.divmod(got.astype(np.int64), channels * cells)
        cell, channel = np.divmod(rest, channels)
        there = np.where((got >= 0) & (got < self.x.size), (batch * channels + channel) * cells + cell, -1)
        return np.where(self.maxima.selects_maximum_at(here), here, there)


bindings = Bindings("ms.nhwc/maxpool", read=NhwcCall)
common.bind_calls(bindings, {**ATTRIBUTES, "activation": 11, "activation_params": 11}, {})
bind_maxpool(bindings)
common.bind_size_errata(bindings, "auto_pad.E1", "Y.E1")


@bindings.on_call("X.C2")
def element_type(call: MaxCall) -> str | None:
    return None if call.x.dtype.kind in "iu" or is_float(call.x.dtype) else f"X is {call.x.dtype.name}"


@bindings.leaves_open("activation.U1", refusal=True)
def activation(call: MaxCall) -> dict[str, object]:
    given = {"activation", "activation_params"} & set(call.call.attributes)
    return {"Y": "whole", "Indices": "whole"} if given else {}


@bindings.leaves_open("X.U2", refusal=True)
def other_types(call: MaxCall) -> dict[str, object]:
    nothing = np.zeros(call.shape, dtype=bool)
    return {} if call.x.dtype.name in EXAMPLE_TYPES else {"Y": nothing, "Indices": nothing}


@bindings.leaves_open("Indices.U2")
def order_of_positions(call: MaxCall) -> dict[str, object]:
    alike = call.x.shape[1] == 1 or prod(call.sizes) == 1
    return {} if alike else {"Indices": np.zeros(call.shape, dtype=bool)}


@bindings.on_outputs("Indices.F3")
def type_of_indices(answer: MaxAnswer) -> Wrong | None:
    got = answer.given.get("Indices")
    if got is None or got.dtype.kind in "iu":
        return None
    return Wrong("Indices", f"Indices is {got.dtype.name}", None, "integers", got.dtype.name)


@bindings.evidence("X.E1")
def channel_last() -> str:
    x = np.arange(1, 26).reshape(1, 1, 5, 5)
    pooled = Geometry((1, 5), (5, 5), (1, 1), (1, 1), (2, 2), (2, 2))
    last = Maxima(x.transpose(0, 3, 1, 2), pooled, (1, 5)).values.transpose(0, 2, 3, 1)[0, 0, 0].tolist()
    second = Maxima(x, Geometry((5, 5), (5, 5), (1, 1), (1, 1), (2, 2), (2, 2)), (5, 5)).values[0, 0, 0].tolist()
    assert second == [13, 14, 15, 15, 15] != last
    return f"Y of maxpool_2d_uint8 begins {second}, as with the channel second; with the channel last it would begin " \
           f"{last}"
