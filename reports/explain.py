"""A clause in text, for a terminal: its statement, its cases, and what each backend did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plumbline.reports.campaigns import clause_counts, described
from plumbline.trial.record import Record


def explain(address: str, records: Sequence[Record]) -> Iterator[str]:
    """Lines of text. Raises LookupError when a record does not have the clause."""
    specification = address.partition("#")[0]
    for number, record in enumerate(records):
        clauses = record.header["specifications"].get(specification, {"clauses": {}})["clauses"]
        if address not in clauses:
            raise LookupError(f"{record.path}: no clause {address!r} in this record")
        clause = clauses[address]
        if number == 0:
            yield from (f"{address}  {clause['title']} ({clause['kind']})", f"  {clause['statement']}",
                        f"  source: {clause['source']}")
        yield from ("", f"{record.header['backend']['name']} {record.header['backend']['version']}")
        target = clause["restates"] or address
        if record.is_campaign:
            counts = clause_counts(record).get(target, {})
            yield f"  {described(record)}"
            yield f"  of all calls: {', '.join(f'{count} {what}' for what, count in counts.items()) or 'none'}"
        for line in record.cases:
            if line["spec"] == specification and (target in line["covers"] or target in line["clauses"]):
                wrong = [entry["why"] for entry in line.get("divergences", []) if entry["clause"] == target]
                held = " (other clauses)" if line["verdict"] == "diverges" and not wrong else ""
                yield "  ".join([f"  {line['verdict'] + held:16}", f"{line['id']} [{line['form']}]", *wrong])
