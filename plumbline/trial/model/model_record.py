"""Make and write the record of a model trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from plumbline.oracle import Spec
from plumbline.oracle.type_names import name_of
from plumbline.trial.model.known_divergences import PossibleDivergence
from plumbline.trial.model.parts_of_trial import Subject
from plumbline.trial.model.trial import ModelTrial
from plumbline.trial.record.header import Backend, Cases, Selection
from plumbline.trial.record.lines import Footer
from plumbline.trial.record.model_part import Aloof, ChangeOfModel, Meeting, ModelData, NodeOfModel, SpanOfModel
from plumbline.trial.record.recording import Record, RecordWriter
from plumbline.trial.run.header_builder import header


def record_of(trial: ModelTrial, path: Path, command: str, options: Mapping[str, Any], named: str) -> Record:
    """Return the record, not yet written. `named` is the backend on the command line."""
    specs: dict[str, Spec] = {finding.spec.name: finding.spec for subject in trial.every
                              for finding in subject.findings}
    backend = Backend.of(trial.host.identity, tried=trial.known.tried, named=named, known=trial.known.digest)
    head, model = header(backend, list(specs.values()), [], command, dict(options)), _model(trial)
    lines = [judged.line for judged in trial.judged]
    counts: dict[Any, int] = {}
    results: dict[str, dict[str, list[str]]] = {}
    for line in lines:
        counts[line.verdict] = counts.get(line.verdict, 0) + 1
        results.setdefault(line.spec, {}).setdefault(line.form, []).append(line.id)
    whole = {"selection": Selection(tried=len(lines), of=len(lines), results=results),
             "cases": Cases(count=len(lines), digest=model.digest), "model": model}
    return Record(path, head.model_copy(update=whole), lines, Footer(
        record="footer", counts=counts, notes=list(trial.host.notes),
        not_done=[trial.interrupted] if trial.interrupted else []))


def write_record(record: Record) -> None:
    """Write a record to its path. Raises RecordError."""
    writer = RecordWriter(record.path, record.header)
    for line in record.cases:
        writer.case(line)
    footer = record.footer
    writer.close(**{"notes": footer.notes, "not_done": footer.not_done} if footer else {})


def _model(trial: ModelTrial) -> ModelData:
    """Return what the record's header says of the model and its nodes."""
    graph, every = trial.graph, trial.every
    numbers = {id(subject.step): number for number, subject in enumerate(trial.subjects)}
    givers = {name: number for number, subject in enumerate(trial.subjects) for name in subject.step.gives}
    span = trial.span
    return ModelData(
        file=graph.path.name, opset=graph.opsets[""], inner=len(trial.inner), constants=graph.data,
        digest=graph.digest,
        inputs={name: f"{name_of(array.dtype)}{list(array.shape)}" for name, array in trial.inputs.items()},
        notes=[*graph.notes, *trial.notes], refused=trial.refused_as_it_is,
        wrong_loops=trial.wrong_loops, not_finite=trial.not_finite, inputs_finite=trial.inputs_finite,
        unoptimised=trial.unoptimised, followed=trial.followed, effect=trial.effect,
        independent=trial.independent, bound=trial.bound, against=trial.against,
        nodes=[_node(subject, trial, givers) for subject in every],
        span=SpanOfModel(first=numbers[id(span.steps[0])], last=numbers[id(span.steps[-1])],
                         why=span.why) if span is not None else None,
        spans_searched=trial.spans_searched,
        changes=[ChangeOfModel(nodes=[numbers[id(step)] for step in each.steps], share=each.share)
                 for each in trial.changes],
        known=len(trial.known.entries), aloof=list(_aloof(trial)),
        open=sum(None in subject.known.values() for subject in every))


def _node(subject: Subject, trial: ModelTrial, givers: Mapping[str, int]) -> NodeOfModel:
    step = subject.step
    outside = [finding.malformed or "; ".join(f"{entry.clause}: {entry.why}" for entry in finding.those("broken"))
               for finding in subject.findings if finding.standing == "breaks"]
    return NodeOfModel(
        id=subject.name, name=step.node.name, operator=step.operator, outside=outside, why_not=subject.why_not,
        unsettled=subject.unsettled,
        around=trial.subjects[step.around].name if step.around is not None else "",
        after=sorted({givers[name] for name in step.reads if name in givers}),
        specs={finding.spec.name: finding.standing for finding in subject.findings},
        can_meet=[Meeting(id=each.entry.id, when=each.when) for each in subject.possible_divergences])


def _aloof(trial: ModelTrial) -> Iterator[Aloof]:
    """Yield the known divergences that can affect no node."""
    by_id: dict[str, list[tuple[str, PossibleDivergence]]] = {}
    for subject in trial.every:
        for entries in subject.known.values():
            for each in entries or ():
                by_id.setdefault(each.entry.id, []).append((subject.step.operator, each))
    for name, pairs in by_id.items():
        if all(each.lacks for _, each in pairs):
            yield Aloof(id=name, operators=sorted({operator for operator, _ in pairs}),
                        lacks=list(dict.fromkeys(words for _, each in pairs for words in each.lacks)))
