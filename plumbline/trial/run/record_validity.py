"""Tell whether a record is still valid, so that no new run is needed.

It is valid if it is complete, and specifications, cases, known divergences and the code that verdicts depend on are
unchanged. After a change of known divergences the backend runs again: records hold large outputs cropped, so that these
cannot be compared anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from plumbline.cases import Case, CaseError, generated_cases, read_cases
from plumbline.cases.format.loader import files_about
from plumbline.cases.generate.run_cases import in_turn
from plumbline.cases.onnx.contexts import with_contexts
from plumbline.oracle import load_spec
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.record.judge import answers_nothing
from plumbline.trial.record.recording import Record, RecordError, read_record
from plumbline.trial.run.forms import forms_of
from plumbline.trial.run.header_builder import case_digest, code_digest


def is_kept(path: Path, adapter: str, version: str, spec_names: Sequence[str], globs: Sequence[str] = ("*",),
            contexts: Sequence[str] = ()) -> bool:
    """Return True if the record at `path` is what a new run would give.

    adapter:    name of the backend's adapter; "" for one outside the clone, whose records are never valid, since its
                code may have changed.
    version:    of the backend.
    spec_names: the specifications of the run, which the patterns `globs` selected.
    contexts:   names of the contexts of the run.

    Raises KnownError."""
    read = [_written(*group) for group in _groups(tuple(spec_names))]
    written = [case for cases, _ in read for case in cases]
    known = KnownDivergences.load(adapter, version)
    if not adapter or any(errors for _, errors in read) or known.check_ids(written, spec_names):
        return False
    try:
        record = read_record(path)
    except RecordError:
        return False
    header = record.header
    return (record.whole and header.selection.tried == header.selection.of
            and header.suite.get("digest") == code_digest() and header.backend.known == known.digest
            and header.cases.digest == case_digest(
                case for cases in _tried(spec_names, globs) for case in with_contexts(cases, contexts))
            and {name: spec.digest for name, spec in header.specifications.items()}
            == {name: load_spec(name).digest for name in in_turn(spec_names, globs, 0)})


def status_of(record: Record) -> int:
    """Return the exit status that the run of a complete record had."""
    news = [line for line in record.cases if line.known is None]
    if any(line.verdict == "harness-error" for line in news):
        return 2
    if record.header.backend.tried:
        return 1 if record.footer and record.footer.gone or any(line.accuses for line in news) else 0
    if answers_nothing((line.verdict, line.phase) for line in record.cases):
        return 2
    return 1 if any(line.verdict in ("crashes", "hangs") for line in news) else 0


def puts_of(spec_names: Sequence[str], globs: Sequence[str], contexts: Sequence[str]) -> list[tuple[Case, str]]:
    """Return the cases of a run with no other options than `globs`, alone and in contexts, with their forms."""
    return [(case, form) for cases in _tried(spec_names, globs) for case in with_contexts(cases, contexts)
            for form in forms_of(case)]


def _tried(spec_names: Sequence[str], globs: Sequence[str]) -> list[list[Case]]:
    """Return the cases of a run with no other options than `globs`, by specification."""
    tried = {*in_turn(spec_names, globs, 0)}
    return [_cases(name, group) for group in _groups(tuple(spec_names)) for name in group.versions if name in tried]


class _Group(NamedTuple):
    """Versions of one specification, and the files that may hold cases of them."""

    versions: tuple[str, ...]
    files: tuple[Path, ...]


@cache
def _groups(spec_names: tuple[str, ...]) -> list[_Group]:
    groups = [tuple(versions) for _, versions in groupby(spec_names, lambda name: name.partition("@")[0])]
    return [_Group(versions, tuple(files)) for versions, files in zip(groups, files_about(groups), strict=True)]


@cache
def _cases(spec_name: str, group: _Group) -> list[Case]:
    """Return the cases of one specification."""
    written, _ = _written(*group)
    return [*(case for case in written if case.spec == spec_name), *generated_cases(spec_name, written, seed=0)]


@cache
def _written(versions: tuple[str, ...], files: tuple[Path, ...]) -> tuple[list[Case], list[CaseError]]:
    return read_cases(files, versions)
