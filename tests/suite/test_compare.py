"""Where specifications part: the smallest calls that issue trackers and documentation know of are found."""

from __future__ import annotations

import re
from fnmatch import fnmatch

import pytest

from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.disagreement_page import page
from plumbline.oracle.disagreements import Difference, NothingTried, all_differences, differences, stated_by_one
from plumbline.oracle.specification import SPEC_FOLDER
from tests.suite.commands import plumbline as main

FEW, SOME = 3, 4
"""The bits here: they have all that is asked for below, in a fraction of the time that those of the page take."""


def part(one: str, other: str, bits: int = FEW) -> dict[tuple[str, frozenset[str]], Difference]:
    """Return the differences of two specifications, by kind and clauses."""
    found = all_differences([load_spec(one), load_spec(other)], bits)[one, other]
    return {(entry.kind, frozenset(clause.partition("#")[2] for clause in entry.clauses)): entry for entry in found}


@pytest.mark.parametrize("operator", ["maxpool", "averagepool"])
def test_a_text_does_not_differ_from_itself(operator: str) -> None:
    """Nothing is found."""
    assert part(f"onnx/{operator}@22", f"onnx/{operator}@22") == {}


def test_versions_12_and_22_part_on_the_last_window() -> None:
    """By the size, where the editions that dropped windows in the padding from version 12 on say nothing."""
    found = part("onnx/maxpool@12", "onnx/maxpool@22", SOME)["outputs", frozenset({"Y.C3"})]
    one, other = (load_spec(name).expected(found.call)["Y"].shape for name in ("onnx/maxpool@12", "onnx/maxpool@22"))
    assert found.call.attributes["ceil_mode"] == 1 and one[2] == other[2] + 1


def test_versions_11_and_12_part_on_int8_alone() -> None:
    """Version 12 added the type."""
    assert set(part("onnx/maxpool@11", "onnx/maxpool@12")) == {("domain", frozenset({"X.C2"}))}


def test_the_profile_and_onnx_part_on_nan_and_on_windows_of_nothing_but_padding() -> None:
    """SONNX decides NaN, and excludes what ONNX leaves open."""
    found = part("sonnx/maxpool", "onnx/maxpool@22")
    assert ("silence", frozenset({"Y.U3"})) in found and ("domain", frozenset({"pads.C4"})) in found


def test_the_door_prints_them_and_refuses_two_operators(capsys: pytest.CaptureFixture[str]) -> None:
    """`plumbline diff`."""
    assert main(["diff", "onnx/relu@13", "onnx/relu@14"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 difference within 6 bits")
    assert main(["diff", "onnx/reciprocal", "onnx/reciprocal@13"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if " and " in line and ":" not in line] == [
        f"onnx/reciprocal@{version} and onnx/reciprocal@13" for version in (1, 6, 13)]
    assert main(["diff", "onnx/relu@14", "onnx/averagepool@11"]) == 2
    assert "is about Relu" in capsys.readouterr().err


@pytest.mark.gate(one_in=16)
def test_the_page_on_all_pairs_is_the_generated_one() -> None:
    """The command that it names was run; for its second half, since the first takes minutes."""
    text = (SPEC_FOLDER.parent / "docs" / "specifications-compared.md").read_text(encoding="utf-8")
    patterns = re.findall("'([^']+)'", text.splitlines()[2])
    assert patterns == ["*/maxpool*", "*/averagepool*", "*/avgpool*"]
    specs = [load_spec(name) for name in spec_names() if any(fnmatch(name, pattern) for pattern in patterns[1:])]
    half = "\n".join(page(specs, patterns)) + "\n"
    assert text.partition("\n## ")[0] == half.partition("\n## ")[0]
    assert text.partition("\n## AveragePool")[2] == half.partition("\n## AveragePool")[2] != ""


@pytest.mark.parametrize(("one", "other", "says"), [
    ("onnx/maxpool@10", "onnx/maxpool@11", "onnx/maxpool@10 alone states dilations.E1, strides.E1"),
    ("onnx/maxpool@1", "onnx/maxpool@8", "onnx/maxpool@8 alone has the output Indices"),
])
def test_what_one_text_alone_states_is_named(one: str, other: str, says: str) -> None:
    """Defaults came with version 11, and the second output with version 8, whether or not a call shows it."""
    assert any(says in line for line in stated_by_one(load_spec(one), load_spec(other)))


def test_versions_with_other_inputs_are_compared_on_calls_that_both_take() -> None:
    """Clip has its bounds as attributes first, as inputs from version 11 on."""
    assert ("domain", frozenset({"signature.C1"})) in part("onnx/clip@6", "onnx/clip@11")


@pytest.mark.parametrize(("name", "parts"), [
    ("sonnx-saiv26/maxpool", {("domain", "pads.C5"), ("domain", "X.C3"), ("silence", "float.Y.U1")}),
    ("sonnx-2026-08/maxpool", {("domain", "pads.C5"), ("silence", "float.Y.U1")}),
])
def test_the_revisions_of_the_profile_part_from_the_draft(name: str, parts: set[tuple[str, str]]) -> None:
    """On pads, on NaN, and on the types that a revision speaks of."""
    found = {(kind, clause) for kind, clauses in part("sonnx/maxpool", name, SOME) for clause in clauses}
    assert found == parts


def test_versions_that_take_no_call_together_are_said_to_be_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reshape took an attribute, and takes an input: alone that is an error, and the page on more pairs goes on."""
    monkeypatch.setattr("plumbline.oracle.disagreement_page.BITS", 1)
    one, other, third = (load_spec(f"onnx/reshape@{version}") for version in (1, 5, 13))
    with pytest.raises(NothingTried, match="that both take is inside onnx/reshape@1 or onnx/reshape@5"):
        differences(one, other, 1)
    lines = list(page([one, other, third]))
    assert "| onnx/reshape@1 | not compared | not compared |" in lines
    assert "- nothing is compared: no call within 1 bits of choices that both take is inside either" in lines
