"""Other formulas for the same, such as libraries use: folded, scaled, stable or, as ONNX's function bodies, plain."""

from __future__ import annotations

import math

import numpy as np

from tests.honest.elements import number


class Formulas:
    """Operators by another formula."""

    def batchnormalization(self, X, scale, B, input_mean, input_var, epsilon=1e-5, training_mode=0, **how):
        if training_mode or X.size == 0:
            return super().batchnormalization(X, scale, B, input_mean, input_var, epsilon, training_mode=training_mode)
        shape = [1, -1, *[1] * (X.ndim - 2)] if X.ndim > 1 else [1]
        wide = np.float64 if X.dtype.itemsize > 2 else np.float32
        factor = scale.astype(wide) / np.sqrt(input_var.astype(wide) + wide(np.float32(epsilon)))
        return ((X - input_mean.astype(wide).reshape(shape)) * factor.reshape(shape) + B.astype(wide).reshape(shape)
                ).astype(X.dtype)

    def dft(self, input, dft_length=None, axis=-2, inverse=0, onesided=0):
        axis = int(axis) % input.ndim
        rows = np.moveaxis(input, axis, -2).astype(np.float64 if input.dtype == np.float64 else np.float32)
        signal = rows[..., 0] if rows.shape[-1] == 1 else rows[..., 0] + 1j * rows[..., 1]
        count = None if dft_length is None else int(dft_length)
        function = (np.fft.irfft if onesided else np.fft.ifft) if inverse else np.fft.rfft if onesided else np.fft.fft
        y = function(signal, count)
        parts = [y.real] if inverse and onesided else [y.real, y.imag]
        return np.moveaxis(np.stack(parts, -1).astype(input.dtype), -2, axis)

    def einsum(self, equation, **operands):
        kind = next(iter(operands.values())).dtype
        operands = [array.astype(np.float32) if kind.name == "bfloat16" else array for array in operands.values()]
        return np.einsum(equation.replace(" ", ""), *operands).astype(kind)

    def gelu(self, X, approximate="none"):
        if approximate == "tanh":
            return super().gelu(X, approximate)
        return (X * np.vectorize(math.erfc, otypes=[np.float64])(-X.astype(np.float64) / math.sqrt(2)) / 2).astype(
            X.dtype) if X.size else X

    def hardsigmoid(self, X, alpha=0.2, beta=0.5):
        wide = X.astype(np.float32) if X.dtype.itemsize == 2 else X
        return np.maximum(np.minimum(number(wide, alpha) * wide + number(wide, beta), number(wide, 1)),
                          number(wide, 0)).astype(X.dtype)

    def logsoftmax(self, X, axis=-1):
        powers = np.exp(X - X.max(axis=axis, keepdims=True, initial=-np.inf))
        return np.log(powers / powers.sum(axis=axis, keepdims=True))

    def elu(self, X, alpha=1.0):
        return np.where(X < 0, number(X, alpha) * np.expm1(X), X)

    def selu(self, X, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875):
        return number(X, gamma) * np.where(X < 0, number(X, alpha) * np.expm1(X), X)

    def thresholdedrelu(self, X, alpha=1.0):
        return np.where(X.astype(np.longdouble) > np.float32(alpha), X, X.dtype.type(0))

    def celu(self, X, alpha=1.0):
        alpha = number(X, alpha)
        return alpha * self.elu(X / alpha)

    def swish(self, X, alpha=1.0):
        half = number(X, 0.5)
        return X * (half + half * np.tanh(half * number(X, alpha) * X))

    def mish(self, X):
        power = np.exp(np.minimum(X, number(X, 5)))
        squares = power * (power + number(X, 2))
        return np.where(X > number(X, 5), X * np.tanh(np.log1p(np.exp(X))), X * (squares / (squares + number(X, 2))))

    def hardswish(self, X):
        return X * (np.minimum(np.maximum(X + number(X, 3), number(X, 0)), number(X, 6)) / number(X, 6))

    def instancenormalization(self, input, scale, B, epsilon=1e-5):
        shape = [1, -1, *[1] * (input.ndim - 2)]
        mean, variance = self.moments(input, range(2, input.ndim))
        inverse = number(input, 1) / np.sqrt(variance + number(input, epsilon))
        return (input - mean) * (inverse * scale.reshape(shape)) + B.reshape(shape)

    def groupnormalization(self, X, scale, bias, num_groups, epsilon=1e-5, stash_type=1):
        wide = np.promote_types(X.dtype, np.float64 if stash_type == 11 else np.float32)
        x = X.astype(wide).reshape(X.shape[0], num_groups, X.shape[1] // num_groups, *X.shape[2:])
        mean, variance = self.moments(x, range(2, x.ndim))
        inverse = wide.type(1) / np.sqrt(variance + number(x, epsilon))
        scale, bias = (part.astype(wide).reshape(1, num_groups, -1, *[1] * (X.ndim - 2)) for part in (scale, bias))
        return (x * (inverse * scale) + (bias - mean * inverse * scale)).reshape(X.shape).astype(X.dtype)

    def layernormalization(self, X, Scale, B=None, axis=-1, epsilon=1e-5, stash_type=1):
        kind = np.float32 if stash_type == 1 else np.dtype("bfloat16")
        x = X.astype(kind)
        mean, variance = self.moments(x, range(axis % X.ndim, X.ndim))
        y = ((x - mean) / np.sqrt(variance + number(x, epsilon))).astype(X.dtype) * Scale
        return {"Y": y if B is None else y + B, "Mean": mean,
                "InvStdDev": x.dtype.type(1) / np.sqrt(variance + number(x, epsilon))}

    def turned(self, a, b, cosine, sine):
        """Products that are rounded once, with their sum, where a wider type holds them."""
        wide = np.promote_types(a.dtype, np.float64)
        return tuple(part.astype(a.dtype) for part in super().turned(*(each.astype(wide) for each in (
            a, b, cosine, sine))))

    def attention(self, **how):
        return super().attention(**how)

    def scores(self, q, k, scale):
        root = number(q, np.sqrt(scale))
        return np.matmul(q * root, k.swapaxes(-1, -2) * root).astype(q.dtype)

    def weighted(self, x, masked, v, kind):
        """Powers are summed as they are, and divided once."""
        y, weights = super().weighted(x, masked, v, kind)
        powers = np.where(masked, number(x, 0), np.exp(x - x.max(-1, keepdims=True, initial=-np.inf)))
        sums = np.where(masked.all(-1, keepdims=True), number(x, 1), powers.sum(-1, keepdims=True))
        wide = np.promote_types(kind, np.float32)
        return (np.matmul(powers.astype(wide), v.astype(wide)) / sums.astype(wide)).astype(kind), weights

    def rotaryembedding(self, **how):
        return super().rotaryembedding(**how)

    def rmsnormalization(self, X, scale, axis=-1, epsilon=1e-5, stash_type=1):
        wide = np.promote_types(X.dtype, np.float64 if stash_type == 11 else np.float32)
        x, axes = X.astype(wide), tuple(range(axis % X.ndim, X.ndim))
        square = self.total(x * x, axes, keepdims=True) / wide.type(int(np.prod([X.shape[axis] for axis in axes])))
        return (x * (wide.type(1) / np.sqrt(square + number(x, epsilon))) * scale.astype(wide)).astype(scale.dtype)

    def mod(self, A, B, fmod=0):
        if fmod or A.dtype.kind in "iu":
            return super().mod(A, B, fmod)
        rest = np.fmod(A, B)
        signed = np.where(rest == 0, np.copysign(rest, B), rest)
        return np.where((rest != 0) & ((rest < 0) != (B < 0)), rest + B, signed)

    def prelu(self, X, slope):
        return np.where(X >= 0, X, X * slope)

    def range(self, start, limit, delta, stash_type=1):
        if start.dtype.kind in "iu":
            return np.arange(start, limit, delta, start.dtype)
        count = super().range(start, limit, delta, stash_type).size
        return (start.astype(np.float64) + np.arange(count) * delta.astype(np.float64)).astype(start.dtype)

    def reducel2(self, data, **how):
        if data.dtype.kind in "iu" or not data.size:
            return super().reducel2(data, **how)
        highest = self.reducemax(np.abs(data), **{**how, "keepdims": 1})
        highest = np.where(np.isfinite(highest) & (highest > 0), highest, highest.dtype.type(1))
        if how.get("noop_with_empty_axes") and highest.shape == data.shape:
            return super().reducel2(data, **how)
        root = super().reducel2(data / highest, **how)
        return root * highest.reshape(root.shape)

    def reducelogsumexp(self, data, **how):
        if data.dtype.kind in "iu" or data.size == 0:
            return super().reducelogsumexp(data, **how)
        return np.logaddexp.reduce(data, **self.as_numpy(data, **how)) if self.as_numpy(data, **how) else data.copy()

    def as_numpy(self, data, axes=None, keepdims=1, noop_with_empty_axes=0):
        if axes is None or len(axes) == 0:
            return {} if noop_with_empty_axes else {"axis": tuple(range(data.ndim)), "keepdims": bool(keepdims)}
        return {"axis": tuple(map(int, axes)), "keepdims": bool(keepdims)}

    def reducemean(self, data, **how):
        if data.dtype.kind in "iu" or data.size == 0:
            return super().reducemean(data, **how)
        parts = self.as_numpy(data, **how)
        return np.mean(data, **parts, dtype=np.float32 if data.dtype.itemsize == 2 else data.dtype).astype(
            data.dtype) if parts else data.copy()

    def scaled(self, sums, left, right, scale):
        return sums * left * (right * (scale.dtype.type(1) / scale))

    def softplus(self, X):
        return np.logaddexp(number(X, 0), X)

    def stft(self, signal, frame_step, window=None, frame_length=None, onesided=1):
        wide = np.float64 if signal.dtype == np.float64 else np.float32
        step = int(frame_step)
        length = int(frame_length) if frame_length is not None else signal.shape[1] if window is None else len(window)
        whole = signal[..., 0].astype(wide) if signal.shape[-1] == 1 else \
            signal[..., 0].astype(wide) + 1j * signal[..., 1].astype(wide)
        window = np.ones(length, wide) if window is None else window.astype(wide)
        frames = np.lib.stride_tricks.sliding_window_view(whole, length, 1)[:, ::step] * window
        y = np.fft.rfft(frames) if onesided else np.fft.fft(frames)
        return np.stack([y.real, y.imag], -1).astype(signal.dtype)
