"""Describe records as text: summaries, clauses, commands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from plumbline.reports.clauses import by_clause, errors, measured_figures
from plumbline.reports.columns import (
    clause_counts,
    count_accusations,
    count_results,
    describe_campaign,
    describe_profile,
)
from plumbline.reports.words import clipped, count, first_few, meaning, merge_versions, where_clause
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.judge import VERDICTS
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.measurements import in_words
from plumbline.trial.record.one_line import call_text
from plumbline.trial.record.recording import Record
from plumbline.trial.run.options import RunOptions, flag

WIDTH = 100
NAMED = 6
"""Cases, clauses or gaps named in one line."""

SCREEN = 18
"""Lines of a short summary; record and page follow it."""


def headline(record: Record, causes: int | None = None) -> str:
    """The result of a run in one sentence."""
    wrong, total = count_accusations(record), record.counts.total()
    causes = len(groups(record)) if causes is None else causes
    gone = record.footer.gone if record.footer else []
    if wrong.total():
        known = "all known" if not wrong[False] else f"{wrong[True]:,} known" if wrong[True] else "none known"
        verb = ("diverges or is refused" if wrong.total() == 1 else "diverge or are refused")
        ended = record.counts["crashes"] + record.counts["hangs"]
        verb += f" ({ended:,} crash or hang)" if ended else ""
        sentence = (f"{wrong[False]:,} new; {wrong.total():,} of {total:,} results {verb}, {known}: "
                    f"{count(causes, 'root cause')}")
    else:
        sentence = f"0 new; none of {total:,} results diverges or is refused"
    failed = record.counts["harness-error"]
    if failed and not wrong.total():
        sentence = f"{failed:,} of {total:,} results could not be judged; none diverges or is refused"
    judged = record.counts["conforms"] + record.counts["diverges"]
    sentence += "" if judged else "; nothing was judged"
    sentence += f"; {count(len(gone), 'known divergence')} no longer there" if gone else ""
    sentence += f"; {count(failed, 'result')} could not be judged" if failed and wrong.total() else ""
    return sentence + (f"; INCOMPLETE: {record.incomplete}" if not record.whole else "")


def summary_lines(record: Record, verbose: bool = False) -> list[str]:
    """The summary of a run for a terminal.

    The result in one line, its limits, each root cause with its smallest call, and counts by verdict; with `verbose`
    also each broken clause with its statement and cases."""
    causes = groups(record)
    lines = [headline(record, len(causes)), *_limits(record)]
    for number, group in enumerate(causes, 1):
        lines += ["", *_root_cause(record, number, group)]
    lines += ["", *_counts(record)]
    if verbose:
        lines += _clauses(record)
    failed = errors(record)
    if failed:
        lines += ["", *_failed(record, failed[0])]
    lines += _measured(record) + _documented(record) + _undeclared(record) + _providers(record) + _notes(record)
    return lines + ([""] + record.footer.gone if record.footer and record.footer.gone else [])


def short_summary(record: Record) -> list[str]:
    """The summary of a run on one screen.

    The result, counts by verdict, each new root cause with its smallest call and the command that repeats it, and a
    line for each known one, as far as there is room."""
    causes, failed = groups(record), errors(record)
    gone = record.footer.gone if record.footer else []
    lines = [headline(record, len(causes)), *_limits(record, 1), *_counts(record)]
    if failed:
        lines += list(_failed(record, failed[0]))
    lines += gone[:NAMED] + ([f"and {len(gone) - NAMED} more known divergences are gone"] if len(gone) > NAMED else [])
    lines += [line for note in _notes(record)[1:] for line in _wrapped(note, "", "", 1)][:NAMED]
    new = [group for group in causes if group.known < len(group.lines)]
    ordered = [*new, *(group for group in causes if group.known == len(group.lines))]
    for number, group in enumerate(ordered, 1):
        left, is_last = SCREEN - len(lines), number == len(ordered)
        if left < (1 if is_last else 2):
            lines.append(f"     and {count(len(ordered) - number + 1, 'more root cause')}: see the report")
            break
        wanted = list(_root_cause_in_short(record, number, group))
        lines += wanted if group in new and left >= len(wanted) + 1 else wanted[:1]
    return lines


def _failed(record: Record, line: CaseLine) -> Iterator[str]:
    """A result that could not be judged, with its call."""
    yield f"could not be judged, the first {line.id} [{line.form}]: {line.did}"
    if line.call:
        yield from _wrapped(f"the call: {call_text(line.call)}", "     ", "", 1)
    yield f"     again: {command_here(rerun_command(record, line))}"


def _counts(record: Record) -> list[str]:
    """The number of results of each verdict, with its meaning."""
    return [f"{record.counts[verdict]:6,}  {verdict:16} {meaning}" for verdict, meaning in VERDICTS.items()
            if record.counts[verdict]]


def _root_cause_in_short(record: Record, number: int, group: Group) -> Iterator[str]:
    """A root cause in one line; then what was seen, the smallest call, and the command that repeats it."""
    first = group.lines[0]
    known = first_few(list({line.known.id: None for line in group.lines if line.known}), 1)
    known = f": {known}" if known else ""
    room = max(WIDTH - len(known), 75)  # a terminal folds what is longer
    titles = [_title(record, number, group, most) for most in range(NAMED, 0, -1)]
    title, = _wrapped(next((title for title in titles if len(title) <= room), titles[-1]), "", "", 1, room)
    yield title + known
    yield from _wrapped(clipped(first.did), "     ", "", 1)
    if first.call:
        yield from _wrapped(f"smallest: {call_text(first.call)}", "     ", "", 1)
    yield f"     again: {command_here(rerun_command(record, first))}"


def _title(record: Record, number: int, group: Group, most: int = NAMED) -> str:
    """State, verdict, specifications, clauses and number of results of a root cause."""
    results = count_results(record, group.lines)
    state = "known" if group.known == len(group.lines) else f"{results[False]:,} new" if group.known else "new"
    clauses = f" {first_few(group.clauses, most)}" if group.clauses else ""
    about = "for lack of kernels" if group.kernels else group.text  # which may be a hundred specifications
    return f"{number:3}. {state}: {group.verdict} {about}{clauses}, {count(results.total(), 'result')}"


def news(record: Record) -> list[str]:
    """The result in one line, and the causes of failure.

    A run fails through root causes with new results, and through known divergences that are no longer there."""
    lines = [headline(record)]
    for number, group in enumerate(groups(record), 1):
        lines += ["", *_root_cause(record, number, group)] if group.known < len(group.lines) else []
    return lines + ([""] + record.footer.gone if record.footer and record.footer.gone else [])


HANGING = re.compile(r" *\d+\. | *[\d,]+  \S+ +| +|")
NARROWEST = 20
"""Columns of a terminal for which lines are folded; one that has fewer, or says that it has none, folds them itself."""

COPIED = re.compile(r" *again: |record  |report  ")


def folded(line: str, width: int) -> list[str]:
    """A summary line as a terminal of that width shows it: broken at spaces, the rest below its text.

    Commands and paths, which are copied, stay whole.

    >>> folded("  1. known: diverges onnx/maxpool Y.C5, 68 results", 32)
    ['  1. known: diverges', '     onnx/maxpool Y.C5, 68', '     results']
    """
    if len(line) < width or width < NARROWEST or COPIED.match(line):
        return [line]
    indent = " " * min(len(HANGING.match(line)[0]), width // 2)  # type: ignore[index]  # which matches anything
    return textwrap.wrap(line, width - 1, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


TONE = re.compile(r"(?: *\d+\. )?(?:(known)|(0 new)|[\d,]* ?new)(?:[:;])")


def tone(line: str) -> str:
    """The terminal colour of a summary line, or "".

    The result is coloured, and the first line of each root cause.

    >>> tone("0 new; none of 3 results diverges or is refused"), tone("  1. known: diverges"), tone("  2. new: hangs")
    ('green', 'yellow', 'red')
    """
    match = TONE.match(line)
    return "" if not match else "yellow" if match[1] else "green" if match[2] else "red"


def _measured(record: Record) -> list[str]:
    """The figures of a campaign on unspecified accuracy."""
    if not record.is_campaign:
        return []
    return [f"among the lines kept, {in_words(figures)}" for entry in record.header.specifications.values()
            for address, clause in entry.clauses.items() if (figures := measured_figures(record, clause, [address]))]


def _documented(record: Record) -> list[str]:
    """The cases whose divergence the source itself documents."""
    names = dict.fromkeys(line.id for line in record.cases if line.known and line.known.documented)
    return _wrapped(f"documented by the source itself: {', '.join(names)}", "", "    ") if names else []


def _limits(record: Record, most: int | None = None) -> list[str]:
    """The omissions of a run, each in at most so many lines."""
    selection = record.header.selection
    limits = [describe_campaign(record) or "", describe_profile(record) or ""]
    if selection.tried < selection.of:
        limits.append(f"a partial run: {selection.tried:,} of {selection.of:,} results were selected")
    if selection.not_asked:
        limits.append("not asked, since the backend declares no support: "
                      f"{', '.join(merge_versions(selection.not_asked))}")
    if selection.for_other_seeds:
        limits.append(f"{count(len(selection.for_other_seeds), 'older version')} of operators left to other seeds "
                      "(--seed N, --all-versions)")
    if selection.declined:
        limits.append(f"skipped {selection.declined:,} generated results outside the declared capabilities; "
                      "hand-written ones run")
    if not record.header.backend.tried:
        limits.append("no baseline for this version: new failures are listed but do not fail the run")
    return [line for limit in limits if limit for line in _wrapped(limit, "", "    ", most)]


def _root_cause(record: Record, number: int, group: Group) -> Iterator[str]:
    """A root cause with its smallest call."""
    first = group.lines[0]
    yield _title(record, number, group)
    for operator, version, dtypes, calls in group.kernels:
        yield f"     {f'{operator} {version}':22} {calls:6,}  {clipped(dtypes)}"
    if group.kernels:
        yield f"     to declare them: plumbline backends learn {shlex.quote(str(record.path))}"
    where = where_clause((name, meaning(name, first, record.header.flags)) for name in group.features)
    conforming = (f"{count(group.spared, 'such result')} {'conforms' if group.spared == 1 else 'conform'}"
                  if group.spared else "")
    symptom = f"looks like {group.symptom}" if group.symptom else ""
    conditions = "; ".join(filter(None, [symptom, where, conforming]))
    yield from _wrapped(conditions, "     ", "     ") if conditions else ()
    yield from _wrapped(clipped(first.did), "     ", "     ", 4)
    for reason in {line.known.id: line.known for line in group.lines if line.known}.values():
        yield from _wrapped(f"known as {reason.id}: {reason.reason}", "     ", "       ", 3)
        yield from [f"       {reason.link}"] if reason.link else ()
    if first.call:
        yield from _wrapped(f"smallest: {call_text(first.call)}", "     ", "       ", 3)
    yield f"     again: {command_here(rerun_command(record, first))}"


RERUN_OPTIONS = ("python", "backend_name", "backend_version", "capabilities", "cases", "generated", "seed", "known",
         "time_limit", "memory_limit", "accuracy")
"""The options to repeat in a command if they were given."""


FOREIGN = " (this command runs code that is not the suite's, as the record names it; read it before you run it)"
"""Warns of a command with a program or a module of others."""


def command_warning(record: Record) -> str:
    """Return FOREIGN if the backend of a record is a program or a module of others, otherwise ""."""
    return FOREIGN if ":" in (record.header.backend.named or "") else ""


def rerun_command(record: Record, line: CaseLine) -> str:
    """The command that runs one result again: one of the suite's, whatever the record says."""
    if record.header.model is not None:
        try:
            return shlex.join(["plumbline", *shlex.split(record.header.command)[1:]])
        except ValueError:  # a quotation without end
            return "plumbline model"
    if record.is_campaign:
        return f"plumbline promote {shlex.quote(str(record.path))} {shlex.quote(line.id)}"
    before, case = (line.after.split(" ") + ["", ""])[:2]  # a fault of memory shows after that call alone
    keyword = f"{case} or {line.id}" if case and case != line.id else line.id
    words = ["--backend", record.header.backend.named or record.header.backend.name, "--spec", line.spec,
             *(["--spec", before] if before not in ("", line.spec) else [])]
    for name in RERUN_OPTIONS:
        value = record.header.options.get(name)
        if value not in (None, [], RunOptions.model_fields[name].default):
            values = value if isinstance(value, list) else [value]
            words += [word for each in values for word in (flag(name), str(each))]
    return f"plumbline conformance {shlex.join([*words, '-k', keyword])}"


