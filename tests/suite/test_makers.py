"""What every definition of an operator must have for the engines: a maker, two oracles that agree, values that betray.

By default a share of the calls is tried, and what is asked of a maker is asked for the newest version of each text: one
definition makes the calls of all of them. With PLUMBLINE_THOROUGH=1 it is 2,000 calls, and every version.
"""

from __future__ import annotations

import os
import re
from functools import cache

import numpy as np
import pytest

from plumbline.cases.format.case import Case
from plumbline.cases.format.lint import disagreements
from plumbline.cases.format.tested_clauses import tried
from plumbline.cases.generate.choices import Draw, drawn, makes_calls
from plumbline.cases.generate.run_cases import generated_cases
from plumbline.cases.generate.special_cases import EMPTY, covered_values, sought
from plumbline.data import PACKAGE
from plumbline.oracle import Call, load_spec, spec_names

SHARDS = 4
THOROUGH = bool(os.environ.get("PLUMBLINE_THOROUGH"))
CALLS = 2_000 if THOROUGH else 120
"""Calls of each specification on which the two oracles are compared."""

NAMES = spec_names() if THOROUGH else list({name.partition("@")[0]: name for name in spec_names()}.values())
"""Every specification, or the newest version of each."""

MET = 1_000
"""Calls in which every clause is tried."""

LARGEST = 20_000
"""Elements of a call that the reference oracle is asked for; there are few larger ones, and they are counted."""


@cache
def call_of(name: str, number: int) -> Call:
    """A drawn call by its number."""
    return drawn(load_spec(name), Draw((11, number), number))


@pytest.mark.parametrize("name", spec_names())
def test_every_home_makes_calls(name: str) -> None:
    """Without a maker every engine would have nothing to do, in silence."""
    assert makes_calls(load_spec(name)), f"{name}: write `make` in its definition"


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("name", spec_names())
def test_the_two_oracles_agree_on_drawn_calls(name: str, shard: int) -> None:
    """On each, but for the few that a plain loop takes too long for."""
    calls = [call_of(name, number) for number in range(shard, CALLS, SHARDS)]
    spec = load_spec(name)
    small = [call for call in calls if work(call, spec.judged(call).expected) <= LARGEST]
    assert len(small) > 0.95 * len(calls)
    assert [(dict(call.attributes), line) for call in small for line in disagreements(name, call)] == []


def work(call: Call, outputs: dict[str, np.ndarray]) -> int:
    """About how many numbers a plain loop reads."""
    kernel = call.attributes.get("kernel_shape", ())
    return max(array.size for array in (*outputs.values(), *call.inputs.values())) * max(1, *map(int, kernel or (1,)))


@pytest.mark.parametrize("name", [name for name in spec_names() if load_spec(name).is_newest])
def test_a_run_meets_every_special_value(name: str, cases: list[Case]) -> None:
    """Inside the domain, of every floating-point type: NaN, both infinities, both zeros, subnormal numbers, both ends,
    numbers near overflow, ties; and a tensor without elements."""
    spec = load_spec(name)
    calls = [case.call for case in [*(case for case in cases if case.spec == name),
                                    *generated_cases(name, cases, seed=0)]]
    missing = {value for _, value in sought(spec) - covered_values(spec, calls)}
    assert bool(sought(spec)) != (spec.operator == "Shape")  # which reads no element
    assert not missing or missing == {EMPTY} and empties_are_outside(name)


def empties_are_outside(name: str) -> bool:
    """Whether the definition makes calls with empty tensors, and the text excludes each of them."""
    spec = load_spec(name)
    made = [spec.definition.make(Draw((12, number)), spec.opset) for number in range(MET)]
    empty = [call for call in made if call and not all(x.size for x in call.inputs.values())]
    return bool(empty) and all(spec.violations(call) for call in empty)


@pytest.mark.parametrize("name", NAMES)
def test_drawn_calls_try_every_clause_on_outputs(name: str) -> None:
    """What no drawn call tries, no campaign can find broken. Clauses that restate another go with it."""
    spec, found = load_spec(name), set()
    wanted = {address for address, clause in spec.clauses.items() if clause.judges == "outputs"}
    for number in range(MET):
        found |= tried(spec, call_of(name, number))
        if wanted <= found:
            break
    assert not wanted - found, f"write a maker, or `spoilt`, that tries {', '.join(sorted(wanted - found))}"


NAMING = ("oracle/operators", "oracle/reference", "oracle/families", "backends/adapters", "backends/divergences")

LEFT = {"backends/__init__.py", "cases/format/schema.py", "commands/backends.py", "oracle/__init__.py",
        "oracle/call.py", "oracle/clause.py"}
"""Files of shared rooms that still name an operator or one of its attributes, most of them in an example of their
documentation; none is to be added."""


def names() -> re.Pattern[str]:
    """The operators of all specifications, and the sections of their clauses that are names of attributes. An operator
    that is called by a plain word, such as Where, is meant only where that stands in quotes."""
    specs = [load_spec(name) for name in spec_names()]
    sections = {clause.section.split(".")[-1] for spec in specs for clause in spec.clauses.values()}
    attributes = {name for name in sections if "_" in name or name in ("dilations", "strides", "pads")}
    operators = {spec.operator for spec in specs}
    words = {name for name in operators if name.istitle()}
    anywhere, quoted = "|".join(sorted(attributes | operators - words)), "|".join(sorted(words))
    return re.compile(rf"\b({anywhere})\b|([\"'`])({quoted})\2")


def test_shared_rooms_name_no_operator() -> None:
    """Nor its attributes: what is known of an operator stands in its own files. Those listed are left from before."""
    known, found = names(), set()
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if not place.startswith(NAMING) and known.search(path.read_text(encoding="utf-8")):
            found.add(place)
    assert not found - LEFT, f"{', '.join(sorted(found - LEFT))}: ask the definition of the operator instead"
    assert not LEFT - found, f"{', '.join(sorted(LEFT - found))}: names none any more; take it off the list"
