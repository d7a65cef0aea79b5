"""Judge and generate calls of SONNX BatchNormalization, by `spec/sonnx/batchnormalization.md`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import attributes_of, element_type, presence, type_of_output
from plumbline.oracle.families.profile import FLOATS
from plumbline.oracle.operator import Choose, Unspecified, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.onnx.batchnormalization import _Channelwise

DEFAULTS: dict[str, Any] = {"epsilon": 1e-5, "momentum": 0.9, "training_mode": 0}


class BatchNormalization(_Channelwise):
    """A call of BatchNormalization in the profile: inference, with every attribute set."""

    clauses = {"Y.C1": "shape", "scale.C1": "shapes", "X.C2": "rank", "float.Y.F1": "any_other",
               "float.Y.U2": "overflow"}

    given = presence("signature.F1")
    known_attributes = attributes_of("signature.C1", dict.fromkeys(DEFAULTS, 1))
    types_of_x = element_type("X.C3", "X", FLOATS)
    type_of_y = type_of_output("Y.C2", "Y", lambda self: self.x.dtype)

    @classmethod
    def types_of(cls, name: str, version: int) -> tuple[str, ...]:
        return FLOATS

    def attribute(self, name: str) -> Any:
        return self.attributes.get(name, DEFAULTS.get(name))

    @property
    def trains(self) -> bool:
        return False

    @cached_property
    def of_nan(self) -> np.ndarray:
        """bool: which elements a NaN enters."""
        numbers = (self.x, *self.parameters, self._moments.mean)
        return np.asarray(np.logical_or.reduce([np.broadcast_to(x != x, self.x.shape) for x in numbers]))

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        return np.asarray(super().conforms(output, got) | self.of_nan & (got != got))

    @on_call("restrictions.R1")
    def inference(self) -> str | None:
        mode = self.attribute("training_mode")
        return None if mode == 0 else f"training_mode is {mode!r}"

    @on_call("restrictions.R2")
    def no_defaults(self) -> str | None:
        missing = [name for name in DEFAULTS if name not in self.attributes]
        return f"not set: {', '.join(missing)}" if missing else None

    @on_call("epsilon.C1")
    def positive(self) -> str | None:
        value = self.attribute("epsilon")
        is_number = isinstance(value, int | float | np.floating) and not isinstance(value, bool)
        return None if is_number and np.float32(value) > 0 else f"epsilon is {value!r}"

    @on_call("X.C2")
    def rank(self) -> str | None:
        return None if self.x.ndim else "X has no axes"

    @on_call("scale.C2")
    def type_of_scale(self) -> str | None:
        return self._one_type("scale", "B")

    @on_call("input_mean.C2")
    def type_of_statistics(self) -> str | None:
        return self._one_type("input_mean", "input_var")

    def _one_type(self, *names: str) -> str | None:
        first, other = (self.inputs[name].dtype.name for name in names)
        return None if first == other and first in FLOATS else f"{names[0]} is {first}, {names[1]} {other}"

    @on_call("input_var.C3")
    def not_negative(self) -> str | None:
        wrong = self.inputs["input_var"][~(self.inputs["input_var"] >= 0)]
        return f"input_var has {wrong.flat[0]}" if wrong.size else None

    @on_elements("float.Y.F2", "Y", "not NaN, of NaN")
    def nan(self, got: np.ndarray) -> np.ndarray:
        return self.of_nan

    @unspecified("float.Y.U1")
    def infinities(self) -> Unspecified | None:
        return Unspecified.of(self.is_open & ~self.of_nan, "Y")

    @unspecified("float.Y.U3")
    def bits_of_nan(self) -> Unspecified | None:
        return Unspecified.of(self.of_nan, "Y", admits=np.isnan)

    @evidence("restrictions.E1")
    @staticmethod
    def defaults() -> str:
        x, one, zero = np.array([2.0, 4, 6]), np.ones(1), np.zeros(1)
        inputs = {"X": x, "scale": one, "B": zero, "input_mean": 4 * one, "input_var": 2 * one}
        example = BatchNormalization(Call("BatchNormalization", {"epsilon": 1e-5}, inputs), 15)
        missing = example.no_defaults()
        assert missing and np.allclose(example.canonical["Y"], [-1.4142, 0, 1.4142], atol=1e-4)
        return f"Example 1 of the real part names epsilon alone, and its values are right; {missing}"

    @evidence("epsilon.E1")
    @staticmethod
    def epsilon_of_float16() -> str:
        epsilon = np.float16(1e-8)
        root = np.sqrt(np.float16(0) + epsilon)
        assert root == 0
        return f"an epsilon of 1e-8 is {epsilon} in float16, and the root with a variance of 0 is {root}"

    @evidence("scale.E1")
    @staticmethod
    def conversions() -> str:
        x, mean = np.float16(2048), np.float32(2049)
        wide, narrow = np.float32(x) - mean, x - np.float16(mean)
        assert wide == -1 and narrow == 0
        return f"{x} in float16 less {mean} in float32 is {wide} in float32 and {narrow} in float16"

    @evidence("Y.E1")
    @staticmethod
    def batch_taken_for_channels() -> str:
        x = np.arange(1.0, 9).reshape(2, 2, 2)
        numbers = (2.0, 1.0), (0.5, -0.5), (2.0, 6.0), (1.0, 1.0)
        printed = np.array([[[-1.5, 0.5], [2.5, 4.5]], [[-1.5, -0.5], [0.5, 1.5]]])
        by_formula = _normalised(x, *numbers).swapaxes(0, 1)
        assert np.allclose(printed, _normalised(x.swapaxes(0, 1), *numbers).swapaxes(0, 1), atol=1e-4)
        assert not np.allclose(printed, by_formula, atol=1)
        return "; ".join(f"channel {number} is {_short(by_formula[number])} by the formula, and printed as "
                         f"{_short(printed[number])}" for number in range(2))

    @evidence("Y.E2")
    @staticmethod
    def lines_and_columns() -> str:
        x = np.array([[1.0, 2], [3, 4]])
        scale, b, mean, variance = (1.0, 2.0), (0.0, 1.0), (2.0, 3.0), (1.0, 1.0)
        before, printed = np.array([[-1.0, 1], [-3, 3]]), np.array([[-1.0, 1], [-1, 3]])
        by_formula, without_b = (_normalised(x, scale, added, mean, variance) for added in (b, (0.0, 0.0)))
        assert np.allclose(printed, by_formula.T, atol=1e-4) and not np.allclose(printed, by_formula, atol=1)
        assert not any(np.allclose(before, y, atol=0.5) for y in (without_b, without_b.T))
        return f"Y is {_short(by_formula)} by the formula, and {_short(without_b)} without B; printed are " \
               f"{_short(printed)} and {_short(before)}"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: as ONNX's, with an epsilon above zero and variances of zero or above."""
        call = super().make(choose, version)
        if call is None:
            return None
        attributes = {name: call.attributes.get(name) or value for name, value in DEFAULTS.items()}
        variance = np.abs(call.inputs["input_var"])
        variance = np.where(variance != variance, variance.dtype.type(1), variance)
        return Call(call.operator, {**attributes, "training_mode": 0}, {**call.inputs, "input_var": variance})

    def flags(self) -> dict[str, bool]:
        return {"one-axis": self.x.ndim < 2}


def _normalised(x: np.ndarray, *numbers: tuple[float, ...]) -> np.ndarray:
    """The formula with an epsilon of 1e-5; `numbers` are scale, B, mean and variance, channel by channel."""
    scale, b, mean, variance = (np.reshape(of, (-1, *[1] * (x.ndim - 2))) for of in numbers)
    return np.asarray(scale * (x - mean) / np.sqrt(variance + 1e-5) + b)


def _short(values: np.ndarray) -> str:
    return str(np.round(values, 1).tolist())
