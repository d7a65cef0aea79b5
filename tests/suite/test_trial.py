"""Verdicts on calls outside the domain and on unspecified clauses, known divergences, and the record."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from plumbline.backends import Answered, Raised
from plumbline.cases import Case, Expectation
from plumbline.oracle import Call, load_spec
from plumbline.oracle.choosing import element_type
from plumbline.trial import KnownDivergences, RecordError, read_record
from plumbline.trial.known.register import KnownError
from plumbline.trial.record.judge import judge
from tests.suite import fakes

SPEC = load_spec("sonnx/maxpool")


def by_id(cases: list[Case], name: str) -> Case:
    """The case of that name."""
    return next(case for case in cases if case.id == name)


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize(("name", "outcome", "verdict"), [
    ("auto-pad-valid", Answered({}), "accepts-invalid"),  # pads are set beside it, which ONNX excludes too
    ("auto-pad-valid", Raised("load", "E", "no"), "rejects-invalid"),
    ("three-spatial-axes", Answered({}), "outside-profile"),
    ("nothing-but-the-kernel-set", Raised("run", "E", "no"), "outside-profile"),
    ("stride-zero", Raised("load", "E", "no"), "rejects-invalid"),
    ("stride-zero", Answered({}), "accepts-invalid"),
    ("auto-pad-unknown", Answered({}), "accepts-invalid"),
    ("no-batch", Answered({"Y": np.zeros((0, 1, 7, 7), np.float32)}), "observed"),
    ("no-batch", Answered({"Y": np.zeros((1, 1, 1, 1), np.float32)}), "diverges"),
    ("no-batch", Raised("run", "E", "no"), "observed"),
    ("pads-above-kernel-dilated", Raised("load", "E", "no"), "observed"),
    ("pads-above-kernel-dilated", Answered({"Y": np.zeros((1, 1, 1, 1), np.float32)}), "diverges"),
    ("one-by-one", Raised("load", "E", "no"), "rejects-valid"),
    ("one-by-one", Raised("load", "E", "no", gap="known"), "unsupported"),
    ("one-by-one", Raised("run", "KeyError", "'x'", own="mine.py:7: x"), "harness-error"),
    ("one-by-one", Raised("run", "KeyError", "'x'", gap="known", own="mine.py:7: x"), "unsupported"),
    ("stride-zero", Raised("run", "KeyError", "'x'", own="mine.py:7: x"), "rejects-invalid"),
])
def test_nobody_is_accused_outside_the_domain_or_where_the_text_is_silent(
        name: str, outcome: object, verdict: str, sonnx_cases: list[Case]) -> None:
    """And within it a refusal is an accusation unless it was declared."""
    case = by_id(sonnx_cases, name)
    assert judge(SPEC, case, case.call.asking_for("Y"), outcome).verdict == verdict


@pytest.mark.parametrize(("spec", "attributes", "inputs", "verdict"), [
    ("sonnx/abs", {}, {"X": ["bfloat16", [1.0]]}, "outside-profile"),
    ("sonnx/abs", {}, {"X": ["bool", [True]]}, "accepts-invalid"),
    ("sonnx/pow", {}, {"A": ["float32", [2.0]], "B": ["int64", [3]]}, "outside-profile"),
    ("sonnx/neg", {}, {"X": ["uint8", [1]]}, "accepts-invalid"),
    ("sonnx/gemm", {}, {"A": ["float32", [[1.0]]], "B": ["float32", [[1.0]]], "C": ["float32", [1.0]]},
     "outside-profile"),
    ("sonnx/gemm", {}, {"A": ["float32", [[1.0]]], "B": ["float32", [[1.0]]], "C": ["float32", [1.0, 2.0]]},
     "accepts-invalid"),
])
def test_what_a_profile_excludes_and_onnx_admits_is_outside_the_profile(
        spec: str, attributes: dict[str, object], inputs: dict[str, list[object]], verdict: str) -> None:
    """A restriction or a constraint of the profile narrows ONNX; what ONNX excludes too is invalid."""
    text = load_spec(spec)
    call = Call(text.operator, attributes, {name: np.array(values, element_type(dtype))
                                            for name, (dtype, values) in inputs.items()})
    broken = tuple(entry.clause for entry in text.violations(call))
    case = Case("made", "A call outside", spec, text.opset, call, Expectation(outside=broken), broken, "curated")
    assert judge(text, case, call, Answered({})).verdict == verdict


@pytest.mark.parametrize(("reverse", "y", "clauses"), [
    (2, np.array([1, 3, 6], np.float32), ["y.F1"]), (2, np.array([6, 5, 3], np.float32), ["y.F1"]),
    (2, np.array([1, 3, 7], np.float32), ["y.F1", "y.F2"]), (1, np.array([1, 3, 6], np.float32), ["y.F1", "y.F2"])])
def test_a_wrong_answer_is_held_against_the_reading_that_is_nearest(
        reverse: int, y: np.ndarray, clauses: list[str]) -> None:
    """A reverse of 2 may be read as 0 or 1: of sums by either in another type the type alone is wrong."""
    call = Call("CumSum", {"reverse": reverse}, {"x": np.array([1, 2, 3], np.float16), "axis": np.int64(0)[...]})
    found = load_spec("onnx/cumsum@14").judged(call).divergences({"y": y})
    assert sorted(entry.clause.partition("#")[2] for entry in found) == clauses


def test_a_case_that_contradicts_the_clauses_judges_nobody(sonnx_cases: list[Case]) -> None:
    """A wrong expectation is the suite's own error."""
    right = by_id(sonnx_cases, "one-by-one")
    wrong = Case(right.id, right.title, right.spec, right.opset, right.call,
                 Expectation(outputs={"Y": np.array([[[[7]]]], np.float32)}), right.clauses, right.source,
                 place=right.place)
    verdict = judge(SPEC, wrong, wrong.call, Answered(dict(SPEC.expected(right.call))))
    assert verdict.verdict == "harness-error" and "Y.F1" in verdict.did


