"""Measured errors as data, and their JSON files.

{"format": 1, "made_by": COMMAND, "measurements": [Measurement, ...]}, see the classes here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from plumbline.oracle.files import RECORD, read_text, write_file
from plumbline.trial.accuracy.functions import AccuracyError

FORMAT = 1


@dataclass(frozen=True)
class Worst:
    """An input with the largest error; numbers are texts from which the number of the type can be read.

    count: of a kind of error, how many inputs have it.
    """

    x: str
    got: str
    exact: str
    ulp: float | None = None
    count: int = 0


@dataclass(frozen=True)
class AgainstProfile:
    """Errors against the bound of an accuracy profile.

    share:     the largest error, of what is allowed.
    exceeding: how many inputs have an error that surely exceeds the bound.
    """

    share: float
    exceeding: int


@dataclass
class Series:
    """The error of one backend over the inputs.

    backend: its name and version.
    note:    that the call is outside the declared capabilities, or why there are no answers; "" otherwise.
    ulp:     by bucket the largest error in ulp; None without an input that has a real value.
    at:      by bucket (a number as a text) the input with that error, where it is above half an ulp.
    wrong:   by bucket the first NaN, infinity or number given where something else is right, with their count; an
             error of finite numbers is none of these.
    not_nearest: how many results are surely not the number next to the real value.
    largest: of all buckets; None where nothing was measured.
    against: by accuracy profile.
    """

    backend: str
    note: str = ""
    ulp: list[float | None] = field(default_factory=list)
    at: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, Worst] = field(default_factory=dict)
    not_nearest: int = 0
    largest: Worst | None = None
    against: dict[str, AgainstProfile] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Series:
        """Return the series of a file."""
        worst = {key: Worst(**value) for key, value in data["wrong"].items()}
        against = {key: AgainstProfile(**value) for key, value in data["against"].items()}
        largest = data["largest"] and Worst(**data["largest"])
        return cls(**{**data, "wrong": worst, "against": against, "largest": largest})


@dataclass
class Measurement:
    """The error of a function in one element type.

    function: as plots call it; `file` is how names of files begin.
    inputs:   how many; `how` says which.
    unsure:   the largest error of the real values themselves, in ulp.
    bounds:   by accuracy profile its bound in ulp, where it is a number.
    """

    function: str
    file: str
    dtype: str
    inputs: int
    how: str
    unsure: float
    bounds: dict[str, float]
    series: list[Series]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Measurement:
        """Return the measurement of a file."""
        return cls(**{**data, "series": [Series.from_json(entry) for entry in data["series"]]})


def write_measurements(path: Path, measurements: Sequence[Measurement], command: str) -> Path:
    """Write a file, one measurement a line."""
    lines = ",\n".join(json.dumps(asdict(entry), separators=(",", ":")) for entry in measurements)
    head = f'"format": {FORMAT}, "made_by": {json.dumps(command)}'
    return write_file(path, f'{{{head}, "measurements": [\n{lines}\n]}}\n')


def read_measurements(path: Path) -> list[Measurement]:
    """Return the measurements of a file. Raises AccuracyError."""
    try:
        data = json.loads(read_text(path, RECORD))
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']}, not {FORMAT}")
        return [Measurement.from_json(entry) for entry in data["measurements"]]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise AccuracyError(f"{path}: is no file of `plumbline accuracy` ({type(error).__name__}: {error})") from None
