"""Write the record of a campaign: header, kept lines, counts."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from plumbline.oracle import load_spec
from plumbline.trial.campaign.declared_draws import DeclaredDraws, left_out_line
from plumbline.trial.campaign.shards import PARTS_AT_ONCE, Job, cases_of
from plumbline.trial.campaign.tally import CONFORMING, LINES, Tally
from plumbline.trial.record.header import Backend, CampaignRange, Cases, Header, KeptLines, Selection
from plumbline.trial.record.lines import Bearings, CauseCount
from plumbline.trial.record.recording import RecordWriter
from plumbline.trial.run.header_builder import case_digest, header

SAMPLE = 64
"""Calls in the digest of a campaign, so that changed generation is noticed."""


def write_campaign(path: Path, whole: Job, backend: Backend, draws: DeclaredDraws, tally: Tally) -> None:
    """Write the record of a finished campaign."""
    # NAME.part is the checkpoint, which is needed until the record is in its place
    writer = RecordWriter(path, _header(whole, backend, draws), path.with_name(f"{path.name}.new"))
    for line in tally.in_order():
        writer.case(line)
    writer.close(**_footer(tally))


def _header(whole: Job, backend: Backend, draws: DeclaredDraws) -> Header:
    """Return the header; it does not depend on engine and shards. `whole`: the job of all calls; `draws` draws them."""
    options = {name: value for name, value in asdict(whole).items() if name not in ("start", "stop", "contexts")
               and (name != "every" or value)}
    options |= {"context": list(whole.contexts)} if whole.contexts else {}
    options["range"] = f"{whole.start}..{whole.stop}"
    head = header(backend, [load_spec(whole.spec)], [], _command(whole), options)
    lines = KeptLines.model_validate({"of a cause": LINES, "conforming": CONFORMING})
    return head.model_copy(update={
        "selection": Selection(tried=whole.calls, of=whole.calls),
        "cases": Cases(count=whole.calls, digest=_digest(whole, draws)), "boundaries": {},
        "campaign": CampaignRange(form=whole.form, seed=whole.seed, range=[whole.start, whole.stop], lines=lines)})


def _footer(tally: Tally) -> dict[str, Any]:
    broken = tally.broken
    return {"counts": _sorted(tally.verdicts), "calls": tally.calls, "shapes": tally.distinct_shapes,
            "clauses": {address: Bearings(conforms=tally.kept[address], diverges=broken[address])
                        for address in sorted({*tally.kept, *broken})},
            "known": _sorted(tally.known), "causes": list(_causes(tally)), "gone": [],
            "notes": [*filter(None, [left_out_line(tally.left_out)]),
                      *(f"{count} times: {text}" for text, count in sorted(tally.notes.items()))],
            "seconds": tally.microseconds / 1e6}


def _causes(tally: Tally) -> Iterator[CauseCount]:
    for cause, count in sorted(tally.causes.items()):
        yield CauseCount(verdict=cause.verdict, clauses=list(cause.clauses), known=cause.known or None, calls=count,
                         lines=len(tally.lines[cause]), context=cause.context)


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _digest(whole: Job, draws: DeclaredDraws) -> str:
    """Return a digest of specification, form, seed, numbers and first calls."""
    sample = case_digest(cases_of(whole, range(PARTS_AT_ONCE if whole.every else SAMPLE), draws))
    text = repr((whole.spec, whole.form, whole.every or whole.seed, whole.start, whole.stop, sample,
                 *filter(None, [draws.digest])))
    return hashlib.sha256(text.encode()).hexdigest()


def _command(whole: Job) -> str:
    """Return the command that repeats the campaign."""
    options = {"--spec": whole.spec, "--backend": whole.backend, "--form": whole.form, "--seed": whole.seed,
               "--range": f"{whole.start}..{whole.stop}", "--host": whole.host, "--time-limit": f"{whole.time_limit:g}",
               "--memory-limit": whole.memory_limit, **({"--python": whole.python} if whole.python else {}),
               **({"--every": whole.every} if whole.every else {})}
    pairs = [*options.items(), *(("--context", name) for name in whole.contexts)]
    return shlex.join(["plumbline", "campaign", *(str(word) for pair in pairs for word in pair)])
