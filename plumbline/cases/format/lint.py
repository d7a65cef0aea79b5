"""Check cases by rules beyond their schema: a function each.

The docstring of a function states its rule; the function yields the problems of a case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from weakref import WeakKeyDictionary

import numpy as np
import onnx

from plumbline.cases.format.case import Case
from plumbline.cases.format.tensors import is_number
from plumbline.cases.format.tested_clauses import tried_by
from plumbline.cases.format.writing import TITLE
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.specification import reference_expected
from plumbline.oracle.type_names import bytes_of, name_of

Rule = Callable[[Case], Iterator[str]]

VERSION = re.compile(r"(?<=[a-z0-9])@(\d+)\b")
"""The version of a specification in a message."""


def _differs(first: np.ndarray, second: np.ndarray, mask: np.ndarray | None = None) -> bool:
    """Return whether two outputs differ in type, shape, or a value outside the mask.

    +0 equals -0, and NaN equals NaN."""
    if first.dtype != second.dtype or first.shape != second.shape:
        return True
    differs = ~((first == second) | ((first != first) & (second != second)))
    return bool((differs if mask is None else differs & ~mask).any())


def _comparable(call: Call, spec: Spec) -> dict[str, np.ndarray | None]:
    """Return the outputs to compare, each with the mask of its unspecified elements.

    Outputs that are unspecified as a whole are left out."""
    masks = {name: entry.mask for name, entry in spec.unspecified(call).items()}
    comparable: dict[str, np.ndarray | None] = {}
    for name in spec.outputs_of(call):
        mask = masks.get(name)
        if not isinstance(mask, str):
            comparable[name] = mask
    return comparable


def title_says_what_is_tried(case: Case) -> Iterator[str]:
    """A title is a phrase that says what the case tests.

    It does not repeat the id, is not that of the scaffold, has no full stop, and begins with a capital letter, a number
    or a name of the operator."""
    words = case.title.split()
    if case.title == TITLE or len(words) < 2 or "-".join(words).lower() == case.id:
        yield f"has the title {case.title!r}, which says nothing; say what it tests, as in 'A NaN before the maximum'"
        return
    if case.title.endswith("."):
        yield "has a title with a full stop; drop it"
    first = words[0].strip(",;:")
    names = {name for clause in load_spec(case.spec, "").clauses.values() for name in clause.section.split(".")}
    if first.isalpha() and first.islower() and first not in names | set(case.call.attributes):
        yield f"has a title that begins with {first!r}; begin with a capital letter"


def domain(case: Case) -> Iterator[str]:
    """A case breaks exactly the clauses that it expects to break."""
    broken = {entry.clause: entry.why for entry in load_spec(case.spec, "").violations(case.call)}
    wanted = set(case.expectation.outside or ())
    for address in wanted - set(broken):
        yield f"is expected to break {address}, but keeps it; change the call, or drop the clause from 'outside'"
    for address in set(broken) - wanted:
        yield f"breaks {address} ({broken[address]}); list it under 'outside'"


def outputs_conform(case: Case) -> Iterator[str]:
    """The clauses allow each expected output."""
    if case.expectation.outputs is None or load_spec(case.spec, "").violations(case.call):
        return
    call = case.call.asking_for(*case.expectation.outputs)
    for entry in load_spec(case.spec, "").divergences(call, case.expectation.outputs):
        yield f"expects what {entry.clause} forbids: {entry.why}; see plumbline explain {entry.clause}"


def both_oracles_agree(case: Case) -> Iterator[str]:
    """The reference oracle and the fast oracle agree.

    Their outputs are equal, or, where a clause allows an error, those of the reference conform."""
    if case.expectation.outputs is not None:
        yield from disagreements(case.spec, case.call)


def disagreements(spec_name: str, call: Call) -> Iterator[str]:
    """Yield what the two oracles disagree on. They are not compared outside the domain, nor on what is unspecified."""
    spec = load_spec(spec_name, "")
    masks = _comparable(call, spec) if not spec.violations(call) else {}
    if not masks:
        return
    fast, reference = spec.expected(call), reference_expected(spec_name, call)
    for entry in spec.divergences(call, reference):
        yield f"the two oracles disagree: {entry.clause}: {entry.why}"
    for name, mask in masks.items():
        if spec.exact and _differs(fast[name], reference[name], mask):
            yield f"the two oracles disagree on {name}"


def printed_values_are_overruled(case: Case) -> Iterator[str]:
    """The clauses forbid each value under `as_printed`, and `erratum` is an E clause."""
    printed, erratum = case.expectation.as_printed, case.expectation.erratum
    if printed is None or erratum is None:
        return
    if not erratum.rpartition(".")[2].startswith("E"):
        yield f"names {erratum} as its erratum, which is no E clause"
    values = {name: value for name, value in printed.items() if not isinstance(value, str)}
    if values and not load_spec(case.spec, "").divergences(case.call.asking_for(*values), values):
        yield "keeps values as printed that the clauses allow; drop as_printed"
    for text in (value for value in printed.values() if isinstance(value, str)):
        if is_number(text):
            yield f"keeps {text!r} as printed, which can be read as a number; drop as_printed"


def observed_is_unspecified(case: Case) -> Iterator[str]:
    """A case without a verdict has an output, or a domain, that is unspecified as a whole."""
    spec = load_spec(case.spec, "")
    if case.expectation.observe is None or spec.violations(case.call):
        return
    unspecified = spec.unspecified(case.call)
    if not any(isinstance(entry.mask, str) for entry in unspecified.values()) and not spec.may_refuse(case.call):
        yield "expects no verdict on a call that the specification defines; give its outputs, or what it breaks"


def opset_fits(case: Case) -> Iterator[str]:
    """A model of the case's opset can hold its call: attributes and types exist there.

    Only for ONNX's own operators, inside the domain."""
    if case.expectation.outputs is None or load_spec(case.spec, "").domain != "":
        return
    if case.opset > onnx.defs.onnx_opset_version():
        yield f"has opset {case.opset}; the last known opset is {onnx.defs.onnx_opset_version()}"
        return
    try:
        schema = onnx.defs.get_schema(case.call.operator, case.opset)
    except onnx.defs.SchemaError:
        yield f"has opset {case.opset}, which has no {case.call.operator}"
        return
    foreign = sorted(set(case.call.attributes) - set(schema.attributes))
    if foreign:
        yield f"sets {', '.join(foreign)}, which opset {case.opset} does not have"
    by_name, places = {formal.name: formal for formal in schema.inputs}, load_spec(case.spec, "").places(
        case.call.inputs)
    for given, array in case.call.inputs.items():
        name = onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype)).lower()
        formal = by_name.get(given) or schema.inputs[min(places.index(given), len(schema.inputs) - 1)]
        if f"tensor({name})" not in formal.types:
            yield f"has elements of {name_of(array.dtype)}, which opset {case.opset} does not allow"


