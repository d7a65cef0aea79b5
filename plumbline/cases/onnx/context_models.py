"""Build models in contexts: each function adds nodes around a node.

The functions return False if the call does not fit the context."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plumbline.cases.onnx.frame import Frame
from plumbline.oracle.response import is_float
from plumbline.oracle.surrounding_nodes import Surroundings

Build = Callable[[Frame], bool]

WIDER = {"float16": "float32", "bfloat16": "float32", "float32": "float64", "int8": "int32", "uint8": "int32",
         "int16": "int32", "uint16": "int32", "int32": "int64", "uint32": "int64", "bool": "int32"}
"""By type another that has all its values."""


def alone(frame: Frame) -> bool:
    """Leave the node alone."""
    return True


def unknown_sizes(frame: Frame) -> bool:
    """Make every size of every input a symbol."""
    frame.leave_sizes_open()
    return True


def constants(frame: Frame) -> bool:
    """Make every input a constant."""
    for name in list(frame.inputs):
        frame.make_constant(name)
    return True


def weights(frame: Frame) -> bool:
    """Make every input but the first a constant."""
    for name in list(frame.inputs)[1:]:
        frame.make_constant(name)
    return len(frame.call.inputs) > 1


def transposed(frame: Frame) -> bool:
    """Transpose every input and output of two axes or more to channels last, and back."""
    changed = False
    for name, array in frame.call.inputs.items():
        if array.ndim > 1:
            there, back = _channels_last(array.ndim)
            frame.before(name, "Transpose", array.transpose(there), perm=back)
            changed = True
    for name, array in frame.expected.items():
        if array.ndim > 1:
            there, back = _channels_last(array.ndim)
            frame.after(name, "Transpose", perm=there)
            frame.after(name, "Transpose", perm=back)
    return changed


def _channels_last(axes: int) -> tuple[list[int], list[int]]:
    """Return the permutation that moves the second axis behind the others, and its inverse."""
    there = [0, *range(2, axes), 1] if axes > 2 else [1, 0]
    return there, [there.index(axis) for axis in range(axes)]


def cast(frame: Frame) -> bool:
    """Cast the inputs from a wider type, the outputs to a wider one and back."""
    if frame.opset < 6:
        return False
    changed = False
    for name, array in frame.call.inputs.items():
        wide = WIDER.get(array.dtype.name)
        if wide is not None:
            frame.before(name, "Cast", array.astype(np.dtype(wide)), to=frame.element(array.dtype))
            changed = True
    for name, array in frame.expected.items():
        wide = WIDER.get(array.dtype.name)
        if wide is not None:
            frame.after(name, "Cast", to=frame.element(np.dtype(wide)))
            frame.after(name, "Cast", to=frame.element(array.dtype))
    return changed


def quantized(frame: Frame, dtype: str) -> bool:
    """Dequantise the inputs and quantise the first output, where both are exact.

    They are if float32 values are multiples of a power of two that fit 8 bits, and if rounding to a multiple undoes the
    error that the specification allows. Unspecified values may not fit 8 bits."""
    info = np.iinfo(np.dtype(dtype))
    zero = np.array((info.min + info.max + 1) // 2, dtype)
    first = next(iter(frame.call.inputs), "")
    y = next(iter(frame.expected))
    y_scale = _scale(frame.expected[y])
    if frame.opset < 10 or y_scale is None or frame.tolerance(y) >= y_scale / 4:
        return False
    if _scale(frame.call.inputs[first]) is None or frame.spec.unspecified(frame.call):
        return False
    for name, array in frame.call.inputs.items():
        scale = _scale(array)
        if scale is None:
            continue
        frame.before(name, "DequantizeLinear", (np.rint(array / scale) + int(zero)).astype(dtype),
                     np.array(scale, np.float32), zero)
        if name != first:
            frame.make_constant(name)
    frame.after(y, "QuantizeLinear", np.array(y_scale, np.float32), zero)
    frame.after(y, "DequantizeLinear", np.array(y_scale, np.float32), zero)
    return True


def _scale(array: np.ndarray) -> float | None:
    """Return the largest power of two of which all float32 values are multiples, up to 127 times.

    None if there is none, and for -0, which integers lack."""
    if array.dtype != np.float32 or not array.size or not np.isfinite(array).all():
        return None
    if (np.signbit(array) & (array == 0)).any():
        return None
    largest = float(np.abs(array).max())
    if not largest:
        return 1.0
    for power in range(int(np.floor(np.log2(largest))), -60, -1):
        multiples = array / np.float32(2.0 ** power)
        if np.abs(multiples).max() > 127:
            return None
        if (multiples == np.rint(multiples)).all():
            return 2.0 ** power
    return None


def surrounded(frame: Frame, around: Surroundings) -> bool:
    """Put the nodes of `around` before and after the node, if they are exact on its values.

    None come after it if a value is NaN or unspecified: the node behind would change or spread it."""
    has_nan = any(is_float(array.dtype) and bool((array != array).any()) for array in frame.call.inputs.values())
    if around.after and (has_nan or frame.spec.unspecified(frame.call)):
        return False
    if not frame.call.inputs:
        return False
    x, y = next(iter(frame.call.inputs)), next(iter(frame.expected))
    given, expected = frame.call.inputs[x], frame.expected[y]
    if not (all(node.passes(given) for node in around.before) and all(node.passes(expected) for node in around.after)):
        return False
    if frame.opset < max(node.since for node in (*around.before, *around.after)):
        return False
    for node in reversed(around.before):
        between = node.between(given) if node.between else None
        frame.before(x, node.operator, given, *node.weights(given), between=between, **node.attributes(given))
    for node in around.after:
        for name, array in frame.expected.items():  # a node that removes an axis removes it from every output
            if name == y or node.between is not None:
                between = node.between(array) if node.between else None
                frame.after(name, node.operator, *node.weights(array), between=between, **node.attributes(array))
    return True


def surrounded_if_possible(frame: Frame) -> bool:
    """Put the first surroundings of the operator definition that fit, or leave the node alone."""
    any(surrounded(frame, around) for around in frame.spec.definition.surroundings)
    return True
