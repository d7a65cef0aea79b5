"""Build the header of a record: suite, backend, machine, options, clauses."""

from __future__ import annotations

import hashlib
import platform
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from plumbline.cases import Case
from plumbline.cases.format.flags import notes
from plumbline.cases.generate.boundary_classes import coverage, covered
from plumbline.cases.generate.cached_cases import Coverage
from plumbline.cases.generate.size_classes import covered_sizes, sought
from plumbline.cases.onnx.contexts import notes as of_contexts
from plumbline.data import PACKAGE, suite_version
from plumbline.oracle import Call, Spec
from plumbline.trial.record.header import (
    FORMAT,
    Backend,
    Boundary,
    Cases,
    Clause,
    Header,
    Printed,
    Selection,
    Sizes,
    Specification,
)
from plumbline.trial.record.tensors import to_tensor
from plumbline.trial.run.forms import forms_of

CODE = ("processes", "oracle", "cases", "backends", "trial")


@cache
def code_digest() -> str:
    """Return a digest of the code that verdicts depend on: the folders of `CODE`."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in CODE for path in (PACKAGE / folder).rglob("*.py")):
        digest.update(f"{path.relative_to(PACKAGE)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def case_digest(cases: Iterable[Case]) -> str:
    """Return a digest of cases: ids, calls and expectations."""
    digest = hashlib.sha256()
    for case in sorted(cases, key=lambda case: (case.spec, case.id)):
        digest.update(case.digest.encode())
    return digest.hexdigest()


def header(backend: Backend, specs: Sequence[Spec], cases: Sequence[Case], command: str,
           options: dict[str, Any], chosen: Iterable[tuple[Case, str]] | None = None,
           not_asked: Iterable[str] = (), for_other_seeds: Iterable[str] = (), declined: int = 0,
           cached: Mapping[str, Coverage] | None = None) -> Header:
    """Return the header of a record.

    command:         the command line that repeats the run; `options` are its options by name.
    chosen:          the results of the run as (case, form), by default all.
    not_asked:       names of specifications that the backend does not support.
    for_other_seeds: names of versions left to other seeds.
    declined:        number of generated results outside the declared capabilities, which were skipped.
    cached:          by specification, what its cases cover, where the cache holds it."""
    every = [(case, form) for case in cases for form in forms_of(case)]
    selected = every if chosen is None else list(chosen)
    calls: dict[str, dict[str, Call]] = defaultdict(dict)
    for case in cases:
        calls[case.spec][case.base_id] = case.call
    submitted: dict[str, dict[str, Call]] = defaultdict(dict)
    for case, _ in selected:
        submitted[case.spec][case.base_id] = case.call
    covers = cached or {}
    return Header(
        record="header", format=FORMAT,
        suite={"name": "plumbline", "version": suite_version(), "digest": code_digest()},
        command=command, options=options, accuracy=next((spec.profile for spec in specs), ""),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        selection=Selection(tried=len(selected), of=len(every) - declined, not_asked=list(not_asked),
                            for_other_seeds=list(for_other_seeds), results=_listed(selected), declined=declined),
        backend=backend,
        platform={"system": platform.platform(), "machine": platform.machine(), "processor": _processor(),
                  "features": _features(), "python": platform.python_version(),
                  **{package: version(package) for package in ("numpy", "onnx")}},
        specifications={spec.name: _specification(spec) for spec in specs},
        cases=Cases(count=len(cases), digest=case_digest(cases),
                    alone=case_digest(case for case in cases if not case.context)),
        coverage=_coverage(specs, cases),
        boundaries={address: Boundary(covered=found, satisfiable=of) for spec in specs for address, (found, of) in
                    (covers[spec.name].boundaries if spec.name in covers
                     else coverage(spec, covered(spec, calls[spec.name].values()))).items()},
        sizes={spec.name: Sizes(
            met=covers[spec.name].sizes if spec.name in covers and len(submitted[spec.name]) == len(calls[spec.name])
            else len(covered_sizes(spec, submitted[spec.name].values())),
            sought=len(sought(spec.name))) for spec in specs if sought(spec.name)},
        flags={**notes(specs), **of_contexts()},
        errata={address: text for spec in specs for address, text in spec.evidence().items()},
        as_printed=[_as_printed(case) for case in cases if case.expectation.as_printed])


def _listed(results: Iterable[tuple[Case, str]]) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    for case, form in results:
        found.setdefault(case.spec, {}).setdefault(form, []).append(case.id)
    return found


def _specification(spec: Spec) -> Specification:
    return Specification(
        edition=spec.edition, digest=spec.digest, operator=spec.operator, domain=spec.domain,
        outputs=list(spec.outputs), inputs=list(spec.inputs),
        clauses={address: Clause(
            kind=clause.kind, title=clause.title, statement=clause.statement, source=clause.source,
            judges=clause.judges, restates=clause.restates, implies=list(clause.implies), derived=clause.derived,
            editorial=clause.editorial, tags=list(clause.tags)) for address, clause in spec.clauses.items()})


def _processor() -> str:
    """The processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _features() -> str:
    """The processor's features that numpy has kernels for, beyond those that it demands: ``"X86_V3 X86_V4"``."""
    return " ".join((np.show_config(mode="dicts") or {}).get("SIMD Extensions", {}).get("found", []))


def _coverage(specs: Sequence[Spec], cases: Sequence[Case]) -> dict[str, int]:
    """Curated and documented cases that name each clause."""
    named = Counter(address for case in cases if not case.generated for address in case.clauses)
    return {address: named[address] for spec in specs for address in spec.clauses}


def _as_printed(case: Case) -> Printed:
    printed = {name: value if isinstance(value, str) else to_tensor(value)
               for name, value in (case.expectation.as_printed or {}).items()}
    read = {name: to_tensor(array) for name, array in (case.expectation.outputs or {}).items() if name in printed}
    return Printed(case=case.id, spec=case.spec, source=case.source, erratum=case.expectation.erratum, printed=printed,
                   read=read)
