"""Contexts: ways to run a call that must not change its answer.

Hardly anybody runs a model of one node and fixed sizes. In a context, sizes are unknown, inputs are constants, nodes
surround the node that a runtime may merge with it, or the runtime is configured differently. The surrounding nodes are
exact, so the specification still defines the outputs. A backend declares the contexts that it supports; operator
definitions name surrounding nodes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby, islice
from typing import Any

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.cases.format.disk_cache import DiskCache, digest_of
from plumbline.cases.onnx import context_models as models
from plumbline.cases.onnx.frame import Frame
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.discovery import folders
from plumbline.oracle.families.surroundings import OF_SUITE
from plumbline.oracle.foreign_code import guarded
from plumbline.oracle.specification import definitions
from plumbline.processes.copies import shared

FEW = ("quantized", "quantized-signed", "weights")
"""Contexts that fit few calls, apart from those of surrounding nodes."""

NEIGHBOURS = "neighbours"
"""A name for all contexts of surrounding nodes, also of definitions that are added later."""


@dataclass(frozen=True)
class Context:
    """A way to run a call.

    note:     what the context is, in a sentence; then why.
    settings: what an adapter is told; see `plumbline.backends.request`.
    build:    builds the model around the node.
    """

    name: str
    note: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    build: models.Build = models.alone

    def frame(self, spec: Spec, call: Call, opset: int,
              expected: Mapping[str, np.ndarray] | None = None, built: bytes | None = None) -> Frame | None:
        """Return the model of a call in this context, with its inputs, None if the call does not fit.

        `expected` are its canonical outputs and `built` its model outside contexts, if known. Raises OutsideDomain if
        outputs are needed and do not exist."""
        frame = Frame(spec, call, opset, expected, built)
        if self.build is models.alone:
            return frame
        return frame if spec.domain is not None and call.inputs and self.build(frame) else None


GENERIC = (
    Context("open-sizes", "The model does not state the sizes of its inputs. A runtime cannot plan for known sizes.",
            build=models.unknown_sizes),
    Context("constants", "The inputs are constants of the model. A runtime computes the answer when it loads the "
            "model.", build=models.constants),
    Context("weights", "Every input but the first is a constant of the model. A runtime rewrites nodes by the values "
            "of constants.", build=models.weights),
    Context("transposed", "Inputs and outputs are transposed before and after the node. A runtime moves "
            "transpositions through nodes, and cancels inverse ones.", build=models.transposed),
    Context("cast", "The inputs are cast from a wider type, the outputs to one and back. A runtime removes pairs of "
            "casts.", build=models.cast),
    Context("quantized", "The node stands between a dequantisation from uint8 and a quantisation to it. A runtime "
            "merges them with the node into an integer kernel.", build=partial(models.quantized, dtype="uint8")),
    Context("quantized-signed", "The node stands between a dequantisation from int8 and a quantisation to it. A "
            "runtime merges them with the node into an integer kernel.",
            build=partial(models.quantized, dtype="int8")),
    Context("threads", "The runtime uses several threads. It then splits the work.", {"threads": 4}),
    Context("unoptimized", "The runtime is told not to rewrite the graph. It may then choose other kernels.",
            {"optimization": "none"}),
    Context("basic", "The runtime is told to rewrite the graph a little.", {"optimization": "basic"}),
    Context("own-precision", "The runtime may compute in a precision of its choice, also the nodes before the node.",
            {"precision": "own"}, models.surrounded_if_possible),
    Context("strided", "The inputs are not contiguous in memory. A runtime that does not copy them must step.",
            {"layout": "strided"}),
    Context("channels-last", "The inputs have their channels, or their rows, last in memory. A runtime that does not "
            "copy them may have kernels for that.", {"layout": "channels-last"}),
    Context("again", "The model has computed something else before. Nothing of that may show.", {"before": "others"}),
    Context("again-open-sizes", "The sizes are not stated, and the model has computed something larger before. A "
            "runtime reuses the memory that it planned for that.", {"before": "larger"}, models.unknown_sizes),
)
"""The contexts of any operator."""


@cache
def contexts() -> dict[str, Context]:
    """Return every context by name: the generic ones, then those of operator definitions."""
    own = definitions() if folders() else []  # reading those of the suite would take a tenth of a second
    surroundings = {around.name: around for arounds in (OF_SUITE, *(definition.surroundings for _, definition in own))
                    for around in arounds}
    of_definitions = (Context(name, around.note, build=partial(models.surrounded, around=around))
                      for name, around in surroundings.items())
    return {context.name: context for context in (*GENERIC, *of_definitions)}


def contexts_named(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of contexts, `NEIGHBOURS` expanded. Raises ValueError for an unknown name."""
    asked = list(names)
    known: dict[str, tuple[str, ...]] = {name: (name,) for name in contexts()}
    known[NEIGHBOURS] = tuple(name for name in known if name not in {context.name for context in GENERIC})
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise ValueError(f"there is no context {unknown[0]!r}{did_you_mean(unknown[0], known)}; there are "
                         f"{', '.join(known)}")
    return tuple(dict.fromkeys(expanded for name in asked for expanded in known[name]))


