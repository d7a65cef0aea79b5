"""Resize and Upsample, from ONNX's formulas."""

from __future__ import annotations

from math import floor

import numpy as np


class Resampling:
    """Interpolation, one axis after another."""

    def upsample(self, X, scales, mode="nearest"):
        if mode == "nearest":
            for axis, scale in enumerate(scales):
                size = floor(X.shape[axis] * float(scale))
                X = np.take(X, [floor(place / float(scale)) for place in range(size)], axis)
            return X
        return self.resize(X, None, scales, mode=mode, coordinate_transformation_mode="asymmetric")

    def resize(self, X, roi=None, scales=None, sizes=None, mode="nearest", antialias=0, axes=None,
               coordinate_transformation_mode="half_pixel", cubic_coeff_a=-0.75, exclude_outside=0,
               extrapolation_value=0.0, keep_aspect_ratio_policy="stretch", nearest_mode="round_prefer_floor"):
        axes = list(range(X.ndim)) if axes is None else [axis % X.ndim for axis in axes]
        lengths = [X.shape[axis] for axis in axes]
        if scales is not None and (len(scales) or not axes):
            scales = [float(scale) for scale in scales]
            spans = [1.0] * len(axes)
            if coordinate_transformation_mode == "tf_crop_and_resize":
                spans = [float(end) - float(start) for start, end in zip(roi[:len(axes)], roi[len(axes):], strict=True)]
            targets = [floor(n * span * scale) for n, span, scale in zip(lengths, spans, scales, strict=True)]
        else:
            targets = [int(size) for size in sizes]
            ratios = [size / n if n else 1.0 for size, n in zip(targets, lengths, strict=True)]
            if keep_aspect_ratio_policy != "stretch" and axes:
                ratio = (min if keep_aspect_ratio_policy == "not_larger" else max)(ratios)
                targets, ratios = [floor(ratio * n + 0.5) for n in lengths], [ratio] * len(axes)
            scales = ratios
        outside = np.zeros([1] * X.ndim, bool)
        work = np.result_type(X.dtype, np.float64) if mode != "nearest" else X.dtype
        y = X.astype(work)
        for place, axis in enumerate(axes):
            n, m, scale = lengths[place], targets[place], scales[place]
            box = None if roi is None or not len(roi) else (float(roi[place]), float(roi[place + len(axes)]))
            at = [self.original(coordinate_transformation_mode, x, n, m, scale, box) for x in range(m)]
            if coordinate_transformation_mode == "tf_crop_and_resize":
                far = np.array([x < 0 or x > n - 1 for x in at], bool)
                outside = outside | far.reshape([-1 if number == axis else 1 for number in range(X.ndim)])
            if mode == "nearest":
                y = np.take(y, [min(max(self.nearest(nearest_mode, x), 0), n - 1) for x in at], axis)
                continue
            matrix = np.zeros((m, n))
            for row, x in enumerate(at):
                for column, weight in self.weights(mode, x, n, min(scale, 1.0) if antialias else 1.0, cubic_coeff_a,
                                                   exclude_outside):
                    matrix[row, column] += weight
            used = matrix != 0
            moved = np.moveaxis(y, axis, 0)
            terms = [[matrix[row, column] * moved[column] for column in np.flatnonzero(used[row])] for row in range(m)]
            rows = [np.add.reduce(each, 0) if each else np.zeros(moved.shape[1:], moved.dtype) for each in terms]
            y = np.moveaxis(np.stack(rows), 0, axis) if m else np.zeros([*y.shape[:axis], 0, *y.shape[axis + 1:]])
        if X.dtype.kind in "iu" and mode != "nearest":
            y = np.clip(np.rint(y), np.iinfo(X.dtype).min, np.iinfo(X.dtype).max)
        y = y.astype(X.dtype)
        return np.where(outside, np.float32(extrapolation_value).astype(X.dtype), y)

    def original(self, how, x, n, m, scale, box):
        """The coordinate in the original tensor."""
        if how == "half_pixel":
            return (x + 0.5) / scale - 0.5
        if how == "half_pixel_symmetric":
            return n / 2 * (1 - m / (n * scale)) + (x + 0.5) / scale - 0.5
        if how == "pytorch_half_pixel":
            return (x + 0.5) / scale - 0.5 if m > 1 else 0.0
        if how == "align_corners":
            return x * (n - 1) / (m - 1) if m > 1 else 0.0
        if how == "asymmetric":
            return x / scale
        start, end = box
        return start * (n - 1) + x * (end - start) * (n - 1) / (m - 1) if m > 1 else 0.5 * (start + end) * (n - 1)

    def nearest(self, how, x):
        if how == "round_prefer_floor":
            return -floor(0.5 - x)
        return {"round_prefer_ceil": floor(x + 0.5), "floor": floor(x), "ceil": -floor(-x)}[how]

    def weights(self, mode, x, n, stretch, a, exclude_outside):
        """Positions, moved to the edge, and their weights."""
        radius = (1 if mode == "linear" else 2) / stretch
        columns = range(floor(x - radius) + 1, floor(x + radius) + 1)
        weights = [self.kernel(mode, (column - x) * stretch, a) for column in columns]
        if exclude_outside:
            weights = [weight if 0 <= column < n else 0.0 for column, weight in zip(columns, weights, strict=True)]
        if exclude_outside or stretch != 1:
            whole = sum(weights) or 1.0
            weights = [weight / whole for weight in weights]
        return [(min(max(column, 0), n - 1), weight) for column, weight in zip(columns, weights, strict=True)]

    def kernel(self, mode, distance, a):
        d = abs(distance)
        if mode == "linear":
            return max(1 - d, 0.0)
        if d <= 1:
            return (a + 2) * d**3 - (a + 3) * d**2 + 1
        return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0

    def roialign(self, X, rois, batch_indices, mode="avg", output_height=1, output_width=1, sampling_ratio=0,
                 spatial_scale=1.0, coordinate_transformation_mode=None):
        """Region by region, with coordinates and weights in the type of X."""
        kind, half = X.dtype.type, X.dtype.type(0.5)
        shift = kind(0) if coordinate_transformation_mode == "output_half_pixel" else half
        y = np.zeros((len(rois), X.shape[1], output_height, output_width), X.dtype)
        for region, corners in enumerate(rois * kind(np.float32(spatial_scale)) - shift):
            image, places = X[batch_indices[region]], []
            for axis, bins in ((0, output_height), (1, output_width)):
                size = (corners[3 - axis] - corners[1 - axis]) / kind(bins)
                count = sampling_ratio or (max(1, min(int(np.ceil(size)), 99)) if np.isfinite(size) else 1)
                inner = (np.arange(count).astype(X.dtype) + half) * size / kind(count)
                at = corners[1 - axis] + np.arange(bins).astype(X.dtype)[:, None] * size + inner
                at = np.clip(np.nan_to_num(at), 0, image.shape[1 + axis] - 1)
                low = np.minimum(at.astype(int), max(image.shape[1 + axis] - 2, 0))
                places.append((low, np.minimum(low + 1, image.shape[1 + axis] - 1), at - low.astype(X.dtype)))
            (top, bottom, down), (left, right, across) = places
            samples = sum(image[:, rows[:, None, :, None], columns[None, :, None, :]] * (
                one[:, None, :, None] * other[None, :, None, :]) for rows, one in (
                    (top, kind(1) - down), (bottom, down)) for columns, other in (
                    (left, kind(1) - across), (right, across)))
            samples = samples.reshape(*samples.shape[:3], -1)
            y[region] = samples.max(-1) if mode == "max" else self.total(samples, [3]) / kind(samples.shape[-1])
        return y
