"""The table that the clauses of `spec/sonnx/maxpool.md` are bound in, and the windows of a call."""

from __future__ import annotations

from oracle.attributes import integer_list, integers, pads, spatial_rank
from oracle.binding import Bindings
from oracle.call import Call
from oracle.maximum import Maxima
from oracle.windows import Geometry

bindings = Bindings("sonnx/maxpool")


def geometry(call: Call) -> Geometry:
    """The windows of a call whose lists are well formed."""
    rank = spatial_rank(call)
    padding = pads(call)
    return Geometry(call.inputs["X"].shape[2:], integers(call.attributes["kernel_shape"]),
                    integer_list(call, "strides", 1), integer_list(call, "dilations", 1), padding[:rank],
                    padding[rank:])


def maxima(call: Call) -> Maxima:
    """The windows of a call inside the domain."""
    windows = geometry(call)
    return Maxima(call.inputs["X"], windows, windows.floor_sizes)
