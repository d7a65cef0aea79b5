"""What the numbers of a page rest on: the header of each record in rows, and what a reader must know beforehand."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.reports.addresses import by_age, texts
from plumbline.reports.campaigns import described
from plumbline.reports.side_by_side import Column
from plumbline.reports.wording import count, together


def notices(shown: Sequence[Column]) -> list[str]:
    """What limits a record: it keeps few lines of a campaign, is truncated, partial, of a version that nobody tried
    before, known divergences are gone, or calls were answered although a gap had been declared."""
    said: dict[str, list[str]] = {}
    for column in shown:
        for text in _limits(column):
            said.setdefault(text, []).append(column.label)
    return [f"{'; '.join(together(labels))}: {text}" for text, labels in said.items()]


def _limits(column: Column) -> list[str]:
    record, selection = column.record, column.record.header["selection"]
    found = list(filter(None, [described(record)]))
    if record.truncated:
        found.append("the run did not end; this record is truncated, and cases are missing")
    if not record.cases:
        found.append("the record holds no result")
    if selection["tried"] < selection["of"]:
        found.append(f"a partial run, {selection['tried']} of {selection['of']} results were selected")
    if not record.header["backend"]["tried"]:
        found.append("nobody has tried this version before; what is new here is news, and fails no run")
    undeclared = [line for line in record.cases if "undeclared" in line]
    if undeclared:
        first = undeclared[0]
        were = "was" if len(undeclared) == 1 else "were"
        found.append(f"{count(len(undeclared), 'result')} {were} answered although a gap had been declared, the first "
                     f"{first['id']} [{first['form']}]: {first['undeclared']}")
    return found + (record.footer or {}).get("gone", [])


def evidence_rows(shown: Sequence[Column]) -> list[tuple[str, list[str]]]:
    """(what, for each column its text): everything that a header says of suite, backend, machine and options."""
    headers = [column.record.header for column in shown]
    backends = [header["backend"] for header in headers]
    rows = [
        ("Record", [column.file for column in shown]),
        ("Command", [header["command"] for header in headers]),
        ("Started", [header["started"] for header in headers]),
        ("Time in calls", [f"{_seconds(column):.1f} s" for column in shown]),
        ("Suite", [" ".join(header["suite"].values()) for header in headers]),
        ("Backend", [_backend(column) for column in shown]),
        ("Its Python and numpy", [f"{who['python']}, {who['numpy']}" for who in backends]),
        *((name, [header["platform"].get(name, "") for header in headers])
          for name in dict.fromkeys(name for header in headers for name in header["platform"])),
        ("Results", [f"{header['selection']['tried']} of {header['selection']['of']}" for header in headers]),
        ("Not asked", [", ".join(texts(header["selection"].get("not_asked", []))) for header in headers]),
        ("Cases", [f"{header['cases']['count']}, digest {header['cases']['digest'][:16]}" for header in headers]),
        *((f"option {name}", [_shown(header["options"].get(name)) for header in headers])
          for name in dict.fromkeys(name for header in headers for name in header["options"])),
    ]
    for name in sorted({name for header in headers for name in header["specifications"]}, key=by_age):
        found = [header["specifications"].get(name) for header in headers]
        rows.append((name, [f"digest {text['digest'][:16]}" if text else "not tried" for text in found]))
    return rows


def _seconds(column: Column) -> float:
    lines = sum(line.get("seconds", 0) for line in column.record.cases)
    return (column.record.footer or {}).get("seconds", lines) if column.record.is_campaign else lines


def _backend(column: Column) -> str:
    backend = column.record.header["backend"]
    about = [f"{name}: {text}" for name, text in backend["about"].items()]
    providers = dict.fromkeys(line["provider"] for line in column.record.cases if "provider" in line)
    ran = [f"ran on {', '.join(providers)}"] if providers else []
    return "; ".join([f"{backend['name']} {backend['version']}", *about, *ran])


def _shown(value: object) -> str:
    return "default" if value is None else str(value)
