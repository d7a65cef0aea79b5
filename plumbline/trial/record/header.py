"""Data classes of a record's header, its first line.

It holds suite, backend, machine, selection and specifications."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import ConfigDict, Field, model_validator

from plumbline.backends.identity import Identity
from plumbline.oracle.accuracy import is_of_profile
from plumbline.trial.record.model_part import ModelData
from plumbline.trial.record.parts import Address, Code, Count, Part, Tensor, Text, Values

FORMAT: Final = 2
"""Increased when readers of the previous format cannot read a record.

Format 1 is still read: there, `reads` are cells of the first input, and the selected results are not listed.
"""


class ClauseKey(NamedTuple):
    """Identifies a clause in all versions of a specification.

    family: the specification's name without its version.
    local:  section and tag.
    """

    family: str
    local: str
    statement: str


class Clause(Part):
    """A clause with its statement; the header sets its address."""

    kind: Text
    title: Text
    statement: Text
    source: Text
    judges: Text | None
    restates: Text | None
    derived: Text | None
    editorial: Text | None
    implies: list[Text] = []
    tags: list[Text] = []
    address: Annotated[str, Field(exclude=True)] = ""

    @cached_property
    def key(self) -> ClauseKey:
        """The key that versions of one specification share."""
        specification, _, local = self.address.partition("#")
        return ClauseKey(specification.partition("@")[0], local, self.statement)


class Specification(Part):
    """A specification of the run.

    inputs: names of the operator's inputs in order, [] where unknown.
    domain: null where no ONNX model can hold its calls.
    """

    edition: Text
    digest: Text
    operator: Text
    outputs: list[Text]
    domain: Annotated[str, Field(pattern=r"^[a-z0-9_.]*$")] | None = ""
    inputs: list[Text] = []
    clauses: dict[Address, Clause]


class Backend(Part):
    """The backend that was tested; its identity is kept whole.

    named:        its name on the command line.
    tried:        whether this version was tested before.
    requirements: the packages that it was installed from.
    known:        digest of its known divergences.
    """

    model_config = ConfigDict(strict=True, extra="allow", defer_build=True)

    name: Text
    version: Text
    python: Text
    numpy: Text
    about: Values
    tried: bool
    named: Text = ""
    reproduce: Code = ""
    reproduce_as_set: Code = ""
    requirements: list[Text] = []
    not_implemented: list[Text] = []
    known: Text = ""

    @classmethod
    def of(cls, identity: Identity, *, tried: bool, **details: str | list[str]) -> Backend:
        """Return the part of a backend, with `named`, `requirements` and `known` as `details`."""
        return cls.model_validate({**identity.to_json(), "tried": tried, **details})


class Selection(Part):
    """The results that were selected.

    tried:     how many were selected, `of` how many.
    not_asked: the specifications that the backend does not support.
    for_other_seeds: older versions that were left to other seeds.
    declined:  generated results outside the declared capabilities, which were skipped; not in `of`.
    results:   by specification and form, the ids of cases; null in format 1.
    """

    tried: Count
    of: Count
    not_asked: list[Text] = []
    for_other_seeds: list[Text] = []
    declined: Count = 0
    results: dict[Text, dict[Text, list[Text]]] | None = None


class Cases(Part):
    """Number and digest of cases; `alone` is the digest of those without context."""

    count: Count
    digest: Text
    alone: Text = ""


class Printed(Part):
    """An output as a source prints it, and the reading chosen."""

    case: Text
    spec: Text
    source: Text
    erratum: Text | None
    printed: dict[Text, Tensor | Text]
    read: dict[Text, Tensor]


class KeptLines(Part):
    """The most lines that a campaign keeps."""

    of_a_cause: Annotated[Count, Field(alias="of a cause")]
    conforming: Count


class CampaignRange(Part):
    """The calls of a campaign: numbers `range[0]` to `range[1]` - 1 of a seed."""

    form: Text
    seed: Count
    range: Annotated[list[Count], Field(min_length=2, max_length=2)]
    lines: KeptLines


class Boundary(Part):
    """Coverage of the pairs of boundary classes that involve a clause."""

    covered: Count
    satisfiable: Count


class Sizes(Part):
    """Coverage of size classes, each with each element type.

    met:    how many were run.
    sought: how many there are.
    """

    met: Count
    sought: Count


class Header(Part):
    """The first line.

    accuracy: the name of the accuracy profile, "" for the declared accuracy; its clauses stand in `specifications`.
    """

    record: Literal["header"]
    format: Literal[1, 2]
    suite: dict[str, Text]
    command: Text
    options: Values
    selection: Selection
    started: Text
    backend: Backend
    platform: dict[Text, Text]
    specifications: dict[Text, Specification]
    cases: Cases
    coverage: dict[Address, int]
    errata: dict[Address, Text]
    as_printed: list[Printed]
    campaign: CampaignRange | None = None
    boundaries: dict[Address, Boundary] = {}
    sizes: dict[Text, Sizes] = {}
    flags: dict[Text, Text] = {}
    model: ModelData | None = None
    accuracy: Text = ""

    @model_validator(mode="after")
    def _addressed(self) -> Header:
        """Check the addresses of clauses, and give each clause its own."""
        for name, text in self.specifications.items():
            for address, clause in text.clauses.items():
                is_own = address.startswith(f"{name}#") or is_of_profile(address)
                if not is_own or "." not in address.partition("#")[2]:
                    raise ValueError(f"{address!r} is not the address of a clause of {name}")
                clause.address = address
        return self
