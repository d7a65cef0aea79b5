"""The corpus says what the oracle says: read by a program in C, and on every value of sixteen bits; and it stays."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import numpy as np
import onnx
import pytest
from onnx import helper

from plumbline.cases import Case, generate_cases
from plumbline.cases.corpus import frozen
from plumbline.cases.corpus.allowed import _Search, allowed
from plumbline.cases.corpus.vector import vector
from plumbline.cases.corpus.write import CorpusError, Written, write_corpus
from plumbline.cases.generate.value_order import Row
from plumbline.cases.onnx.models import OPSETS
from plumbline.oracle import Call, JudgedCall, load_spec
from plumbline.oracle.choosing import element_type
from tests.suite.commands import cases as main
from tests.suite.corpus_answers import ANSWERS, Answer, as_bytes
from tests.suite.written import cases_of

SPECS = ("sonnx/maxpool", "onnx/maxpool@12", "onnx/averagepool@19", "onnx/relu@14", "onnx/sqrt@13", "onnx/argmax@13",
         "onnx/concat@13", "onnx/clip@13", "sonnx/softmax")
FOLDER = Path(__file__).parent / "corpus"


@pytest.fixture(scope="module")
def chosen() -> list[Case]:
    """A sixth of the written cases, and all of Relu, which the implementation in C has."""
    return [case for number, case in enumerate(cases_of(*SPECS)) if number % 6 == 0 or case.spec == "onnx/relu@14"]


@pytest.fixture(scope="module")
def corpus(chosen: list[Case], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of them, and of a few that are made."""
    folder = tmp_path_factory.mktemp("corpus") / "1"
    write_corpus(folder, SPECS, chosen, generated=2)
    return folder


def read(corpus: Path, name: str) -> dict:
    """A file of vectors."""
    return json.loads((corpus / "vectors" / f"{name}.json").read_text(encoding="utf-8"))


def compiled(place: Path, implementation: str, *options: str) -> Path:
    """The reader, with an implementation."""
    program = place / "reader"
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-result", *options, "-o", program,
                    FOLDER / "reader.c", FOLDER / implementation], check=True)
    return program


