"""What is one cause and what is two: accidents of looks, operators, refusals, what a person told apart."""

from __future__ import annotations

import json
from pathlib import Path

from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.recording import read_record
from tests.suite import small_records as small

PLAIN = [small.line(f"conforms-{number}", "conforms", flags=["padded"] * (number % 3 == 0)) for number in range(30)]


def found(folder: Path, lines: list[small.Json], head: small.Json | None = None) -> list[Group]:
    """The causes of a record with these lines, among others that conform."""
    return groups(read_record(small.write(folder / "record.jsonl", head or small.header("toy", "1"), [*PLAIN, *lines])))


def test_looks_that_are_an_accident_make_no_cause(tmp_path: Path) -> None:
    """Two of many wrong results look like something: their calls share all that tells the others, and the clause."""
    lines = [small.diverges(f"wrong-{number}", 7.0, flags=["padded"]) for number in range(9)]
    for entry in lines[:2]:
        entry["symptoms"] = ["single-precision"]
    cause, = found(tmp_path, lines)
    assert len(cause.lines) == 9 and cause.symptom == "" and cause.features == ("padded",)


def test_looks_that_are_their_own_make_a_cause(tmp_path: Path) -> None:
    """The calls that look so do not share what tells the others."""
    lines = [*(small.diverges(f"wrong-{number}", 7.0, flags=["padded"]) for number in range(9)),
             *(small.diverges(f"nan-{number}", 8.0, flags=["nan"], symptoms=["nan-decides"]) for number in range(3))]
    assert [(cause.features, cause.symptom, len(cause.lines)) for cause in found(tmp_path, lines)] == [
        (("padded",), "", 9), (("nan",), "nan-decides", 3)]


def test_a_fault_that_a_person_told_apart_stays_apart(tmp_path: Path) -> None:
    """Also where its calls lie among those of the other, known or new."""
    other = small.KNOWN | {"id": "eight"}
    for first, second in ((small.KNOWN, other), (small.KNOWN, None)):
        lines = [small.diverges(f"wrong-{number}", 7.0, flags=["padded"], known=first) for number in range(9)]
        few = {"symptoms": ["nan-decides"], "flags": ["padded", "nan"], **({"known": second} if second else {})}
        assert len(found(tmp_path, [*lines, small.diverges("nan-1", 8.0, **few)])) == 2


def test_faults_of_two_operators_are_two_causes(tmp_path: Path) -> None:
    """Though the clauses have the same section and tag, and nothing tells the calls from those that conform."""
    head, line = json.loads(json.dumps([small.header("toy", "1"), small.diverges("wrong", 7.0)]).replace(
        "toy/maxpool", "toy/other"))
    both = small.header("toy", "1")
    both["specifications"] |= head["specifications"]
    assert sorted(cause.text for cause in found(tmp_path, [small.diverges("wrong", 7.0), line], both)) == [
        "toy/maxpool", "toy/other"]


def test_calls_that_show_two_faults_do_not_make_them_one(tmp_path: Path) -> None:
    """An output of the wrong type where indices are asked for, a wrong value with padding, and calls that have both."""
    types = [small.diverges(f"type-{number}", 7.0, form="Y+Indices", flags=["padded"] * (number < 3))
             for number in range(9)]
    for number, entry in enumerate(types):
        entry["clauses"] = [f"{small.SPEC}#{local}" for local in (["Y.F2", "Y.F1"] if number < 3 else ["Y.F2"])]
    values = [small.diverges(f"value-{number}", 7.0, flags=["padded"]) for number in range(4)]
    assert [(cause.clauses[0], cause.features, len(cause.lines)) for cause in found(tmp_path, [*types, *values])] == [
        ("Y.F2", ("[Y+Indices]",), 9), ("Y.F1", ("padded",), 4)]
