"""ONNX LpPool: an implementation derived from neither oracle."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.operators.contract import Implementation, version_of

WIDER = {"bfloat16": np.float32, "float16": np.float32, "float32": np.float64, "float64": np.longdouble}


class LpPool(Implementation):
    """Takes one cell of the kernel after another from all windows, and adds their powers, in the type of X."""

    def run(self, request):
        with np.errstate(all="ignore"):
            self.version, self.given, self.x = version_of(request), request.attributes, self.read_x(request.inputs["X"])
            self.dtype, self.sizes, self.rank = self.x.dtype, self.x.shape[2:], self.x.ndim - 2
            self.p, self.auto_pad, self.ceil = self.read_p(), self.read_auto_pad(), self.read_ceil()
            self.kernel, self.strides = list(self.given["kernel_shape"]), self.read_list("strides")
            self.dilations = self.read_list("dilations")
            self.begin, self.end = self.read_pads()
            self.check()
            self.counts = [max(self.count(axis), 0) for axis in range(self.rank)]
            if self.auto_pad.startswith("SAME"):
                self.begin = [self.split(axis) for axis in range(self.rank)]
            return {"Y": self.finish(self.norms(self.working(self.x)).astype(self.dtype))}

    def read_x(self, x):
        return x

    def check(self):
        """Raises NotImplementedError for a call that is refused: none."""

    # Attributes

    def read_p(self):
        return self.given.get("p", 2)

    def read_auto_pad(self):
        return self.given.get("auto_pad", "NOTSET")

    def read_ceil(self):
        return self.given.get("ceil_mode", 0) == 1

    def read_list(self, name):
        return list(self.given.get(name, [1] * self.rank))

    def read_pads(self):
        pads = list(self.given.get("pads", [0] * 2 * self.rank))
        return pads[:self.rank], pads[self.rank:]

    # Geometry

    def extent(self, axis):
        return (self.kernel[axis] - 1) * self.dilations[axis] + 1

    def count(self, axis):
        size, stride, extent = self.sizes[axis], self.strides[axis], self.extent(axis)
        if self.auto_pad.startswith("SAME"):
            return self.same_count(size, stride)
        if self.auto_pad == "VALID":
            return self.valid_count(size - extent, stride)
        return self.explicit_count(axis, size + self.begin[axis] + self.end[axis] - extent, stride)

    def same_count(self, size, stride):
        return -(-size // stride)

    def valid_count(self, room, stride):
        return room // stride + 1

    def explicit_count(self, axis, room, stride):
        return (-(-room // stride) if self.ceil else room // stride) + 1

    def missing(self, axis):
        """The padding of SAME."""
        return max((self.counts[axis] - 1) * self.strides[axis] + self.extent(axis) - self.sizes[axis], 0)

    def split(self, axis):
        """Of this the part at the beginning."""
        total = self.missing(axis)
        return total // 2 if self.auto_pad == "SAME_UPPER" else -(-total // 2)

    def places(self, axis):
        """int (windows, cells): the coordinates of the cells of each window."""
        first = np.arange(self.counts[axis]) * self.strides[axis] - self.begin[axis]
        return first[:, None] + np.arange(self.kernel[axis]) * self.dilations[axis]

    # Values

    def working(self, x):
        """X in the type of the sums."""
        return x

    def padding(self):
        """What a cell of the padding adds."""
        return 0

    def cells(self, x):
        """The magnitudes of one cell of the kernel after another, in the shape of Y, with where they lie in X."""
        places = [self.places(axis) for axis in range(self.rank)]
        for offset in product(*map(range, self.kernel)):
            chosen = [place[:, at] for place, at in zip(places, offset, strict=True)]
            inside = np.ones([1] * self.rank, bool)
            for axis, at in enumerate(chosen):
                shape = [1] * self.rank
                shape[axis] = -1
                inside = inside & ((at >= 0) & (at < self.sizes[axis])).reshape(shape)
            if not x.size:
                yield np.zeros((*x.shape[:2], *self.counts), x.dtype), inside
                continue
            clipped = [np.clip(at, 0, size - 1) for at, size in zip(chosen, self.sizes, strict=True)]
            yield self.magnitude(x[np.ix_(range(x.shape[0]), range(x.shape[1]), *clipped)]), inside

    def magnitude(self, values):
        return np.abs(values)

    def power(self, values):
        if self.p in (1, 2):
            return values if self.p == 1 else values * values
        return np.power(values, values.dtype.type(self.p))

    def root(self, total):
        if self.p in (1, 2):
            return total if self.p == 1 else np.sqrt(total)
        return np.power(total, total.dtype.type(1 / self.p))

    def in_order(self, cells):
        """The cells in the order in which they are added."""
        return cells

    def add(self, total, power):
        return total + power

    def norms(self, x):
        total = np.zeros((*x.shape[:2], *self.counts), x.dtype)
        for values, inside in self.in_order(self.cells(x)):
            total = self.add(total, np.where(inside, self.power(values), x.dtype.type(self.padding())))
        return self.root(total)

    def finish(self, y):
        return y


# What the text allows

class Backwards(LpPool):
    """Adds the last cell first."""

    def in_order(self, cells):
        return list(cells)[::-1]


class Wider(LpPool):
    """Computes in the next wider type."""

    def working(self, x):
        return x.astype(WIDER[x.dtype.name])


class ByPowersAlone(LpPool):
    """Has the library's power for squares and roots too."""

    def power(self, values):
        return np.power(values, values.dtype.type(self.p))

    def root(self, total):
        return total if self.p == 1 else np.power(total, total.dtype.type(1 / self.p))


class Multiplies(LpPool):
    """Multiplies p times where p is an integer."""

    def power(self, values):
        if self.p != int(self.p):
            return super().power(values)
        found = values
        for _ in range(int(self.p) - 1):
            found = found * values
        return found


class AddsTwoRuns(LpPool):
    """Adds every other cell to a sum of its own, as two lanes do."""

    def norms(self, x):
        totals = [np.zeros((*x.shape[:2], *self.counts), x.dtype) for _ in range(2)]
        for number, (values, inside) in enumerate(self.cells(x)):
            totals[number % 2] = totals[number % 2] + np.where(inside, self.power(values), x.dtype.type(0))
        return self.root(totals[0] + totals[1])


class SizeOfTheInput(LpPool):
    """In versions 1 and 2, SAME has the size of X whatever the strides."""

    def same_count(self, size, stride):
        return size if self.version < 11 else super().same_count(size, stride)


class CropsX(LpPool):
    """Where the padding of SAME would be negative, X loses cells at both ends."""

    def missing(self, axis):
        return (self.counts[axis] - 1) * self.strides[axis] + self.extent(axis) - self.sizes[axis]


class RefusesNothingToDo(LpPool):
    """Refuses an X without elements, and windows that do not fit."""

    def check(self):
        if not self.x.size or min(self.count(axis) for axis in range(self.rank)) < 1:
            raise NotImplementedError


# Faults in attributes and sizes


# Faults in values
