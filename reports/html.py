"""One self-contained HTML page, made from records alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markdown_it import MarkdownIt
from markupsafe import Markup

from reports.findings import accusations, clause_rows, errors, primary_clauses
from reports.grids import Grid, Tensor
from reports.reproduce import script
from trial.judge import ACCUSES, VERDICTS
from trial.record import Record

TEMPLATES = Path(__file__).with_name("templates")
SYMBOLS = {"conforms": "✓", "diverges": "✗", "rejects-valid": "✗", "crashes": "✗", "hangs": "✗", "survey": "○",
           "observed": "○", "erratum": "△", "not tried": "–"}


def write_html(records: Sequence[Record], path: Path) -> Path:
    """Write the page of some records; returns its path."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters.update(inline=_inline, anchor=_anchor)
    page = environment.get_template("report.html.j2").render(
        pages=[_page(record) for record in records], verdicts=VERDICTS, symbols=SYMBOLS, accuses=ACCUSES,
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path


def _page(record: Record) -> dict[str, Any]:
    """What the template shows of one record."""
    header = record.header
    findings = accusations(record)
    return {
        "record": record, "header": header, "backend": header["backend"], "counts": record.counts,
        "specifications": {name: clause_rows(record, name) for name in sorted(header["specifications"], key=_order)},
        "findings": [_finding(record, line) for line in findings],
        "errors": errors(record),
        "new": sum("known" not in line for line in findings),
        "survey": _alike(line for line in record.cases if line["verdict"] in (
            "rejects-invalid", "accepts-invalid", "outside-profile") or line["verdict"] in ("crashes", "hangs")
            and line["clauses"]),
        "observed": _alike(line for line in record.cases if line["verdict"] == "observed"),
        "errata": _errata(header),
        "printed": [{**entry, "grids": _printed(entry)} for entry in header["as_printed"]],
    }


def _order(specification: str) -> tuple[bool, str, int]:
    """Profiles before the texts they narrow; of a text that changes, the newest version first."""
    name, _, version = specification.partition("@")
    return bool(version), name, -int(version or 0)


def _alike(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines on which the backend did the same under the same clauses, put together: the first, with all the names,
    forms and versions of the text."""
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line in lines:
        family, _, version = line["spec"].partition("@")
        did = line["did"].rpartition(": ")[2] if line["phase"] else line["did"].partition(" ")[0]
        clauses = tuple(address.partition("#")[2] for address in line["clauses"])
        which = "" if line["id"].startswith("generated-") else line["id"]
        key = (family, line["verdict"], line["phase"], clauses, did, which)
        group = groups.setdefault(key, {**line, "family": family, "names": [], "forms": [], "versions": []})
        for field, value in (("names", line["id"]), ("forms", line["form"]), ("versions", version)):
            if value and value not in group[field]:
                group[field].append(value)
    return list(groups.values())


def _errata(header: dict[str, Any]) -> list[tuple[str, dict[str, Any], str, list[str]]]:
    """(address, clause, evidence, specifications) of each erratum; versions that share it together."""
    found: dict[tuple[str, str, str], tuple[str, dict[str, Any], str, list[str]]] = {}
    for name in sorted(header["specifications"], key=_order):
        for address, clause in header["specifications"][name]["clauses"].items():
            if clause["kind"] == "erratum":
                key = (name.partition("@")[0], address.partition("#")[2], clause["statement"])
                found.setdefault(key, (address, clause, header["errata"].get(address, ""), []))[3].append(name)
    return list(found.values())


def _finding(record: Record, line: dict[str, Any]) -> dict[str, Any]:
    clauses = record.header["specifications"][line["spec"]]["clauses"]
    return {"line": line, "anchor": _anchor(f"{line['spec']}-{line['id']}-{line['form']}"),
            "clauses": [(address, clauses[address]) for address in primary_clauses(record, line)],
            "divergences": [entry for entry in line.get("divergences", []) if not clauses[entry["clause"]]["restates"]],
            "grids": _grids(line), "script": script(record, line)}


def _grids(line: dict[str, Any]) -> list[Grid]:
    """Input, expected and got, at the first element that differs."""
    if "call" not in line:
        return []
    entries = [entry for entry in line.get("divergences", []) if entry.get("where")]
    place = tuple(entries[0]["where"][0]) if entries else None
    cells = [tuple(cell) for cell in (entries[0].get("reads") or [])] if entries else []
    focus = cells[len(cells) // 2] if cells else None
    grids = [Tensor(tensor).grid(name, focus, {"window": cells, "": _corners(line, tensor["shape"], focus)})
             for name, tensor in line["call"]["inputs"].items()]
    for name in line["form"].split("+"):
        differs = [tuple(where) for entry in entries if entry["output"] == name for where in entry["where"]]
        here = [place] if place in differs else []
        for title, tensors in (("expected", line.get("expected", {})), ("got", line.get("got", {}))):
            if name in tensors:
                grids.append(Tensor(tensors[name]).grid(f"{name} {title}", place, {"differs": differs, "focus": here}))
    return [grid for grid in grids if grid is not None]


def _corners(line: dict[str, Any], shape: list[int], focus: tuple[int, ...] | None) -> list[tuple[int, ...]]:
    """The first and the last cell of the padded plane, so that a picture of X shows its padding all around."""
    pads = line["call"]["attributes"].get("pads")
    if len(shape) != 4 or not isinstance(pads, list) or len(pads) != 4 or focus is None:
        return []
    return [(*focus[:2], -pads[0], -pads[1]), (*focus[:2], shape[2] - 1 + pads[2], shape[3] - 1 + pads[3])]


def _printed(entry: dict[str, Any]) -> list[Grid]:
    """An output as the source prints it and as it is read, with the differing cells marked."""
    grids = []
    for name, read in entry["read"].items():
        printed, wanted = Tensor(entry["printed"][name]), Tensor(read)
        places = [(0, 0, row, column) for row in range(wanted.shape[2]) for column in range(wanted.shape[3])]
        differs = [place for place in places if printed.at(place) != wanted.at(place)]
        grids += [printed.grid(f"{name} as printed", None, {"differs": differs}),
                  wanted.grid(f"{name} as read", None, {"differs": differs})]
    return [grid for grid in grids if grid is not None]


def _inline(text: str) -> Markup:
    """Markdown of one line: code spans and the like. Raw HTML is escaped and links are not made."""
    return Markup(MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink"]).renderInline(text))


def _anchor(address: str) -> str:
    """An address as the id of an element."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in address)
