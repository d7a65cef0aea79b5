"""The table that the clauses of `spec/sonnx/maxpool.md` are bound in, and the call as their predicates read it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.attributes import integer_list, integers, pads, spatial_rank
from plumbline.oracle.binding import Bindings
from plumbline.oracle.call import Call
from plumbline.oracle.maximum import Maxima
from plumbline.oracle.windows import Geometry


class ProfileCall:
    """A call, with its windows laid out when first asked for; these need well-formed lists."""

    mode = frozenset({"NOTSET", "floor"})
    """How it pads and how it rounds: the profile has one way."""

    def __init__(self, call: Call, version: int) -> None:
        self.call = call
        self.attributes: Mapping[str, Any] = call.attributes
        self.x: np.ndarray = call.inputs["X"]

    @cached_property
    def geometry(self) -> Geometry:
        """The windows."""
        rank, padding = spatial_rank(self.call), pads(self.call)
        return Geometry(self.x.shape[2:], integers(self.attributes["kernel_shape"]),
                        integer_list(self.call, "strides", 1), integer_list(self.call, "dilations", 1),
                        padding[:rank], padding[rank:])

    @cached_property
    def maxima(self) -> Maxima:
        """Their maxima, of a call inside the domain."""
        return Maxima(self.x, self.geometry, self.geometry.floor_sizes)


bindings = Bindings("sonnx/maxpool", read=ProfileCall)
