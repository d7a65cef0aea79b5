"""What a case must fulfil beyond its schema: one rule, one function, its docstring the rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from weakref import WeakKeyDictionary

import numpy as np
import onnx

from plumbline.cases.format.case import Case
from plumbline.cases.format.tensors import is_number
from plumbline.cases.format.tested_clauses import tried_by
from plumbline.cases.generate.scaffold import TITLE
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.specification import literal_expected

Rule = Callable[[Case], Iterator[str]]


def _differs(one: np.ndarray, other: np.ndarray, mask: np.ndarray | None = None) -> bool:
    """Whether two outputs differ in type, shape or a value outside the mask; +0 equals -0, NaN equals NaN."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return True
    differs = ~((one == other) | ((one != one) & (other != other)))
    return bool((differs if mask is None else differs & ~mask).any())


def _comparable(call: Call, spec: Spec) -> dict[str, np.ndarray | None]:
    """The outputs to compare, with the mask of what is open; those open as a whole are left out."""
    opened = spec.unspecified(call)
    return {name: opened[name].mask if name in opened else None for name in spec.outputs
            if not (name in opened and isinstance(opened[name].mask, str))}


def title_says_what_is_tried(case: Case) -> Iterator[str]:
    """Each title is a phrase of its own words: not the id, not the scaffold's, no sentence with a full stop; it begins
    with a capital letter, a number or a name of the operator's."""
    words = case.title.split()
    if case.title == TITLE or len(words) < 2 or "-".join(words).lower() == case.id:
        yield f"has the title {case.title!r}, which says nothing; say what is tried, as in 'A NaN before the maximum'"
        return
    if case.title.endswith("."):
        yield "has a title with a full stop; drop it"
    first = words[0].strip(",;:")
    names = {name for clause in load_spec(case.spec, "").clauses.values() for name in clause.section.split(".")}
    if first.isalpha() and first.islower() and first not in names | set(case.call.attributes):
        yield f"has a title that begins with {first!r}; begin with a capital letter"


def domain(case: Case) -> Iterator[str]:
    """Each case breaks exactly the clauses that it expects to break."""
    broken = {entry.clause: entry.why for entry in load_spec(case.spec, "").violations(case.call)}
    wanted = set(case.expectation.outside or ())
    for address in wanted - set(broken):
        yield f"is expected to break {address}, and keeps it; change the call, or drop it from 'outside'"
    if case.expectation.observe is None:
        for address in set(broken) - wanted:
            yield f"breaks {address} ({broken[address]}); list it under 'outside'"


def outputs_conform(case: Case) -> Iterator[str]:
    """Each expected output is one that the clauses allow."""
    if case.expectation.outputs is None or load_spec(case.spec, "").violations(case.call):
        return
    call = case.call.asking_for(*case.expectation.outputs)
    for entry in load_spec(case.spec, "").divergences(call, case.expectation.outputs):
        yield f"expects what {entry.clause} forbids: {entry.why}; plumbline explain {entry.clause} says why"


def both_oracles_agree(case: Case) -> Iterator[str]:
    """The slow oracle's outputs are those of the fast one, or, where a clause allows an error, conform under it."""
    if case.expectation.outputs is not None:
        yield from disagreements(case.spec, case.call)


def disagreements(spec_name: str, call: Call) -> Iterator[str]:
    """What the two oracles disagree on; nothing outside the domain, and nothing of what the text leaves open."""
    spec = load_spec(spec_name, "")
    masks = _comparable(call, spec) if not spec.violations(call) else {}
    if not masks:
        return
    fast, slow = spec.expected(call), literal_expected(spec_name, call)
    for entry in spec.divergences(call, slow):
        yield f"the two oracles disagree: {entry.clause}: {entry.why}"
    for name, mask in masks.items():
        if spec.exact and _differs(fast[name], slow[name], mask):
            yield f"the two oracles disagree on {name}"


def printed_values_are_overruled(case: Case) -> Iterator[str]:
    """Each value kept as printed disagrees with the clauses, by the erratum that it names."""
    if case.expectation.as_printed is None:
        return
    if not case.expectation.erratum.rpartition(".")[2].startswith("E"):
        yield f"names {case.expectation.erratum} as its erratum, which is no E clause"
    printed = case.expectation.as_printed
    values = {name: value for name, value in printed.items() if not isinstance(value, str)}
    if values and not load_spec(case.spec, "").divergences(case.call.asking_for(*values), values):
        yield "keeps values as printed that the clauses allow; drop as_printed"
    for text in (value for value in printed.values() if isinstance(value, str)):
        if is_number(text):
            yield f"keeps {text!r} as printed, which can be read as a number; drop as_printed"


