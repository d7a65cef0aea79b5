"""Operators that move elements, as ONNX's documentation has them."""

from __future__ import annotations

import numpy as np
from onnx import helper


def places(shape):
    """The coordinates of a tensor, row by row."""
    return np.ndindex(*shape)


def on_all_axes(axes, rank):
    """Axes that count from the front."""
    return [int(axis) % rank for axis in axes]


class Movement:
    """Operators that compute nothing, or nearly so."""

    def constant(self, **value):
        (name, value), = value.items()
        kind = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64,
                "value_string": object, "value_strings": object}
        return np.asarray(value, kind.get(name))

    def constantofshape(self, input, value=np.zeros(1, np.float32)):  # noqa: B008
        return np.full(input, value.reshape(()), value.dtype)

    def concat(self, axis, *parts):
        return np.concatenate(parts, axis)

    def depthtospace(self, input, blocksize, mode="DCR"):
        b, c, h, w = input.shape
        block, depth = blocksize, c // blocksize**2
        if mode == "DCR":
            split = input.reshape(b, block, block, depth, h, w).transpose(0, 3, 4, 1, 5, 2)
        else:
            split = input.reshape(b, depth, block, block, h, w).transpose(0, 1, 4, 2, 5, 3)
        return split.reshape(b, depth, h * block, w * block)

    def spacetodepth(self, input, blocksize, mode="DCR"):
        b, c, h, w = input.shape
        block = blocksize
        split = input.reshape(b, c, h // block, block, w // block, block)
        order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
        return split.transpose(order).reshape(b, c * block**2, h // block, w // block)

    def dropout(self, data, ratio=None, training_mode=None, seed=0):
        ratio = np.float32(0.5) if ratio is None else ratio.astype(np.float64)
        if training_mode is None or not training_mode or ratio == 0:
            return {"output": data, "mask": np.ones(data.shape, bool)}
        mask = np.random.default_rng(seed).random(data.shape) >= ratio
        scaled = data.astype(np.float64) * (1 / (1 - np.float64(ratio)))
        return {"output": np.where(mask, scaled, 0).astype(data.dtype), "mask": mask}

    def expand(self, input, shape):
        return np.broadcast_to(input, np.broadcast_shapes(input.shape, tuple(shape))).copy()

    def eyelike(self, input, k=0, dtype=None):
        rows, columns = np.indices(input.shape)
        kind = input.dtype if dtype is None else helper.tensor_dtype_to_np_dtype(dtype)
        return (columns - rows == k).astype(kind)

    def gather(self, data, indices, axis=0):
        return np.take(data, indices, axis)

    def gatherelements(self, data, indices, axis=0):
        output = np.empty(indices.shape, data.dtype)
        for place in places(indices.shape):
            at = list(place)
            at[axis] = indices[place]
            output[place] = data[tuple(at)]
        return output

    def gathernd(self, data, indices, batch_dims=0):
        output = np.empty(indices.shape[:-1] + data.shape[batch_dims + indices.shape[-1]:], data.dtype)
        for place in places(indices.shape[:-1]):
            output[place] = data[place[:batch_dims] + tuple(indices[place])]
        return output

    def onehot(self, indices, depth, values, axis=-1):
        count = int(depth.reshape(-1)[0])
        classes = np.arange(count)
        named = indices.astype(np.int64) if indices.dtype != np.uint64 else np.where(
            indices < count, indices, count).astype(np.int64)
        named = np.where(named < 0, named + count, named)
        return np.moveaxis(values[(named[..., None] == classes).astype(int)], -1, axis)

    def hardmax(self, X, axis=-1):
        if not X.size:
            return X
        moved = np.moveaxis(X.astype(np.longdouble), axis, -1)
        first = np.argmax(moved, -1)[..., None] == np.arange(moved.shape[-1])
        return np.moveaxis(first, -1, axis).astype(X.dtype)

    def argmin(self, data, axis=0, keepdims=1, select_last_index=0):
        numbers = data.astype(np.float32) if data.dtype.kind == "V" else data
        if select_last_index:
            numbers = np.flip(numbers, axis)
        found = np.argmin(numbers, axis, keepdims=bool(keepdims))
        return data.shape[axis] - 1 - found if select_last_index else found

    def nonmaxsuppression(self, boxes, scores, max_output_boxes_per_class=None, iou_threshold=None,
                          score_threshold=None, center_point_box=0):
        most = 0 if max_output_boxes_per_class is None else max_output_boxes_per_class.item()
        limit = np.float32(0) if iou_threshold is None else iou_threshold.reshape(())
        first, second = boxes[..., :2], boxes[..., 2:]
        if center_point_box:
            first, second = first - second / 2, first + second / 2
        low, high = np.minimum(first, second), np.maximum(first, second)
        area = np.prod(high - low, -1)
        sides = np.minimum(high[:, :, None], high[:, None]) - np.maximum(low[:, :, None], low[:, None])
        shared = sides.clip(0).prod(-1)
        overlap = shared / (area[:, :, None] + area[:, None] - shared) > limit
        rows = []
        for batch, label in places(scores.shape[:2]):
            score = scores[batch, label]
            left = np.ones(score.shape, bool) if score_threshold is None else score >= score_threshold.reshape(())
            for box in np.argsort(-score, kind="stable"):
                if left[box] and sum(row[:2] == (batch, label) for row in rows) < most:
                    rows.append((batch, label, box))
                    left &= ~overlap[batch, box]
        return np.array(rows, np.int64).reshape(-1, 3)

    def scatterelements(self, data, indices, updates, axis=0, reduction="none"):
        output = data.copy()
        for place in places(indices.shape):
            at = list(place)
            at[axis] = indices[place]
            output[tuple(at)] = self.merged(output[tuple(at)], updates[place], reduction)
        return output

    def scatternd(self, data, indices, updates, reduction="none"):
        output = data.copy()
        for place in places(indices.shape[:-1]):
            at = tuple(indices[place])
            output[at] = self.merged(output[at], updates[place], reduction)
        return output

    def merged(self, old, new, reduction):
        return new if reduction == "none" else {"add": np.add, "mul": np.multiply, "max": np.maximum,
                                                "min": np.minimum}[reduction](old, new)

    def nonzero(self, X):
        return np.array(np.nonzero(np.atleast_1d(X)), np.int64)[:X.ndim]

    def pad(self, data, pads, constant_value=None, axes=None, mode="constant"):
        axes = range(data.ndim) if axes is None else on_all_axes(axes, data.ndim)
        output = data
        for number, axis in enumerate(axes):
            n = data.shape[axis]
            at = np.arange(-pads[number], n + pads[len(axes) + number])
            outside = (at < 0) | (at >= n)
            if mode == "reflect":
                at = at % max(2 * n - 2, 1)
                at = np.where(at < n, at, 2 * n - 2 - at)
            else:
                at = at % max(n, 1) if mode == "wrap" else np.clip(at, 0, max(n - 1, 0))
            if mode != "constant":
                output = np.take(output, at, axis)
                continue
            shape = list(output.shape)
            shape[axis] = len(at)
            zero = constant_value
            if zero is None:
                zero = np.array("", object) if data.dtype.hasobject else np.zeros((), data.dtype)
            filled, inside = np.full(shape, zero, data.dtype), [slice(None)] * data.ndim
            inside[axis] = ~outside
            filled[tuple(inside)] = np.take(output, at[~outside], axis)
            output = filled
        return output

    def reversesequence(self, input, sequence_lens, time_axis=0, batch_axis=1):
        output = input.copy()
        turned, source = np.moveaxis(output, (batch_axis, time_axis), (0, 1)), np.moveaxis(
            input, (batch_axis, time_axis), (0, 1))
        for batch, length in enumerate(sequence_lens):
            turned[batch, :length] = source[batch, :length][::-1]
        return output

    def split(self, input, split=None, axis=0, num_outputs=None):
        size = input.shape[axis]
        if split is None:
            part = -(-size // num_outputs)
            split = [min(part, size - number * part) for number in range(num_outputs)]
        return np.split(input, np.cumsum(split)[:-1], axis)

    def squeeze(self, data, axes=None):
        gone = [axis for axis, size in enumerate(data.shape) if size == 1] if axes is None else on_all_axes(
            axes, data.ndim)
        return data.reshape([size for axis, size in enumerate(data.shape) if axis not in gone])

    def tile(self, input, repeats):
        return np.tile(input, repeats)

    def topk(self, X, K, largest=1, sorted=1, axis=-1):
        rows = np.moveaxis(X, axis, -1)
        indices = np.empty((*rows.shape[:-1], int(K[0])), np.int64)
        for place in places(rows.shape[:-1]):
            row = rows[place].tolist()
            keys = [(-value if largest else value, at) for at, value in enumerate(row)]
            indices[place] = [at for _, at in builtin_sorted(keys)[:int(K[0])]]
        values = np.take_along_axis(rows, indices, -1)
        return {"Values": np.moveaxis(values, -1, axis), "Indices": np.moveaxis(indices, -1, axis)}

    def transpose(self, data, perm=None):
        return np.transpose(data, perm)

    def trilu(self, input, k=None, upper=1):
        k = 0 if k is None else int(k)
        rows, columns = np.indices(input.shape[-2:])
        kept = columns - rows >= k if upper else columns - rows <= k
        return np.where(kept, input, np.zeros((), input.dtype))


builtin_sorted = sorted
