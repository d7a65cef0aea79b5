"""Judge and generate calls of ONNX Upsample, by `spec/onnx/upsample.md`.

It is Resize-10 with scales of at least 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.resampling import CANONICAL, Reading
from plumbline.oracle.operator import Choose, Operator, Unspecified, on_call, unspecified
from plumbline.oracle.operators.onnx.resize import MOST, SIDES, Resize, one_of
from plumbline.oracle.size_classes import ROWS, WIDE_ROWS, Named, SizeClass, a_large_output

FACTORS = Named("factor", (2.0, 3.0, 1.5, 1.0, 2.5, 1.1))


def _of_resize(symptom: Callable[[Resize, Divergence], bool]) -> Callable[[Operator, Divergence], bool]:
    """The symptom of the call of Resize that asks the same."""
    @wraps(symptom)
    def other(definition: Operator, entry: Divergence) -> bool:
        assert isinstance(definition, Upsample)
        return symptom(definition.resize, entry)
    return other


class Upsample(Operator):
    """A call of Upsample under one version of its specification."""

    family = Resize.family
    exact = False
    flag_notes = {"fractional": Resize.flag_notes["fractional"], "of-a-scalar": "X has no axes."}
    symptoms = {name: _of_resize(symptom) for name, symptom in Resize.symptoms.items()}

    mode_domain = one_of("mode.C2", "mode", "nearest", "linear")
    shape_of_y = shape_of_output("Y.C1", "Y")
    any_value = elements_of("Y.F2", "Y", "not among the elements of X")

    def __init__(self, call: Call, version: int, reading: Reading = CANONICAL) -> None:
        super().__init__(call, version)
        self.reading = reading

    def text(self, name: str) -> str:
        """An attribute that is a string, and its default."""
        value = self.attribute(name)
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)

    @cached_property
    def scales(self) -> np.ndarray:
        """The scales in float32, which both attribute and input have."""
        given = self.inputs["scales"] if self.version >= 9 else self.attribute("scales")
        with np.errstate(over="ignore"):
            return np.asarray(given, np.float32)

    @cached_property
    def resize(self) -> Resize:
        """The call of Resize-10 that asks the same."""
        inputs = {"X": self.inputs["X"], "scales": self.scales}
        return Resize(Call("Resize", {"mode": self.text("mode")}, inputs), 10, self.reading)

    @on_call("scales.C4")
    def number_of_scales(self) -> str | None:
        wanted = (self.inputs["X"].ndim,)
        return None if self.scales.shape == wanted else f"scales have shape {self.scales.shape}, not {wanted}"

    @on_call("scales.C5")
    def not_below_one(self) -> str | None:
        return None if ((self.scales >= 1) & (self.scales < np.inf)).all() else "a scale is not at least 1 and finite"

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape that Resize gives."""
        return self.resize.shape_of(output)

    def expected(self) -> dict[str, np.ndarray]:
        """Return the output of Resize."""
        return self.resize.canonical

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask that Resize gives."""
        return self.resize.conforms(output, got)

    def enclosure(self) -> dict[str, Ends]:
        """Return the enclosure of Resize."""
        return self.resize.enclosure()

    def tolerance(self) -> dict[str, float]:
        """Return the tolerance of Resize."""
        return self.resize.tolerance()

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """Return the figures of Resize."""
        return self.resize.measure(output, got, judged)

    @unspecified("X.U1")
    def average_of_booleans(self) -> Unspecified | None:
        return self.resize.average_of_booleans()  # type: ignore[no-any-return]

    @unspecified("Y.U1")
    def other_sizes(self) -> Unspecified | None:
        others = self.resize.other_sizes()
        return others and Unspecified({}, tuple(Upsample(self.call, self.version, one.reading)
                                                for one in others.readings))

    @unspecified("Y.U2")
    def any_coordinates(self) -> Unspecified | None:
        return self.resize.any_coordinates()  # type: ignore[no-any-return]

    @unspecified("Y.U3")
    def no_finite_average(self) -> Unspecified | None:
        return self.resize.no_finite_average()  # type: ignore[no-any-return]

    @unspecified("Y.U4")
    def rounding_of_integers(self) -> Unspecified | None:
        return self.resize.rounding_of_integers()  # type: ignore[no-any-return]

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape, its last axes enlarged."""
        shape, mode = a_shape(choose, SIDES), choose(("nearest", "linear"))
        attributes: dict[str, Any] = {} if mode == "nearest" and choose((True, False)) else {"mode": mode}
        factors = [choose(FACTORS) if axis > len(shape) - 3 else choose((1.0, 2.0), (9, 1))
                   for axis in range(len(shape))]
        x = choose.tensor(shape, a_type(choose, cls.types_of("X", version)),
                          "bits" if mode == "nearest" else choose(("sum", "any"), (2, 1)))
        if version >= 9:
            drawn = cls(Call("Upsample", attributes, {"X": x, "scales": np.array(factors, np.float32)}), version)
        else:
            drawn = cls(Call("Upsample", {**attributes, "scales": factors}, {"X": x}), version)
        return drawn.call if prod(drawn.shape_of("Y")) <= MOST or max(shape) > max(SIDES) else None

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, and a large output."""
        return SizeClass({"columns": ROWS}), a_large_output({**WIDE_ROWS, "factor": 2.0})

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the sizes of Resize."""
        return self.resize.named_sizes()

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"fractional": self.resize.value_flags()["fractional"], "of-a-scalar": self.inputs["X"].ndim == 0}
