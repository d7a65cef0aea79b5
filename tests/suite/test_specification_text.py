"""A specification that is malformed, or does not match its predicates, is refused in one line that says where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from plumbline.oracle import Call, SpecError, load_spec
from plumbline.oracle.binding import binding_problems
from plumbline.oracle.clause import Versions
from plumbline.oracle.discovery import SPEC_FOLDER, _module_at
from plumbline.oracle.markdown import SpecText, read_front
from plumbline.oracle.operator import UNBOUND, Operator, on_call, on_outputs, unspecified
from plumbline.oracle.predicates import predicates
from plumbline.oracle.specification import _loaded, reference_expected, texts_named

TEXT = """---
specification: a/b
operator: Relu
opset: 14
outputs: [Y]
optional: []
edition: none
---

# Relu

### `Y`: tensor

- **`F1`** *Value.* Y is X where that is positive, else 0.
  - judges: outputs
  - source: somewhere
- **`U1`** *NaN.* Not said.
  - source: nowhere
"""


def read(tmp_path: Path, text: str) -> SpecText:
    """A specification, all of which is read."""
    path = tmp_path / "b.md"
    path.write_text(text, encoding="utf-8")
    specification = read_front(path)
    assert specification.clauses
    return specification


def test_what_a_clause_judges_follows_from_its_tag_and_section(tmp_path: Path) -> None:
    """A function judges outputs, a constraint outputs in the section of one, and else calls; a field overrules that."""
    item = "- **`C1`** *Any.* Any.\n  - source: s\n"
    text = f"{TEXT}{item}\n### `X`\n\n{item}{item.replace('C1', 'R1')}  - judges: outputs\n".replace(
        "  - judges: outputs\n  - source: somewhere", "  - source: somewhere")
    judges = {clause.local: clause.judges for clause in read(tmp_path, text).clauses.values()}
    assert judges == {"Y.F1": "outputs", "Y.U1": None, "Y.C1": "outputs", "X.C1": "call", "X.R1": "outputs"}


def test_clauses_are_addressed_by_their_sections(tmp_path: Path) -> None:
    """Code spans of headings name sections; nested ones are joined, and a heading ends those of its level and below."""
    text = TEXT.replace("### `Y`", "## `float`: kinds\n\n### `Y`")
    text += "\n## Rest\n\n### `X`\n\n- **`C1`** *Any.* Any.\n  - judges: call\n  - source: s\n"
    assert list(read(tmp_path, text).clauses) == ["a/b#float.Y.F1", "a/b#float.Y.U1", "a/b#X.C1"]


@pytest.mark.parametrize(("old", "new", "line", "says"), [
    ("---\nspecification: a/b", "specification: a/b", 1, "no front matter"),
    ("opset: 14\n", "", 1, "front matter has the keys"),
    ("  - source: nowhere\n", "  - source: nowhere\n- **`U1`** *N.* N.\n  - source: s\n", 19,
     "Y.U1 was already stated at line 17"),
    ("**`U1`**", "**`Z9`**", 17, "'Z9' is no tag"),
    ("### `Y`: tensor", "### Y: tensor", 14, "stands under no section"),
    ("*Value.* ", "", 14, "write the clause as"),
    ("judges: outputs", "judges: nobody", 14, "needs 'judges: call' or 'judges: outputs'"),
    ("  - source: nowhere", "  - judges: call\n  - source: nowhere", 17, "judges nothing"),
    ("  - source: somewhere\n", "", 14, "needs 'source: '"),
    ("source: somewhere", "sauce: somewhere", 16, "'sauce' is not a field"),
    ("source: somewhere", "source: somewhere\n  - restates: X.C1", 14, "refers to a/b#X.C1, which is not stated"),
    ("source: nowhere", "source: nowhere\n  - versions: 13-, 1-11", 17, "'13-, 1-11' is not of the form"),
    ("source: nowhere", "source: nowhere\n  - versions: 1-11,", 17, "'1-11,' is not of the form"),
    ("source: nowhere", "source: nowhere\n  - editorial: x", 17, "only an erratum can be editorial"),
])
def test_a_malformed_clause_is_one_line(tmp_path: Path, old: str, new: str, line: int, says: str) -> None:
    """File, line and remedy."""
    assert old in TEXT
    with pytest.raises(SpecError) as caught:
        read(tmp_path, TEXT.replace(old, new, 1))
    assert str(caught.value).startswith(f"{tmp_path / 'b.md'}:{line}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


SHARED = """# What Relus share

