"""The default suite finds every fault of the catalogue and accuses nobody who is right; every clause has a fault.

What `python -m tests.power` prints, test by test.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.oracle import Clause, load_spec
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.known.register import KnownDivergences, KnownEntry
from plumbline.trial.run.host_cache import close_cached
from plumbline.trial.run.session import forms
from tests.power import __main__ as command
from tests.power import catalogue as the_catalogue
from tests.power import hidden as hiding
from tests.power.blanket import blankets, lists
from tests.power.catalogue import Mutant, catalogue, faults
from tests.power.equal import EQUAL
from tests.power.implementation import Pooling
from tests.power.mutant import MAX, Fault
from tests.power.mutants import kernels, paths
from tests.power.mutants.refusals import Refusing
from tests.power.suite import (
    Item,
    accusations,
    default_cases,
    generated_cases,
    honest_accusations,
    items_of,
    names_of,
    submit,
    texts,
    verdict_on,
)

AT_LEAST = 150
FAST_PATHS = 10
LOOSE = 0.01
"""The share of crude answers that a list of known divergences may explain."""

GENERATED = 1_000
"""Calls for the implementation without a fault, one by one."""

IN_BLOCKS = 20_000
"""The same in blocks, as campaigns try them."""

SUITE = ("plumbline", "tests")
ALLOWED = {"plumbline.backends", "tests.power.implementation", "tests.power.mutant"}
"""The suite's folders, and what a mutant may know of them: what a request is."""


@pytest.fixture(scope="module")
def items() -> list[Item]:
    """The default suite, answered by the implementation without a fault."""
    return items_of(default_cases())


@pytest.mark.parametrize("mutant", catalogue(), ids=lambda mutant: mutant.name)
def test_every_mutant_is_killed_at_its_clauses(mutant: Mutant, items: list[Item]) -> None:
    """Some case accuses it, and each clause that the fault is expected to break is reported."""
    outcome = submit(mutant, items)
    assert outcome.killed_by, f"survives: {mutant.description} Write a case that betrays it."
    assert not outcome.unreported, f"{mutant.description} Nothing reports {', '.join(outcome.unreported)}."


def test_the_implementation_without_a_fault_conforms(items: list[Item]) -> None:
    """On the whole default suite: what kills a mutant is its fault."""
    assert len(items) > 1000
    assert list(accusations(items)) == []


