"""Write the cases of a specification to the disk cache, and read them.

Canonical outputs are not stored but for their digests: they are computed again for every answer that differs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from plumbline.cases.format.canonical_answer import canonical_answers
from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.computed import CanonicalAnswer, CanonicalOutputs, Computed
from plumbline.cases.format.disk_cache import DiskCache, digest_of, digest_of_files, environment
from plumbline.cases.generate.boundary_classes import coverage, covered
from plumbline.cases.generate.seeded import GeneratedCase
from plumbline.cases.generate.size_classes import covered_sizes
from plumbline.cases.onnx.models import model_of
from plumbline.oracle import Call, load_spec
from plumbline.oracle.choosing import element_type
from plumbline.oracle.discovery import folders
from plumbline.oracle.editions import chosen_edition
from plumbline.oracle.specification import pages_of
from plumbline.oracle.type_names import STRING

FORMAT = 3
"""Changes with what an entry looks like."""

ALIGNED = 64
"""Bytes to a multiple of which each array begins."""


class NotStorable(Exception):
    """A value that is neither JSON nor a plain array."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """Coverage of a specification by all its cases.

    boundaries: by clause the pairs of boundary classes covered, and those satisfiable.
    sizes:      the number of sizes met.
    """

    boundaries: Mapping[str, tuple[int, int]]
    sizes: int


@dataclass(frozen=True, eq=False)
class CaseSet:
    """The written and the generated cases of some specifications; what they cover, where that was computed; a digest of
    what they depend on, "" where some of them are left out."""

    written: list[Case]
    generated: list[Case]
    coverage: Mapping[str, Coverage] = field(default_factory=dict)
    digest: str = ""


def entry_name(names: Sequence[str], files: Sequence[Path], seed: int, count: int | None,
               generating: Sequence[str]) -> str:
    """The name of the entry for some versions of a specification: a digest of all that the cases depend on.

    `generating` are the versions that have generated cases."""
    own = [path for folder in folders() for path in folder.rglob("*") if path.suffix in (".py", ".md")]
    read = digest_of_files([*pages_of(names[0]), *filter(Path.is_file, files), *own])
    label = names[0].partition("@")[0].replace("/", "-")
    parts = (FORMAT, environment(), chosen_edition(), list(names), seed, count, list(generating), read)
    return f"{label}-{digest_of(*parts)}"


def write_cases(cache: DiskCache, name: str, cases: CaseSet) -> bool:
    """Compute what an entry holds beside the cases, and keep it. False where that cannot be done; the cases have what
    was computed of them all the same."""
    block = _Block()
    for case in (*cases.written, *cases.generated):
        vars(case)["computed"] = Computed(case.digest, case.gives_large, canonical_answers(case), _models(case))
        _ = case.clauses  # while the oracle still has what it computed of the call
    try:
        head = {"written": [_case(case, block) for case in cases.written],
                "generated": [_case(case, block) for case in cases.generated],
                "coverage": {spec: asdict(covered) for spec, covered in cases.coverage.items()}}
    except NotStorable:
        return False
    return cache.write(name, head, bytes(block.data))


def read_cases_of(cache: DiskCache, name: str) -> CaseSet | None:
    """The cases of an entry; None where there is none that is whole."""
    entry = cache.read(name)
    if entry is None:
        return None
    head, data = entry
    return CaseSet([_read_case(case, data) for case in head["written"]],
                   [_read_case(case, data) for case in head["generated"]],
                   {spec: Coverage({address: (covered, of) for address, (covered, of) in entry["boundaries"].items()},
                                   entry["sizes"]) for spec, entry in head["coverage"].items()})


def coverage_of(names: Sequence[str], cases: Sequence[Case]) -> dict[str, Coverage]:
    """Coverage of each specification by its cases."""
    calls = {name: [case.call for case in cases if case.spec == name] for name in names}
    return {name: Coverage(coverage(spec, covered(spec, calls[name])), len(covered_sizes(spec, calls[name])))
            for name, spec in ((name, load_spec(name)) for name in names)}


class _Block:
    """Arrays one after the other, as bytes."""

    def __init__(self) -> None:
        self.data = bytearray()

    def add(self, array: np.ndarray) -> dict[str, Any]:
        """Append an array and return its description. Of axes along which memory repeats, one element is stored."""
        if array.dtype.hasobject:
            return {"dtype": STRING, "shape": array.shape, "values": array.reshape(-1).tolist()}
        repeated = [axis for axis, step in enumerate(array.strides) if step == 0 and array.shape[axis] > 1]
        stored = array[tuple(slice(0, 1) if axis in repeated else slice(None) for axis in range(array.ndim))]
        self.data += bytes(-len(self.data) % ALIGNED)
        start = len(self.data)
        self.data += stored.tobytes()
        return {"dtype": array.dtype.name, "shape": array.shape, "stored": stored.shape, "start": start}

    def add_bytes(self, content: bytes) -> tuple[int, int]:
        """Append bytes and return where they begin and end."""
        start = len(self.data)
        self.data += content
        return start, len(self.data)


def _models(case: Case) -> dict[str, bytes]:
    spec = load_spec(case.spec)
    models = {}
    for outputs in spec.forms:
        with contextlib.suppress(ValueError, TypeError):  # a request says that no model can hold the call
            models["+".join(outputs)] = model_of(spec, case.call.asking_for(*outputs), case.opset)
    return models


def _read_array(entry: Mapping[str, Any], data: np.ndarray) -> np.ndarray:
    if entry["dtype"] == STRING:
        return np.array(entry["values"], object).reshape(entry["shape"])
    dtype, stored = element_type(entry["dtype"]), tuple(entry["stored"])
    size = dtype.itemsize * int(np.prod(stored, dtype=np.int64))
    array = data[entry["start"]:entry["start"] + size].view(dtype).reshape(stored)
    shape = tuple(entry["shape"])
    if shape == stored:
        return array
    leading = next((axis for axis, size in enumerate(stored) if size != 1 or shape[axis] == 1), array.ndim)
    return np.broadcast_to(array.reshape(stored[leading:]).copy(), shape)


def is_canonical(case: Case) -> bool:
    """True if a case expects what the oracle computes."""
    return case.expectation.outputs is not None and (isinstance(case, GeneratedCase) or case.expectation.computed)


def _case(case: Case, block: _Block) -> dict[str, Any]:
    assert case.computed is not None, "what `write_cases` computes first"
    expected = case.expectation
    return {
        "id": case.id, "title": case.title, "spec": case.spec, "opset": case.opset, "source": case.source,
        "clauses": case.clauses, "flags": case.flags, "notes": case.notes, "place": case.place, "in_all": case.in_all,
        "operator": case.call.operator, "made": isinstance(case, GeneratedCase),
        "attributes": {key: _value(value, block) for key, value in case.call.attributes.items()},
        "inputs": {key: block.add(array) for key, array in case.call.inputs.items()}, "asked": case.call.outputs,
        "outputs": None if expected.outputs is None or is_canonical(case) else
        {key: block.add(array) for key, array in expected.outputs.items()},
        "canonical": is_canonical(case),
        "outside": expected.outside, "observe": expected.observe, "computed": expected.computed,
        "as_printed": None if expected.as_printed is None else
        {key: _value(value, block) for key, value in expected.as_printed.items()},
        "erratum": expected.erratum, "digest": case.computed.digest, "large": case.computed.is_large,
        "answers": {form: asdict(answer) for form, answer in case.computed.answers.items()},
        "models": {form: block.add_bytes(model) for form, model in case.computed.models.items()}}


def _read_case(entry: Mapping[str, Any], data: np.ndarray) -> Case:
    """Return the case of an entry's JSON; `data` is the entry's block of bytes (uint8), which holds the arrays."""
    call = Call(entry["operator"], {key: _read_value(value, data) for key, value in entry["attributes"].items()},
                {key: _read_array(array, data) for key, array in entry["inputs"].items()},
                None if entry["asked"] is None else tuple(entry["asked"]))
    printed = entry["as_printed"]
    outputs: Mapping[str, np.ndarray] | None = CanonicalOutputs(entry["spec"], call) if entry["canonical"] else None
    if entry["outputs"] is not None:
        outputs = {key: _read_array(array, data) for key, array in entry["outputs"].items()}
    expectation = Expectation(
        outputs, None if entry["outside"] is None else tuple(entry["outside"]), entry["observe"], entry["computed"],
        None if printed is None else {key: _read_value(value, data) for key, value in printed.items()},
        entry["erratum"])
    case = (GeneratedCase if entry["made"] else Case)(
        entry["id"], entry["title"], entry["spec"], entry["opset"], call, expectation, tuple(entry["clauses"]),
        entry["source"], tuple(entry["flags"]), entry["notes"], entry["place"], in_all=entry["in_all"])
    answers = {form: CanonicalAnswer(answer["digests"], answer["figures"], tuple(answer["flags"]),
                                     answer["decides_little"]) for form, answer in entry["answers"].items()}
    models = {form: data[start:end].tobytes() for form, (start, end) in entry["models"].items()}
    vars(case).update(clauses=tuple(entry["clauses"]),
                      computed=Computed(entry["digest"], entry["large"], answers, models))
    return case


def _value(value: Any, block: _Block) -> Any:
    """The value of an attribute as JSON: what JSON would change is an object of one key."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is list:
        return [_value(part, block) for part in value]
    if type(value) is tuple:
        return {"tuple": [_value(part, block) for part in value]}
    if type(value) is bytes:
        return {"bytes": value.hex()}
    if type(value) is np.ndarray:
        return {"array": block.add(value)}
    raise NotStorable(type(value).__name__)


def _read_value(value: Any, data: np.ndarray) -> Any:
    if isinstance(value, list):
        return [_read_value(part, data) for part in value]
    if not isinstance(value, dict):
        return value
    (kind, content), = value.items()
    if kind == "tuple":
        return tuple(_read_value(part, data) for part in content)
    return bytes.fromhex(content) if kind == "bytes" else _read_array(content, data)
