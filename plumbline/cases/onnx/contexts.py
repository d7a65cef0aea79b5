"""Contexts: ways of putting a call that must not change its answer.

A call alone in a model of fixed sizes is what hardly anybody runs. In a context its sizes are left open, its inputs are
constants, it stands between nodes that a runtime merges with it, or the runtime is told to work otherwise. Whatever
surrounds the node is exact, so that the text still says what comes out. A backend declares the contexts that it takes;
those of neighbours are told by the definitions of operators.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from typing import Any

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.cases.format.disk_cache import DiskCache, digest_of
from plumbline.cases.onnx.frame import Frame
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.response import is_float
from plumbline.oracle.size_classes import is_large
from plumbline.oracle.specification import definitions
from plumbline.oracle.surrounding_nodes import Surroundings

FEW = ("quantized", "quantized-signed", "weights")
"""Contexts that few calls can be put in, beside those of neighbours."""

NEIGHBOURS = "neighbours"
"""A name for all contexts of neighbours, also of definitions that are added later."""

WIDER = {"float16": "float32", "bfloat16": "float32", "float32": "float64", "int8": "int32", "uint8": "int32",
         "int16": "int32", "uint16": "int32", "int32": "int64", "uint32": "int64", "bool": "int32"}
"""A type that has every value of another."""

Build = Callable[[Frame], bool]
"""Builds the model around the node; whether that could be done."""


def _nothing(frame: Frame) -> bool:
    return True


@dataclass(frozen=True)
class Context:
    """A way of putting a call.

    note:     what it is, in a sentence; then why.
    settings: what an adapter is told; see `backends.request`.
    build:    builds the model around the node.
    """

    name: str
    note: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    build: Build = _nothing

    def frame(self, spec: Spec, call: Call, opset: int,
              expected: Mapping[str, np.ndarray] | None = None) -> Frame | None:
        """The model of the call in this context, with its inputs; None where the call cannot be put so. `expected` are
        its canonical outputs, where they are at hand. Raises OutsideDomain where these are needed and there are none.
        """
        frame = Frame(spec, call, opset, expected)
        if self.build is _nothing:
            return frame
        return frame if spec.domain is not None and call.inputs and self.build(frame) else None


def _open(frame: Frame) -> bool:
    frame.leave_sizes_open()
    return True


def _constants(frame: Frame) -> bool:
    for name in list(frame.inputs):
        frame.make_constant(name)
    return True


def _weights(frame: Frame) -> bool:
    for name in list(frame.inputs)[1:]:
        frame.make_constant(name)
    return len(frame.call.inputs) > 1


def _transposed(frame: Frame) -> bool:
    """Every input and output of two axes or more with its channels, or its rows, last."""
    moved = False
    for name, array in frame.call.inputs.items():
        if array.ndim > 1:
            there, back = _last(array.ndim)
            frame.before(name, "Transpose", array.transpose(there), perm=back)
            moved = True
    for name, array in frame.expected.items():
        if array.ndim > 1:
            there, back = _last(array.ndim)
            frame.after(name, "Transpose", perm=there)
            frame.after(name, "Transpose", perm=back)
    return moved


def _last(axes: int) -> tuple[list[int], list[int]]:
    """The order that brings the second axis behind the others, and the one that brings it back."""
    there = [0, *range(2, axes), 1] if axes > 2 else [1, 0]
    return there, [there.index(axis) for axis in range(axes)]


def _cast(frame: Frame) -> bool:
    """The inputs from a wider type, the outputs to a wider one and back."""
    if frame.opset < 6:
        return False
    cast = False
    for name, array in frame.call.inputs.items():
        wide = WIDER.get(array.dtype.name)
        if wide is not None:
            frame.before(name, "Cast", array.astype(wide), to=frame.element(array.dtype))
            cast = True
    for name, array in frame.expected.items():
        wide = WIDER.get(array.dtype.name)
        if wide is not None:
            frame.after(name, "Cast", to=frame.element(np.dtype(wide)))
            frame.after(name, "Cast", to=frame.element(array.dtype))
    return cast


def _quantized(frame: Frame, dtype: str) -> bool:
    """float32 values that are whole multiples of a power of two, few enough for 8 bits, as such; Y too, where rounding
    to the nearest multiple undoes what its text lets an answer be off by. What is left open may not be in 8 bits."""
    info = np.iinfo(dtype)
    zero = np.array((info.min + info.max + 1) // 2, dtype)
    first, *rest = frame.call.inputs
    y = next(iter(frame.expected))
    scales = {name: _scale(array) for name, array in (*frame.call.inputs.items(), (y, frame.expected[y]))}
    if frame.opset < 10 or scales[first] is None or scales[y] is None or frame.tolerance(y) >= scales[y] / 4:
        return False
    if frame.spec.unspecified(frame.call):
        return False
    for name in (first, *rest):
        array, scale = frame.call.inputs[name], scales[name]
        if scale is None:
            continue
        frame.before(name, "DequantizeLinear", (np.rint(array / scale) + int(zero)).astype(dtype),
                     np.array(scale, np.float32), zero)
        if name != first:
            frame.make_constant(name)
    frame.after(y, "QuantizeLinear", np.array(scales[y], np.float32), zero)
    frame.after(y, "DequantizeLinear", np.array(scales[y], np.float32), zero)
    return True


def _scale(array: np.ndarray) -> float | None:
    """The largest power of two that a float32 array is whole multiples of, none beyond 127; None where there is none,
    and for -0, which an integer cannot tell."""
    if array.dtype != np.float32 or not array.size or not np.isfinite(array).all():
        return None
    if (np.signbit(array) & (array == 0)).any():
        return None
    largest = float(np.abs(array).max())
    if not largest:
        return 1.0
    for power in range(int(np.floor(np.log2(largest))), -60, -1):
        whole = array / np.float32(2.0 ** power)
        if np.abs(whole).max() > 127:
            return None
        if (whole == np.rint(whole)).all():
            return 2.0 ** power
    return None


def _beside(frame: Frame, around: Surroundings) -> bool:
    """What is wrong about a NaN would look otherwise behind another node, and what is left open would spread there."""
    spoilt = any(is_float(array.dtype) and bool((array != array).any()) for array in frame.call.inputs.values())
    if around.after and (spoilt or frame.spec.unspecified(frame.call)):
        return False
    x, y = next(iter(frame.call.inputs)), next(iter(frame.expected))
    given, found = frame.call.inputs[x], frame.expected[y]
    if not all(each.passes(given) for each in around.before) or not all(each.passes(found) for each in around.after):
        return False
    if frame.opset < max(each.since for each in (*around.before, *around.after)):
        return False
    for each in reversed(around.before):
        between = each.between(given) if each.between else None
        frame.before(x, each.operator, given, *each.weights(given), between=between, **each.attributes(given))
    for each in around.after:
        for name, array in frame.expected.items():  # what takes something away takes it from every output
            if name == y or each.between is not None:
                between = each.between(array) if each.between else None
                frame.after(name, each.operator, *each.weights(array), between=between, **each.attributes(array))
    return True


def _where_invited(frame: Frame) -> bool:
    """In the first neighbourhood of the definition that there can be; alone where there is none."""
    any(_beside(frame, around) for around in frame.spec.definition.surroundings)
    return True


GENERIC = tuple(Context(*entry) for entry in (
    ("open-sizes", "The model leaves the sizes of its inputs open. What is planned for known sizes is then not.", {},
     _open),
    ("constants", "The inputs are constants of the model. A runtime computes the answer before it is asked.", {},
     _constants),
    ("weights", "Every input but the first is a constant of the model. Nodes are rewritten by what they hold.", {},
     _weights),
    ("transposed", "Inputs and outputs are transposed before and after the node. A transposition is moved through "
     "nodes, and cancelled with its inverse.", {}, _transposed),
    ("cast", "The inputs are cast from a wider type, the outputs to one and back. Pairs of casts are taken away.", {},
     _cast),
    ("quantized", "The node stands between a dequantisation from uint8 and a quantisation to it, which are merged with "
     "the node into one of integers.", {}, partial(_quantized, dtype="uint8")),
    ("quantized-signed", "The node stands between a dequantisation from int8 and a quantisation to it, which are "
     "merged with the node into one of integers.", {}, partial(_quantized, dtype="int8")),
    ("threads", "The runtime works in several threads. Work is then cut into parts.", {"threads": 4}),
    ("unoptimized", "The runtime is told not to rewrite the graph. It may choose other kernels then.",
     {"optimization": "none"}),
    ("basic", "The runtime is told to rewrite the graph a little.", {"optimization": "basic"}),
    ("own-precision", "The runtime may compute in the precision that it chooses itself, also what stands before the "
     "node.", {"precision": "own"}, _where_invited),
    ("strided", "The inputs do not lie together in memory. A runtime that takes them as they are must step.",
     {"layout": "strided"}),
    ("channels-last", "The inputs lie in memory with their channels, or their rows, last. A runtime that takes them as "
     "they are may have kernels of their own for that.", {"layout": "channels-last"}),
    ("again", "The model has computed something else before. What is left of that must not show.",
     {"before": "others"}),
    ("again-open-sizes", "The sizes are open, and the model has computed something larger before. Memory planned for "
     "that is used once more.", {"before": "larger"}, _open),
))
"""Those of any operator."""


@cache
def contexts() -> dict[str, Context]:
    """Every context by its name: the generic ones, then those of the definitions."""
    of_definitions = {each.name: each for _, definition in definitions() for each in definition.surroundings}
    return {each.name: each for each in (
        *GENERIC, *(Context(name, each.note, {}, partial(_beside, around=each))
                    for name, each in of_definitions.items()))}


def contexts_named(names: Iterable[str]) -> tuple[str, ...]:
    """The contexts of these names, of which one may be `NEIGHBOURS`. Raises ValueError for a name of none."""
    asked, known = list(names), {name: (name,) for name in contexts()}
    known[NEIGHBOURS] = tuple(name for name in known if name not in {each.name for each in GENERIC})
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise ValueError(f"there is no context {unknown[0]!r}; there are {', '.join(known)}")
    return tuple(dict.fromkeys(each for name in asked for each in known[name]))


def notes() -> dict[str, str]:
    """What each is, by the flag that stands for it among the conditions of a finding."""
    return {flag(name): each.note for name, each in contexts().items()}


def flag(name: str) -> str:
    """The flag that stands for a context."""
    return f"in-{name}"


def in_context(case: Case, name: str) -> Case | None:
    """A case with outputs in a context, with an id of its own; None where it cannot be put so. Raises KeyError."""
    known = None if case.place and not case.expectation.computed else case.expectation.outputs
    frame = contexts()[name].frame(load_spec(case.spec), case.call, case.opset, known)
    if frame is None:
        return None
    return case.within(name)


def in_contexts(cases: Sequence[Case], names: Sequence[str], most: int = 1) -> Iterator[Case]:
    """The cases inside the domain of the newest version of each text, but for those of a large output and for every
    other one that is made, each in at most so many contexts, or in all where it asks for that. Which ones depends on
    its name; those that few calls can be put in come first every other time."""
    for case in cases if names else ():
        spec = load_spec(case.spec)
        outputs = case.expectation.outputs
        if outputs is None or not spec.is_newest or any(is_large(output.shape) for output in outputs.values()):
            continue
        number = zlib.crc32(f"{case.spec} {case.id}".encode())
        if case.generated and number >> 16 & 1:  # a bit that has no part in which context it is
            continue
        few, many = _of(spec, tuple(names))
        first = _from(few, number // 2) if number % 2 or case.in_all else []
        found = (in_context(case, name) for name in [*first, *_from(many, number // 2)])
        yield from islice((each for each in found if each is not None), None if case.in_all else most)


def with_contexts(cases: Sequence[Case], names: Sequence[str], most: int = 1) -> Iterator[Case]:
    """The cases, each followed by itself in contexts: what was found out about a call is at hand for the next."""
    for case in cases:
        yield case
        yield from in_contexts([case], names, most)


def cached_with_contexts(cases: Sequence[Case], names: Sequence[str], most: int, cache: DiskCache | None,
                         depends_on: str) -> list[Case]:
    """The same, read from `cache` where it is there; `depends_on` is a digest of the cases and what they depend on."""
    name = f"contexts-{digest_of(depends_on, list(names), most)}"
    entry = cache.read(name) if cache is not None and depends_on else None
    if entry is not None and len(entry[0]["contexts"]) == len(cases):
        return [each for case, chosen in zip(cases, entry[0]["contexts"], strict=True)
                for each in (case, *map(case.within, chosen))]
    chosen: list[list[str]] = []
    every: list[Case] = []
    for each in with_contexts(cases, names, most):
        every.append(each)
        if each.context:
            chosen[-1].append(each.context)
        else:
            chosen.append([])
    if cache is not None and depends_on:
        cache.write(name, {"contexts": chosen}, b"")
    return every


def in_one_of(case: Case, names: Sequence[str], number: int) -> Case:
    """The case in one of these contexts, or alone: the first from place `number` on that it can be put in."""
    places = [*_of(load_spec(case.spec), tuple(names))[0], *_of(load_spec(case.spec), tuple(names))[1], ""]
    found = (in_context(case, name) if name else case for name in _from(places, number))
    return next(each for each in found if each is not None)


@cache
def _of(spec: Spec, names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The contexts of an operator among some: those that few calls can be put in, and the others."""
    generic = [name for name in names if any(name == each.name for each in GENERIC)]
    few = [name for name in generic if name in FEW]
    return ([*few, *(each.name for each in spec.definition.surroundings if each.name in names)],
            [name for name in generic if name not in few])


def _from(names: Sequence[str], number: int) -> list[str]:
    start = number % len(names) if names else 0
    return [*names[start:], *names[:start]]
