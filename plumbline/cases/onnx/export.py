"""Export cases as ONNX's own backend tests.

A backend test compares with one array of values, within one tolerance. So a case is exported, for each output
selection, if it is inside the domain, every element is specified, and one answer is right (up to rounding). Other cases
are counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from onnx import numpy_helper

from plumbline.cases.format.case import Case
from plumbline.cases.format.lint import contradiction
from plumbline.cases.generate.value_order import Row
from plumbline.cases.onnx.models import produced, to_model
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.files import write_file

README = """# Backend tests of ONNX operators

Written by `plumbline cases export --format onnx-backend-test` of Plumbline, a conformance suite, from its cases and
their specifications.
{summary}

The folder of a specification is a kind of test in the sense of `onnx.backend.test`. Each folder in it is a test:
`model.onnx`, and in `test_data_set_0` the inputs and the outputs that the specification requires, a serialised tensor
in each file.
A test whose name ends in `_indices` asks for Indices too.

```python
from pathlib import Path

import onnx
import onnxruntime.backend  # or any other onnx.backend.base.Backend
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

for test in load_model_tests(data_dir=".", kind="{kind}"):
    inputs, outputs = ([onnx.numpy_helper.to_array(onnx.load_tensor(path)) for path in
                        sorted(Path(test.model_dir).glob("test_data_set_0/" + names))]
                       for names in ("input_*.pb", "output_*.pb"))
    try:
        prepared = onnxruntime.backend.prepare(onnx.load(test.model_dir + "/model.onnx"), "CPU")
        Runner.assert_similar_outputs(outputs, list(prepared.run(inputs)), test.rtol, test.atol)
    except Exception as error:
        print(test.name, "fails:", type(error).__name__)
```

## Tolerances

`data.json` gives `rtol` and `atol`. They are 0 where the specification allows one answer only; a runner that ignores
them and takes ONNX's defaults (1e-3 and 1e-7) lets wrong answers pass. A mean may be rounded, and the error of an
element depends on its window, which one number for a whole tensor cannot express: `atol` is the largest rounding error
of any element of a conforming mean. No conforming answer is refused, and some wrong ones pass. Plumbline itself judges
element by element.
"""
MARGIN = 2.0**-8
"""Relative margin of the tolerance: the runner computes in the element type, which may be float16."""

LEFT_OUT = {
    "outside": "outside the domain",
    "observed": "without a verdict",
    "contradicts": "that contradict their specification",
    "no model": "that no ONNX model can hold",
    "refusable": "that may be refused",
    "open": "with unspecified elements",
    "alternatives": "with alternative answers",
}
"""Reasons not to export a case with an output selection."""


class ExportError(ValueError):
    """An export that failed; the message is one line."""


@dataclass
class Exported:
    """Counts of the tests written by specification, and left out by reason (a key of LEFT_OUT)."""

    written: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    def summary(self) -> str:
        """Return the counts in one line."""
        reasons = ", ".join(f"{self.left_out[reason]} {words}" for reason, words in LEFT_OUT.items()
                            if self.left_out[reason])
        count = self.written.total()
        return f"{count} test{'s' if count != 1 else ''}; left out: {reasons or 'none'}"


def export(cases: Iterable[Case], folder: Path) -> Exported:
    """Write each exportable case, for each output selection, as `folder`/SPECIFICATION/test_CASE.

    Raises ExportError if the folder is not empty, or there is nothing to write."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExportError(f"{folder}: is not an empty folder; name a new one")
    done = Exported()
    for case in cases:
        spec = load_spec(case.spec)
        for form in spec.forms:
            call = case.call.asking_for(*form)
            reason = reason_to_leave_out(spec, case, call)
            if reason is not None:
                done.left_out[reason] += 1
                continue
            place = test_of(spec, case, call)
            write_test(folder / place, spec, case, call)
            done.written[place.parent.name] += 1
    if not done.written:
        raise ExportError(f"{folder}: nothing to write: {done.summary()}")
    text = README.format(summary=f"It holds {done.summary()}.", kind=next(iter(done.written)))
    write_file(folder / "README.md", text)
    return done


def reason_to_leave_out(spec: Spec, case: Case, call: Call) -> str | None:
    """Return why a backend test cannot express a case with the outputs of `call`: a key of LEFT_OUT, or None."""
    if case.expectation.kind != "outputs":
        return "outside" if case.expectation.kind == "outside" else "observed"
    if contradiction(case) is not None:
        return "contradicts"
    if spec.domain is None:
        return "no model"
    if spec.may_refuse(call):
        return "refusable"
    outputs = spec.asked(call)
    masks = [entry.mask for name, entry in spec.unspecified(call).items() if name in outputs]
    if any(isinstance(mask, str) or mask.any() for mask in masks):
        return "open"
    if any(mask.any() for name, mask in spec.alternatives(call).items() if name in outputs):
        return "alternatives"
    try:
        _model(spec, case, call)
    except (TypeError, ValueError):
        return "no model"
    return None


def test_of(spec: Spec, case: Case, call: Call) -> Path:
    """Return the folder of a case with the outputs of `call`: kind of test, then test."""
    extra = [name.lower() for name in spec.asked(call) if name in spec.optional]
    return Path(spec.name.replace("/", "-").replace("@", "-"), "_".join(["test", case.id, *extra]))


def write_test(folder: Path, spec: Spec, case: Case, call: Call) -> None:
    """Write an exportable case: model, inputs, outputs, tolerances."""
    outputs, tolerance = spec.expected(call), spec.tolerance(call)
    write_call(folder, spec, case, call)
    _write_tensors(folder, "output", outputs)
    atol = float(max(tolerance[name] for name in outputs) * (1 + MARGIN))
    write_file(folder / "data.json", json.dumps({"rtol": 0.0, "atol": atol}) + "\n")


def write_call(folder: Path, spec: Spec, case: Case, call: Call) -> None:
    """Write model and inputs only. Raises TypeError or ValueError if no ONNX model can hold the call."""
    model = _model(spec, case, call)
    (folder / "test_data_set_0").mkdir(parents=True)
    write_file(folder / "model.onnx", model)
    _write_tensors(folder, "input", call.inputs)


def _write_tensors(folder: Path, prefix: str, arrays: Mapping[str, np.ndarray]) -> None:
    for number, (name, array) in enumerate(arrays.items()):
        if not array.dtype.hasobject:
            array = Row(array.dtype.newbyteorder("=")).plain(np.ascontiguousarray(array))
        proto = numpy_helper.from_array(array, name)
        write_file(folder / "test_data_set_0" / f"{prefix}_{number}.pb", proto.SerializeToString(deterministic=True))


def _model(spec: Spec, case: Case, call: Call) -> bytes:
    """Return the model of a call; outside the domain, its outputs have the type and axes of the first input."""
    if spec.domain is None or not call.inputs and spec.inputs:
        raise ValueError(f"no ONNX model can hold this call of {spec.name}")
    return to_model(call, spec.asked(call), case.opset, spec.domain, spec.places(call.inputs),
                    produced(spec, call))
