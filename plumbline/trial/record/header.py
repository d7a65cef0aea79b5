"""The first line of a record: suite, backend, machine, what was chosen, the texts with their clauses."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal, NamedTuple

from pydantic import ConfigDict, Field, model_validator

from plumbline.backends.identity import Identity
from plumbline.trial.record.model_part import ModelData
from plumbline.trial.record.parts import Address, Code, Count, Part, Tensor, Text, Values

FORMAT = 2
"""Raised when a reader of the format before could not read a record."""

FORMATS = (1, FORMAT)
"""Formats that are read. In format 1 a divergence reads cells of the first input, and nothing lists what was chosen."""

class ClauseKey(NamedTuple):
    """The same clause in every version of a text: family and operator, section and tag, statement."""

    family: str
    local: str
    statement: str


class Clause(Part):
    """A clause with its statement. Its address is that under which the header has it."""

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
        """What versions of one text share."""
        specification, _, local = self.address.partition("#")
        return ClauseKey(specification.partition("@")[0], local, self.statement)


class Specification(Part):
    """A text that was tried. `inputs` are the operator's, in order, [] where that is not known; `domain` is null where
    no ONNX model holds its calls."""

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

    model_config = ConfigDict(strict=True, extra="allow")

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
    """How many results were chosen (`tried`) of how many (`of`), which ones (specification to form to ids of cases;
    null in format 1), the specifications that the backend was not asked about, and how many results of generated cases
    were left out, since the backend declares not to take them; `of` does not count these."""

    tried: Count
    of: Count
    not_asked: list[Text] = []
    declined: Count = 0
    results: dict[Text, dict[Text, list[Text]]] | None = None


class Cases(Part):
    """How many cases, their digest, and that of those in no context: each backend has contexts of its own."""

    count: Count
    digest: Text
    alone: Text = ""


class Printed(Part):
    """An output as a source prints it, beside the reading chosen."""

    case: Text
    spec: Text
    source: Text
    erratum: Text | None
    printed: dict[Text, Tensor | Text]
    read: dict[Text, Tensor]


class KeptLines(Part):
    """How many lines a campaign keeps at most."""

    of_a_cause: Annotated[Count, Field(alias="of a cause")]
    conforming: Count


class CampaignRange(Part):
    """Which calls a campaign is of: numbers `range[0]` to `range[1]` - 1 of a seed."""

    form: Text
    seed: Count
    range: Annotated[list[Count], Field(min_length=2, max_length=2)]
    lines: KeptLines


class Boundary(Part):
    """Of the pairs of boundary classes that a clause has a part in: how many the cases have, of how many."""

    covered: Count
    satisfiable: Count


class Sizes(Part):
    """Of the sizes at which kernels change their path, each with each element type that it is to be met with: how many
    were put of a specification, of how many."""

    met: Count
    sought: Count


class Header(Part):
    """The first line."""

    record: Literal["header"]
    format: Literal[FORMATS]
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

    @model_validator(mode="after")
    def _addressed(self) -> Header:
        for name, text in self.specifications.items():
            for address, clause in text.clauses.items():
                if not address.startswith(f"{name}#") or "." not in address.partition("#")[2]:
                    raise ValueError(f"{address!r} is not the address of a clause of {name}")
                clause.address = address
        return self
