"""A static site of records: operators, backends and versions, each cell with the clauses that are kept, broken, refused
and not tried, and the smallest call that shows it; a page for each operator and backend, unspecified clauses, special
values, a search, and beside every page its content as JSON, and badges."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.oracle.files import write_file
from plumbline.reports.changes import histories, losses, progress, steps
from plumbline.reports.clauses import Stated, broken_clauses, clauses_of, matrix, notation, stated
from plumbline.reports.columns import Column, case_rows, columns, errata, unlike
from plumbline.reports.findings import Finding, examples, findings, of_clauses, places, smallest
from plumbline.reports.instances import Instance
from plumbline.reports.page import by_family, by_text, frame, rendered
from plumbline.reports.specials import SHOWN, content
from plumbline.reports.tables import endpoint
from plumbline.reports.text import headline
from plumbline.reports.trace import STATES, Silence, silences, survey
from plumbline.reports.words import anchor, count, parts
from plumbline.trial.record.header import Clause
from plumbline.trial.record.recording import Record

FORMAT = 1
"""Of the JSON; raised when a reader of the format before could not read it."""

WORDS = {status: state for state, status in STATES.items()}


class SiteError(ValueError):
    """Records that make no site; the text is one line."""


@dataclass(frozen=True)
class Share:
    """What becomes of the clauses on outputs of a text in one record: how many are "kept", "broken", "refused" and "not
    tried", the causes that accuse it there, by number, and its smallest call with what is wrong on it."""

    column: Column
    counts: Counter[str]
    causes: dict[int, Finding]
    least: tuple[Finding, Instance, str] | None

    @property
    def unanswered(self) -> Counter[str]:
        """By verdict the results that break no clause since there is no answer to judge: refusals, crashes, hangs, and
        answers that change."""
        return Counter(finding.verdict for finding in self.causes.values() if not finding.clauses
                       for label, _ in finding.held if label == self.column.label)

    @property
    def in_words(self) -> list[tuple[str, str]]:
        """(verdict, number and word) of these, in the order of `SHOWN`."""
        return [(verdict, f"{self.unanswered[verdict]:,} {word}") for verdict, word in SHOWN.items()
                if self.unanswered[verdict]]

    @property
    def state(self) -> str:
        """What decides its colour: the gravest there is; whoever crashes, hangs or changes its answer is not the one
        that keeps every clause."""
        if set(self.unanswered) - {"rejects-valid"}:
            return "broken"
        return next((state for state in STATES if self.counts[state]), "not tried")

    @property
    def judged(self) -> int:
        """How many clauses something was to judge."""
        return self.counts.total() - self.counts["not tried"]

    @property
    def plain(self) -> dict[str, Any]:
        """As JSON."""
        counts: dict[str, Any] = {state: self.counts[state] for state in ("kept", "broken", "refused", "not tried")}
        counts["unanswered"] = dict(self.unanswered)
        return counts | ({"smallest": _least(*self.least)} if self.least else {})


@dataclass(frozen=True)
class Text:
    """One operator under one text, in all its versions: every record that tried it."""

    name: str
    shown: Sequence[Column]
    clauses: Sequence[Stated]
    listed: Sequence[Finding]
    silences: Sequence[Silence]
    shares: Mapping[str, Share]
    about: Mapping[str, Any]

    @property
    def address(self) -> str:
        """The folder of its page."""
        return _page(self.name)

    @property
    def newest(self) -> list[Share]:
        """Of each backend the share of its newest version."""
        return list({share.column.name: share for share in self.shares.values()}.values())

    @property
    def sentence(self) -> str:
        """The page in one sentence."""
        kept = [share for share in self.newest if share.state in ("kept", "not tried") and share.counts["kept"]]
        return (f"{len(kept)} of {count(len(self.newest), 'backend')} {'keeps' if len(kept) == 1 else 'keep'} in the "
                "newest version every clause that something judged; "
                f"{count(len(self.listed), 'cause')} over all versions")

    @property
    def by_local(self) -> dict[str, list[Stated]]:
        """The clauses by section and tag, the newest statement first."""
        found: dict[str, list[Stated]] = {}
        for entry in self.clauses:
            found.setdefault(parts(entry.addresses[0])[2], []).append(entry)
        return found


