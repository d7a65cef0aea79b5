"""Read declared capabilities, and find limits that a request exceeds.

`specifications` are patterns of the specifications that a backend can be asked about. `capabilities` is a list of
entries. A request is declared if an entry covers it; without the list every request is. An operator that no entry names
is asked for: its answers are judged, its refusals are `unsupported`. A key that an entry leaves out limits nothing:

    operators:  names
    opsets:     [first, last]; a last of None stands for every later one
    dtypes:     numpy names of the type of the first input
    ranks:      numbers of spatial axes, that is of those of the first input after the first two
    inputs:     name of an input to its limits: {"dtypes": names, "axes": numbers of all its axes}
    takes:      names of the inputs that can be given
    outputs:    names that can be asked for
    attributes: name to the values that are allowed: the value, or each element of a list, is among them
    versions:   PEP 440 specifier for the version of the backend
    lacks:      entries such as these; a request that one of them covers is not declared

One key is a promise, not a limit:

    accuracy:   the largest error, in units in the last place, of answers to the requests that the entry covers. It is
                judged where the specification leaves accuracy undefined and the operator measures it. If several
                entries cover a request, the least accuracy counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

import numpy as np
import onnx.defs
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from plumbline.backends.request import Request
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.call import is_of
from plumbline.oracle.choosing import element_type
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.discovery import SPEC_FOLDER
from plumbline.oracle.specification import matches, operators
from plumbline.oracle.type_names import name_of

ONNX = "onnx/*"
"""The pattern of a backend that supports any operator of ONNX's own domain."""


class CapabilityError(ValueError):
    """A declaration that cannot be read; the text says where and why."""


class InputCapability(BaseModel):
    """Limits of one input; see the module."""

    model_config = ConfigDict(extra="forbid", strict=True)
    dtypes: list[str] | None = None
    axes: list[int] | None = None

    def exceeded(self, name: str, array: np.ndarray) -> Iterator[str]:
        """Yield the limits that an array exceeds."""
        if self.dtypes is not None and name_of(array.dtype) not in self.dtypes:
            yield f"{name} of {name_of(array.dtype)}"
        if self.axes is not None and array.ndim not in self.axes:
            yield f"{name} of {array.ndim} axes"

    def __str__(self) -> str:
        return " ".join([*(self.dtypes or []), *([f"of {' or '.join(map(str, self.axes))} axes"] if self.axes else [])])


class Capability(BaseModel):
    """An entry of `capabilities`; see the module."""

    model_config = ConfigDict(extra="forbid", strict=True)
    operators: list[str] | None = None
    opsets: tuple[int, int | None] | None = None
    dtypes: list[str] | None = None
    ranks: list[int] | None = None
    inputs: dict[str, InputCapability] = {}
    takes: list[str] | None = None
    outputs: list[str] | None = None
    attributes: dict[str, list[int | float | str]] = {}
    versions: str | None = None
    lacks: list[Capability] = []
    accuracy: float | None = Field(None, ge=0)

    @field_validator("versions")
    @classmethod
    def is_specifier(cls, value: str | None) -> str | None:
        """Check that it is a specifier of PEP 440."""
        try:
            SpecifierSet(value or "")
        except InvalidSpecifier:
            raise ValueError(f"{value!r} is no version specifier such as '>=1.2'") from None
        return value

    @field_validator("opsets", mode="before")
    @classmethod
    def is_pair(cls, value: Any) -> Any:
        """Accept a list of two, as JSON has it."""
        return tuple(value) if isinstance(value, list) else value

    def exceeded(self, request: Request, version: str) -> Iterator[str]:
        """Yield what exceeds the limits of this entry: ``"dtype float64"``.

        request: the call; `version` is that of the backend."""
        x = next(iter(request.tensors.values()), None)
        if self.operators is not None and request.operator not in self.operators:
            yield f"operator {request.operator}"
        if self.opsets is not None:
            first, last = self.opsets
            if request.opset < first or (last is not None and request.opset > last):
                yield f"opset {request.opset}"
        if self.dtypes is not None and x is not None and name_of(x.dtype) not in self.dtypes:
            yield f"dtype {name_of(x.dtype)}"
        if self.ranks is not None and x is not None and x.ndim - 2 not in self.ranks:
            yield f"a rank of {x.ndim - 2} spatial axes"
        for name, limits in self.inputs.items():
            if name in request.tensors:
                yield from limits.exceeded(name, request.tensors[name])
        if self.takes is not None:
            yield from (f"input {name}" for name in request.tensors if name not in self.takes)
        if self.outputs is not None:
            yield from (f"output {name}" for name in request.outputs
                        if not any(is_of(name, output) for output in self.outputs))
        for name, allowed in self.attributes.items():
            given = request.attributes.get(name)
            parts = given if isinstance(given, (list, tuple)) else [] if given is None else [given]
            if any(part not in allowed for part in parts):
                yield f"{name} {given}"
        if self.versions is not None and not _is_in(version, self.versions):
            yield f"version {version}"
        for entry in self.lacks:
            if not list(entry.exceeded(request, version)):
                yield str(entry)

    def __str__(self) -> str:
        """Describe the entry in one line."""
        opsets = ""
        if self.opsets is not None:
            first, last = self.opsets
            opsets = f"opsets {first} to {last}" if last else f"opsets from {first}"
        parts = [" ".join(self.operators or ["every operator"]), opsets, " ".join(self.dtypes or []),
                 f"spatial axes {' '.join(map(str, self.ranks))}" if self.ranks else "",
                 *(f"{name} {limits}" for name, limits in self.inputs.items()),
                 f"inputs {' '.join(self.takes)}" if self.takes else "",
                 f"outputs {' '.join(self.outputs)}" if self.outputs else "",
                 *(f"{name} {' '.join(map(str, values))}" for name, values in self.attributes.items()),
                 f"versions {self.versions}" if self.versions else "",
                 *(f"without {entry}" for entry in self.lacks),
                 f"within {self.accuracy:g} ulp" if self.accuracy is not None else ""]
        return "; ".join(part for part in parts if part)


