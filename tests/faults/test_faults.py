"""Faults made by program are found by the default run, and what is undefined is not accused: on a sample that rotates
by the commit, since the whole (`python -m tests.faults`) takes long."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest

from plumbline.backends import Request
from plumbline.cases.generate.seeded import made_case
from plumbline.oracle import Call, load_spec
from tests.faults import __main__ as command
from tests.faults.calls import Item, default_items, items_of, operators
from tests.faults.guard import Guard, Runaway, Watch, same_value
from tests.faults.program import Program
from tests.faults.states import Remembering
from tests.faults.trial import changes_only_undefined, try_changes, try_wrappers
from tests.faults.wrapper import Wrapper

OPERATORS = 1
"""Operators that the sample draws, beside one that is always there."""

ALWAYS = "sonnx/maxpool"


@cache
def sample() -> str:
    """What the sample is drawn by: the commit, or PLUMBLINE_SAMPLE, by which a failure is run again."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return os.environ.get("PLUMBLINE_SAMPLE") or done.stdout.strip() or "0"


@pytest.mark.gate(one_in=12)
def test_the_default_run_finds_faults_and_accuses_nothing_undefined(capsys: pytest.CaptureFixture[str]) -> None:
    """Of an operator drawn by the commit, and of one that stays; listed survivors apart."""
    others = [name for name in operators() if name != ALWAYS]
    chosen = [ALWAYS, *Random(sample()).sample(others, OPERATORS)]
    status = command.main([*chosen, "--sample", sample()])
    said = capsys.readouterr().out
    assert status == 0, f"PLUMBLINE_SAMPLE={sample()} runs this again:\n{said}"
    assert said.count("| reference |") == len(chosen) and "| wrappers |" in said