def write_site(records: Sequence[Record], out: Path) -> list[Path]:
    """Write the site; returns the paths of its pages, the index first. Raises SiteError where there is nothing to show,
    or two records would have one place, and OSError."""
    shown = columns(records)
    _check(shown)
    texts = [_text(name, some) for name, some in by_text(records).items()]
    backends = {one.name: [column for column in shown if column.name == one.name] for one in shown}
    lists = {**frame(shown), "headlines": (), "notices": (), "site": texts, "backends": backends, "up": "../"}
    special = content([some[-1] for some in backends.values()])
    said_of_all = {column.label: headline(column.record) for column in shown}
    pages = [_write(out, "", "site.html.j2", _index(shown, texts, backends, said_of_all),
                    _index_json(texts, backends, said_of_all)),
             _write(out, "silences", "site_silences.html.j2", lists,
                    {text.name: [_silence(one) for one in text.silences] for text in texts}),
             _write(out, "specials", "site_specials.html.j2", {**lists, **special}, special),
             _write(out, "search", "site_search.html.j2", {**lists, "scripts": ["search.js"]}, None)]
    pages += [_write(out, text.address, "operator.html.j2", {**text.about, "text": text, "up": "../" * 2},
                     _operator_json(text)) for text in texts]
    pages += [_write(out, _backend_page(name), "backend.html.j2", _backend(some, texts),
                     _backend_json(some, texts, said_of_all))
              for name, some in backends.items()]
    _badges(out, texts, backends)
    return pages


def _check(shown: Sequence[Column]) -> None:
    """Raises SiteError where a site cannot be made: nothing to show, or no place for something."""
    if not any(column.record.cases for column in shown):
        raise SiteError("the records hold no result, so that there is nothing to show")
    taken: dict[str, str] = {}
    for column in shown:
        path = str(column.record.path)
        if column.record.is_campaign:
            raise SiteError(f"{path} is of a campaign; a site is made of the records of conformance runs")
        texts = {parts(name)[0] for name in column.record.header.specifications}
        for place, what in [(_backend_page(column.name), column.name), *((_page(text), text) for text in texts),
                            (f"{_backend_page(column.name)}/{anchor(column.version)}", path)]:
            if not all(part.strip(".") for part in place.split("/")):
                raise SiteError(f"{path}: {what!r} cannot be the address of a page")
            if taken.setdefault(place.lower(), what) != what:
                raise SiteError(f"{taken[place.lower()]} and {what} would have one place; leave one out")


def _page(text: str) -> str:
    """The folder of the page of an operator under one text."""
    return "/".join(map(anchor, text.split("/")))


def _backend_page(name: str) -> str:
    return f"backends/{anchor(name)}"


def _text(name: str, records: Sequence[Record]) -> Text:
    shown = columns(records)
    cases, clauses, rows, worse = case_rows(shown), clauses_of(shown), matrix(shown), losses(shown)
    every = [row for part in rows.values() for row in part]
    listed, left_open = findings(shown, cases, clauses, each=1), silences(shown, cases.values())
    statements, broken, least = stated(every, worse), broken_clauses(every, worse), smallest(listed)
    shares = {column.label: Share(
        column, Counter(WORDS[entry.states[number]] for entry in statements if entry.is_judged),
        {at: finding for at, finding in enumerate(listed, 1) if column.label in finding.accused},
        least.get(column.label)) for number, column in enumerate(shown)}
    about = {
        **frame(shown), "title": name, "headlines": (), "findings": listed, "examples": examples(listed, shown),
        "texts_of": clauses, "of_clauses": of_clauses(listed), "notation": notation(broken, rows), "case_numbers": {},
        "places": places(listed), "progress": progress(shown, broken), "histories": histories(shown, every),
        "steps": steps(shown), "silences": left_open, "survey": by_family(survey(shown, cases.values())),
        "errata": errata(shown)}
    return Text(name, shown, statements, listed, left_open, shares, about)


def said(entry: Stated, shown: Sequence[Column]) -> list[tuple[str, str, list[str]]]:
    """(state, in numbers, the labels) of a clause: the columns of which the same is to be said together."""
    found: dict[tuple[str, str], list[str]] = {}
    for column, counts, status in zip(shown, entry.counts, entry.states, strict=True):
        words = _numbers(entry.clause, counts)
        found.setdefault((WORDS.get(status, status), words), []).append(column.label)
    return [(state, words, labels) for (state, words), labels in found.items()]


def _numbers(clause: Clause, counts: Counter[str]) -> str:
    if clause.judges == "outputs":
        refused = f", {counts['refused']} refused" if counts["refused"] else ""
        if counts["diverges"]:
            return f"{counts['diverges']} of {counts['diverges'] + counts['conforms']} results{refused}"
        return refused.removeprefix(", ")
    return ", ".join(f"{number} {word}" for word, number in sorted(counts.items()) if number and word != "worse")