def command_here(command: str) -> str:
    """A command as it can be typed in this folder, with this interpreter's `plumbline`.

    PYTHONPATH is repeated for a backend that is a module."""
    program, _, rest = command.replace(f" {Path.cwd()}{os.sep}", " ").partition(" ")
    if program != "plumbline":
        return command
    own, on_path = Path(sys.executable).with_name(program), shutil.which(program)
    if on_path is None or Path(on_path).parent.resolve() != own.parent.resolve():
        near = own.relative_to(Path.cwd()) if own.is_relative_to(Path.cwd()) else own
        program = shlex.quote(str(near)) if own.exists() else shlex.join([sys.executable, "-m", program])
    given = os.environ.get("PYTHONPATH", "") if re.search(r"--backend '?[\w.]+:\w+", rest) else ""
    return f"PYTHONPATH={shlex.quote(given)} {program} {rest}" if given else f"{program} {rest}"


def _clauses(record: Record) -> Iterator[str]:
    """The broken clauses with their statements and cases."""
    for address, statement, lines in by_clause(record):
        results = count_results(record, lines)
        yield from ("", f"{address}  broken {count(results.total(), 'time')}, {results[True]} known")
        yield from _wrapped(statement, "    ", "    ")
        yield from _wrapped(f"cases: {', '.join(_names(lines))}", "    ", "        ")