def notes() -> dict[str, str]:
    """Return the note of each context, by its flag."""
    return {flag(name): context.note for name, context in contexts().items()}


def flag(name: str) -> str:
    """Return the flag for a context among the conditions of a finding."""
    return f"in-{name}"


def in_context(case: Case, name: str) -> Case | None:
    """Return a case in a context, None if it does not fit. Raises KeyError for an unknown context."""
    known = None if case.place and not case.expectation.computed else case.expectation.outputs
    frame = contexts()[name].frame(load_spec(case.spec), case.call, case.opset, known)
    if frame is None:
        return None
    return case.within(name)


def in_contexts(cases: Sequence[Case], names: Sequence[str], most: int = 1) -> Iterator[Case]:
    """Yield cases in contexts, each in at most `most`, or in all if its entry says so.

    Only valid cases of the newest version of a specification run in contexts; large outputs and half of the generated
    cases do not. The id decides which contexts: for half of the ids, contexts that fit few calls come first."""
    for case in cases if names else ():
        spec = load_spec(case.spec)
        if case.expectation.outputs is None or not spec.is_newest or case.gives_large:
            continue
        number = zlib.crc32(f"{case.spec} {case.id}".encode())
        if case.generated and number >> 16 & 1:  # a bit that does not decide which context it is
            continue
        few, many = _few_and_many(spec, tuple(names))
        first = _rotated(few, number // 2) if number % 2 or case.in_all else []
        candidates = (in_context(case, name) for name in [*first, *_rotated(many, number // 2)])
        yield from islice((fitting for fitting in candidates if fitting is not None), None if case.in_all else most)


def with_contexts(cases: Sequence[Case], names: Sequence[str], most: int = 1) -> Iterator[Case]:
    """Yield the cases, each followed by itself in contexts, so that its judged call is still cached."""
    for case in cases:
        yield case
        yield from in_contexts([case], names, most)


def cached_with_contexts(cases: Sequence[Case], names: Sequence[str], most: int, cache: DiskCache | None,
                         depends_on: str, processes: int = 1) -> list[Case]:
    """Return each case, followed by itself in at most `most` of the contexts `names`.

    cache:      where the choice of contexts is read and kept, None for nowhere.
    depends_on: digest of the cases and what they depend on; "" keeps nothing.
    processes:  how many choose contexts at once."""
    name = f"contexts-{digest_of(depends_on, list(names), most)}"
    entry = cache.read(name) if cache is not None and depends_on else None
    if entry is not None and len(entry[0]["contexts"]) == len(cases):
        chosen = entry[0]["contexts"]
    else:
        parts = [list(part) for _, part in groupby(cases, lambda case: case.spec.partition("@")[0])]
        chosen = [of_case for part in shared(partial(_chosen, names, most), parts, processes, guarded)
                  for of_case in part]
        if cache is not None and depends_on:
            cache.write(name, {"contexts": chosen}, b"")
    return [each for case, its_own in zip(cases, chosen, strict=True) for each in (case, *map(case.within, its_own))]


def _chosen(names: Sequence[str], most: int, cases: Sequence[Case]) -> list[list[str]]:
    return [[each.context for each in in_contexts([case], names, most)] for case in cases]


def in_one_of(case: Case, names: Sequence[str], number: int) -> Case:
    """Return the case in the first context that fits, from place `number` on; "alone" is one of them."""
    few, many = _few_and_many(load_spec(case.spec), tuple(names))
    candidates = (in_context(case, name) if name else case for name in _rotated([*few, *many, ""], number))
    return next(fitting for fitting in candidates if fitting is not None)


@cache
def _few_and_many(spec: Spec, names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the contexts of an operator, of those named: those that fit few calls, and the others."""
    generic = [name for name in names if any(name == context.name for context in GENERIC)]
    few = [name for name in generic if name in FEW]
    return ([*few, *(around.name for around in spec.definition.surroundings if around.name in names)],
            [name for name in generic if name not in few])


def _rotated(names: Sequence[str], number: int) -> list[str]:
    start = number % len(names) if names else 0
    return [*names[start:], *names[:start]]
