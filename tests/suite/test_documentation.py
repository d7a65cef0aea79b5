"""What the documentation says is so: its commands run, its outputs are those shown, its links lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import onnx
import onnx.parser
import pytest

from plumbline import cases, oracle
from plumbline.oracle.discovery import SPEC_FOLDER
from plumbline.trial import VERDICTS
from tests.sampling import sampled
from tests.suite.commands import plumbline
from tests.suite.documents import Block, blocks, clone, matches, problems

ROOT = SPEC_FOLDER.parent
GENERATED = ("configurations.md", "specifications-compared.md", "sonnx-issues.md")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md",
         *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in GENERATED)]
LINK = re.compile(r'(?:\]\(|\bsrc(?:set)?=")([^)#:"]+)(?=[)#"])')


@pytest.mark.parametrize("module", [oracle, cases], ids=lambda module: module.__name__)
def test_docstring_examples_run(module: object) -> None:
    """And print what they show."""
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("page", ["README.md", "docs/verdicts.md"])
def test_every_verdict_is_explained(page: str, verdict: str) -> None:
    """A reader of a report finds the word."""
    assert f"`{verdict}`" in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.gate
@pytest.mark.parametrize("path", sampled(PAGES, 24), ids=lambda path: path.name)
def test_commands_run_and_outputs_are_as_shown(path: Path, tmp_path: Path) -> None:
    """Block by block, in a copy of the working tree."""
    page = blocks(path)
    found = list(problems(page, clone(ROOT, tmp_path / "clone"))) if page else []
    assert not found, "\n\n".join(found)


def test_most_pages_have_something_to_run() -> None:
    """So that the test above does not pass for nothing."""
    assert sum(block.language == "console" for path in PAGES for block in blocks(path)) > 20


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """To a file of the clone."""
    missing = [link for link in LINK.findall(path.read_text(encoding="utf-8")) if not (path.parent / link).exists()]
    assert missing == []


def test_the_table_of_operators_is_the_generated_one(capsys: pytest.CaptureFixture[str]) -> None:
    """`plumbline list --table` is pasted; the numbers above it are counted."""
    _, _, page = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Operators\n")
    assert plumbline(["list", "--table"]) == 0
    assert page.endswith(capsys.readouterr().out.rstrip("\n") + "\n")
    names = oracle.spec_names()
    operators = {family: {oracle.load_spec(name).operator for name in names if name.startswith(family)}
                 for family in ("", "sonnx")}
    assert f"{len(operators[''])} operators in {len(names)} specifications" in page
    assert f"{len(operators['sonnx'])} of them" in " ".join(page.split())


def test_the_table_of_runtimes_is_what_the_command_prints() -> None:
    """README pastes the table of the page whose command makes it; what runs in CI is compared there."""
    page = (ROOT / "docs" / "where-models-run.md").read_text(encoding="utf-8")
    table = next(table for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE) if "-webgpu 1." in table)
    assert table.count("\n") > 6 and f"\n\n{table}\n" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_model_of_the_readme_is_that_of_the_page() -> None:
    """`plumbline model docs/net.onnx` tries what check-a-model.md makes."""
    text = re.search(r'parse_model\("""(.*?)"""\)', (ROOT / "docs" / "check-a-model.md").read_text("utf-8"), re.DOTALL)
    assert text and onnx.load(ROOT / "docs" / "net.onnx") == onnx.parser.parse_model(text[1])


def test_every_page_is_linked_from_the_list_of_pages() -> None:
    """Nobody has to guess that it is there."""
    links = LINK.findall((ROOT / "docs" / "README.md").read_text(encoding="utf-8"))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} <= set(links)


def test_the_table_of_names_is_that_of_the_specifications() -> None:
    """Each specification of ONNX whose newest version names an input or output otherwise than ONNX's schema does."""
    page = (ROOT / "docs" / "plug-in-an-implementation.md").read_text(encoding="utf-8")
    newest = {name.partition("@")[0]: name for name in oracle.spec_names() if name.startswith("onnx/")}
    rows = []
    for name, versioned in newest.items():
        spec = oracle.load_spec(versioned)
        schema = onnx.defs.get_schema(spec.operator, int(versioned.partition("@")[2]))
        theirs = [*(entry.name for entry in schema.inputs), *(entry.name for entry in schema.outputs)][
            :len(spec.inputs) + len(spec.outputs)]
        ours = [*spec.inputs, *spec.outputs]
        if theirs != ours:
            rows.append(f"| {name} | {', '.join(theirs)} | {', '.join(ours)} |")
    table = page.partition("<!-- names of inputs and outputs -->")[2].strip().split("\n\n")[0]
    assert table.splitlines()[2:] == rows


def test_the_pictures_of_a_page_are_shown_and_small() -> None:
    """README and the guide link each picture and load quickly; `make sample` makes the page, which is not committed."""
    links = {(ROOT / page).parent / link for page in ("README.md", "docs/quick-start.md", "docs/read-a-report.md",
                                                               "docs/site.md")
             for link in LINK.findall((ROOT / page).read_text(encoding="utf-8"))}
    pictures = set((ROOT / "docs" / "sample").iterdir())
    assert {path.stem for path in pictures} == {"light", "dark", "phone", "site", "site-phone", "terminal",
                                                "terminal-narrow", "docs", "docs-phone"} and pictures <= links
    assert all(path.stat().st_size < 150_000 for path in pictures)


def test_the_readme_is_two_screens() -> None:
    """What is longer belongs on a page of its own; nobody reads the tables of operators through."""
    before, _, _ = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Operators\n")
    assert len(before.splitlines()) <= 120


@pytest.mark.parametrize(("shown", "output", "same"), [
    (["a"], ["a"], True), (["a"], ["b"], False), (["a"], ["a", "b"], False), (["a", "..."], ["a", "b", "c"], True),
    (["...", "c"], ["a", "b"], False), (["a ... c"], ["a b c"], True), (["a."], ["ab"], False),
])
def test_output_is_compared_line_by_line(shown: list[str], output: list[str], same: bool) -> None:
    """Only `...` stands for something else."""
    assert matches(shown, output) is same


@pytest.mark.parametrize(("text", "says"), [
    ("```python\nx\n```\n", "neither run nor compared"),
    ("<!-- skip: x -->\n```console\n$ true\n```\n", "neither run nor compared"),
    ("```console\n$ true\n", "not closed"),
])
def test_a_block_that_is_not_run_is_refused(text: str, says: str, tmp_path: Path) -> None:
    """No block is left out in silence."""
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=says):
        blocks(page)


@pytest.mark.parametrize("block", [
    Block("p:1", "console", "$ echo a\nb\n"), Block("p:1", "console", "$ false\n"),
    Block("p:1", "console", "$ true\n", "status", "1"), Block("p:1", "console", "$ true\n", "not in CI", "x"),
    Block("p:1", "yaml", "a: 1\n", "same as", "f"), Block("p:1", "yaml", "a: 1\n", "part of", "f"),
    Block("p:1", "json", '{"a": 1}\n', "valid for", "schema"),
], ids=lambda block: f"{block.purpose}{block.text[:8]!r}")
def test_what_is_not_as_shown_is_told(block: Block, tmp_path: Path) -> None:
    """Other output, another exit status, another file."""
    (tmp_path / "f").write_text("b: 1\n", encoding="utf-8")
    (tmp_path / "schema").write_text('{"required": ["b"]}', encoding="utf-8")
    found = list(problems([block], tmp_path))
    assert len(found) == 1 and found[0].startswith("p:1: ")