## Inputs

### `X`: tensor

- **`C1`** *Rank.* X has {count} axes.
  - judges: call
  - source: somewhere
"""


def sharing(tmp_path: Path, page: str, shares: str) -> SpecText:
    """A specification that shares a page."""
    (tmp_path / "families").mkdir()
    (tmp_path / "families" / "relus.md").write_text(page, encoding="utf-8")
    return read(tmp_path, TEXT.replace("edition: none", f"edition: none\nshares: {shares}"))


def test_clauses_of_a_shared_page_are_those_of_the_specification(tmp_path: Path) -> None:
    """In its words, at their own place."""
    text = sharing(tmp_path, SHARED, "{relus: {count: two}}")
    clause = text.clauses["a/b#X.C1"]
    assert list(text.clauses) == ["a/b#X.C1", "a/b#Y.F1", "a/b#Y.U1"]
    assert (clause.statement, clause.page, clause.line) == ("X has two axes.", tmp_path / "families" / "relus.md", 7)
    assert text.clauses["a/b#Y.F1"].page == tmp_path / "b.md" and len(text.pages) == 2


def test_the_first_input_and_output_are_terms(tmp_path: Path) -> None:
    """A specification need not name them again, and a page need not use them."""
    text = sharing(tmp_path, SHARED.replace("X has", "{output} has"), "{relus: {count: two}}")
    assert text.clauses["a/b#X.C1"].statement == "Y has two axes."


@pytest.mark.parametrize(("shares", "stated"), [("{}", "X has axes."), ("{count: ' 2'}", "X has 2 axes.")])
def test_an_optional_term_may_be_left_out(tmp_path: Path, shares: str, stated: str) -> None:
    """An optional term leaves nothing in its place."""
    text = sharing(tmp_path, SHARED.replace(" {count}", "{count?}"), f"{{relus: {shares}}}")
    assert text.clauses["a/b#X.C1"].statement == stated


@pytest.mark.parametrize(("shares", "page", "says"), [
    ("{relus: {}}", SHARED, "relus.md:1: the page has the terms count, and is given none"),
    ("{relus: {count: 2, of: 1}}", SHARED, "relus.md:1: the page has the terms count, and is given count, of"),
    ("{relus: {count: 2}}", SHARED.replace("`X`", "`Y`").replace("`C1`", "`F1`"), "b.md:15: Y.F1 is stated in .*relus"),
    ("{others: {count: 2}}", SHARED, "others.md:1: cannot be read"),
    ("{../relus: {count: 2}}", SHARED, "b.md:1: shares is .*, and not words by term"),
])
def test_a_malformed_shared_page_is_one_line(tmp_path: Path, shares: str, page: str, says: str) -> None:
    """Terms too many or missing, a clause that is stated twice, and a page that there is not."""
    with pytest.raises(SpecError, match=says):
        sharing(tmp_path, page, shares)


def test_a_specification_links_to_the_pages_that_it_shares() -> None:
    """Readers of its Markdown alone find the rest, and every shared page belongs to a specification."""
    shared = set[Path]()
    for text in texts_named("*"):
        written = text.path.read_text(encoding="utf-8")
        for page in text.pages[1:]:
            assert f"](families/{page.name})" in written, f"{text.path} shares {page.name} and does not link to it"
            shared.add(page)
    assert shared == set(SPEC_FOLDER.glob("*/families/*.md")) and shared


def test_a_family_in_a_folder_of_ones_own_has_one_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Definitions are its classes and reference oracles its functions, by the names of the operators."""
    example, mine = SPEC_FOLDER.parent / "docs" / "worked-example" / "example", tmp_path / "mine"
    mine.mkdir()
    text, code = ((example / f"leakyrelu.{suffix}").read_text(encoding="utf-8") for suffix in ("md", "py"))
    for name in ("LeakyRelu", "Leak"):
        own_text = text.replace("example/leakyrelu", f"mine/{name.lower()}").replace(
            "operator: LeakyRelu", f"operator: {name}\nmodule: leaks")
        mine.joinpath(f"{name.lower()}.md").write_text(own_text, encoding="utf-8")
    own = code.replace("def reference(", "def leakyrelu(") + """

class Leak(LeakyRelu):
    pass


def leak(call):
    return {"Y": -leakyrelu(call)["Y"]}
"""
    mine.joinpath("leaks.py").write_text(own, encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_SPECS", str(tmp_path))
    for name, sign in (("LeakyRelu", 1), ("Leak", -1)):
        assert load_spec(f"mine/{name.lower()}").definition.__name__ == name
        call = Call(name, {}, {"X": np.float32([3])})
        assert reference_expected(f"mine/{name.lower()}", call)["Y"].tolist() == [3 * sign]
    mine.joinpath("leaks.py").write_text(own.replace("def leak(", "def leaking("), encoding="utf-8")
    _module_at.cache_clear()
    _loaded.cache_clear()
    with pytest.raises(SpecError, match="mine/leak has no reference oracle; write a function `leak` from a call"):
        load_spec("mine/leak")


def test_versions_are_a_union_of_ranges() -> None:
    """A clause can be absent from versions in between."""
    versions = Versions.parse("1-11, 13-")
    assert [version for version in range(1, 16) if version in versions] == [*range(1, 12), 13, 14, 15]
    assert str(versions) == "1-11, 13-" and str(Versions.parse("7")) == "7" and 8 not in Versions.parse("7")


def test_a_table_of_clauses_binds_inherited_predicates() -> None:
    """Needs name predicates, and become the addresses that the definition gives them; unnamed ones are not bound."""
    class Base(Operator):
        """With three predicates."""

        first = on_call(UNBOUND)(lambda self: None)
        second = on_call(UNBOUND, needs=("first", "third"))(lambda self: None)
        third = on_call(UNBOUND)(lambda self: None)

    class Child(Base):
        """With an address for two of them."""

        clauses = {"X.C2": "second", "Z.C9": "first"}

    assert [(entry.clause, entry.needs) for entry in predicates(Child)] == [("X.C2", ("Z.C9",)), ("Z.C9", ())]
    with pytest.raises(SpecError, match="binds X.C1 to nobody, which is no predicate"):
        predicates(type("Odd", (Base,), {"clauses": {"X.C1": "nobody"}}))


def bound(*outputs: str, undefined: tuple[str, ...] = ("Y.U1",)) -> type[Operator]:
    """A definition with predicates for these clauses."""
    judging = [on_outputs(clause)(lambda definition, response: None) for clause in outputs]
    leaving = [unspecified(clause)(lambda definition: None) for clause in undefined]
    bound = [*judging, *leaving]
    return type("Definition", (Operator,), {f"clause_{number}": found for number, found in enumerate(bound)})


@pytest.mark.parametrize(("definition", "says"), [
    (bound("Y.F1"), []),
    (bound(), ["a/b#Y.F1 has no predicate"]),
    (bound("Y.F1", undefined=()), ["a/b#Y.U1 has no predicate"]),
    (bound("Y.F1", "Y.U1", undefined=()), ["a/b#Y.U1 has no predicate that fits"]),
    (bound("Y.F1", "Y.F2"), ["a/b#Y.F2 has a predicate and is not stated"]),
    (bound("Y.F1", "Y.F1"), ["a/b#Y.F1 has two predicates"]),
])
def test_text_and_predicates_must_match(tmp_path: Path, definition: type[Operator], says: list[str]) -> None:
    """A clause without its predicate, a predicate without its clause, and two for one are problems."""
    problems = binding_problems(read(tmp_path, TEXT), definition)
    assert len(problems) == len(says)
    assert all(found.startswith(wanted) for found, wanted in zip(problems, says, strict=True))


def test_an_unknown_specification_names_those_there_are() -> None:
    """One line with the remedy."""
    with pytest.raises(SpecError, match="no specification is called 'sonnx/minpool'; did you mean .*sonnx/maxpool"):
        load_spec("sonnx/minpool")


def test_consequences_follow_restatements_and_implications() -> None:
    """Breaking auto_pad.C1 breaks C2, and R3 which C2 restates."""
    spec = load_spec("sonnx/maxpool")
    assert {address.partition("#")[2] for address in spec.consequences("auto_pad.C1")} == {
        "auto_pad.C1", "auto_pad.C2", "restrictions.R3"}
    assert {address.partition("#")[2] for address in spec.consequences("restrictions.R3")} == {
        "auto_pad.C2", "restrictions.R3"}
