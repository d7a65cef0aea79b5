"""Judge the nodes of a model: one finding for each node and specification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import onnx.defs

from plumbline.oracle.answers import OutsideDomain, Standing
from plumbline.oracle.check.census import used_by
from plumbline.oracle.check.edits import edits
from plumbline.oracle.check.general import OfModel, general, of_model
from plumbline.oracle.check.graph import name_of, text_of, unknown_tensors
from plumbline.oracle.check.model_file import read_model
from plumbline.oracle.check.repair import Repair, Repairs, overall
from plumbline.oracle.check.selection import in_force, texts
from plumbline.oracle.node import Node
from plumbline.oracle.specification import Spec

INSIDE, BREAKS, NOTHING, UNDECIDED = 0, 1, 2, 3
"""Exit statuses."""

NAMED = 3
"""Texts asked for, each of which is named where the model has no node that any of them is about."""


@dataclass(frozen=True, eq=False)
class Finding:
    """One node under one specification. `malformed` says why the node makes no call of the operator at all, as where an
    input is missing; no clause is asked about it then."""

    spec: Spec
    node: Node
    standings: list[Standing]
    malformed: str = ""

    @property
    def standing(self) -> str:
        """The state: ``"inside"``, ``"breaks"`` or ``"undecided"``."""
        return "breaks" if self.malformed else overall(self.standings)

    def those(self, state: str) -> list[Standing]:
        """The clauses that the node breaks, keeps, ..., in the order of the text."""
        return [entry for entry in self.standings if entry.state == state]

    @cached_property
    def repairs(self) -> dict[str, Repair | None]:
        """The repair of each broken clause; None where nothing helps."""
        return {entry.clause: self._repairs.of(entry.clause) for entry in self.those("broken")}

    @property
    def repair(self) -> Repair | None:
        """The repair of all broken clauses at once, None if there is none."""
        found = [repair for repair in self.repairs.values() if repair is not None]
        return self._repairs.together(found) if found else None

    @cached_property
    def _repairs(self) -> Repairs:
        node = self.node
        reference = None if node.domain else in_force(f"onnx/{node.operator.lower()}", node.opset)
        return Repairs(self.spec, self.node, self.standings, edits(self.node, reference))


@dataclass(eq=False)
class Report:
    """Findings about one model.

    notes:       what limits the reading, and what does not apply, one line each.
    general:     the model as a whole under texts of no operator.
    unspecified: the nodes without a specification, by operator; in a check of single texts, those at whose opset no
                 version is in force."""

    path: Path
    opset: int
    notes: list[str]
    findings: list[Finding] = field(default_factory=list)
    general: list[OfModel] = field(default_factory=list)
    unspecified: Counter[str] = field(default_factory=Counter)

    def status(self, allow_undecided: bool = False) -> int:
        """The exit status."""
        standings = {finding.standing for finding in self.findings} | {found.standing for found in self.general}
        if not standings:
            return NOTHING
        standings |= {"undecided"} if self.unspecified else set()
        if "breaks" in standings:
            return BREAKS
        return UNDECIDED if "undecided" in standings and not allow_undecided else INSIDE

    def specs(self) -> list[Spec]:
        """The specifications that some node was judged by."""
        return list({finding.spec.name: finding.spec for finding in self.findings}.values())

    def counts(self, spec: Spec, state: str) -> Counter[str]:
        """Return by clause the number of nodes in each state (``"broken"``, ``"undecided"``)."""
        return Counter(entry.clause for finding in self.findings if finding.spec is spec
                       for entry in finding.those(state))


def check(path: Path, patterns: Iterable[str], sizes: Mapping[str, int] | None = None) -> Report:
    """Judge every node that a specification named by `patterns` (names or globs) is about.

    `sizes` sets symbolic sizes of inputs, by symbol or by place as ``ids.1``. With a whole family, ``onnx/*``, nodes
    without a specification are counted. Raises ModelError, SpecError."""
    patterns = list(patterns)
    on_models = general(patterns)
    by_name = {text.name for text in on_models if text.name in patterns}
    others = [pattern for pattern in patterns if pattern not in by_name]
    asked = texts(others) if others else []
    model = read_model(path, sizes=sizes)
    report = Report(path, model.opsets[""], list(model.notes))
    unknown = list(unknown_tensors(model.proto.graph))
    report.notes += [f"not a valid model: nothing gives {text_of(name)}, an input of the node {name_of(node)}"
                     for name, node in unknown[:NAMED]]
    nodes = list(model.nodes({text.about for text in asked}))
    for text in asked:
        mine = [node for node in nodes if (node.domain, node.operator) == text.about]
        if not mine and (text.by_name or not nodes and len(asked) <= NAMED):
            report.notes.append(f"{text.name}: the model has no {'.'.join(filter(None, text.about))} node")
        report.notes += dict.fromkeys(line for node in mine if (line := text.left_out(node.opset)))
        for node in mine:
            spec = text.spec(node.opset)
            if spec is not None:
                report.findings.append(finding_of(spec, node))
            elif not text.versions:
                report.unspecified[f"{node.operator} at opset {node.opset}"] += 1
    if not nodes and len(asked) > NAMED:
        report.notes.append(f"the model has no node of an operator in {', '.join(patterns)}")
    if any(pattern.endswith("/*") for pattern in patterns):
        about = {text.about for text in asked}
        for used, count in used_by(model).items():
            if (used.domain, used.name) not in about:
                report.unspecified[used.operator] += count
    families = {finding.spec.name.partition("/")[0] for finding in report.findings}
    for of_models in on_models:
        if of_models.name in by_name or of_models.name.partition("/")[0] in families:
            judged = of_model(of_models, model)
            if judged.standings:
                report.general.append(judged)
            elif of_models.name in by_name:
                report.notes.append(f"{of_models.name}: no clause judges a model")
    return report


def _left_out(node: Node) -> str:
    """Name what the schema requires and the node leaves out, "" if nothing, or without a schema."""
    try:
        schema = onnx.defs.get_schema(node.operator, node.opset, node.domain)
    except onnx.defs.SchemaError:
        return ""
    if not node.inputs and schema.min_input:
        return f"it has no inputs, and takes {schema.min_input} or more"
    single = onnx.defs.OpSchema.FormalParameterOption.Single
    return next((f"the output {formal.name} may not be left out" for place, formal in enumerate(schema.outputs)
                 if formal.option == single and not (place < len(node.asked) and node.asked[place])), "")


def finding_of(spec: Spec, node: Node) -> Finding:
    """Judge a node by a specification."""
    lacking = _left_out(node)
    if lacking:
        return Finding(spec, node, [], f"invalid by ONNX's schema: {lacking}")
    try:
        return Finding(spec, node, spec.clause_by_clause(node.call(spec)))
    except OutsideDomain as error:
        return Finding(spec, node, [], str(error))