ENTRIES = TypeAdapter(list[Capability])


def schema_text() -> str:
    """Return the JSON Schema of what --capabilities takes."""
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **ENTRIES.json_schema()},
                      indent=2) + "\n"


def read_capabilities(data: Any) -> list[Capability] | None:
    """Return the entries of `capabilities`; None declares everything. Raises CapabilityError."""
    if data is None:
        return None
    try:
        entries = ENTRIES.validate_python(list(data) if isinstance(data, tuple) else data)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"[{part!r}]" for part in first["loc"])
        unknown = first["type"] == "extra_forbidden"
        allowed = InputCapability if "inputs" in first["loc"] else Capability
        what = first["msg"] if not unknown else (
            f"unknown key{did_you_mean(str(first['loc'][-1]), allowed.model_fields)}; allowed: "
            f"{', '.join(allowed.model_fields)}")
        raise CapabilityError(f"capabilities{place}: {what}") from None
    known = operators()
    for number, entry in enumerate(entries):
        for part in (entry, *entry.lacks):
            for problem in _misnamed(part, known):
                raise CapabilityError(f"capabilities[{number}]{problem}")
    return entries


def _misnamed(entry: Capability, known: dict[str, list[str]]) -> Iterator[str]:
    """Yield wrong names of an entry, each with its key; `known` has the specifications by operator.

    An operator without a specification may be one of the backend's own, unless its name is close to a known one."""
    for operator in entry.operators or ():
        if operator in known or onnx.defs.has(operator):
            continue
        if near := get_close_matches(operator, sorted(known), n=1, cutoff=0.8):
            yield f"['operators']: unknown operator {operator!r}; did you mean {near[0]!r}?"
    for dtype in [*(entry.dtypes or ()), *(name for limits in entry.inputs.values() for name in limits.dtypes or ())]:
        try:
            is_name = name_of(element_type(dtype)) == dtype
        except TypeError:
            is_name = False
        if not is_name:
            yield f"['dtypes']: unknown type {dtype!r}; types have numpy's names, such as float32"
    if not entry.outputs and not entry.attributes:
        return
    specs = [load_spec(name) for operator in entry.operators or known for name in known.get(operator, ())]
    known_names = {"outputs": {name for spec in specs for name in spec.outputs},
                   "attributes": {clause.section.rpartition(".")[2]
                                  for spec in specs for clause in spec.clauses.values()}}
    for key, names in known_names.items() if specs else ():
        for name in getattr(entry, key) or ():
            if name not in names:
                yield f"[{key!r}]: {name!r} is not an {key[:-1]} of {' or '.join(entry.operators or ['any operator'])}"


def entries_about(capabilities: list[Capability], operator: str) -> list[Capability]:
    """Return the entries that name an operator, or that hold for every operator."""
    return [entry for entry in capabilities if entry.operators is None or operator in entry.operators]


def exceeded_limits(capabilities: list[Capability], version: str, request: Request) -> list[str]:
    """Return what exceeds the limits of the entry that comes closest to a request; [] if an entry covers it."""
    return min((list(entry.exceeded(request, version)) for entry in capabilities), key=len, default=["nothing"])


def undeclared(capabilities: list[Capability] | None, version: str, request: Request) -> str | None:
    """Return the limit that a request exceeds, or None.

    The text is such as ``"dtype float64 is not declared"``; it is about the entry that comes closest."""
    if capabilities is None:
        return None
    if not capabilities:
        return "nothing is declared"
    closest = exceeded_limits(capabilities, version, request)
    if not closest:
        return None
    return f"{' and '.join(closest)} {'is' if len(closest) == 1 else 'are'} not declared"


def declared_accuracy(capabilities: list[Capability] | None, version: str, request: Request) -> float | None:
    """Return the least `accuracy` of the covering entries, or None."""
    return min((entry.accuracy for entry in capabilities or () if entry.accuracy is not None
                and not list(entry.exceeded(request, version))), default=None)


def unmatched(specifications: Iterable[str]) -> list[str]:
    """Return a line for each pattern that is the name of no specification, and no glob."""
    texts = dict.fromkeys(name.partition("@")[0] for name in spec_names())
    of_operator = {name.rpartition("/")[2]: name for name in reversed(list(texts)) if name.startswith("onnx/")}
    lines = []
    for pattern in specifications:
        if any(mark in pattern for mark in "*?[") or any(matches(name, pattern) for name in spec_names()):
            continue
        close = of_operator.get(pattern.rpartition("/")[2].lower())
        lines.append(f"`specifications` names {pattern!r}, which matches no specification"
                     + (f"; did you mean {close!r}?" if close else did_you_mean(pattern, [*texts, *spec_names()])))
    return lines


def is_asked(specifications: tuple[str, ...] | list[str], name: str) -> bool:
    """Return True if the patterns include a specification.

    A pattern `onnx/*` includes specifications outside the suite of operators in ONNX's own domain, which no adapter can
    know by name."""
    return any(matches(name, pattern) for pattern in specifications) or (
        ONNX in specifications and name in spec_names() and load_spec(name).domain == ""
        and not load_spec(name).path.is_relative_to(SPEC_FOLDER))


def _is_in(version: str, specifier: str) -> bool:
    """Return True for a version of PEP 440 in a range."""
    try:
        return SpecifierSet(specifier).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False
