"""Records as reports need them: read, and checked so far that no report can stumble over one.

A record may come from elsewhere, be cut short or be made to mislead. What a report takes for granted is said here as
types; the first place that is otherwise is one line of text: the file, where in it, and what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from plumbline.trial.judge import ACCUSES, VERDICTS
from plumbline.trial.record import Record, RecordError, read_record

Place = list[int]
ABSENT: Any = None
"""The default of what may be left out; a null in its place is refused."""


class Part(BaseModel):
    """Types are taken at their word; what else a record holds is left alone."""

    model_config = ConfigDict(strict=True)


class TensorData(Part):
    """An array: `values` nested as deep as `shape` is long; `offset` where it is cropped."""

    dtype: str
    shape: list[NonNegativeInt]
    values: Any
    offset: list[NonNegativeInt] = ABSENT


def _well_formed(tensor: TensorData) -> TensorData:
    """The tensor. Raises ValueError where values, shape and offset do not fit together."""
    shape = tensor.shape
    offset = [0] * len(shape) if tensor.offset is ABSENT else tensor.offset
    if len(offset) != len(shape):
        raise ValueError("shape and offset differ in length")
    kept = np.array(tensor.values, dtype=object)
    if 0 not in shape and (kept.ndim != len(shape) or any(
            start + size > whole for start, size, whole in zip(offset, kept.shape, shape, strict=True))):
        raise ValueError("the values do not have the shape")
    if not all(isinstance(value, int | float | str) for value in kept.flat):
        raise ValueError("a value is neither a number nor text")
    return tensor


Tensor = Annotated[TensorData, AfterValidator(_well_formed)]


class ClauseData(Part):
    """A clause with its statement."""

    kind: str
    title: str
    statement: str
    source: str
    judges: str | None
    restates: str | None
    derived: str | None
    editorial: str | None


class SpecificationData(Part):
    """A text that was tried."""

    edition: str
    digest: str
    operator: str
    outputs: list[str]
    domain: Annotated[str, Field(pattern=r"^[a-z0-9_.]*$")] | None = None
    clauses: dict[str, ClauseData]


class BackendData(Part):
    """Who was tried."""

    name: str
    version: str
    python: str
    numpy: str
    about: dict[str, Any]
    tried: bool
    reproduce: str = ABSENT
    requirements: list[str] = ABSENT


class SelectionData(Part):
    """How many results were selected, of how many."""

    tried: int
    of: int
    not_asked: list[str] = ABSENT


class CasesData(Part):
    """How many cases, and their digest."""

    count: int
    digest: str


class PrintedData(Part):
    """An output as a source prints it, beside the reading chosen."""

    case: str
    spec: str
    source: str
    erratum: str | None
    printed: dict[str, Tensor | str]
    read: dict[str, Tensor]


class LinesData(Part):
    """How many lines a campaign keeps at most."""

    of_a_cause: NonNegativeInt = Field(alias="of a cause")
    conforming: NonNegativeInt


class CampaignData(Part):
    """Which calls a campaign is of."""

    form: str
    seed: NonNegativeInt
    range: Annotated[list[NonNegativeInt], Field(min_length=2, max_length=2)]
    lines: LinesData


class BoundaryData(Part):
    """Of the pairs of boundary classes that a clause has a part in: how many the cases have, of how many."""

    covered: NonNegativeInt
    satisfiable: NonNegativeInt


class HeaderData(Part):
    """The first line."""

    suite: dict[str, str]
    command: str
    options: dict[str, Any]
    selection: SelectionData
    started: str
    backend: BackendData
    platform: dict[str, str]
    specifications: dict[str, SpecificationData]
    cases: CasesData
    coverage: dict[str, int]
    errata: dict[str, str]
    as_printed: list[PrintedData]
    campaign: CampaignData = ABSENT
    boundaries: dict[str, BoundaryData] = ABSENT
    flags: dict[str, str] = ABSENT


class CallData(Part):
    """A call."""

    operator: str
    attributes: dict[str, Any]
    inputs: dict[str, Tensor]


class DivergenceData(Part):
    """One broken clause."""

    clause: str
    output: str
    why: str
    count: int = ABSENT
    where: list[Place] = ABSENT
    reads: list[Place] | None = ABSENT


class KnownData(Part):
    """What explains a line."""

    id: str
    reason: str
    documented: str = ABSENT
    link: str = ABSENT


class AlsoData(Part):
    """The verdict on the same call under another specification."""

    verdict: str
    clauses: list[str]


class CaseData(Part):
    """One result."""

    id: str
    spec: str
    form: str
    verdict: Literal[tuple(VERDICTS)]
    phase: str | None
    clauses: list[str]
    covers: list[str]
    source: str
    title: str
    opset: Annotated[int, Field(ge=1, lt=2**31)]
    dtype: str
    flags: list[str]
    did: str
    seconds: float = ABSENT
    known: KnownData = ABSENT
    call: CallData = ABSENT
    expected: dict[str, Tensor] = ABSENT
    got: dict[str, Tensor] = ABSENT
    divergences: list[DivergenceData] = ABSENT
    also: dict[str, AlsoData] = ABSENT
    undeclared: str = ABSENT
    provider: str = ABSENT


class FooterData(Part):
    """The last line."""

    counts: dict[str, int]
    gone: list[str] = ABSENT
    notes: list[str] = ABSENT


class BearingsData(Part):
    """How many calls keep a clause, and how many break it."""

    conforms: NonNegativeInt
    diverges: NonNegativeInt


class CauseData(Part):
    """Calls of a campaign that are alike."""

    verdict: Literal[tuple(VERDICTS)]
    clauses: list[str]
    known: str | None
    calls: NonNegativeInt
    lines: NonNegativeInt


class CampaignFooterData(FooterData):
    """The last line of a campaign."""

    counts: dict[Literal[tuple(VERDICTS)], NonNegativeInt]
    calls: NonNegativeInt
    clauses: dict[str, BearingsData]
    causes: list[CauseData]
    seconds: float


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Each record, checked. Raises RecordError: file, place in it, what is wrong."""
    return [checked(read_record(path)) for path in paths]


