"""Operators on each element, on pairs of elements, and conversions, as ONNX's documentation has them."""

from __future__ import annotations

import math

import numpy as np
from ml_dtypes import finfo
from onnx.helper import tensor_dtype_to_np_dtype

BYTES = {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"}


def erf(x):
    """The error function, in double precision."""
    return np.vectorize(math.erf, otypes=[np.float64])(x.astype(np.float64)).astype(x.dtype) if x.size else x


FUNCTIONS = {
    "abs": np.abs, "add": np.add, "and": np.logical_and, "ceil": np.ceil, "cos": np.cos, "equal": np.equal, "erf": erf,
    "floor": np.floor, "greater": np.greater, "greaterorequal": np.greater_equal, "identity": np.copy,
    "isnan": np.isnan, "less": np.less,
    "lessorequal": np.less_equal, "mul": np.multiply, "neg": np.negative, "not": np.logical_not, "or": np.logical_or,
    "reciprocal": lambda x: x.dtype.type(1) / x, "round": np.rint, "sign": np.sign, "sin": np.sin,
    "size": lambda x: np.array(x.size), "sub": np.subtract, "xor": np.logical_xor}
"""Operators that are one function of numpy."""


def number(x, value):
    """An attribute, which ONNX holds in float32, in the type of a tensor."""
    return np.float32(value).astype(x.dtype)


class Elements:
    """Operators on each element."""

    def gelu(self, X, approximate="none"):
        half, one = number(X, 0.5), number(X, 1)
        if approximate == "tanh":
            inner = X + X.dtype.type(0.044715) * X * X * X
            return half * X * (one + np.tanh(X.dtype.type(math.sqrt(2 / math.pi)) * inner))
        return half * X * (one + erf(X / X.dtype.type(math.sqrt(2))))

    def hardsigmoid(self, X, alpha=0.2, beta=0.5):
        return np.maximum(number(X, 0), np.minimum(number(X, 1), number(X, alpha) * X + number(X, beta)))

    def hardswish(self, X):
        return X * self.hardsigmoid(X, 1 / 6, 0.5)

    def logsoftmax(self, X, axis=-1):
        distance = X - X.max(axis=axis, keepdims=True, initial=-np.inf)
        return distance - np.log(np.exp(distance).sum(axis=axis, keepdims=True))

    def isinf(self, X, detect_negative=1, detect_positive=1):
        return np.isinf(X) & np.where(X > 0, detect_positive != 0, detect_negative != 0)

    def mod(self, A, B, fmod=0):
        return np.fmod(A, B) if fmod else np.mod(A, B)

    def prelu(self, X, slope):
        return np.where(X < 0, slope * X, X)

    def softplus(self, X):
        return np.maximum(X, number(X, 0)) + np.log1p(np.exp(-np.abs(X)))

    def elu(self, X, alpha=1.0):
        return np.where(X < 0, number(X, alpha) * (np.exp(X) - number(X, 1)), X)

    def selu(self, X, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875):
        alpha, gamma = number(X, alpha), number(X, gamma)
        return gamma * np.where(X > 0, X, alpha * np.exp(X) - alpha)

    def thresholdedrelu(self, X, alpha=1.0):
        return np.where(X > X.dtype.type(alpha), X, X.dtype.type(0))

    def celu(self, X, alpha=1.0):
        alpha, zero = number(X, alpha), number(X, 0)
        return np.maximum(X, zero) + np.minimum(zero, alpha * (np.exp(X / alpha) - number(X, 1)))

    def softsign(self, input):
        return input / (number(input, 1) + np.abs(input))

    def swish(self, X, alpha=1.0):
        return X / (number(X, 1) + np.exp(-number(X, alpha) * X))

    def mish(self, X):
        return X * np.tanh(self.softplus(X))

    def range(self, start, limit, delta, stash_type=1):
        kind = start.dtype
        if kind.kind not in "iuf" or kind == np.float16:
            start, limit, delta = (each.astype(np.float32) for each in (start, limit, delta))
        if kind.kind in "iu":
            first, last, step = int(start), int(limit), int(delta)
            count = max(-((first - last) // step), 0)
            return np.array([first + place * step for place in range(count)], kind)
        quotient = (limit - start) / delta
        count = math.ceil(quotient) if quotient > 0 else 0
        return (start + np.arange(count, dtype=start.dtype) * delta).astype(kind)

    # Conversions

    def cast(self, input, to, saturate=1, round_mode="up"):
        return self.converted(input, tensor_dtype_to_np_dtype(to), saturate, round_mode)

    def castlike(self, input, target_type, saturate=1, round_mode="up"):
        return self.converted(input, target_type.dtype, saturate, round_mode)

    def converted(self, x, kind, saturate, round_mode):
        if kind == np.bool_:
            return x != x.dtype.type(0)
        if kind.name == "float8_e8m0fnu":
            return self.power_of_two(x.astype(np.float64), kind, saturate, round_mode)
        if x.dtype.kind == "V":  # numpy casts some pairs of these types as arrays alone
            x = x.astype(np.int64 if "int" in x.dtype.name else np.float32)
        y = x.astype(kind)
        if kind.name in BYTES and saturate:
            wide, largest = x.astype(np.float64), np.float64(finfo(kind).max)
            over = (wide == wide) & ~(np.abs(y.astype(np.float64)) <= largest)
            y = np.where(over, np.copysign(largest, wide).astype(kind), y)
        return y

    def power_of_two(self, x, kind, saturate, round_mode):
        fraction, exponent = np.frexp(x)  # of a fraction from a half to one
        exponent = exponent - 1 + {"up": fraction > 0.5, "down": False, "nearest": fraction >= 0.75}[round_mode]
        bits = exponent + 127
        bits = np.clip(bits, 0, 254) if saturate else np.where((bits < 0) | (bits > 254), 255, bits)
        bits = np.where(x == 0, 0 if saturate else 255, bits)
        bits = np.where(np.isinf(x), 254 if saturate else 255, bits)
        return np.where(x != x, 255, bits).astype(np.uint8).view(kind)
