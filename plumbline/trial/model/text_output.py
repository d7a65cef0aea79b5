"""Show the record of a model trial as text or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import shorten
from typing import Any

from plumbline.oracle.safe_text import safe
from plumbline.trial.model.sentences import (
    FEW,
    LONGEST,
    Results,
    answer,
    answer_lines,
    by_node,
    decided,
    details,
    elements,
    first_wrong,
    is_probe,
    is_smaller,
    judged_around,
    judged_nodes,
    label,
    touched,
    touched_lines,
    undecided,
    without_specification,
    wrong_alone,
)
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.measurements import LARGEST_ERROR, error_in_words, figures_of
from plumbline.trial.record.model_part import ModelData, NodeOfModel, SpanOfModel
from plumbline.trial.record.recording import Record

SHOWN = 20
"""Most lines of one kind that a terminal shows."""


def as_text(record: Record) -> Iterator[str]:
    """Yield safe lines: the answer, then facts and results in detail."""
    yield from map(safe, _lines(record))


def _lines(record: Record) -> Iterator[str]:
    model, results = record.header.model, by_node(record)
    assert model is not None
    around = {node.id for node in judged_around(model, results)}
    yield f"{model.file}  opset {model.opset}  on {record.who}"
    yield from _indented(answer_lines(record))
    yield from details(record)
    yield from _indented(touched_lines(record))
    yield from (f"note: {note}" for note in (*model.notes, *(record.footer.notes if record.footer else ())))
    yield from _first(f"outside  {label(node)}: {words}" for node in model.nodes for words in node.outside)
    yield from _first(_together(
        (("can meet", node.operator, f"{each.id}, {each.condition}"), node.name, "", 0.0) for node in model.nodes
        for each in node.can_meet))
    yield from _first(words for node in model.nodes for words in _accused(node, results.get(node.id, ())))
    yield from _first(_together(_observed(record, model, results)))
    yield from _first(f"undecided  {label(node)}: {node.unsettled}" for node in model.nodes if node.unsettled)
    yield from _first(f"not judged  {label(node)}: {node.why_not}"
                      for node in model.nodes if node.specs and node.why_not and node.id not in around)
    yield from _first(f"a smaller call shows it of {label(node)}: plumbline promote {record.path} {line.id}" for node
                      in model.nodes for way, line in results.get(node.id, ()) if is_smaller(way))


def _indented(statements: Sequence[str]) -> Iterator[str]:
    """Yield the statements as lines, all but the first indented."""
    yield from (f"  {words}" if number else words for number, words in enumerate(statements))


def _first(lines: Iterable[str]) -> Iterator[str]:
    """Yield the first lines, and how many are left out."""
    every = list(lines)
    yield from every[:SHOWN]
    if len(every) > SHOWN:
        yield f"... and {len(every) - SHOWN} more such lines; the page has every node"


def _accused(node: NodeOfModel, results: Results) -> Iterator[str]:
    """Yield faults and failures of a node, each once for all ways."""
    alike: dict[tuple[str, str], dict[str, None]] = {}
    for way, line in results:
        if not is_smaller(way) and (line.accuses or line.verdict not in ("conforms", "observed")):
            local = ", ".join(clause.partition("#")[2] for clause in line.clauses)
            known = f"  [known: {line.known.id}]" if line.known else "  [new]" if line.accuses else ""
            words = f"{f'{local} of {line.spec}' if local else shorten(line.did, LONGEST)}{_figures(line)}{known}"
            alike.setdefault((line.verdict, words), {})["probed" if is_probe(way) else way.replace("-", " ")] = None
    for (word, words), ways in alike.items():
        yield f"{word}  {label(node)}, {' and '.join(ways)}: {words}"


def _figures(line: CaseLine) -> str:
    words = error_in_words(line)
    return f"; {words}" if words else ""


def _observed(record: Record, model: ModelData,
              results: dict[str, Results]) -> Iterator[tuple[tuple[str, str, str], str, str, float]]:
    """Yield what is unspecified of the outputs of nodes, with the error of each."""
    for node in model.nodes:
        for way, line in results.get(node.id, ()):
            if line.verdict == "observed" and way == "alone":
                stated = record.header.specifications[line.spec].clauses
                titles = [f"{stated[clause].title} ({clause.partition('#')[2]})" for clause in line.clauses]
                text = f"unspecified by {line.spec}: {', '.join(titles)}"
                error = figures_of(line).get(LARGEST_ERROR, 0.0)
                yield ("observed", node.operator, text), node.name, error_in_words(line), error


def _together(entries: Iterable[tuple[tuple[str, str, str], str, str, float]]) -> Iterator[str]:
    """Merge equal lines of several nodes.

    An entry is ((word, operator, text), name of a node, its error in words, and as a number); the largest is shown."""
    alike: dict[tuple[str, str, str], list[tuple[str, str, float]]] = {}
    for key, name, words, error in entries:
        alike.setdefault(key, []).append((name, words, error))
    for (word, operator, text), nodes in alike.items():
        names = list(dict.fromkeys(name for name, _, _ in nodes))
        more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
        worst, words, _ = max(nodes, key=lambda each: each[2])
        at = f", at {worst}" if len(names) > 1 else ""
        yield f"{word}  {', '.join(names[:FEW])}{more} ({operator}): {text}" + (f"; {words}{at}" if words else "")


def as_json(record: Record, status: int, models: Iterable[str]) -> dict[str, Any]:
    """Return the record as one JSON object.

    status: exit status of the trial; `models` are paths of the models that were written."""
    model, results = record.header.model, by_node(record)
    assert model is not None
    first = first_wrong(model, results)
    return {"model": model.file, "digest": model.digest, "opset": model.opset, "inputs": model.inputs, "status": status,
            "backend": {"name": record.header.backend.name, "version": record.header.backend.version},
            "notes": [*model.notes, *(record.footer.notes if record.footer else ())],
            "refused": model.refused or None, "wrong_loops": model.wrong_loops,
            "first_wrong": first.name if first else None,
            "wrong_alone": [node.name for node in wrong_alone(model, results)],
            "judged": judged_nodes(model, results), "of": len(model.nodes),
            "constants": model.constants, "decided": decided(model, results),
            **dict(zip(("decided_elements", "elements"), elements(model, results), strict=True)),
            "undecided": [node.name for node in undecided(model, results)],
            "not_finite": model.not_finite, "inputs_finite": model.inputs_finite,
            "unoptimised": model.unoptimised and model.unoptimised.model_dump(),
            "followed": model.followed and model.followed.model_dump(),
            "effect": model.effect and model.effect.model_dump(),
            "independent": model.independent and model.independent.model_dump(), "answer": answer(record),
            "bound": model.bound and model.bound.model_dump(),
            "against": model.against and model.against.model_dump(),
            "touched": touched(record), "cannot_meet": [each.model_dump() for each in model.aloof],
            "span": _span(model, model.span) if model.span is not None else None,
            "spans_searched": model.spans_searched,
            "changes": [{"nodes": [model.nodes[number].name for number in each.nodes], "share": each.share}
                        for each in model.changes],
            "without_specification": dict(without_specification(model)),
            "models": list(models), "nodes": [_node(node, results.get(node.id, ())) for node in model.nodes]}


def _span(model: ModelData, span: SpanOfModel) -> dict[str, Any]:
    return {"nodes": [node.name for node in model.nodes[span.first:span.last + 1]], "why": span.why}


def _node(node: NodeOfModel, results: Results) -> dict[str, Any]:
    return {"name": node.name, "operator": node.operator, "specs": node.specs, "outside": node.outside,
            "can_meet": [each.model_dump() for each in node.can_meet],
            "results": [{"id": line.id, "way": way, "spec": line.spec, "verdict": line.verdict,
                         "clauses": line.clauses, "did": line.did, "known": line.known.id if line.known else None,
                         "figures": line.figures, "decides_nothing": line.decides_nothing} for way, line in results],
            "not_judged": node.why_not or None, "unsettled": node.unsettled or None}
