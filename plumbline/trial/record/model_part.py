"""Data classes of the model in a record: nodes, known divergences.

The results of a node are lines of the record whose ids begin with the node's id.
"""

from __future__ import annotations

from plumbline.trial.record.parts import Count, Part, Text


class Meeting(Part):
    """A known divergence that can affect a node.

    when: ``"always"`` or ``"only where ..."``.
    """

    id: Text
    when: Text

    @property
    def condition(self) -> str:
        """The condition on values in words: what is met whatever the values need not show."""
        return "whatever the values" if self.when == "always" else self.when


class Aloof(Part):
    """A known divergence that can affect no node.

    lacks: its conditions that no node has, in one phrase each.
    """

    id: Text
    operators: list[Text]
    lacks: list[Text]


class NodeOfModel(Part):
    """A node, in the order of the graph.

    after:    numbers of the nodes that it reads from.
    specs:    by specification, whether the node keeps its clauses on calls.
    outside:  broken clauses on calls, with reasons.
    can_meet: known divergences that can affect it.
    why_not:  why it was not judged, "" where it was.
    unsettled: why it counts as undecided although it was judged.
    around:   id of the node in whose graphs it is, "" for one of the graph itself.
    """

    id: Text
    name: Text
    operator: Text
    after: list[Count] = []
    specs: dict[Text, Text] = {}
    outside: list[Text] = []
    can_meet: list[Meeting] = []
    why_not: Text = ""
    unsettled: Text = ""
    around: Text = ""


class SpanOfModel(Part):
    """Consecutive nodes that together give a different result; `why` describes it."""

    first: Count
    last: Count
    why: Text


class ChangeOfModel(Part):
    """Nodes that give other bits together than one by one.

    nodes: their numbers; what is computed from constants alone stands before the first node that reads it.
    share: largest difference of an output, as a share of its largest magnitude.
    """

    nodes: list[Count]
    share: float


class OutputDifference(Part):
    """The difference of a final output from that of another run.

    count:     number of elements that differ.
    largest:   largest difference of elements that are finite in both.
    magnitude: largest finite element of the other run.
    otherwise: what else differs, in words.
    """

    count: Count
    of: Count
    largest: float = 0.0
    magnitude: float = 0.0
    otherwise: Text = ""


class OtherRun(Part):
    """The final outputs against those of another run, by name; `why` says why there is none.

    relative: nodes that give in it what the backend gives.
    """

    outputs: dict[Text, OutputDifference] = {}
    why: Text = ""
    relative: list[Text] = []


class EnclosedOutput(Part):
    """The enclosure of a final output; see `trial.model.bound_run`.

    bounded:    number of elements with bounds.
    distance:   largest distance of a conforming element from the canonical one.
    introduced: the part of it that the last node, `node`, introduces.
    magnitude:  largest canonical element.
    wider:      number of elements whose bounds are farther away than their value is from zero.
    outside:    number of elements that the backend gives outside the bounds.
    is_open:    whether decisions, such as an index, may fall otherwise.
    lost:       the node from which on the bounds say nothing, "" if they do; `why` says why.
    """

    of: Count
    bounded: Count
    node: Text
    distance: float = 0.0
    introduced: float = 0.0
    magnitude: float = 0.0
    wider: Count = 0
    outside: Count = 0
    is_open: bool = False
    lost: Text = ""
    why: Text = ""


class BoundOfModel(Part):
    """The enclosures of the final outputs by name; `why` says why there are none."""

    outputs: dict[Text, EnclosedOutput] = {}
    why: Text = ""


class Loss(Part):
    """The loss of a tensor of a quantised model, as a share of the norm of the float one.

    arises: its loss beyond the largest of the tensors before it.
    """

    tensor: Text
    node: Text
    operator: Text
    loss: float
    arises: float


class OtherModel(Part):
    """A quantised model against that of floats; `why` says why they are not compared."""

    file: Text
    outputs: dict[Text, OutputDifference] = {}
    losses: list[Loss] = []
    why: Text = ""


class ModelData(Part):
    """The model.

    unoptimised: against the same model with optimisation off.
    followed:   against the model whose branches and loops are replaced by their nodes, if these differ.
    independent: against a run through the definitions of operators.
    bound:      what all conforming implementations can give.
    against:    against the model of floats that it was quantised from.
    effect:     against the nodes behind the first wrong node, with the outputs that it should have.
    inputs:     types and shapes as given.
    constants:  number of nodes `Constant`, which are data and none of the nodes.
    inner:      how many of the last nodes are in graphs of other nodes.
    refused:    why the backend did not run the whole model.
    wrong_loops: why nodes `Loop` should have run more or fewer iterations.
    not_finite: by output, how much of it is not finite.
    inputs_finite: whether all inputs are finite.
    known:      number of known divergences of the backend in its version.
    aloof:      those that can affect no node.
    open:       number of nodes for which that is not known.
    """

    file: Text
    digest: Text
    opset: Count
    inputs: dict[Text, Text]
    nodes: list[NodeOfModel]
    inner: Count = 0
    constants: Count = 0
    notes: list[Text] = []
    refused: Text = ""
    wrong_loops: list[Text] = []
    not_finite: dict[Text, Text] = {}
    inputs_finite: bool = True
    unoptimised: OtherRun | None = None
    followed: OtherRun | None = None
    effect: OtherRun | None = None
    independent: OtherRun | None = None
    bound: BoundOfModel | None = None
    against: OtherModel | None = None
    span: SpanOfModel | None = None
    spans_searched: bool = False
    changes: list[ChangeOfModel] = []
    known: Count = 0
    aloof: list[Aloof] = []
    open: Count = 0
