"""Collect facts and limits of runs, and differences between records."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.reports.columns import Column, describe_campaign, describe_profile
from plumbline.reports.text import command_warning
from plumbline.reports.words import count, first_few, joined, merge_labels, merge_versions, newest_first, unversioned

NAMED = 6
"""Specifications named as not tried."""


def mismatches(shown: Sequence[Column]) -> list[str]:
    """Reasons why columns are not comparable, one sentence each.

    Empty if all tried the same cases and specifications, contexts aside. Versions of a specification with the same
    reason share a sentence, as do all specifications that the same columns did not try."""
    names = list(dict.fromkeys(name for column in shown for name in column.record.header.specifications))
    differing, untried = dict[tuple[str, str], list[str]](), dict[str, list[str]]()
    for name in sorted(names, key=newest_first):
        tried = {column.label: column.record.header.specifications.get(name) for column in shown}
        missing = "; ".join(merge_labels(label for label, entry in tried.items() if entry is None))
        for digests in _differing_digests({label: entry.digest for label, entry in tried.items() if entry}):
            differing.setdefault((unversioned(name), digests), []).append(name)
        if missing:
            untried.setdefault(missing, []).append(name)
    cases = _differing_digests({column.label: column.record.header.cases.alone or column.record.header.cases.digest
                                for column in shown})
    return [f"The cases differ: {digests}" for digests in cases] + [
        f"The specification {joined(versions)} differs: {digests}"
        for (_, digests), versions in differing.items()] + [
        f"Not tried on {labels}: {first_few(merge_versions(missing), NAMED)}" for labels, missing in untried.items()]


def _differing_digests(digests: dict[str, str]) -> list[str]:
    """The labels of each digest, if digests differ."""
    labels_of: dict[str, list[str]] = {}
    for label, digest in digests.items():
        labels_of.setdefault(digest, []).append(label)
    phrase = "; ".join(f"{', '.join(merge_labels(labels))} (digest {digest[:12]})"
                       for digest, labels in labels_of.items())
    return [phrase] if len(labels_of) > 1 else []


def notices(shown: Sequence[Column]) -> list[str]:
    """The limits of each record, equal ones merged."""
    labels_of: dict[str, list[str]] = {}
    for column in shown:
        for limit in _limits(column):
            labels_of.setdefault(limit, []).append(column.label)
    return [f"{'; '.join(merge_labels(labels))}: {limit}" for limit, labels in labels_of.items()]


def _limits(column: Column) -> list[str]:
    record, selection = column.record, column.record.header.selection
    limits = list(filter(None, [describe_campaign(record), describe_profile(record)]))
    if not record.whole:
        limits.append(f"incomplete: {record.incomplete}")
    if not record.cases:
        limits.append("the record contains no result")
    if selection.tried < selection.of:
        limits.append(f"a partial run, {selection.tried:,} of {selection.of:,} results were selected")
    if record.header.model:
        limits.append("results are the nodes of a model; only broken clauses are counted, not kept ones")
    if not record.header.backend.tried:
        limits.append("no baseline for this version: new failures are listed but do not fail the run")
    undeclared = [line for line in record.cases if line.undeclared]
    if undeclared:
        first = undeclared[0]
        were, they = ("was", "it was") if len(undeclared) == 1 else ("were", "they were")
        limits.append(f"{count(len(undeclared), 'result')} {were} outside the declared capabilities but answered "
                      f"anyway; {they} judged. The first is {first.spec} {first.id} [{first.form}]: {first.undeclared}")
    return limits + (record.footer.gone if record.footer else [])


def evidence_rows(shown: Sequence[Column]) -> list[tuple[str, list[str]]]:
    """Facts of each run, as (name, text per column)."""
    headers = [column.record.header for column in shown]
    backends = [header.backend for header in headers]
    rows = [
        ("Record", [column.file for column in shown]),
        ("Command", [column.record.header.command + command_warning(column.record) for column in shown]),
        ("Started", [header.started for header in headers]),
        ("Time in calls", [f"{_seconds(column):.1f} s" for column in shown]),
        ("Suite", [" ".join(header.suite.values()) for header in headers]),
        ("Backend", [_backend(column) for column in shown]),
        ("Its Python and numpy", [f"{backend.python}, {backend.numpy}" for backend in backends]),
        *((name, [header.platform.get(name, "") for header in headers])
          for name in dict.fromkeys(name for header in headers for name in header.platform)),
        ("Results", [f"{column.record.reached:,} of {column.record.chosen:,}" for column in shown]),
        ("Skipped, undeclared", [f"{header.selection.declined:,} generated results" for header in headers]),
        ("Not asked", [", ".join(merge_versions(header.selection.not_asked)) for header in headers]),
        ("Left to other seeds", [", ".join(merge_versions(header.selection.for_other_seeds)) for header in headers]),
        ("Cases", [f"{header.cases.count}, digest {header.cases.digest[:16]}" for header in headers]),
        *((f"option {name}", ["default" if (value := header.options.get(name)) is None else str(value)
                              for header in headers])
          for name in dict.fromkeys(name for header in headers for name in header.options)),
    ]
    for name in sorted({name for header in headers for name in header.specifications}, key=newest_first):
        tried = [header.specifications.get(name) for header in headers]
        rows.append((name, [f"digest {entry.digest[:16]}" if entry else "not tried" for entry in tried]))
    return rows


def _seconds(column: Column) -> float:
    footer = column.record.footer
    if column.record.is_campaign and footer is not None:
        return footer.seconds
    return sum(line.seconds for line in column.record.cases)


def _backend(column: Column) -> str:
    about = [f"{name}: {text}" for name, text in column.record.header.backend.about.items()]
    providers = dict.fromkeys(line.provider for line in column.record.cases if line.provider)
    ran = [f"ran on {', '.join(providers)}"] if providers else []
    return "; ".join([column.record.who, *about, *ran])
