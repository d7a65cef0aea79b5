"""The limits that docs/what-it-withstands.md states are those that hold."""

from __future__ import annotations

import re

from plumbline.backends import conversation
from plumbline.cases.format.loader import MOST
from plumbline.oracle import files, foreign_code, graphs, limits, yaml_text
from plumbline.oracle.check import shape_inference
from plumbline.oracle.families import bodies, iterations
from plumbline.trial.campaign import command_options
from plumbline.trial.model.inputs import LARGEST
from plumbline.trial.run.options import RunOptions
from tests.hostile.attacks import ATTACKS
from tests.hostile.door import ROOT

PAGE = (ROOT / "docs" / "what-it-withstands.md").read_text(encoding="utf-8")


def most(option: str) -> int:
    """The largest value of an option."""
    schema = RunOptions.model_json_schema()["properties"][option]
    return int(next(each["maximum"] for each in schema.get("anyOf", [schema]) if "maximum" in each))


def test_the_page_states_the_limits() -> None:
    """Row by row, the first number of each."""
    rows = dict(re.findall(r"^\| ([^|]+?) \| ([0-9,]+)[^|]*\|$", PAGE, re.M))
    assert {name: int(number.replace(",", "")) for name, number in rows.items()} == {
        "file of cases, list, or specification": files.TEXT,
        "record, model, or array of inputs": files.RECORD,
        "nesting of YAML": yaml_text.DEEPEST,
        "values of a YAML document, aliases expanded": yaml_text.LARGEST,
        "errors of form listed of one file of cases": MOST,
        "elements of an output that is judged": limits.ANY,
        "axes of an array": limits.AXES,
        "brackets in one another in a graph that is written as text": graphs.DEEPEST,
        "iterations of a body that are computed": iterations.LONGEST,
        "nodes that are computed in the graphs of one call": bodies.NODES,
        "elements that these nodes give": bodies.ELEMENTS,
        "what a backend says of itself": conversation.LARGEST_DESCRIPTION,
        "one call of a specification's code": foreign_code.LIMIT,
        "one call of a backend": int(RunOptions().time_limit),
        "seconds that `--time-limit` takes": most("time_limit"),
        "generated cases of each specification": most("generated"),
        "calls of a campaign": command_options.MOST,
        "seconds of inference for a model": shape_inference.SECONDS,
        "seconds of inference for one node": shape_inference.NODE_SECONDS,
    }
    assert files.RECORD == LARGEST


def test_the_page_counts_the_attacks() -> None:
    """More than it says."""
    assert len(ATTACKS) > int(re.search(r"more than ([0-9]+) attacks", PAGE)[1])