def clauses_are_tried(case: Case) -> Iterator[str]:
    """A case lists under `clauses` each clause on calls that it breaks, or one that implies it."""
    spec = load_spec(case.spec, "")
    covered = set().union(*(spec.consequences(address) for address in case.clauses))
    broken = {entry.clause for entry in spec.violations(case.call)} if case.expectation.outside else set()
    for address in broken & set(case.expectation.outside or ()) - covered:
        yield f"breaks {address}, which it does not list; add it to 'clauses'"


def clauses_named_are_tried(case: Case) -> Iterator[str]:
    """Some wrong answer would break each clause on outputs that a case lists; its U clauses apply.

    See `plumbline.cases.format.tested_clauses`."""
    spec = load_spec(case.spec, "")
    if case.expectation.outside is not None or case.generated:
        return
    tested = tried_by(case)
    for address in case.clauses:
        clause = spec.clauses[address]
        if clause.kind != "erratum" and not {address, clause.restates} & tested:
            yield (f"names {clause.local}, which none of the wrong outputs tried for this call breaks; drop it, or "
                   "change the call")


RULES: tuple[Rule, ...] = (title_says_what_is_tried, domain, outputs_conform, both_oracles_agree,
                           printed_values_are_overruled, observed_is_unspecified, opset_fits, clauses_are_tried,
                           clauses_named_are_tried)


def lint(case: Case, rules: Iterable[Rule] = RULES) -> list[str]:
    """Return what is wrong with a case, one line each; [] when nothing is."""
    return [f"{case.place or case.spec}: {case.id} {problem}" for rule in rules for problem in rule(case)]


def merged(problems: Iterable[str]) -> list[str]:
    """Merge problems that differ only in the version of a specification.

    >>> merged(["a: breaks onnx/maxpool@8#Y.C1", "a: breaks onnx/maxpool@10#Y.C1"])
    ['a: breaks onnx/maxpool@8,10#Y.C1']
    """
    versions: dict[str, dict[str, None]] = {}
    for line in problems:
        versions.setdefault(VERSION.sub("\0", line), {}).update(dict.fromkeys(VERSION.findall(line)))
    return [line.replace("\0", f"@{','.join(numbers)}") for line, numbers in versions.items()]


def duplicates(cases: list[Case]) -> list[str]:
    """Return a line for each case that repeats the call or the title of another."""
    seen: dict[object, Case] = {}
    titles: dict[tuple[str, str], Case] = {}
    problems = []
    for case in cases:
        titled = titles.setdefault((case.spec, case.title), case)
        if titled is not case:
            problems.append(f"{case.place}: {case.id} has the title of {titled.id} ({titled.place}); say what differs")
        key = (case.spec, case.opset, repr(sorted(case.call.attributes.items())), case.call.outputs,
               *((name, name_of(array.dtype), array.shape, bytes_of(array))
                 for name, array in case.call.inputs.items()))
        first = seen.setdefault(key, case)
        if first is not case:
            problems.append(f"{case.place}: {case.id} makes the call of {first.id} ({first.place}); keep one")
    return problems


_contradictions: WeakKeyDictionary[Case, str | None] = WeakKeyDictionary()


def contradiction(case: Case) -> str | None:
    """Return why a case contradicts its specification, so that it judges no backend, or None."""
    case = case.alone
    if case not in _contradictions:
        rules = (domain, outputs_conform, observed_is_unspecified, opset_fits)
        _contradictions[case] = next((problem for rule in rules for problem in rule(case)), None)
    return _contradictions[case]
