"""The cache on disk: the same cases and records with and without it, whatever happens to its files."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import pickle
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from plumbline.backends import Answered, Request
from plumbline.backends.identity import Identity
from plumbline.backends.request import to_request
from plumbline.cases import Case
from plumbline.cases.format import disk_cache
from plumbline.cases.format.computed import Computed
from plumbline.cases.format.disk_cache import DiskCache
from plumbline.cases.format.lint import contradiction
from plumbline.cases.generate import cached_cases, run_cases
from plumbline.cases.generate.cached_cases import entry_name, read_cases_of
from plumbline.cases.generate.run_cases import all_cases
from plumbline.cases.onnx.models import model_of
from plumbline.oracle import load_spec
from plumbline.oracle.editions import choose_edition
from plumbline.trial import KnownDivergences, Session

NAMES = ["sonnx/relu", "onnx/maxpool@12", "onnx/concat@13"]
"""Of one input; of two output selections; of a variadic input."""


def described(cases: list[Case]) -> list[object]:
    """All that there is to a case."""
    return [(case.spec, case.id, case.title, case.opset, case.source, case.clauses, case.flags, case.notes, case.place,
             case.in_all, type(case), case.digest, repr(case.call.attributes), contradiction(case),
             case.expectation.kind, case.expectation.outside, case.expectation.observe, case.expectation.erratum,
             [(name, array.dtype, array.shape, array.tolist() if array.dtype.hasobject else array.tobytes())
              for arrays in (case.call.inputs, case.expectation.outputs or {}) for name, array in arrays.items()])
            for case in cases]


def made(names: list[str], folder: Path | None, count: int = 2) -> list[Case]:
    """The cases of a run with a cache in `folder`."""
    cases, errors = all_cases(names, seed=0, count=count, cache=None if folder is None else DiskCache(folder))
    assert not errors
    return [*cases.written, *cases.generated]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the cases of `NAMES`."""
    folder = tmp_path_factory.mktemp("filled")
    made(NAMES, folder)
    return folder


@pytest.fixture(scope="module")
def uncached() -> list[object]:
    """The cases of `NAMES`, made without a cache."""
    return described(made(NAMES, None))


