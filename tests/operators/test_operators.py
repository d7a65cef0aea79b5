"""Each operator has an implementation that is derived from neither oracle, and that nothing accuses."""

from __future__ import annotations

import ast

import pytest

from plumbline.cases import generate_cases
from plumbline.oracle import load_spec
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.record.judge import ACCUSES
from plumbline.trial.run.host_cache import close_cached
from tests.faults.calls import Item, default_items, items_of, operators
from tests.faults.trial import answer_of
from tests.operators.contract import Implementation
from tests.operators.discovery import FOLDER, implementations

FURTHER = 100
"""Generated calls beyond the default run, of each specification."""


def accusations(kind: type[Implementation], items: list[Item]) -> list[str]:
    """What the suite accuses an implementation of."""
    implementation = kind()
    verdicts = [(item, item.verdict(answer_of(implementation.run, item.request))) for item in items]
    return [f"{kind.__name__}: {item.name}: {verdict.clauses} {verdict.did}" for item, verdict in verdicts
            if verdict.verdict in ACCUSES]


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize("operator", implementations())
def test_what_the_specification_allows_is_not_accused(operator: str) -> None:
    """In the default run and on generated calls that it does not have, in every variant."""
    names = operators()[operator]
    items = [*default_items(names), *items_of(case for name in names
                                              for case in generate_cases(name, seed=1, count=FURTHER))]
    assert len(items) > FURTHER
    assert [line for kind in implementations()[operator] for line in accusations(kind, items)] == []


@pytest.mark.parametrize("name", ["onnx/flatten@11", "onnx/add@14", "onnx/argmax@13", "onnx/matmul@13", "sonnx/where",
                                  "onnx/maxpool@22", "onnx/averagepool@22"])
def test_the_plain_implementation_conforms_in_a_campaign(name: str) -> None:
    """In blocks, and what is put twice included; longer ones are run by hand, see `tests.operators.unmutated`."""
    form = "+".join(load_spec(name).forms[-1])
    tally = run_shard(Job(name, "tests.operators.unmutated:Unmutated", form, 77, 0, 64, host="in-process"))
    close_cached()
    assert set(tally.verdicts) <= {"conforms", "observed"} and not tally.notes
    assert tally.verdicts["conforms"] > 0.7 * tally.calls


def test_implementations_are_derived_from_neither_oracle() -> None:
    """Of the suite they, and what they share, know what a request is, and nothing else."""
    files = [*FOLDER.glob("_*.py"), *FOLDER.glob("*/*.py")]
    assert len(files) > 40 and len(implementations()) > 60 and set(implementations()) <= set(operators())
    for path in files:
        imported = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                    if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {f"{getattr(node, 'module', None) or ''}.{alias.name}".lstrip(".")
                 for node in imported for alias in node.names}
        own = {name for name in names if name.partition(".")[0] in ("plumbline", "tests")}
        allowed = ("plumbline.backends.", "tests.operators.")
        assert {name for name in own if not name.startswith(allowed)} == set(), path.name
