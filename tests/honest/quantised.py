"""Quantisation, as ONNX's documentation has it."""

from __future__ import annotations

import numpy as np
from onnx.helper import tensor_dtype_to_np_dtype


class Quantised:
    """Quantisation by tensor, axis and block."""

    def spread(self, parameter, x, axis, block_size):
        """A scale or zero point for each element."""
        if parameter.ndim == 0 or parameter.size == 1 and not block_size:
            return parameter.reshape(())
        if block_size:
            return np.take(np.repeat(parameter, block_size, axis), range(x.shape[axis]), axis)
        return parameter.reshape([-1 if at == axis % x.ndim else 1 for at in range(x.ndim)])

    def quantizelinear(self, x, y_scale, y_zero_point=None, axis=1, saturate=1, block_size=0, output_dtype=0,
                       precision=0):
        kind = y_zero_point.dtype if y_zero_point is not None else tensor_dtype_to_np_dtype(output_dtype or 2)
        work = tensor_dtype_to_np_dtype(precision) if precision else y_scale.dtype
        work = np.float32 if work.name in ("float8_e8m0fnu", "int32") else work
        scale = self.spread(y_scale, x, axis, block_size)
        zero = np.zeros((), kind) if y_zero_point is None else self.spread(y_zero_point, x, axis, block_size)
        quotient = x.astype(work) / scale.astype(work)
        if kind.name.startswith("float"):
            return self.converted(quotient + zero.astype(work), kind, saturate, "up")
        bits = int("".join(filter(str.isdigit, kind.name)))
        low, high = (0, 2**bits - 1) if kind.name[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
        sums = np.rint(quotient.astype(np.float64)) + zero.astype(np.float64)
        return np.clip(sums, low, high).astype(np.int64).astype(kind)

    def dequantizelinear(self, x, x_scale, x_zero_point=None, axis=1, block_size=0, output_dtype=0):
        kind = tensor_dtype_to_np_dtype(output_dtype) if output_dtype else x_scale.dtype
        scale = self.spread(x_scale, x, axis, block_size)
        if x_zero_point is None:
            return x.astype(kind) * scale.astype(kind)
        zero = self.spread(x_zero_point, x, axis, block_size)
        whole = x.dtype.name.lstrip("u").startswith("int")
        if whole:
            difference = x.astype(np.int64) - zero.astype(np.int64)
        else:
            difference = x.astype(np.float32) - zero.astype(np.float32)
        return difference.astype(kind) * scale.astype(kind)

    def qlinearmatmul(self, A, a_scale, a_zero_point, B, b_scale, b_zero_point, y_scale, y_zero_point):
        sums = self.matmulinteger(A, B, a_zero_point, b_zero_point)
        rows = a_scale[:, None] if a_scale.ndim == 1 and A.ndim > 1 and B.ndim > 1 else a_scale
        return self.requantised(sums, rows, b_scale, y_scale, y_zero_point)

    def qlinearconv(self, X, x_scale, x_zero_point, W, w_scale, w_zero_point, y_scale, y_zero_point, B=None, **how):
        sums = self.convinteger(X, W, x_zero_point, w_zero_point, **how)
        by_map = [-1, *[1] * (X.ndim - 2)]
        sums = sums if B is None else sums + B.reshape(by_map)
        return self.requantised(sums, x_scale, w_scale.reshape(by_map) if w_scale.ndim else w_scale, y_scale,
                                y_zero_point)

    def requantised(self, sums, left, right, scale, zero):
        quotient = self.scaled(sums.astype(scale.dtype), left, right, scale.reshape(()))
        return self.within(quotient, zero.reshape(()), sums)

    def scaled(self, sums, left, right, scale):
        return sums * (left * right / scale)

    def within(self, quotient, zero, sums):
        if zero.dtype.name.startswith("float"):
            return np.zeros(np.shape(sums), zero.dtype)
        limits = np.iinfo(zero.dtype)
        y = np.clip(np.rint(quotient.astype(np.float64)) + zero.astype(np.float64), limits.min, limits.max)
        return y.astype(zero.dtype).reshape(np.shape(sums))

    def dynamicquantizelinear(self, x):
        highest, lowest = np.maximum(np.float32(0), x.max()), np.minimum(np.float32(0), x.min())
        scale = (highest - lowest) / np.float32(255)
        zero = np.clip(np.rint(np.float32(0) - lowest / scale), 0, 255).astype(np.uint8)
        y = np.clip(np.rint(x / scale) + np.float32(zero), 0, 255).astype(np.uint8)
        return {"y": y, "y_scale": np.float32(scale), "y_zero_point": zero}
