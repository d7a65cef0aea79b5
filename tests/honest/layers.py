"""Normalisation, convolution of integers, transposed convolution and recurrent layers, from ONNX's equations."""

from __future__ import annotations

from itertools import product
from math import ceil

import numpy as np
from onnx.helper import tensor_dtype_to_np_dtype

from tests.honest.elements import number
from tests.honest.sums import Sums

PARAMETERS = {"affine": (1, 0), "leakyrelu": (0.01,), "thresholdedrelu": (1,), "scaledtanh": (1, 1),
              "hardsigmoid": (0.2, 0.5), "elu": (1,)}
"""Default alpha and beta of the activations that have some."""


def activated(name, x, alpha, beta):
    """An activation function by its name in lower case."""
    one, zero = number(x, 1), number(x, 0)
    a, b = (None if value is None else number(x, value) for value in (alpha, beta))
    return {"relu": lambda: np.maximum(x, zero), "tanh": lambda: np.tanh(x),
            "sigmoid": lambda: one / (one + np.exp(-x)), "softsign": lambda: x / (one + abs(x)),
            "affine": lambda: a * x + b, "leakyrelu": lambda: np.where(x >= 0, x, a * x),
            "thresholdedrelu": lambda: np.where(x >= a, x, zero), "scaledtanh": lambda: a * np.tanh(b * x),
            "hardsigmoid": lambda: np.minimum(np.maximum(a * x + b, zero), one),
            "elu": lambda: np.where(x >= 0, x, a * np.expm1(np.minimum(x, zero))),
            "softplus": lambda: np.maximum(x, zero) + np.log1p(np.exp(-np.abs(x)))}[name]()