def silence_is_real(case: Case) -> Iterator[str]:
    """Each case without a verdict is one that the text leaves open as a whole, or whose domain it leaves open."""
    if case.expectation.observe is None:
        return
    spec = load_spec(case.spec, "")
    opened = spec.unspecified(case.call) if not spec.violations(case.call) else {}
    if not any(isinstance(entry.mask, str) for entry in opened.values()) and not spec.may_refuse(case.call):
        yield "expects no verdict on a call that the text decides; give its outputs, or what it breaks"


def opset_fits(case: Case) -> Iterator[str]:
    """Each call inside the domain of a text on ONNX's own operators is one that a model of its opset can hold: its
    attributes and type exist there."""
    if case.expectation.outputs is None or load_spec(case.spec, "").domain != "":
        return
    if case.opset > onnx.defs.onnx_opset_version():
        yield f"has opset {case.opset}; the last that is known is {onnx.defs.onnx_opset_version()}"
        return
    try:
        schema = onnx.defs.get_schema(case.call.operator, case.opset)
    except onnx.defs.SchemaError:
        yield f"has opset {case.opset}, which has no {case.call.operator}"
        return
    foreign = sorted(set(case.call.attributes) - set(schema.attributes))
    if foreign:
        yield f"sets {', '.join(foreign)}, which opset {case.opset} does not have"
    for place, array in enumerate(case.call.inputs.values()):
        name = onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype)).lower()
        formal = schema.inputs[min(place, len(schema.inputs) - 1)]
        if f"tensor({name})" not in formal.types:
            yield f"has elements of {array.dtype.name}, which opset {case.opset} does not allow"


def clauses_are_tried(case: Case) -> Iterator[str]:
    """Each clause on calls that a case expects to break is among those it is there for, or follows from one of them."""
    spec = load_spec(case.spec, "")
    covered = set().union(*(spec.consequences(address) for address in case.clauses))
    for address in set(case.expectation.outside or ()) - covered:
        yield f"breaks {address} without being there for it; add it to 'clauses'"


def clauses_named_are_tried(case: Case) -> Iterator[str]:
    """Each clause on outputs that a case is there for is one that some wrong answer to its call would break, and each
    silence one that applies to it; see `cases.tried`."""
    spec = load_spec(case.spec, "")
    if case.expectation.outside is not None or case.generated:
        return
    found = tried_by(case)
    for address in case.clauses:
        clause = spec.clauses[address]
        if clause.kind != "erratum" and not {address, clause.restates} & found:
            yield f"names {clause.local}, which no wrong output of this call could break; drop it, or change the call"


RULES: tuple[Rule, ...] = (title_says_what_is_tried, domain, outputs_conform, both_oracles_agree,
                           printed_values_are_overruled, silence_is_real, opset_fits, clauses_are_tried,
                           clauses_named_are_tried)


def lint(case: Case) -> list[str]:
    """What is wrong with one case, one line each; [] when nothing is."""
    return [f"{case.place or case.spec}: {case.id} {problem}" for rule in RULES for problem in rule(case)]


def duplicates(cases: list[Case]) -> list[str]:
    """Each call is tried under one id and has a title of its own: a line for every case that repeats another's."""
    seen: dict[object, Case] = {}
    titles: dict[tuple[str, str], Case] = {}
    found = []
    for case in cases:
        titled = titles.setdefault((case.spec, case.title), case)
        if titled is not case:
            found.append(f"{case.place}: {case.id} has the title of {titled.id} ({titled.place}); say what differs")
        key = (case.spec, case.opset, repr(sorted(case.call.attributes.items())),
               *((name, array.dtype.str, array.shape, array.tobytes()) for name, array in case.call.inputs.items()))
        first = seen.setdefault(key, case)
        if first is not case:
            found.append(f"{case.place}: {case.id} makes the call of {first.id} ({first.place}); keep one")
    return found


_contradictions: WeakKeyDictionary[Case, str | None] = WeakKeyDictionary()


def contradiction(case: Case) -> str | None:
    """Why no backend can be judged by this case: what it expects is not what the clauses say; None when it is."""
    case = case.alone
    if case not in _contradictions:
        rules = (domain, outputs_conform, silence_is_real, opset_fits)
        _contradictions[case] = next((problem for rule in rules for problem in rule(case)), None)
    return _contradictions[case]