def verdicts(program: Path, vectors: Path, **environment: str) -> list[str]:
    """What the reader says of each vector."""
    done = subprocess.run([program, vectors], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [line.rpartition("] ")[2] for line in done.stdout.splitlines()]


def calls_of(found: dict, chosen: list[Case], name: str) -> Iterator[tuple[dict, Call]]:
    """The vectors of a file with their calls, made again from the cases."""
    made = {case.id: case for case in (*generate_cases(name, seed=0, count=2),
                                       *(case for case in chosen if case.spec == name))}
    for entry in found["vectors"]:
        if entry["id"] in made:
            yield entry, made[entry["id"]].call.asking_for(*entry["outputs"])


@pytest.mark.gate(one_in=12)
def test_a_reader_in_c_says_what_the_oracle_says(corpus: Path, chosen: list[Case], tmp_path: Path) -> None:
    """Of right and wrong answers to every call, from the vectors alone; it is short, and accuses nobody else."""
    assert len((FOLDER / "reader.c").read_text(encoding="utf-8").splitlines()) <= 150
    program, seen = compiled(tmp_path, "answers.c"), Counter()
    for name in SPECS:
        spec, found = load_spec(name), read(corpus, name)
        mine = [(entry, spec.judged(call)) for entry, call in calls_of(found, chosen, name)]
        part = tmp_path / "part.json"
        part.write_text(json.dumps({**found, "vectors": [entry for entry, _ in mine]}), encoding="utf-8")
        for answer in ANSWERS:
            answers = [None if judged.violations else answer(judged) for _, judged in mine]
            wanted = [verdict(judged, given) for (_, judged), given in zip(mine, answers, strict=True)]
            (tmp_path / "answers").write_bytes(b"".join(map(as_bytes, answers)))
            got = verdicts(program, part, ANSWERS=str(tmp_path / "answers"))
            for (entry, _), one, other in zip(mine, wanted, got, strict=True):
                assert one == other, f"{name} {entry['id']} [{entry['form']}] {answer}: {one}, and {other} in C"
            seen.update(wanted)
    assert min(seen[verdict] for verdict in ("conforms", "diverges", "rejects-valid", "survey")) > 60


def verdict(judged: JudgedCall, answer: Answer) -> str:
    """The oracle's."""
    if judged.violations:
        return "survey"
    if answer is None:
        return "conforms" if judged.may_refuse else "rejects-valid"
    return "diverges" if judged.divergences(answer) else "conforms"


def test_an_implementation_in_c_is_judged(corpus: Path, tmp_path: Path) -> None:
    """Right, it is accused of refusing what it does not have; with a fault, of that as well."""
    vectors = corpus / "vectors/onnx/relu@14.json"
    right = Counter(verdicts(compiled(tmp_path, "relu.c"), vectors))
    wrong = Counter(verdicts(compiled(tmp_path, "relu.c", "-DLEAKS"), vectors))
    assert right["conforms"] > 2 and right["rejects-valid"] and not right["diverges"]
    assert wrong["diverges"] > 0


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize(("name", "dtype"), [
    ("onnx/maxpool@12", "float16"), ("onnx/averagepool@19", "float16"), ("onnx/relu@14", "bfloat16"),
    ("onnx/clip@13", "float16"), ("onnx/globalaveragepool@22", "float16"), ("sonnx/conv", "float16"),
    ("onnx/hardsigmoid@22", "float16")])
def test_what_conforms_is_all_listed(name: str, dtype: str) -> None:
    """Of a call with elements that an unspecified clause is about, on values of the whole row and around each end."""
    spec, tried = load_spec(name), 0
    for case in generate_cases(name, seed=0, count=200):
        judged = spec.judged(case.call)
        output, = spec.forms[0]
        size = judged.definition.canonical[output].size
        if case.dtype != dtype or not 0 < size < 40 or not judged.allowances.get(output):
            continue
        search, found = _Search(judged, output, judged.definition), allowed(judged, output, judged.definition)
        ends = [*found.low.tolist(), *found.high.tolist(), *(place for _, *two in found.also for place in two)]
        places = {place + by for place in ends for by in (-1, 0, 1)} | set(range(*search.row.ends, 97))
        open_ = np.isin(np.arange(len(search.start)), [*found.unsettled, *found.anything])
        for place in places & set(range(search.row.ends[0], search.row.ends[1] + 1)) | {search.row.nan}:
            listed = (found.low <= place) & (place <= found.high)
            for part, first, last in found.also:
                listed[part] |= first <= place <= last
            right = search.accepts(np.full(len(search.start), place, np.uint64))
            assert (open_ | (listed == right)).all(), f"{case.id}: {search.row.values(np.array([place], np.uint64))}"
        tried += 1
        if tried == 3:
            break
    assert tried


def test_every_reading_is_listed() -> None:
    """HardSwish with a sixth of float64, and one of float32."""
    judged = load_spec("onnx/hardswish@22").judged(Call("HardSwish", {}, {"X": np.array([1.0])}))
    found = allowed(judged, "Y", judged.definition)
    (_, low, high), = found.also
    place, = Row(np.dtype(np.float64)).places(np.array([1 * (np.float64(np.float32(1 / 6)) + 0.5)])).tolist()
    assert low <= place <= high


@pytest.mark.parametrize("name", ["float16", "bfloat16", "int8", "uint8", "int16", "uint4", "int4", "int2", "bool",
                                  "float8_e4m3fn", "float4_e2m1fn"])
def test_a_row_has_every_value_once_and_in_order(name: str) -> None:
    """There and back; numbers rise."""
    row = Row(element_type(name))
    places = np.arange(row.ends[0], row.ends[1] + 1, dtype=np.uint64)
    values = row.values(places)
    assert values.dtype == row.dtype and (row.places(values) == places)[values == values].all()
    if "8_" not in name and "4_" not in name:
        numbers = values.astype(np.float64)
        assert (numbers[1:] >= numbers[:-1]).all() and len(set(row.bytes_of(values)[::2])) > 0
        assert (np.diff(numbers) == 0).sum() == (1 if row.is_float else 0)  # the zeros


def test_every_file_is_valid_and_in_the_manifest(corpus: Path) -> None:
    """Vectors by their schema, flags and clauses defined; models by ONNX's checker; digests as they are."""
    validator = jsonschema.Draft202012Validator(json.loads((corpus / "schema.json").read_text()))
    manifest = json.loads((corpus / "manifest.json").read_text())
    results = Counter()
    for name in SPECS:
        found = read(corpus, name)
        validator.validate(found)
        for entry in found["vectors"]:
            results[entry["result"]] += 1
            assert set(entry["flags"]) <= set(found["flags"])
            assert {*entry["clauses"], *entry.get("broken", ()), *entry.get("silences", ())} <= set(found["clauses"])
            if "model" in entry and entry["result"] == "valid":
                onnx.checker.check_model(str(corpus / entry["model"] / "model.onnx"))
    assert dict(results) == {name: count for name, count in manifest["results"].items() if count}
    files = {path.relative_to(corpus).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
             for path in corpus.rglob("*") if path.is_file() and path.name != "manifest.json"}
    assert files == manifest["sha256"]


def test_a_test_for_onnx_has_the_one_answer_of_its_vector(corpus: Path) -> None:
    """Whose output stands in no folder of a call that has several."""
    tests, calls = 0, 0
    for entry in (entry for name in SPECS for entry in read(corpus, name)["vectors"] if "model" in entry):
        outputs = sorted((corpus / entry["model"] / "test_data_set_0").glob("output_*.pb"))
        if entry["model"].startswith("calls/"):
            calls += 1
            assert not outputs
            continue
        answer, = entry["answers"]
        tests += 1
        for name, path in zip(entry["outputs"], outputs, strict=True):
            array = onnx.numpy_helper.to_array(onnx.load_tensor(path))
            assert Row(array.dtype).bytes_of(array).hex() == answer[name]["data"]
            assert not {"anything", "unsettled", "open_shape", "also"} & answer[name].keys()
    assert tests > 50 and calls > 50


def test_the_same_command_writes_the_same_bytes(corpus: Path, chosen: list[Case], tmp_path: Path) -> None:
    """Nothing of a time, a place or an order is in it; `--since` finds nothing to say."""
    write_corpus(tmp_path / "2", SPECS[2:4], chosen, generated=2, since=corpus)
    for name in SPECS[2:4]:
        assert (tmp_path / "2/vectors" / f"{name}.json").read_bytes() == \
            (corpus / "vectors" / f"{name}.json").read_bytes()


def changed(old: Path, what: str) -> None:
    """Change a published corpus."""
    path = old / "vectors/onnx/relu@14.json"
    text = path.read_text(encoding="utf-8")
    if what == "gone":
        text = text.replace('{"id":"signs"', '{"id":"sign"', 1)
    if what == "differs from .*; give":
        text = text.replace('"comment":"Numbers', '"comment":"All numbers', 1)
    path.write_text(text, encoding="utf-8")
    if what == "model.onnx differs from":
        (old / "tests/onnx-relu-14/test_signs/model.onnx").write_bytes(b"")


@pytest.mark.parametrize("what", ["gone", "differs from .*; give", "model.onnx differs from"])
def test_what_was_published_does_not_change(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is withdrawn, which the manifest says."""
    mine = [case for case in cases_of("onnx/relu@14") if case.id in ("signs", "nan")]
    write_corpus(tmp_path / "1", ["onnx/relu@14"], mine, generated=0)
    changed(tmp_path / "1", what)
    with pytest.raises(CorpusError, match=what):
        write_corpus(tmp_path / "2", ["onnx/relu@14"], mine, generated=0, since=tmp_path / "1")
    assert not (tmp_path / "2/manifest.json").exists()
    withdrawn = tmp_path / "withdrawn.json"
    withdrawn.write_text('[{"vector": "onnx/relu@14 signs [Y]", "since": 2, "why": "wrong"}]', encoding="utf-8")
    monkeypatch.setattr(frozen, "WITHDRAWN", withdrawn)
    if what == "differs from .*; give":
        assert "give its case another id" in next(frozen.changes(tmp_path / "1", tmp_path / "2"))


def test_a_vector_of_a_withdrawn_case_may_be_gone(tmp_path: Path) -> None:
    """Since another case replaces it; no other may."""
    example, = (case for case in cases_of("onnx/abs@13") if case.id == "special-values-float32")
    old = dataclasses.replace(example, id="kept")
    write_corpus(tmp_path / "1", ["onnx/abs@13"], [old, example], generated=0)
    write_corpus(tmp_path / "2", ["onnx/abs@13"], [example], generated=0, since=tmp_path / "1")
    with pytest.raises(CorpusError, match="special-values-float32 .* is gone"):
        write_corpus(tmp_path / "3", ["onnx/abs@13"], [old], generated=0, since=tmp_path / "1")


def test_models_need_no_newer_onnx_than_their_opset() -> None:
    """The IR version is the lowest that holds the opset, as the package at hand has it."""
    for opset in range(5, onnx.defs.onnx_opset_version() + 1):
        known = helper.find_min_ir_version_for([helper.make_opsetid("", opset)])
        assert max(version for version, first in OPSETS.items() if first <= opset) == max(known, 3)


def test_the_door(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Says what was written; a folder in use is not touched."""
    arguments = ["corpus", str(tmp_path / "new"), "--spec", "onnx/relu@1", "--generated", "0"]
    assert main(arguments) == 0
    assert " vectors: " in capsys.readouterr().out
    assert main(arguments) == 2
    assert capsys.readouterr().err.endswith("is not an empty folder; name a new one\n")
    assert next(Written().lines()).startswith("0 vectors")


def test_an_answer_that_holds_nan_is_one() -> None:
    """Whatever its bits were."""
    nan = np.array([0xffc00001, 0x7fc00000], np.uint32).view(np.float32)
    assert Row(nan.dtype).bytes_of(nan).hex() == "0000c07f" * 2
    case = next(case for case in cases_of("onnx/relu@14") if case.id == "nan")
    found = vector(load_spec(case.spec), case, case.call.asking_for("Y"))
    output = found["answers"][0]["Y"]
    assert "0000c07f" in output["data"] and output["also"][0][1:] == ["00000080", "00000000"]