def test_halves_are_told_apart_and_survivors_must_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both halves have faults; a survivor that nobody listed fails, and so does a listed one that is found."""
    report = try_wrappers([Wrapper("found", "", lambda run, request, outputs: {}),
                           Wrapper("survivor", "", lambda run, request, outputs: outputs, needed=True)],
                          lambda request: {"Y": request.inputs["X"]}, relu(), [])
    assert report.counts() == {"found": 1, "equivalent": 0, "undefined only": 0, "survivor": 1}
    monkeypatch.setattr(command, "listed", lambda: set())
    assert command.unlisted("onnx/relu", "wrappers", report) == ["survives: onnx/relu | wrappers | survivor"]
    known = {"onnx/relu | wrappers | survivor", "onnx/relu | wrappers | found"}
    monkeypatch.setattr(command, "listed", lambda: known)
    assert command.unlisted("onnx/relu", "wrappers", report) == [
        "is listed in survivors.txt, and found: onnx/relu | wrappers | found"]
    monkeypatch.setattr(command, "listed", lambda: {"onnx/relu | not listed yet"})
    assert command.unlisted("onnx/relu", "wrappers", report) == []
    shown = [command.is_shown("onnx/relu", f"fault {number}", 0) for number in range(100)]
    assert 30 < sum(shown) < 70 and shown != [command.is_shown("onnx/relu", f"fault {n}", 1) for n in range(100)]


def relu() -> list[Item]:
    """A call of Relu on what it gives as it is."""
    return [item for item in default_items(["onnx/relu@14"]) if item.case.id == "positive"
            or (item.size and all((x > 0).all() for x in item.request.inputs.values()))][:1]


def test_every_kind_of_change_is_made_and_watched(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change is watched to alter what it alters, and only that; what would not end is stopped."""
    (tmp_path / "planted.py").write_text('''
LIMIT = 3
def helper(a, b):
    return a - b
def unused(a):
    return a + 1
def entry(x):
    total = 0
    for number in range(x):
        if number >= LIMIT and not number == 5:
            continue
        total += max(number, 1)
    parts = [part for part in [1, 2, 3] if part > 1][1:]
    return helper(total, -1) * 2 if parts else 2 ** x
''', encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    program = Program("planted", ["planted"], "entry")
    kinds = {change.kind for change in program.changes}
    assert kinds == {"comparison", "constant", "sign", "operator", "operand", "branch", "bound", "statement"}
    assert not [change for change in program.changes if "a + 1" in change.text]
    guard, watch = Guard(), Watch()
    everything = range(len(program.changes))
    right = program.watched(guard, watch, everything)
    for x in (0, 2, 4, 7):
        watch.altered.clear()
        expected = right(x)
        for number in everything:
            own = Guard()
            try:
                changed = program.load(own, program.changes[number])(x)
            except Exception:
                changed = None
            if not same_value(expected, changed):
                assert number in watch.altered | watch.always, program.changes[number]
    endless = Guard()
    entry = program.load(endless)
    endless.steps, endless.limit = 0, 10
    with pytest.raises(Runaway):
        entry(1000)
    with pytest.raises(Runaway):
        Guard.power(7, 2**40)
    with pytest.raises(Runaway):
        Guard.power(2, Fraction(2**40))
    with pytest.raises(Runaway):
        Guard.blank((0, 2**40))
    assert Guard.blank(()).shape == () and Guard.blank(3).shape == (3,)


def test_the_watch_repeats_no_effect(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call for its effect is counted as altered where it is reached, and not tried with its arguments exchanged."""
    (tmp_path / "effect.py").write_text("""def entry(x):
    parts = [1, 2]
    parts.insert(0, x)
    return parts
""", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    program, watch = Program("effect", ["effect"], "entry"), Watch()
    assert program.watched(Guard(), watch, range(len(program.changes)))(5) == [5, 1, 2]
    exchanged = [number for number, change in enumerate(program.changes) if "parts.insert(x, 0)" in change.text]
    assert exchanged and set(exchanged) <= watch.altered


def test_a_change_keeps_its_name_where_lines_move(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is made of the place and the text; the same text twice in one place is numbered."""
    source = """LIMIT = 3
class Kind:
    def entry(self, x):
        return x + 1 if x < LIMIT else (x + 1) * 2
"""
    names = []
    for module, text in (("still", source), ("moved", f"# a comment\n\n\n{source}")):
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        names.append([str(change).partition(" ")[2] for change in Program(module, [module], "Kind.entry").changes])
    assert names[0] == names[1] and len(set(names[0])) == len(names[0])
    assert {"LIMIT constant: 3 -> 4", "Kind.entry sign: x + 1 -> x - 1", "Kind.entry sign: x + 1 -> x - 1 (2)"} <= {
        *names[0]}


def test_a_program_may_use_any_names(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of functions that the guard and the watch are called by as well, as `_power` of the casts."""
    (tmp_path / "named.py").write_text("""
def _power(x, saturate, mode):
    return 2 ** x if saturate else mode
def _value(x):
    return x + 1
_step = _shift = _blank = _reached = 3
def entry(x):
    return sum(_power(_value(n), True, "up") << _step for n in range(x))
""", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    program = Program("named", ["named"], "entry")
    own = Guard()
    entry = program.load(own)
    assert entry(2) == 48
    watch = Watch()
    assert program.watched(Guard(), watch, range(len(program.changes)))(2) == 48 and watch.altered


@pytest.mark.parametrize("module", ["tests.faults", "tests.bench"])
def test_help_is_printed_and_wrong_options_are_one_line(module: str) -> None:
    """No traceback, in either case."""
    done = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith(f"usage: python -m {module}")
    done = subprocess.run([sys.executable, "-m", module, "--nothing"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].endswith("unrecognized arguments: --nothing")
    assert "Traceback" not in done.stderr


def test_what_is_undefined_is_told_from_what_is_not() -> None:
    """An index of a window of nothing but NaN is undefined, its value is not."""
    attributes = {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "kernel_shape": [1, 1],
                  "pads": [0, 0, 0, 0], "storage_order": 0, "strides": [1, 1]}
    spec = load_spec("sonnx/maxpool")
    call = Call("MaxPool", attributes, {"X": np.array([[[[np.nan, 1.0]]]], np.float32)})
    item = Item(spec, None, spec.judged(call))  # type: ignore[arg-type]
    right = spec.expected(call)
    vars(item)["request"] = type("Asked", (), {"outputs": ("Y", "Indices")})
    assert changes_only_undefined(item, right, right) is None
    assert changes_only_undefined(item, right, {**right, "Indices": np.array([[[[1, 1]]]])}) is True
    assert changes_only_undefined(item, right, {**right, "Indices": np.array([[[[0, 0]]]])}) is False
    assert changes_only_undefined(item, right, {**right, "Y": right["Y"] + 1}) is False


def test_of_an_undefined_shape_the_other_axes_are_defined() -> None:
    """A start before the first element leaves the size of its axis undefined, and of no other."""
    spec = load_spec("onnx/slice@1")
    call = Call("Slice", {"starts": [-9, 0], "ends": [1, 1], "axes": [0, 1]}, {"data": np.ones((2, 2), np.float32)})
    item = Item(spec, None, spec.judged(call))  # type: ignore[arg-type]
    vars(item)["request"] = type("Asked", (), {"outputs": ("output",)})
    shapes = {(2, 1): True, (1, 2): False, (1, 1, 1): False}
    assert {shape: changes_only_undefined(item, spec.expected(call), {"output": np.ones(shape, np.float32)})
            for shape in shapes} == shapes


def test_a_fault_that_only_one_of_all_values_shows_is_found(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls on every value of a type are tried on what would survive without them, however long they take."""
    (tmp_path / "long.py").write_text("""def entry(call):
    x = call.inputs["X"].copy()
    for place in range(x.size):
        x[place] = 77 if x[place] == -77 else abs(x[place])
    return {"Y": x}
""", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    spec, program = load_spec("onnx/abs@13"), Program("long", ["long"], "entry")
    arrays = [np.array(values, np.float32) for values in ([1, -2], range(-77, 4000), [-77])]
    few, many, shows = items_of(made_case(spec, f"every-{x.size}", "", Call("Abs", {}, {"X": x}), "") for x in arrays)

    def survivors(default: list[Item]) -> list[str]:
        report = try_changes(program, lambda entry, item: entry(item.judged.call), default, [shows])
        return [result.fault for result in report.results if result.outcome == "survivor"]
    assert any("77 -> 78" in fault for fault in survivors([few])) and not survivors([few, many])


def test_a_fault_is_found_by_a_divergence_that_names_a_clause() -> None:
    """Or by an error, or a hang; a change that changes nothing is equivalent, with the reason computed."""
    spec = load_spec("sonnx/abs")
    program = Program("plumbline.oracle.reference.sonnx.abs", ["plumbline.oracle.reference."], "expected")
    items = default_items([spec.name])
    report = try_changes(program, lambda entry, item: entry(item.judged.call), items, items_of([]))
    by_outcome = {result.outcome: result for result in report.results}
    assert "sonnx/abs#" in next(result.reason for result in report.results
                                if result.outcome == "found" and result.reason.startswith("sonnx"))
    assert by_outcome["equivalent"].reason.startswith("changes nothing on")
    assert not report.false and report.counts()["found"] > 15


def test_a_fault_of_memory_overwrites_outputs_of_any_layout() -> None:
    """The rows of the output that was handed out before lie column by column."""
    adapter = Remembering(lambda request: {"Y": np.ones((2, 3), np.float32).T}, Remembering.FAULTS[3])
    request = Request(b"", "Abs", {}, 13, {"X": np.ones(1, np.float32)}, ("Y",))
    before, after = adapter.run(request)["Y"], adapter.run(request)["Y"]
    assert not before.flags.c_contiguous and not before.any() and after.all()
