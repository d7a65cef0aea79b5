"""What the record of a model on trial says of the model: its nodes in the order of the graph, what is known of them
beforehand, what was left out. The results of a node are lines of the record, whose ids begin with the node's."""

from __future__ import annotations

from plumbline.trial.record.parts import Count, Part, Text


class Meeting(Part):
    """A known divergence that a node can meet: ``"always"``, or ``"only where ..."``."""

    id: Text
    when: Text


class Aloof(Part):
    """A known divergence about operators of the model that no node can meet; `lacks` says what it needs and no node
    has, one phrase for each need."""

    id: Text
    operators: list[Text]
    lacks: list[Text]


class NodeOfModel(Part):
    """A node. `after` are the numbers of the nodes that give what it reads; `specs` the texts that
    it is judged by, each with how the node stands to its clauses on calls; `outside` the clauses broken, and why;
    `left` whether it was judged, and if not, why not ("" where it was)."""

    id: Text
    name: Text
    operator: Text
    after: list[Count] = []
    specs: dict[Text, Text] = {}
    outside: list[Text] = []
    can_meet: list[Meeting] = []
    why_not: Text = ""


class SpanOfModel(Part):
    """The nodes from one number to another that give something else together; `why` says what."""

    first: Count
    last: Count
    why: Text


class ModelData(Part):
    """The model. `inputs` are types and shapes as they were given, `inner` counts the last of the nodes, which stand in
    graphs of other nodes, `refused` says how the backend failed to take the whole model, `known` counts the divergences
    that are known of the backend in its version, `open` the nodes of which it is not known which of these they can
    meet. `not_finite` says of each output how much of it is not; `inputs_finite` whether all inputs are."""

    file: Text
    digest: Text
    opset: Count
    inputs: dict[Text, Text]
    nodes: list[NodeOfModel]
    inner: Count = 0
    notes: list[Text] = []
    refused: Text = ""
    not_finite: dict[Text, Text] = {}
    inputs_finite: bool = True
    span: SpanOfModel | None = None
    spans_searched: bool = False
    known: Count = 0
    aloof: list[Aloof] = []
    open: Count = 0
