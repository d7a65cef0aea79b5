"""What the default run finds in the pooling of ONNX Runtime: each cause once, told by what its calls share, with a call
that is as small as it gets; and where no text decides, an observation likewise.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from plumbline.backends import Host, find_backend
from plumbline.cases import Case
from plumbline.cases.format.disk_cache import DiskCache, cache_folder
from plumbline.cases.generate.run_cases import all_cases
from plumbline.oracle import load_spec
from plumbline.trial import KnownDivergences, Record, RecordWriter, Session, read_record
from plumbline.trial.known.root_causes import Group, groups, size_of
from plumbline.trial.record.header import Backend
from plumbline.trial.run.header_builder import header
from plumbline.trial.tools.minimisation import minimised
from plumbline.trial.tools.promotion import case_of
from tests.suite.artefacts import artefact

BACKEND = "onnxruntime"
TEXTS = ("sonnx/maxpool", "onnx/maxpool@12", "onnx/averagepool@11")
"""Specifications that show every cause between them."""


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """The version of the suite's own environment, in a worker."""
    started = find_backend(BACKEND).start()
    yield started
    started.close()


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """The record of a run without options for these specifications."""
    return read_record(artefact(tmp_path_factory, "default-run", run) / "default.jsonl")


def run(folder: Path) -> None:
    """Put the cases of a run without options."""
    found, errors = all_cases(TEXTS, seed=0, count=None, cache=DiskCache(cache_folder()))
    cases, started = [*found.written, *found.generated], find_backend(BACKEND).start()
    assert not errors
    backend = Backend.of(started.identity, tried=True, named=BACKEND)
    writer = RecordWriter(folder / "default.jsonl",
                          header(backend, [load_spec(name) for name in TEXTS], cases, "pytest", {}))
    session = Session(started, KnownDivergences(), writer)
    session.run(cases)
    session.close()


def smallest_of(group: Group, record: Record, host: Host, clause: str = "") -> Case:
    """The smallest call of a group, minimised; with a clause, the smallest that breaks this first."""
    line = next(line for line in group.lines if not clause or line.clauses[0].endswith(f"#{clause}"))
    return minimised(host, case_of(record, line), line.form, 20)


def single(found: list[Group], clause: str, symptom: str = "") -> Group:
    """The one group of a clause, or of what looks alike; of a refusal with "" for both."""
    (group,) = [group for group in found if group.symptom == symptom
                and (symptom or (clause in group.clauses if clause else not group.clauses))]
    return group


def test_the_default_run_finds_each_cause_once(record: Record) -> None:
    """These and no others: refused pads, SAME with dilation, the dropped last window, NaN by position, and the lowest
    finite value for -inf. VALID with ceil_mode is disputed among editions. Five calls with SAME and dilation, and one
    with the last window, are too few to tell a condition."""
    found = groups(record)
    assert {(group.verdict, group.clauses[:1], group.features, group.symptom) for group in found} == {
        ("rejects-valid", (), ("pad-reaches-kernel",), ""),
        ("diverges", ("Y.C5",), (), ""),
        ("diverges", ("Y.C2",), (), ""),
        ("diverges", ("float.Y.F1",), ("nan",), "nan-decides"),
        ("diverges", ("Y.F1",), ("infinite",), "lowest-finite")}
    assert len(found) == 5


def test_pads_at_the_kernel_are_refused_though_the_dilated_kernel_is_larger(record: Record, host: Host) -> None:
    """Minimised to one element and one pad; with a dilated kernel above the pad, too."""
    group = max((group for group in groups(record) if group.verdict == "rejects-valid"), key=lambda one: len(one.lines))
    assert any(line.id == "pads-above-the-kernel-dilated" for line in group.lines)
    call = smallest_of(group, record, host).call
    assert call.inputs["X"].shape == (1, 1, 1) and set(call.attributes) == {"kernel_shape", "pads"}
    assert call.attributes["kernel_shape"] == [1] and sorted(call.attributes["pads"]) == [0, 1]


@pytest.mark.parametrize(("clause", "symptom", "attributes", "size"), [
    ("Y.C5", "", {"kernel_shape": [2], "dilations": [2], "auto_pad": "SAME_UPPER"}, 2),
    ("Y.C2", "", {"kernel_shape": [1], "strides": [2], "ceil_mode": 1}, 2),
])
def test_a_wrong_size_is_minimised(clause: str, symptom: str, attributes: dict, size: int, record: Record,
                                   host: Host) -> None:
    """To one axis of so many zeros: SAME with dilation, the last window before opset 22."""
    case = smallest_of(single(groups(record), clause, symptom), record, host, clause)
    assert dict(case.call.attributes) == attributes
    assert case.call.inputs["X"].shape == (1, 1, size) and not case.call.inputs["X"].any()


def test_nan_by_position_is_minimised(record: Record, host: Host) -> None:
    """To a NaN and a zero; whether the NaN is passed over is told by its place: the other order conforms, with
    Indices."""
    x = smallest_of(single(groups(record), "", "nan-decides"), record, host).call.inputs["X"]
    assert x.size == 2 and np.isnan(x).sum() == 1 and np.nansum(x) == 0
    verdicts = {line.id: line.verdict for line in record.cases
                if line.spec == "sonnx/maxpool" and line.form == "Y+Indices"}
    assert (verdicts["nan-first"], verdicts["nan-last"]) == ("diverges", "conforms")


def test_the_lowest_finite_value_for_minus_infinity_is_minimised(record: Record, host: Host) -> None:
    """To a single -inf of float32, asked for Y alone; in SONNX and in ONNX the cause is one."""
    group = single(groups(record), "", "lowest-finite")
    assert group.text == "onnx/maxpool, sonnx/maxpool"
    case = smallest_of(group, record, host)
    assert case.call.inputs["X"].dtype == np.float32 and case.call.inputs["X"].tolist() == [[[[-np.inf]]]]
    assert {line.form for line in group.lines} == {"Y"}


def test_same_with_a_stride_above_the_kernel_is_observed(record: Record, host: Host) -> None:
    """No text decides what a negative padding means. Minimised to two elements, a kernel of 1 and a stride of 2."""
    lines = [line for line in record.cases if line.verdict == "observed" and line.clauses
             and line.clauses[0].endswith("#auto_pad.U1")]
    assert {line.spec.partition("@")[0] for line in lines} == {"onnx/averagepool", "onnx/maxpool"}
    line = min(lines, key=size_of)
    call = minimised(host, case_of(record, line), line.form, 20).call
    assert call.inputs["X"].shape == (1, 1, 2) and call.attributes["strides"] == [2]
    assert set(call.attributes) == {"kernel_shape", "strides", "auto_pad"} and call.attributes["kernel_shape"] == [1]
