"""Lists of known divergences hide no other fault, and a report makes one root cause of one fault, as measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from plumbline.trial.known.register import KnownDivergences, KnownEntry
from plumbline.trial.record.judge import Verdict, VerdictName
from tests.faults.calls import Item, default_items
from tests.faults.subjects import wrapped
from tests.faults.trial import answer_of
from tests.suite import causes
from tests.suite import hidden as hiding
from tests.suite.blanket import WHOLE, blankets, by_entry, lists

LOOSE = 0.01
"""The share of crude answers that a list of known divergences may explain."""

FEW = 60
"""Fewest crude answers from which a share is told."""

READ_WHOLE = ["onnxruntime", "openvino", "tract", "opencv", "onnx-reference"]
"""The lists of which each entry was held against plain code."""

SHAPES = {"if-no-elements-of-constants": 0.2, "scan-8-without-batches": 1, "size-is-a-list": 0.25}
"""Entries whose shape may be among the crude ones more often: a list of one number is one of five of a scalar, and a
scalar one of eight for a list; and Scan of version 8 is taken for another operator, with sequence_lens as a state."""

FAULT = "output: one more"


@pytest.fixture(scope="module")
def items() -> list[Item]:
    """The generated calls of MaxPool of one type."""
    return [item for item in default_items(["onnx/maxpool@22"]) if item.case.generated and item.case.dtype == "int8"]


def verdicts(items: list[Item]) -> dict[str, Verdict]:
    """By case the verdict on the fault."""
    run = next(run for wrapper, run in wrapped("onnx/maxpool", items) if wrapper.name == FAULT)
    return {item.case.id: item.verdict(answer_of(run, item.request)) for item in items}


def of_list(items: list[Item], clauses: list[str], does: Callable[[Item], tuple[str, str]]) -> hiding.Run:
    """A run with a list of one entry, and what the backend does with each call."""
    known = KnownDivergences([KnownEntry(id="blanket", spec="onnx/maxpool@22", verdict="diverges", clauses=clauses,
                                         generated=[], reason="explains everything")])
    did = {hiding.key_of(item.spec, item.case, "+".join(item.request.outputs)): does(item) for item in items}
    return hiding.Run(known, {key: done for key, done in did.items() if done[0] in hiding.TOLD})


@pytest.mark.parametrize(("narrow", "does", "hides"), [
    (False, ("conforms", "gave Y"), True), (True, ("conforms", "gave Y"), False),
    (False, ("diverges", "gave something else"), True), (False, ("rejects-valid", "gave nothing"), False)])
def test_what_a_list_hides_is_named(narrow: bool, does: tuple[str, str], hides: bool, items: list[Item]) -> None:
    """A list that explains whatever breaks a clause of a fault hides it, unless it breaks another one too, or the
    backend answers none of its calls."""
    broken = {clause.partition("#")[2] for verdict in verdicts(items).values() for clause in verdict.clauses}
    run = of_list(items, sorted(broken)[:1] if narrow else sorted(broken), lambda item: does)
    found = list(hiding.hidden({"someone": run}, "onnx/maxpool", items, [FAULT]))
    assert len(broken) > 1 and bool(found) == hides
    assert all("Explained by blanket" in str(entry) for entry in found)


def test_what_is_the_fault_of_an_entry_or_leaves_one_behind_is_not_hidden(items: list[Item]) -> None:
    """Mostly the same as what the backend does; or a case that an entry names fails no more, which a run tells."""
    said = verdicts(items)
    broken = sorted({clause.partition("#")[2] for verdict in said.values() for clause in verdict.clauses})
    same = of_list(items, broken, lambda item: (said[item.case.id].verdict, said[item.case.id].did))
    assert not list(hiding.hidden({"someone": same}, "onnx/maxpool", items, [FAULT]))
    other = of_list(items, broken, lambda item: ("diverges", "gave something else"))
    named = next(item for item in default_items(["onnx/maxpool@22"]) if not item.case.generated)
    entry = other.known.entries[0].model_copy(update={"cases": {named.case.id: ["Y"]}})
    left = {**other.did, hiding.key_of(named.spec, named.case, "Y"): ("diverges", "gave something else")}
    run = replace(other, known=KnownDivergences([entry]), did=left)
    assert not list(hiding.hidden({"someone": run}, "onnx/maxpool", items, [FAULT]))


@pytest.mark.parametrize(("verdict", "explained"), [("hangs", True), ("crashes", True), ("diverges", False)])
def test_a_call_without_end_may_run_out_of_memory(verdict: VerdictName, explained: bool, items: list[Item]) -> None:
    """With too little memory the process ends before the time limit."""
    known = KnownDivergences([KnownEntry(id="endless", spec="onnx/maxpool@22", verdict="hangs", generated=[],
                                         reason="takes ever more memory")])
    item = items[0]
    assert (known.explain(item.spec, item.case, "Y", Verdict(verdict)) is not None) == explained


@pytest.mark.gate(one_in=4)
def test_hardly_any_crude_answer_is_explained() -> None:
    """By the list of any backend. Some entries are about what memory held; they are rare."""
    known = lists()
    found = blankets(known, 3, "*")
    assert {backend: share for backend in known if (share := found.share(backend)) > LOOSE} == {}
    assert min(found.submitted.values()) > 15


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize("backend", READ_WHOLE)
def test_no_entry_of_a_list_that_was_read_whole_is_a_blanket(backend: str) -> None:
    """Alone it explains at most a tenth of crude answers to the calls that meet its conditions, or it is named with a
    reason; one on unstable results says what the memory has to do with it, or has symptoms."""
    known = KnownDivergences.of_all_versions(backend)
    shares = {name: explained / met for name, (explained, met) in by_entry(known, 400).items() if met >= FEW}
    assert {name: share for name, share in shares.items() if share > 0.1 and name not in WHOLE} == {}
    assert len(shares) > 20
    assert [entry.id for entry in known.entries if entry.verdict == "unstable" and not entry.symptoms
            and "memory" not in " ".join(each.reason for each in known.entries
                                         if each.id == entry.id or each.id in entry.reason)] == []


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize("backend", READ_WHOLE)
def test_no_entry_explains_any_other_shape(backend: str) -> None:
    """Alone it explains at most a tenth of answers that have another shape: it says which shape is given."""
    known = KnownDivergences.of_all_versions(backend)
    shares = {name: explained / met for name, (explained, met) in by_entry(known, 150, shapes=True).items() if met}
    assert {name: share for name, share in shares.items() if share > SHAPES.get(name, 0.13)} == {}
    assert len(shares) > 20


def test_an_entry_that_explains_everything_is_told() -> None:
    """One about every call explains most answers, and one about NaN only what is computed from a NaN."""
    entry = KnownEntry(id="blanket", spec="onnx/add@14", verdict="diverges", clauses=["C.F1", "C.F3"], generated=[],
                       reason="explains everything")
    narrow = entry.model_copy(update={"generated": ["nan"]})
    found = blankets({"wide": KnownDivergences([entry]), "narrow": KnownDivergences([narrow])}, 40, "onnx/add@14")
    assert found.share("wide") > 0.6 and found.share("narrow") < 0.02


@pytest.mark.gate(one_in=4)
def test_a_fault_that_shows_everywhere_is_one_cause(items: list[Item]) -> None:
    """Whichever clause it breaks where."""
    counts = {name: len(found) for name, found in causes.causes("onnx/maxpool", items, "value")}
    assert counts[FAULT] == 1 and max(counts.values()) <= causes.MOST
