"""What the texts of MaxPool and AveragePool say alike, bound once for each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from plumbline.oracle.answer import Answer, missing_output, wrong_batch_or_channel, wrong_dtype, wrong_spatial_shape
from plumbline.oracle.binding import Bindings, Wrong
from plumbline.oracle.checks import at_least, length, one_of
from plumbline.oracle.pooling import PoolCall
from plumbline.oracle.windows import Geometry


def bind_calls(bindings: Bindings, attributes: dict[str, int], types: dict[str, tuple[str, ...]]) -> None:
    """The clauses on calls.

    attributes: those of the operator, with the version that each came in.
    types:      clause on the element type of X, with the types that it allows."""

    @bindings.on_call("signature.C1")
    def attributes_of_the_version(call: PoolCall) -> str | None:
        foreign = [name for name in call.call.attributes if attributes.get(name, call.version + 1) > call.version]
        return f"version {call.version} has no attribute {', '.join(foreign)}" if foreign else None

    @bindings.on_call("auto_pad.C1")
    def auto_pad_domain(call: PoolCall) -> str | None:
        return one_of(call.call, "auto_pad", "NOTSET", ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"))

    @bindings.on_call("X.C1")
    def rank(call: PoolCall) -> str | None:
        return None if call.rank >= 1 else f"X has shape {list(call.x.shape)}: no spatial axis"

    @bindings.on_call("kernel_shape.C1")
    def kernel_domain(call: PoolCall) -> str | None:
        return at_least(call.call, "kernel_shape", call.kernel, 1)

    @bindings.on_call("strides.C1")
    def strides_domain(call: PoolCall) -> str | None:
        return at_least(call.call, "strides", call.strides, 1)

    @bindings.on_call("dilations.C1")
    def dilations_domain(call: PoolCall) -> str | None:
        return at_least(call.call, "dilations", call.dilations, 1)

    @bindings.on_call("pads.C2")
    def pads_domain(call: PoolCall) -> str | None:
        return at_least(call.call, "pads", call.pads, 0)

    @bindings.on_call("pads.C3")
    def not_with_auto_pad(call: PoolCall) -> str | None:
        both = call.auto_pad != "NOTSET" and "pads" in call.call.attributes
        return f"pads is given, and auto_pad is {call.auto_pad}" if both else None

    @bindings.on_call("kernel_shape.C2", needs=("X.C1",))
    def kernel_length(call: PoolCall) -> str | None:
        return length("kernel_shape", call.kernel, call.rank, "X has spatial axes:")

    @bindings.on_call("strides.C2", needs=("X.C1",))
    def strides_length(call: PoolCall) -> str | None:
        return length("strides", call.strides, call.rank, "X has spatial axes:")

    @bindings.on_call("dilations.C2", needs=("X.C1",))
    def dilations_length(call: PoolCall) -> str | None:
        return length("dilations", call.dilations, call.rank, "X has spatial axes:")

    @bindings.on_call("pads.C1", needs=("X.C1",))
    def pads_length(call: PoolCall) -> str | None:
        return length("pads", call.pads, 2 * call.rank, "twice the spatial axes of X is")

    for clause, allowed in types.items():
        _bind_type(bindings, clause, allowed)


def _bind_type(bindings: Bindings, clause: str, allowed: tuple[str, ...]) -> None:
    @bindings.on_call(clause)
    def element_type(call: PoolCall) -> str | None:
        return None if call.x.dtype.name in allowed else f"X is {call.x.dtype.name}"


def bind_shapes(bindings: Bindings) -> None:
    """The clauses on presence, shape and type of Y. A wrong spatial shape is charged to the formula that applies."""
    bindings.on_outputs("signature.F1")(missing_output)
    formulas = {
        "Y.C1": lambda call: call.auto_pad == "NOTSET" and not call.ceil_mode,
        "Y.C2": lambda call: call.auto_pad == "NOTSET" and bool(call.ceil_mode),
        "Y.C4": lambda call: call.auto_pad == "VALID",
        "Y.C5": lambda call: call.automatic,
    }
    for clause, applies in formulas.items():
        _bind_formula(bindings, clause, applies)
    bindings.on_outputs("Y.F3", needs=(*formulas, "Y.C3"))(wrong_batch_or_channel)

    @bindings.on_outputs("Y.F2")
    def type_of_y(answer: Answer) -> Wrong | None:
        return wrong_dtype(answer, "Y", answer.x.dtype)


def _bind_formula(bindings: Bindings, clause: str, applies: Callable[[PoolCall], bool]) -> None:
    @bindings.on_outputs(clause)
    def spatial_shape(answer: Answer) -> Wrong | None:
        return wrong_spatial_shape(answer) if applies(answer.call) else None


def bind_last_window(bindings: Bindings, outputs: tuple[str, ...]) -> None:
    """The sentence that version 22 adds on windows that start in the padding at the end."""
    _bind_formula(bindings, "Y.C3", lambda call: call.auto_pad == "NOTSET" and bool(call.ceil_mode))

    @bindings.leaves_open("Y.U4")
    def more_windows_in_the_padding(call: PoolCall) -> dict[str, object]:
        return {name: "whole" for name in outputs} if call.windows_in_the_padding else {}


def bind_silences(bindings: Bindings, outputs: tuple[str, ...], values: dict[str, str],
                  selects_nothing: Callable[[Any], np.ndarray]) -> None:
    """What both texts leave open of `outputs`.

    values: U clause on the values of an attribute, with the attribute it is about.
    selects_nothing: for a call with windows, where a window selects no element of X, in the shape of the outputs."""
    whole: dict[str, object] = {name: "whole" for name in outputs}

    @bindings.leaves_open("X.U1", refusal=True)
    def empty_axes(call: PoolCall) -> dict[str, object]:
        return whole if 0 in call.x.shape else {}

    @bindings.leaves_open("Y.U1", refusal=True)
    def no_window_fits(call: PoolCall) -> dict[str, object]:
        return {} if all(count > 0 for count in call.counts) else whole

    @bindings.leaves_open("auto_pad.U1", refusal=True)
    def negative_padding(call: PoolCall) -> dict[str, object]:
        return whole if call.automatic and any(total < 0 for total in call.same_totals) else {}

    @bindings.leaves_open("Y.U2")
    def nothing_selected(call: PoolCall) -> dict[str, object]:
        if not call.has_windows:
            return {}
        mask = selects_nothing(call)
        return {name: mask for name in outputs} if mask.any() else {}

    for clause, attribute in values.items():
        _bind_values(bindings, clause, attribute, whole)


def _bind_values(bindings: Bindings, clause: str, attribute: str, whole: dict[str, object]) -> None:
    @bindings.leaves_open(clause, refusal=True)
    def other_values(call: PoolCall) -> dict[str, object]:
        return {} if one_of(call.call, attribute, 0, (0, 1)) is None else whole


def bind_reads(bindings: Bindings) -> None:
    """The cells of the window at an element of the outputs."""
    def reads(call: PoolCall, where: tuple[int, ...]) -> np.ndarray:
        places = [place[window] for place, window in zip(call.geometry.positions(call.counts), where[2:], strict=True)]
        return np.array([(*where[:2], *cell) for cell in product(*places)])
    bindings.reads = reads


def bind_size_errata(bindings: Bindings, size: str, ceil: str) -> None:
    """The errata about sizes that both texts have: `size` on SAME against the size of X, `ceil` on floor and ceil."""

    @bindings.evidence(size)
    def same_is_not_the_size_of_x() -> str:
        formula, sentence, printed = -(-5 // 2), 5, 3
        assert formula == printed != sentence
        return f"in = 5, s = 2, SAME_UPPER: the formula gives {formula}, the sentence {sentence}, and the documented " \
               f"example (2d_precomputed_same_upper) prints {printed}"

    @bindings.evidence(ceil)
    def floor_beside_ceil() -> str:
        windows = Geometry((4,), (3,), (2,), (1,), (0,), (0,))
        floor, up, printed = windows.floor_sizes[0], -(-(4 - 3) // 2) + 1, 2
        assert up == printed != floor
        return f"in = 4, k = 3, s = 2, ceil_mode 1: the formula gives {up}, the floor would be {floor}, and the " \
               f"documented example (2d_ceil) prints {printed}"


def bind_behind_the_padding(bindings: Bindings, clause: str) -> None:
    """The erratum on windows that start behind the padding at the end."""

    @bindings.evidence(clause)
    def starts_behind() -> str:
        size, stride, end = 2, 3, 0
        start = -(-(size + end - 1) // stride) * stride
        assert start > size + end - 1 and not range(size, size + end)
        return f"in = {size}, k = 1, s = {stride}, no padding: the last window starts at {start}, and there is no " \
               "padding for it to start in"


def bind_two_forms(bindings: Bindings, clause: str, bound: int = 60) -> None:
    """The erratum on two forms for one size, checked for every size up to `bound`."""

    @bindings.evidence(clause)
    def equal_forms() -> str:
        for room, stride in product(range(bound), range(1, bound)):
            assert -(-(room + 1) // stride) == room // stride + 1
        return f"ceil((n + 1)/s) = floor(n/s) + 1 for every n below {bound} and s from 1 to {bound - 1}, with " \
               "n = in - ke for VALID and n = in - 1 for SAME"
