"""ONNX Gemm: an implementation, and faults in it."""

from __future__ import annotations

from typing import Any

import numpy as np

import tests.operators._matrices as shared
from plumbline.backends import Request
from tests.operators.contract import Outputs, fault, plant, version_of


class Gemm(shared.Product):
    """Multiplies, scales the product, and adds the scaled C; integers exactly, toward zero and modulo 2**n."""

    def turned(self, x: np.ndarray, turn: int) -> np.ndarray:
        """A or B, transposed where the attribute says so."""
        return x.T if turn else x

    def factor(self, request: Request, name: str) -> np.float32:
        """alpha or beta."""
        return np.float32(request.attributes.get(name, 1.0))

    def scaled(self, x: np.ndarray, factor: np.float32) -> np.ndarray:
        """A tensor times a factor, in the type."""
        if shared.is_float(x):
            return x * factor.astype(x.dtype) if x.dtype.itemsize == 2 else x * x.dtype.type(factor)
        whole = np.array([int(one * float(factor)) if not float(factor).is_integer() else int(one) * int(factor)
                          for one in x.ravel().tolist()], object).reshape(x.shape)
        return self.narrowed(whole, x.dtype)

    def narrowed(self, exact: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """Integers modulo 2 to the number of bits."""
        return np.asarray(exact % 2**64, np.uint64).astype(dtype) if exact.size else np.zeros(exact.shape, dtype)

    def bias(self, c: np.ndarray, y: np.ndarray) -> np.ndarray:
        """C in the shape of Y."""
        return np.broadcast_to(c, y.shape)

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        """alpha * y + beta * c."""
        found = self.scaled(y, alpha) if alpha != 1 else y
        return found if c is None else found + (self.scaled(self.bias(c, y), beta) if beta != 1 else self.bias(c, y))

    def run(self, request: Request) -> Outputs:
        """Y."""
        given: dict[str, Any] = {name: np.asarray(x) for name, x in request.inputs.items()}
        alpha, beta = self.factor(request, "alpha"), self.factor(request, "beta")
        with np.errstate(all="ignore"):
            a = self.turned(given["A"], request.attributes.get("transA", 0))
            b = self.turned(given["B"], request.attributes.get("transB", 0))
            c = given.get("C")
            if not shared.is_float(a) and not (float(alpha).is_integer() and float(beta).is_integer()):
                alpha, beta = np.trunc(alpha), np.trunc(beta)
            return {"Y": np.asarray(self.combine(self.multiply(a, b), c, alpha, beta)).astype(a.dtype)}


class ScalesA(Gemm):
    """alpha is multiplied into A first."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return super().multiply(self.scaled(a, self.alpha), b) if shared.is_float(a) else super().multiply(a, b)

    def run(self, request: Request) -> Outputs:
        self.alpha = self.factor(request, "alpha")
        return super().run(request)

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        return super().combine(y, c, np.float32(1) if shared.is_float(y) else alpha, beta)


class LikeBlas(Gemm):
    """What is multiplied by a zero factor takes no part."""

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        y = np.zeros_like(y) if alpha == 0 else y
        return super().combine(y, None if beta == 0 else c, np.float32(1) if alpha == 0 else alpha, beta)


plant(globals(), Gemm, (shared,), {
    "": shared.HONEST,
    "Y.F1": f"{shared.SUMS} ZeroForNan ClampsInfinity SpreadsNan BeginsAtOne",
    "Y.F2": "LongsAsDoubles IntsAsSingles LongsIn32Bits UnsignedAsSigned",
    "Y.C2": "WidensHalf WidensIntegers",
    "Y.C1": "DropsUnitAxes"
})


@fault("Y.F1")
class IgnoresAlpha(Gemm):
    """alpha is taken for 1."""

    def factor(self, request: Request, name: str) -> np.float32:
        return np.float32(1) if name == "alpha" else super().factor(request, name)


@fault("Y.F1")
class IgnoresBeta(Gemm):
    """beta is taken for 1."""

    def factor(self, request: Request, name: str) -> np.float32:
        return np.float32(1) if name == "beta" else super().factor(request, name)


@fault("Y.F1")
class AlphaForBeta(Gemm):
    """beta is taken for alpha."""

    def factor(self, request: Request, name: str) -> np.float32:
        return super().factor(request, "alpha")


@fault("Y.F1")
class BetaIsZero(Gemm):
    """The default of beta is 0."""

    def factor(self, request: Request, name: str) -> np.float32:
        return np.float32(request.attributes.get(name, 1.0 if name == "alpha" else 0.0))


@fault("Y.F1")
class WholeFactors(Gemm):
    """alpha and beta are cut to integers."""

    def factor(self, request: Request, name: str) -> np.float32:
        return np.trunc(super().factor(request, name))


@fault("Y.F1")
class AlphaScalesC(Gemm):
    """alpha is multiplied into C as well."""

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        return super().combine(y, c, alpha, alpha * beta)


@fault("Y.F1")
class ForgetsC(Gemm):
    """C is not added."""

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        return super().combine(y, None, alpha, beta)


@fault("Y.F1")
class SubtractsC(Gemm):
    """C is subtracted."""

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        return super().combine(y, c, alpha, -beta)


@fault("Y.F1")
class CWithoutBetaWhereNothingIsAdded(Gemm):
    """Where K is 0, C is copied without its factor."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        self.empty = not a.shape[1]
        return super().multiply(a, b)

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        return super().combine(y, c, alpha, np.float32(1) if self.empty else beta)


@fault("Y.F1")
class NothingWhereNothingIsAdded(Gemm):
    """Where K is 0, Y is 0, whatever C."""

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        return super().combine(y, None if self.empty else c, alpha, beta)

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        self.empty = not a.shape[1]
        return super().multiply(a, b)


@fault("Y.F1", "refusal")
class SquaresStay(Gemm):
    """A matrix of as many rows as columns is never transposed."""

    def turned(self, x: np.ndarray, turn: int) -> np.ndarray:
        return x if x.shape[0] == x.shape[1] else super().turned(x, turn)


@fault("Y.F1")
class TurnIsAReshape(Gemm):
    """To transpose, sizes are swapped and elements are not."""

    def turned(self, x: np.ndarray, turn: int) -> np.ndarray:
        return x.reshape(x.shape[::-1]) if turn else x


@fault("Y.F1", "refusal")
class TurnsOnlyForOne(Gemm):
    """Of the values other than 0 only 1 transposes."""

    def turned(self, x: np.ndarray, turn: int) -> np.ndarray:
        return x.T if turn == 1 else x


@fault("Y.F1")
class CIsOneColumn(Gemm):
    """A C of one axis goes down the rows where there are as many."""

    def bias(self, c: np.ndarray, y: np.ndarray) -> np.ndarray:
        return super().bias(c[:, None] if c.ndim == 1 and c.size == y.shape[0] else c, y)


@fault("Y.F1")
class FirstOfC(Gemm):
    """Of C only the first element is read."""

    def bias(self, c: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.full_like(y, c.flat[0]) if c.size else super().bias(c, y)


@fault("Y.F1")
class FirstRowOfC(Gemm):
    """A C of several rows is read in its first row alone."""

    def bias(self, c: np.ndarray, y: np.ndarray) -> np.ndarray:
        return super().bias(c[:1] if c.ndim == 2 else c, y)


@fault("refusal")
class NeedsAWholeC(Gemm):
    """C is not broadcast along columns."""

    def bias(self, c: np.ndarray, y: np.ndarray) -> np.ndarray:
        if c.ndim == 2 and c.shape[1] == 1 and y.shape[1] != 1:
            raise ValueError("C")
        return super().bias(c, y)


@fault("refusal")
class NeedsC(Gemm):
    """C is needed after version 10 too."""

    def run(self, request: Request) -> Outputs:
        if "C" not in request.inputs and version_of(request) > 10:
            raise ValueError("C")
        return super().run(request)


@fault("Y.F1")
class AddsCToEachTerm(Gemm):
    """C is added once for each term."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        self.count = max(a.shape[1], 1)
        return super().multiply(a, b)

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        return super().combine(y, c, alpha, beta * np.float32(self.count))


@fault("Y.F1")
class FactorsInDouble(Gemm):
    """alpha and beta are kept in 64 bits."""

    def factor(self, request: Request, name: str) -> Any:
        return np.float64(request.attributes.get(name, 1.0))
