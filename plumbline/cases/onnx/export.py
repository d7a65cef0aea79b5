"""Writes cases as ONNX's own backend tests: a model, its input and its outputs in each folder.

A backend test compares with one array of values, within one tolerance. Exported are the cases, form by form, that can
be said so: inside the domain, every element decided, one right answer (up to rounding). The others are counted.
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
from plumbline.cases.onnx.models import to_model
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.files import write_file

README = """# Backend tests of ONNX operators

Written by `plumbline cases export --format onnx-backend-test` of Plumbline, a conformance suite, from its cases and
the specifications that they are about.
{summary}

Each folder of a specification is a kind of test as `onnx.backend.test` has it, each folder in it one test:
`model.onnx`, and in `test_data_set_0` the inputs and the outputs that the specification demands, one serialised tensor
in each file.
A name that ends in `_indices` belongs to the form of a case that asks for Indices too.

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

`data.json` gives `rtol` and `atol`. They are 0 where the specification leaves one answer; a runner that does not read
them and takes ONNX's defaults (1e-3 and 1e-7) lets wrong answers pass. A mean may be rounded, and what
an element may be off depends on what its window holds, which one number for a whole tensor cannot say: `atol` is the
largest rounding error that a conforming mean of the case can have in any element. No conforming answer is refused, and
some wrong ones pass. Plumbline itself judges element by element.
"""
MARGIN = 2.0**-8
"""Added to the tolerance in proportion: the runner computes in the element type, which may be float16."""

LEFT_OUT = {
    "outside": "outside the domain",
    "observed": "without a verdict",
    "contradicts": "against their specification",
    "no model": "that no ONNX model holds",
    "refusable": "that may be refused",
    "open": "with elements left open",
    "alternatives": "with several right answers",
}
"""Why a case in one form is not exported."""


class ExportError(ValueError):
    """An export that cannot be done; the text is one line."""


@dataclass
class Exported:
    """How many tests were written, and how many forms of cases were left out, by reason (a key of LEFT_OUT)."""

    written: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    def summary(self) -> str:
        """One line."""
        reasons = ", ".join(f"{self.left_out[reason]} {words}" for reason, words in LEFT_OUT.items()
                            if self.left_out[reason])
        count = self.written.total()
        return f"{count} test{'s' if count != 1 else ''}; forms of cases left out: {reasons or 'none'}"


def export(cases: Iterable[Case], folder: Path) -> Exported:
    """Write every case, in every form, that a backend test can say, as `folder`/SPECIFICATION/test_CASE. Raises
    ExportError when the folder holds something already, or there is nothing to write."""
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
    """Why a backend test cannot say this case in the form that `call` asks for, a key of LEFT_OUT; None when it can."""
    if case.expectation.kind != "outputs":
        return "outside" if case.expectation.kind == "outside" else "observed"
    if contradiction(case) is not None:
        return "contradicts"
    if spec.domain is None:
        return "no model"
    if spec.may_refuse(call):
        return "refusable"
    unspecified = spec.unspecified(call)
    if any(isinstance(unspecified[name].mask, str) or unspecified[name].mask.any()
           for name in call.outputs if name in unspecified):
        return "open"
    alternatives = spec.alternatives(call)
    if any(alternatives[name].any() for name in call.outputs if name in alternatives):
        return "alternatives"
    try:
        _model(spec, case, call)
    except (TypeError, ValueError):
        return "no model"
    return None


def test_of(spec: Spec, case: Case, call: Call) -> Path:
    """The folder of a case in a form among those of other specifications: a kind of test, and a test."""
    extra = [name.lower() for name in call.outputs if name in spec.optional]
    return Path(spec.name.replace("/", "-").replace("@", "-"), "_".join(["test", case.id, *extra]))


def write_test(folder: Path, spec: Spec, case: Case, call: Call) -> None:
    """Write a case that a backend test can say: model, inputs, outputs, tolerances."""
    outputs, tolerance = spec.expected(call), spec.tolerance(call)
    write_call(folder, spec, case, call)
    _write_tensors(folder, "output", outputs)
    atol = float(max(tolerance[name] for name in outputs) * (1 + MARGIN))
    write_file(folder / "data.json", json.dumps({"rtol": 0.0, "atol": atol}) + "\n")


def write_call(folder: Path, spec: Spec, case: Case, call: Call) -> None:
    """Write model and inputs alone. Raises TypeError or ValueError for what no ONNX model holds."""
    model = _model(spec, case, call)
    (folder / "test_data_set_0").mkdir(parents=True)
    write_file(folder / "model.onnx", model)
    _write_tensors(folder, "input", call.inputs)


def _write_tensors(folder: Path, prefix: str, arrays: Mapping[str, np.ndarray]) -> None:
    for number, (name, array) in enumerate(arrays.items()):
        proto = numpy_helper.from_array(Row(array.dtype.newbyteorder("=")).plain(np.ascontiguousarray(array)), name)
        write_file(folder / "test_data_set_0" / f"{prefix}_{number}.pb", proto.SerializeToString(deterministic=True))


def _model(spec: Spec, case: Case, call: Call) -> bytes:
    """The model of a call. Outside the domain its outputs are said to be of the type and axes of its first input."""
    if spec.domain is None or not call.inputs:
        raise ValueError(f"no ONNX model holds this call of {spec.name}")
    first = next(iter(call.inputs.values()))
    expected = {} if spec.violations(call) else spec.expected(call)
    arrays = {name: expected.get(name, first) for name in call.outputs}
    return to_model(call, call.outputs, case.opset, spec.domain, None if spec.variadic_input else spec.inputs,
                    {name: (array.dtype, array.ndim) for name, array in arrays.items()})
