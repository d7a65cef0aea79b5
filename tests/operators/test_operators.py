"""Each operator has an implementation that nothing accuses, and faults in it that the default run all finds."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

import pytest

from plumbline.backends import Answered, Raised, Request, to_request
from plumbline.cases import Case, generate_cases, load_cases
from plumbline.cases.generate.run_cases import unseeded_cases
from plumbline.cases.onnx.contexts import contexts, in_contexts
from plumbline.oracle import JudgedCall, Spec, load_spec, spec_names
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.record.judge import ACCUSES, Verdict, judge_inside
from plumbline.trial.run.host_cache import close_cached
from tests.operators.contract import Implementation
from tests.operators.discovery import faults, honest, modules
from tests.power.suite import taken

FURTHER = 100
"""Generated calls beyond the default run, of each specification, for the implementations without a fault."""

ELEMENTWISE = {"abs", "add", "clip", "div", "exp", "leakyrelu", "less", "log", "max", "min", "mul", "pow", "relu",
               "sigmoid", "sqrt", "sub", "tanh", "where"}

LEAST, WITH_AXES, WITH_WINDOWS = 10, 25, 60
"""Faults of an operator: of an elementwise one, of one with axes or further attributes, of a convolution."""

ELSEWHERE = ("maxpool", "averagepool", "avgpool")
"""Operators whose implementation and mutants stand in `tests/power`."""

FAULTS = [pytest.param(name, found, id=f"{name}-{found.__name__}") for name, module in modules().items()
          for found in faults(module)]
HONEST = [pytest.param(name, found, id=f"{name}-{found.__name__}") for name, module in modules().items()
          for found in honest(module)]


def specs_of(name: str) -> list[Spec]:
    """Every version of a text."""
    return [load_spec(known) for known in spec_names() if known.partition("@")[0] == name]


@cache
def items(name: str) -> list[tuple[Case, JudgedCall, Request]]:
    """The valid calls of the default run of a text, in every form."""
    return [item for case in default_cases(name) for item in items_of(case)]


@lru_cache(maxsize=1)
def placed(name: str) -> list[tuple[Case, JudgedCall, Request]]:
    """The calls that are put in all contexts, kept while one operator is tried: no fault is to be found by the context
    that a call happens to have."""
    everywhere = [case for case in default_cases(name) if case.in_all]
    return [item for case in in_contexts(everywhere, taken()) for item in items_of(case)]


@lru_cache(maxsize=1)
def further(name: str) -> list[tuple[Case, JudgedCall, Request]]:
    """Generated calls that the default run does not have, kept while one operator is tried."""
    return [item for spec in specs_of(name) for case in generate_cases(spec.name, seed=1, count=FURTHER)
            for item in items_of(case)]


all_written = cache(load_cases)


def default_cases(name: str) -> list[Case]:
    """The cases of a conformance run that no seed takes part in: no fault is to be found by luck."""
    names = [spec.name for spec in specs_of(name)]
    written = [case for case in all_written() if case.spec in names]
    return [*written, *(case for known in names for case in unseeded_cases(known, written))]


def items_of(case: Case) -> list[tuple[Case, JudgedCall, Request]]:
    """A case in every form; nothing where its call is outside the domain. What is asked has the inputs of the call,
    whatever is around it in its context."""
    spec, found = load_spec(case.spec), []
    for form in spec.forms:
        call = case.call.asking_for(*form)
        judged = spec.judged(call)
        if not judged.violations:
            alone = to_request(spec, call, case.opset, 20.0, case.context)
            settings = contexts()[case.context].settings if case.context else {}
            found.append((case, judged, replace(alone, settings=settings)))
    return found


def verdict_on(implementation: Implementation, judged: JudgedCall, request: Request) -> Verdict:
    """The verdict on what an implementation does with a call."""
    try:
        outcome: Answered | Raised = Answered(dict(implementation.run(request)))
    except Exception as error:  # whatever a fault comes to
        outcome = Raised("run", type(error).__name__, str(error))
    return judge_inside(judged, outcome)


@pytest.mark.parametrize("name", sorted({name.partition("@")[0] for name in spec_names()}))
def test_each_operator_has_an_implementation_and_faults(name: str) -> None:
    """Enough of them, each with a sentence of its own."""
    if name.rpartition("/")[2] in ELSEWHERE:
        return
    assert name in modules(), f"write tests/operators/{name}.py: an implementation derived from neither oracle"
    sentences = [found.__doc__ for found in faults(modules()[name])]
    operator = name.partition("/")[2]
    least = LEAST if operator in ELEMENTWISE else WITH_WINDOWS if operator.startswith("conv") else WITH_AXES
    assert len(sentences) >= least and honest(modules()[name])
    assert all(sentences) and len(set(sentences)) == len(sentences)


def test_faults_name_contexts_that_there_are() -> None:
    """A misspelt one would never show."""
    named = {context for module in modules().values() for found in faults(module) for context in found.contexts}
    assert named and named <= set(contexts())


@pytest.mark.parametrize(("name", "found"), FAULTS)
def test_the_default_run_finds_every_fault(name: str, found: type[Implementation]) -> None:
    """Some case accuses it, at one of the clauses that the fault is about."""
    implementation, seen = found(), set()
    for _, judged, request in placed(name) if found.contexts else items(name):
        verdict = verdict_on(implementation, judged, request)
        if verdict.verdict in ACCUSES:
            local = {clause.partition("#")[2] for clause in verdict.clauses} or {"refusal"}
            if local & set(found.breaks):
                return
            seen |= local
    reported = ", ".join(sorted(seen)) or "nothing"
    pytest.fail(f"{found.__doc__} {', '.join(found.breaks)} is not reported; reported: {reported}")


@pytest.mark.parametrize(("name", "found"), HONEST)
def test_what_the_text_allows_is_not_accused(name: str, found: type[Implementation]) -> None:
    """In the default run and on generated calls that it does not have."""
    implementation = found()
    assert items(name) and further(name)
    for case, judged, request in [*items(name), *further(name)]:
        verdict = verdict_on(implementation, judged, request)
        assert verdict.verdict not in ACCUSES, f"{case.spec} {case.id}: {verdict.clauses} {verdict.did}"


@pytest.mark.parametrize("name", ["onnx/flatten@11", "onnx/add@14", "onnx/argmax@13", "onnx/matmul@13", "sonnx/where"])
def test_the_plain_implementation_conforms_in_a_campaign(name: str) -> None:
    """In blocks, and what is put twice included; longer ones are run by hand, see `tests.operators.unmutated`."""
    form = "+".join(load_spec(name).forms[-1])
    tally = run_shard(Job(name, "tests.operators.unmutated:Unmutated", form, 77, 0, 64, host="in-process"))
    close_cached()
    assert set(tally.verdicts) <= {"conforms", "observed"} and not tally.notes
    assert tally.verdicts["conforms"] > 0.7 * tally.calls


def test_implementations_are_derived_from_neither_oracle() -> None:
    """Of the suite they, and what they share, know what a request is, and nothing else."""
    folder = Path(__file__).parent
    for path in {*folder.rglob("_*.py"), *(Path(str(module.__file__)) for module in modules().values())}:
        imported = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                    if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {f"{getattr(node, 'module', None) or ''}.{alias.name}".lstrip(".")
                 for node in imported for alias in node.names}
        own = {name for name in names if name.partition(".")[0] in ("plumbline", "tests")}
        allowed = ("plumbline.backends.", "tests.operators.")
        assert {name for name in own if not name.startswith(allowed)} == set(), path.name
