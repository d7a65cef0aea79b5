"""Draw calls with sliding windows: modes, attributes, element types, sizes.

`window_sizes` has the sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, ClassVar

from plumbline.oracle.call import Call
from plumbline.oracle.families.surroundings import OF_ANY, OF_IMAGES, OF_PLANES
from plumbline.oracle.families.window_flags import OF_ATTRIBUTES, OF_WINDOWS, notes_of, well_formed
from plumbline.oracle.families.window_sizes import (
    BLOCKS,
    ENDS,
    HALVED,
    LONG,
    NETWORKS,
    WIDE,
    Axis,
    sizes,
)
from plumbline.oracle.families.window_steps import with_shorter_axis, without_axis
from plumbline.oracle.operator import Choose, Operator
from plumbline.oracle.size_classes import BATCHES, DTYPE, LARGE, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.surrounding_nodes import Surroundings
from plumbline.oracle.terms import Terms


def given(choose: Choose, name: str, values: Sequence[int], least: int) -> dict[str, list[int]]:
    """A list attribute: left out, sometimes, where every element is the default."""
    kept = any(value != least for value in values) or choose((False, True))
    return {name: list(values)} if kept else {}


def switched(choose: Choose, name: str, weights: Sequence[float]) -> dict[str, int]:
    """An attribute left out, 0 or 1."""
    value = choose((None, 0, 1), weights)
    return {} if value is None else {name: value}


class WindowCalls(Operator):
    """The generation of calls of an operator that reads its first input X through windows."""

    family = "Pooling and convolution"
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

    surroundings: ClassVar[tuple[Surroundings, ...]] = OF_IMAGES + OF_PLANES + OF_ANY

    at_ends: ClassVar[tuple[str, ...]] = ("stride", "dilation", "padding")
    """What may be at an end of its type, the plainest first."""

    values: ClassVar[str] = "order"
    """Which group of values X has; see `Choose.tensor`."""

    @classmethod
    def has_dilations(cls, version: int) -> bool:
        """Return True if windows may have gaps."""
        raise NotImplementedError

    @classmethod
    def at_ends_of(cls, version: int) -> tuple[str, ...]:
        """`at_ends`, without what a version does not have: padding beyond a dilated kernel selects nothing."""
        return tuple(name for name in cls.at_ends if name in ("stride", "kernel") or cls.has_dilations(version))

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
        """A call of any mode, rank and size class."""
        modes, weights = _since(cls.drawn_modes, version)
        mode = choose(Named("mode", map(frozenset, modes)), weights)
        chosen = sizes(choose, cls.ranks, cls.at_ends_of(version), cls.has_dilations(version),
                       cls.unpadded not in mode)
        axes = cls.usual(mode, chosen.axes)
        return cls._call(choose, version, mode, axes, (chosen.batches, chosen.channels))

    @classmethod
    def boundary_modes(cls, version: int) -> tuple[frozenset[str], ...]:
        """A word for the padding and one for the rounding."""
        return tuple(map(frozenset, _since(cls.drawn_modes, version)[0]))

    @classmethod
    def bounds(cls, version: int, mode: frozenset[str]) -> dict[str, tuple[int, int]]:
        """Return the bounds of size, kernel, stride, dilation and pads."""
        pad = (0, 3) if cls.explicit in mode else (0, 0)
        dilation = (cls.least_dilation, 2) if cls.has_dilations(version) else (1, 1)
        return {"in": (1, 8), "k": (1, 3), "s": (1, 4), "d": dilation, "b": pad, "e": pad}

    symbols: ClassVar[tuple[str, ...]] = ("in", "k", "s", "d", "b", "e")
    """The boundary symbols of an axis, in the order of the fields of `Axis`."""

    least_dilation: ClassVar[int] = 1
    """The smallest distance between the cells of a window that the text lets one write."""

    @classmethod
    def derived(cls, symbols: Mapping[str, Any]) -> dict[str, Any]:
        """The dilated kernel."""
        return {"ke": symbols["d"] * (symbols["k"] - 1) + 1}

    @classmethod
    def make_at_boundary(cls, choose: Choose, version: int, mode: frozenset[str],
                         axes: Sequence[Mapping[str, int]]) -> Call | None:
        """A call of one batch and channel with these spatial axes; with a second of one cell where there must be two.
        """
        found = [Axis(*(one[symbol] for symbol in cls.symbols)) for one in axes]
        found += [Axis(1, 1, 1, 1, 0, 0)] * (min(cls.ranks) - len(found))
        return cls._call(choose, version, mode, found, (1, 1))

    @classmethod
    def _call(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis],
              planes: tuple[int, int]) -> Call:
        attributes = cls.attributes_of(choose, version, mode, axes)
        dtype = cls.a_type(choose, version)
        cells = prod(min(one.kernel, one.size) for one in axes)
        x = choose.tensor((*planes, *(one.size for one in axes)), dtype, cls.values,
                          Terms(cells, tuple(range(2, len(axes) + 2)), cells))
        return Call(cls.operator, attributes, {"X": x})

    @classmethod
    def a_type(cls, choose: Choose, version: int) -> Any:
        """An element type of a version."""
        types, weights = _since(cls.drawn_types, version)
        return choose(Named(DTYPE, types), weights)

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Blocks of channels and columns, batches, long rows of a kernel, global windows, a large output; with one type
        layers, and numbers at the ends of theirs."""
        return (SizeClass({"channels": sorted(BLOCKS), "columns": WIDE[::-1]}, {"stratum": "blocks"}),
                SizeClass({"batches": BATCHES}, {"stratum": "batches"}),
                SizeClass({"long": LONG}, {"stratum": "long"}),
                SizeClass({"global": (49, 64, 1000)}, {"stratum": "global"}),
                SizeClass({"layer": NETWORKS}, {"stratum": "network"}, every_type=False),
                *(SizeClass({name: ENDS}, {"stratum": "ends", "at end": name}, every_type=False)
                  for name in cls.at_ends_of(version) if name != "kernel"),
                a_large_output({"stratum": "large"}),
                SizeClass({"mode": cls.boundary_modes(version)}, {"stratum": "network", "layer": HALVED},
                          every_type=False))

    @property
    def spans(self) -> tuple[int, ...]:
        """The spatial sizes that windows slide over."""
        return self.inputs["X"].shape[2:]

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the sizes of a valid call by name: batches, channels and columns of X; kernel, stride and so on.

        Kernel, stride, dilation and larger pad are those of the last axis; "layer" and "mode" are of equal axes."""
        x, spans = self.inputs["X"], self.spans
        boundary = [(mode, {**axis, "in": span}) for (mode, axis), span in
                    zip(self.boundary_symbols(), spans, strict=True)]
        shape, last = x.shape, boundary[-1][1]
        found = {DTYPE: x.dtype.name, "batches": shape[0], "channels": shape[1], "columns": spans[-1],
                 "stride": last["s"], "dilation": last["d"], "padding": max(last["b"], last["e"]),
                 "long": last["k"], "global": last["k"] if all(axis["k"] == axis["in"] for _, axis in boundary) else 0,
                 LARGE: is_large(self.shape_of("Y"))}
        layers = {(*(int(axis[symbol]) for symbol in ("in", "k", "s", "b")), shape[1]) for _, axis in boundary}
        if len(layers) == 1:
            found["layer"] = layers.pop()
            if found["layer"][:3] == HALVED[:3]:  # SAME has paddings of its own
                found["mode"] = boundary[0][0]
        return found

    flags_of_attributes, flags_of_windows = OF_ATTRIBUTES, OF_WINDOWS
    flag_notes = notes_of(OF_ATTRIBUTES, OF_WINDOWS)

    def flags(self) -> dict[str, bool]:
        """Features of windows that tell causes apart; of malformed ones what the attributes alone say."""
        known = self.flags_of_attributes | (self.flags_of_windows if well_formed(self) else {})
        return {name: bool(holds(self)) for name, (_, holds) in known.items()}

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls without a spatial axis; with a step, dilation or kernel less by one and its axis shorter."""
        yield from without_axis(self.call)
        yield from with_shorter_axis(self.call)


def _since(known: Mapping[Any, tuple[int, float]], version: int) -> tuple[tuple[Any, ...], tuple[float, ...]]:
    """Return what a version has, and how often it is drawn."""
    kept = {option: weight for option, (since, weight) in known.items() if since <= version}
    return tuple(kept), tuple(kept.values())
