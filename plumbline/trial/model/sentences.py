"""The record of a model on trial in words that terminal and page share: the first wrong node, what was judged, and why
the known divergences do or do not touch the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import shorten

from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.model_part import ModelData, NodeOfModel
from plumbline.trial.record.recording import Record

NAMED, FEW, LONGEST = 6, 3, 160
"""Operators without a specification that are named; nodes that are alike, and what known divergences need; letters of a
message."""

OWN = ("alone", "in-place")
"""The ways in which a node is put with the inputs that it received."""

Results = Sequence[tuple[str, CaseLine]]
"""Lines of one node, each with the way in which it was judged."""


def by_node(record: Record) -> dict[str, Results]:
    """The results of each node that was judged, by its id, in the order in which they came."""
    found: dict[str, list[tuple[str, CaseLine]]] = {}
    for line in record.cases:
        name, _, way = line.id.rpartition(".")
        found.setdefault(name, []).append((way, line))
    return dict(found)


def first_wrong(model: ModelData, results: dict[str, Results]) -> NodeOfModel | None:
    """The first node in the order of the graph that accuses the backend on the inputs that it received; where there is
    none, the first that does so when it is probed."""
    for probed in (False, True):
        for node in model.nodes:
            if any(line.accuses and (way in OWN) != probed for way, line in results.get(node.id, ())):
                return node
    return None


def decides(way: str, line: CaseLine) -> bool:
    """Whether a result decides something of what a node gave for the inputs that it received."""
    return way in OWN and line.verdict not in ("harness-error", "unsupported") and not line.decides_nothing


def undecided(model: ModelData, results: dict[str, Results]) -> list[NodeOfModel]:
    """The nodes with a specification of which nothing was decided."""
    return [node for node in model.nodes
            if node.specs and not any(decides(way, line) for way, line in results.get(node.id, ()))]


def decided(model: ModelData, results: dict[str, Results]) -> int:
    """The number of nodes of which something was decided."""
    return sum(bool(node.specs) for node in model.nodes) - len(undecided(model, results))


def is_probe(way: str) -> bool:
    """Whether a node was put with values that betray faults, and not with its inputs."""
    return way.startswith("probe")


def is_smaller(way: str) -> bool:
    """Whether a call does not belong to a node: the smallest that shows what is wrong with one whose own inputs are too
    large for a record."""
    return way.startswith("smaller")


def label(node: NodeOfModel) -> str:
    """``conv1 (Conv)``"""
    return f"{node.name} ({node.operator})"


def without_specification(model: ModelData) -> Counter[str]:
    """How many nodes of each operator no specification is about."""
    return Counter(node.operator for node in model.nodes if not node.specs)


def share(model: ModelData, results: dict[str, Results]) -> str:
    """How many nodes were judged and decided, of which operators nothing was, and which have no specification."""
    judged = sum(node.id in results for node in model.nodes)
    text = f"judged {judged} of {len(model.nodes)} nodes, decided {decided(model, results)}"
    open_ = Counter(node.operator for node in undecided(model, results))
    if open_:
        text += f"; nothing decided of {_operators(open_)}"
    left = without_specification(model)
    if left:
        text += f"; no specification for {_operators(left)}"
    return text + (f"; {model.inner} in graphs of other nodes, from where nothing is fetched" if model.inner else "")


def _operators(counts: Counter[str]) -> str:
    """The most frequent operators, with how many nodes each has."""
    named = [f"{operator} ({count})" if count > 1 else operator for operator, count in counts.most_common(NAMED)]
    return ", ".join(named) + (f" and {len(counts) - NAMED} more" if len(counts) > NAMED else "")


def finiteness(model: ModelData) -> Iterator[str]:
    """Which outputs are not finite; nothing where all are."""
    if model.not_finite:
        outputs = ", ".join(f"{name} ({words})" for name, words in model.not_finite.items())
        yield f"outputs are not finite: {outputs}; " + (
            "all inputs are, so that they may not be what the model is made for: give others with --inputs, or "
            "--range NAME=LO:HI" if model.inputs_finite else "nor are the inputs")


def verdict(model: ModelData, results: dict[str, Results]) -> str:
    """The first wrong node, or that there is none."""
    first = first_wrong(model, results)
    if first is not None:
        return f"first wrong node: {label(first)}"
    if not results:
        return "nothing was judged"
    return "no judged node is wrong" if decided(model, results) else "nothing was decided"


def optimised(model: ModelData) -> Iterator[str]:
    """What the search for a span found; nothing where none was asked for."""
    if model.span is not None:
        some = model.nodes[model.span.first:model.span.last + 1]
        yield (f"optimised: the {len(some)} nodes from {label(some[0])} to {label(some[-1])} give something else "
               f"together than one by one: {shorten(model.span.why, 2 * LONGEST)}; no clause bounds several nodes, so "
               "that this accuses nobody")
    elif model.spans_searched:
        yield "optimised: the whole model gives what its nodes give one by one"


def summary(record: Record) -> list[str]:
    """The model as a whole, in a few sentences: whether it ran, the first wrong node, what was judged, what
    optimisation changes, and whether what is known of the backend touched it."""
    model, results = record.header.model, by_node(record)
    assert model is not None
    hint = "" if model.spans_searched or first_wrong(model, results) else "; --spans finds the nodes that it is about"
    refused = [f"the whole model is not run: {shorten(model.refused, LONGEST)}{hint}"] if model.refused else []
    return [*refused, verdict(model, results), share(model, results), *finiteness(model), *optimised(model),
            touched(record)]


def touched(record: Record) -> str:
    """Whether what is known of the backend touched the model, and why the rest did not, in a sentence."""
    model, who = record.header.model, record.who
    assert model is not None
    possible_divergences: dict[str, tuple[str, list[str]]] = {}
    for node in model.nodes:
        for each in node.can_meet:
            possible_divergences.setdefault(each.id, (each.when, []))[1].append(node.name)
    shown = sorted({line.known.id for line in record.cases if line.known and line.id.rpartition(".")[2] in OWN})
    aloof = [each for each in model.aloof if each.id not in shown]
    other = model.known - len({*possible_divergences, *shown}) - len(aloof)
    if other == model.known:
        return f"no known divergence of {who} {'concerns this model' if other else 'is listed'}{_unless(model)}"
    said = [f"{other} {'is' if other == 1 else 'are'} about other operators or texts"] if other else []
    if needs := list(dict.fromkeys(each.lacks[0] for each in aloof)):
        said.append(f"{len(aloof)} need{'s' * (len(aloof) == 1)} attributes, types or shapes that no node has "
                    f"(such as: {'; or '.join(needs[:FEW])})")
    hidden = [each for name, each in possible_divergences.items() if name not in shown]
    bound = [f"{when} ({_some(nodes)})" for when, nodes in hidden if when != "always"]
    if bound:
        said.append(f"{len(bound)} would show {'; or '.join(dict.fromkeys(bound))}, and did not with these inputs")
    if free := [_some(nodes) for when, nodes in hidden if when == "always"]:
        said.append(f"{len(free)} can be met ({'; '.join(dict.fromkeys(free))}), and did not show here")
    return (f"{len(shown) or 'none'} of the {model.known} known divergences of {who} touched this model"
            f"{f' ({_some(shown)})' if shown else ''}{': ' if said else ''}{'; '.join(said)}{_unless(model)}")


def _some(names: Sequence[str]) -> str:
    """The first few of some names."""
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")


def _unless(model: ModelData) -> str:
    """What limits the sentence."""
    nodes = f"{model.open} node{'s' * (model.open > 1)}"
    return f"; of {nodes} that is not known, for lack of types, shapes or time" if model.open else ""
