"""Describe the record of a model trial in sentences.

They name the first wrong node, what was judged, and the known divergences that affect the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import shorten

from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.measurements import decided_elements
from plumbline.trial.record.model_part import ModelData, NodeOfModel, OtherModel, OtherRun
from plumbline.trial.record.recording import Record

NAMED, FEW, LONGEST = 6, 3, 160
"""Most operators without specification and most similar nodes that are named; most letters of a message."""

OWN = ("alone", "in-place")
"""The ways that judge a node on the inputs that it received."""

Results = Sequence[tuple[str, CaseLine]]
"""Lines of one node, each with its way."""


def by_node(record: Record) -> dict[str, Results]:
    """Return the results of judged nodes by id, in order of the record."""
    results: dict[str, list[tuple[str, CaseLine]]] = {}
    for line in record.cases:
        name, _, way = line.id.rpartition(".")
        results.setdefault(name, []).append((way, line))
    return dict(results)


def first_wrong(model: ModelData, results: dict[str, Results]) -> NodeOfModel | None:
    """Return the first node that accuses the backend on the inputs that it received.

    A node that is right in place is not. If there is none, return the first that accuses it when probed."""
    own = (node for node in model.nodes if any(line.accuses for line in _counting(results.get(node.id, ()))))
    return next(own, None) or next((node for node in model.nodes if any(
        line.accuses and is_probe(way) for way, line in results.get(node.id, ()))), None)


def _counting(results: Results) -> list[CaseLine]:
    """Return the results in place, or else those alone."""
    in_place = [line for way, line in results if way == "in-place"]
    return in_place or [line for way, line in results if way == "alone"]


def wrong_alone(model: ModelData, results: dict[str, Results]) -> list[NodeOfModel]:
    """Return the nodes that accuse the backend alone, and are right in place."""
    return [node for node in model.nodes
            if any(way == "alone" and line.accuses for way, line in results.get(node.id, ()))
            and not any(line.accuses for line in _counting(results[node.id]))]


JUDGE_NOTHING = ("harness-error", "unsupported", "rejects-invalid", "accepts-invalid", "outside-profile")
"""Verdicts of which no output is judged: the last three are about calls outside the domain."""


def decides(way: str, line: CaseLine) -> bool:
    """Return True if a result judges an output for the inputs received."""
    return way in OWN and line.verdict not in JUDGE_NOTHING and not line.decides_nothing


def settles(line: CaseLine) -> bool:
    """Return True if a result decides what the nodes in the graphs of a node give together."""
    return line.verdict == "conforms" and not line.decides_little


def judged_around(model: ModelData, results: dict[str, Results]) -> list[NodeOfModel]:
    """Return the nodes in graphs of other nodes that are judged by what these give."""
    return [node for node in model.nodes if node.around and any(
        way in OWN and settles(line) for way, line in results.get(node.around, ()))]


def judged_nodes(model: ModelData, results: dict[str, Results]) -> int:
    """Return the number of nodes that have results, or are judged by those of the node around them."""
    around = {node.id for node in judged_around(model, results)}
    return sum(node.id in results or node.id in around for node in model.nodes)


def undecided(model: ModelData, results: dict[str, Results]) -> list[NodeOfModel]:
    """Return the nodes with a specification that no result decides, of themselves or of the node around them."""
    around = {node.id for node in judged_around(model, results)}
    return [node for node in model.nodes
            if node.specs and node.id not in around and (node.unsettled or not any(
                decides(way, line) for way, line in results.get(node.id, ())))]


def decided(model: ModelData, results: dict[str, Results]) -> int:
    """Return the number of nodes that some result decides."""
    return sum(bool(node.specs) for node in model.nodes) - len(undecided(model, results))


def elements(model: ModelData, results: dict[str, Results]) -> tuple[int, int]:
    """Return how many elements of the outputs of judged nodes are decided, and how many there are.

    Those of a node count once, as given in place where it was judged there."""
    counts = [max(map(decided_elements, lines)) for node in model.nodes
              if (lines := _counting(results.get(node.id, ())))]
    return sum(count for count, _ in counts), sum(of for _, of in counts)


def is_probe(way: str) -> bool:
    """Return True for a node with fault-revealing values instead of its inputs."""
    return way.startswith("probe")


def is_smaller(way: str) -> bool:
    """Return True for the smaller call of a node with too large inputs."""
    return way.startswith("smaller")


def label(node: NodeOfModel) -> str:
    """Return a node with its operator: ``conv1 (Conv)``."""
    return f"{node.name} ({node.operator})"


def without_specification(model: ModelData) -> Counter[str]:
    """Count the nodes without specification by operator."""
    return Counter(node.operator for node in model.nodes if not node.specs)


def share(model: ModelData, results: dict[str, Results]) -> str:
    """Describe how many nodes were judged and decided, and which were not."""
    judged = judged_nodes(model, results)
    apart = f" ({model.constants:,} Constant apart)" if model.constants else ""
    text = f"judged {judged} of {len(model.nodes)} nodes{apart}, decided {decided(model, results)}"
    count, of = elements(model, results)
    text += f" ({count:,} of {of:,} elements)" if of else ""
    operators = Counter(node.operator for node in undecided(model, results))
    if operators:
        text += f"; nothing decided of {_operators(operators)}"
    unspecified = without_specification(model)
    foreign = Counter({operator: count for operator, count in unspecified.items() if "." in operator})
    if unspecified - foreign:
        text += f"; no specification for {_operators(unspecified - foreign)}"
    if foreign:
        text += f"; not judged, of other domains than ONNX's: {_operators(foreign)}"
    around = len(judged_around(model, results))
    if around:
        text += f"; {around} in graphs of other nodes, judged by what these give"
    left = model.inner - around
    return text + (f"; {left} in graphs of other nodes, whose tensors cannot be fetched" if left else "")


def _operators(counts: Counter[str]) -> str:
    """Name the most frequent operators with their numbers of nodes."""
    named = [f"{operator} ({count})" if count > 1 else operator for operator, count in counts.most_common(NAMED)]
    return ", ".join(named) + (f" and {len(counts) - NAMED} more" if len(counts) > NAMED else "")


def tensor(name: str) -> str:
    """Return the name of a tensor; one that begins with a digit, as exported ones do, stands in quotes."""
    return f"'{name}'" if name[:1].isdigit() else name


def finiteness(model: ModelData) -> Iterator[str]:
    """Yield a sentence on outputs that are not finite, if there are any."""
    if model.not_finite:
        outputs = ", ".join(f"{tensor(name)} ({words})" for name, words in model.not_finite.items())
        yield f"outputs are not finite: {outputs}; " + (
            "all inputs are, so they may not suit the model: give others with --inputs, or "
            "--range NAME=LO:HI" if model.inputs_finite else "nor are the inputs")


def differences(run: OtherRun | OtherModel) -> str:
    """Describe how final outputs differ from those of another run, "" if they do not."""
    parts = []
    for name, each in run.outputs.items():
        if each.count:
            words = f"{tensor(name)} in {each.count:,} of {each.of:,} elements"
            if each.largest:
                share = f", {each.largest / each.magnitude:.2g} of the largest" if each.magnitude else ""
                words += f" by at most {each.largest:.3g}{share}"
            parts.append(words + (f" ({each.otherwise})" if each.otherwise else ""))
    return _some(parts)


def change(subject: str, run: OtherRun | None) -> Iterator[str]:
    """Yield how something changes the final outputs, if that was tried."""
    if run is None:
        return
    if run.why:
        yield f"not known whether {subject} changes the final outputs: {run.why}"
    else:
        words = differences(run)
        yield f"{subject} changes {f'final outputs: {words}' if words else 'no final output'}"


def consequences(model: ModelData) -> Iterator[str]:
    """Yield what changes the final outputs apart from wrong nodes: optimisation, a run through the definitions."""
    yield from change("optimisation", model.unoptimised)
    yield from change("running branches and iterations node by node", model.followed)
    if (run := model.independent) is not None:
        words = f"no run through the definitions: {run.why}" if run.why else (
            f"against a run through the definitions, {differences(run) or 'no final output'} differs")
        yield words + (f", relative to what the runtime gives at {_some(run.relative)}" if run.relative else "")


def bounds(model: ModelData) -> Iterator[str]:
    """Yield what all conforming implementations can give for each final output."""
    if model.bound is None:
        return
    if model.bound.why:
        yield f"no bound: {model.bound.why}"
    for name, each in model.bound.outputs.items():
        share = f", {each.distance / each.magnitude:.2g} of the largest" if each.magnitude else ""
        parts = [f"conforming implementations differ from the canonical values by at most {each.distance:.3g}{share} ("
                 f"{each.introduced:.2g} introduced by {each.node}, {each.distance - each.introduced:.2g} propagated)"
                 if each.distance else "" if each.lost else "conforming implementations give the canonical values",
                 f"more than their value in {each.wider:,} of {each.of:,} elements" if each.wider else "",
                 f"it says nothing from {each.lost} on: {each.why}" if each.lost else "",
                 f"the backend is outside in {each.outside:,} of {each.of:,} elements" if each.outside else ""]
        yield f"bound of {tensor(name)}: {'; '.join(filter(None, parts))}"


def losses(model: ModelData) -> Iterator[str]:
    """Yield how far a quantised model is from that of floats, and where most of it arises."""
    other = model.against
    if other is None:
        return
    if other.why:
        yield f"not compared with {other.file}: {other.why}"
        return
    worst = [f"{each.node} ({each.operator}) {each.arises:.2g}" for each in sorted(
        other.losses, key=lambda each: -each.arises)[:FEW] if each.arises]
    yield (f"against {other.file}, {differences(other) or 'no final output'} differs; of {len(other.losses)} tensors "
           f"that both have, most is lost at {', '.join(worst) or 'none'} (share of the norm)")


def verdict(model: ModelData, results: dict[str, Results]) -> str:
    """Name the first wrong node, or say that there is none."""
    first, alone = first_wrong(model, results), wrong_alone(model, results)
    apart = f"; right in the model, but wrong by itself: {_some(list(map(label, alone)))}" if alone else ""
    if first is not None:
        probed = not any(line.accuses for line in _counting(results[first.id]))
        said = "no node is wrong on the inputs that it received; when probed, first wrong node" if probed else (
            "first wrong node")
        return f"{said}: {label(first)}{apart}"
    if not results:
        return "nothing was judged"
    return f"no judged node is wrong{apart and ' in the model'}{apart}" if decided(model, results) else (
        "nothing was decided")


def optimised(model: ModelData) -> Iterator[str]:
    """Yield the result of the search for a span, if there was one."""
    if model.span is not None:
        nodes = model.nodes[model.span.first:model.span.last + 1]
        yield (f"optimised: the {len(nodes)} nodes from {label(nodes[0])} to {label(nodes[-1])} differ together "
               f"from one by one: {shorten(model.span.why, 2 * LONGEST)}; no clause bounds several nodes, so "
               "this is informational")
    elif model.spans_searched:
        yield "optimised: the whole model gives the results of its nodes one by one"
    if model.changes:
        named = [f"{' to '.join(label(model.nodes[place]) for place in (each.nodes[0], each.nodes[-1]))} "
                 f"({len(each.nodes)} nodes, {each.share:.2g} of the largest)" for each in model.changes]
        yield (f"optimised: {len(named)} short span{'s give' if len(named) > 1 else ' gives'} other bits together than "
               f"one by one, most at {_some(named)}")


def answer(record: Record) -> str:
    """Say in one sentence whether the backend can be trusted with the model."""
    return "; ".join(answer_lines(record))


def answer_lines(record: Record) -> list[str]:
    """Return the statements of the answer.

    The first says what is wrong, what that does to the final outputs, and whether they are finite. The others say what
    optimisation changes, what is decided, and with which inputs."""
    model, results = record.header.model, by_node(record)
    assert model is not None
    hint = "" if model.spans_searched or first_wrong(model, results) else "; --spans finds the nodes that cause this"
    refused = [f"the whole model did not run: {shorten(model.refused, LONGEST)}{hint}"] if model.refused else []
    stopped = record.footer.not_done if record.footer else []
    if model.refused:
        word = "does not run"
    elif model.wrong_loops or any(line.accuses for line in record.cases):
        word = "wrong"
    elif stopped:
        word = "not finished"
    elif not results or undecided(model, results) or model.not_finite and model.inputs_finite:
        word = "undecided"
    else:
        word = "right as far as it is decided"
    options = record.header.options
    inputs = f"inputs of {options['inputs']}" if options.get("inputs") else (
        f"inputs drawn with seed {options.get('seed', 0)}")
    inputs += f" ({_some([f'{tensor(name)} {what}' for name, what in model.inputs.items()])})" if model.inputs else ""
    first = "; ".join([*refused, *stopped, *model.wrong_loops, verdict(model, results),
                       *change("its error", model.effect), *finiteness(model)])
    return [f"{word}: {first}", *consequences(model), share(model, results), inputs]


def summary(record: Record) -> list[str]:
    """Summarise the trial in a few sentences, the answer in the first two."""
    first, *rest = answer_lines(record)
    return [first, "; ".join(rest), *details(record), *filter(None, [touched(record)])]


def details(record: Record) -> list[str]:
    """Return sentences on what was asked for besides the answer."""
    assert record.header.model is not None
    return [*bounds(record.header.model), *losses(record.header.model), *optimised(record.header.model)]


def touched(record: Record) -> str:
    """Say which known divergences affected the model, and why others did not; "" if they were not looked for."""
    first, *rest = touched_lines(record) or [""]
    return f"{first}{': ' if rest else ''}{'; '.join(rest)}"


def touched_lines(record: Record) -> list[str]:
    """Return the statements of `touched`."""
    if record.footer is not None and record.footer.not_done:
        return []
    model, who = record.header.model, record.who
    assert model is not None
    possible: dict[str, tuple[str, list[str]]] = {}
    for node in model.nodes:
        for each in node.can_meet:
            possible.setdefault(each.id, (each.when, []))[1].append(node.name)
    came = [(line.id.rpartition(".")[2], line.known.id) for line in record.cases if line.known]
    own = sorted({name for way, name in came if way in OWN})
    probed = sorted({name for way, name in came if is_probe(way)} - set(own))
    shown = [*own, *(f"{name} when probed" for name in probed)]
    aside = {*own, *probed}
    aloof = [each for each in model.aloof if each.id not in aside]
    other = model.known - len({*possible, *aside}) - len(aloof)
    if other == model.known:
        return [f"no known divergence of {who} {'concerns this model' if other else 'is listed'}", *_unless(model)]
    parts = [f"{other} {'concerns' if other == 1 else 'concern'} other operators or specifications"] if other else []
    if needs := list(dict.fromkeys(each.lacks[0] for each in aloof)):
        parts.append(f"{len(aloof)} need{'s' * (len(aloof) == 1)} attributes, types or shapes that no node has "
                    f"(such as: {'; or '.join(needs[:FEW])})")
    hidden = [each for name, each in possible.items() if name not in aside]
    bound = [f"{when} ({_some(nodes)})" for when, nodes in hidden if when != "always"]
    if bound:
        parts.append(f"{len(bound)} would show {'; or '.join(dict.fromkeys(bound))}, and did not with these inputs")
    if free := [_some(nodes) for when, nodes in hidden if when == "always"]:
        parts.append(f"{len(free)} can be met ({'; '.join(dict.fromkeys(free))}), and did not show here")
    return [f"{len(shown) or 'none'} of the {model.known} known divergences of {who} touched this model"
            f"{f' ({_some(shown)})' if shown else ''}", *parts, *_unless(model)]


def _some(names: Sequence[str]) -> str:
    """Name the first few."""
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")


def _unless(model: ModelData) -> list[str]:
    """Say for how many nodes this is unknown."""
    nodes = f"{model.open} node{'s' * (model.open > 1)}"
    return [f"unknown for {nodes}, for lack of types, shapes or time"] if model.open else []