KNOWN = """backend: fake
tried: ["1"]
divergences:
- id: minus-four
  spec: sonnx/maxpool
  verdict: diverges
  versions: "==1"
  clauses: [Indices.F1]
  cases: {float-example-3: ["Y+Indices"]}
  reason: the index is never set
"""


def known(folder: Path, text: str = KNOWN, version: str = "1") -> KnownDivergences:
    """Known divergences of a text."""
    (folder / "fake.yaml").write_text(text, encoding="utf-8")
    return KnownDivergences.load("fake", version, folder)


def test_a_known_divergence_is_expected_in_its_form_alone(
        tmp_path: Path, sonnx_cases: list[Case], run_trial) -> None:
    """Case, form and clauses must match; what matches is known, the rest is new."""
    chosen = [by_id(sonnx_cases, "float-example-3"), by_id(sonnx_cases, "float-example-4")]
    record = run_trial(fakes.FAKES["minus_four_for_minus_infinity"](), chosen, known(tmp_path))
    assert [(line.id, line.form, line.known and line.known.id) for line in record.cases
            if line.verdict == "diverges"] == [("float-example-3", "Y+Indices", "minus-four"),
                                                  ("float-example-4", "Y+Indices", None)]
    assert record.footer.gone == []


def test_a_file_may_stand_on_another(tmp_path: Path, sonnx_cases: list[Case], run_trial) -> None:
    """What is known of the other backend is known of this one, and said to be gone as its own would be."""
    known(tmp_path)
    (tmp_path / "variant.yaml").write_text('backend: variant\nlike: fake\ntried: ["1"]\ndivergences: []\n',
                                           encoding="utf-8")
    chosen = [by_id(sonnx_cases, "float-example-3")]
    for fake, explained, gone in (("minus_four_for_minus_infinity", ["minus-four"], 0), ("honest", [], 1)):
        record = run_trial(fakes.FAKES[fake](), chosen, KnownDivergences.load("variant", "1", tmp_path))
        assert [line.known.id for line in record.cases if line.known] == explained
        assert len(record.footer.gone) == gone


@pytest.mark.parametrize(("chosen", "gone"), [("float-example-3", 1), ("float-example-1", 0)])
def test_a_known_divergence_that_is_gone_is_said_if_it_was_exercised(
        chosen: str, gone: int, tmp_path: Path, sonnx_cases: list[Case], run_trial) -> None:
    """A case that the selection left out says nothing."""
    record = run_trial(fakes.FAKES["honest"](), [by_id(sonnx_cases, chosen)], known(tmp_path))
    assert len(record.footer.gone) == gone


@pytest.mark.parametrize(("fake", "explained"), [("minus_four_for_minus_infinity", ["minus-four"]), ("honest", [])])
def test_what_is_known_to_be_unstable_may_be_wrong_each_time_or_right(
        fake: str, explained: list[str], tmp_path: Path, sonnx_cases: list[Case], run_trial) -> None:
    """It is explained, and never gone."""
    record = run_trial(fakes.FAKES[fake](), [by_id(sonnx_cases, "float-example-3")],
                       known(tmp_path, KNOWN.replace("diverges", "unstable")))
    assert [line.known.id for line in record.cases if line.known] == explained and record.footer.gone == []


