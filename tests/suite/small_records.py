"""Small records written by hand, in which everything that a report shows occurs once: two versions of one backend that
differ, and another backend.

`python -m tests.suite.small_records` writes the golden files of `tests/suite/golden/` anew.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from plumbline.reports.changes import compare
from plumbline.reports.comparison_text import comparison, history
from plumbline.reports.tables import tables
from plumbline.trial.record.recording import read_records

GOLDEN = Path(__file__).with_name("golden")
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>`|@somebody"
SPEC = "toy/maxpool@2"
Json = dict[str, Any]


def clause(kind: str, title: str, statement: str, judges: str | None, **others: Any) -> Json:
    """A clause as a header has it."""
    return {"kind": kind, "title": title, "statement": statement, "source": "The toy text, section 1", "judges": judges,
            "restates": None, "implies": [], "derived": None, "editorial": None, **others}


CLAUSES = {
    f"{SPEC}#X.R1": clause("restriction", "Two axes", "X has two spatial axes.", "call"),
    f"{SPEC}#X.C1": clause("constraint", "Two axes again", "As R1.", "call", restates=f"{SPEC}#X.R1"),
    f"{SPEC}#strides.C1": clause("constraint", "Positive", "A stride is `>= 1`.", "call"),
    f"{SPEC}#Y.F1": clause("function", "Value", "Y is the *maximum* of its window.", "outputs"),
    f"{SPEC}#Y.F2": clause("function", "Type", "Y has the type of X.", "outputs", tags=["E_TOY_FUNC_0020"]),
    f"{SPEC}#Y.F3": clause("function", "Never judged", "No case speaks of it.", "outputs"),
    f"{SPEC}#Indices.F1": clause("function", "Index", "Indices is the first maximum.", "outputs"),
    f"{SPEC}#Y.U1": clause("unspecified", "Nothing selected", "A window of padding is not spoken of.", None),
    f"{SPEC}#Y.E1": clause("erratum", "A misprint", "The example prints 5.", None),
}


def tensor(values: list[Any], dtype: str = "float32") -> Json:
    """Nested lists as a record keeps them."""
    shape, inner = [], values
    while isinstance(inner, list):
        shape.append(len(inner))
        inner = inner[0] if inner else None
    return {"dtype": dtype, "shape": shape, "values": values}


X = tensor([[[[1.0, "-inf"], ["nan", 4.0]]]])
DEEP = tensor([[[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]]])


def line(name: str, verdict: str, form: str = "Y", covers: Iterable[str] = ("Y.F1", "Y.F2"), **others: Any) -> Json:
    """A result; what accuses somebody carries its call."""
    found = {"id": name, "spec": SPEC, "form": form, "verdict": verdict, "phase": None, "clauses": [],
             "covers": [f"{SPEC}#{local}" for local in covers], "source": "curated", "title": f"Case {name}",
             "opset": 2, "dtype": "float32", "flags": ["padded"] if "pad" in name else [],
             "did": "gave Y float32[1, 1, 1, 1]", "seconds": 0.001, **others}
    found["clauses"] = [f"{SPEC}#{local}" for local in found["clauses"]]
    if verdict != "conforms":
        found.setdefault("call", call(X))
    return {"record": "case", **found}


def call(x: Json, **attributes: Any) -> Json:
    """A call of MaxPool."""
    return {"operator": "MaxPool", "attributes": {"kernel_shape": [2, 2], **attributes}, "inputs": {"X": x}}


def broken(local: str, wanted: float, got: float | str, reads: list[list[int]], why: str) -> Json:
    """A broken clause at the first element of the outputs."""
    return {"clause": f"{SPEC}#{local}", "output": local.partition(".")[0], "why": why, "count": 1,
            "where": [[0] * len(reads[0])], "expected": [wanted], "got": [got], "reads": reads}


def diverges(name: str, got: float | str, **others: Any) -> Json:
    """Y is `got`, not 4, at its only element; the window reaches into the padding."""
    why = f"Y[0, 0, 0, 0] is {got}, not 4.0"
    reads = [[0, 0, row, column] for row in (-1, 0, 1) for column in (0, 1)]
    return line(name, "diverges", clauses=["Y.F1"], did=why, call=call(X, pads=[1, 0, 0, 0]),
                divergences=[broken("Y.F1", 4.0, got, reads, why)], got={"Y": tensor([[[[got]]]])},
                expected={"Y": tensor([[[[4.0]]]])}, **others)


def wrong_index(name: str) -> Json:
    """Y is right and its index is not."""
    y, why = tensor([[[[4.0]]]]), "Indices[0, 0, 0, 0] is 2, not 3"
    reads = [[0, 0, row, column] for row in (0, 1) for column in (0, 1)]
    return line(name, "diverges", "Y+Indices", covers=["Y.F1", "Y.F2", "Indices.F1"], clauses=["Indices.F1"], did=why,
                divergences=[broken("Indices.F1", 3, 2, reads, why)],
                got={"Y": y, "Indices": tensor([[[[2]]]], "int64")},
                expected={"Y": y, "Indices": tensor([[[[3]]]], "int64")}, call=call(X))


def deep(name: str) -> Json:
    """A window over three axes gives 7 where the maximum is 8."""
    reads = [[0, 0, depth, row, column] for depth in (0, 1) for row in (0, 1) for column in (0, 1)]
    return line(name, "diverges", clauses=["Y.F1"], did="too small", call=call(DEEP),
                divergences=[broken("Y.F1", 8.0, 7.0, reads, "too small")], got={"Y": tensor([[[[[7.0]]]]])},
                expected={"Y": tensor([[[[[8.0]]]]])})


KNOWN = {"id": "seven", "reason": "It says seven.", "link": "https://example.org/7", "documented": "on page 7"}
SILENT = {"covers": ["Y.U1"], "clauses": ["Y.U1"]}
STRIDE = {"covers": ["strides.C1"], "clauses": ["strides.C1"]}

OLD = [
    line("plain", "conforms"), wrong_index("plain"),
    diverges("padded-corner", 7.0, known=KNOWN), line("nan-first", "conforms"), deep("three-axes"),
    line("stride-zero", "crashes", did="SIGFPE", **STRIDE),
    line("stride-negative", "accepts-invalid", got={"Y": X}, **STRIDE),
    line("three-spatial-axes", "outside-profile", covers=["X.R1"], clauses=["X.R1"], got={"Y": DEEP}),
    line("padding-only", "observed", got={"Y": tensor([[[[0.0]]]])}, **SILENT),
    line("float16-plain", "unsupported", dtype="float16", phase="load", did="no kernel", opset=1),
    line("generated-0-1", "conforms", dtype="float16"),
]
NEW = [
    line("plain", "conforms"), line("plain", "conforms", "Y+Indices", covers=["Y.F1", "Y.F2", "Indices.F1"]),
    line("padded-corner", "conforms"),
    diverges("nan-first", "nan", also={"toy/maxpool@1": {"verdict": "conforms", "clauses": []}}, provider="Toy"),
    deep("three-axes"),
    line("stride-zero", "rejects-invalid", phase="load", did="Fail: stride", **STRIDE),
    line("stride-negative", "rejects-invalid", phase="load", did="Fail: stride", **STRIDE),
    line("three-spatial-axes", "outside-profile", covers=["X.R1"], clauses=["X.R1"], got={"Y": DEEP}),
    line("padding-only", "observed", got={"Y": tensor([[[["-inf"]]]])}, **SILENT),
    line("float16-plain", "unsupported", dtype="float16", phase="load", did="no kernel", opset=1),
    line("generated-0-1", "conforms", dtype="float16", undeclared="float16 is a declared gap"),
]
OTHER = [
    line("plain", "conforms", title=HOSTILE, source=HOSTILE),
    line("padded-corner", "rejects-valid", phase="run", did=HOSTILE, expected={"Y": tensor([[[[4.0]]]])},
         call=call(X, pads=[1, 0, 0, 0])),
    line("padding-only", "observed", phase="run", did=HOSTILE, **SILENT),
]
RUN = "got = toy.run(model, x)"


def header(name: str, version: str, **others: Any) -> Json:
    """A header over the toy text."""
    printed = {"case": "plain", "spec": SPEC, "source": "Example 1", "erratum": f"{SPEC}#Y.E1",
               "printed": {"Y": tensor([[[[5.0]]]])}, "read": {"Y": tensor([[[[4.0]]]])}}
    return {"record": "header", "format": 2, "suite": {"name": "plumbline", "version": "0.1.0"},
            "command": f"pytest tests/conformance --backend {name}=={version}", "options": {"seed": 0, "cases": None},
            "selection": {}, "started": "2026-01-01T00:00:00+00:00",
            "backend": {"named": name, "name": name, "version": version, "about": {"execution provider": "CPU"},
                        "python": "3.12.1", "numpy": "2.1.0", "tried": True, "reproduce": RUN},
            "platform": {"system": "Linux", "machine": "x86_64"},
            "specifications": {SPEC: {"edition": "first edition", "digest": "a" * 64, "operator": "MaxPool",
                                      "outputs": ["Y", "Indices"], "clauses": CLAUSES}},
            "cases": {"count": 10, "digest": "c" * 64}, "coverage": {f"{SPEC}#Y.F1": 4},
            "boundaries": {f"{SPEC}#strides.C1": {"covered": 3, "satisfiable": 4}},
            "flags": {"padded": "Some pad is above zero."},
            "errata": {f"{SPEC}#Y.E1": "1 + 3 = 4"}, "as_printed": [printed], **others}


def write(path: Path, head: Json, lines: Iterable[Json], footer: bool = True) -> Path:
    """A record on disk; what it holds is what was chosen, unless the header says otherwise."""
    lines = list(lines)
    counts = Counter(entry["verdict"] for entry in lines)
    end = [{"record": "footer", "counts": counts, "gone": []}] if footer else []
    results: Json = {}
    for entry in lines:
        results.setdefault(entry["spec"], {}).setdefault(entry["form"], []).append(entry["id"])
    chosen = {"tried": len(lines), "of": len(lines), "results": results}
    head = head | {"selection": chosen | head["selection"]}
    path.write_text("".join(json.dumps(entry) + "\n" for entry in [head, *lines, *end]), encoding="utf-8")
    return path


def write_all(folder: Path) -> list[Path]:
    """The three records: toy 1.9, toy 1.10 and other 3, which a suite wrote that knew neither flags nor boundaries."""
    other = header("other", "3", cases={"count": 3, "digest": "d" * 64},
                   selection={"not_asked": ["toy/other@1"]})
    del other["boundaries"], other["flags"]
    return [write(folder / "toy-1.9.jsonl", header("toy", "1.9"), OLD),
            write(folder / "toy-1.10.jsonl", header("toy", "1.10"), NEW),
            write(folder / "other-3.jsonl", other, OTHER)]


def golden(folder: Path) -> dict[str, str]:
    """The texts of the golden files by name."""
    old, new, other = read_records(write_all(folder))
    return {"compare.md": comparison(compare(old, new)),
            "compare-intersection.md": comparison(compare(new, other, intersection=True)),
            "history.md": history([new, old]),
            **{f"{name}.csv": table for name, table in tables([old, new, other]).items()}}


def main() -> None:
    """Write the golden files."""
    GOLDEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in golden(Path(folder)).items():
            (GOLDEN / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
