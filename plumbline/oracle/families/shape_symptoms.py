"""Symptoms of outputs of a wrong shape: by which other formula it is derived.

Each function takes the definition of a call and the name of an output, and returns the other shape; None, or an error
that the definition raises, means that the call has none. Reports print its docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil, floor, prod
from typing import Any

import numpy as np

from plumbline.oracle.families.narrower_types import MEANINGLESS

Shape = Sequence[int] | None

LARGEST_BOUNDS = (2**31 - 1, 2**63 - 1)


def _of_windows(definition: Any, sizes: Sequence[int], turned: bool = False) -> Shape:
    """Return the shape of an output with these spatial sizes, none below zero."""
    return *definition.shape[:2], *(max(size, 0) for size in (sizes[::-1] if turned else sizes))


def _is_turned(definition: Any, output: str) -> bool:
    return output == "Indices" and definition.attributes.get("storage_order") == 1


def _rounded_up(definition: Any, keeps: bool) -> Sequence[int]:
    """Return the sizes rounded up, with a last window that starts behind X or without."""
    windows, sizes = definition.geometry, list[int]()
    for size, begin, end, extent, stride in zip(windows.sizes, windows.begin, windows.end, windows.extents,
                                                windows.strides, strict=True):
        count = -(-(size + begin + end - extent) // stride) + 1
        sizes.append(count if keeps or (count - 1) * stride < size + begin else count - 1)
    return sizes


def _valid_rounded_up(definition: Any, output: str) -> Shape:
    """With auto_pad VALID and ceil_mode 1 sizes are ceil((in - ke)/s) + 1; with storage_order 1 the axes of Indices are
    in reverse order."""
    sizes = _rounded_up(definition, True) if definition.auto_pad == "VALID" else None
    return sizes and _of_windows(definition, sizes, _is_turned(definition, output))


def _valid_rounded_up_within(definition: Any, output: str) -> Shape:
    """As valid-rounded-up, without a last window that starts behind X."""
    return _of_windows(definition, _rounded_up(definition, False)) if definition.auto_pad == "VALID" else None


def _last_window_kept(definition: Any, output: str) -> Shape:
    """With ceil_mode 1 a last window that starts behind X is kept; with storage_order 1 the axes of Indices are in
    reverse order."""
    sizes = _rounded_up(definition, True) if definition.auto_pad == "NOTSET" else None
    return sizes and _of_windows(definition, sizes, _is_turned(definition, output))


def _last_window_dropped(definition: Any, output: str) -> Shape:
    """With ceil_mode 1 a last window that starts behind X is dropped."""
    return _of_windows(definition, _rounded_up(definition, False)) if definition.auto_pad == "NOTSET" else None


def _shape_of_same_undilated(definition: Any, output: str) -> Shape:
    """With auto_pad SAME the padding is that of the kernel without its dilation, and windows are counted with it."""
    windows = definition.geometry
    totals = [(count - 1) * stride + cells for count, stride, cells in
              zip(definition.same_counts, windows.strides, windows.kernel, strict=True)]
    rest = bool(definition.ceil_mode)
    return _of_windows(definition, [(total - extent + rest * (stride - 1)) // stride + 1 for total, extent, stride in
                                    zip(totals, windows.extents, windows.strides, strict=True)]
                       ) if definition.automatic else None


def _same_lower_rounded_down(definition: Any, output: str) -> Shape:
    """With auto_pad SAME_LOWER sizes are those of X over the stride, rounded down."""
    return _of_windows(definition, [size // stride for size, stride in zip(
        definition.sizes, definition.strides, strict=True)]) if definition.auto_pad == "SAME_LOWER" else None


def _same_rounded_up_again(definition: Any, output: str) -> Shape:
    """With auto_pad SAME and ceil_mode 1 windows are counted once more, rounded up, with a padding not below zero; with
    storage_order 1 the axes of Indices are in reverse order."""
    windows = definition.geometry
    sizes = [-(-(size + max(total, 0) - extent) // stride) + 1 for size, total, extent, stride in zip(
        windows.sizes, definition.same_totals, windows.extents, windows.strides, strict=True)]
    return _of_windows(definition, sizes, _is_turned(definition, output)) if definition.automatic else None


def _size_in_floating_point(definition: Any, output: str) -> Shape:
    """Sizes are computed in floating point, which drops digits of large ones."""
    rounded = ceil if definition.ceil_mode else floor
    return _of_windows(definition, [rounded(float(room) / float(stride)) + 1 for room, stride in zip(
        definition.rooms, definition.strides, strict=True)])


def _pads_in_pairs(definition: Any, output: str) -> Shape:
    """Of two spatial axes pads are those of the first, then of the second; of others none are there, or the beginnings
    alone with ceil_mode 1."""
    pads, rank = definition.pads, definition.rank
    more = (pads[0] + pads[1], pads[2] + pads[3]) if rank == 2 else [0] * rank
    twice = definition.ceil_mode and rank == 2
    more = [2 * pad for pad in more] if twice else pads[:rank] if definition.ceil_mode else more
    return _of_windows(definition, [size + pad - kernel + 1 for size, pad, kernel in zip(
        definition.sizes, more, definition.kernel, strict=True)])


def _empty_axis_as_the_next(definition: Any, output: str) -> Shape:
    """Sizes are those of windows over an X whose axes without cells are as long as the next one, the last one as 1."""
    sizes = definition.sizes
    return _of_windows(definition, [((size or following) + room - size) // stride + 1 for size, following, room, stride
                                    in zip(sizes, (*sizes[1:], 1), definition.rooms, definition.strides, strict=True)])


def _short_of_the_stride(definition: Any, output: str) -> Shape:
    """With auto_pad SAME padding below zero counts as zero, and a size is below that of X times the stride."""
    windows = definition.geometry
    return _of_windows(definition, [(size - 1) * stride + extra + extent - max(total, 0) for
                                    size, stride, extra, extent, total in zip(
        definition.sizes, windows.strides, definition.attributes["output_padding"], windows.extents,
        definition.same_totals, strict=True)]) if definition.automatic else None


def _maximum_of_two_axes(definition: Any, output: str) -> Shape:
    """With n spatial axes those at n and n + 1 are left out, and n axes of size 1 added."""
    shape = definition.inputs["X"].shape
    spatial = len(shape) - 2
    return *shape[:spatial], *shape[spatial + 2:], *[1] * spatial


def _stack_of_a(definition: Any, output: str) -> Shape:
    """The stack of A is not broadcast to that of B, which has no more axes."""
    a, b = (definition.inputs[name].shape for name in "AB")
    return (*a[:-1], *b[-1:]) if len(a) >= len(b) > 1 else None


def _negative_axes_left_aside(definition: Any, output: str) -> Shape:
    """Axes that count from the back are not reduced."""
    data, given = definition.data, definition.inputs.get("axes", definition.attributes.get("axes"))
    if given is None:
        return data.shape if definition.attributes.get("axis", 0) < 0 else None
    axes, keeps = {int(axis) for axis in given if axis >= 0}, definition.attributes.get("keepdims", 1) == 1
    return [1 if axis in axes else size for axis, size in enumerate(data.shape) if keeps or axis not in axes]


def _all_axes_reduced(definition: Any, output: str) -> Shape:
    """All axes are reduced, whichever are named."""
    return [1] * definition.data.ndim if definition.attribute("keepdims") else ()


def _axes_of_none_lost(definition: Any, output: str) -> Shape:
    """A tensor without elements has its other axes alone."""
    shape = definition.canonical[output].shape
    return [size for size in shape if size] if 0 in shape else None


def _empty_axes_as_one(definition: Any, output: str) -> Shape:
    """Axes of size 0 have size 1."""
    shape = definition.canonical[output].shape
    return [max(size, 1) for size in shape] if 0 in shape else None


def _ones_removed(definition: Any, output: str) -> Shape:
    """All axes of size 1 are removed."""
    return [size for size in definition.source.shape if size != 1]


def _one_by_one(definition: Any, output: str) -> Shape:
    """Axes are inserted one after another, each into what has come of the others."""
    shape = list(definition.source.shape)
    for axis in definition.attributes["axes"]:
        shape.insert(axis + len(shape) + 1 if axis < 0 else axis, 1)
    return shape


def _broadcast_by_numpy(definition: Any, output: str) -> Shape:
    """All inputs are broadcast to each other."""
    return np.broadcast_shapes(*(x.shape for x in definition.inputs.values()))


def _zeros_copied(definition: Any, output: str) -> Shape:
    """Sizes of 0 of a flat output are those of the first two axes of the input, or what is left of it."""
    sizes, axis = definition.source.shape, definition.axis
    rows, columns = prod(sizes[:axis]), prod(sizes[axis:])
    return (rows or sizes[0], (columns if rows else prod(sizes[1:])) or sizes[1]) if axis > 1 else None


def _one_row(definition: Any, output: str) -> Shape:
    """The output has one row, of as many elements as X has columns."""
    return 1, *definition.x.shape[1:]


def _a_scalar(definition: Any, output: str) -> Shape:
    """The output has no axes."""
    return ()


def _an_axis_more(definition: Any, output: str) -> Shape:
    """The output has a first axis of size 1 more."""
    return 1, *definition.shape_of(output)


def _scaled_whole(definition: Any, output: str) -> Shape:
    """Sizes are those of X times the scales, whatever the region of interest is."""
    scales = dict(zip(definition.axes, definition.inputs["scales"].tolist(), strict=True))
    return [floor(size * scales.get(axis, 1)) for axis, size in enumerate(definition.x.shape)]


def _sizes_as_given(definition: Any, output: str) -> Shape:
    """Sizes are those that are given, whatever the ratio of the sides is."""
    sizes = dict(zip(definition.axes, definition.inputs["sizes"].tolist(), strict=True))
    return [sizes.get(axis, size) for axis, size in enumerate(definition.x.shape)]


def _first_two_axes_kept(definition: Any, output: str) -> Shape:
    """The first two axes have the sizes of x, as where those of a batch and of channels are never resized."""
    return (*definition.x.shape[:2], *definition.shape_of(output)[2:])


def _axes_from_the_front(definition: Any, output: str) -> Shape:
    """Axes that count from the back are left as they are, and their sizes aside."""
    kept = [(axis, size) for axis, size in zip(
        definition.attributes["axes"], definition.inputs["sizes"].tolist(), strict=True) if axis >= 0]
    axes, sizes = [[pair[part] for pair in kept] for part in (0, 1)]
    call = replace(definition.call, attributes={**definition.attributes, "axes": axes},
                   inputs={**definition.inputs, "sizes": np.array(sizes, np.int64)})
    return tuple(type(definition)(call, definition.version).shape_of(output)) if kept else definition.x.shape


def _one_element_for_none(definition: Any, output: str) -> Shape:
    """A list of one element stands for a scalar."""
    return (1,) if definition.canonical[output].ndim == 0 else None


def _scalar_for_none(definition: Any, output: str) -> Shape:
    """A scalar stands for a tensor without elements."""
    return () if definition.canonical[output].size == 0 else None


def _one_for_none(definition: Any, output: str) -> Shape:
    """A list of one element stands for a tensor without elements."""
    return (1,) if definition.canonical[output].size == 0 else None


def _length_in_float64(definition: Any, output: str) -> Shape:
    """The number of elements is computed in float64."""
    start, limit, delta = (float(definition.inputs[name].item()) for name in ("start", "limit", "delta"))
    return (max(ceil((limit - start) / delta), 0),)


def _as_of_1_by_0(definition: Any, output: str) -> Shape:
    """A tensor of (0,) counts as one of (1, 0)."""
    name, x = next(iter(definition.inputs.items()))
    call = replace(definition.call, inputs={**definition.inputs, name: x.reshape(1, 0)})
    return tuple(type(definition)(call, definition.version).canonical[output].shape)


def _cut(definition: Any, bound: Callable[[int, bool], int | None], lowest_start: int | None = 0) -> Shape:
    """Return the shape of slices by Python's rules with other starts, ends and steps.

    bound: what a number counts as, by whether it is the end of a backward slice.
    lowest_start: the element that one before the first is brought to; None for none"""
    shape, lists = list(definition.source.shape), definition.lists
    steps = [bound(step, False) for step in lists.get("steps") or [1] * len(definition.axes)]
    for start, end, step, axis in zip(lists["starts"], lists["ends"], steps, definition.axes, strict=True):
        first, size = bound(start, False), definition.source.shape[axis]
        first = lowest_start if first is not None and first < -size and lowest_start is not None else first
        shape[axis] = len(range(*slice(first, bound(end, step is not None and step < 0), step).indices(size)))
    return shape


def _bounds_in_32_bits(definition: Any, output: str) -> Shape:
    """Starts, ends and steps count as their lower 32 bits, read as signed numbers."""
    return _cut(definition, lambda number, is_end: (number + 2**31) % 2**32 - 2**31)


def _largest_end_backward(definition: Any, output: str) -> Shape:
    """Backward, an end of 2**31 - 1 or 2**63 - 1 is before the first element."""
    return _cut(definition, lambda number, is_end: None if is_end and number in LARGEST_BOUNDS else number)


def _largest_bounds(definition: Any, output: str) -> Shape:
    """Forward, a start of 2**63 - 1 selects one element; backward, an end of 2**31 - 1 or 2**63 - 1 is before the
    first."""
    shape = _cut(definition, lambda number, is_end: None if is_end and number in LARGEST_BOUNDS else number, None)
    lists = definition.lists
    single = {axis % definition.source.ndim for start, step, axis in zip(
        lists["starts"], lists.get("steps") or [1] * len(definition.axes), definition.axes, strict=True)
        if start == LARGEST_BOUNDS[1] and step > 0}
    return [1 if axis in single and definition.source.shape[axis] else size for axis, size in enumerate(shape or ())]


def _slices_of_python(definition: Any, output: str) -> Shape:
    """Slices are those of Python: backward, one that starts before the first element has none."""
    return _cut(definition, lambda number, is_end: number, lowest_start=None)


def _end_from_the_back(definition: Any, output: str) -> Shape:
    """An end that is below zero with the rank added counts from the back once more."""
    rank = len(definition.sizes)
    return (len(definition.sizes[definition.start:definition.attributes["end"] + rank]),)


def _gathered_along_axis_0(definition: Any, output: str) -> Shape:
    """Outputs of iterations are gathered along the first axis."""
    is_state, number = definition.place(output)
    shape = list(definition.canonical[output].shape)
    return None if is_state else [shape.pop(definition.attributes["scan_output_axes"][number]), *shape]


def _signals(definition: Any, axis: int, parts_apart: bool = False) -> Shape:
    """Return the shape of a transform along an axis.

    parts_apart: an axis of real parts is kept before that of both parts, or left out where real parts are given"""
    source, is_half = list(definition.source.shape), definition.is_one_sided
    bins, inverse, given = source[axis], definition.inverse, definition.inputs.get("dft_length")
    length = int(given.item()) if given is not None else 2 * (bins - 1) if inverse and is_half else bins
    source[axis] = length // 2 + 1 if is_half and not inverse else length
    if parts_apart:
        return (source[:-1] if inverse else [*source, 2]) if is_half else None
    return *source[:-1], 1 if is_half and inverse else 2


def _shape_along_axis_1(definition: Any, output: str) -> Shape:
    """The output has the shape of a transform along axis 1."""
    return _signals(definition, 1)


def _shape_along_the_axis_before(definition: Any, output: str) -> Shape:
    """The output has the shape of a transform along the axis before a negative one."""
    return _signals(definition, definition.axis - 1) if definition.named_axis < 0 else None


def _parts_apart(definition: Any, output: str) -> Shape:
    """A one-sided transform keeps the axis of real parts before that of both, and its inverse leaves the last axis
    out."""
    return _signals(definition, definition.axis, parts_apart=True)


def _along_axis_1_without_length(definition: Any, output: str) -> Shape:
    """The output has the shape of a transform along axis 1, without dft_length."""
    return _signals(_without_length(definition), 1)


def _parts_apart_along_axis_1(definition: Any, output: str) -> Shape:
    """As parts-apart, along axis 1."""
    return _signals(definition, 1, parts_apart=True)


def _length_left_aside(definition: Any, output: str) -> Shape:
    """The output has the shape that it has without dft_length."""
    return tuple(_without_length(definition).shape_of(output))


def _without_length(definition: Any) -> Any:
    others = {name: x for name, x in definition.inputs.items() if name != "dft_length"}
    return type(definition)(replace(definition.call, inputs=others), definition.version)


FORMULAS = {
    "valid-rounded-up": _valid_rounded_up, "last-window-kept": _last_window_kept,
    "valid-rounded-up-within": _valid_rounded_up_within, "last-window-dropped": _last_window_dropped,
    "shape-of-same-undilated": _shape_of_same_undilated, "same-lower-rounded-down": _same_lower_rounded_down,
    "same-rounded-up-again": _same_rounded_up_again, "size-in-floating-point": _size_in_floating_point,
    "pads-in-pairs": _pads_in_pairs, "empty-axis-as-the-next": _empty_axis_as_the_next,
    "short-of-the-stride": _short_of_the_stride, "maximum-of-two-axes": _maximum_of_two_axes, "stack-of-a": _stack_of_a,
    "negative-axes-left-aside": _negative_axes_left_aside, "ones-removed": _ones_removed,
    "all-axes-reduced": _all_axes_reduced, "axes-of-none-lost": _axes_of_none_lost,
    "empty-axes-as-one": _empty_axes_as_one, "one-by-one": _one_by_one,
    "broadcast-by-numpy": _broadcast_by_numpy, "zeros-copied": _zeros_copied, "one-row": _one_row,
    "scaled-whole": _scaled_whole, "sizes-as-given": _sizes_as_given,
    "first-two-axes-kept": _first_two_axes_kept, "axes-from-the-front": _axes_from_the_front,
    "bounds-in-32-bits": _bounds_in_32_bits, "largest-end-backward": _largest_end_backward,
    "largest-bounds": _largest_bounds, "slices-of-python": _slices_of_python, "end-from-the-back": _end_from_the_back,
    "gathered-along-axis-0": _gathered_along_axis_0,
    "one-element-for-none": _one_element_for_none, "length-in-float64": _length_in_float64,
    "as-of-1-by-0": _as_of_1_by_0,
    "shape-along-axis-1": _shape_along_axis_1, "shape-along-the-axis-before": _shape_along_the_axis_before,
    "along-axis-1-without-length": _along_axis_1_without_length,
    "scalar-for-none": _scalar_for_none, "one-for-none": _one_for_none, "parts-apart": _parts_apart,
    "parts-apart-along-axis-1": _parts_apart_along_axis_1,
    "length-left-aside": _length_left_aside, "a-scalar": _a_scalar, "an-axis-more": _an_axis_more}


def _symptom(shape_of: Callable[[Any, str], Shape]) -> Callable[[Any, Any], bool]:
    """Return the symptom of a formula: True if the shape that was given is the one that it derives."""
    def shown(definition: Any, entry: Any) -> bool:
        try:
            shape = shape_of(definition, entry.output)
        except MEANINGLESS:
            return False  # of another operator, or another call
        return shape is not None and bool(entry.got == str([int(size) for size in shape]))
    shown.__doc__ = shape_of.__doc__
    return shown


SHAPES = {name: _symptom(shape_of) for name, shape_of in FORMULAS.items()}
"""Symptoms of outputs of a wrong shape, of any operator that has what their formulas are about."""
