"""ONNX Relu: an implementation derived from neither oracle, and faults in it."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs, fault, version_of


class Relu(Implementation):
    """Keeps what is not below zero."""

    def element(self, x: np.ndarray) -> np.ndarray:
        """The function, on a flat array."""
        y = x.copy()
        y[x < 0] = 0
        return y

    def accepts(self, request: Request) -> None:
        """Raises where the version does not have what the call asks for."""
        if "consumed_inputs" in request.attributes and version_of(request) > 1:
            raise ValueError("consumed_inputs")

    def run(self, request: Request) -> Outputs:
        """Y."""
        self.accepts(request)
        x = np.asarray(request.inputs["X"])
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            return {"Y": self.element(x.reshape(-1)).reshape(x.shape)}


def is_float(x: np.ndarray) -> bool:
    """Whether elements are floating-point numbers, bfloat16 among them."""
    return x.dtype.kind not in "iu"


class NanIsZero(Relu):
    """A comparison with NaN is false, so NaN gives 0."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x, x.dtype.type(0))


class ByMasking(Relu):
    """Multiplies by the truth value of a comparison where X is finite, so that below zero -0 is given."""

    def element(self, x: np.ndarray) -> np.ndarray:
        if not is_float(x):
            return super().element(x)
        with np.errstate(invalid="ignore"):
            return np.where(np.isfinite(x), x * (x > 0).astype(x.dtype), super().element(x))


class RefusesLegacy(Relu):
    """Refuses the legacy attribute."""

    def accepts(self, request: Request) -> None:
        if "consumed_inputs" in request.attributes:
            raise ValueError("consumed_inputs")


@fault("Y.F1")
class Identity(Relu):
    """Nothing is cut off."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return x.copy()


@fault("Y.F1")
class Abs(Relu):
    """The sign is lost instead of the number."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return np.abs(x)


@fault("Y.F1")
class Relu6(Relu):
    """Cut off at 6 as well."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return np.minimum(super().element(x), x.dtype.type(6))


@fault("Y.F1")
class Leaky(Relu):
    """A hundredth of what is below zero passes."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, (x * 0.01).astype(x.dtype), x)


@fault("Y.F1")
class CutsOffPositive(Relu):
    """The comparison is the wrong way round."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x.dtype.type(0), x)


@fault("Y.F1")
class ByProduct(Relu):
    """X times a truth value: -inf gives NaN."""

    def element(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return x * (x > 0).astype(x.dtype)


@fault("Y.F1")
class ByAbsoluteValue(Relu):
    """(x + |x|) / 2, which overflows at the ends of the type and loses the smallest number."""

    def element(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            doubled = x + np.abs(x)
        return doubled // 2 if not is_float(x) else (doubled * 0.5).astype(x.dtype)


@fault("Y.F1")
class FlushesSubnormal(Relu):
    """Subnormal numbers count as zero."""

    def element(self, x: np.ndarray) -> np.ndarray:
        if x.dtype.name != "float32":
            return super().element(x)
        return np.where(np.abs(x) < np.finfo(x.dtype).tiny, x.dtype.type(0), super().element(x))


@fault("Y.F1")
class InHalfPrecision(Relu):
    """float32 passes through float16."""

    def element(self, x: np.ndarray) -> np.ndarray:
        narrow = np.float16 if x.dtype.name == "float32" else x.dtype
        with np.errstate(over="ignore"):
            return super().element(x.astype(narrow)).astype(x.dtype)


@fault("Y.F1")
class InSinglePrecision(Relu):
    """float64 passes through float32."""

    def element(self, x: np.ndarray) -> np.ndarray:
        narrow = np.float32 if x.dtype.name == "float64" else x.dtype
        with np.errstate(over="ignore"):
            return super().element(x.astype(narrow)).astype(x.dtype)


@fault("Y.F1")
class IntegersThroughFloats(Relu):
    """Integers pass through float32."""

    def element(self, x: np.ndarray) -> np.ndarray:
        if is_float(x):
            return super().element(x)
        with np.errstate(invalid="ignore"):
            return super().element(x.astype(np.float32)).astype(x.dtype)


@fault("Y.F1")
class LosesInfinity(Relu):
    """An infinity gives the largest finite number."""

    def element(self, x: np.ndarray) -> np.ndarray:
        if x.dtype.kind != "f":
            return super().element(x)
        return np.minimum(super().element(x), np.finfo(x.dtype).max)


@fault("Y.F1")
class SpreadsNan(Relu):
    """A NaN anywhere makes the whole output NaN."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return np.full_like(x, np.nan) if (x != x).any() else super().element(x)


@fault("Y.F1")
class ForgetsTheTail(Relu):
    """Elements behind the last full register of eight are copied."""

    def element(self, x: np.ndarray) -> np.ndarray:
        full = x.size // 8 * 8 if x.size > 8 else x.size
        return np.concatenate([super().element(x[:full]), x[full:]])


@fault("Y.F1")
class Unsigned(Relu):
    """Integers are read without their sign, and so none is below zero."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return super().element(x) if is_float(x) else x.copy()


@fault("Y.C1")
class ScalarsAreVectors(Relu):
    """A tensor without axes comes back with one."""

    def run(self, request: Request) -> Outputs:
        return {name: np.atleast_1d(y) for name, y in super().run(request).items()}


@fault("Y.C1")
class DropsUnitAxes(Relu):
    """Axes of size 1 get lost."""

    def run(self, request: Request) -> Outputs:
        return {name: y.squeeze() for name, y in super().run(request).items()}


@fault("Y.C2")
class GivesSinglePrecision(Relu):
    """Whatever the type of X, Y is float32."""

    def run(self, request: Request) -> Outputs:
        with np.errstate(over="ignore"):
            return {name: y.astype(np.float32) for name, y in super().run(request).items()}


@fault("refusal")
class RefusesEmpty(Relu):
    """A tensor without elements is refused."""

    def accepts(self, request: Request) -> None:
        super().accepts(request)
        if not np.asarray(request.inputs["X"]).size:
            raise ValueError("empty")
