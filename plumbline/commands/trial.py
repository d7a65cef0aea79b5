"""Run campaigns, bisect releases, and save findings as cases.

The conformance run itself is `plumbline conformance`, or in a clone `pytest tests/conformance`.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import click

from plumbline.backends import find_backend
from plumbline.backends.releases import releases
from plumbline.commands.base import FAILED, Commands, Number
from plumbline.commands.records import first_that_has, some_records
from plumbline.oracle.files import write_file
from plumbline.trial.campaign.campaign import Campaign, parts_of
from plumbline.trial.campaign.command_options import campaign_options, engine_of, whole_of
from plumbline.trial.campaign.declared_draws import left_out_line
from plumbline.trial.campaign.progress import Progress, rate_line
from plumbline.trial.record.judge import VERDICTS
from plumbline.trial.record.recording import read_record
from plumbline.trial.tools.bisection import (
    Attempt,
    between,
    cases_with,
    chosen_case,
    find_change,
    try_release,
)
from plumbline.trial.tools.minimisation import MinimiseError, minimised
from plumbline.trial.tools.promotion import added, case_of, chosen_line, promoted

commands = Commands("trial", help=__doc__)
path = click.Path(path_type=Path)
seconds = click.option("--time-limit", type=Number(0, 86400, min_open=True), default=20.0, metavar="SECONDS",
                       help="For one call; default 20.")
one_spec = click.option("--spec", metavar="NAME", help="Needed if several specifications have a case of that name.")


@commands.command()
@some_records
@click.argument("id_", metavar="ID")
@one_spec
@click.option("--form", help="The outputs asked for, as in Y or Y+Indices; default: the first recorded.")
@click.option("--minimise", is_flag=True, help="First shrink the call, as long as --backend still fails on it.")
@click.option("--backend", metavar="NAME", help="The backend for --minimise, named as in a conformance run; never "
              "taken from the record.")
@click.option("--python", type=path, metavar="PATH", help="Interpreter of the backend's environment.")
@click.option("--file", "file", type=path, metavar="PATH", help="Add the case to this file, created if missing.")
@seconds
def promote(records: tuple[Path, ...], id_: str, spec: str | None, form: str | None, minimise: bool,
            backend: str | None, python: Path | None, file: Path | None, time_limit: float) -> None:
    """Print a line of a record as a YAML case, or add it to a file of cases."""
    run, line = first_that_has(records, lambda path: (
        (record := read_record(path)), chosen_line(record, id_, spec, form)))
    if minimise and backend is None:
        raise MinimiseError("--minimise starts the backend given by --backend, never one named in a record; this "
                            f"record is about {run.who}")
    if backend is not None and not minimise:
        raise click.UsageError("--backend is used by --minimise alone; give both.")
    case, note = case_of(run, line), ""
    if backend is not None:
        host = find_backend(backend, python).start()
        try:
            case, note = minimised(host, case, line.form, time_limit), "minimised"
        finally:
            host.close()
        tried = str(host.identity)
        if tried != run.who:
            print(f"the record is about {run.who}, but --minimise used {tried}", file=sys.stderr)
    text = promoted(run, line, case, note)
    if file is None:
        print(text, end="")
        return
    content = added(text, line.spec, file)
    file.parent.mkdir(parents=True, exist_ok=True)
    print(f"{write_file(file, content)}: added; next: plumbline cases lint {shlex.quote(str(file))}")


@commands.command()
@click.argument("name")
@click.option("--case", "case_id", required=True, metavar="ID")
@one_spec
@click.option("--form", help="Y or Y+Indices; by default every output.")
@click.option("--versions", required=True, metavar="A..B", help="Releases, as in 1.23.2..1.31.1.")
@seconds
def bisect(name: str, case_id: str, spec: str | None, form: str | None, versions: str, time_limit: float) -> int:
    """Find the release in which the verdict on a case changed.

    NAME is a backend of the suite, such as onnxruntime. Exit status: 0 if found, 1 if the verdict is the same at both
    ends, 2 if the search failed.
    """
    case, form = chosen_case(cases_with(case_id, spec), case_id, spec, form)
    chosen = between(versions, releases(name))
    print(f"{name}, {len(chosen)} releases, {case.spec} {case.id} [{form}]", flush=True)

    def attempt(version: str) -> Attempt:
        result = try_release(name, version, case, form, time_limit)
        print(result, flush=True)
        return result

    change = find_change(chosen, attempt)
    if not change.changed:
        print(f"the same at both ends, {change.before.version} and {change.after.version}: {change.before.verdict}; "
              "a change that was reverted in between is not detected")
        return 1
    print(f"changed between {change.before.version}: {change.before.verdict}\n"
          f"            and {change.after.version}: {change.after.verdict}")
    if change.between:
        print(f"between them, and not tried: {', '.join(change.between)}")
    return 0


@commands.command()
@campaign_options
def campaign(output: Path | None, resume: bool, engine: str, workers: int | None, shard: int | None,
             scheduler: str | None, **which: Any) -> int:
    """Run very many generated calls on a backend.

    The record has counts of all calls, and the first few lines of each root cause; see docs/campaign.md. Exit status:
    0 if nothing is new, 1 if something is, 2 if the campaign failed or was incomplete.
    """
    # See `campaign_options`: the options in `which` choose calls and backend, the others say how calls are run.
    working = engine_of(engine, workers=workers, shard=shard, scheduler=scheduler)
    run = None
    try:
        run = Campaign(whole_of(**which), output, resume)
        began, before = time.monotonic(), run.tally.calls
        with Progress(run.whole.calls, run.tally.calls, sys.stderr) as progress:
            run.run(working, progress, shard)
    except KeyboardInterrupt:
        done = run.tally.calls if run else 0
        print(f"interrupted, {done} calls are done" + ("; --resume continues" if done else ""), file=sys.stderr)
        return FAILED
    for verdict, meaning in VERDICTS.items():
        if run.tally.verdicts[verdict]:
            print(f"{run.tally.verdicts[verdict]:9}  {verdict:16} {meaning}")
    print(f"{run.tally.distinct_shapes:9}  distinct shapes of the inputs")
    if left_out := left_out_line(run.tally.left_out):
        print(left_out)
    if run.whole.every:
        print(rate_line(run.tally.calls - before, time.monotonic() - began, parts_of(run.whole.spec,
                                                                                      run.whole.every)))
    for cause, count in run.news():
        where = f" in {cause.context}" if cause.context else ""
        number, line = run.tally.lines[cause][0]
        print(f"new: {cause.verdict} {' '.join(cause.clauses)}".rstrip() + f"{where}, {count} calls; the first is "
              f"number {number}, {json.loads(line)['id']}")
    if run.is_unsupported:
        print("nothing was judged: every call was declared unsupported, or its result is unspecified")
    print(f"record  {run.path}")
    return run.status()