def _undeclared(record: Record) -> list[str]:
    """Answers outside the declared capabilities, by gap."""
    gaps = Counter(line.undeclared for line in record.cases if line.undeclared)
    if not gaps:
        return []
    among = "among the lines kept, " if record.is_campaign else ""
    lines = ["", f"{among}{count(gaps.total(), 'result')} outside the declared capabilities but answered anyway"]
    lines += [f"    {number:6}  {gap}" for gap, number in gaps.most_common(NAMED)]
    return lines + ([f"    and {len(gaps) - NAMED} more such gaps"] if len(gaps) > NAMED else [])


def _providers(record: Record) -> list[str]:
    """Providers that computed in place of the requested one."""
    requested = record.header.backend.about.get("provider")
    if requested is None:
        return []
    fallbacks = Counter(line.provider for line in record.cases if line.provider not in ("", requested))
    among = "among the lines kept, " if record.is_campaign else ""
    return [line for provider, number in fallbacks.items()
            for line in ("", f"{among}{count(number, 'result')} computed by {provider} instead of {requested}")]


def _notes(record: Record) -> list[str]:
    """Events that belong to no call."""
    notes = Counter(record.footer.notes if record.footer else [])
    return ["", *(f"{number} times: {note}" if number > 1 else note for note, number in notes.items())] if notes else []


