"""An implementation of convolutions in small steps, each of which a fault may get wrong, and others that do the sums in
other ways. Derived from neither oracle: X is padded, and each cell of the kernel is multiplied with a slice of it."""

from __future__ import annotations

from functools import cache
from itertools import product

import ml_dtypes
import numpy as np

from tests.operators.contract import Implementation
from tests.operators.onnx._winograd import convolve as winograd

WIDER = {"float16": np.float32, "float32": np.float64, "float64": np.longdouble, "bfloat16": np.float32}

FAR = 4096
"""A dilation above is this one: either leads from any cell of X into the padding."""


class Convolution(Implementation):
    """Multiplies the zeros of the padding, cell by cell of the kernel and channel by channel."""

    def run(self, request):
        with np.errstate(all="ignore"):
            self.request, self.given = request, request.attributes
            self.x, self.w = self.read_x(request.inputs["X"]), self.read_w(request.inputs["W"])
            self.dtype, self.rank = self.x.dtype, self.x.ndim - 2
            self.b = self.read_b(request.inputs.get("B"))
            self.check()
            self.group = self.given.get("group", 1)
            self.strides, self.dilations = self.read_strides(), self.read_dilations()
            self.kernel, self.auto_pad = list(self.w.shape[2:]), self.read_auto_pad()
            self.begin, self.end = self.read_pads()
            self.counts = [max(self.count(axis), 0) for axis in range(self.rank)]
            if self.auto_pad.startswith("SAME"):
                self.begin, self.end = zip(*map(self.split, range(self.rank)), strict=True)
            return self.outputs(self.finish(self.with_bias(self.convolved())))

    def read_x(self, x):
        return x

    def read_w(self, w):
        return w

    def read_b(self, b):
        return b

    def check(self):
        """Raises NotImplementedError for a call that is refused: none."""

    # Geometry

    def read_auto_pad(self):
        return self.given.get("auto_pad", "NOTSET")

    def read_strides(self):
        return list(self.given.get("strides", [1] * self.rank))

    def read_dilations(self):
        return list(self.given.get("dilations", [1] * self.rank))

    def read_pads(self):
        if self.auto_pad != "NOTSET":
            return [0] * self.rank, [0] * self.rank
        pads = list(self.given.get("pads", [0] * 2 * self.rank))
        return pads[:self.rank], pads[self.rank:]

    def extent(self, axis):
        return (self.kernel[axis] - 1) * self.dilations[axis] + 1

    def count(self, axis):
        size = self.x.shape[2 + axis]
        if self.auto_pad.startswith("SAME"):
            return self.same_count(size, self.strides[axis])
        room = size + self.begin[axis] + self.end[axis] - self.extent(axis)
        return self.windows(room, self.strides[axis])

    def same_count(self, size, stride):
        return (size + stride - 1) // stride

    def windows(self, room, stride):
        return room // stride + 1 if room >= 0 else 0

    def missing(self, axis):
        """The padding of SAME."""
        return (self.counts[axis] - 1) * self.strides[axis] + self.extent(axis) - self.x.shape[2 + axis]

    def split(self, axis):
        total = max(self.missing(axis), 0)
        small, large = total // 2, total - total // 2
        return (small, large) if self.auto_pad == "SAME_UPPER" else (large, small)

    # Sums

    def padded(self, x):
        """X with its padding, as far as windows reach; and with nothing cut off."""
        width = [(0, 0), (0, 0)]
        for axis in range(self.rank):
            extent = min(self.extent(axis), (self.kernel[axis] - 1) * FAR + 1)
            reach = (self.counts[axis] - 1) * self.strides[axis] + extent
            width.append((self.begin[axis], max(reach - self.begin[axis] - x.shape[2 + axis], 0)))
        return self.fill(x, width)

    def fill(self, x, width):
        return np.pad(x, width)

    def working(self, array):
        """An input in the type of the sums."""
        return array

    def convolved(self):
        x, w = self.working(self.x), self.working(self.w)
        maps = len(w) // self.group
        shape = (len(x), len(w), *self.counts)
        if 0 in shape:
            return np.zeros(shape, x.dtype)
        x, y = self.padded(x), np.zeros(shape, x.dtype)
        for group in range(self.group):
            to = self.maps_of(group, maps)
            y[:, to] = self.summed(x[:, self.channels_of(group, w.shape[1])], self.kernels_of(w, group, maps))
        return y

    def maps_of(self, group, maps):
        return slice(group * maps, (group + 1) * maps)

    def kernels_of(self, w, group, maps):
        return w[group * maps:(group + 1) * maps]

    def channels_of(self, group, channels):
        return slice(group * channels, (group + 1) * channels)

    def offsets(self):
        """The cells of the kernel."""
        return list(product(*map(range, self.kernel)))

    def slices(self, offset):
        """Where the windows have a cell of the kernel, in the padded X."""
        return tuple(slice(start, start + (count - 1) * stride + 1, stride) for start, count, stride in
                     zip((at * min(d, FAR) for at, d in zip(offset, self.dilations, strict=True)), self.counts,
                         self.strides, strict=True))

    def channels(self, count):
        """The channels of a group that are summed."""
        return range(count)

    def products(self, x, w):
        """The terms, one after another, each for all windows and maps."""
        for offset in self.offsets():
            part = x[(slice(None), slice(None), *self.slices(offset))]
            for channel in self.channels(w.shape[1]):
                factor = w[(slice(None), channel, *offset)].reshape(1, -1, *[1] * self.rank)
                yield self.term(part[:, channel:channel + 1], factor, offset)

    def term(self, x, w, offset):
        return x * w

    def summed(self, x, w):
        total = np.zeros((len(x), len(w), *self.counts), x.dtype)
        for term in self.products(x, w):
            total = total + term
        return total

    def bias(self):
        return self.working(self.b).reshape(1, -1, *[1] * self.rank)

    def with_bias(self, y):
        return y if self.b is None else y + self.bias()

    def finish(self, y):
        return y.astype(self.dtype)

    def outputs(self, y):
        return {"Y": y}


