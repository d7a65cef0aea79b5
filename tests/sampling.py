"""The sample of slow checks that a run of the tests takes.

A short run takes some specifications of each slow check and few calls of each; which ones rotates with the commit, so
that every specification has its turn. `--sample` or the environment variable decides otherwise:

    HASH      a short run, sampled as at the commit HASH (default: the commit that is checked out)
    HASH/10   one specification in ten, each with many calls; without HASH, those of the commit
    all       every specification with all its calls (`make gates`)

A slow test that is not about specifications has the mark `gate(one_in=N)`: a short run takes one in N of these, the
others as many as of the specifications. A test that is named on the command line with `::` always runs.
"""

from __future__ import annotations

import os
import re
import subprocess
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

VARIABLE = "PLUMBLINE_SAMPLE"
ROOT = Path(__file__).parents[1]
T = TypeVar("T")


class Sample(NamedTuple):
    """A parsed value of `--sample`.

    text:  the value that selects the same sample again.
    start: decides which specifications come first.
    step:  of how many specifications one is taken with many calls; 0 in a short run."""

    text: str
    start: int
    step: int

    @classmethod
    def parse(cls, text: str) -> Sample:
        """Read a value of `--sample`. Raises ValueError."""
        if text == "all":
            return cls(text, 0, 1)
        match = re.fullmatch(r"([0-9a-f]*)(?:/([1-9][0-9]*))?", text)
        if match is None:
            raise ValueError(f"--sample {text}: expected 'all', a commit's hash, or HASH/NUMBER as in 4bd3356/10")
        commit = match[1] or head()
        return cls(commit + (f"/{match[2]}" if match[2] else ""), int(commit, 16), int(match[2] or 0))


def head() -> str:
    """Return the short hash of the commit that is checked out; 0 outside a clone."""
    done = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "0"


@cache
def sample() -> Sample:
    """Return the sample of this run."""
    return Sample.parse(os.environ.get(VARIABLE, ""))


def whole() -> bool:
    """True if each sampled specification is tried with more calls than in a short run."""
    return sample().step > 0


def sampled(items: Sequence[T], one_in: int) -> list[T]:
    """Return the items whose turn it is: one in so many in a short run, else as many as the sample says."""
    step = min(sample().step or one_in, max(len(items), 1))
    return list(items[sample().start % step::step])


def has_turn(test: str, one_in: int) -> bool:
    """True if this run takes the test of that id: one in so many in a short run, else as many as the sample says.

    It depends on nothing but id and sample, so that every selection of tests takes the same ones."""
    return (zlib.crc32(test.encode()) + sample().start) % (sample().step or one_in) == 0