def _names(lines: list[CaseLine]) -> list[str]:
    """The first few cases of some lines, hand-written first."""
    names = list(dict.fromkeys(line.id for line in sorted(lines, key=lambda line: line.generated)))
    return names[:NAMED] + ([f"and {len(names) - NAMED} more"] if len(names) > NAMED else [])


def _wrapped(content: str, first: str, further: str, lines: int | None = None, width: int = WIDTH) -> list[str]:
    """Text in lines; ids, addresses and commands stay whole."""
    return textwrap.wrap(content, width, initial_indent=first, subsequent_indent=further, break_on_hyphens=False,
                         break_long_words=False, max_lines=lines, placeholder=" ...")


def explain(address: str, records: Sequence[Record]) -> Iterator[str]:
    """Yield lines on a clause: its results in records, those that break it first.

    address: ``"onnx/maxpool@12#Y.C2"``.

    Raises LookupError if a record lacks the clause."""
    for number, record in enumerate(records):
        holding = {name: entry.clauses[address] for name, entry in record.header.specifications.items()
                   if address in entry.clauses}
        if not holding:
            raise LookupError(f"{record.path}: no clause {address!r} in this record")
        clause = next(iter(holding.values()))
        if number == 0:
            yield from (f"{address}  {clause.title} ({clause.kind})", f"  {clause.statement}",
                        f"  source: {clause.source}")
        yield from ("", record.who)
        target = clause.restates or address
        if record.is_campaign:
            counts = clause_counts(record).get(target, Counter())
            yield f"  {describe_campaign(record)}"
            yield f"  of all calls: {', '.join(f'{number} {verdict}' for verdict, number in counts.items()) or 'none'}"
        if not record.whole:
            yield f"  incomplete: {record.incomplete}"
        if figures := measured_figures(record, clause, [address]):
            yield f"  {in_words(figures)}"
        lines = [(line, [divergence.why for divergence in line.divergences if divergence.clause == target])
                 for line in record.cases
                 if line.spec in holding and (target in line.covers or target in line.clauses)]
        for line, reasons in sorted(lines, key=lambda pair: (not pair[1], not pair[0].accuses)):
            elsewhere = " (other clauses)" if line.verdict == "diverges" and not reasons else ""
            yield "  ".join([f"  {f'{line.verdict}{elsewhere}':16}", f"{line.id} [{line.form}]", *reasons])