def checked(record: Record) -> Record:
    """The record, when every report can be made from it. Raises RecordError."""
    _check(HeaderData, record.header, f"{record.path}: header")
    for name, text in record.header["specifications"].items():
        for address in text["clauses"]:
            if not address.startswith(f"{name}#") or "." not in address.partition("#")[2]:
                raise RecordError(f"{record.path}: header: {address!r} is no address of a clause of {name}")
    seen: dict[tuple[str, str, str], int] = {}
    for number, line in enumerate(record.cases, 1):
        at = f"{record.path}: case {number}"
        _check(CaseData, line, at)
        first = seen.setdefault((line["spec"], line["id"], line["form"]), number)
        if first != number:
            raise RecordError(f"{at}: {line['spec']} {line['id']} [{line['form']}] is already case {first}")
        clauses = record.header["specifications"].get(line["spec"], {"clauses": {}})["clauses"]
        named = [*line["clauses"], *(entry["clause"] for entry in line.get("divergences", []))]
        unknown = next((name for name in named if name not in clauses), None)
        if line["spec"] not in record.header["specifications"]:
            raise RecordError(f"{at}: specification {line['spec']!r} is not in the header")
        if unknown is not None:
            raise RecordError(f"{at}: clause {unknown!r} is not in the header")
        if line["verdict"] in ACCUSES and "call" not in line:
            raise RecordError(f"{at}: {line['verdict']!r} needs the call, which is missing")
    if record.footer is not None:
        _check(CampaignFooterData if record.is_campaign else FooterData, record.footer, f"{record.path}: footer")
    return record


def _check(model: type[Part], value: dict[str, Any], at: str) -> None:
    try:
        model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RecordError(f"{at}{': ' + where if where else ''}: {first['msg']}") from None
