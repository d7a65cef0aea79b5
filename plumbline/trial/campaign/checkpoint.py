"""What a campaign has finished so far, in a file beside its record, so that it can be interrupted and go on.

The file is replaced as a whole after each shard, and holds one tally: its size does not grow with the calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from plumbline.oracle.files import RECORD, read_text, write_file
from plumbline.trial.campaign.shards import Job, shards
from plumbline.trial.campaign.tally import Tally

FORMAT = 1

Range = tuple[int, int]
"""The first call, and the one after the last."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be gone on with; the text is one line."""


@dataclass
class Checkpoint:
    """The calls of a campaign that are done, as ranges in order that do not touch, and what they come to."""

    whole: Job
    path: Path
    done: list[Range] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def left(self, size: int | None = None) -> Iterator[Job]:
        """The shards that are not done, or their parts that are not."""
        done = list(self.done)  # it grows while the shards are handed out
        for shard in shards(self.whole, size):
            for start, stop in _gaps(shard.start, shard.stop, done):
                yield replace(shard, start=start, stop=stop)

    def add(self, job: Job, tally: Tally) -> None:
        """A shard is done; the file says so when this returns."""
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
        """What is done of `whole`, nothing where there is no file. Raises CheckpointError for the file of another
        campaign, and for one that cannot be read."""
        if not path.exists():
            return cls(whole, path)
        try:
            data = json.loads(read_text(path, RECORD))
            others = [name for name, value in json.loads(json.dumps(asdict(whole))).items()
                      if data["campaign"].get(name) != value]
            done = [(int(start), int(stop)) for start, stop in data["done"]]
            found = cls(whole, path, done, Tally.from_json(data["tally"]))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise CheckpointError(f"{path} cannot be read ({type(error).__name__}: {error}); delete it to begin "
                                  "anew") from None
        if data.get("format") != FORMAT or others:
            raise CheckpointError(f"{path} is of a campaign with another {', '.join(others) or 'format'}; delete it to "
                                  "begin anew")
        return found

    def remove(self) -> None:
        """The record is written, and says all."""
        self.path.unlink(missing_ok=True)


def _gaps(start: int, stop: int, done: list[Range]) -> Iterator[Range]:
    """The parts of a range that no range of `done` covers."""
    for first, last in done:
        if first < stop and last > start:
            if first > start:
                yield start, first
            start = last
    if start < stop:
        yield start, stop
