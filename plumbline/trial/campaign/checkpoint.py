"""Checkpoints: files of the finished shards of campaigns.

The file is replaced after each shard. It has one tally, so that its size does not grow with the calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from plumbline.oracle.files import RECORD, read_text, write_file
from plumbline.trial.campaign.shards import Job, shards
from plumbline.trial.campaign.tally import Tally

FORMAT = 2

Range = tuple[int, int]
"""The first call, and the one after the last."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be continued; the text is one line."""


@dataclass
class Checkpoint:
    """The finished calls of a campaign, and their tally.

    done: ordered ranges that do not touch.
    """

    whole: Job
    path: Path
    done: list[Range] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def left(self, size: int | None = None) -> Iterator[Job]:
        """Yield the unfinished shards and parts of shards."""
        done = list(self.done)  # self.done grows meanwhile
        for shard in shards(self.whole, size):
            for start, stop in _gaps(shard.start, shard.stop, done):
                yield replace(shard, start=start, stop=stop)

    def add(self, job: Job, tally: Tally) -> None:
        """Add a finished shard, and replace the file."""
        self.tally += tally
        ranges: list[Range] = []
        for start, stop in sorted([*self.done, (job.start, job.stop)]):
            if ranges and ranges[-1][1] == start:
                start = ranges.pop()[0]
            ranges.append((start, stop))
        self.done = ranges
        text = json.dumps({"format": FORMAT, "campaign": asdict(self.whole), "done": self.done,
                           "tally": self.tally.to_json()})
        write_file(self.path, text)

    @classmethod
    def read(cls, whole: Job, path: Path) -> Checkpoint:
        """Read the checkpoint of a campaign, empty if there is no file.

        Raises CheckpointError for an unreadable file, and for one of another campaign."""
        if not path.exists():
            return cls(whole, path)
        try:
            data = json.loads(read_text(path, RECORD))
            different = [name for name, value in json.loads(json.dumps(asdict(whole))).items()
                         if data["campaign"].get(name) != value]
            done = [(int(start), int(stop)) for start, stop in data["done"]]
            checkpoint = cls(whole, path, done, Tally.from_json(data["tally"]))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise CheckpointError(f"{path} cannot be read ({type(error).__name__}: {error}); delete it to start "
                                  "again") from None
        if data.get("format") != FORMAT or different:
            raise CheckpointError(f"{path} is of a campaign with another {', '.join(different) or 'format'}; delete it "
                                  "to start again")
        return checkpoint

    def remove(self) -> None:
        """Delete the file, once the record is written."""
        self.path.unlink(missing_ok=True)


def _gaps(start: int, stop: int, done: list[Range]) -> Iterator[Range]:
    """Yield the parts of a range that `done` does not cover."""
    for first, last in done:
        if first < stop and last > start:
            if first > start:
                yield start, first
            start = last
    if start < stop:
        yield start, stop
