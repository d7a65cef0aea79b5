"""Read files of cases.

A malformed case gives one error with file, line, column and remedy, and hides no other."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import numpy as np
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.cases.format.positions import Positions, explain
from plumbline.cases.format.schema import (
    TENSORS,
    CaseEntry,
    CaseFile,
    Dtype,
    EmptyTensor,
    ExpectationEntry,
    GeneratedTensor,
    TensorAttribute,
    with_default_inputs,
)
from plumbline.cases.format.tensors import TensorError, generated, literal
from plumbline.cases.format.variants import VariantError, changes_by_name, repeated, variants
from plumbline.data import data_folder
from plumbline.oracle import Call, OutsideDomain, Spec, SpecError
from plumbline.oracle.choosing import element_type
from plumbline.oracle.clause import Versions, full_address
from plumbline.oracle.discovery import folders
from plumbline.oracle.files import read_text
from plumbline.oracle.safe_text import safe
from plumbline.oracle.specification import spec_names, specs_named
from plumbline.oracle.yaml_text import YAMLError, compose, constructed

NAMED = re.compile(r"^spec: *(?:\[([^\]#]+)\]|([^\s#\[\]&*!|>'\"]+)) *(?:#.*)?$", re.M)
"""The line or lines that name the specifications of a file, in plain names."""

SUFFIXES = (".yaml", ".yml")
"""How the names of files of cases end, in upper or lower case."""

MOST = 100
"""Errors of the form of a file that are listed."""

CASE_FOLDER = data_folder("cases")


@dataclass
class CaseError(Exception):
    """An error in a file of cases; its text is one line, ``file:line:column: what``."""

    path: Path
    line: int
    column: int
    what: str

    def __str__(self) -> str:
        return f"{_shown(self.path)}:{self.line}:{self.column}: {safe(' '.join(self.what.split()))}"


class _Refused(Exception):
    """A case that cannot be built: where in it (keys and positions), and why."""

    def __init__(self, path: tuple[Any, ...], what: str) -> None:
        super().__init__(what)
        self.path = path


def case_places() -> list[Path]:
    """Return the folders of cases: that of the clone, and those next to other specifications."""
    return [CASE_FOLDER, *folders()]


def case_files(paths: Iterable[Path] | None = None) -> list[Path]:
    """Return the YAML files named, or below the folders named; by default those of the suite."""
    found: list[Path] = []
    for path in map(Path, paths if paths is not None else case_places()):
        if path.is_dir():
            found += sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
        else:
            found.append(path)
    return found


def files_about(groups: Iterable[Collection[str]]) -> list[list[Path]]:
    """Return for each group of specifications the suite's files that may hold cases of them.

    A place without a file stands for itself, so that reading it reports what is wrong; a folder of specifications may
    have no cases yet."""
    places = [file for place in case_places()
              for file in case_files([place]) or ([place] if place == CASE_FOLDER or not place.is_dir() else [])]
    known = _with_texts(spec_names())
    named = {file: _named_in(file, known) for file in places}
    return [[file for file in places if _may_be_about(named[file], about)] for about in map(_with_texts, groups)]


def load_cases(paths: Iterable[Path] | None = None, about: Collection[str] | None = None) -> list[Case]:
    """Return what `read_cases` reads, by default every case of the suite. Raises the first CaseError."""
    cases, errors = read_cases(paths, about)
    if errors:
        raise errors[0]
    return cases


def read_cases(paths: Iterable[Path] | None = None,
               about: Collection[str] | None = None) -> tuple[list[Case], list[CaseError]]:
    """Return every case that can be read, and one error for each that cannot.

    about: names of the specifications whose cases are wanted, by default all; files about others alone are skipped."""
    cases: dict[tuple[str, str], Case] = {}
    errors: list[CaseError] = []
    wanted = None if about is None else (_with_texts(spec_names()), _with_texts(about))
    for path in map(Path, paths if paths is not None else case_places()):
        files = case_files([path])
        if not files and paths is not None:  # a folder of specifications may have no cases yet
            errors.append(CaseError(path, 1, 1, "a folder without a YAML file; name one that holds cases"))
        for file in files:
            errors += _read_file(file, cases, about, wanted)
    return list(cases.values()), errors


def _read_file(path: Path, cases: dict[tuple[str, str], Case], about: Collection[str] | None,
               wanted: tuple[set[str], set[str]] | None) -> Iterator[CaseError]:
    """Add the cases of a file to `cases`, and yield an error for each malformed one.

    cases:  by specification and id.
    about:  names of the specifications whose cases are wanted, None for all.
    wanted: names of all specifications, and those wanted: a file that only names others is skipped; None reads it."""
    try:
        text = read_text(path)
    except OSError as error:
        yield CaseError(path, 1, 1, f"cannot be read: {error.strerror}")
        return
    if wanted is not None and not _may_be_about(_named(text, wanted[0]), wanted[1]):
        return
    try:
        root = compose(text, TENSORS)
        data = None if root is None else constructed(root)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        yield CaseError(path, mark.line + 1 if mark else 1, mark.column + 1 if mark else 1,
                        f"not YAML: {getattr(error, 'problem', None) or str(error).splitlines()[0]}")
        return

    if root is None or not isinstance(data, dict):
        yield CaseError(path, 1, 1, "a file of cases begins with 'spec:', then 'defaults:' and 'cases:'"
                        + ("; entries such as these stand under 'cases:'" if isinstance(data, list) else ""))
        return
    place_of = Positions(root).of
    data = with_default_inputs(data)
    file, broken = _validated(data)
    for details in islice(broken.values(), MOST):
        yield CaseError(path, *place_of(tuple(details["loc"])), explain(details))
    if len(broken) > MOST:
        yield CaseError(path, 1, 1, f"{len(broken) - MOST:,} more errors; mend the first {MOST}")
    if file is None:
        return
    try:
        named = [file.spec] if isinstance(file.spec, str) else file.spec
        if not named or (twice := repeated(named)):
            yield CaseError(path, *place_of(("spec",)), f"{twice} is listed twice" if named else "name a specification")
            return
        by_name = {name: specs_named(name) for name in named}
    except SpecError as error:
        yield CaseError(path, *place_of(("spec",)), str(error))
        return
    for name, change in changes_by_name(file.defaults.but, by_name).items():
        if name not in by_name and name not in get_args(Dtype):
            yield CaseError(path, *place_of(("defaults", "but", name)),
                            f"{name!r} is neither a type nor a specification of this file")
        elif change is None and name not in by_name:
            yield CaseError(path, *place_of(("defaults", "but", name)),
                            f"null leaves out a specification, and {name} is a type")
    shown, specs = _shown(path), [spec for held in by_name.values() for spec in held]
    numbers = [number for number in range(len(data["cases"])) if number not in broken]
    for number, entry in zip(numbers, file.cases, strict=True):
        try:
            place = f"{shown}:{place_of(('cases', number))[0]}"
            for spec, variant in _variants(by_name, file, entry, data["cases"][number]):
                if about is not None and spec.name not in about:
                    continue
                if (spec.name, variant.id) in cases:
                    raise _Refused(("id",), f"the id {variant.id!r} is taken by {cases[spec.name, variant.id].place}; "
                                            "rename this case")
                cases[spec.name, variant.id] = _case(specs, spec, file, variant, place)
        except _Refused as refused:
            yield CaseError(path, *place_of(("cases", number, *refused.path)), str(refused))
        except (ArithmeticError, LookupError, MemoryError, RecursionError, SystemExit, TypeError, ValueError) as error:
            yield CaseError(path, *place_of(("cases", number)),
                            f"cannot be built: {type(error).__name__}: {error}")


def _named_in(file: Path, known: set[str]) -> set[str] | None:
    """Return `_named` of a file; None as well if it cannot be read."""
    try:
        return _named(read_text(file), known)
    except OSError:
        return None


def _named(text: str, known: set[str]) -> set[str] | None:
    """Return the existing specifications that a file names; None if it names others, or none."""
    lines = NAMED.findall(text)
    named = {name.strip() for name in (lines[0][0] or lines[0][1]).split(",")} if len(lines) == 1 else set()
    # A name that does not exist may be a misspelt one: such a file is read, and its error reported.
    return named if named and named <= known else None


def _may_be_about(named: set[str] | None, about: set[str]) -> bool:
    """Return True if a file that names these can hold cases of `about`, names with and without versions."""
    return named is None or not about.isdisjoint(named)


def _with_texts(names: Collection[str]) -> set[str]:
    """Return names of specifications, and those without their versions."""
    return {*names, *(name.partition("@")[0] for name in names)}


def _shown(path: Path) -> str:
    path = Path(os.path.realpath(path))
    return str(path.relative_to(CASE_FOLDER.parent) if path.is_relative_to(CASE_FOLDER.parent) else path)


def _validated(data: dict[str, Any]) -> tuple[CaseFile | None, dict[int, ErrorDetails]]:
    """Return the file without its malformed cases, and the first error of each of these, by position.

    The file is None when nothing of it can be used; the errors of the file itself stand under negative positions."""
    try:
        return CaseFile.model_validate(data), {}
    except ValidationError as invalid:
        # A misspelt key is both unknown and missing; the first is the one to mend.
        errors = sorted(invalid.errors(), key=lambda details: details["type"] != "extra_forbidden")
    broken: dict[int, ErrorDetails] = {}
    for count, details in enumerate(errors):
        of_case = details["loc"][:1] == ("cases",) and len(details["loc"]) > 1
        broken.setdefault(int(details["loc"][1]) if of_case else -1 - count, details)
    good = [entry for number, entry in enumerate(data.get("cases") or []) if number not in broken]
    if min(broken) < 0 or not good:
        return None, broken
    return CaseFile.model_validate({**data, "cases": good}), broken


def _variants(specs: dict[str, list[Spec]], file: CaseFile, entry: CaseEntry,
              data: dict[str, Any]) -> Iterator[tuple[Spec, CaseEntry]]:
    """Yield the cases of an entry, each with a specification that it is for."""
    try:
        has_versions = {name: any("@" in spec.name for spec in held) for name, held in specs.items()}
        cases = list(variants(entry, data, file.defaults.but, has_versions))
    except VariantError as error:
        raise _Refused(error.path, str(error)) from None
    except ValidationError as invalid:
        details = invalid.errors()[0]
        raise _Refused(details["loc"], explain(details)) from None
    for names, case in cases:
        yield from ((spec, case) for spec in _held([spec for name in names for spec in specs[name]], case))


def _held(specs: list[Spec], entry: CaseEntry) -> list[Spec]:
    """Return the versions of a specification that a case is for."""
    if entry.versions is None:
        return specs
    try:
        versions = Versions.parse(entry.versions)
    except ValueError as error:
        raise _Refused(("versions",), str(error)) from None
    held = [spec for spec in specs if "@" in spec.name and spec.opset in versions]
    if not held:
        raise _Refused(("versions",), f"{entry.versions!r} holds none of {', '.join(spec.name for spec in specs)}")
    return held


def _case(specs: list[Spec], spec: Spec, file: CaseFile, entry: CaseEntry, place: str) -> Case:
    attributes = {name: _tensor(("attributes", name, "values"), value.values, element_type(value.dtype))
                  if isinstance(value, TensorAttribute) else value
                  for name, value in {**file.defaults.attributes, **entry.attributes}.items() if value is not None}
    dtypes = {**file.defaults.dtypes, **entry.dtypes}
    unknown = sorted(entry.dtypes.keys() - entry.inputs.keys())
    if unknown:
        raise _Refused(("dtypes", unknown[0]), f"case {entry.id!r} has no input {unknown[0]!r} to give a type")
    named: dict[str, str] = {}
    for name in entry.inputs:
        dtype = dtypes.get(name) or entry.dtype or file.defaults.dtype
        if not isinstance(dtype, str):
            raise _Refused((), f"case {entry.id!r} has no dtype, and the defaults have none")
        named[name] = dtype
    names = _in_order(spec, entry)
    inputs = {name: _tensor(("inputs", name), entry.inputs[name], element_type(named[name])) for name in names}
    call = Call(spec.operator, attributes, inputs, _asked(spec, entry))
    clauses = _clauses(specs, spec, ("clauses",), entry.clauses)
    opset = entry.opset or file.defaults.opset or spec.opset
    return Case(entry.id, entry.title, spec.name, opset, call, _expectation(specs, spec, call, entry.expect), clauses,
                entry.source or file.defaults.source, flags_of(spec, call), entry.notes, place,
                in_all=(entry.contexts or file.defaults.contexts) == "all")


def _in_order(spec: Spec, entry: CaseEntry) -> tuple[str, ...]:
    """Return the names of the inputs of a case in the order of the operator."""
    given = entry.inputs.keys()
    variadic = spec.variadic_input
    names = tuple(name for name in spec.places(given) if name in given)
    if set(names) == set(given) and spec.takes(names):
        return names
    required = [name for name in spec.inputs if name not in (*spec.optional_inputs, variadic)]
    optional = f", and may take {', '.join(spec.optional_inputs)}" if spec.optional_inputs else ""
    if variadic is not None:
        numbered = ", ".join([*required, f"{variadic}_0", f"{variadic}_1", "..."])
        raise _Refused(("inputs",), f"{spec.operator} takes {numbered}{optional}; give them so")
    raise _Refused(("inputs",), f"{spec.operator} takes {', '.join(required) or 'no input'}{optional}; give "
                                f"{'it' if len(required) == 1 else 'each of them'}, and nothing else")


def _asked(spec: Spec, entry: CaseEntry) -> tuple[str, ...] | None:
    """Return the tensors of a variadic output that a case asks for; None for an operator without one."""
    listed = entry.expect.outputs if isinstance(entry.expect.outputs, dict) else {}
    if spec.variadic_output is None:
        if entry.outputs is not None:
            raise _Refused(("outputs",), f"{spec.operator} has no variadic output; drop the key")
        return None
    names = spec.output_names(entry.outputs or len(listed) or 1)
    if listed and set(listed) != set(names):
        raise _Refused(("expect", "outputs"), f"{spec.operator} gives {spec.variadic_output}_0, "
                                              f"{spec.variadic_output}_1, ...; give them so")
    return names


def _expectation(specs: list[Spec], spec: Spec, call: Call, entry: ExpectationEntry) -> Expectation:
    if entry.outside is not None:
        return Expectation(outside=_clauses(specs, spec, ("expect", "outside"), entry.outside))
    if entry.observe is not None:
        return Expectation(observe=entry.observe)
    try:
        canonical = spec.expected(call)
    except OutsideDomain as error:
        raise _Refused(("expect", "outputs"), f"the call is outside the domain, so it has no outputs; expect 'outside' "
                                              f"({error})") from None
    erratum = next(iter(_clauses(specs, spec, ("expect", "erratum"), [entry.erratum])), None) if entry.erratum else None
    printed = {name: value if isinstance(value, str) else _output(spec, canonical, "as_printed", name, value)
               for name, value in (entry.as_printed or {}).items()}
    outputs = canonical if entry.outputs == "computed" else {
        name: _output(spec, canonical, "outputs", name, value) for name, value in (entry.outputs or {}).items()
        if name in spec.outputs_of(call) or not any(name in other.outputs for other in specs)}
    return Expectation(outputs=outputs, computed=entry.outputs == "computed", as_printed=printed or None,
                       erratum=erratum)


def _output(spec: Spec, canonical: dict[str, np.ndarray], key: str, name: str, value: Any) -> np.ndarray:
    if name not in canonical:
        raise _Refused(("expect", key, name), f"{spec.operator} has no output {name!r}; outputs are "
                                              f"{', '.join(spec.outputs)}")
    return _tensor(("expect", key, name), value, canonical[name].dtype)


def _tensor(path: tuple[Any, ...], value: Any, dtype: np.dtype) -> np.ndarray:
    try:
        if isinstance(value, EmptyTensor):
            return np.zeros(value.shape, dtype)
        if isinstance(value, GeneratedTensor):
            parameters = value.model_dump(exclude={"generator", "shape"}, exclude_none=True)
            return generated(value.generator, value.shape, dtype, parameters)
        return literal(value, dtype)
    except TensorError as error:
        raise _Refused(path, str(error)) from None


def _clauses(specs: list[Spec], spec: Spec, path: tuple[Any, ...], texts: list[str]) -> tuple[str, ...]:
    """Return full addresses of named clauses; those that only other versions of the specification have are left out."""
    found = []
    for number, text in enumerate(texts):
        local = text.partition("#")[2] or text
        if full_address(spec.name, local) in spec.clauses:
            found.append(full_address(spec.name, local))
        elif not any(full_address(other.name, local) in other.clauses for other in specs):
            near = [clause.local for clause in spec.clauses.values() if clause.section == local.rpartition(".")[0]]
            raise _Refused((*path, number), f"{spec.name} has no clause {text!r}"
                           + (f"; under that section it has {', '.join(near)}" if near else ""))
    return tuple(found)
