"""ONNX LpPool: an implementation derived from neither oracle, and faults in it."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.operators.contract import Implementation, fault, version_of

WIDER = {"bfloat16": np.float32, "float16": np.float32, "float32": np.float64, "float64": np.longdouble}
VALUE = ("Y.F1", "pads.F1", "auto_pad.F1")
SIZE = ("Y.C1", "Y.C2", "Y.C4", "Y.C5")


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

@fault(*VALUE)
class AlwaysEuclidean(LpPool):
    """p is not read."""

    def read_p(self):
        return 2


@fault(*VALUE)
class DefaultIsOne(LpPool):
    """p is 1 where it is absent."""

    def read_p(self):
        return self.given.get("p", 1)


@fault(*VALUE)
class WholePowers(LpPool):
    """The fraction of p is cut off."""

    def read_p(self):
        return int(super().read_p())


@fault(*VALUE)
class AtMostThree(LpPool):
    """Powers above 3 are computed as 3."""

    def read_p(self):
        return min(super().read_p(), 3)


@fault(*SIZE, *VALUE)
class StridesAreNotRead(LpPool):
    """Every stride is 1."""

    def read_list(self, name):
        return [1] * self.rank if name == "strides" else super().read_list(name)


@fault(*SIZE, *VALUE)
class DilationsAreNotRead(LpPool):
    """Every dilation is 1."""

    def read_list(self, name):
        return [1] * self.rank if name == "dilations" else super().read_list(name)


@fault(*SIZE, *VALUE)
class FirstStrideForAll(LpPool):
    """The first stride is that of every axis."""

    def read_list(self, name):
        found = super().read_list(name)
        return [found[0]] * self.rank if name == "strides" else found


@fault(*SIZE, *VALUE)
class DilationsTurned(LpPool):
    """Dilations are read from the last axis to the first."""

    def read_list(self, name):
        found = super().read_list(name)
        return found[::-1] if name == "dilations" else found


@fault(*VALUE)
class EndsFirst(LpPool):
    """The pads at the end are taken for those at the beginning."""

    def read_pads(self):
        begin, end = super().read_pads()
        return end, begin


@fault(*SIZE, *VALUE)
class PadsInPairs(LpPool):
    """pads are read as beginning and end of the first axis, then of the second."""

    def read_pads(self):
        pads = list(self.given.get("pads", [0] * 2 * self.rank))
        return pads[::2], pads[1::2]


@fault(*SIZE, *VALUE)
class BeginningAlone(LpPool):
    """The pads at the beginning count for both ends."""

    def read_pads(self):
        begin, _ = super().read_pads()
        return begin, begin


@fault(*SIZE, *VALUE)
class AutoPadIsNotRead(LpPool):
    """auto_pad is taken for VALID wherever it is given."""

    def read_auto_pad(self):
        return "VALID" if "auto_pad" in self.given else "NOTSET"


@fault("auto_pad.F1")
class AlwaysUpper(LpPool):
    """SAME_LOWER is taken for SAME_UPPER."""

    def read_auto_pad(self):
        return super().read_auto_pad().replace("LOWER", "UPPER")


@fault("auto_pad.F1")
class AlwaysLower(LpPool):
    """SAME_UPPER is taken for SAME_LOWER."""

    def read_auto_pad(self):
        return super().read_auto_pad().replace("UPPER", "LOWER")


@fault("auto_pad.F1")
class AllAtTheEnd(LpPool):
    """The padding of SAME is all at the end."""

    def split(self, axis):
        return 0


@fault("auto_pad.F1")
class SameWithoutDilation(LpPool):
    """The padding of SAME is computed from the kernel without its dilation."""

    def missing(self, axis):
        return max((self.counts[axis] - 1) * self.strides[axis] + self.kernel[axis] - self.sizes[axis], 0)


@fault("Y.C5")
class SameRoundsDown(LpPool):
    """The size of SAME is rounded down."""

    def same_count(self, size, stride):
        return max(size // stride, 1) if size else 0


@fault("Y.C4")
class ValidRoundsUp(LpPool):
    """With ceil_mode, VALID has one window more where cells are left over."""

    def valid_count(self, room, stride):
        return super().valid_count(room, stride) + (self.ceil and room % stride > 0)


@fault("Y.C4", *VALUE)
class ValidWithoutDilation(LpPool):
    """The size of VALID is computed from the kernel without its dilation."""

    def extent(self, axis):
        return self.kernel[axis] if self.auto_pad == "VALID" else super().extent(axis)


@fault("Y.C2")
class NeverRoundsUp(LpPool):
    """ceil_mode is not read."""

    def read_ceil(self):
        return False


@fault("Y.C1")
class RoundsUpByDefault(LpPool):
    """ceil_mode is 1 where it is absent."""

    def read_ceil(self):
        return self.given.get("ceil_mode", 1) == 1


@fault("Y.C2")
class DropsTheLastWindow(LpPool):
    """With ceil_mode, a last window that starts behind X and the padding before it is left out, as in MaxPool."""

    def explicit_count(self, axis, room, stride):
        found = super().explicit_count(axis, room, stride)
        return found - (self.ceil and (found - 1) * stride >= self.sizes[axis] + self.begin[axis])


@fault("refusal")
class RefusesLargePads(LpPool):
    """A pad of the size of the kernel is refused."""

    def check(self):
        if any(max(pads) >= size for *pads, size in zip(self.begin, self.end, self.kernel, strict=True)):
            raise NotImplementedError


@fault("refusal")
class RefusesOneAxis(LpPool):
    """A single spatial axis is refused."""

    def check(self):
        if self.rank == 1:
            raise NotImplementedError


@fault("refusal")
class RefusesThreeAxes(LpPool):
    """More than two spatial axes are refused."""

    def check(self):
        if self.rank > 2:
            raise NotImplementedError


# Faults in values

@fault(*VALUE)
class ForgetsTheRoot(LpPool):
    """The sum of the powers is given."""

    def root(self, total):
        return total


@fault(*VALUE)
class AlwaysSquareRoot(LpPool):
    """The root is the square root, whatever p is."""

    def root(self, total):
        return np.sqrt(total)


@fault(*VALUE)
class KeepsSigns(LpPool):
    """Elements keep their signs."""

    def magnitude(self, values):
        return values


@fault(*VALUE)
class Mean(LpPool):
    """The sum is divided by the cells of the kernel, as in AveragePool."""

    def root(self, total):
        return super().root(total / total.dtype.type(np.prod(self.kernel)))


@fault(*VALUE)
class Maximum(LpPool):
    """The largest power counts alone."""

    def add(self, total, power):
        return np.maximum(total, power)


@fault("pads.F1", "auto_pad.F1")
class PaddingCountsOne(LpPool):
    """A cell of the padding adds 1."""

    def padding(self):
        return 1


@fault("pads.F1", "auto_pad.F1")
class PaddingIsInfinite(LpPool):
    """The padding of MaxPool, minus infinity, is taken over."""

    def padding(self):
        return np.inf


@fault("pads.F1", "auto_pad.F1")
class PaddingIsTheEdge(LpPool):
    """The padding repeats the edge of X."""

    def cells(self, x):
        return ((values, np.ones_like(inside)) for values, inside in super().cells(x))


@fault(*VALUE)
class PassesOverNan(LpPool):
    """A NaN counts as zero."""

    def magnitude(self, values):
        return np.nan_to_num(np.abs(values), nan=0, posinf=np.inf)


@fault(*VALUE)
class InfinityIsClamped(LpPool):
    """An infinity counts as zero."""

    def magnitude(self, values):
        return np.where(np.isinf(values), values.dtype.type(0), np.abs(values))


@fault(*VALUE)
class DoubleInSingle(LpPool):
    """float64 is computed in float32."""

    def working(self, x):
        return x.astype(np.float32) if x.dtype == np.float64 else x


@fault(*VALUE)
class SingleInHalf(LpPool):
    """float32 is computed in float16."""

    def working(self, x):
        return x.astype(np.float16) if x.dtype == np.float32 else x


@fault(*VALUE)
class FlushesSubnormal(LpPool):
    """Subnormal numbers of float32 count as zero, also where p is 1."""

    def magnitude(self, values):
        found = super().magnitude(values)
        return np.where(found < np.finfo(np.float32).tiny, found.dtype.type(0), found) \
            if found.dtype == np.float32 else found


@fault(*VALUE)
class ForgetsTheLastCell(LpPool):
    """Of a kernel of several cells the last is not read."""

    def in_order(self, cells):
        found = list(cells)
        return found[:-1] if len(found) > 1 else found


@fault(*VALUE)
class OneCellLate(LpPool):
    """Windows start one cell late on the last axis."""

    def places(self, axis):
        return super().places(axis) + (axis == self.rank - 1)


@fault(*VALUE)
class KernelTurned(LpPool):
    """The kernel is laid out with its axes exchanged."""

    def norms(self, x):
        self.kernel = self.kernel[::-1]
        return super().norms(x)


@fault(*VALUE)
class FirstBatchAlone(LpPool):
    """Every batch gives what the first one gives."""

    def finish(self, y):
        return np.broadcast_to(y[:1], y.shape) if len(y) else y


@fault(*VALUE)
class ChannelsBeyondTheBlock(LpPool):
    """Of more than four channels those behind the last full block of four stay zero."""

    def finish(self, y):
        channels = y.shape[1]
        return np.where(np.arange(channels).reshape(-1, *[1] * self.rank) < channels // 4 * 4, y, y.dtype.type(0)) \
            if channels > 4 else y


@fault(*VALUE)
class TailOfTheRow(LpPool):
    """Of a row of more than eight elements those behind the last full register stay zero."""

    def finish(self, y):
        width = y.shape[-1]
        return np.where(np.arange(width) < width // 8 * 8, y, y.dtype.type(0)) if width > 8 else y


@fault("Y.F3")
class BatchesAsChannels(LpPool):
    """Batches are laid out as channels."""

    def finish(self, y):
        return y.reshape(1, y.shape[0] * y.shape[1], *y.shape[2:])


@fault("Y.F2")
class AlwaysSingle(LpPool):
    """Y is float32, whatever X is."""

    def finish(self, y):
        return y.astype(np.float32)
