"""Judge and generate calls of ONNX Cast and CastLike, by `spec/onnx/cast.md` and `spec/onnx/castlike.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.choosing import element_type
from plumbline.oracle.families.casts import E8M0, Casting, ends_of_types, exactly
from plumbline.oracle.families.element_types import NUMBERED, a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.operator import Choose, Unspecified, Wrong, on_call, on_outputs, unspecified
from plumbline.oracle.operators.onnx.addresses import CASTS
from plumbline.oracle.response import Response, wrong_type
from plumbline.oracle.size_classes import Named, SizeClass

WORDS = {"float32": "FLOAT", "float64": "DOUBLE"}
"""Element types whose name in ONNX is another one."""

ENDS = Named("ends", (False, True))
"""True if the input is the ends of all types, which no seed draws."""


class Cast(Casting):
    """A call of Cast under one version of its specification."""

    clauses = CASTS

    @property
    def to(self) -> str:
        """The name of the target type; "undefined" for a number or a word without one."""
        to = self.attributes["to"]
        if self.version < 6:
            return next((name for name in NUMBERED if WORDS.get(name, name.upper()) == to), "undefined")
        return NUMBERED[to] if 0 <= to < len(NUMBERED) else "undefined"

    @property
    def target(self) -> np.dtype:
        """The type of the output; float32 for strings, and for one that is excluded."""
        return element_type(self.to if self.to in self.types_of("input", self.version) else "float32")

    @on_call("to.C3")
    def to_is_a_type(self) -> str | None:
        known = self.to in self.types_of("input", self.version) or (self.to == "string" and self.version >= 9)
        return None if known else f"to is {self.attributes['to']!r}"

    @unspecified("to.U1", refusal=True)
    def strings(self) -> Unspecified | None:
        return Unspecified.everything("output") if self.to == "string" else None

    @on_outputs("output.F2")
    def type_of_output(self, response: Response) -> Wrong | None:
        return None if self.to == "string" else wrong_type(response, "output", self.target)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call of any pair of types: `choose` picks among given alternatives."""
        types = cls.types_of("input", version)
        source, target = a_type(choose, types), choose(Named("to", types))
        to = WORDS.get(target, target.upper()) if version < 6 else NUMBERED.index(target)
        attributes, x = {"to": to, **cls.options(choose, version)}, choose.tensor(a_shape(choose), source, "any")
        return Call("Cast", attributes, {"input": ends_of_types(x.dtype) if choose(ENDS, (1, 0)) else x})

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Those of elementwise operators, and every pair of types: each may have a kernel of its own."""
        return *super().size_classes(version), SizeClass({"to": cls.types_of("input", version)}, {"ends": True})

    def named_sizes(self) -> Mapping[str, Any]:
        """Return those of elementwise operators, and the target where the input has the ends of all types."""
        has_ends = np.array_equal(exactly(self.x), exactly(ends_of_types(self.x.dtype)), equal_nan=True)
        return {**super().named_sizes(), "to": self.to if has_ends else ""}


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
