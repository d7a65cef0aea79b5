"""One call under several texts: the record holds each verdict, and only the specification of the case accuses."""

from __future__ import annotations

import pytest

from plumbline.cases import Case
from tests.suite import onnx_fakes
from tests.suite.fakes import Adapter


def put(cases: list[Case], spec: str, name: str, put_on_trial) -> dict[str, dict]:
    """What the record says of one case, put to the truth, in each form."""
    adapter = type("Honest", (Adapter,), {"name": "honest", "run": lambda self, request: onnx_fakes.honest(request)})()
    record = put_on_trial(adapter, [case for case in cases if (case.spec, case.id) == (spec, name)])
    return {line.form: line for line in record.cases}


def test_a_last_window_in_the_padding_tells_the_texts_apart(cases: list[Case], put_on_trial) -> None:
    """What version 12 says, version 11, NHWC and OpenVINO's ceil say too; version 22 says otherwise."""
    line = put(cases, "onnx/maxpool@12", "ceil-last-window-in-the-padding", put_on_trial)["Y"]
    verdicts = {name: entry.verdict for name, entry in line.also.items()}
    assert line.verdict == "conforms"
    assert verdicts == {"onnx/maxpool@10": "conforms", "onnx/maxpool@11": "conforms", "onnx/maxpool@22": "diverges",
                        "ms.nhwc/maxpool@11": "conforms", "openvino/maxpool@8": "conforms",
                        "openvino/maxpool@14": "conforms"}
    assert line.also["onnx/maxpool@22"].clauses == ["onnx/maxpool@22#Y.C3"]


@pytest.mark.parametrize(("spec", "name", "elsewhere"), [
    ("onnx/maxpool@12", "column-major-several-planes", "openvino/maxpool@14"),
    ("onnx/maxpool@1", "valid-plain", "sonnx/maxpool"),
])
def test_a_text_that_does_not_hold_the_call_says_nothing(spec: str, name: str, elsewhere: str, cases: list[Case],
                                                        put_on_trial) -> None:
    """Outside the domain of a text it has no verdict."""
    assert elsewhere not in put(cases, spec, name, put_on_trial)["Y"].also


def test_what_breaks_a_profile_alone_is_judged_as_onnx(cases: list[Case], put_on_trial) -> None:
    """A call outside the SONNX profile is a call of ONNX, and has a verdict there."""
    line = put(cases, "sonnx/maxpool", "one-spatial-axis", put_on_trial)["Y"]
    assert line.verdict == "outside-profile" and line.also["onnx/maxpool@22"].verdict == "conforms"