def test_cases_from_the_cache_are_those_that_are_made(filled: Path, uncached: list[object],
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, and nothing is made again."""
    monkeypatch.setattr(run_cases, "generated_cases", None)
    monkeypatch.setattr(run_cases, "read_cases", None)
    cases = made(NAMES, filled)
    assert described(cases) == uncached
    assert any(case.computed and case.computed.answers for case in cases if case.generated)
    assert all(model == model_of(load_spec(case.spec), case.call.asking_for(*form.split("+")), case.opset)
               for case in cases if case.computed for form, model in case.computed.models.items())


def test_a_selection_fills_the_cache_with_whole_entries_alone(tmp_path: Path) -> None:
    """Generated cases of some versions alone are not mistaken for all of them."""
    names, cache = ["onnx/relu@13", "onnx/relu@14"], DiskCache(tmp_path)

    def digest(*wanted: str) -> str:
        return all_cases(names, seed=0, count=1, cache=cache, generates=wanted.__contains__)[0].digest

    assert digest("onnx/relu@14") == "" and not [*tmp_path.iterdir()]
    whole = digest(*names)
    assert whole and len([*tmp_path.iterdir()]) == 2
    assert digest("onnx/relu@14") == whole


def test_large_inputs_that_repeat_a_row_are_stored_once() -> None:
    """And have one row in memory when they are read."""
    rows = np.broadcast_to(np.arange(4, dtype=np.float32), (1 << 16, 4))
    block = cached_cases._Block()
    entry = json.loads(json.dumps(block.add(rows)))
    array = cached_cases._read_array(entry, np.frombuffer(bytes(block.data), np.uint8))
    assert len(block.data) == 16 and array.base.shape == (4,) and np.array_equal(array, rows)


def flip(path: Path, place: int = -8) -> None:
    """Change one byte."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def as_folder(path: Path) -> None:
    """Put a folder in its place."""
    path.unlink()
    path.mkdir()


DAMAGE: Mapping[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""), "truncated": lambda path: os.truncate(path, path.stat().st_size // 2),
    "a byte": flip, "first byte": lambda path: flip(path, 0), "gone": Path.unlink, "a folder": as_folder,
    "text": lambda path: path.write_text("{}"), "pickle": lambda path: path.write_bytes(pickle.dumps([1])),
    "objects": lambda path: np.save(path.open("wb"), np.array([{}], object), allow_pickle=True),
}


@pytest.mark.parametrize("suffix", [".json", ".npy"])
def test_a_damaged_entry_is_made_again(filled: Path, uncached: list[object], tmp_path: Path, suffix: str) -> None:
    """Whatever the damage, cases are right; where the file can be replaced, the entry is whole afterwards."""
    name = next(path.stem for path in filled.glob(f"sonnx-relu*{suffix}"))
    for what, damage in DAMAGE.items():
        folder = tmp_path / what
        folder.mkdir()
        for path in filled.glob(f"{name}*"):
            (folder / path.name).write_bytes(path.read_bytes())
        damage(folder / f"{name}{suffix}")
        assert read_cases_of(DiskCache(folder), name) is None, what
        wanted = [entry for entry in uncached if entry[0] == "sonnx/relu"]
        assert described(made(NAMES[:1], folder)) == wanted, what
        assert (read_cases_of(DiskCache(folder), name) is not None) == (what != "a folder"), what


def test_what_is_given_back_is_read_again(filled: Path) -> None:
    """Cases that were read before keep their arrays."""
    name = next(filled.glob("sonnx-relu*.json")).stem
    cases = read_cases_of(DiskCache(filled), name)
    assert cases is not None
    arrays = [array for case in (*cases.written, *cases.generated) for array in case.call.inputs.values()]
    before = [array.tobytes() for array in arrays]
    disk_cache.release()
    assert arrays and [array.tobytes() for array in arrays] == before


def test_an_entry_of_other_content_is_not_taken(filled: Path, tmp_path: Path) -> None:
    """Arrays of another entry, or of another specification under this name, differ from the digest in its JSON."""
    relu, concat = (next(filled.glob(f"{label}*.json")).stem for label in ("sonnx-relu", "onnx-concat"))
    (tmp_path / f"{relu}.json").write_bytes((filled / f"{relu}.json").read_bytes())
    (tmp_path / f"{relu}.npy").write_bytes((filled / f"{concat}.npy").read_bytes())
    assert read_cases_of(DiskCache(tmp_path), relu) is None


def test_the_name_of_an_entry_depends_on_all_that_cases_depend_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                                                                 ) -> None:
    """Seed, count, versions and which of them have generated cases, files of cases, code, own specifications, what
    computes, and the chosen edition."""
    file = tmp_path / "cases.yaml"
    file.write_text("a")

    def name(seed: int = 0, count: int | None = 2, versions: tuple[str, ...] = ("onnx/relu@14",),
             generating: tuple[str, ...] = ("onnx/relu@14",)) -> str:
        return entry_name(versions, [file], seed, count, generating)

    both = ("onnx/relu@14", "onnx/relu@6")
    names = [name(), name(seed=1), name(count=None), name(versions=both), name(versions=both, generating=both)]
    file.write_text("b")
    names.append(name())
    monkeypatch.setattr(cached_cases, "folders", lambda: (tmp_path,))
    (tmp_path / "own.py").write_text("1")
    names.append(name())
    monkeypatch.setattr(cached_cases, "pages_of", lambda name: (file,))
    names.append(name())
    for changed in ({"version": lambda package: "0"}, {"CODE": ("oracle",)},
                    {"platform": SimpleNamespace(machine=lambda: "other")}):
        disk_cache.environment.cache_clear()
        with monkeypatch.context() as context:
            for key, value in changed.items():
                context.setattr(disk_cache, key, value)
            names.append(name())
    disk_cache.environment.cache_clear()
    undo = choose_edition("1.16.0")
    names.append(name())
    undo()
    assert len(set(names)) == len(names)