def _index(shown: Sequence[Column], texts: Sequence[Text], backends: Mapping[str, list[Column]],
           said_of_all: Mapping[str, str]) -> dict[str, Any]:
    operators = {one.operator for column in shown for one in column.record.header.specifications.values()}
    return {**frame(shown), "headlines": (), "notices": unlike(shown), "site": texts, "backends": backends,
            "operators": len(operators),
            "said": {name: (said_of_all[some[-1].label], _went(some)) for name, some in backends.items()}}


def _went(some: Sequence[Column]) -> list[tuple[str, str]]:
    """What changed from the version before the newest to it."""
    return progress(some[-2:], broken_clauses([row for part in matrix(some[-2:]).values() for row in part],
                                              losses(some[-2:])))


def _backend(some: Sequence[Column], texts: Sequence[Text]) -> dict[str, Any]:
    rows = [row for part in matrix(some).values() for row in part]
    about = frame(some)
    return {**about, "title": some[0].name, "site": [text for text in texts if any(
                column.label in text.shares for column in some)], "up": "../../",
            "page_of": lambda address: f"../../{_page(parts(address)[0])}/index.html",
            "progress": progress(some, broken_clauses(rows, losses(some))),
            "histories": histories(some, rows), "steps": steps(some)}


def _least(finding: Finding, instance: Instance, why: str) -> dict[str, str]:
    return {"specification": instance.line.spec, "case": instance.line.id, "form": instance.form,
            "call": instance.brief, "wrong": why, "cause": finding.id}


def _index_json(texts: Iterable[Text], backends: Mapping[str, Sequence[Column]], said_of_all: Mapping[str, str]
                ) -> dict[str, Any]:
    return {"backends": {name: {column.version: said_of_all[column.label] for column in some}
                         for name, some in backends.items()},
            "texts": {text.name: _shares(text.shares.values()) for text in texts}}


def _shares(shares: Iterable[Share]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for share in shares:
        found.setdefault(share.column.name, {})[share.column.version] = share.plain
    return found


def _operator_json(text: Text) -> dict[str, Any]:
    return {"text": text.name, "backends": _shares(text.shares.values()),
            "clauses": [_clause(entry, text.shown) for entry in text.clauses],
            "causes": [{"id": one.id, "verdict": one.verdict, "clauses": one.clauses, "conditions": list(one.flags),
                        "results": one.results, "new": one.new, "backends": one.accused,
                        "known": [known.model_dump() for known in one.reasons]} for one in text.listed],
            "silences": [_silence(one) for one in text.silences]}


def _clause(entry: Stated, shown: Sequence[Column]) -> dict[str, Any]:
    about = {name: getattr(entry.clause, name) for name in ("kind", "title", "statement", "source", "judges")}
    did = {column.label: {"state": WORDS.get(state, state),
                          "results": {word: number for word, number in counts.items() if number and word != "worse"}}
           for column, state, counts in zip(shown, entry.states, entry.counts, strict=True)}
    return {"addresses": entry.addresses, **about, "backends": did}


def _silence(one: Silence) -> dict[str, Any]:
    return {"addresses": one.addresses, "title": one.clause.title, "statement": one.clause.statement,
            "figures": one.figures, "cases": [{"cases": row.names, "forms": row.forms, "did": [
                {"what": conduct.what, "backends": conduct.labels} for conduct in row.conducts]} for row in one.rows]}


def _backend_json(some: Sequence[Column], texts: Iterable[Text], said_of_all: Mapping[str, str]) -> dict[str, Any]:
    return {"backend": some[0].name, "versions": {column.version: {
        "result": said_of_all[column.label], "verdicts": dict(column.record.counts),
        "texts": {text.name: text.shares[column.label].plain for text in texts if column.label in text.shares}}
        for column in some}}


def _badges(out: Path, texts: Iterable[Text], backends: Mapping[str, Sequence[Column]]) -> None:
    """For each backend, and for each backend and operator, what its newest version keeps."""
    for name, some in backends.items():
        _json(out / _backend_page(name) / "badge.json", endpoint(some[-1].record))
    for text in texts:
        for share in text.newest:
            badge = endpoint(share.column.record) | {"label": f"{share.column.name} {text.name}"}
            _json(out / text.address / f"{anchor(share.column.name)}.badge.json", badge)


def _write(out: Path, folder: str, template: str, shown: Mapping[str, Any], plain: Mapping[str, Any] | None) -> Path:
    if plain is not None:
        _json(out / folder / "index.json", {"format": FORMAT, **plain})
    return write_file(out / folder / "index.html", rendered(template, said_of=said, **shown))


def _json(path: Path, content: Mapping[str, Any]) -> None:
    write_file(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
