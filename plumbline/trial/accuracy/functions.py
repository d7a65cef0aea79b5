"""Find the functions whose error is measured.

They are operators of ONNX with one number for each number, and Pow by fixed exponents.

An operator belongs here if its definition has real values (`Operator.real_values`): nothing is listed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from plumbline.backends.worker import element_type
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.definition import Operator
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.specification import definitions

POWER = "Pow"
EXPONENTS = (0.5, 2.0, 3.0, -1.0, 10.0)
"""The exponents by which powers are measured."""

DTYPES = ("float16", "bfloat16", "float32", "float64")
SAMPLE = np.array([0.5, 2.0], np.float32)
"""An input that every function takes."""


class AccuracyError(ValueError):
    """Something that cannot be measured; the text is one line."""


@dataclass(frozen=True)
class Function:
    """A function of one number.

    spec:     the newest specification of its operator.
    exponent: of a power, else None.
    """

    spec: Spec
    exponent: float | None = None

    @property
    def name(self) -> str:
        """The operator, or for instance ``Pow(x, 0.5)``."""
        return self.spec.operator if self.exponent is None else f"{self.spec.operator}(x, {self.exponent:g})"

    @property
    def file(self) -> str:
        """The name in those of files: ``exp``, ``pow-0.5``, ``pow-minus-1``."""
        operator = self.spec.operator.lower()
        return operator if self.exponent is None else f"{operator}-{self.exponent:g}".replace("--", "-minus-")

    def call(self, x: np.ndarray, exponents: np.ndarray | None = None) -> Call:
        """Return the call on numbers; the exponent is broadcast unless there is one for each number."""
        if self.exponent is not None and exponents is None:
            exponents = np.array([self.exponent], x.dtype)
        tensors = (x,) if exponents is None else (x, exponents)
        return Call(self.spec.operator, {}, dict(zip(self.spec.inputs, tensors, strict=True)))

    def definition(self, x: np.ndarray) -> Operator:
        """Return the call on numbers as its operator reads it."""
        return self.spec.definition(self.call(x), self.spec.opset)

    def takes(self, dtype: str) -> bool:
        """Return True for an element type of the specification."""
        return not self.spec.violations(self.call(SAMPLE.astype(element_type(dtype))))


@cache
def _newest() -> dict[str, Spec]:
    """The newest specification of ONNX of each operator with real values, by operator."""
    names = [f"{text.name}@{max(text.versions)}" for text, definition in definitions()
             if text.name.startswith("onnx/") and definition.real_values is not Operator.real_values]
    specs = [load_spec(name) for name in names]
    return {spec.operator: spec for spec in sorted(specs, key=lambda spec: spec.operator) if _is_measured(spec)}


def _is_measured(spec: Spec) -> bool:
    """Return True for a function of one number that has real values, and for Pow."""
    one_to_one = len(spec.inputs) == len(spec.outputs) == 1 and not spec.variadic_input
    return spec.operator == POWER or one_to_one and Function(spec).definition(SAMPLE).real_values() is not None


def function_names() -> list[str]:
    """Return the operators whose functions are measured."""
    return list(_newest())


def functions_named(names: Sequence[str]) -> list[Function]:
    """Return the functions of the named operators, in upper or lower case.

    Without names, those of all operators. Pow has several. Raises AccuracyError."""
    known = {name.lower(): spec for name, spec in _newest().items()}
    for name in names:
        if name.lower() not in known:
            raise AccuracyError(f"no function is called {name!r}{did_you_mean(name.lower(), known)}; there are "
                                f"{', '.join(function_names())}")
    chosen = dict.fromkeys(name.lower() for name in names or known)
    return [function for name in chosen for function in _of(known[name])]


def _of(spec: Spec) -> Iterable[Function]:
    if spec.operator == POWER:
        return [Function(spec, exponent) for exponent in EXPONENTS]
    return [Function(spec)]
