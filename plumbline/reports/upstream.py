"""One result as a report to those who mend the runtime: Markdown that is ready to file, made from a record."""

from __future__ import annotations

import re
from collections.abc import Iterator

import onnx

from plumbline.reports.reproduce import contents, script
from plumbline.reports.text import again
from plumbline.reports.words import clipped, code, count, text
from plumbline.trial.known.root_causes import groups
from plumbline.trial.record.header import Backend, Clause
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.one_line import call_text
from plumbline.trial.record.recording import Record

SHOWN = 8
"""Wrong elements that are listed."""

WHAT = {"diverges": "gives a wrong {output}", "rejects-valid": "refuses a valid call", "crashes": "crashes",
        "hangs": "hangs", "unstable": "answers the same call differently"}


class UpstreamError(ValueError):
    """A report that cannot be made; the text is one line."""


def upstream(record: Record, line: CaseLine, bisected: str | None = None) -> str:
    """The report on a result that accuses the backend; `bisected` is what `plumbline bisect` printed about the case.
    Raises UpstreamError."""
    if not line.accuses:
        raise UpstreamError(f"{line.id} [{line.form}]: {line.verdict} accuses nobody, so there is nothing to report")
    sections = [("", [*_summary(record, line)]), ("What the specification says", [*_clauses(record, line)]),
                ("The call", [*_call(record, line)]), ("Expected and got", [*_outputs(line)]),
                ("To reproduce", [*_script(record, line)]), ("Versions", [*_versions(record, line, bisected)])]
    body = [part for title, lines in sections if lines
            for part in ([f"## {title}", "", *lines, ""] if title else [*lines, ""])]
    return "\n".join([f"# {title_of(line)}", "", *body]).rstrip("\n") + "\n"


def title_of(line: CaseLine) -> str:
    """What does what wrongly, in a line."""
    operator = line.call.operator if line.call else ""
    output = next((entry.output for entry in line.divergences), "answer")
    why = line.divergences[0].why if line.divergences else line.did
    return text(f"{operator} {WHAT[line.verdict].format(output=output)}: {clipped(why)}")


def _summary(record: Record, line: CaseLine) -> Iterator[str]:
    group = next(group for group in groups(record) if line in group.lines)
    yield text(f"{record.who}, {line.dtype}, opset {line.opset}: {line.title}.")
    if len(group.lines) > 1:
        yield text(f"Of the calls tried, {count(len(group.lines), 'result')} show this.")
    if line.known is not None:
        yield from ("", text(f"Known so far: {line.known.reason}"))
        yield from [f"See {line.known.link}"] if line.known.link else ()


def _clauses(record: Record, line: CaseLine) -> Iterator[str]:
    held = record.header.specifications[line.spec]
    addresses = line.clauses or line.covers if line.verdict == "diverges" else line.covers or line.clauses
    if line.verdict != "diverges":
        yield from ("The call is valid: it breaks no constraint. It is there for", "") if line.expected else ()
    for address in dict.fromkeys(addresses):
        clause: Clause | None = held.clauses.get(address)
        if clause is not None and not clause.restates:
            yield f"- {code(address)}, {text(clause.title)}: {text(clause.statement)}"
            yield f"  Source: {text(clause.source)}"
    yield from ("", text(f"As in: {held.edition}."))


def _call(record: Record, line: CaseLine) -> Iterator[str]:
    if line.call is None:
        return
    yield from _fenced(call_text(line.call))
    model = contents(record, line).get("model.onnx")
    if model is not None:
        yield from ("", "As a model:", "", *_fenced(onnx.printer.to_text(onnx.load_model_from_string(model))))


def _outputs(line: CaseLine) -> Iterator[str]:
    if not line.divergences:
        yield text(f"Expected: {'the outputs of the call' if line.expected else 'an answer or a refusal'}.")
        yield text(f"Got: {clipped(line.did)}")
        return
    rows = [(f"{entry.output}{list(place)}", str(right), str(seen)) for entry in line.divergences if entry.where
            for place, right, seen in zip(entry.where, entry.expected, entry.got, strict=True)]
    rows = list(dict.fromkeys(rows))
    for entry in line.divergences:
        yield from () if entry.where else (f"- {text(entry.why)}",)
    if rows:
        yield from ("| element | expected | got |", "|---|---|---|")
        yield from (f"| {' | '.join(map(code, row))} |" for row in rows[:SHOWN])
        yield from ("", f"and {len(rows) - SHOWN} more") if len(rows) > SHOWN else ()
    for name, bound in line.bounds.items():
        yield from ("", text(f"A value of {name} within {bound:g} of the expected one would be taken as rounded."))


def _script(record: Record, line: CaseLine) -> Iterator[str]:
    found = script(record, line)
    if found:
        yield from ("A script without the suite; it exits with 1 where the fault shows, and 0 where it does not, as "
                    "`git bisect run` takes it:", "", *_fenced(found, "python"), "")
    yield from ("With Plumbline:", "", *_fenced(again(record, line)))


def _versions(record: Record, line: CaseLine, bisected: str | None) -> Iterator[str]:
    backend: Backend = record.header.backend
    yield text(f"Found with {backend.name} {backend.version}, Python {backend.python}, numpy {backend.numpy}, on "
               f"{', '.join(f'{name} {value}' for name, value in record.header.platform.items())}.")
    if bisected is None:
        return
    about = f"{line.spec} {line.id} [{line.form}]"
    lines = bisected.splitlines()
    first = next((entry for entry in lines if re.search(r", [0-9]+ releases, ", entry)), "")
    name, _, of = first.partition(", ")
    if (name, of.partition(" releases, ")[2]) != (backend.name, about):
        raise UpstreamError(f"that is not what plumbline bisect {backend.name} printed about {about}")
    yield from ("", *_fenced("\n".join(lines[lines.index(first):])))


def _fenced(content: str, language: str = "") -> list[str]:
    """A block of code that holds any text."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", content)), default=0))
    return [f"{fence}{language}", *content.rstrip("\n").split("\n"), fence]
