"""The topics of faults, and of conditions and symptoms of root causes, by rule.

A topic is a word: ``size``, ``type``, ``value:nan``, ``attribute:pads``. The topics
of a fault follow from its kind and name (`subject_of`) and from the calls that it changes: what differs between a call
as it is given and as a faulty implementation reads it, the fault is about (`altered_by`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from plumbline.backends import Request
from plumbline.cases.format.flags import OF_VALUES, flags_of
from plumbline.cases.onnx.contexts import contexts
from plumbline.oracle import Call, load_spec
from plumbline.oracle.call import is_of
from plumbline.trial.known.symptoms import GENERIC, notes
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.traits import traits_of
from plumbline.trial.run.line_builder import given_of, tensors_of
from tests.faults.calls import Item, Outputs
from tests.faults.trial import answer_of
from tests.faults.wrapper import Run, Wrapper

Topics = frozenset[str]

SHAPES = frozenset({"size", "rank", "axis", "relation", "empty"})
"""Where in a tensor something lies: without elements, axes or a second element most faults show nothing."""

NUMBERS = frozenset(f"value:{value}" for value in (*OF_VALUES, "negative", "fraction", "zero", "nonzero"))

SPECIAL = {"NaN": "nan", "-0": "zero", "zeros": "zero", "subnormal": "subnormal", "infinit": "infinite",
           "whole numbers": "fraction", "towards zero": "fraction"}
"""Words in the name of a fault of special values, and the value that it is about."""

WORDS = {
    "NaN": "value:nan", "an infinity": "value:infinite", "subnormal": "value:subnormal", "negative": "value:negative",
    "fraction": "value:fraction", "other than 0": "value:nonzero", "lowest number": "value:lowest",
    "largest finite": "value:largest", "a zero": "value:zero", "tensor of": "type", " is of ": "type",
    "no multiple": "block", "without elements": "empty", "no elements": "empty", "different shapes": "relation",
    "different ranks": "relation", "one shape": "relation",
    "without axes": "rank", "elements": "size", " axis of ": "axis", "two axes of": "axis", "axes": "rank",
    "1 axis": "rank", "inputs or more": "relation"}
"""Words in a trait and its topic; the first that is found counts."""

OBSERVED = {
    "not-nan": "value:nan", "nan": "value:nan", "infinite": "value:infinite", "lowest-finite": "value:infinite",
    "infinite-as-finite": "value:infinite", "largest-finite": "", "minus-one": "", "zero": "", "integer-zero": "",
    "no-int32": "", "other-end": "", "off-by-a-millionth": "",
    "near": "", "tiny": "", "last-place": "value:fraction", "last-places": "value:fraction",
    "other-zero": "value:zero", "other-type": "type", "flattened": "rank", "axes-exchanged": "axis",
    "other-axes-of-one": "rank"}
"""Symptoms that only describe what is seen of outputs, and what that is about; true where they hold for them all."""

EXPLAINING = {"subnormal-as-zero": "value:subnormal", "another-subnormal": "value:subnormal", "narrower": "type",
              "single-precision": "type", "saturated-single-precision": "type",
              "lower-32-bits": "type", "unsigned-as-signed": "type", "held-at-the-ends": "type",
              "in-floating-point": "type", "subnormal-inputs-as-zero": "value:subnormal inputs",
              "infinite-inputs-as-finite": "value:infinite inputs"}
"""Symptoms that say how elements became wrong, which misleads where it was otherwise."""

OF_PLACES = ("tail", "chunk", "thread", "place")
"""Kinds of faults that lie at places of the output, whatever its numbers are."""


@dataclass(frozen=True)
class Subject:
    """What a fault is about.

    about:   topics of its true condition.
    around:  topics that the condition may name besides: without them the fault does not show.
    of:      the input that it is about; "" for outputs or the whole call.
    """

    about: Topics
    around: Topics
    of: str = ""


def subject_of(wrapper: Wrapper) -> Subject:
    """Return what a fault is about, by its kind and name."""
    name, kind = wrapper.name, wrapper.kind
    of, _, what = name.rpartition(": ")
    of = "" if of == "output" or kind == "context" else of
    given = [f"given:{of}"] if of else []
    if kind in OF_PLACES:
        return Subject(frozenset({"tail": {"block"}, "chunk": {"size"}, "thread": {"size"}, "place": {"axis"}}[kind]),
                       SHAPES | ({"block"} if kind == "tail" else set()))
    if kind == "value":
        return Subject(frozenset(["type", *NUMBERS, *given]), SHAPES, of)
    if kind == "special value":
        values = {f"value:{value}" for word, value in SPECIAL.items() if word in what}
        outputs_hold = {*NUMBERS} if not of else {"value:largest", "value:lowest"} & {"value:infinite"}
        return Subject(frozenset(values), SHAPES | {"type", *given} | outputs_hold, of)
    if kind == "type":
        return Subject(frozenset({"type", "value:negative", "value:fraction", "value:largest", "value:lowest",
                                  "value:subnormal", "value:infinite"}), SHAPES | {*given}, of)
    if kind in ("type of output", "output"):
        return Subject(frozenset({"type"} if kind == "type of output" else {"empty", "outputs"}), SHAPES)
    if kind == "layout":
        octets = {"type", *NUMBERS} if "octets" in name else set()
        return Subject(SHAPES | {*given} | octets, frozenset({"value:nonzero", *(["type"] if octets else [])}), of)
    if kind == "input":
        pair = re.match(r"(\w+): (?:read from (\w+)|not read)", name)
        assert pair is not None, name
        if pair[2] is None:
            return Subject(frozenset({"relation", "given"}), SHAPES | {"type"})
        return Subject(frozenset({"relation", *(f"given:{one}" for one in pair.groups() if one)}), SHAPES | {"type"})
    if kind == "attribute":
        return Subject(frozenset({f"attribute:{name.split(' is ')[0]}", f"given:{name.split(' is ')[0]}"}), SHAPES)
    if kind == "refusal":
        return Subject(_refused(name.removeprefix("refuses ")), frozenset())
    assert kind == "context", name
    context, _, inner = name.partition(": ")
    attribute = [f"attribute:{inner.split(' is ')[0]}"] if inner.endswith("is not read") else []
    types = ["type"] if "goes through" in inner else []
    return Subject(frozenset([f"context:{context}", *types]), SHAPES | {"type", *attribute})


def _refused(what: str) -> Topics:
    fixed = {"inputs without elements": "empty", "outputs without elements": "empty", "scalars": "rank",
             "NaN": "value:nan", "infinities": "value:infinite", "inputs of different rank": "relation",
             "inputs of different shape": "relation", "more than one batch": "axis", "more than 1,024 elements": "size"}
    if what in fixed:
        return frozenset([fixed[what]])
    if re.fullmatch(r"inputs of \d+ axes", what):
        return frozenset(["rank"])
    if re.fullmatch(r"b?u?(int|float|bool)\w*|complex\w*|object|bytes|str", what):
        return frozenset(["type"])
    name = re.sub(r"^negative | left out$| of \w+$", "", what)
    return frozenset([f"attribute:{name}", f"given:{name}"])


@dataclass(frozen=True)
class Named:
    """The topic of a condition, and the input if it names one."""

    topic: str
    of: str | None = None

    @property
    def topics(self) -> set[str]:
        """Of the values that are named together all."""
        return {self.topic, "value:zero"} if self.topic == "value:negative" else {self.topic}


def named_by(condition: str, line: CaseLine) -> Named:
    """Return the topic of a condition (flag or trait) of a line; topic "" for a flag of the definition alone."""
    if condition.startswith("["):
        return Named("outputs")
    inputs = list(line.call.inputs) if line.call else []
    if condition in {line.dtype, *(tensor.partition("[")[0] for tensor in line.tensors.values())}:
        return Named("type")
    value, _, of = condition.partition("-in-")
    if value in OF_VALUES or value == "empty":
        return Named("empty" if value == "empty" else f"value:{value}", of or (inputs[0] if inputs else None))
    if condition.startswith("in-") and condition.removeprefix("in-") in contexts():
        return Named("context:" + condition.removeprefix("in-"))
    if condition == "overflow":
        return Named("value:infinite")
    if " " not in condition:
        return Named("")
    has = re.fullmatch(r"the call has (?:no |a |an )?(?:negative )?(\w+)(?: with .*|=.*)?", condition)
    if has and has[1] != "input" and not any(is_of(has[1], name) for name in load_spec(line.spec).inputs):
        return Named(f"attribute:{has[1]}")
    if has and condition in (f"the call has {has[1]}", f"the call has no {has[1]}"):
        return Named(f"given:{has[1]}")
    topic = next((topic for word, topic in WORDS.items() if word in condition), "")
    of = re.match(r"(\w+) (?:holds|has|is) ", condition)
    return Named(topic, of[1] if of and of[1] in inputs else None)


def altered_by(wrapper: Wrapper, run: Run, items: Iterable[tuple[Item, Outputs]]) -> set[str]:
    """Return what differs between calls as they are given and as a faulty implementation reads them: flags and traits.

    Calls come with their right outputs."""
    names = set[str]()
    for item, honest in items:
        read = list[Request]()

        def listening(request: Request, read: list[Request] = read) -> Outputs:
            read.append(request)
            return run(request)

        answer_of(wrapper.spoils, listening, item.request, honest)
        names.update(*(_described(item, item.request) ^ _described(item, request) for request in read))
    return names


def applies(wrapper: Wrapper, item: Item, honest: Outputs) -> bool:
    """Return True if a call has what a fault is about, though its numbers may be such that nothing shows.

    Places in outputs are asked with other numbers, all different and none of them zero."""
    if wrapper.kind == "type":
        of, _, types = wrapper.name.rpartition(": ")
        tensors = honest if of == "output" else {name: x for name, x in item.request.inputs.items() if name == of}
        return any(types.startswith(f"{x.dtype.name} goes") for x in map(np.asarray, tensors.values()))
    marked = honest if wrapper.kind not in OF_PLACES else {
        name: (np.arange(array.size) % 120 + 1).reshape(array.shape) for name, array in honest.items()}
    read = list[Request]()

    def listening(request: Request) -> Outputs:
        read.append(request)
        return marked

    given = answer_of(wrapper.spoils, listening, item.request, marked)
    return bool(read) or isinstance(given, Exception) or not is_same(marked, given)


def is_same(honest: Outputs, given: Outputs) -> bool:
    """Return True if outputs have the same types, shapes and bits."""
    return honest is given or honest.keys() == given.keys() and all(
        np.asarray(given[name]).dtype == np.asarray(array).dtype
        and np.asarray(given[name]).shape == np.asarray(array).shape
        and np.asarray(given[name]).tobytes() == np.asarray(array).tobytes() for name, array in honest.items())


def _described(item: Item, request: Request) -> set[str]:
    call = Call(request.operator, dict(request.attributes), dict(request.inputs), request.outputs)
    try:
        flags = set(flags_of(item.spec, call))
    except Exception:  # a call that means nothing has no flags
        flags = set()
    told = tensors_of(call, {})
    given = given_of(request.attributes)
    return flags | {*traits_of(told["tensors"], {}, given, flags, told["holds"])}


def symptom_topics(symptom: str) -> tuple[Topics, bool, bool]:
    """Return the topic of a symptom, whether it says more than what is seen, and whether it blames inputs."""
    if symptom in OBSERVED or not symptom:
        return frozenset(filter(None, [OBSERVED.get(symptom)])), False, False
    if symptom in EXPLAINING:
        topic, _, inputs = EXPLAINING[symptom].partition(" ")
        return frozenset([topic]), True, bool(inputs)
    assert symptom not in GENERIC, symptom
    note = notes().get(symptom, "")
    words = {"NaN": "value:nan", "infini": "value:infinite", "subnormal": "value:subnormal", "float32": "type",
             "zero of the": "value:zero", "int8": "type", "16 bits": "type", "channels": "axis"}
    return frozenset(topic for word, topic in words.items() if word in note) | {
        f"attribute:{word}" for word in re.findall(r"\w+", note)}, True, False
