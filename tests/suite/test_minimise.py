"""What was found is made smaller, written as a case, and grouped by cause."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plumbline.backends import InProcess
from plumbline.cases import Case, generate_cases, read_cases
from plumbline.cases.format.lint import lint
from plumbline.oracle import Call, load_spec
from plumbline.reports import summary_lines
from plumbline.trial.known.root_causes import groups, size_of
from plumbline.trial.tools.minimisation import MinimiseError, minimised
from plumbline.trial.tools.promotion import case_of, chosen_line, promoted
from plumbline.trial.tools.shrinking import smaller, smallest, weight
from tests.suite.written import cases_of

TEXT = "onnx/maxpool@12"
SPEC = load_spec(TEXT)


class NoDilation:
    """Right, but for dilations above 1 with automatic padding, where Y is all zeros; refuses strides of 4."""

    name = "no-dilation"

    def version(self) -> str:
        """Any."""
        return "1"

    def run(self, request: Any) -> dict[str, np.ndarray]:
        """The canonical outputs, or zeros."""
        spec = load_spec(TEXT)
        if 4 in request.attributes.get("strides", ()):
            raise ValueError("no kernel for this stride")
        call = Call(request.operator, request.attributes, request.inputs, request.outputs)
        found = spec.expected(call)
        if max(request.attributes.get("dilations", [1])) > 1 and "SAME" in request.attributes.get("auto_pad", ""):
            found["Y"] = np.zeros_like(found["Y"])
        return found


@pytest.fixture(scope="module")
def generated() -> list[Case]:
    """A few generated cases."""
    return list(generate_cases(TEXT, seed=3, count=150))


def test_every_step_makes_a_call_smaller_and_leaves_it_as_it_was(generated: list[Case]) -> None:
    """By weight, so that shrinking ends; the call that is shrunk is not changed."""
    for case in generated[:40]:
        before = case.call.inputs["X"].copy()
        steps = list(smaller(SPEC, case.call))
        assert steps and all(weight(SPEC, step) < weight(SPEC, case.call) for step in steps)
        assert np.array_equal(case.call.inputs["X"], before, equal_nan=before.dtype.kind == "f")


def test_what_stays_true_of_a_call_shrinks_to_the_smallest_of_which_it_is(generated: list[Case]) -> None:
    """A property that needs one element and one attribute leaves one element and one attribute."""
    case = next(case for case in generated if max(case.call.attributes.get("strides", [1])) > 2
                and case.call.inputs["X"].max() > 1 and case.call.inputs["X"].ndim == 4)

    def holds(call: Call) -> bool:
        return max(call.attributes.get("strides", [1])) > 2 and call.inputs["X"].max() > 1

    found = smallest(SPEC, case.call, holds, 5000)
    assert set(found.attributes) == {"strides"} and max(found.attributes["strides"]) == 3
    assert found.inputs["X"].shape == (1, 1, 1) and found.inputs["X"].max() > 1


def test_a_malformed_attribute_shrinks_by_leaving_it_out() -> None:
    """Crashes come from calls that no specification allows."""
    call = Call("MaxPool", {"kernel_shape": "x", "strides": [[1]], "pads": 3}, {"X": np.zeros((1, 1, 2), np.int8)})
    assert smallest(SPEC, call, lambda _: True, 100).attributes == {}


def test_a_failing_call_is_minimised_and_written_as_a_case_that_fails_alike(
        generated: list[Case], run_trial, tmp_path: Path) -> None:
    """To the least that the fault needs; what is written passes lint and breaks the same clause of the same backend."""
    record = run_trial(NoDilation(), generated)
    name = next(line.id for line in record.cases if line.verdict == "diverges")
    line = chosen_line(record, name)
    case = minimised(InProcess(NoDilation()), case_of(record, line), line.form, 20)
    assert set(case.call.attributes) == {"kernel_shape", "auto_pad", "dilations"}
    assert case.call.inputs["X"].size <= 2 and max(case.call.attributes["dilations"]) == 2
    text = promoted(record, line, case, "minimised")
    assert f"{line.source}; minimised; diverges on no-dilation 1 [{line.form}]" in " ".join(text.split())
    file = tmp_path / "found.yaml"
    file.write_text(f"spec: {TEXT}\ncases:\n{text}", encoding="utf-8")
    pasted, errors = read_cases([file])
    assert not errors and not lint(pasted[0]) and pasted[0].id == f"found-{name}"
    again = run_trial(NoDilation(), pasted)
    assert line.clauses[0] in next(one.clauses for one in again.cases if one.form == line.form)


def test_a_refusal_is_minimised_while_it_is_the_same_refusal(generated: list[Case], run_trial) -> None:
    """By phase and type of the error."""
    record = run_trial(NoDilation(), generated)
    line = next(line for line in record.cases if line.verdict == "rejects-valid")
    found = minimised(InProcess(NoDilation()), case_of(record, line), line.form, 20).call
    assert found.inputs["X"].size == 1
    assert found.attributes["strides"] == [4] and set(found.attributes) == {"kernel_shape", "strides"}


def test_what_a_backend_does_rightly_is_not_minimised(generated: list[Case]) -> None:
    """One line says so."""
    case = next(case for case in generated if "dilations" not in case.call.attributes
                and 4 not in case.call.attributes.get("strides", ()))
    with pytest.raises(MinimiseError, match=r"no-dilation 1 does not fail on it \(conforms\)"):
        minimised(InProcess(NoDilation()), case, "Y", 20)


def test_an_input_kept_in_part_is_drawn_again_from_its_seed(generated: list[Case], run_trial) -> None:
    """The line holds a part of X; the case has all of it, as it was."""
    large = next(case for case in generate_cases(TEXT, seed=3, count=5000) if case.call.inputs["X"].size > 1024)
    call = Call(large.call.operator, {**large.call.attributes}, large.call.inputs)
    record = run_trial(Refuses(), [large])
    line = chosen_line(record, large.id)
    assert line.call.inputs["X"].offset is not None
    again = case_of(record, line).call
    assert again.attributes == call.attributes
    assert again.inputs["X"].tobytes() == call.inputs["X"].tobytes()


class Refuses(NoDilation):
    """Refuses everything."""

    def run(self, request: Any) -> dict[str, np.ndarray]:
        """Nothing."""
        raise ValueError("no")


def test_one_fault_is_one_group_and_the_features_that_tell_it_are_named(generated: list[Case], run_trial) -> None:
    """The zeros are told by their flag, though some calls expect zeros; the refusals, which nothing tells, stand apart.
    Every accused result is in one group."""
    record = run_trial(NoDilation(), generated)
    found = groups(record)
    zeros = [group for group in found if group.verdict == "diverges"]
    assert [group.features for group in zeros] == [("same-dilated",)] and "auto_pad.F1" in zeros[0].clauses
    failing = [line for line in record.cases if line.verdict in ("diverges", "rejects-valid")]
    assert sorted(id(line) for group in found for line in group.lines) == sorted(map(id, failing))
    shown = "\n".join(summary_lines(record))
    assert "refused, none known: 2 root causes" in shown and "(same-dilated)" in shown


class LowestFinite(NoDilation):
    """Right, but for -inf, in whose place Y has the lowest finite value."""

    def run(self, request: Any) -> dict[str, np.ndarray]:
        """The canonical outputs, with that fault."""
        call = Call(request.operator, request.attributes, request.inputs, request.outputs)
        found = load_spec(TEXT).expected(call)
        lowest = np.finfo(found["Y"].dtype).min
        return {**found, "Y": np.where(found["Y"] == -np.inf, lowest, found["Y"])}


def test_what_looks_alike_is_one_group_in_whatever_text_and_clause(run_trial) -> None:
    """SONNX and ONNX, windows with padding and without: one cause, told by its symptom.

    -inf is the lowest number and infinite: which of the two matters, these calls do not tell."""
    chosen = [case for case in cases_of(TEXT, "sonnx/maxpool") if case.dtype == "float32"
              and case.expectation.kind == "outputs" and "nan" not in case.flags]
    record = run_trial(LowestFinite(), chosen)
    (group,) = groups(record)
    assert group.text == "onnx/maxpool, sonnx/maxpool"
    assert (group.symptom, group.features) == ("lowest-finite", ())
    assert {"Y.F1", "pads.F1", "float.pads.F1"} <= set(group.clauses) and len(group.lines) > 5


def test_what_is_observed_is_minimised(generated: list[Case], run_trial) -> None:
    """The smallest call is one that the same clause leaves undefined."""
    record = run_trial(NoDilation(), generated)
    line = min((line for line in record.cases if line.verdict == "observed" and line.clauses
                and line.clauses[0].endswith("#auto_pad.U1")), key=lambda line: (len(line.clauses), size_of(line)))
    case = minimised(InProcess(NoDilation()), case_of(record, line), line.form, 20)
    assert set(case.call.attributes) == {"kernel_shape", "strides", "auto_pad"} and case.call.inputs["X"].size == 2
    assert "auto_pad.U1" in str(load_spec(TEXT).unspecified(case.call))
