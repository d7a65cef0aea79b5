"""The largest errors against accuracy profiles, by operator, element type and record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from plumbline.reports.columns import Column
from plumbline.reports.words import unversioned
from plumbline.trial.record.measurements import figures_of, share_name


class ShareRow(NamedTuple):
    """An operator in one element type under a profile.

    shares: by column the largest error, of what the profile allows; None where nothing was measured.
    """

    profile: str
    specification: str
    dtype: str
    shares: tuple[float | None, ...]


def accuracy_shares(shown: Sequence[Column]) -> list[ShareRow]:
    """Return the rows of all records that were judged by a profile, versions of a specification together."""
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    for number, column in enumerate(shown):
        profile = column.record.header.accuracy
        for line in column.record.cases if profile else ():
            share = figures_of(line).get(share_name(profile))
            if share is not None:
                of_row = found.setdefault((profile, unversioned(line.spec), line.dtype), {})
                of_row[number] = max(share, of_row.get(number, 0.0))
    return [ShareRow(*key, tuple(of_row.get(number) for number in range(len(shown))))
            for key, of_row in sorted(found.items())]
