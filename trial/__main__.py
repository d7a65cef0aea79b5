"""The door of `trial/`. The trial itself is a pytest run: `pytest tests/conformance --help`, under "conformance".

    python -m trial promote RECORD ID [--spec SPEC] [--form FORM] [--minimise --backend NAME]
                                                a line of a record as a YAML case, to paste into a file of cases; its
                                                call as small as it gets while the backend named here still fails
    python -m trial bisect NAME --case ID [--spec SPEC] [--form FORM] --versions A..B
                                                the release in which the verdict on a case changed
    python -m trial campaign --spec SPEC --backend NAME --calls COUNT [--seed N] [--form FORM] [--workers N]
                                                very many generated calls, as one record that keeps the first few lines
                                                of each cause; see docs/campaign.md
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from plumbline.backends import BackendError, find_backend
from plumbline.backends.releases import releases
from plumbline.cases import CaseError, load_cases
from plumbline.oracle import SpecError
from plumbline.oracle.door import leave
from plumbline.trial.bisect import BisectError, Tried, between, chosen_case, find_change, try_release
from plumbline.trial.campaign import Campaign, CampaignError
from plumbline.trial.campaign_options import OneLine, add_options, engine_of, whole_of
from plumbline.trial.checkpoint import CheckpointError
from plumbline.trial.engines import EngineError
from plumbline.trial.judge import VERDICTS
from plumbline.trial.known import KnownError
from plumbline.trial.minimise import MinimiseError, minimised
from plumbline.trial.progress import Progress
from plumbline.trial.promote import case_of, chosen_line, promoted
from plumbline.trial.recording import RecordError, read_record


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 2 when the record or the line cannot be read, that of bisect 0 when a change was
    found, 1 when there is none, 2 when it could not be looked for; that of campaign 0 nothing new, 1 something new,
    2 when it could not be done, or not all of it."""
    parser = argparse.ArgumentParser(prog="python -m trial", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True, parser_class=OneLine)
    promote = doors.add_parser("promote")
    promote.add_argument("record", type=Path)
    promote.add_argument("id")
    promote.add_argument("--spec", help="where several specifications have a case of that name")
    promote.add_argument("--form", help="Y or Y+Indices; by default the first that the record holds with its call")
    promote.add_argument("--minimise", action="store_true", help="shrink the call first")
    promote.add_argument("--backend", metavar="NAME[==VERSION]|MODULE[:CLASS]|exec:COMMAND",
                         help="whom to ask with --minimise")
    promote.add_argument("--python", type=Path, metavar="PATH", help="as in the run, for an environment of its own")
    promote.add_argument("--time-limit", type=float, default=20.0, metavar="SECONDS")
    bisect = doors.add_parser("bisect", epilog="exit status: 0 found, 1 the verdict is the same at both ends, 2 it "
                              "could not be looked for")
    bisect.add_argument("name", help="a backend of the suite, such as onnxruntime")
    bisect.add_argument("--case", required=True, metavar="ID")
    bisect.add_argument("--spec", help="where several specifications have a case of that name")
    bisect.add_argument("--form", help="Y or Y+Indices; by default every output")
    bisect.add_argument("--versions", required=True, metavar="A..B")
    bisect.add_argument("--time-limit", type=float, default=20.0, metavar="SECONDS")
    add_options(doors.add_parser("campaign", epilog="exit status: 0 nothing new, 1 something new, 2 it could not be "
                                 "done, or not all of it"))
    options = parser.parse_args(arguments)
    return {"bisect": _bisect, "campaign": _campaign, "promote": _promote}[options.door](options)


def _promote(options: argparse.Namespace) -> int:
    try:
        record = read_record(options.record)
        line = chosen_line(record, options.id, options.spec, options.form)
        case, note = case_of(record, line), ""
        if options.minimise:
            if not options.backend:
                raise MinimiseError(f"--minimise starts the backend that --backend names, never one that a record "
                                    f"names; this record is about {record.who}")
            host = find_backend(options.backend, options.python).start()
            try:
                case, note = minimised(host, case, line.form, options.time_limit), "minimised"
            finally:
                host.close()
            asked = record.header.backend.version
            if host.identity["version"] != asked:
                print(f"the record is about version {asked}, tried again was {host.identity['version']}",
                      file=sys.stderr)
        print(promoted(record, line, case, note), end="")
    except (BackendError, LookupError, MinimiseError, RecordError) as error:
        print(error.args[0], file=sys.stderr)
        return 2
    return 0


def _bisect(options: argparse.Namespace) -> int:
    try:
        case, form = chosen_case(load_cases(), options.case, options.spec, options.form)
        versions = between(options.versions, releases(options.name))
        print(f"{options.name}, {len(versions)} releases, {case.spec} {case.id} [{form}]", flush=True)

        def attempt(version: str) -> Tried:
            tried = try_release(options.name, version, case, form, options.time_limit)
            print(tried, flush=True)
            return tried

        found = find_change(versions, attempt)
    except (BackendError, BisectError, CaseError) as error:
        print(error, file=sys.stderr)
        return 2
    if not found.changed:
        print(f"the same at both ends, {found.before.version} and {found.after.version}: {found.before.verdict}; "
              "a change that was undone in between would not be seen")
        return 1
    print(f"changed between {found.before.version}: {found.before.verdict}\n"
          f"            and {found.after.version}: {found.after.verdict}")
    if found.between:
        print(f"between them, and not tried: {', '.join(found.between)}")
    return 0


def _campaign(options: argparse.Namespace) -> int:
    campaign = None
    try:
        engine = engine_of(options)
        campaign = Campaign(whole_of(options), options.out, options.resume)
        with Progress(campaign.whole.calls, campaign.tally.calls, sys.stderr) as progress:
            campaign.run(engine, progress, options.shard)
    except (BackendError, CampaignError, CheckpointError, EngineError, KnownError, SpecError, OSError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        done = campaign.tally.calls if campaign else 0
        print(f"interrupted, {done} calls are done" + ("; --resume goes on" if done else ""), file=sys.stderr)
        return 2
    for verdict, meaning in VERDICTS.items():
        if campaign.tally.verdicts[verdict]:
            print(f"{campaign.tally.verdicts[verdict]:9}  {verdict:16} {meaning}")
    for cause, count in campaign.news():
        print(f"new: {cause.verdict} {' '.join(cause.clauses)}".rstrip() + f", {count} calls; the first is number "
              f"{campaign.tally.lines[cause][0][0]}")
    print(f"record  {campaign.path}")
    return campaign.status()


if __name__ == "__main__":
    leave(main)
