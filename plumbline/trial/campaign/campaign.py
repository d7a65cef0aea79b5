"""Run a campaign: very many generated calls of one specification.

The record has the counts of all calls, and the lines of the first calls of each root cause. Apart from times, it does
not depend on engine and shards. It is written at the end; until then finished shards are kept in RECORD.progress.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from plumbline.backends import find_backend, is_asked
from plumbline.backends.identity import Identity
from plumbline.cases.generate.choices import makes_calls
from plumbline.cases.generate.exhaustive import parts
from plumbline.oracle import Spec, load_spec
from plumbline.trial.campaign.campaign_record import write_campaign
from plumbline.trial.campaign.checkpoint import Checkpoint
from plumbline.trial.campaign.engine import Engine
from plumbline.trial.campaign.shards import SHARD, Job, answered, draws_of
from plumbline.trial.campaign.tally import Cause, Tally
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.record.header import Backend
from plumbline.trial.run.forms import forms
from plumbline.trial.run.host_cache import described
from plumbline.trial.run.paths import file_name, lock

FOLDER = Path("reports/out")


class CampaignError(ValueError):
    """A campaign that cannot be done; the text is one line."""


class Campaign:
    """The calls of `whole`, their backend, and the record.

    whole:  specification, backend and range of all calls.
    out:    path of the record; by default in `FOLDER`, named after the campaign.
    resume: continue an interrupted campaign, whose file of finished shards must exist; without it, it must not.

    The backend is started once for its identity. Raises CampaignError, BackendError, KnownError, SpecError, ClaimError
    if another process writes the record, and CheckpointError if the file of finished shards is of another campaign."""

    def __init__(self, whole: Job, out: Path | None = None, resume: bool = False) -> None:
        self.whole, self.spec = whole, load_spec(whole.spec)
        _check(whole, self.spec)
        self.identity, self.backend = _start(whole)
        self._draws = draws_of(whole, self.identity)
        self.path = out or FOLDER / f"{file_name(_label(whole, self.identity))}.jsonl"
        progress = self.path.with_name(f"{self.path.name}.progress")
        if progress.exists() != resume:
            raise CampaignError(f"there is no {progress}, so nothing can be resumed; leave --resume out" if resume else
                                f"{progress} is of an interrupted campaign: continue it with --resume, or delete it "
                                "to start again")
        if self.path.exists():
            raise CampaignError(f"{self.path} exists; delete it, or choose another --output")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as claim:
            claim.enter_context(lock(self.path))
            self.checkpoint = Checkpoint.read(whole, progress)
            self._check_answers(self.tally)
            self._claim = claim.pop_all()

    @property
    def tally(self) -> Tally:
        """The tally of finished shards."""
        return self.checkpoint.tally

    def run(self, engine: Engine, report: Callable[[Tally], None] = lambda tally: None, size: int | None = None
            ) -> None:
        """Run the remaining calls, then write the record.

        `report` gets the tally after each shard. Raises CampaignError if a shard was answered or judged by another
        version, and what the engine raises."""
        with self._claim, closing(engine.run(self.checkpoint.left(size))) as done:
            for job, tally in done:
                self._check_answers(tally)
                self.checkpoint.add(job, tally)
                report(self.tally)
            write_campaign(self.path, self.whole, self.backend, self._draws, self.tally)
            self.checkpoint.remove()

    def news(self) -> list[tuple[Cause, int]]:
        """Return the root causes that fail the campaign, the most frequent first.

        For an untried version only crashes and hangs do."""
        failing = [(cause, count) for cause, count in self.tally.causes.items() if cause.accuses and not cause.known
                   and (self.backend.tried or cause.verdict in ("crashes", "hangs"))]
        return sorted(failing, key=lambda entry: (-entry[1], entry[0]))

    @property
    def is_unsupported(self) -> bool:
        """True if nothing was judged: each call was declared unsupported, or observed."""
        return "unsupported" in self.tally.verdicts.keys() <= {"unsupported", "observed"}

    def status(self) -> int:
        """Return the exit status. It is 2 if a call could not be judged, or none was, 1 if something is new, else 0."""
        return 2 if self.tally.verdicts["harness-error"] or self.is_unsupported else 1 if self.news() else 0

    def _check_answers(self, tally: Tally) -> None:
        expected = answered(self.identity, self.spec, self._draws)
        for text in tally.answered_by:
            if self._draws.digest and text == described(self.identity, self.spec):
                raise CampaignError("the campaign was begun by a version that drew calls which the backend does not "
                                    "declare; delete the .progress file to start again")
            if text != expected:
                raise CampaignError(f"some calls were answered by {text}, but the campaign is about {expected}; delete "
                                    "the .progress file to start again")


def _check(whole: Job, spec: Spec) -> None:
    if whole.start < 0 or whole.calls < 1:
        raise CampaignError(f"{whole.start}..{whole.stop} has no calls: numbers start at 0, and the last is not "
                            "included")
    if whole.seed < 0 or whole.time_limit <= 0 or whole.memory_limit <= 0 or whole.host not in SHARD:
        raise CampaignError("--seed is zero or more, --time-limit and --memory-limit above zero")
    if whole.form not in forms(spec):
        raise CampaignError(f"{whole.spec} has no form {whole.form!r}; it has {', '.join(forms(spec))}")
    if whole.every and whole.stop > (count := parts_of(whole.spec, whole.every)):
        raise CampaignError(f"every value of {whole.every} is in the calls 0 to {count - 1}; choose a smaller --range")
    if not makes_calls(spec):
        raise CampaignError(f"no calls can be generated for {whole.spec}")


def parts_of(spec: str, name: str) -> int:
    """Return how many calls cover all values of a type. Raises CampaignError."""
    try:
        return parts(spec, name)
    except (TypeError, ValueError) as error:
        raise CampaignError(f"--every {name}: {error}") from None


def _start(whole: Job) -> tuple[Identity, Backend]:
    """Ask the backend who it is, in a process of its own."""
    backend = find_backend(whole.backend, Path(whole.python) if whole.python else None)
    host = backend.start(whole.memory_limit)
    host.close()
    identity = host.identity
    if not is_asked(identity.specifications, whole.spec):
        raise CampaignError(f"{whole.backend} can be asked about {', '.join(identity.specifications)}, not about "
                            f"{whole.spec}; choose another --spec or --backend")
    known = KnownDivergences.load(backend.adapter, identity.version)
    limit = identity.memory_limit if whole.host == "process" else None
    return identity, Backend.of(replace(identity, memory_limit=limit), tried=known.tried, named=backend.named)


def _label(whole: Job, identity: Identity) -> str:
    return f"campaign-{identity.name}-{identity.version}-{whole.spec}-{whole.form}-{whole.every or whole.seed}"
