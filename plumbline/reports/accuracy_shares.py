"""Tabulate the largest errors against accuracy profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from plumbline.reports.columns import Column
from plumbline.reports.words import unversioned
from plumbline.trial.accuracy.measurement import Measurement
from plumbline.trial.record.measurements import figures_of, share_name


class ShareRow(NamedTuple):
    """An operator in one element type under a profile.

    profile: "" for errors that are measured in ulp.
    dtype:  with the inputs that were measured, where these are not of cases.
    shares: by column the largest error, of what the profile allows; None where nothing was measured.
    """

    profile: str
    specification: str
    dtype: str
    shares: tuple[float | None, ...]


def accuracy_shares(shown: Sequence[Column], measured: Sequence[Measurement] = ()) -> list[ShareRow]:
    """Return the rows of records that were judged by an accuracy profile.

    shown:    the records, a column each; versions of a specification share a row.
    measured: measurements of their backends, whose rows follow: in ulp, and against the profiles of the records."""
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    for number, column in enumerate(shown):
        profile = column.record.header.accuracy
        for line in column.record.cases if profile else ():
            share = figures_of(line).get(share_name(profile))
            if share is not None:
                of_row = found.setdefault((profile, unversioned(line.spec), line.dtype), {})
                of_row[number] = max(share, of_row.get(number, 0.0))
    for entry in measured:
        inputs = "all 2^32" if entry.inputs == 2**32 else f"{entry.inputs:,} inputs"
        for series in entry.series:
            for number, column in enumerate(shown):
                if column.record.who != series.backend or series.largest is None or series.largest.ulp is None:
                    continue
                key, profile = (f"onnx/{entry.file}", f"{entry.dtype}, {inputs}"), column.record.header.accuracy
                found.setdefault(("", *key), {})[number] = series.largest.ulp
                against = series.against.get(profile.partition("/")[2])
                if against is not None:
                    found.setdefault((profile, *key), {})[number] = against.share
    return [ShareRow(*key, tuple(of_row.get(number) for number in range(len(shown))))
            for key, of_row in sorted(found.items())]