def test_it_conforms_on_generated_calls() -> None:
    """And on calls that the default suite does not have, of every text."""
    assert {case.spec for case in generated_cases(GENERATED // 10, seed=1)} == set(texts())
    assert list(honest_accusations(GENERATED, seed=1)) == []


def test_it_conforms_on_campaigns() -> None:
    """Shards of every text in every form, at random and many: nothing but `conforms` and `observed`."""
    jobs = [Job(name, "tests.power.unmutated:Unmutated", form, 2, 0, 0, host="in-process")
            for name in texts() for form in forms(load_spec(name))]
    for job in jobs:
        tally = run_shard(replace(job, stop=-(-IN_BLOCKS // len(jobs))))
        assert set(tally.verdicts) <= {"conforms", "observed"} and not tally.notes
        assert tally.verdicts["conforms"] > 0.8 * tally.calls
    close_cached()


@pytest.mark.parametrize("pooling", EQUAL, ids=lambda pooling: pooling.__name__)
def test_what_the_texts_allow_is_not_accused(pooling: type[Pooling], items: list[Item]) -> None:
    """A change that gives the same outputs, or others that every text allows."""
    assert list(accusations(items, pooling)) == []


def test_a_mutant_without_a_fault_survives(items: list[Item]) -> None:
    """Nothing is killed by being a mutant."""
    nobody = Mutant(type("Nobody", (Pooling,), {}), Fault(("Y.F1",), MAX, ""), "MaxPool")
    outcome = submit(nobody, items)
    assert outcome.killed_by is None and outcome.unreported == ("Y.F1",)


def test_the_catalogue_is_large_and_says_what_each_fault_is() -> None:
    """Enough faults, enough of one shape alone, each with a sentence of its own."""
    sentences = [fault.__doc__ for fault in faults()]
    assert len(faults()) >= AT_LEAST
    assert sum(fault.__module__ in (kernels.__name__, paths.__name__) for fault in faults()) >= FAST_PATHS
    assert all(sentence and sentence.rstrip().endswith(".") for sentence in sentences)
    assert len(set(sentences)) == len(sentences)


def test_every_module_of_mutants_is_in_the_catalogue() -> None:
    """A file of mutants that is not imported would be forgotten."""
    files = {path.stem for path in Path(paths.__file__).parent.glob("*.py")}
    assert files == {module.__name__.rpartition(".")[2] for module in the_catalogue.MODULES}


def test_mutants_are_derived_from_neither_oracle() -> None:
    """Nor is the implementation that they vary: of the suite they know what a request is, and nothing else."""
    folder = Path(paths.__file__).parent
    files = [*folder.glob("*.py"), *(folder.parent / name for name in ("implementation.py", "mutant.py", "equal.py"))]
    assert len(files) > 15
    for path in files:
        imported = {name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                    for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else
                                 [node.module] if isinstance(node, ast.ImportFrom) else [])}
        own = {name for name in imported if name.partition(".")[0] in SUITE}
        known = ALLOWED | {f"tests.power.mutants.{module.stem}" for module in folder.glob("*.py")}
        assert own <= known, f"{path.name} imports {', '.join(own - known)}"


def clauses(judges: str) -> list:
    """Every clause that judges calls, or outputs, but for those that restate another."""
    return [pytest.param(clause, id=clause.address) for name in texts()
            for clause in load_spec(name).clauses.values() if clause.judges == judges and not clause.restates]


def named(operator: str, refusing: bool) -> set[str]:
    """The clauses that mutants of an operator name: those that refuse, or those that answer."""
    return {clause for mutant in catalogue() if mutant.operator == operator
            and issubclass(mutant.pooling, Refusing) == refusing for clause in mutant.fault.clauses}


def test_mutants_name_clauses_that_exist() -> None:
    """A misspelt clause would never be missed."""
    stated = names_of(address for name in texts() for address in load_spec(name).clauses)
    assert {clause for fault in faults() for one in fault.faults for clause in one.clauses} <= stated


@pytest.mark.parametrize("clause", clauses("outputs"))
def test_every_clause_on_outputs_has_a_mutant(clause: Clause) -> None:
    """That breaks it, in every version of every text."""
    operator = load_spec(clause.specification).operator
    assert named(operator, refusing=False) & names_of([clause.address]), f"write a mutant that breaks {clause.address}"


def test_every_clause_on_calls_that_a_valid_case_is_there_for_has_a_mutant_that_refuses(items: list[Item]) -> None:
    """A call that keeps the clause can be refused wrongly, and that is found."""
    valid = {address for item in items if not item.case.generated for address in item.case.clauses}
    missing = [address for name in texts() for address, clause in load_spec(name).clauses.items()
               if address in valid and clause.judges == "call" and not clause.restates
               and not named(load_spec(name).operator, refusing=True) & names_of([address])]
    assert valid and missing == []


def test_the_door_tells_survivors_and_fails(monkeypatch: pytest.MonkeyPatch, items: list[Item],
                                            capsys: pytest.CaptureFixture[str]) -> None:
    """One of two survives: it is named with its fault, and the exit status is 1."""
    survivor = Mutant(type("Nobody", (Pooling,), {"__doc__": "Has no fault."}), Fault((), MAX, ""), "MaxPool")
    killed = next(mutant for mutant in catalogue() if mutant.name == "MaxPool Minimum")
    monkeypatch.setattr(command, "catalogue", lambda: [killed, survivor])
    monkeypatch.setattr(command, "items_of", lambda cases: items)
    assert command.main([]) == 1
    said = capsys.readouterr().out
    assert "survives: MaxPool Nobody: Has no fault.\n1 / 2 killed" in said
    assert command.main(["MaxPool Min*"]) == 0


def test_the_door_counts_the_causes_that_a_report_makes(monkeypatch: pytest.MonkeyPatch, items: list[Item],
                                                        capsys: pytest.CaptureFixture[str]) -> None:
    """One of a fault that shows on every window, whichever clause it breaks there."""
    monkeypatch.setattr(command, "items_of", lambda cases: items[::7])
    assert command.main(["--causes", "MaxPool Minimum"]) == 0
    assert "1 of 1 mutants (100.0%) are one cause, none more than 1" in capsys.readouterr().out
    monkeypatch.setattr(command, "MOST", 0)
    assert command.main(["--causes", "MaxPool Minimum"]) == 1


@pytest.mark.parametrize(("clauses", "does", "hides"), [
    (["Y.F1", "auto_pad.F1"], ("conforms", "gave Y"), True), (["Y.F1"], ("conforms", "gave Y"), False),
    (["Y.F1", "auto_pad.F1"], ("diverges", "gave something else"), True),
    (["Y.F1", "auto_pad.F1"], ("rejects-valid", "gave nothing"), False)])
def test_the_door_names_what_a_list_hides(clauses: list[str], does: tuple[str, str], hides: bool,
                                          items: list[Item]) -> None:
    """A list that explains whatever breaks a clause of a fault hides it, unless it breaks another one too, or the
    backend answers none of its calls."""
    submitted, run = of_int8(items), run_of(items, clauses, does)
    found = list(hiding.hidden({"someone": run}, submitted, ["MaxPool Minimum"]))
    assert bool(found) == hides and all("Explained by blanket" in str(one) for one in found)


def test_what_is_the_fault_of_an_entry_or_leaves_one_behind_is_not_hidden(items: list[Item]) -> None:
    """Mostly the same as what the backend does; or a case that an entry names fails no more, which a run tells."""
    submitted, run = of_int8(items), run_of(items, ["Y.F1", "auto_pad.F1"], ("diverges", "gave something else"))
    minimum = next(mutant for mutant in catalogue() if mutant.name == "MaxPool Minimum")
    did = {hiding.key_of(item.spec, item.case, "Y"): verdict for item in submitted
           if (verdict := verdict_on(minimum.pooling, item)) is not None}
    same = {key: (verdict.verdict, verdict.did) for key, verdict in did.items()}
    assert not list(hiding.hidden({"someone": replace(run, did={**run.did, **same})}, submitted, [minimum.name]))
    named = next(item for item in items if item.spec.name == "onnx/maxpool@22" and not item.case.generated)
    entry = run.known.entries[0].model_copy(update={"cases": {named.case.id: ["Y"]}})
    left = {**run.did, hiding.key_of(named.spec, named.case, "Y"): ("diverges", "gave something else")}
    assert not list(hiding.hidden({"someone": hiding.Run(KnownDivergences([entry]), left)}, submitted, [minimum.name]))


def test_hardly_any_crude_answer_is_explained() -> None:
    """By the list of any backend. Some entries are about what memory held; they are rare."""
    known = lists()
    found = blankets(known, 8, "*")
    assert {backend: share for backend in known if (share := found.share(backend)) > LOOSE} == {}
    assert min(found.submitted.values()) > 40


def test_an_entry_that_explains_everything_is_told() -> None:
    """One about every call explains most answers, and one about NaN only what is computed from a NaN."""
    entry = KnownEntry(id="blanket", spec="onnx/add@14", verdict="diverges", clauses=["C.F1", "C.F3"], generated=[],
                       reason="explains everything")
    narrow = entry.model_copy(update={"generated": ["nan"]})
    found = blankets({"wide": KnownDivergences([entry]), "narrow": KnownDivergences([narrow])}, 40, "onnx/add@14")
    assert found.share("wide") > 0.6 and found.share("narrow") < 0.02


def of_int8(items: list[Item]) -> list[Item]:
    """Made calls of MaxPool without Indices, of one type."""
    return [item for item in items if item.spec.name == "onnx/maxpool@22" and item.case.generated
            and "Indices" not in item.call.outputs and item.case.dtype == "int8"]


def run_of(items: list[Item], clauses: list[str], does: tuple[str, str]) -> hiding.Run:
    """A run with one result for all calls, and a list of one entry."""
    known = KnownDivergences([KnownEntry(id="blanket", spec="onnx/maxpool@22", verdict="diverges", clauses=clauses,
                                         generated=[], reason="explains everything")])
    return hiding.Run(known, {hiding.key_of(item.spec, item.case, "Y"): does for item in of_int8(items)
                              if does[0] in hiding.TOLD})


def test_the_door_puts_the_implementation_without_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """To as many generated calls as asked for."""
    assert command.main(["--honest", "30"]) == 0
    assert capsys.readouterr().out.startswith("30 generated calls")
