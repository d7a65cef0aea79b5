"""The clauses that judge a call: restrictions, and constraints on attributes and X."""

from __future__ import annotations

from plumbline.oracle.attributes import integer_list, integers, pads, spatial_rank
from plumbline.oracle.checks import at_least, length, one_of
from plumbline.oracle.clauses.sonnx.maxpool.bindings import ProfileCall, bindings

ELEMENT_TYPES = ("float16", "float32", "float64", "int8", "uint8")
ATTRIBUTES = ("auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides")
WELL_FORMED = ("kernel_shape.C1", "kernel_shape.C2", "dilations.C1", "dilations.C2", "pads.C1", "pads.C3", "strides.C1",
               "strides.C3")

@bindings.on_call("signature.C1")
def no_other_attributes(call: ProfileCall) -> str | None:
    foreign = [name for name in call.attributes if name not in ATTRIBUTES]
    return f"the operator has no attribute {', '.join(foreign)}" if foreign else None


@bindings.on_call("restrictions.R1")
def two_spatial_axes(call: ProfileCall) -> str | None:
    rank = spatial_rank(call.call)
    return None if rank == 2 else f"X has shape {list(call.x.shape)}: {max(rank, 0)} spatial axes, not 2"


@bindings.on_call("restrictions.R2")
def all_attributes_set(call: ProfileCall) -> str | None:
    absent = [name for name in ATTRIBUTES if name not in call.attributes]
    return f"not set: {', '.join(absent)}" if absent else None


@bindings.on_call("restrictions.R3")
def explicit_padding(call: ProfileCall) -> str | None:
    return one_of(call.call, "auto_pad", "NOTSET", ("NOTSET",))


@bindings.on_call("restrictions.R4")
def floor_mode(call: ProfileCall) -> str | None:
    return one_of(call.call, "ceil_mode", 0, (0,))


@bindings.on_call("restrictions.R5")
def row_major(call: ProfileCall) -> str | None:
    return one_of(call.call, "storage_order", 0, (0,))


@bindings.on_call("auto_pad.C1")
def auto_pad_domain(call: ProfileCall) -> str | None:
    return one_of(call.call, "auto_pad", "NOTSET", ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"))


@bindings.on_call("ceil_mode.C1")
def ceil_mode_domain(call: ProfileCall) -> str | None:
    return one_of(call.call, "ceil_mode", 0, (0, 1))


@bindings.on_call("kernel_shape.C1")
def kernel_shape_domain(call: ProfileCall) -> str | None:
    return at_least(call.call, "kernel_shape", integers(call.attributes.get("kernel_shape")), 1)


@bindings.on_call("kernel_shape.C2", needs=("kernel_shape.C1",))
def kernel_shape_length(call: ProfileCall) -> str | None:
    kernel = integers(call.attributes["kernel_shape"])
    return length("kernel_shape", kernel, spatial_rank(call.call), "X has spatial axes:")


@bindings.on_call("dilations.C1")
def dilations_domain(call: ProfileCall) -> str | None:
    return at_least(call.call, "dilations", integer_list(call.call, "dilations", 1), 1)


@bindings.on_call("dilations.C2", needs=("kernel_shape.C1",))
def dilations_length(call: ProfileCall) -> str | None:
    kernel = integers(call.attributes["kernel_shape"])
    if "dilations" not in call.attributes:
        return None
    return length("dilations", integer_list(call.call, "dilations", 1), len(kernel), "kernel_shape has")


@bindings.on_call("pads.C1")
def pads_length(call: ProfileCall) -> str | None:
    return length("pads", pads(call.call), 2 * max(spatial_rank(call.call), 0), "twice the spatial axes of X is")


@bindings.on_call("pads.C3")
def pads_domain(call: ProfileCall) -> str | None:
    return at_least(call.call, "pads", pads(call.call), 0)


@bindings.on_call("strides.C1")
def strides_domain(call: ProfileCall) -> str | None:
    return at_least(call.call, "strides", integer_list(call.call, "strides", 1), 1)


@bindings.on_call("strides.C3")
def strides_length(call: ProfileCall) -> str | None:
    strides = integer_list(call.call, "strides", 1)
    return length("strides", strides, max(spatial_rank(call.call), 0), "X has spatial axes:")


@bindings.on_call("X.C3")
def element_type(call: ProfileCall) -> str | None:
    dtype = call.x.dtype
    return None if dtype.name in ELEMENT_TYPES else f"X is {dtype.name}"


@bindings.on_call("Y.C3", needs=WELL_FORMED)
def positive_sizes(call: ProfileCall) -> str | None:
    sizes = call.geometry.floor_sizes
    return None if all(size >= 1 for size in sizes) else f"the spatial sizes of Y would be {list(sizes)}"


@bindings.on_call("pads.C4", needs=(*WELL_FORMED, "Y.C3"))
def every_window_meets_x(call: ProfileCall) -> str | None:
    windows = call.geometry
    empty = windows.empty_window(windows.floor_sizes)
    return f"window {empty[1]} on spatial axis {empty[0]} selects nothing but padding" if empty else None
