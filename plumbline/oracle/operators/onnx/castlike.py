"""Judge and generate calls of ONNX CastLike, by `spec/onnx/castlike.md`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.casts import E8M0, Casting
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.operator import Choose, Unspecified, unspecified
from plumbline.oracle.operators.onnx.addresses import CASTS


class CastLike(Casting):
    """A call of CastLike under one version of its specification."""

    clauses = {address: name for address, name in CASTS.items() if name != "ranges"}

    @property
    def target(self) -> np.dtype:
        """The type of target_type."""
        return self.inputs["target_type"].dtype

    @unspecified("round_mode.U1")
    def default_mode(self) -> Unspecified | None:
        if self.target.name != E8M0 or self.round_mode == "up":
            return None
        default = CastLike(replace(self.call, attributes={**self.attributes, "round_mode": "up"}), self.version)
        special = self.beyond | ~np.isfinite(self.elements)
        return Unspecified.of(special | ~self.conforms("output", default.canonical["output"]), "output",
                              admits=lambda got: special | default.conforms("output", got))

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: every pair of types; target_type of any shape."""
        types = cls.types_of("input", version)
        x = choose.tensor(a_shape(choose), a_type(choose, types), "any")
        shape = choose(((1,), (), (0,), (2, 3)))
        return Call("CastLike", cls.options(choose, version),
                    {"input": x, "target_type": choose.tensor(shape, choose(types), "any")})
