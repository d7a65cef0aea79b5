"""Known divergences in files of anyone's own: begun from a record, refused while unfinished, strict both ways."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from plumbline.backends import Answered
from plumbline.cases import Case, Expectation, generate_cases
from plumbline.cases.format.loader import CASE_FOLDER
from plumbline.oracle import Call, load_spec
from plumbline.oracle.yaml_text import load
from plumbline.trial import KnownDivergences
from plumbline.trial.known.draft import known_text
from plumbline.trial.known.register import FOLDER, KnownEntry
from plumbline.trial.known.register_file import SCHEMA_FILE, KnownError, read_known, schema_text
from plumbline.trial.record.judge import ACCUSES, Verdict, judge
from plumbline.trial.record.recording import read_record
from plumbline.trial.run.options import RunOptions
from plumbline.trial.run.run import RunError, Trials
from tests.faults.calls import default_items, operators
from tests.sampling import sampled
from tests.suite import small_records as small
from tests.suite.causes import records
from tests.suite.commands import plumbline as main
from tests.suite.fakes import FAKES

FAKE = "minus_four_for_minus_infinity"
NAME = FAKE.replace("_", "-")
EXAMPLES = CASE_FOLDER / "sonnx" / "maxpool" / "examples.yaml"
ENTRY = {"id": "one", "spec": "sonnx/maxpool", "verdict": "diverges", "clauses": ["Indices.F1"],
         "cases": {"float-example-3": ["Y+Indices"]}, "reason": "It has always been so."}


def write(path: Path, *entries: dict[str, object], **more: object) -> Path:
    """A file of known divergences of the fake."""
    path.write_text(json.dumps({"backend": NAME, **more, "divergences": list(entries)}), encoding="utf-8")
    return path


@pytest.fixture
def begun(sonnx_cases: list[Case], run_trial, tmp_path: Path) -> Path:
    """The file that is begun from what the fake does to the documented examples."""
    record = run_trial(FAKES[FAKE](), [case for case in sonnx_cases if "example" in case.id])
    path = tmp_path / "known.yaml"
    assert main(["known", str(record.path), "--output", str(path)]) == 0
    return path


def test_the_file_that_a_record_begins_is_refused_until_it_is_filled_in(begun: Path) -> None:
    """First the reason, then the link, which may go; then every entry is one that explains."""
    with pytest.raises(KnownError, match=r"known.yaml: diverges-[a-z0-9-]+: reason: say why in at least 10 letters"):
        read_known(begun)
    with_reasons = begun.read_text(encoding="utf-8").replace("reason: ''", "reason: It has always been so.")
    begun.write_text(with_reasons, encoding="utf-8")
    with pytest.raises(KnownError, match=r"known.yaml: diverges-[a-z0-9-]+: link: '' is not a web address; give one"):
        read_known(begun)
    begun.write_text(re.sub(r"\n +link: ''", "", with_reasons), encoding="utf-8")
    known = read_known(begun)
    assert known.backend == NAME and {entry.spec for entry in known.divergences} == {"sonnx/maxpool"}
    assert sum(len(forms) for entry in known.divergences for forms in entry.cases.values()) == 5


@pytest.mark.gate
@pytest.mark.parametrize("operator", ["sonnx/exp", *(name for name in sampled(list(operators()), 90)
                                                     if name != "sonnx/exp")])
def test_the_file_that_a_made_fault_begins_is_one_that_explains_it(operator: str, tmp_path: Path) -> None:
    """Filled in, it is read, and its entries explain each result that was new."""
    every, path, begun = default_items(operators()[operator][-1:]), tmp_path / "known.yaml", 0
    items = every[::max(4, len(every) // 40)]
    for fault, record, answers in records(operator, items, step=6):
        failing = [(item, item.verdict(answer)) for item, answer in zip(items, answers, strict=True)
                   if item.verdict(answer).verdict in ACCUSES]
        if failing:
            filled_in = known_text(record).replace("reason: ''", f'reason: "the fault: {fault}"')
            path.write_text(re.sub(r"\n +link: ''", "", filled_in), encoding="utf-8")
            known = KnownDivergences().joined([path], "faulty", "1")
            assert not [item.name for item, verdict in failing if known.explain(
                item.spec, item.case, "+".join(item.request.outputs), verdict) is None], fault
            begun += 1
    assert begun


@pytest.mark.parametrize("version", ["0.3", "1.10", "2024.1.0", "1e5"])
def test_the_version_that_a_file_proposes_is_read_back(version: str, tmp_path: Path) -> None:
    """YAML would read some as numbers; flags of answers, which no entry may name, are left out."""
    lines = [small.line("generated-0-1", "rejects-valid", phase="run", did="ValueError: no", source="generator",
                        dtype="float32", flags=["overflow", "nan"])]
    text = known_text(read_record(small.write(tmp_path / "record.jsonl", small.header("toy", version), lines)))
    proposed = re.search(r"`(tried: .*?)`", text)
    assert proposed is not None and load(proposed[1]) == {"tried": [version]}
    assert load(text)["divergences"][0]["generated"] == ["nan"]


def test_refusals_that_say_different_things_are_entries_of_their_own(tmp_path: Path) -> None:
    """What differs from call to call, such as numbers, apart."""
    refusals = [small.line(name, "rejects-valid", phase="run", did=f"NotImplementedError: {why}", place="cases.yaml:1")
                for name, why in {"one": "no pads (2)", "two": "no dilations", "three": "no pads (3)"}.items()]
    path = small.write(tmp_path / "record.jsonl", small.header("toy", "1"), refusals)
    text = known_text(read_record(path))
    assert [list(entry["cases"]) for entry in load(text)["divergences"]] == [["one", "three"], ["two"]]


def test_what_made_cases_are_refused_with_is_told(tmp_path: Path) -> None:
    """As far as they say the same; an entry then excuses no refusal that says something else."""
    lines = [small.line(name, "rejects-valid", phase="run", did=f"ValueError: bad kernel {name}", source="generator",
                        dtype="float32") for name in ("generated-0-1", "generated-0-2")]
    entry, = load(known_text(read_record(small.write(tmp_path / "record.jsonl", small.header("toy", "1"), lines)))
                  )["divergences"]
    assert entry["says"] == "ValueError: bad kernel generated-0-"


@pytest.mark.parametrize(("did", "excused"), [("ValueError: bad kernel 7", True), ("ValueError: bad pads", False)])
def test_an_entry_excuses_what_says_the_same(did: str, excused: bool) -> None:
    """Of all that is refused."""
    known = KnownDivergences([KnownEntry(**ENTRY | {"verdict": "rejects-valid", "clauses": [], "generated": [],
                                                    "says": "bad kernel"})])
    case = next(case for case in generate_cases("sonnx/maxpool", seed=0, count=1))
    verdict = Verdict("rejects-valid", phase="run", did=did)
    assert (known.explain(load_spec("sonnx/maxpool"), case, "Y", verdict) is not None) == excused


@pytest.mark.parametrize(("spec", "form", "excused"), [
    ("onnx/add@14", "C", True), ("onnx/add@13", "C", False), ("onnx/add@14", "D", True), ("onnx/add@13", "D", True)])
def test_an_entry_names_cases_of_some_of_its_specifications(spec: str, form: str, excused: bool) -> None:
    """With their pattern before the id."""
    entry = KnownEntry(**ENTRY | {"spec": "onnx/*", "cases": {"onnx/add@14 one": ["C"], "one": ["D"]}})
    assert (form in (entry.forms_of(spec, "one/weights", "one") or [])) == excused
    assert entry.forms_of(spec, "two") is None


@pytest.mark.parametrize(("wrong", "excused"), [([0], True), ([0, 3], False), ([3], False)])
def test_an_entry_about_values_excuses_what_is_computed_from_them(wrong: list[int], excused: bool) -> None:
    """One about subnormal numbers: an element beside one is another fault, in whichever input it is."""
    known = KnownDivergences([KnownEntry(**ENTRY | {"spec": "onnx/add@14", "clauses": ["C.F1", "C.F3"], "cases": {},
                                                    "generated": ["subnormal-in-B"]})])
    spec, flags = load_spec("onnx/add@14"), ("subnormal-in-B",)
    call = Call("Add", {}, {"A": np.float32([1, 2, 3, 4]), "B": np.float32([1e-40, 1, 1, 1])})
    right = spec.expected(call)["C"].copy()
    right[wrong] = 100
    case = Case("generated-0-0", "", spec.name, 14, call, Expectation(), (), "generator", flags)
    verdict = judge(spec, case, call, Answered({"C": right}))
    assert verdict.verdict == "diverges" and (known.explain(spec, case, "C", verdict) is not None) == excused


@pytest.mark.parametrize(("lines", "clauses", "excused"), [
    ([0, 1], ["Y.F1", "Y.F2"], True), ([0, 1], ["Y.F1"], False), ([0, 1], ["Y.F2"], False), ([0], ["Y.F1"], True),
    ([0], ["Y.F2"], False)])
def test_a_call_that_shows_two_faults_needs_an_entry_of_each(lines: list[int], clauses: list[str],
                                                             excused: bool) -> None:
    """Each explains the clauses that are its own, and all that are broken have one."""
    known = KnownDivergences([KnownEntry(**ENTRY | {"id": clause, "spec": "sonnx/softmax", "clauses": [clause],
                                                    "cases": {}, "generated": []}) for clause in clauses])
    spec, call = load_spec("sonnx/softmax"), Call("Softmax", {"axis": 1}, {"X": np.float32([[0, -87], [0, np.nan]])})
    right = spec.expected(call)["Y"].copy()
    right[lines, 1] = 0.25
    case = Case("generated-0-0", "", spec.name, 13, call, Expectation(), (), "generator", ())
    verdict = judge(spec, case, call, Answered({"Y": right}))
    entry = known.explain(spec, case, "Y", verdict)
    assert len(verdict.clauses) == len(lines) and (entry is not None) == excused


def test_a_cause_is_one_entry_whatever_versions_show_it(tmp_path: Path) -> None:
    """But for a case that one of the versions answers: there the entry of all would be gone."""
    refuses = {"phase": "run", "did": "NotImplementedError: no pads", "place": "cases.yaml:1"}
    head, refused = small.header("toy", "1"), [small.line(name, "rejects-valid", **refuses) for name in ("both", "one")]
    later, *lines = json.loads(json.dumps([head, *refused[:1], small.line("one", "conforms"),
                                           small.line("new", "rejects-valid", **refuses)]).replace("pool@2", "pool@3"))
    head["specifications"] |= later["specifications"]
    lines += refused
    text = known_text(read_record(small.write(tmp_path / "record.jsonl", head, lines)))
    assert [(entry["spec"], entry["cases"]) for entry in load(text)["divergences"]] == [
        ("toy/maxpool@*", {"both": ["Y"], "new": ["Y"]}), ("toy/maxpool@2", {"one": ["Y"]})]
    assert text.count("\n# NotImplementedError: no pads\n- id: ") == 2


def test_a_file_is_not_begun_over_another_or_from_nothing(begun: Path, sonnx_cases: list[Case], run_trial,
                                                          capsys: pytest.CaptureFixture[str]) -> None:
    """One line each, and what is there stays."""
    record = run_trial(FAKES["honest"](), sonnx_cases[:1])
    before = begun.read_bytes()
    assert main(["known", str(record.path)]) == 2
    assert "nothing fails that is not known" in capsys.readouterr().err
    failing = run_trial(FAKES[FAKE](), [case for case in sonnx_cases if case.id == "float-example-3"])
    assert main(["known", str(failing.path), "--output", str(begun)]) == 2
    assert capsys.readouterr().err == (
        f"{begun}: exists already; without --output the entries are printed, to be added to it\n")
    assert begun.read_bytes() == before
    empty = begun.with_name("empty.yaml")
    empty.write_text("# as `plumbline init` writes it\nbackend: fake\ndivergences: []\n", encoding="utf-8")
    assert main(["known", str(failing.path), "--output", str(empty)]) == 0
    assert "\n- id: " in empty.read_text(encoding="utf-8")


@pytest.mark.parametrize(("change", "says"), [
    ({"verdict": "conforms"}, "'conforms' is not one of diverges"),
    ({"spec": "sonnx/minpool"}, "no specification is called 'sonnx/minpool'"),
    ({"clauses": ["Y.F9"]}, "sonnx/maxpool has no clause 'Y.F9'"),
    ({"id": 7}, "mine.yaml: divergences.0.id: Input should be a valid string"),
    ({"cases": {}}, "one: matches nothing: name cases, or flags of generated cases"),
    ({"colour": "red"}, "mine.yaml: one: colour: Extra inputs are not permitted"),
    ({"versions": "old"}, "'old' is not a version specifier"),
])
def test_what_is_wrong_with_an_entry_is_one_line(change: dict[str, object], says: str, tmp_path: Path) -> None:
    """With the name of the file."""
    with pytest.raises(KnownError, match=re.escape(says)) as caught:
        read_known(write(tmp_path / "mine.yaml", ENTRY | change))
    assert str(caught.value).startswith("mine.yaml: ") and "\n" not in str(caught.value)


@pytest.mark.parametrize(("tried", "version", "is_tried"), [
    (None, "main-4f2a", True), (["1.0"], "main-4f2a", False), (["1.0"], "1.0", True)])
def test_a_list_is_complete_for_every_version_unless_it_says_which(tried: list[str] | None, version: str,
                                                                  is_tried: bool, tmp_path: Path) -> None:
    """So that what is new fails the run of any commit; entries without versions hold for all."""
    path = write(tmp_path / "mine.yaml", ENTRY, **({"tried": tried} if tried else {}))
    known = KnownDivergences().joined([path], NAME, version)
    assert known.tried is is_tried and [entry.id for entry in known.entries] == ["one"]


def run(folder: Path, *paths: Path, **options: object) -> Trials:
    """A run of the fake over the documented examples, to its end."""
    trials = Trials(RunOptions(**{"backend": (f"tests.suite.fakes:{FAKE}",), "cases": (EXAMPLES,), "known": paths,
                                  "spec": ("sonnx/maxpool",), "report_dir": folder, **options}))
    items = list(trials.items())
    trials.start(items)
    trials.said = [why for item in items if (why := trials.fault(item, trials.submit(item))) is not None]
    trials.close()
    return trials


def test_known_failures_pass_and_one_that_is_gone_does_not(begun: Path, tmp_path: Path) -> None:
    """Status 0 with all five, 1 with one more that does not occur."""
    text = re.sub(r"reason: ''\n +link: ''", "reason: It has always been so.", begun.read_text(encoding="utf-8"))
    begun.write_text(text, encoding="utf-8")
    trials = run(tmp_path, begun)
    assert (trials.failures, trials.status()) == (0, 0)
    gone = write(tmp_path / "gone.yaml", {**ENTRY, "id": "two", "cases": {"int-example-1": ["Y"]}})
    trials = run(tmp_path, begun, gone)
    assert (trials.failures, trials.status()) == (0, 1)
    assert trials.said == ["sonnx/maxpool int-example-1 [Y]: known divergence 'two' no longer occurs: take it off the "
                           "list, or this case off its entry"]
    elsewhere = {**ENTRY, "id": "two", "cases": {"int-example-1": ["Y"]}, "processors": "those with AVX512-FP16"}
    trials = run(tmp_path, begun, write(tmp_path / "elsewhere.yaml", elsewhere))
    assert trials.said == []


@pytest.mark.parametrize(("entries", "backend", "says"), [
    ([ENTRY], "acme", "about the backend 'acme', which this run does not try; it tries minus-four-for-minus-infinity"),
    ([ENTRY, ENTRY], NAME, "one: two entries have this id"),
])
def test_a_file_that_would_be_ignored_is_an_error(entries: list[dict[str, object]], backend: str, says: str,
                                                  tmp_path: Path) -> None:
    """As is a file that is not there."""
    path = write(tmp_path / "mine.yaml", *entries, backend=backend)
    with pytest.raises(RunError, match=re.escape(says)):
        run(tmp_path, path)
    with pytest.raises(RunError, match="nowhere.yaml: cannot be read: No such file"):
        run(tmp_path, tmp_path / "nowhere.yaml")


def test_an_entry_that_names_nothing_is_told(tmp_path: Path) -> None:
    """A case or a form that does not exist; and, when everything was tried, flags that no case has."""
    path = write(tmp_path / "mine.yaml", ENTRY | {"cases": {"nope": ["Y", "Z"]}})
    known = KnownDivergences().joined([path], NAME, "1")
    assert known.check_ids([], ["sonnx/maxpool"]) == [
        "known divergence 'one' names the case 'nope', which sonnx/maxpool does not have",
        "known divergence 'one' names the form 'Z', which sonnx/maxpool does not have"]
    assert known.unused() == ["known divergence 'one' matches nothing that was tried"]


def test_the_schema_is_current_and_holds_for_the_lists_of_the_suite() -> None:
    """`plumbline known --schema` prints it; editors check against it."""
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text()
    lists = sorted(FOLDER.glob("*.yaml"))
    for path in lists:
        content = json.loads(json.dumps(load(path.read_text(encoding="utf-8")), default=str))
        jsonschema.validate(content, json.loads(schema_text()))
    assert len(lists) > 5


def test_a_list_may_take_its_model_as_of_a_version(tmp_path: Path) -> None:
    """The entries that hold for that version of it then hold for every version of the backend."""
    entries = [{**ENTRY, "versions": ">=2026.4"}, {**ENTRY, "id": "two", "versions": "<2025"}]
    (tmp_path / "model.yaml").write_text(json.dumps({"backend": "model", "divergences": entries}))
    mine = {"backend": "mine", "like": "model", "divergences": []}
    (tmp_path / "mine.yaml").write_text(json.dumps(mine))
    assert [entry.id for entry in KnownDivergences.load("mine", "1.24", tmp_path).entries] == ["two"]
    (tmp_path / "mine.yaml").write_text(json.dumps({**mine, "as_of": "2026.4.1"}))
    assert [entry.id for entry in KnownDivergences.load("mine", "1.24", tmp_path).entries] == ["one"]


def test_a_list_may_leave_out_entries_of_its_model(tmp_path: Path) -> None:
    """Named by `unlike`; a name that the model does not have is an error."""
    model = {"backend": "model", "divergences": [ENTRY, {**ENTRY, "id": "two", "cases": {"float-example-4": ["Y"]}}]}
    (tmp_path / "model.yaml").write_text(json.dumps(model))
    mine = tmp_path / "mine.yaml"
    mine.write_text(json.dumps({"backend": "mine", "like": "model", "unlike": ["two"], "divergences": []}))
    assert [entry.id for entry in KnownDivergences.load("mine", "1", tmp_path).entries] == ["one"]
    mine.write_text(json.dumps({"backend": "mine", "like": "model", "unlike": ["three"], "divergences": []}))
    with pytest.raises(KnownError, match="mine.yaml: unlike: model.yaml has no entry 'three'"):
        KnownDivergences.load("mine", "1", tmp_path)