def test_a_folder_that_cannot_be_used_costs_time_alone(uncached: list[object], tmp_path: Path,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in its place, a full disk, and a disk that fills up between the two files of an entry."""
    wanted = [entry for entry in uncached if entry[0] == "sonnx/relu"]
    (tmp_path / "file").write_text("")
    assert described(made(NAMES[:1], tmp_path / "file")) == wanted
    write = disk_cache.write_file
    for full in (".npy", ".json"):
        def failing(path: Path, content: bytes, full: str = full) -> Path:
            if path.suffix == full:
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
            return write(path, content)

        monkeypatch.setattr(disk_cache, "write_file", failing)
        assert described(made(NAMES[:1], tmp_path / full)) == wanted
        assert not [*(tmp_path / full).glob("*.json")]


def _make(folder: Path) -> None:
    made(NAMES[:1], folder)


def test_two_runs_at_once_fill_one_cache(uncached: list[object], tmp_path: Path) -> None:
    """Each reads what is whole."""
    context = multiprocessing.get_context("fork")
    runs = [context.Process(target=_make, args=(tmp_path,)) for _ in range(3)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [run.exitcode for run in runs] == [0, 0, 0]
    assert described(made(NAMES[:1], tmp_path)) == [entry for entry in uncached if entry[0] == "sonnx/relu"]
    assert len([*tmp_path.iterdir()]) == 2


def test_the_entries_read_longest_ago_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So does what a process that was ended left behind."""
    monkeypatch.setattr(disk_cache, "LARGEST", 3000)
    cache = DiskCache(tmp_path)
    for name in ("a", "b"):
        assert cache.write(name, {}, bytes(1000))
    (tmp_path / ".c.npy.0.part").write_bytes(b"")
    for age, name in enumerate(("b.json", "b.npy", "a.npy", "a.json", ".c.npy.0.part"), 1):
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    assert cache.read("a") is not None
    assert cache.write("d", {}, bytes(1000))
    assert {path.stem for path in tmp_path.iterdir()} == {"a", "d"}


def verdict_of(case: Case, outputs: dict[str, np.ndarray]) -> str:
    """The verdict on an answer with all outputs."""
    session = Session(SimpleNamespace(identity=Identity(name="b", version="1", specifications=["*"]), notes=[]),
                      KnownDivergences(), SimpleNamespace(case=lambda line: None))
    form = "+".join(load_spec(case.spec).forms[-1])
    return session.judged(case, form, Answered(outputs)).verdict.verdict


def test_planted_outputs_change_no_verdict(filled: Path, tmp_path: Path) -> None:
    """Right answers are judged by the clauses where an entry says otherwise, even one with matching digests; a wrong
    answer that was planted is caught, since the entry is not read."""
    name = next(filled.glob("onnx-maxpool*.json")).stem
    for path in filled.glob(f"{name}*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    digest, _, text = (tmp_path / f"{name}.json").read_bytes().partition(b"\n")
    content = json.loads(text)
    for case in content["head"]["generated"]:
        for answer in case["answers"].values():
            answer["digests"] = dict.fromkeys(answer["digests"], "0" * 64)
    planted = json.dumps(content).encode()
    (tmp_path / f"{name}.json").write_bytes(digest + b"\n" + planted)
    assert read_cases_of(DiskCache(tmp_path), name) is None
    DiskCache(tmp_path).write(name, content["head"], np.load(tmp_path / f"{name}.npy").tobytes())
    cases = read_cases_of(DiskCache(tmp_path), name)
    assert cases is not None and any(case.computed and case.computed.answers for case in cases.generated)
    verdicts = Counter[str]()
    for case in (case for case in cases.generated if case.computed and case.computed.answers):
        right = dict(load_spec(case.spec).expected(case.call))
        assert verdict_of(case, right) == "conforms"
        wrong = {**right, "Y": np.where(right["Y"] == 1, 2, 1).astype(right["Y"].dtype)}
        verdicts[verdict_of(case, wrong)] += 1
        assert verdict_of(case, wrong) == verdict_of(replace(case), wrong)  # of which nothing is kept
    assert verdicts["diverges"] > len(cases.generated) // 2


def test_a_planted_model_accuses_nobody() -> None:
    """A backend that computes what the cached model says, and so diverges, is asked again with the model built anew."""
    case = made(["sonnx/relu"], None)[0]
    form, = load_spec(case.spec).forms
    right = load_spec(case.spec).expected(case.call)
    built = model_of(load_spec(case.spec), case.call.asking_for(*form), case.opset)
    host = SimpleNamespace(identity=Identity(name="b", version="1", specifications=["*"]), notes=[], before_end=[])
    asked: list[bytes] = []

    def run(request: Request) -> Answered:
        asked.append(request.model)
        return Answered({name: array if request.model == built else array - array.dtype.type(1)
                         for name, array in right.items()})

    host.run = run
    for planted, models in ((built, [built]), (b"another", [b"another", built])):
        asked.clear()
        vars(case)["computed"] = Computed(case.digest, False, {}, {"+".join(form): planted})
        session = Session(host, KnownDivergences(), SimpleNamespace(case=lambda line: None), share=0)
        assert session.submit(case, "+".join(form)).verdict.verdict == "conforms"
        assert asked == models


def test_a_context_surrounds_the_model_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """So ONNX's shape inference, which gives the types of outputs, is not asked once more."""
    spec, case = load_spec("sonnx/relu"), made(["sonnx/relu"], None)[0]
    built = model_of(spec, case.call, case.opset)
    expected = to_request(spec, case.call, case.opset, context="open-sizes")
    monkeypatch.setattr("plumbline.cases.onnx.frame.model_of", None)
    assert to_request(spec, case.call, case.opset, context="open-sizes", built=built).model == expected.model
    assert to_request(spec, case.call, case.opset, constants=("X",), built=built).model != built