class Backwards(Convolution):
    """Sums from the last term to the first."""

    def offsets(self):
        return super().offsets()[::-1]

    def channels(self, count):
        return range(count)[::-1]


class ChannelsFirst(Convolution):
    """Sums channel by channel, and the cells of the kernel within."""

    def products(self, x, w):
        for channel in range(w.shape[1]):
            yield from super().products(x[:, channel:channel + 1], w[:, channel:channel + 1])


class Pairwise(Convolution):
    """Sums in pairs."""

    def summed(self, x, w):
        terms = list(self.products(x, w)) or [super().summed(x, w)]
        while len(terms) > 1:
            terms = [sum(terms[at + 1:at + 2], terms[at]) for at in range(0, len(terms), 2)]
        return terms[0]


class InBlocks(Convolution):
    """Sums blocks of four channels, then the blocks."""

    def summed(self, x, w):
        total = np.zeros((len(x), len(w), *self.counts), x.dtype)
        for start in range(0, w.shape[1], 4):
            block = slice(start, start + 4)
            total = total + super().summed(x[:, block], w[:, block])
        return total


class Wider(Convolution):
    """Sums in the next wider type, and rounds once."""

    def working(self, array):
        return array.astype(WIDER[array.dtype.name])


class Fused(Convolution):
    """Rounds each product together with its addition, nearly."""

    def term(self, x, w, offset):
        return x.astype(WIDER[x.dtype.name]) * w.astype(WIDER[w.dtype.name])

    def summed(self, x, w):
        total = np.zeros((len(x), len(w), *self.counts), x.dtype)
        for term in self.products(x, w):
            total = (total + term).astype(x.dtype)
        return total


class BiasFirst(Convolution):
    """Begins each sum with B."""

    def convolved(self):
        self.group_sums = 0
        return super().convolved()

    def summed(self, x, w):
        first = self.group_sums
        self.group_sums += len(w)
        total = np.zeros((len(x), len(w), *self.counts), x.dtype)
        if self.b is not None:
            total = total + self.bias()[:, first:first + len(w)]
        for term in self.products(x, w):
            total = total + term
        return total

    def with_bias(self, y):
        return super().with_bias(y) if 0 in y.shape else y


class AsMatrices(Convolution):
    """Lays the windows out as a matrix and multiplies it by the kernels."""

    def working(self, array):
        return array.astype(np.float32) if array.dtype.name in ("float16", "bfloat16") else array

    def summed(self, x, w):
        parts = [x[(slice(None), slice(None), *self.slices(offset))] for offset in self.offsets()]
        columns = np.stack(parts, axis=2).reshape(len(x), w.shape[1] * len(parts), int(np.prod(self.counts)))
        return (w.reshape(len(w), columns.shape[1]) @ columns).reshape(len(x), len(w), *self.counts)


