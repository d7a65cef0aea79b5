"""Fourier transforms, from their definition."""

from __future__ import annotations

import numpy as np
from onnx.helper import tensor_dtype_to_np_dtype

from tests.honest.elements import number
from tests.honest.sums import Sums


class Transforms(Sums):
    """Discrete Fourier transforms, as products with a matrix."""

    def dft(self, input, dft_length=None, axis=-2, inverse=0, onesided=0):
        axis = int(axis) % input.ndim
        rows = np.moveaxis(input, axis, -2)
        parts = [rows[..., 0], rows[..., 1] if rows.shape[-1] == 2 else np.zeros_like(rows[..., 0])]
        size = rows.shape[-2]
        back = inverse and onesided
        count = int(dft_length) if dft_length is not None else 2 * (size - 1) if back else size
        taken = count // 2 + 1 if back else count
        parts = [np.concatenate([part[..., :taken], np.zeros((*part.shape[:-1], max(taken - size, 0)), part.dtype)], -1)
                 for part in parts]
        if back:
            mirrored = range(count - taken, 0, -1)
            parts = [np.concatenate([parts[0], parts[0][..., mirrored]], -1),
                     np.concatenate([parts[1], -parts[1][..., mirrored]], -1)]
        y = self.transformed(*parts, count // 2 + 1 if onesided and not inverse else count, inverse)
        return np.moveaxis(y[..., :1] if back else y, -2, axis)

    def transformed(self, real, imaginary, bins, inverse=0):
        """The transform of the last axis, real and imaginary parts in a new last one."""
        count, kind = real.shape[-1], real.dtype
        angle = (2 if inverse else -2) * np.pi * (np.outer(np.arange(bins), np.arange(count)) % count) / count
        cosine, sine = np.cos(angle).astype(kind), np.sin(angle).astype(kind)
        real, imaginary = real[..., None, :], imaginary[..., None, :]
        y = np.stack([self.total(real * cosine - imaginary * sine, [-1]),
                      self.total(real * sine + imaginary * cosine, [-1])], -1)
        return y / kind.type(count) if inverse else y

    def stft(self, signal, frame_step, window=None, frame_length=None, onesided=1):
        step = int(frame_step)
        length = int(frame_length) if frame_length is not None else signal.shape[1] if window is None else len(window)
        window = np.ones(length, signal.dtype) if window is None else window
        count = (signal.shape[1] - length) // step + 1
        frames = np.stack([signal[:, at * step:at * step + length] * window[:, None] for at in range(count)], 1)
        imaginary = frames[..., 1] if frames.shape[-1] == 2 else np.zeros_like(frames[..., 0])
        return self.transformed(frames[..., 0], imaginary, length // 2 + 1 if onesided else length)

    def rotaryembedding(self, X, cos_cache, sin_cache, position_ids=None, interleaved=0, num_heads=0,
                        rotary_embedding_dim=0):
        x = X if X.ndim == 4 else X.reshape(*X.shape[:2], num_heads, X.shape[2] // num_heads).transpose(0, 2, 1, 3)
        count = rotary_embedding_dim or x.shape[-1]
        cosine, sine = (cache[:, None] if position_ids is None else cache[position_ids][:, None]
                        for cache in (cos_cache, sin_cache))
        first, second = (slice(0, count, 2), slice(1, count, 2)) if interleaved else (
            slice(0, count // 2), slice(count // 2, count))
        y = x.copy()
        y[..., first], y[..., second] = self.turned(x[..., first], x[..., second], cosine, sine)
        return y if X.ndim == 4 else y.transpose(0, 2, 1, 3).reshape(X.shape)

    def attention(self, Q, K, V, attn_mask=None, past_key=None, past_value=None, nonpad_kv_seqlen=None, is_causal=0,
                  scale=None, softcap=0.0, softmax_precision=None, qk_matmul_output_mode=0, q_num_heads=0,
                  kv_num_heads=0, left_window_size=-1, right_window_size=-1):
        q, k, v = (x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, x.shape[2] // heads).transpose(0, 2, 1, 3)
                   for x, heads in ((Q, q_num_heads), (K, kv_num_heads), (V, kv_num_heads)))
        if past_key is not None:
            k, v = np.concatenate([past_key, k], 2), np.concatenate([past_value, v], 2)
        kind, (batch, heads, queries, size), (_, shared, total, _) = q.dtype, q.shape, k.shape
        position = np.arange(queries)[:, None] + total - K.shape[-2]
        if nonpad_kv_seqlen is not None:
            position = position - queries + nonpad_kv_seqlen.reshape(-1, 1, 1, 1)
        key = np.arange(total)
        seen = (key <= position) | (not is_causal)
        seen = seen & ((left_window_size < 0) | (key >= position - left_window_size))
        seen = seen & ((right_window_size < 0) | (key <= position + right_window_size))
        if nonpad_kv_seqlen is not None:
            seen = seen & (key < nonpad_kv_seqlen.reshape(-1, 1, 1, 1))
        bias = np.zeros((batch, heads, queries, total), kind)
        if attn_mask is not None:
            mask = np.where(attn_mask, 0, -np.inf) if attn_mask.dtype == bool else attn_mask
            bias[..., mask.shape[-1] if mask.shape[-1] > 1 else total:] = -np.inf
            bias[..., :mask.shape[-1] if mask.shape[-1] > 1 else total] += mask.astype(kind)
        bias = np.where(seen, bias, number(bias, -np.inf))
        scale = 1 / np.sqrt(size) if scale is None else np.float32(scale)
        group = np.arange(heads) // (heads // shared)
        scores = self.scores(q, k[:, group], scale)
        capped = scores if softcap == 0 else number(q, softcap) * np.tanh(scores / number(q, softcap))
        weighed = capped + bias
        precision = kind if softmax_precision is None else tensor_dtype_to_np_dtype(softmax_precision)
        y, weights = self.weighted(weighed.astype(precision), np.isneginf(bias), v[:, group].astype(kind), kind)
        return {"Y": y if Q.ndim == 4 else y.transpose(0, 2, 1, 3).reshape(batch, queries, -1), "present_key": k,
                "present_value": v, "qk_matmul_output": (scores, capped, weighed, weights)[qk_matmul_output_mode]}

    def scores(self, q, k, scale):
        """The products of queries and keys, scaled."""
        return self.total(q[..., :, None, :] * k[..., None, :, :], [-1]) * number(q, scale)

    def weighted(self, x, masked, v, kind):
        """The mean of values by Softmax, and the weights."""
        powers = np.where(masked, number(x, 0), np.exp(x - x.max(-1, keepdims=True, initial=-np.inf)))
        sums = self.total(powers, [-1], keepdims=True)
        weights = np.where(masked, number(x, 0), powers / sums).astype(kind)
        return self.total(weights[..., None, :].astype(kind) * v.swapaxes(-1, -2)[..., None, :, :], [-1]), weights

    def turned(self, a, b, cosine, sine):
        """Two numbers, turned."""
        return cosine * a - sine * b, sine * a + cosine * b
