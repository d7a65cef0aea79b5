"""What a record says: the typed lines that a run writes and every report reads. The header has a module of its
own, the file too (`trial.recording`).

A record is JSON Lines: a header, one line for each case in each form, a footer. `plumbline schema record`
prints its JSON Schema.

Text is made safe where it enters, so that nothing downstream has to think of it: control characters are escaped, and
what is too long is cut and says so.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field, TypeAdapter, model_validator

from plumbline.cases.onnx.contexts import flag
from plumbline.trial.record.header import Header
from plumbline.trial.record.judge import ACCUSES, VERDICTS
from plumbline.trial.record.parts import Address, Count, Part, Place, Tensor, Text, Values

Word = Annotated[Literal[tuple(VERDICTS)], Field(title="Verdict")]

class CallData(Part):
    """A call; special numbers among the attributes are text: "nan", "inf", "-inf"."""

    operator: Text
    attributes: Values
    inputs: dict[Text, Tensor]

    @property
    def size(self) -> int:
        """How many elements the inputs have."""
        return sum(tensor.size for tensor in self.inputs.values())

    @property
    def whole(self) -> bool:
        """Whether every input is kept whole."""
        return all(tensor.offset is None for tensor in self.inputs.values())


def _reads(value: Any) -> Any:
    return {"": value} if isinstance(value, list) else value


class Divergence(Part):
    """One broken clause: where the output differs (the first elements of `count`), and the cells of each input that the
    first of these elements depends on."""

    clause: Address
    output: Text
    why: Text
    count: Count | None = None
    where: list[Place] = []
    expected: Any = None
    got: Any = None
    reads: Annotated[dict[Text, list[Place]] | None, BeforeValidator(_reads)] = None


class Known(Part):
    """The known divergence that explains a result."""

    id: Text
    reason: Text
    documented: Text = ""
    link: Text = ""


class Also(Part):
    """The verdict on the same call under another specification."""

    verdict: Text
    clauses: list[Address]


class ResultKey(NamedTuple):
    """One case in one form under one specification."""

    spec: str
    id: str
    form: str


MADE = ("generated-", "boundary-", "planted-", "stratum-", "block-", "dense-", "every-")
"""How the ids of cases begin that no person wrote."""


class CaseLine(Part):
    """One result. What does not conform carries its call, what conforms a `brief` line of call and answer; `again` is
    the second answer of an unstable backend; `bounds` says how far a value of a wrong output may be from `expected`
    where the text allows rounding; `decides_little` that most elements might be off by a tenth, and conform;
    `decides_nothing` that all of an observed answer is left open or merely observed; `place` is the file and line of a
    written case; `context` how the call was put, "" where it stood alone."""

    record: Literal["case"]
    id: Text
    spec: Text
    form: Text
    verdict: Word
    phase: Text | None
    clauses: list[Address]
    covers: list[Address]
    source: Text
    title: Text
    opset: Annotated[int, Field(ge=1, lt=2**31)]
    dtype: Text
    flags: list[Text]
    did: Text
    seconds: float = 0.0
    known: Known | None = None
    brief: Text = ""
    call: CallData | None = None
    expected: dict[Text, Tensor] | None = None
    got: dict[Text, Tensor] | None = None
    again: dict[Text, Tensor] | None = None
    divergences: list[Divergence] = []
    symptoms: list[Text] = []
    bounds: dict[Text, float] = {}
    figures: Values = {}
    decides_little: bool = False
    decides_nothing: bool = False
    also: dict[Text, Also] = {}
    undeclared: Text = ""
    place: Text = ""
    context: Text = ""
    provider: Text = ""

    @model_validator(mode="after")
    def _complete(self) -> CaseLine:
        if self.accuses and self.call is None:
            raise ValueError(f"{self.verdict!r} needs the call, which is missing")
        first = next(iter(self.call.inputs), "") if self.call else ""
        for entry in self.divergences:
            if entry.reads and "" in entry.reads:
                entry.reads = {first: entry.reads[""]}
        return self

    @property
    def key(self) -> ResultKey:
        """What result it is."""
        return ResultKey(self.spec, self.id, self.form)

    @property
    def accuses(self) -> bool:
        """Whether the backend is at fault."""
        return self.verdict in ACCUSES

    @property
    def outputs(self) -> list[str]:
        """The outputs asked for."""
        return self.form.split("+")

    @cached_property
    def features(self) -> frozenset[str]:
        """What is true of it: flags, element type, form, operator as texts are named, context."""
        operator = self.spec.partition("@")[0].rpartition("/")[2]
        return frozenset([*self.flags, self.dtype, f"[{self.form}]", operator,
                          *([flag(self.context)] if self.context else [])])

    @property
    def generated(self) -> bool:
        """Whether a generator made the case."""
        return self.id.startswith(MADE)


class Bearings(Part):
    """How many calls keep a clause, and how many break it."""

    conforms: Count
    diverges: Count


class CauseCount(Part):
    """Calls of a campaign that are alike; `known` is the id of the known divergence that explains them,
    `context` how they were put, where they accuse the backend."""

    verdict: Word
    clauses: list[Address]
    known: Text | None
    calls: Count
    lines: Count
    context: Text = ""


class Footer(Part):
    """The last line; `not_done` says why not all of the run could be done. What follows is of a campaign."""

    record: Literal["footer"]
    counts: dict[Word, Count]
    gone: list[Text] = []
    notes: list[Text] = []
    not_done: list[Text] = []
    calls: Count | None = None
    clauses: dict[Address, Bearings] = {}
    known: dict[Text, Count] = {}
    causes: list[CauseCount] = []
    seconds: float = 0.0


Line = Annotated[Header | CaseLine | Footer, Field(discriminator="record")]
LINES: TypeAdapter[Header | CaseLine | Footer] = TypeAdapter(Line)
