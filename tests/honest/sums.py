"""Reductions and products of matrices, as ONNX's documentation has them."""

from __future__ import annotations

from math import prod

import numpy as np


class Sums:
    """The one place that decides in which order terms are added."""

    def summed(self, terms):
        """The sum of the last axis, which is not empty."""
        return np.add.reduce(terms, -1, terms.dtype)

    def total(self, x, axes, keepdims=False):
        """The sum over axes."""
        axes = [axis % x.ndim for axis in axes]
        rest = [axis for axis in range(x.ndim) if axis not in axes]
        count = prod(x.shape[axis] for axis in axes)
        terms = x.transpose(*rest, *axes).reshape(*(x.shape[axis] for axis in rest), count)
        sums = self.summed(terms) if count else np.zeros(terms.shape[:-1], x.dtype)
        return sums.reshape([1 if axis in axes else size for axis, size in enumerate(x.shape)]) if keepdims else sums

    def product(self, a, b):
        """The product of two matrices."""
        return self.total(a[:, None, :] * b.T[None, :, :], [2])


class Reductions(Sums):
    """Reductions, with axes as an input or an attribute."""

    def reduced(self, function, data, axes, keepdims, noop_with_empty_axes):
        if axes is None or len(axes) == 0:
            if noop_with_empty_axes:
                return None
            axes = range(data.ndim)
        axes = tuple(int(axis) % data.ndim for axis in axes)
        return function(data, axes).reshape(
            [1 if axis in axes else size for axis, size in enumerate(data.shape) if keepdims or axis not in axes])

    def sum(self, **data):
        return self.summed(np.stack(np.broadcast_arrays(*data.values()), -1))

    def reducesum(self, data, axes=None, keepdims=1, noop_with_empty_axes=0):
        y = self.reduced(self.total, data, axes, keepdims, noop_with_empty_axes)
        return data.copy() if y is None else y

    def reducesumsquare(self, data, **how):
        return self.reducesum(data * data, **how)

    def reducel1(self, data, **how):
        return self.reducesum(np.abs(data), **how)

    def reducel2(self, data, **how):
        sums = self.reducesumsquare(data, **how)
        return np.sqrt(sums) if data.dtype.kind not in "iu" else np.sqrt(sums.astype(np.float64)).astype(data.dtype)

    def reducelogsum(self, data, **how):
        return self.logarithm(self.reducesum(data, **how))

    def logarithm(self, x):
        return np.log(x) if x.dtype.kind not in "iu" else np.log(x.astype(np.float64)).astype(x.dtype)

    def reducelogsumexp(self, data, **how):
        if data.dtype.kind in "iu":
            return self.reducelogsumexp(data.astype(np.float64), **how).astype(data.dtype)
        highest = self.reducemax(data, **{**how, "keepdims": 1})
        highest = np.where(np.isfinite(highest), highest, highest.dtype.type(0))
        sums = self.logarithm(self.reducesum(np.exp(data - highest), **how))
        return sums + highest.reshape(sums.shape)

    def reducemean(self, data, **how):
        sums = self.reducesum(data, **how)
        if data.dtype.kind in "iu":
            count = data.size // max(sums.size, 1)
            return sums // count + ((sums < 0) & (sums % count != 0)).astype(data.dtype)  # towards zero
        return sums / sums.dtype.type(data.size // sums.size) if sums.size else sums

    def reduceprod(self, data, axes=None, keepdims=1, noop_with_empty_axes=0):
        y = self.reduced(lambda x, axes: np.multiply.reduce(x, axes, x.dtype), data, axes, keepdims,
                         noop_with_empty_axes)
        return data.copy() if y is None else y

    def extremum(self, function, lowest, data, axes=None, keepdims=1, noop_with_empty_axes=0):
        kind = data.dtype
        first = lowest > 0 if kind == np.bool_ else np.array(lowest * np.inf).astype(kind) if kind.kind not in "iu" \
            else (np.iinfo(kind).max if lowest > 0 else np.iinfo(kind).min)

        def reduce(x, axes):
            found = x
            for axis in axes:
                found = function.reduce(found, axis, keepdims=True, initial=first)
            return found
        y = self.reduced(reduce, data, axes, keepdims, noop_with_empty_axes)
        return data.copy() if y is None else y

    def reducemax(self, data, **how):
        return self.extremum(np.maximum, -1, data, **how)

    def reducemin(self, data, **how):
        return self.extremum(np.minimum, 1, data, **how)

    def cumsum(self, x, axis, exclusive=0, reverse=0):
        rows = np.moveaxis(x, int(axis), -1)
        rows = rows[..., ::-1] if reverse else rows
        sums = np.zeros((*rows.shape[:-1], rows.shape[-1]), x.dtype)
        for end in range(rows.shape[-1]):
            count = end if exclusive else end + 1
            if count:
                sums[..., end] = self.summed(rows[..., :count])
        return np.moveaxis(sums[..., ::-1] if reverse else sums, -1, int(axis))

    # Products

    def matmulinteger(self, A, B, a_zero_point=None, b_zero_point=None):
        a, b = A.astype(np.int64), B.astype(np.int64)
        if a_zero_point is not None:
            zero = a_zero_point.astype(np.int64)
            a = a - (zero[:, None] if zero.ndim == 1 and a.ndim > 1 else zero)
        if b_zero_point is not None:
            b = b - b_zero_point.astype(np.int64)
        return np.matmul(a, b).astype(np.int32)

    def einsum(self, equation, **operands):
        terms, arrow, output = equation.replace(" ", "").partition("->")
        terms, arrays = terms.split(","), list(operands.values())
        letters = "".join(terms).replace(".", "")
        if not arrow:
            output = ("..." if "..." in equation else "") + "".join(
                sorted(letter for letter in set(letters) if letters.count(letter) == 1))
        labels, sizes, read = [], {}, []
        for term, array in zip(terms, arrays, strict=True):
            inner = array.ndim - len(term.replace("...", ""))
            names = []
            for part in term.replace("...", "."):
                names += [f"~{place}" for place in range(inner)] if part == "." else [part]
            labels.append(names)
            for name, size in zip(names, array.shape, strict=True):
                sizes[name] = max(size, sizes.get(name, size)) if size else 0
        extra = sorted(name for name in sizes if name.startswith("~"))
        kept = [name for part in output.replace("...", ".") for name in (extra if part == "." else [part])]
        order = kept + [name for name in sizes if name not in kept]
        for names, array in zip(labels, arrays, strict=True):
            for at in range(len(names) - 1, -1, -1):  # diagonals
                first = names.index(names[at])
                if first != at:
                    array = np.moveaxis(np.diagonal(array, 0, first, at), -1, first)
                    names = names[:at] + names[at + 1:]
            shape = dict(zip(names, array.shape, strict=True))
            array = array.transpose([names.index(name) for name in order if name in names])
            read.append(array.reshape([shape.get(name, 1) for name in order]))
        product = read[0]
        for array in read[1:]:
            product = product * array
        product = np.broadcast_to(product, [sizes[name] for name in order])
        return self.total(product, range(len(kept), len(order))) if len(order) > len(kept) else product.copy()
