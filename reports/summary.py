"""A record in a few lines of text, for a terminal."""

from __future__ import annotations

import textwrap
from collections import Counter

from plumbline.reports.addresses import texts
from plumbline.reports.campaigns import accused, counted, described
from plumbline.reports.findings import Line, accusations, by_clause, errors
from plumbline.reports.side_by_side import is_generated
from plumbline.reports.wording import count
from plumbline.trial.groups import groups
from plumbline.trial.judge import VERDICTS
from plumbline.trial.record import Record

WIDTH = 100
NAMED = 6
"""Cases named for each clause."""


def summary_lines(record: Record) -> list[str]:
    """Counts by verdict, each broken clause with its statement, what is news."""
    lines = [*textwrap.wrap(described(record) or "", WIDTH), *([""] if record.is_campaign else [])]
    selection = record.header["selection"]
    if selection["tried"] < selection["of"]:
        lines += [f"a partial run: {selection['tried']} of {selection['of']} results were selected", ""]
    if selection.get("not_asked"):
        lines += [*textwrap.wrap(f"not asked, since the backend does not speak of it: "
                                 f"{', '.join(texts(selection['not_asked']))}", WIDTH, subsequent_indent="    ",
                                 break_on_hyphens=False), ""]
    if record.truncated:
        lines += ["the run did not end: this record is truncated", ""]
    for verdict, meaning in VERDICTS.items():
        if record.counts[verdict]:
            lines.append(f"{record.counts[verdict]:6}  {verdict:16} {meaning}")
    for address, statement, found in by_clause(record):
        broken = counted(record, found)
        lines += ["", f"{address}  broken {count(broken.total(), 'time')}, {broken[True]} known",
                  *textwrap.wrap(statement, WIDTH, initial_indent="    ", subsequent_indent="    ")]
        lines.append(f"    cases: {', '.join(_names(found))}")
    others: dict[tuple[str, str, str], list[Line]] = {}
    for line in accusations(record):
        if line["verdict"] != "diverges":
            known = f"known: {line['known']['id']}" if "known" in line else "new"
            did = "" if "known" in line or record.is_campaign else line["did"]  # a campaign does not count by it
            others.setdefault((line["verdict"], known, did), []).append(line)
    for (verdict, known, _), found in others.items():
        lines += ["", f"{verdict}  {count(counted(record, found).total(), 'time')}  ({known})",
                  *textwrap.wrap(found[0]["did"], WIDTH, initial_indent="    ", subsequent_indent="    ", max_lines=3)]
        lines.append(f"    cases: {', '.join(_names(found))}")
    lines += _groups(record)
    documented = [line["id"] for line in accusations(record) if "documented" in line.get("known", {})]
    if documented:
        lines += ["", f"documented by the source itself: {', '.join(dict.fromkeys(documented))}"]
    failed = errors(record)
    if failed:
        lines += ["", f"{count(record.counts['harness-error'], 'result')} could not be judged, the first "
                  f"{failed[0]['id']} [{failed[0]['form']}]: {failed[0]['did']}"]
    lines += _beyond(record) + _providers(record) + _notes(record)
    accusing = accused(record)
    gone = (record.footer or {}).get("gone", [])
    tried = record.header["backend"].get("tried", True)
    lines += ["", f"{accusing[False]} new, {accusing[True]} known, {len(gone)} known and gone"
              + ("" if tried else "; nobody has tried this version yet, so these are news and fail no run")]
    return lines + gone


def _groups(record: Record) -> list[str]:
    """One line for each cause, as far as flags tell causes apart, and the smallest call of it."""
    found = groups(record)
    if not found:
        return []
    lines = ["", f"{count(len(found), 'finding')}, by clause and by what the calls share"]
    for group in found:
        what = f"{group.verdict} {group.text} {', '.join(group.clauses)}".strip()
        told = ", ".join([*filter(None, [group.symptom])]
                         + ([f"where {', '.join(group.features)}"] if group.features else [])) or "told by no flag"
        spared = f" ({group.spared} such conform{'s' if group.spared == 1 else ''})" if group.spared else ""
        first = group.lines[0]
        number = count(len(group.lines), "line" if record.is_campaign else "time")
        lines += textwrap.wrap(f"{what}: {told}{spared}; {number}, {group.known} known; the smallest is "
                               f"{first['spec']} {first['id']} [{first['form']}]", WIDTH,
                               initial_indent="    ", subsequent_indent="        ")
    return lines


def _beyond(record: Record) -> list[str]:
    """What was answered although the backend had declared that it lacks it."""
    gaps = Counter(line["undeclared"] for line in record.cases if "undeclared" in line)
    if not gaps:
        return []
    among = "among the lines kept " if record.is_campaign else ""
    lines = ["", f"{among}{gaps.total()} answered beyond what the backend declares"]
    lines += [f"    {number:6}  {gap}" for gap, number in gaps.most_common(NAMED)]
    return lines + ([f"    and {len(gaps) - NAMED} more such gaps"] if len(gaps) > NAMED else [])


def _providers(record: Record) -> list[str]:
    """Providers that computed in place of the one that was asked for: a silent fallback."""
    asked = record.header["backend"].get("about", {}).get("provider")
    if asked is None:
        return []
    others = Counter(line["provider"] for line in record.cases if line.get("provider", asked) != asked)
    among = "among the lines kept " if record.is_campaign else ""
    return [line for provider, number in others.items()
            for line in ("", f"{among}{number} computed by {provider}, not by {asked}, which was asked for")]


def _notes(record: Record) -> list[str]:
    """What happened that belongs to no call."""
    notes = Counter((record.footer or {}).get("notes", []))
    return ["", *(f"{number} times: {note}" if number > 1 else note for note, number in notes.items())] if notes else []


def _names(lines: list[Line]) -> list[str]:
    """The cases of some lines, written ones before those that were made, the first few."""
    names = list(dict.fromkeys(line["id"] for line in sorted(lines, key=is_generated)))
    return names[:NAMED] + ([f"and {len(names) - NAMED} more"] if len(names) > NAMED else [])
