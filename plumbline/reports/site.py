"""Write a static site of records: pages, lists, search, badges."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plumbline.oracle.files import write_file
from plumbline.reports import site_json
from plumbline.reports.clauses import broken_clauses, matrix
from plumbline.reports.columns import Column, columns
from plumbline.reports.evidence import mismatches
from plumbline.reports.histories import column_regressions, histories, progress, steps
from plumbline.reports.operator_view import OperatorView, backend_folder, clause_results, operator_folder, operator_view
from plumbline.reports.page import frame
from plumbline.reports.record_parts import by_specification
from plumbline.reports.rendering import rendered
from plumbline.reports.specials import content
from plumbline.reports.tables import endpoint
from plumbline.reports.text import headline
from plumbline.reports.words import anchor, unversioned
from plumbline.trial.record.recording import Record


class SiteError(ValueError):
    """Records that make no site; the message is one line."""


def write_site(records: Sequence[Record], out: Path) -> list[Path]:
    """Write the site to the folder `out`; return its pages, the index first.

    Raises SiteError if there is nothing to show or two pages would have the same address, and OSError."""
    shown = columns(records)
    _check(shown)
    views = [operator_view(name, parts) for name, parts in by_specification(records).items()]
    backends = {name: [column for column in shown if column.name == name] for name in
                dict.fromkeys(column.name for column in shown)}
    lists = {**frame(shown), "headlines": (), "notices": (), "site": views, "backends": backends, "up": "../"}
    special = content([versions[-1] for versions in backends.values()])
    headlines = {column.label: headline(column.record) for column in shown}
    pages = [_write(out, "", "site.html.j2", _index(shown, views, backends, headlines),
                    site_json.index(views, backends, headlines)),
             _write(out, "silences", "site_unspecified.html.j2", lists,
                    {view.name: [site_json.unspecified(entry) for entry in view.unspecified] for view in views}),
             _write(out, "specials", "site_specials.html.j2", {**lists, **special}, special),
             _write(out, "search", "site_search.html.j2", {**lists, "scripts": ["search.js"]}, None)]
    pages += [_write(out, view.address, "operator.html.j2", {**view.variables, "view": view, "up": "../" * 2},
                     site_json.operator(view)) for view in views]
    pages += [_write(out, backend_folder(name), "backend.html.j2", _backend(versions, views),
                     site_json.backend(versions, views, headlines))
              for name, versions in backends.items()]
    _write_badges(out, views, backends)
    return pages


def _check(shown: Sequence[Column]) -> None:
    """Check that there are results, and addresses for pages. Raises SiteError."""
    if not any(column.record.cases for column in shown):
        raise SiteError("the records contain no result, so there is nothing to show")
    owners: dict[str, str] = {}
    for column in shown:
        path = str(column.record.path)
        if column.record.is_campaign:
            raise SiteError(f"{path} is of a campaign; make a site from the records of conformance runs")
        names = {unversioned(name) for name in column.record.header.specifications}
        for place, owner in [(backend_folder(column.name), column.name), *((operator_folder(name), name)
                                                                          for name in names),
                             (f"{backend_folder(column.name)}/{anchor(column.version)}", path)]:
            if not all(part.strip(".") for part in place.split("/")):
                raise SiteError(f"{path}: {owner!r} cannot be the address of a page")
            if owners.setdefault(place.lower(), owner) != owner:
                raise SiteError(f"{owners[place.lower()]} and {owner} would have the same address; leave one out")


def _index(shown: Sequence[Column], views: Sequence[OperatorView], backends: Mapping[str, list[Column]],
           headlines: Mapping[str, str]) -> dict[str, Any]:
    """The template variables of the start page."""
    operators = {entry.operator for column in shown for entry in column.record.header.specifications.values()}
    return {**frame(shown), "headlines": (), "notices": mismatches(shown), "site": views, "backends": backends,
            "operators": len(operators),
            "newest": {name: (headlines[versions[-1].label], _progress(versions[-2:]))
                       for name, versions in backends.items()}}


def _progress(versions: Sequence[Column]) -> list[tuple[str, str]]:
    """The `progress` between two versions of a backend."""
    rows = [row for part in matrix(versions).values() for row in part]
    return progress(versions, broken_clauses(rows, column_regressions(versions)))


def _backend(versions: Sequence[Column], views: Sequence[OperatorView]) -> dict[str, Any]:
    """The template variables of the page of a backend."""
    rows = [row for part in matrix(versions).values() for row in part]
    return {**frame(versions), "title": versions[0].name, "site": [view for view in views if any(
                column.label in view.shares for column in versions)], "up": "../../",
            "page_of": lambda address: f"../../{operator_folder(unversioned(address))}/index.html",
            "progress": progress(versions, broken_clauses(rows, column_regressions(versions))),
            "histories": histories(versions, rows), "steps": steps(versions)}


def _write_badges(out: Path, views: Sequence[OperatorView], backends: Mapping[str, Sequence[Column]]) -> None:
    """Write badges of newest versions, per backend and per operator."""
    for name, versions in backends.items():
        _write_json(out / backend_folder(name) / "badge.json", endpoint(versions[-1].record))
    for view in views:
        for share in view.newest:
            badge = endpoint(share.column.record) | {"label": f"{share.column.name} {view.name}"}
            _write_json(out / view.address / f"{anchor(share.column.name)}.badge.json", badge)


def _write(out: Path, folder: str, template: str, variables: Mapping[str, Any],
           plain: Mapping[str, Any] | None) -> Path:
    """Write a page, and its content as JSON beside it."""
    if plain is not None:
        _write_json(out / folder / "index.json", {"format": site_json.FORMAT, **plain})
    return write_file(out / folder / "index.html", rendered(template, clause_results=clause_results, **variables))


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    write_file(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