def test_a_known_divergence_does_not_excuse_another_clause(
        tmp_path: Path, sonnx_cases: list[Case], run_trial) -> None:
    """Y is wrong too: the entry, which is about Indices, does not explain it."""
    record = run_trial(fakes.FAKES["minimum"](), [by_id(sonnx_cases, "float-example-1")],
                       known(tmp_path, KNOWN.replace("float-example-3", "float-example-1")))
    assert [line.known for line in record.cases] == [None, None]


def test_a_known_divergence_excuses_nothing_but_its_symptom(tmp_path: Path, sonnx_cases: list[Case],
                                                            run_trial) -> None:
    """Wrong indices of another kind, on the very case that is known, are new."""
    text = KNOWN.replace("float-example-3", "float-example-1")
    text = text.replace("  reason", "  symptoms: [index-never-set]\n  reason")
    chosen = [by_id(sonnx_cases, "float-example-1")]

    class Shifted(fakes.Adapter):
        """Every index is one too large."""

        name = "shifted"

        def run(self, request):
            """A lie."""
            outputs = fakes.pool(request)
            return {**outputs, "Indices": outputs["Indices"] + 1}

    record = run_trial(Shifted(), chosen, known(tmp_path, text))
    assert [(line.known, line.verdict) for line in record.cases] == [(None, "conforms"), (None, "diverges")]


@pytest.mark.parametrize(("old", "new", "says"), [
    ("reason: the", "symptoms: [ugly]\n  reason: the", "no symptom is called ugly"),
    ("reason: the index", "raison: the index", "fake.yaml: minus-four: reason: Field required"),
    ("verdict: diverges", "verdict: conforms", "'conforms' is not one of diverges"),
    ('versions: "==1"', 'versions: "1"', "'1' is not a version specifier"),
    ("[Indices.F1]", "[Indices.F9]", "sonnx/maxpool has no clause 'Indices.F9'"),
    ("reason: the", "generated: [wild]\n  reason: the", "no flag is called wild"),
    ("backend: fake", "backend: [", "not YAML"),
    ("backend: fake", "backend: fake\nlike: nobody", "like: there is no nobody.yaml"),
])
def test_a_malformed_file_of_known_divergences_is_one_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    """File and remedy."""
    with pytest.raises(KnownError) as caught:
        known(tmp_path, KNOWN.replace(old, new))
    assert str(caught.value).startswith("fake.yaml: ") and says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_case_and_an_untried_version_are_noticed(tmp_path: Path, sonnx_cases: list[Case]) -> None:
    """The first is an error of the run, the second makes what is new news."""
    misspelt = known(tmp_path, KNOWN.replace("float-example-3", "float-example-33"))
    assert misspelt.check_ids(sonnx_cases, ["sonnx/maxpool"])
    assert not known(tmp_path).check_ids(sonnx_cases, ["sonnx/maxpool"])
    assert known(tmp_path).tried and not known(tmp_path, version="2").tried


def test_a_record_cut_anywhere_keeps_every_finished_case(tmp_path: Path, sonnx_cases: list[Case], run_trial) -> None:
    """Whole lines are kept, a line cut in the middle is dropped, and the record says that it is truncated."""
    record = run_trial(fakes.FAKES["honest"](), sonnx_cases[:5])
    text = record.path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    for length in (len(lines[0]), len("".join(lines[:4])) + 7, len(text) - 3):
        cut.write_text(text[:length], encoding="utf-8")
        part = read_record(cut)
        assert part.truncated
        assert len(part.cases) == text[:length].count("\n") - 1
    assert record.whole and record.footer.counts == {"conforms": 10}


@pytest.mark.parametrize(("text", "says"), [
    ("", ":1: a record begins with its header"),
    ("[1]\n", ":1: not a line of a record"),
    ('{"record": "case"}\n', ":1: case.id: Field required"),
    ('{"record": "footer", "counts": {}}\n', ":1: a record begins with its header"),
    ('{"record": "header", "format": 99}\n', ":1: of a format that this suite does not read"),
    ('nonsense\n{"record": "footer"}\n', ":1: not JSON"),
    ("\xff", "1: "),
    ('{"record": "footer", "counts": {"\\u202e": "x"}}\n', r":1: footer.counts.\u202e.[key]: Input should be"),
])
def test_what_is_no_record_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    """File, line, what is wrong."""
    path = tmp_path / "bad.jsonl"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(RecordError) as caught:
        read_record(path)
    assert (says in str(caught.value) or "cannot be read" in str(caught.value)) and "\n" not in str(caught.value)