class Layers(Sums):
    """Layers of networks."""

    def batchnormalization(self, X, scale, B, input_mean, input_var, epsilon=1e-5, momentum=0.9, training_mode=0):
        shape = [1, -1, *[1] * (X.ndim - 2)] if X.ndim > 1 else [1]
        kind = X.dtype
        if len({array.dtype for array in (X, scale, B, input_mean, input_var)}) > 1:
            wide = np.float64 if np.float64 in (X.dtype, scale.dtype, input_mean.dtype) else np.float32
            X, scale, B, input_mean, input_var = (array.astype(wide) for array in (X, scale, B, input_mean, input_var))
        scale, B, mean, variance = (array.reshape(shape) for array in (scale, B, input_mean, input_var))
        if training_mode:
            wide = X.astype(np.float32) if X.dtype.itemsize < 4 else X
            axes = [axis for axis in range(X.ndim) if axis != 1]
            mean, variance = self.moments(wide, axes)
            mean, variance = mean.astype(X.dtype), variance.astype(X.dtype)
        return ((X - mean) / np.sqrt(variance + number(X, epsilon)) * scale + B).astype(kind)

    def moments(self, x, axes):
        """Mean and variance over axes."""
        count = x.dtype.type(int(np.prod([x.shape[axis] for axis in axes])))
        mean = self.total(x, axes, keepdims=True) / count
        return mean, self.total((x - mean) * (x - mean), axes, keepdims=True) / count

    def instancenormalization(self, input, scale, B, epsilon=1e-5):
        shape = [1, -1, *[1] * (input.ndim - 2)]
        mean, variance = self.moments(input, range(2, input.ndim))
        return scale.reshape(shape) * (input - mean) / np.sqrt(variance + number(input, epsilon)) + B.reshape(shape)

    def groupnormalization(self, X, scale, bias, num_groups, epsilon=1e-5, stash_type=1):
        grouped = X.astype(tensor_dtype_to_np_dtype(stash_type)).reshape(
            X.shape[0], num_groups, X.shape[1] // num_groups, *X.shape[2:])
        mean, variance = self.moments(grouped, range(2, grouped.ndim))
        quotient = ((grouped - mean) / np.sqrt(variance + number(grouped, epsilon))).reshape(X.shape).astype(X.dtype)
        shape = [1, -1, *[1] * (X.ndim - 2)]
        return quotient * scale.reshape(shape) + bias.reshape(shape)

    def layernormalization(self, X, Scale, B=None, axis=-1, epsilon=1e-5, stash_type=1):
        kind = np.float32 if stash_type == 1 else np.dtype("bfloat16")
        x = X.astype(kind)
        mean, variance = self.moments(x, range(axis % X.ndim, X.ndim))
        inverse = x.dtype.type(1) / np.sqrt(variance + number(x, epsilon))
        y = ((x - mean) * inverse).astype(X.dtype) * Scale
        return {"Y": y if B is None else y + B, "Mean": mean, "InvStdDev": inverse}

    def rmsnormalization(self, X, scale, axis=-1, epsilon=1e-5, stash_type=1):
        x = X.astype(tensor_dtype_to_np_dtype(stash_type))
        axes = range(axis % X.ndim, X.ndim)
        count = x.dtype.type(int(np.prod([X.shape[axis] for axis in axes])))
        square = self.total(x * x, axes, keepdims=True) / count
        return (x / np.sqrt(square + number(x, epsilon))).astype(X.dtype).astype(scale.dtype) * scale

    # Convolution

    def convinteger(self, X, W, x_zero_point=None, w_zero_point=None, **how):
        x, w = X.astype(np.int64), W.astype(np.int64)
        x = x - (0 if x_zero_point is None else x_zero_point.astype(np.int64))
        if w_zero_point is not None:
            zero = w_zero_point.astype(np.int64)
            w = w - (zero.reshape(-1, *[1] * (w.ndim - 1)) if zero.size != 1 else zero)
        return self.correlated(x, w, **how).astype(np.int32)

    def correlated(self, x, w, auto_pad="NOTSET", pads=None, strides=None, dilations=None, group=1, kernel_shape=None):
        rank = x.ndim - 2
        strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
        extents = [(size - 1) * step + 1 for size, step in zip(w.shape[2:], dilations, strict=True)]
        if auto_pad == "VALID":
            pads = [0] * 2 * rank
        elif auto_pad.startswith("SAME"):
            total = [max((ceil(size / step) - 1) * step + extent - size, 0)
                     for size, step, extent in zip(x.shape[2:], strides, extents, strict=True)]
            small, large = [pad // 2 for pad in total], [pad - pad // 2 for pad in total]
            pads = small + large if auto_pad == "SAME_UPPER" else large + small
        x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)])
        counts = [(size - extent) // step + 1 for size, extent, step in zip(x.shape[2:], extents, strides, strict=True)]
        maps, channels = len(w) // group, w.shape[1]
        y = np.zeros((len(x), len(w), *counts), x.dtype)
        for tap in product(*map(range, w.shape[2:])):
            part = x[(slice(None), slice(None), *(
                slice(at * dilation, at * dilation + (count - 1) * step + 1, step)
                for at, dilation, count, step in zip(tap, dilations, counts, strides, strict=True)))]
            for g in range(group):
                to = slice(g * maps, (g + 1) * maps)
                y[:, to] += np.einsum("nc...,mc->nm...", part[:, g * channels:(g + 1) * channels],
                                      w[(to, slice(None), *tap)])
        return y

    def convtranspose(self, X, W, B=None, auto_pad="NOTSET", pads=None, strides=None, dilations=None, group=1,
                      kernel_shape=None, output_padding=None, output_shape=None):
        rank = X.ndim - 2
        strides, dilations = strides or [1] * rank, dilations or [1] * rank
        extra, pads = output_padding or [0] * rank, pads or [0] * 2 * rank
        whole = [step * (size - 1) + more + (kernel - 1) * dilation + 1 for step, size, more, kernel, dilation in
                 zip(strides, X.shape[2:], extra, W.shape[2:], dilations, strict=True)]
        if output_shape or auto_pad.startswith("SAME"):
            output_shape = output_shape or [size * step for size, step in zip(X.shape[2:], strides, strict=True)]
            missing = [size - target for size, target in zip(whole, output_shape, strict=True)]
            begin = [pad // 2 if auto_pad == "SAME_UPPER" else pad - pad // 2 for pad in missing]
            shape = output_shape[-rank:]
        else:
            begin, end = ([0] * rank, [0] * rank) if auto_pad == "VALID" else (pads[:rank], pads[rank:])
            shape = [size - before - after for size, before, after in zip(whole, begin, end, strict=True)]
        maps, channels = W.shape[1], X.shape[1] // group
        terms = {}
        for place in product(*map(range, X.shape[2:])):
            for tap in product(*map(range, W.shape[2:])):
                at = tuple(a * step + k * dilation - before for a, step, k, dilation, before in
                           zip(place, strides, tap, dilations, begin, strict=True))
                if all(0 <= a < size for a, size in zip(at, shape, strict=True)):
                    terms.setdefault(at, []).append((place, tap))
        y = np.zeros((len(X), maps * group, *shape), X.dtype)
        for at, pairs in terms.items():
            x = np.stack([X[(slice(None), slice(None), *place)] for place, _ in pairs], -1)
            w = np.stack([W[(slice(None), slice(None), *tap)] for _, tap in pairs], -1)
            for g in range(group):
                mine = slice(g * channels, (g + 1) * channels)
                products = x[:, mine, None] * w[None, mine]
                y[(slice(None), slice(g * maps, (g + 1) * maps), *at)] = self.total(products, [1, 3])
        return y if B is None else y + B.reshape(-1, *[1] * rank)

    # Recurrent layers

    def rnn(self, X, W, R, B=None, sequence_lens=None, initial_h=None, **how):
        def step(x, state, w, r, b, peephole, f):
            return [f[0](self.gate(x, w, b[0]) + self.gate(state[0], r, b[1]))]
        return self.recurrent(step, 1, ["tanh"], X, W, R, B, sequence_lens, [initial_h], None, **how)

    def gru(self, X, W, R, B=None, sequence_lens=None, initial_h=None, linear_before_reset=0, **how):
        def step(x, state, w, r, b, peephole, f):
            (wz, wr, wh), (rz, rr, rh), h = np.split(w, 3), np.split(r, 3), state[0]
            z = f[0](self.gate(x, wz, b[0]) + self.gate(h, rz, b[3]))
            reset = f[0](self.gate(x, wr, b[1]) + self.gate(h, rr, b[4]))
            inner = reset * self.gate(h, rh, b[5]) if linear_before_reset else self.gate(reset * h, rh, b[5])
            hidden = f[1](self.gate(x, wh, b[2]) + inner)
            return [(z.dtype.type(1) - z) * hidden + z * h]
        return self.recurrent(step, 3, ["sigmoid", "tanh"], X, W, R, B, sequence_lens, [initial_h], None, **how)

    def lstm(self, X, W, R, B=None, sequence_lens=None, initial_h=None, initial_c=None, P=None, input_forget=0, **how):
        def step(x, state, w, r, b, peephole, f):
            h, c = state
            i, o, forget, cell = (self.gate(x, wi, b[at]) + self.gate(h, ri, b[4 + at])
                                  for at, (wi, ri) in enumerate(zip(np.split(w, 4), np.split(r, 4), strict=True)))
            pi, po, pf = (None,) * 3 if peephole is None else np.split(peephole, 3)
            i = f[0](i if pi is None else i + pi * c)
            forget = i.dtype.type(1) - i if input_forget else f[0](forget if pf is None else forget + pf * c)
            c = forget * c + i * f[1](cell)
            return [f[0](o if po is None else o + po * c) * f[2](c), c]
        return self.recurrent(step, 4, ["sigmoid", "tanh", "tanh"], X, W, R, B, sequence_lens, [initial_h, initial_c],
                              P, **how)

    def gate(self, x, w, b):
        """One gate's product, with its bias."""
        y = self.product(x, w.T)
        return y if b is None else y + b

    def recurrent(self, step, gates, functions, X, W, R, B, lengths, states, P, hidden_size=None, direction="forward",
                  layout=0, clip=None, activations=None, activation_alpha=None, activation_beta=None):
        X = X.transpose(1, 0, 2) if layout else X
        time, batch, hidden = X.shape[0], X.shape[1], R.shape[-1]
        lengths = [time] * batch if lengths is None else lengths.tolist()
        names = [name.lower() for name in activations or functions * len(W)]
        alphas, betas, chosen = list(activation_alpha or []), list(activation_beta or []), []
        for name in names:
            given = PARAMETERS.get(name, ())
            alpha = (alphas.pop(0) if alphas else given[0]) if given else None
            beta = (betas.pop(0) if betas else given[1]) if len(given) > 1 else None
            chosen.append((name, alpha, beta))
        states = [None if state is None else state.transpose(1, 0, 2) if layout else state for state in states]
        Y = np.zeros((time, len(W), batch, hidden), X.dtype)
        last = [np.zeros((len(W), batch, hidden), X.dtype) for _ in states]
        for d in range(len(W)):
            mine = chosen[d * len(functions):(d + 1) * len(functions)]
            f = [lambda x, entry=entry: activated(entry[0], x if clip is None else np.clip(
                x, number(x, -clip), number(x, clip)), *entry[1:]) for entry in mine]
            b = [None] * 2 * gates if B is None else np.split(B[d], 2 * gates)
            for n in range(batch):
                state = [np.zeros((1, hidden), X.dtype) if s is None else s[d, n:n + 1] for s in states]
                steps = range(lengths[n])
                for t in reversed(steps) if direction == "reverse" or d else steps:
                    state = step(X[t, n:n + 1], state, W[d], R[d], b, None if P is None else P[d], f)
                    Y[t, d, n] = state[0][0]
                for final, value in zip(last, state, strict=True):
                    final[d, n] = value[0]
        if layout:
            Y, last = Y.transpose(2, 0, 1, 3), [final.transpose(1, 0, 2) for final in last]
        return {"Y": Y, **dict(zip(("Y_h", "Y_c"), last, strict=False))}
