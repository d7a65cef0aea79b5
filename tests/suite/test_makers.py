"""What engines need of each operator definition: a maker of calls, two oracles that agree, fault-revealing values."""

from __future__ import annotations

import re

import numpy as np
import pytest

from plumbline.cases.format.lint import disagreements
from plumbline.cases.format.tested_clauses import tried
from plumbline.cases.generate.choices import Draw, drawn, makes_calls
from plumbline.cases.generate.run_cases import generated_cases
from plumbline.cases.generate.special_cases import EMPTY, covered_values, sought
from plumbline.data import PACKAGE
from plumbline.oracle import Call, load_spec, spec_names
from tests.sampling import sample, sampled, whole
from tests.suite.written import cases_of

SOME, TURNS = 500, 8
CALLS = {1: 2_000}.get(sample().step, SOME)
"""Calls of a specification on which the two oracles are compared; of older versions, which mostly share both with the
newest, at most `SOME`. In a short run one in `TURNS` of these, which commits take in turns."""

READ_NO_NUMBER = ("Shape", "Size", "If", "Loop", "Scan", "Not", "And", "Or", "Xor", "ConstantOfShape",
                  "Range", "Constant")
"""Operators without inputs, or whose first input is moved or a shape, or holds no floating-point numbers of 16 bits or
more, or one number alone."""

NEWEST = [name for name in spec_names() if load_spec(name).is_newest]

TRIES = 1_000
"""Calls in which every clause is tried."""

LARGEST = 20_000
"""Elements of the largest call that the reference oracle is asked for, of the first `SOME` calls; the few beyond are
counted. Of the others it is asked for a tenth: nearly all of the time goes by on few large calls."""


def call_of(name: str, number: int) -> Call:
    """A drawn call by its number."""
    return drawn(load_spec(name), Draw((11, number), number))


def test_every_home_makes_calls() -> None:
    """Without a maker every engine would have nothing to do, in silence."""
    missing = [name for name in spec_names() if not makes_calls(load_spec(name))]
    assert not missing, f"{', '.join(missing)}: write `make` in the definition"


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(spec_names(), 32))
def test_the_two_oracles_agree_on_drawn_calls(name: str) -> None:
    """On each, but for the few that a plain loop takes too long for."""
    spec, left_out, problems = load_spec(name), 0, []
    numbers = range(CALLS if spec.is_newest else SOME)
    if not whole():
        numbers = numbers[sample().start // 32 % TURNS::TURNS]  # the specification is chosen by what is left of 32
    for number in numbers:
        call = call_of(name, number)
        if work(call, spec.judged(call).expected) <= (LARGEST if number < SOME else LARGEST // 10):
            problems += [f"{dict(call.attributes)}: {line}" for line in disagreements(name, call)]
        else:
            left_out += number < SOME
    assert not problems, "\n".join(problems)
    assert left_out < (0.05 if whole() else 0.1) * min(len(numbers), SOME)


def work(call: Call, outputs: dict[str, np.ndarray]) -> int:
    """About how many numbers a plain loop reads."""
    kernel = call.attributes.get("kernel_shape", ())
    return max(array.size for array in (*outputs.values(), *call.inputs.values())) * max(1, *map(int, kernel or (1,)))


def made_and_written(name: str) -> list[Call]:
    """The calls of a run without options."""
    return [case.call for case in (*cases_of(name), *generated_cases(name, cases_of(name), seed=0))]


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(NEWEST, 24))
def test_a_run_meets_every_special_value(name: str) -> None:
    """Inside the domain, of every floating-point type: NaN, both infinities, both zeros, subnormal numbers, both ends,
    numbers near overflow, ties; and a tensor without elements."""
    spec = load_spec(name)
    missing = {value for _, value in sought(spec) - covered_values(spec, made_and_written(name))}
    assert bool(sought(spec)) != (spec.operator in READ_NO_NUMBER)
    assert not missing or missing == {EMPTY} and empties_are_outside(name)


def empties_are_outside(name: str) -> bool:
    """True if the maker makes calls with empty tensors, and the specification excludes each of them."""
    spec = load_spec(name)
    made = [spec.definition.make(Draw((12, number)), spec.opset) for number in range(TRIES)]
    empty = [call for call in made if call and not all(x.size for x in call.inputs.values())]
    return bool(empty) and all(spec.violations(call) for call in empty)


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(spec_names() if whole() else NEWEST, 8))
def test_drawn_calls_try_every_clause_on_outputs(name: str) -> None:
    """What no drawn call tries, no campaign can find broken. Clauses that restate another go with it."""
    spec = load_spec(name)
    untried = {address for address, clause in spec.clauses.items() if clause.judges == "outputs"}
    for number in range(TRIES):
        untried -= tried(spec, call_of(name, number))
        if not untried:
            break
    assert not untried, f"write a maker, or `wrong_outputs`, that tries {', '.join(sorted(untried))}"


NAMING = ("oracle/operators", "oracle/reference", "oracle/families", "backends/adapters", "backends/divergences")

LEFT = {"backends/__init__.py", "cases/format/schema.py", "cases/generate/cached_cases.py",
        "cases/onnx/context_models.py", "commands/begin.py", "commands/specs.py",
        "oracle/__init__.py", "oracle/call.py", "oracle/clause.py",
        "oracle/check/census.py", "oracle/check/graph.py", "trial/model/graph.py", "trial/model/inlining.py",
        "trial/model/loops.py", "trial/model/iterations.py", "trial/model/scans.py",
        "trial/record/model_part.py", "trial/model/input_ranges.py",
        "trial/model/branchings.py", "trial/model/control_flow.py",
        "oracle/shapes.py", "trial/accuracy/functions.py"}
"""Files of shared rooms that still name an operator or one of its attributes, most of them in an example of their
documentation, in the nodes that a context puts around one or that take the place of branches and loops, as data of a
model (Constant), as a title (Shape), or as functions that are measured in another way; none is to be added."""


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
