"""Data classes of the lines of a record, and their checks.

A record is JSON Lines: a header (`trial.record.header`), one line for each case in each form, a footer. `plumbline
schema record` prints its JSON Schema. Text is made safe when a line is made or read: control characters are escaped,
and long text is shortened visibly.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field, TypeAdapter, model_validator

from plumbline.cases.format.case import is_made
from plumbline.cases.format.withdrawn import current_id
from plumbline.cases.onnx.contexts import flag
from plumbline.oracle.safe_text import is_cut
from plumbline.trial.record.header import Header
from plumbline.trial.record.judge import ACCUSES, VerdictName
from plumbline.trial.record.parts import Address, Count, Part, Place, Tensor, Text, Values
from plumbline.trial.record.traits import traits_of

VerdictField = Annotated[VerdictName, Field(title="Verdict")]


class CallData(Part):
    """A call; special numbers among the attributes are text: "nan", "inf", "-inf".

    outputs: the tensors of a variadic output that are asked for; [] of an operator without one.
    """

    operator: Text
    attributes: Values
    inputs: dict[Text, Tensor]
    outputs: list[Text] = []

    @property
    def size(self) -> int:
        """The number of elements of all inputs."""
        return sum(tensor.size for tensor in self.inputs.values())

    @property
    def whole(self) -> bool:
        """True if every input and attribute is kept whole."""
        return all(tensor.offset is None for tensor in self.inputs.values()) and not any(
            isinstance(value, str) and is_cut(value) for value in self.attributes.values())


class EarlierCall(Part):
    """A call that is replayed before another. model: in base64."""

    model: Annotated[str, Field(pattern="^[A-Za-z0-9+/=]*$")]
    specification: Text
    inputs: dict[Text, Tensor]
    outputs: list[Text]


def _reads(value: Any) -> Any:
    """Read format 1, which has the cells of the first input alone."""
    return {"": value} if isinstance(value, list) else value


class Divergence(Part):
    """A broken clause with its wrong elements.

    where: the first of the `count` wrong elements.
    reads: by input, the cells that the first wrong element depends on.
    """

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
    """The key of a result: a case in one form under a specification."""

    spec: str
    id: str
    form: str


class CaseLine(Part):
    """A result: the line of a case in one form.

    brief:   call and answer in one line, of a result that conforms or is unsupported; others carry their `call`.
    also:    by other specifications that hold the call, the verdict on a result that accuses or is of a call outside.
    again:   the second answer of an unstable backend.
    after:   of a result that changes, or of whose operator other results do and which no fresh process was asked about,
             the call before it in the same process: specification, case and [form].
    before:  that call itself, if it is small.
    bounds:  by wrong output, how far a value may be from `expected` where the specification allows rounding.
    decides_little: most elements might be off by a tenth, and conform.
    decides_nothing: the whole answer is unspecified or merely observed.
    unread:  flags about values that some wrong element does not read: no known divergence names them for it.
    place:   file and line of a hand-written case.
    context: the context of the call, "" for a call alone.
    constants: inputs that were constants of the model.
    tensors: of a call inside the domain, type and shape of its inputs and of the outputs that it should have:
             "float32[2, 3]".
    holds:   by the same names, whether a "negative" number or zero, a "fraction" and a "nonzero" integer are among
             the values.
    given:   attributes of a result that conforms, lists of them as well; of tensors type and shape.
    """

    record: Literal["case"]
    id: Text
    spec: Text
    form: Text
    verdict: VerdictField
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
    after: Text = ""
    before: EarlierCall | None = None
    divergences: list[Divergence] = []
    symptoms: list[Text] = []
    bounds: dict[Text, float] = {}
    figures: Values = {}
    decides_little: bool = False
    decides_nothing: bool = False
    also: dict[Text, Also] = {}
    unread: list[Text] = []
    undeclared: Text = ""
    place: Text = ""
    context: Text = ""
    constants: list[Text] = []
    tensors: dict[Text, Text] = {}
    holds: dict[Text, list[Text]] = {}
    given: Values = {}
    provider: Text = ""

    @model_validator(mode="after")
    def _complete(self) -> CaseLine:
        """Check that an accusing line has its call, and name the inputs read."""
        if self.accuses and self.call is None:
            raise ValueError(f"{self.verdict!r} needs the call, which is missing")
        first = next(iter(self.call.inputs), "") if self.call else ""
        for entry in self.divergences:
            if entry.reads and "" in entry.reads:
                entry.reads = {first: entry.reads[""]}
        return self

    @property
    def key(self) -> ResultKey:
        """The result that the line is about."""
        return ResultKey(self.spec, self.id, self.form)

    @property
    def base_id(self) -> str:
        """The id of the case without the context."""
        return self.id.removesuffix(f"/{self.context}") if self.context else self.id

    def is_of(self, case_id: str) -> bool:
        """True if an id, perhaps a withdrawn one, names the line's case."""
        return self.id == case_id or current_id(self.spec, self.id) == current_id(self.spec, case_id)

    @property
    def accuses(self) -> bool:
        """True if the backend is at fault."""
        return self.verdict in ACCUSES

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs asked for."""
        return (self.call.outputs if self.call else []) or self.form.split("+")

    @cached_property
    def features(self) -> frozenset[str]:
        """Flags, element type, form, operator (as in the specification's name), context."""
        operator = self.spec.partition("@")[0].rpartition("/")[2]
        return frozenset([*self.flags, *filter(None, [self.dtype]), f"[{self.form}]", operator,
                          *([flag(self.context)] if self.context else [])])

    @cached_property
    def traits(self) -> Collection[str]:
        """Sizes, ranks, inputs and attributes of the call; see `trial.record.traits`."""
        outputs = {name: self.tensors[name] for name in self.outputs if name in self.tensors}
        inputs = {name: tensor for name, tensor in self.tensors.items() if name not in outputs}
        attributes = self.call.attributes if self.call else self.given
        return dict.fromkeys(traits_of(inputs, outputs, attributes, self.flags, self.holds) if outputs else ())

    @property
    def generated(self) -> bool:
        """True for a generated case."""
        return is_made(self.id)


class Bearings(Part):
    """Numbers of calls that keep and that break a clause."""

    conforms: Count
    diverges: Count


class CauseCount(Part):
    """Calls of a campaign with one root cause.

    known:   id of the known divergence that explains them.
    context: their context, where they accuse the backend.
    """

    verdict: VerdictField
    clauses: list[Address]
    known: Text | None
    calls: Count
    lines: Count
    context: Text = ""


class Footer(Part):
    """The last line.

    not_done: why the run is incomplete.
    calls, clauses, known, causes, seconds: of a campaign.
    shapes: of a campaign, how many different shapes the inputs of its calls have, estimated above 4,095.
    """

    record: Literal["footer"]
    counts: dict[VerdictField, Count]
    gone: list[Text] = []
    notes: list[Text] = []
    not_done: list[Text] = []
    calls: Count | None = None
    shapes: Count | None = None
    clauses: dict[Address, Bearings] = {}
    known: dict[Text, Count] = {}
    causes: list[CauseCount] = []
    seconds: float = 0.0


Line = Annotated[Header | CaseLine | Footer, Field(discriminator="record")]
LINES: TypeAdapter[Header | CaseLine | Footer] = TypeAdapter(Line)
