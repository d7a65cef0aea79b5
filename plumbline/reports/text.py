"""Records as text: for a terminal what a run found, and a clause with its cases; comparison and history as Markdown."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from plumbline.reports.changes import Comparison, Transition, histories, progress, transitions
from plumbline.reports.clauses import broken_clauses, by_clause, errors, matrix, measured
from plumbline.reports.columns import accused, clause_counts, columns, counted, described, unlike
from plumbline.reports.words import clipped, code, count, meaning, named, text, texts, where_clause
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.judge import VERDICTS
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.measurements import in_words
from plumbline.trial.record.one_line import call_text
from plumbline.trial.record.recording import Record
from plumbline.trial.run.options import RunOptions, flag

WIDTH = 100
NAMED = 6
"""Cases named for each clause."""

TITLES = ("Was", "Is", "Clauses", "Results", "Cases")


def headline(record: Record, causes: int | None = None) -> str:
    """What a run found, in one sentence."""
    wrong, total = accused(record), record.counts.total()
    causes = len(groups(record)) if causes is None else causes
    gone = record.footer.gone if record.footer else []
    if wrong.total():
        known = "all known" if not wrong[False] else f"{wrong[True]:,} known" if wrong[True] else "none known"
        verb = ("diverges or is refused" if wrong.total() == 1 else "diverge or are refused")
        ended = record.counts["crashes"] + record.counts["hangs"]
        verb += f" ({ended:,} crash or hang)" if ended else ""
        said = f"{wrong[False]:,} new; {wrong.total():,} of {total:,} results {verb}, {known}: {count(causes, 'cause')}"
    else:
        said = f"0 new; none of {total:,} results diverges or is refused"
    kept = record.counts["conforms"] + record.counts["diverges"]
    said += "" if kept else "; nothing was judged"
    said += f"; {count(len(gone), 'known divergence')} no longer there" if gone else ""
    failed = record.counts["harness-error"]
    said += f"; {count(failed, 'result')} could not be judged" if failed else ""
    return said + (f"; INCOMPLETE: {record.incomplete}" if not record.whole else "")


def summary_lines(record: Record, verbose: bool = False) -> list[str]:
    """The result in one line, then what limits it, each cause with its smallest call, and counts by verdict; with
    `verbose` each broken clause with its statement and cases."""
    found = groups(record)
    lines = [headline(record, len(found)), *_limits(record)]
    for number, group in enumerate(found, 1):
        lines += ["", *_cause(record, number, group)]
    lines += ["", *(f"{record.counts[verdict]:6,}  {verdict:16} {meaning}" for verdict, meaning in VERDICTS.items()
                    if record.counts[verdict])]
    if verbose:
        lines += _clauses(record)
    failed = errors(record)
    if failed:
        lines += ["", f"could not be judged, the first {failed[0].id} [{failed[0].form}]: {failed[0].did}"]
    lines += _measured(record) + _documented(record) + _beyond(record) + _providers(record) + _notes(record)
    return lines + ([""] + record.footer.gone if record.footer and record.footer.gone else [])


def news(record: Record) -> list[str]:
    """The result in one line, and what makes a run fail: causes that hold new results, known divergences that are no
    longer there."""
    lines = [headline(record)]
    for number, group in enumerate(groups(record), 1):
        lines += ["", *_cause(record, number, group)] if group.known < len(group.lines) else []
    return lines + ([""] + record.footer.gone if record.footer and record.footer.gone else [])


TONE = re.compile(r"(?: *\d+\. )?(?:(known)|(0 new)|[\d,]* ?new)(?:[:;])")


def tone(line: str) -> str:
    """The colour of a line of a summary in a terminal: of the result, and of the first line of a cause; "" for none.

    >>> tone("0 new; none of 3 results diverges or is refused"), tone("  1. known: diverges"), tone("  2. new: hangs")
    ('green', 'yellow', 'red')
    """
    found = TONE.match(line)
    return "" if not found else "yellow" if found[1] else "green" if found[2] else "red"


def _measured(record: Record) -> list[str]:
    """Of a campaign, which is about one text, what was measured where that leaves accuracy open."""
    if not record.is_campaign:
        return []
    return [f"among the lines kept, {in_words(figures)}" for text in record.header.specifications.values()
            for address, clause in text.clauses.items() if (figures := measured(record, clause, [address]))]


def _documented(record: Record) -> list[str]:
    """The cases on which the source itself says what the backend does wrong."""
    found = dict.fromkeys(line.id for line in record.cases if line.known and line.known.documented)
    return _wrapped(f"documented by the source itself: {', '.join(found)}", "", "    ") if found else []


def _limits(record: Record) -> list[str]:
    selection = record.header.selection
    found = [described(record) or ""]
    if selection.tried < selection.of:
        found.append(f"a partial run: {selection.tried:,} of {selection.of:,} results were selected")
    if selection.not_asked:
        found.append(f"not asked, since the backend does not speak of it: {', '.join(texts(selection.not_asked))}")
    if selection.declined:
        found.append(f"left out, since the backend declares that it takes none such: {selection.declined:,} results of "
                     "made cases; the written ones are put")
    if not record.header.backend.tried:
        found.append("no baseline for this version: new failures are listed but do not fail the run")
    return [line for entry in found if entry for line in _wrapped(entry, "", "    ")]


def _cause(record: Record, number: int, group: Group) -> Iterator[str]:
    """What, where in plain words, how many, the smallest call, the command that runs it again."""
    first, known = group.lines[0], group.known
    of = counted(record, group.lines)
    state = "known" if known == len(group.lines) else f"{of[False]:,} new" if known else "new"
    clauses = f" {named(group.clauses, NAMED)}" if group.clauses else ""
    yield f"{number:3}. {state}: {group.verdict} {group.text}{clauses}, {count(of.total(), 'result')}"
    where = where_clause((name, meaning(name, first, record.header.flags)) for name in group.features)
    spared = f"{group.spared} such {'conforms' if group.spared == 1 else 'conform'}" if group.spared else ""
    looks = f"looks like {group.symptom}" if group.symptom else ""
    said = "; ".join(filter(None, [looks, where, spared]))
    yield from _wrapped(said, "     ", "     ") if said else ()
    yield from _wrapped(clipped(first.did), "     ", "     ", 4)
    for reason in {line.known.id: line.known for line in group.lines if line.known}.values():
        yield from _wrapped(f"known as {reason.id}: {reason.reason}", "     ", "       ", 3)
        yield from [f"       {reason.link}"] if reason.link else ()
    if first.call:
        yield from _wrapped(f"smallest: {call_text(first.call)}", "     ", "       ", 3)
    yield f"     again: {again(record, first)}"


AGAIN = ("python", "backend_name", "backend_version", "capabilities", "cases", "generated", "seed", "known",
         "time_limit", "memory_limit")
"""The options that a command needs again where they were given."""


def again(record: Record, line: CaseLine) -> str:
    """The command that puts one result once more."""
    if record.header.model is not None:
        return record.header.command
    if record.is_campaign:
        promote = record.header.command.partition(" campaign")[0]
        return f"{promote} promote {record.path.name} {shlex.quote(line.id)}"
    words = ["--backend", record.header.backend.named or record.header.backend.name, "--spec", line.spec]
    for name in AGAIN:
        value = record.header.options.get(name)
        if value not in (None, [], RunOptions.model_fields[name].default):
            values = value if isinstance(value, list) else [value]
            words += [word for one in values for word in (flag(name), str(one))]
    return f"plumbline conformance {shlex.join([*words, '-k', line.id])}"


def _clauses(record: Record) -> Iterator[str]:
    for address, statement, found in by_clause(record):
        of = counted(record, found)
        yield from ("", f"{address}  broken {count(of.total(), 'time')}, {of[True]} known")
        yield from _wrapped(statement, "    ", "    ")
        yield from _wrapped(f"cases: {', '.join(_names(found))}", "    ", "        ")


def _beyond(record: Record) -> list[str]:
    """What was answered although the backend had declared that it lacks it."""
    gaps = Counter(line.undeclared for line in record.cases if line.undeclared)
    if not gaps:
        return []
    among = "among the lines kept " if record.is_campaign else ""
    lines = ["", f"{among}{gaps.total()} answered beyond what the backend declares"]
    lines += [f"    {number:6}  {gap}" for gap, number in gaps.most_common(NAMED)]
    return lines + ([f"    and {len(gaps) - NAMED} more such gaps"] if len(gaps) > NAMED else [])


def _providers(record: Record) -> list[str]:
    """Providers that computed in place of the one that was asked for: a silent fallback."""
    asked = record.header.backend.about.get("provider")
    if asked is None:
        return []
    others = Counter(line.provider for line in record.cases if line.provider not in ("", asked))
    among = "among the lines kept " if record.is_campaign else ""
    return [line for provider, number in others.items()
            for line in ("", f"{among}{number} computed by {provider}, not by {asked}, which was asked for")]


def _notes(record: Record) -> list[str]:
    """What happened that belongs to no call."""
    notes = Counter(record.footer.notes if record.footer else [])
    return ["", *(f"{number} times: {note}" if number > 1 else note for note, number in notes.items())] if notes else []


def _names(lines: list[CaseLine]) -> list[str]:
    """The cases of some lines, written ones before those that were made, the first few."""
    names = list(dict.fromkeys(line.id for line in sorted(lines, key=lambda line: line.generated)))
    return names[:NAMED] + ([f"and {len(names) - NAMED} more"] if len(names) > NAMED else [])


def _wrapped(said: str, first: str, further: str, lines: int | None = None) -> list[str]:
    """Text in lines; no id, address or command is broken."""
    return textwrap.wrap(said, WIDTH, initial_indent=first, subsequent_indent=further, break_on_hyphens=False,
                         break_long_words=False, max_lines=lines)


def explain(address: str, records: Sequence[Record]) -> Iterator[str]:
    """A clause: its statement, its cases, and what each backend did. Raises LookupError when a record does not have
    the clause."""
    specification = address.partition("#")[0]
    for number, record in enumerate(records):
        held = record.header.specifications.get(specification)
        if held is None or address not in held.clauses:
            raise LookupError(f"{record.path}: no clause {address!r} in this record")
        clause = held.clauses[address]
        if number == 0:
            yield from (f"{address}  {clause.title} ({clause.kind})", f"  {clause.statement}",
                        f"  source: {clause.source}")
        yield from ("", record.who)
        target = clause.restates or address
        if record.is_campaign:
            counts = clause_counts(record).get(target, Counter())
            yield f"  {described(record)}"
            yield f"  of all calls: {', '.join(f'{number} {verdict}' for verdict, number in counts.items()) or 'none'}"
        if not record.whole:
            yield f"  incomplete: {record.incomplete}"
        if figures := measured(record, clause, [address]):
            yield f"  {in_words(figures)}"
        for line in record.cases:
            if line.spec == specification and (target in line.covers or target in line.clauses):
                reasons = [entry.why for entry in line.divergences if entry.clause == target]
                elsewhere = " (other clauses)" if line.verdict == "diverges" and not reasons else ""
                yield "  ".join([f"  {f'{line.verdict}{elsewhere}':16}", f"{line.id} [{line.form}]", *reasons])


def comparison(found: Comparison) -> str:
    """What appeared, what disappeared, what else changed, as Markdown fit for a pull request."""
    old, new = found.old.record, found.new.record
    lines = [f"## {text(found.old.label)} → {text(found.new.label)}", "",
             f"{count(found.compared, 'result')} compared: {len(found.appeared)} worse, "
             f"{len(found.disappeared)} better, {len(found.otherwise)} otherwise changed, "
             f"{found.compared - len(found.changes)} the same."]
    if found.differences or found.only_old or found.only_new:
        lines += ["", "Only what both records hold is compared; "
                  f"{count(len(found.only_old), 'result')} in the old one alone, {len(found.only_new)} in the new one.",
                  "", *(f"- {text(why)}" for why in found.differences)]
    for title, changes in (("Appeared", found.appeared), ("Disappeared", found.disappeared),
                           ("Otherwise changed", found.otherwise)):
        lines += ["", f"### {title} ({len(changes)})", ""]
        lines += _table(TITLES, map(_row, transitions(changes))) if changes else ["Nothing."]
    lines += ["", f"Suite {text(old.header.suite['version'])} and {text(new.header.suite['version'])}, "
              f"cases {code(old.header.cases.digest[:12])} and {code(new.header.cases.digest[:12])}, "
              f"records {code(found.old.file)} and {code(found.new.file)}."]
    return "\n".join(lines) + "\n"


def history(records: Sequence[Record]) -> str:
    """When each clause changed, over the versions of each backend; refusals, crashes and what got worse included."""
    shown = columns(records)
    rows = [row for part in matrix(shown).values() for row in part]
    found = histories(shown, rows)
    lines = [f"## {', '.join(text(column.label) for column in shown)}", ""]
    problems = [*unlike(shown), *(f"{column.label} is incomplete: {column.record.incomplete}" for column in shown
                                  if not column.record.whole)]
    lines += [f"- {text(problem)}" for problem in problems] + [""] * bool(problems)
    for changed, worse in progress(shown, broken_clauses(rows, [()] * len(shown))):
        lines += [" ".join(filter(None, [text(changed), text(worse)])), ""]
    listed = ((code(entry.address), text(entry.title), text(entry.backend), " → ".join(
        f"{span.what} {text(span.where)}" for span in entry.spans)) for entry in found)
    lines += _table(("Clause", "Title", "Backend", "By version"), listed) if found else ["No clause changed."]
    return "\n".join(lines) + "\n"


def _row(change: Transition) -> tuple[str, ...]:
    more = f" and {len(change.cases) - NAMED} more" if len(change.cases) > NAMED else ""
    where = f"{code(change.specification)} {', '.join(map(code, change.clauses))}".strip()
    return change.was, change.now, where, str(change.results), ", ".join(map(code, change.cases[:NAMED])) + more


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(titles)} |", "|" + " --- |" * len(titles), *(f"| {' | '.join(row)} |" for row in rows)]
