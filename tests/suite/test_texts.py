"""One call under several texts: the record holds each verdict, and only the specification of the case accuses."""

from __future__ import annotations

import numpy as np
import pytest

from plumbline.backends import Answered
from plumbline.oracle import Call, load_spec
from plumbline.trial.record.lines import Also
from plumbline.trial.run.other_specifications import elsewhere
from tests.suite.fakes import honest
from tests.suite.written import cases_of


def submit(spec: str, name: str, run_trial) -> dict[str, dict]:
    """What the record says of one case, put to the truth, in each form."""
    record = run_trial(honest(), [case for case in cases_of(spec) if case.id == name])
    return {line.form: line for line in record.cases}


def of_the_truth(spec: str, name: str) -> dict[str, Also]:
    """How the canonical Y of a case stands to the other texts."""
    call = next(case.call for case in cases_of(spec) if case.id == name).asking_for("Y")
    return elsewhere(load_spec(spec), call, Answered(load_spec(spec).expected(call)))


def test_a_last_window_in_the_padding_tells_the_texts_apart(run_trial) -> None:
    """What version 12 says, version 11, NHWC and OpenVINO's ceil say too; version 22 says otherwise."""
    also = of_the_truth("onnx/maxpool@12", "ceil-last-window-in-the-padding")
    assert {name: entry.verdict for name, entry in also.items()} == {
        "onnx/maxpool@10": "conforms", "onnx/maxpool@11": "conforms", "onnx/maxpool@22": "diverges",
        "ms.nhwc/maxpool@11": "conforms", "openvino/maxpool@8": "conforms", "openvino/maxpool@14": "conforms"}
    assert also["onnx/maxpool@22"].clauses == ["onnx/maxpool@22#Y.C3"]


@pytest.mark.parametrize(("spec", "name", "other"), [
    ("onnx/maxpool@12", "column-major-several-planes", "openvino/maxpool@14"),
    ("onnx/maxpool@1", "valid-plain", "sonnx/maxpool"),
])
def test_a_text_that_does_not_hold_the_call_says_nothing(spec: str, name: str, other: str) -> None:
    """Outside the domain of a text it has no verdict."""
    assert other not in of_the_truth(spec, name)


def test_what_breaks_a_profile_alone_is_judged_as_onnx(run_trial) -> None:
    """A call outside the SONNX profile is a call of ONNX, and has a verdict there; a record has it of what does not
    conform."""
    line = submit("sonnx/maxpool", "one-spatial-axis", run_trial)["Y"]
    assert line.verdict == "outside-profile" and line.also["onnx/maxpool@22"].verdict == "conforms"


def test_what_is_observed_has_no_other_verdicts(run_trial) -> None:
    """It accuses nobody, and judging it by every version of its operator takes as long each time."""
    line = submit("onnx/maxpool@22", "no-window-fits", run_trial)["Y"]
    assert line.verdict == "observed" and not line.also and of_the_truth("onnx/maxpool@22", "no-window-fits")


def test_another_number_of_axes_is_open_where_all_of_the_shape_is() -> None:
    """An empty list of axes may stand for none, and with keepdims 0 none of the axes is gone."""
    spec, data = load_spec("onnx/reducesum@1"), np.ones((2, 3), np.float32)
    call = Call("ReduceSum", {"axes": [], "keepdims": 0}, {"data": data})
    assert not spec.divergences(call, {"reduced": data})
    assert spec.divergences(Call("ReduceSum", {"keepdims": 0}, {"data": data}), {"reduced": data})
