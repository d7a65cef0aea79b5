"""Write a result as a bug report in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

import onnx

from plumbline.reports.reproduce import contents, script
from plumbline.reports.text import command_warning, rerun_command
from plumbline.reports.words import clipped, code_span, count, escaped
from plumbline.trial.known.root_causes import groups
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.one_line import call_text
from plumbline.trial.record.recording import Record

SHOWN = 8
"""Wrong elements listed in a report."""

FAILURES = {"diverges": "gives a wrong {output}", "rejects-valid": "refuses a valid call", "crashes": "crashes",
            "hangs": "hangs", "unstable": "answers the same call differently"}
"""The title of a report by verdict."""


class UpstreamError(ValueError):
    """A report that cannot be made."""


def upstream(record: Record, line: CaseLine, bisected: str | None = None) -> str:
    """The report on an accusing result.

    `bisected` is the output of `plumbline bisect` about the case. Raises UpstreamError."""
    if not line.accuses:
        raise UpstreamError(f"{line.id} [{line.form}]: {line.verdict} is not a fault, so there is nothing to report")
    sections = [("", [*_summary(record, line)]), ("What the specification says", [*_clauses(record, line)]),
                ("The call", [*_call(record, line)]), ("Expected and actual outputs", [*_outputs(line)]),
                ("To reproduce", [*_script(record, line)]), ("Versions", [*_versions(record, line, bisected)])]
    body = [part for title, lines in sections if lines
            for part in ([f"## {title}", "", *lines, ""] if title else [*lines, ""])]
    return "\n".join([f"# {title_of(line)}", "", *body]).rstrip("\n") + "\n"


def title_of(line: CaseLine) -> str:
    """The title of a report: operator and failure."""
    operator = line.call.operator if line.call else ""
    output = next((entry.output for entry in line.divergences), "answer")
    why = line.divergences[0].why if line.divergences else line.did
    return escaped(f"{operator} {FAILURES[line.verdict].format(output=output)}: {clipped(why)}")


def _summary(record: Record, line: CaseLine) -> Iterator[str]:
    group = next(group for group in groups(record) if line in group.lines)
    yield escaped(f"{record.who}, {line.dtype}, opset {line.opset}: {line.title}.")
    if len(group.lines) > 1:
        yield escaped(f"{count(len(group.lines), 'result')} of the calls tried show this failure.")
    if line.known is not None:
        yield from ("", escaped(f"What is known: {line.known.reason}"))
        yield from [f"See {line.known.link}"] if line.known.link else ()


def _clauses(record: Record, line: CaseLine) -> Iterator[str]:
    specification = record.header.specifications[line.spec]
    addresses = line.clauses or line.covers if line.verdict == "diverges" else line.covers or line.clauses
    if line.verdict != "diverges":
        yield from ("The call is valid: it breaks no constraint. It tests", "") if line.expected else ()
    for address in dict.fromkeys(addresses):
        clause = specification.clauses.get(address)
        if clause is not None and not clause.restates:
            yield f"- {code_span(address)}, {escaped(clause.title)}: {escaped(clause.statement)}"
            yield f"  Source: {escaped(clause.source)}"
    yield from ("", escaped(f"Edition: {specification.edition}."))


def _call(record: Record, line: CaseLine) -> Iterator[str]:
    if line.call is None:
        return
    yield from _fenced(call_text(line.call))
    model = contents(record, line).get("model.onnx")
    if model is not None:
        yield from ("", "As a model:", "", *_fenced(onnx.printer.to_text(onnx.load_model_from_string(model))))


def _outputs(line: CaseLine) -> Iterator[str]:
    """Yield lines on what a result should be and what it is."""
    if not line.divergences:
        yield escaped(f"Expected: {'the outputs of the call' if line.expected else 'an answer or a refusal'}.")
        yield escaped(f"Actual: {clipped(line.did)}")
        return
    rows = list(dict.fromkeys((f"{entry.output}{list(place)}", str(right), str(wrong))
                              for entry in line.divergences if entry.where
                              for place, right, wrong in zip(entry.where, entry.expected, entry.got, strict=True)))
    for entry in line.divergences:
        yield from () if entry.where else (f"- {escaped(entry.why)}",)
    if rows:
        yield from ("| element | expected | actual |", "|---|---|---|")
        yield from (f"| {' | '.join(map(code_span, row))} |" for row in rows[:SHOWN])
        yield from ("", f"and {len(rows) - SHOWN} more") if len(rows) > SHOWN else ()
    for name, bound in line.bounds.items():
        yield from ("", escaped(f"The rounding error allowed for {name} is {bound:g}."))


def _script(record: Record, line: CaseLine) -> Iterator[str]:
    reproducer = script(record, line)
    if reproducer:
        yield from ("This script needs no test suite. It exits with 1 if the fault shows and with 0 otherwise, as "
                    "`git bisect run` expects:", "", *_fenced(reproducer, "python"), "")
    yield from (f"With Plumbline{command_warning(record)}:", "", *_fenced(rerun_command(record, line)))


def _versions(record: Record, line: CaseLine, bisected: str | None) -> Iterator[str]:
    backend = record.header.backend
    yield escaped(f"Found with {backend.name} {backend.version}, Python {backend.python}, numpy {backend.numpy}, on "
               f"{', '.join(f'{name} {value}' for name, value in record.header.platform.items())}.")
    if bisected is None:
        return
    about = f"{line.spec} {line.id} [{line.form}]"
    lines = bisected.splitlines()
    first = next((entry for entry in lines if re.search(r", [0-9]+ releases, ", entry)), "")
    name, _, releases = first.partition(", ")
    if (name, releases.partition(" releases, ")[2]) != (backend.name, about):
        raise UpstreamError(f"not the output of plumbline bisect {backend.name} about {about}; run that command, and "
                            "give its whole output")
    yield from ("", *_fenced("\n".join(lines[lines.index(first):])))


def _fenced(content: str, language: str = "") -> list[str]:
    """A fenced block of any content."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", content)), default=0))
    return [f"{fence}{language}", *content.rstrip("\n").split("\n"), fence]
