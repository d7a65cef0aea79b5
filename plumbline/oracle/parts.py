"""Cut parts out of calls that are too large to show or try whole."""

from __future__ import annotations

from math import prod

from plumbline.oracle.call import Call
from plumbline.oracle.slices import cut_inputs
from plumbline.oracle.specification import Spec
from plumbline.oracle.type_names import bytes_of


def narrowed(spec: Spec, call: Call, place: tuple[int, ...]) -> tuple[Call, tuple[slice, ...]]:
    """Return the smallest part of a call that gives one element, and its slices of the output.

    `place` is the index of the element in the only output of a valid call. The call itself if it cannot be cut."""
    where = [slice(None)] * len(place)
    for axis in sorted(spec.definition(call, spec.opset).slices()):
        inputs = spec.definition(call, spec.opset).slices()[axis]
        where[axis] = slice(place[axis], place[axis] + 1)
        call = cut_inputs(call, inputs, where[axis])
    cropped = spec.definition(call, spec.opset).cropped(place)
    if cropped is not None and not spec.violations(cropped):
        alone = tuple(slice(at, at + 1) for at in place)
        within = tuple(slice(0, 1) if cut != slice(None) else one for cut, one in zip(where, alone, strict=True))
        (name, wanted), = spec.expected(call).items()
        if bytes_of(spec.expected(cropped)[name]) == bytes_of(wanted[within]):
            return cropped, alone
    return call, tuple(where)


def begun(spec: Spec, call: Call, most: int) -> Call:
    """Return a part of a valid call with larger tensors that gives the beginning of its outputs, at
    least two along each axis that is cut; the call itself where it cannot be cut."""
    for axis in sorted(spec.definition(call, spec.opset).slices()):
        definition = spec.definition(call, spec.opset)
        inputs, shape = definition.slices()[axis], definition.shape_of(spec.outputs[0])
        size = max([prod(shape), *(call.inputs[name].size for name in inputs)])
        if size > most and shape[axis] > 2:
            call = cut_inputs(call, inputs, slice(0, max(most * shape[axis] // size, 2)))
    return call