class SkipsPadding(Convolution):
    """Leaves padding out of the sums."""

    def products(self, x, w):
        inside = self.padded(np.ones_like(self.x[:1, :1]))
        for at, term in enumerate(super().products(x, w)):
            offset = self.offsets()[at // max(w.shape[1], 1)]
            yield np.where(inside[(slice(None), slice(None), *self.slices(offset))] == 1, term, term.dtype.type(0))


class Winograd2(Convolution):
    """Minimal filtering with tiles of 2 by 2, for kernels of 3 by 3 in float32 and numbers that are tame."""

    tile = 2

    def summed(self, x, w):
        plain = super().summed(x, w)
        if self.kernel == [3, 3] and {*self.strides, *self.dilations} == {1} and self.suits(x, w):
            fast = winograd(x, w, self.tile)
            return np.where(np.isfinite(fast) & np.isfinite(plain), fast, plain)
        return plain

    def suits(self, x, w):
        return self.dtype == np.float32 and np.isfinite(x).all() and np.isfinite(w).all()


class Winograd4(Winograd2):
    """Minimal filtering with tiles of 4 by 4."""

    tile = 4


class Winograd6(Winograd2):
    """Minimal filtering with tiles of 6 by 6."""

    tile = 6


class WinogradOfAnyType(Winograd2):
    """Minimal filtering with tiles of 4 by 4 in whatever type, with what overflows."""

    tile = 4

    def suits(self, x, w):
        return x.dtype != ml_dtypes.bfloat16 and np.isfinite(x).all() and np.isfinite(w).all()


class FourierInStages(Convolution):
    """Transforms padded X and dilated kernels, of lengths that are powers of two, in stages of complex numbers of the
    type; bfloat16 and float16 in float32, and numbers that are not finite plainly."""

    def working(self, array):
        return array.astype(np.float32) if array.dtype.name in ("float16", "bfloat16") else array

    def summed(self, x, w):
        plain = super().summed(x, w)
        extents = [min((k - 1) * min(d, FAR), size - 1) + 1 for k, d, size in
                   zip(self.kernel, self.dilations, x.shape[2:], strict=True)]
        sizes = [1 << (size + extent - 2).bit_length() for size, extent in zip(x.shape[2:], extents, strict=True)]
        if np.prod(sizes) > 2**11 or not (np.isfinite(x).all() and np.isfinite(w).all()):
            return plain
        spread = np.zeros((*w.shape[:2], *extents), w.dtype)
        for offset in self.offsets():
            at = [one * min(d, FAR) for one, d in zip(offset, self.dilations, strict=True)]
            spread[(slice(None), slice(None), *at)] = w[(slice(None), slice(None), *offset)]
        spread = np.flip(spread, tuple(range(2, spread.ndim)))
        y = self.of_channels(self.transformed(x, sizes)[:, None], self.transformed(spread, sizes)[None], sizes)
        starts = [slice(extent - 1, extent - 1 + (count - 1) * stride + 1, stride) for extent, count, stride in
                  zip(extents, self.counts, self.strides, strict=True)]
        return y[(slice(None), slice(None), *starts)]

    def of_channels(self, x, w, sizes):
        total = np.zeros(np.broadcast_shapes(x.shape, w.shape)[:2] + tuple(x.shape[3:]), x.dtype)
        for channel in range(x.shape[2]):
            total = total + x[:, :, channel] * w[:, :, channel]
        return self.back(total, sizes)

    def transformed(self, planes, sizes):
        padded = np.zeros((*planes.shape[:2], *sizes), np.result_type(planes.dtype, np.complex64))
        padded[tuple(map(slice, planes.shape))] = planes
        for axis in range(2, padded.ndim):
            padded = np.moveaxis(stages(np.moveaxis(padded, axis, -1), -1), -1, axis)
        return padded

    def back(self, bins, sizes):
        for axis in range(2, bins.ndim):
            bins = np.moveaxis(stages(np.moveaxis(bins, axis, -1), 1), -1, axis)
        return bins.real / bins.real.dtype.type(np.prod(sizes))


class FourierOfNumpy(FourierInStages):
    """Transforms of real numbers by numpy, which computes these in float32 from version 2 on."""

    def transformed(self, planes, sizes):
        return np.fft.rfftn(planes, sizes, tuple(range(2, planes.ndim)))

    def back(self, bins, sizes):
        return np.fft.irfftn(bins, sizes, tuple(range(2, bins.ndim)))


class FourierByChannel(FourierOfNumpy):
    """Transforms the products of each channel back, and sums these."""

    def of_channels(self, x, w, sizes):
        total = np.zeros((*np.broadcast_shapes(x.shape[:2], w.shape[:2]), *sizes), x.real.dtype)
        for channel in range(x.shape[2]):
            total = total + self.back(x[:, :, channel] * w[:, :, channel], sizes)
        return total


def stages(x, sign):
    """The transform of each row, by stages of radix two, without a factor for its length."""
    count = x.shape[-1]
    if count == 1:
        return x
    even, odd = stages(x[..., ::2], sign), stages(x[..., 1::2], sign)
    turned = factors(count, sign, x.dtype) * odd
    return np.concatenate([even + turned, even - turned], axis=-1)


@cache
def factors(count, sign, dtype):
    return np.exp(sign * 2j * np.pi * np.arange(count // 2) / count).astype(dtype)
