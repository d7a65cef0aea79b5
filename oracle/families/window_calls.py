"""How calls with sliding windows are made: spatial axes from lists of all within a bound, and strata of sizes.

Each axis is chosen by itself, so that axes are unequal. Nearly all calls are small; the others have sizes at which
kernels change their path: channels and widths around the blocks of vector units, long reductions, global windows,
layers of well-known networks, and strides and dilations at the ends of their type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.neighbours import OF_ANY, OF_IMAGES, OF_PLANES
from plumbline.oracle.families.window_flags import OF_ATTRIBUTES, OF_WINDOWS, well_formed
from plumbline.oracle.families.window_steps import with_shorter_axis, without_axis
from plumbline.oracle.neighbours import Neighbourhood
from plumbline.oracle.operator import Choose, Operator
from plumbline.oracle.strata import DTYPE, Named, Stratum


class Axis(NamedTuple):
    """A spatial axis of X and of the windows over it."""

    size: int
    kernel: int
    stride: int
    dilation: int
    begin: int
    end: int


LARGEST = Axis(9, 4, 4, 3, 3, 3)
"""The bound within which a small axis is chosen."""

GROUPS = {"plain": 0.3, "dilated": 0.2, "padded": 0.3, "dilated and padded": 0.17, "pad reaches the kernel": 0.03,
          "nothing selected": 0.0, "no window fits": 0.0}
"""How often each group of axes is drawn: by their numbers alone, hardly any axis would be plain. The last two are left
open by most texts, and left to exhaustive searches."""

STRATA = {"small": 0.912, "many channels": 0.05, "wide": 0.016, "batches": 0.006, "long": 0.006, "global": 0.006,
          "blocks": 0.0, "network": 0.001, "ends": 0.003}
"""How often each stratum of sizes is drawn."""

BLOCKS = (15, 16, 17, 31, 32, 33, 64, 65, 128, 1, 3, 4, 7, 8)
"""Sizes at and around the blocks of kernels."""

BATCHES = (4, 5, 8, 33)
WIDE = (15, 16, 17, 31, 32, 33, 64, 65, 128, 257)
LONG = (7, 8, 9, 15, 16, 17, 31, 32, 33, 65, 1000)
ENDS = (2**31 - 1, 2**31, 2**32, 2**62)
"""Widths, kernels of one axis, and strides and dilations."""

NETWORKS = (
    # size, kernel, stride, pad of each of two axes; channels
    (7, 7, 1, 0, 512), (13, 3, 2, 0, 256), (56, 2, 2, 0, 16), (28, 3, 1, 1, 32), (112, 3, 2, 1, 64))
"""Global pooling and the pooling layers of AlexNet, VGG, Inception and ResNet."""

HALVED = (27, 2, 2, 0, 16)
"""A layer that is tried in every mode."""


@dataclass(frozen=True)
class Sizes:
    """What a stratum chooses."""

    axes: tuple[Axis, ...]
    batches: int
    channels: int


@cache
def axes(dilated: bool) -> dict[str, tuple[Axis, ...]]:
    """Every axis within the bound by group, the smallest numbers first; undilated ones alone where so wanted."""
    ranges = [range(low, high + 1) for low, high in zip((1, 1, 1, 1, 0, 0), LARGEST, strict=True)]
    grid = np.array(sorted(product(*ranges), key=lambda row: (sum(row), row)))
    size, kernel, stride, dilation, begin, end = grid.T
    counts = (size + begin + end - dilation * (kernel - 1) - 1) // stride + 1
    window, tap = np.arange(counts.max())[:, None, None], np.arange(LARGEST.kernel)[:, None]
    places = window * stride + tap * dilation - begin
    selects = ((places >= 0) & (places < size) & (tap < kernel)).any(axis=1)
    kind = np.select(
        [counts < 1, ~(selects | (window[:, 0] >= counts)).all(axis=0), np.maximum(begin, end) >= kernel,
         (dilation > 1) & (begin + end > 0), begin + end > 0, dilation > 1],
        ["no window fits", "nothing selected", "pad reaches the kernel", "dilated and padded", "padded", "dilated"],
        "plain")
    kept = (dilation == 1) | dilated
    return {name: tuple(Axis(*row) for row in grid[(kind == name) & kept].tolist()) for name in GROUPS}


@cache
def _groups(dilated: bool, padded: bool) -> tuple[tuple[tuple[Axis, ...], ...], tuple[float, ...]]:
    """The groups of axes to choose from, and how often each is drawn."""
    known = axes(dilated)
    names = [name for name in GROUPS if known[name] and (padded or name in ("plain", "dilated", "no window fits"))]
    return tuple(known[name] for name in names), tuple(GROUPS[name] for name in names)


def axis(choose: Choose, dilated: bool, padded: bool) -> Axis:
    """A small axis."""
    return choose(choose(*_groups(dilated, padded)))


SMALL, FEW = (1, 2, 3), (0.33, 0.33, 0.33, 0.006)


def sizes(choose: Choose, ranks: tuple[int, ...], dilated: bool, padded: bool) -> Sizes:
    """The spatial axes, batches and channels of a call; `padded` says whether axes that need their padding are among
    them."""
    rank = choose(ranks, RANKS[len(ranks)])
    stratum = choose(Named("stratum", STRATA), tuple(STRATA.values()))
    drawn = [axis(choose, dilated, padded) for _ in range(rank)]
    batches, channels = choose((*SMALL, 0), FEW), choose((*SMALL, 0), FEW)
    if stratum == "many channels":
        channels = choose(BLOCKS + tuple(range(9, 41)))
    elif stratum == "wide":
        drawn[-1] = drawn[-1]._replace(size=choose(WIDE))
    elif stratum == "batches":
        batches = choose(Named("batches", BATCHES))
    elif stratum == "blocks":
        channels = choose(Named("channels", BLOCKS))
        drawn[-1] = drawn[-1]._replace(size=choose(Named("columns", WIDE)))
    elif stratum in ("long", "global"):
        length = choose(Named(stratum, LONG[:-3] if rank > 1 else LONG))
        drawn[-1] = drawn[-1]._replace(size=length + (choose((1, 3)) if stratum == "long" else 0), kernel=length,
                                       dilation=1, begin=min(drawn[-1].begin, length - 1) if stratum == "long" else 0,
                                       end=min(drawn[-1].end, length - 1) if stratum == "long" else 0)
        if stratum == "global":
            drawn[:-1] = [Axis(one.size, one.size, 1, 1, 0, 0) for one in drawn[:-1]]
    elif stratum == "network":
        size, kernel, stride, pad, channels = choose(Named("layer", NETWORKS))
        drawn, batches = [Axis(size, kernel, stride, 1, pad, pad)] * (2 if 2 in ranks else rank), 1
    elif stratum == "ends":
        end = choose(Named("end", ENDS))
        one = drawn[-1]._replace(kernel=1, dilation=end, begin=0, end=0) \
            if dilated and choose(Named("far", (False, True))) else drawn[-1]._replace(stride=end)
        drawn[-1] = one
    if not padded:
        drawn = [one._replace(begin=0, end=0) for one in drawn]
    return Sizes(tuple(drawn), batches, channels)


RANKS: dict[int, Sequence[float]] = {1: (1.0,), 3: (0.3, 0.6, 0.1)}
"""How often each number of spatial axes is drawn, of one or of three."""


def given(choose: Choose, name: str, values: Sequence[int], least: int) -> dict[str, list[int]]:
    """A list attribute: left out, sometimes, where every element is the default."""
    kept = any(value != least for value in values) or choose((False, True))
    return {name: list(values)} if kept else {}


def switched(choose: Choose, name: str, weights: Sequence[float]) -> dict[str, int]:
    """An attribute left out, 0 or 1."""
    value = choose((None, 0, 1), weights)
    return {} if value is None else {name: value}


class WindowCalls(Operator):
    """How an operator whose first input X is read through windows is tried."""

    operator: ClassVar[str]
    """The ONNX operator."""

    drawn_types: ClassVar[Mapping[str, tuple[int, float]]]
    """The element types of X: the version that each came in, and how often it is drawn, the plainest first."""

    drawn_modes: ClassVar[Mapping[tuple[str, str], tuple[int, float]]]
    """Modes, each a word for the padding and one for the rounding; and the same of each."""

    explicit: ClassVar[str] = "NOTSET"
    """The word for padding that the call gives."""

    unpadded: ClassVar[str] = "VALID"
    """The word for no padding."""

    ranks: ClassVar[tuple[int, ...]] = (1, 2, 3)
    """The numbers of spatial axes, the most common among them."""

    neighbourhoods: ClassVar[tuple[Neighbourhood, ...]] = OF_IMAGES + OF_PLANES + OF_ANY

    values: ClassVar[str] = "order"
    """Which group of values X has; see `Choose.tensor`."""

    @classmethod
    def has_dilations(cls, version: int) -> bool:
        """Whether windows may have gaps."""
        raise NotImplementedError

    @classmethod
    def attributes_of(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis]) -> dict[str, Any]:
        """The attributes of a call in a mode."""
        raise NotImplementedError

    @classmethod
    def usual(cls, mode: frozenset[str], axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
        """Axes that a mode is about; by default any."""
        return axes

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """A call of any mode, rank and stratum of sizes."""
        modes, weights = _since(cls.drawn_modes, version)
        mode = choose(Named("mode", map(frozenset, modes)), weights)
        chosen = sizes(choose, cls.ranks, cls.has_dilations(version), cls.unpadded not in mode)
        axes = cls.usual(mode, chosen.axes)
        return cls._call(choose, version, mode, axes, (chosen.batches, chosen.channels))

    @classmethod
    def modes(cls, version: int) -> tuple[frozenset[str], ...]:
        """A word for the padding and one for the rounding."""
        return tuple(map(frozenset, _since(cls.drawn_modes, version)[0]))

    @classmethod
    def bounds(cls, version: int, mode: frozenset[str]) -> dict[str, tuple[int, int]]:
        """Of size, kernel, stride, dilation and pads."""
        pad = (0, 3) if cls.explicit in mode else (0, 0)
        dilation = (cls.least_dilation, 2) if cls.has_dilations(version) else (1, 1)
        return {"in": (1, 8), "k": (1, 3), "s": (1, 4), "d": dilation, "b": pad, "e": pad}

    least_dilation: ClassVar[int] = 1
    """The smallest distance between the cells of a window that the text lets one write."""

    @classmethod
    def derived(cls, symbols: Mapping[str, Any]) -> dict[str, Any]:
        """The dilated kernel."""
        return {"ke": symbols["d"] * (symbols["k"] - 1) + 1}

    @classmethod
    def with_sides(cls, choose: Choose, version: int, mode: frozenset[str],
                   axes: Sequence[Mapping[str, int]]) -> Call | None:
        """A call of one batch and channel with these spatial axes; with a second of one cell where there must be two.
        """
        found = [Axis(*(one[symbol] for symbol in ("in", "k", "s", "d", "b", "e"))) for one in axes]
        found += [Axis(1, 1, 1, 1, 0, 0)] * (min(cls.ranks) - len(found))
        return cls._call(choose, version, mode, found, (1, 1))

    @classmethod
    def _call(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis],
              planes: tuple[int, int]) -> Call:
        attributes = cls.attributes_of(choose, version, mode, axes)
        dtype = cls.a_type(choose, version)
        x = choose.tensor((*planes, *(one.size for one in axes)), dtype, cls.values)
        return Call(cls.operator, attributes, {"X": x})

    @classmethod
    def a_type(cls, choose: Choose, version: int) -> Any:
        """An element type of a version."""
        types, weights = _since(cls.drawn_types, version)
        return choose(Named(DTYPE, types), weights)

    @classmethod
    def strata(cls, version: int) -> Sequence[Stratum]:
        """Blocks of channels and columns, batches, long rows of a kernel, global windows; with one type layers, and
        strides and dilations at the ends of theirs."""
        return (Stratum({"channels": sorted(BLOCKS), "columns": WIDE[::-1]}, {"stratum": "blocks"}),
                Stratum({"batches": BATCHES}, {"stratum": "batches"}),
                Stratum({"long": LONG}, {"stratum": "long"}),
                Stratum({"global": (49, 64, 1000)}, {"stratum": "global"}),
                Stratum({"layer": NETWORKS}, {"stratum": "network"}, every_type=False),
                Stratum({"end": ENDS}, {"stratum": "ends"}, every_type=False),
                Stratum({"mode": cls.modes(version)}, {"stratum": "network", "layer": HALVED},
                        every_type=False))

    def sizes_met(self) -> Mapping[str, Any]:
        """Batches, channels and columns of X; the last size of the kernel, and of one as large as X; its stride or
        dilation; what it is as a layer; the mode of a layer that halves X."""
        x, sides = self.inputs["X"], list(self.sides())
        shape, long = x.shape, sides[-1][1]["k"]
        far = max(sides[-1][1]["s"], sides[-1][1]["d"])
        found = {DTYPE: x.dtype.name, "batches": shape[0], "channels": shape[1], "columns": shape[-1], "end": far,
                 "long": long, "global": long if all(axis["k"] == axis["in"] for _, axis in sides) else 0}
        layers = {(*(int(axis[symbol]) for symbol in ("in", "k", "s", "b")), shape[1]) for _, axis in sides}
        if len(layers) == 1:
            found["layer"] = layers.pop()
            if found["layer"][:3] == HALVED[:3]:  # SAME has paddings of its own
                found["mode"] = sides[0][0]
        return found

    flag_notes = {name: note for name, (note, _) in {**OF_ATTRIBUTES, **OF_WINDOWS}.items()}

    def flags(self) -> dict[str, bool]:
        """Features of windows that tell causes apart; of malformed ones what the attributes alone say."""
        known = {**OF_ATTRIBUTES, **OF_WINDOWS} if well_formed(self) else OF_ATTRIBUTES
        return {name: bool(holds(self)) for name, (_, holds) in known.items()}

    def shorter(self) -> Iterator[Call]:
        """Without a spatial axis; a step, a dilation or a kernel less by one and its axis shorter at its end."""
        yield from without_axis(self.call)
        yield from with_shorter_axis(self.call)


def _since(known: Mapping[Any, tuple[int, float]], version: int) -> tuple[tuple[Any, ...], tuple[float, ...]]:
    """What a version has, and how often it is drawn."""
    kept = {option: weight for option, (since, weight) in known.items() if since <= version}
    return tuple(kept), tuple(kept.values())
