"""A campaign: very many generated calls of one specification in one form, put to one backend, as one record.

The record has the counts of all calls, and the lines of the first few of each cause; it is the same, times apart,
whoever worked on it and in however many shards. It is written when all calls are done; until then what is done is kept
in a file beside it, RECORD.progress.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
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
from plumbline.trial.campaign.shards import SHARD, Job
from plumbline.trial.campaign.tally import Cause, Tally
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.record.header import Backend
from plumbline.trial.run.host_cache import described
from plumbline.trial.run.paths import file_name, lock
from plumbline.trial.run.session import forms

FOLDER = Path("reports/out")


class CampaignError(ValueError):
    """A campaign that cannot be done; the text is one line."""


class Campaign:
    """The calls of `whole`, their backend, and the record. The backend is started once, to be asked who it is.

    Raises CampaignError, BackendError, KnownError, SpecError, ClaimError where the same record is being written, and
    CheckpointError for a file beside it that is of another campaign."""

    def __init__(self, whole: Job, out: Path | None = None, resume: bool = False) -> None:
        self.whole, self.spec = whole, load_spec(whole.spec)
        _check(whole, self.spec)
        self.identity, self.backend = _start(whole)
        self.path = out or FOLDER / f"{file_name(_label(whole, self.identity))}.jsonl"
        beside = self.path.with_name(f"{self.path.name}.progress")
        if beside.exists() != resume:
            raise CampaignError(f"there is no {beside}, so that nothing can be resumed" if resume else
                                f"{beside} is of a campaign that was interrupted: --resume goes on with it; delete it "
                                "to begin anew")
        if self.path.exists():
            raise CampaignError(f"{self.path} exists; delete it, or choose another --out")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = lock(self.path)
        self.checkpoint = Checkpoint.read(whole, beside)
        self._check_answers(self.tally)

    @property
    def tally(self) -> Tally:
        """What was done so far comes to."""
        return self.checkpoint.tally

    def run(self, engine: Engine, told: Callable[[Tally], None] = lambda tally: None, size: int | None = None) -> None:
        """Every call that is not done yet, then the record. `told` is given what was done so far comes to. Raises
        CampaignError where a shard was answered or judged by another version, and what the engine raises."""
        with closing(engine.run(self.checkpoint.left(size))) as done:
            for job, tally in done:
                self._check_answers(tally)
                self.checkpoint.add(job, tally)
                told(self.tally)
        write_campaign(self.path, self.whole, self.backend, self.tally)
        self.checkpoint.remove()
        self._lock.release()

    def news(self) -> list[tuple[Cause, int]]:
        """The causes that fail the campaign, with their calls, the most frequent first. Of a version that nobody has
        tried before only crashes and hangs do."""
        found = [(cause, count) for cause, count in self.tally.causes.items() if cause.accuses and not cause.known
                 and (self.backend.tried or cause.verdict in ("crashes", "hangs"))]
        return sorted(found, key=lambda entry: (-entry[1], entry[0]))

    @property
    def is_unsupported(self) -> bool:
        """True if nothing was judged: each call was declared unsupported, or observed."""
        return "unsupported" in self.tally.verdicts.keys() <= {"unsupported", "observed"}

    def status(self) -> int:
        """The exit status: 2 when some call could not be judged, or none was, 1 for what is new, else 0."""
        return 2 if self.tally.verdicts["harness-error"] or self.is_unsupported else 1 if self.news() else 0

    def _check_answers(self, tally: Tally) -> None:
        expected = described(self.identity, self.spec)
        for text in tally.answered_by:
            if text != expected:
                raise CampaignError(f"some calls were answered by {text}; the campaign is about {expected}")


def _check(whole: Job, spec: Spec) -> None:
    if whole.start < 0 or whole.calls < 1:
        raise CampaignError(f"{whole.start}..{whole.stop} holds no call: numbers begin with 0, and the last is not "
                            "among them")
    if whole.seed < 0 or whole.time_limit <= 0 or whole.memory_limit <= 0 or whole.host not in SHARD:
        raise CampaignError("--seed is zero or more, --time-limit and --memory-limit above zero")
    if whole.form not in forms(spec):
        raise CampaignError(f"{whole.spec} has no form {whole.form!r}; it has {', '.join(forms(spec))}")
    if whole.every and whole.stop > (count := parts_of(whole.spec, whole.every)):
        raise CampaignError(f"every value of {whole.every} is in the calls 0 to {count - 1}")
    if not makes_calls(spec):
        raise CampaignError(f"nothing is generated for {whole.spec}")


def parts_of(spec: str, name: str) -> int:
    """How many calls hold every value of a type. Raises CampaignError."""
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
