"""Small models in ONNX's text form, and the calls that models of one node make."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx.parser

from plumbline.oracle.check import Finding, Report

EXPLICIT = ('auto_pad = "NOTSET", ceil_mode = 0, dilations = [1, 1], pads = [0, 0, 0, 0], storage_order = 0, '
            "strides = [1, 1]")


def model(folder: Path, graph: str, opset: int = 12, functions: str = "", imports: str = "") -> Path:
    """A file with the model of that text."""
    path = folder / "model.onnx"
    header = f'<ir_version: 9, opset_import: ["": {opset}, "local": 1{imports}]>'
    path.write_bytes(onnx.parser.parse_model(f"{header} {graph} {functions}").SerializeToString())
    return path


def one_node(folder: Path, attributes: str, x: str = "float[1,3,8,8]", opset: int = 12, outputs: str = "Y") -> Path:
    """A model of one MaxPool node."""
    return model(folder, f"g ({x} X) => (float[a,b,c,d] Y) {{ {outputs} = MaxPool <{attributes}> (X) }}", opset)


def only(report: Report) -> Finding:
    """The one finding of a report."""
    assert len(report.findings) == 1
    return report.findings[0]


def addresses(finding: Finding, state: str) -> set[str]:
    """The local addresses of the clauses that the node stands to so, without those that restate others."""
    return {entry.clause.partition("#")[2] for entry in finding.those(state)
            if not finding.spec.clauses[entry.clause].restates}
