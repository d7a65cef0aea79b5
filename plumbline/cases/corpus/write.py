"""Write the corpus: vectors, models with their data, and a manifest.

The same command writes the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from plumbline.cases.corpus.frozen import WITHDRAWN, changes
from plumbline.cases.corpus.vector import RESULTS, vector
from plumbline.cases.format.case import Case
from plumbline.cases.format.flags import notes
from plumbline.cases.format.lint import contradiction
from plumbline.cases.generate.run_cases import GENERATED, generated_cases
from plumbline.cases.onnx.export import reason_to_leave_out, test_of, write_call, write_test
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.files import write_file

VERSION = 1
"""The number of the corpus, raised with each publication."""

SCHEMA = Path(__file__).with_name("vectors.schema.json")
README = Path(__file__).with_name("README.txt")

LARGEST = 1 << 16
"""Most elements of a tensor; larger cases are left out."""

LEFT_OUT = {"large": f"with a tensor of more than {LARGEST:,} elements",
            "contradicts": "that contradict their specification",
            "strings": "with tensors of strings, which vectors do not hold"}


class CorpusError(ValueError):
    """A corpus that cannot be written; the message is one line."""


@dataclass
class Written:
    """Counts of what was written.

    results:   vectors, by result.
    tests:     vectors that are tests of ONNX's own runner too.
    calls:     vectors with model and inputs only.
    left_out:  cases left out, by reason (a key of `LEFT_OUT`).
    unsettled: vectors that may not list every conforming value.
    """

    results: Counter[str] = field(default_factory=Counter)
    tests: int = 0
    calls: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    unsettled: int = 0

    def lines(self) -> Iterator[str]:
        """Yield the counts as lines of a summary."""
        yield f"{self.results.total():,} vectors: " + ", ".join(f"{self.results[name]:,} {name}" for name in RESULTS)
        yield f"{self.tests:,} of them are tests of ONNX's own runner, {self.calls:,} have model and inputs only"
        if self.unsettled:
            yield f"{self.unsettled:,} may not list every conforming value"
        for reason, count in self.left_out.items():
            yield f"left out: {count:,} {LEFT_OUT[reason]}"


def write_corpus(folder: Path, names: Iterable[str], cases: Iterable[Case], *, generated: int = GENERATED,
                 since: Path | None = None, progress: Callable[[str], None] = lambda name: None) -> Written:
    """Write the cases of specifications, written and generated, into a new folder. Raises CorpusError.

    names:    specifications; `cases` are hand-written ones, to which so many `generated` ones are added.
    since:    a published corpus, whose vectors must not change.
    progress: called with the name of each specification before its turn."""
    if np.finfo(np.longdouble).nmant != 63:
        raise CorpusError("this machine's long double lacks the 64 bits of precision (as on x86) that bounds need: "
                          "take the published corpus, and check it by its manifest")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CorpusError(f"{folder}: is not an empty folder; name a new one")
    written, done = list(cases), Written()
    for name in names:
        progress(name)
        spec = load_spec(name)
        own = [case for case in written if case.spec == name]
        _write_specification(folder, spec,
                             [*own, *generated_cases(name, written, seed=0, count=generated, large=False)], done)
    if not done.results:
        raise CorpusError(f"{folder}: nothing to write")
    write_file(folder / "schema.json", SCHEMA.read_bytes())
    write_file(folder / "README.md", README.read_bytes())
    if since is not None:
        changed = next(changes(since, folder), None)
        if changed is not None:
            raise CorpusError(f"{folder}: {changed}")
    _write_manifest(folder, done)
    return done


def _write_specification(folder: Path, spec: Spec, cases: list[Case], done: Written) -> None:
    lines, flags, clauses = [], set(), set()
    for case in cases:
        for form in spec.forms:
            call = case.call.asking_for(*form)
            reason = _left_out(spec, case, call)
            if reason is not None:
                done.left_out[reason] += 1
                continue
            entry = {**vector(spec, case, call), **_model(folder, spec, case, call, done)}
            done.results[entry["result"]] += 1
            done.unsettled += any("unsettled" in output for answer in entry.get("answers", ())
                                  for output in answer.values())
            lines.append(json.dumps(entry, allow_nan=False, ensure_ascii=False, separators=(",", ":")))
            flags |= {*entry["flags"]}
            clauses |= {*entry["clauses"], *entry.get("broken", ()), *entry.get("silences", ())}
    head = {"corpus": VERSION, "specification": spec.name, "operator": spec.operator, "edition": spec.edition,
            "text": spec.digest, "results": RESULTS,
            "flags": {flag: note for flag, note in notes([spec]).items() if flag in flags},
            "clauses": {address: {"kind": clause.kind, "statement": " ".join(clause.statement.split()),
                                  "source": clause.source}
                        for address, clause in spec.clauses.items() if address in clauses}}
    text = json.dumps(head, allow_nan=False, ensure_ascii=False, indent=1)
    body = ",\n".join(lines)
    write_file(folder / "vectors" / f"{spec.name}.json",
               f'{text.removesuffix("}").rstrip()},\n "vectors": [\n{body}\n]}}\n')


def _left_out(spec: Spec, case: Case, call: Call) -> str | None:
    tensors = [value for value in (*call.inputs.values(), *call.attributes.values()) if isinstance(value, np.ndarray)]
    if contradiction(case) is not None:
        return "contradicts"
    if not spec.violations(call):
        tensors += spec.expected(call).values()
    if any(array.dtype.hasobject for array in tensors):
        return "strings"
    return "large" if any(array.size > LARGEST for array in tensors) else None


def _model(folder: Path, spec: Spec, case: Case, call: Call, done: Written) -> dict[str, Any]:
    """Write the model, as a test of ONNX's runner or without outputs, and return its place."""
    place = test_of(spec, case, call)
    if reason_to_leave_out(spec, case, call) is None:
        write_test(folder / "tests" / place, spec, case, call)
        done.tests += 1
        return {"model": f"tests/{place.as_posix()}"}
    try:
        write_call(folder / "calls" / place, spec, case, call)
    except (TypeError, ValueError):
        return {}
    done.calls += 1
    return {"model": f"calls/{place.as_posix()}"}


def _write_manifest(folder: Path, done: Written) -> None:
    files = {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
             for path in sorted(folder.rglob("*")) if path.is_file()}
    manifest = {"corpus": VERSION, "vectors": done.results.total(), "results": {name: done.results[name] for name in
                RESULTS}, "withdrawn": json.loads(WITHDRAWN.read_text(encoding="utf-8")), "sha256": files}
    write_file(folder / "manifest.json", json.dumps(manifest, indent=0) + "\n")
