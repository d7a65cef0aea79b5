"""The static site: every link leads somewhere, numbers are those of the records, names make no path of their own."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from urllib.parse import unquote

import pytest

from plumbline.commands.backends import commands as backend_commands
from plumbline.commands.main import commands
from plumbline.oracle.specification import SPEC_FOLDER
from plumbline.oracle.yaml_text import load
from plumbline.reports.site import SiteError, write_site
from plumbline.trial.record.recording import Record, read_records
from tests.suite import small_records as small
from tests.suite.commands import report as main
from tests.suite.pages import Page
from tests.suite.small_records import SPEC

WORKFLOW = SPEC_FOLDER.parent / ".github" / "workflows" / "site.yml"


def record(folder: Path, name: str, version: str, lines: list[small.Json], text: str = "toy/maxpool") -> Record:
    """A record on the toy text, under another name where one is given."""
    entries = json.loads(json.dumps([small.header(name, version), *lines]).replace("toy/maxpool", text))
    path = small.write(folder / f"{len(list(folder.iterdir()))}.jsonl", entries[0], entries[1:])
    return read_records([path])[0]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The site of the small records, and of one on another operator."""
    records = tmp_path / "records"
    records.mkdir()
    write_site([*read_records(small.write_all(records)),
                record(records, "other", "4", [small.diverges("nan-first", 7.0)], "toy/other")], tmp_path / "site")
    return tmp_path / "site"


def test_every_link_leads_to_a_page_and_a_place(site: Path) -> None:
    """From every page, as a browser follows it from the disk; nothing is fetched, hostile text is text."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) == 4 + 2 + 2
    for path, page in pages.items():
        assert not page.open and not page.fetched and len(page.ids) == len(set(page.ids)), path
        for link in page.links:
            name, _, place = unquote(link).partition("#")
            if name.startswith(("https:", "data:")):
                continue
            there = (path.parent / name).resolve() if name else path.resolve()
            assert there.is_file(), (path, link)
            assert not place or there.suffix == ".html" and place in pages[there].ids, (path, link)
    assert small.HOSTILE in pages[site / "toy/maxpool/index.html"].text


def test_special_values_are_a_page(site: Path) -> None:
    """Linked from the start page; of each backend the newest version, as the command counts it."""
    assert "specials/index.html" in Page((site / "index.html").read_text(encoding="utf-8")).links
    page = Page((site / "specials/index.html").read_text(encoding="utf-8"))
    found = json.loads((site / "specials/index.json").read_text(encoding="utf-8"))
    assert [row[:2] for one in found["operators"] for row in one["did"]] == [
        ["other 4", "toy/other"], ["toy 1.10", "toy/maxpool"]]
    assert "Largest Overflow Empty other 4 toy/other not recorded" in page.text and "MaxPool" in page.ids
    assert page.text.count("not in this suite") == 2


def test_a_clause_has_a_permanent_address(site: Path) -> None:
    """The operator's page with section and tag, and one for each version of the text."""
    page = Page((site / "toy/maxpool/index.html").read_text(encoding="utf-8"))
    assert {"Y.F1", "Indices.F1", "strides.C1", "Y.U1", "toy-maxpool-2-Y.F1", "by-toy-1.10"} <= set(page.ids)
    section = page.text[page.text.index("Y.F1 Value "):page.text.index("Y.F2 Type")]
    assert "broken , 2 of 6 results: toy 1.9, 1.10" in section and "✓ kept , 1 refused: other 3" in section


def test_shares_are_counted_from_the_records(site: Path) -> None:
    """Kept, broken, refused and not tried apart, with the smallest call; the same on pages and in JSON."""
    shares = json.loads((site / "index.json").read_text())["texts"]["toy/maxpool"]
    old, new, other = shares["toy"]["1.9"], shares["toy"]["1.10"], shares["other"]["3"]
    assert [[share[state] for state in ("kept", "broken", "refused", "not tried")] for share in (old, new, other)] == [
        [1, 2, 0, 1], [2, 1, 0, 1], [2, 0, 0, 2]]
    assert [share["unanswered"] for share in (old, new, other)] == [{"crashes": 1}, {}, {"rejects-valid": 1}]
    assert old["smallest"] == {
        "specification": SPEC, "case": "padded-corner", "form": "Y", "wrong": "Y[0, 0, 0, 0] is 7.0, not 4.0",
        "call": "MaxPool(kernel_shape=[2, 2], pads=[1, 0, 0, 0]) of float32 [[[[1, -inf], [NaN, 4]]]] -> Y; opset 2",
        "cause": old["smallest"]["cause"]}
    index = Page((site / "index.html").read_text(encoding="utf-8")).text
    assert "✓ 2 of 3 kept ✗ 1 broken – 1 not tried" in index and "toy/other" in index
    assert re.search(r"Not tried on [^:]*other 4: toy/maxpool@2", index)
    operator = json.loads((site / "toy/maxpool/index.json").read_text())
    maximum, = (clause for clause in operator["clauses"] if clause["addresses"] == [f"{SPEC}#Y.F1"])
    assert maximum["backends"]["toy 1.10"] == {"state": "broken", "results": {
        "conforms": 4, "diverges": 2}}
    assert json.loads((site / "backends/toy/index.json").read_text())["versions"]["1.10"]["texts"] == {
        "toy/maxpool": new}


def test_a_backend_shows_what_changed_from_release_to_release(site: Path) -> None:
    """Better, worse, crashes, which a cell counts; each badge is of the newest version."""
    text = Page((site / "backends/toy/index.html").read_text(encoding="utf-8")).text
    for part in ("From toy 1.9 to 1.10: 1 clause repaired, 0 newly broken, 1 broken in both. Crashes 1 then, 0 now.",
                 "▲ Worse: 1 result that was right is wrong now", "toy 1.10: ", "✗ 1 crash"):
        assert part in text, part
    badge = json.loads((site / "toy/maxpool/toy.badge.json").read_text())
    assert badge["message"] == "2 of 3 clauses kept" and badge["label"] == "toy toy/maxpool"
    assert json.loads((site / "backends/toy/badge.json").read_text())["message"] == badge["message"]


def test_who_crashes_does_not_keep_every_clause(tmp_path: Path) -> None:
    """Though nothing that came broke one; a refusal is counted, and no more."""
    calm, crashing, refusing = (
        record(tmp_path, name, "1", [small.line("float-example", "conforms"), small.line("nan-first", verdict, did="")])
        for name, verdict in (("calm", "conforms"), ("crashing", "crashes"), ("refusing", "rejects-valid")))
    write_site([calm, crashing, refusing], tmp_path / "site")
    assert "The newest version of 2 of 3 backends keeps every clause" in Page(
        (tmp_path / "site" / "toy" / "maxpool" / "index.html").read_text(encoding="utf-8")).text


def test_silences_and_everything_searched_are_listed(site: Path) -> None:
    """Whether all do alike where a text says nothing; each clause, cause and backend once."""
    assert "△ backends differ on 1 of 1 observation" in Page((site / "silences/index.html").read_text("utf-8")).text
    search = Page((site / "search/index.html").read_text(encoding="utf-8"))
    links = [link for link in search.links if "#" in link and link.startswith("../")]
    assert len(links) == len(set(links)) and "../toy/maxpool/index.html#Indices.F1" in links


@pytest.mark.parametrize(("others", "says"), [
    ([("toy", "1", "toy/maxpool")], "0.jsonl and .*1.jsonl would have the same address"),
    ([("t/y", "1", "toy/maxpool"), ("t-y", "1", "toy/maxpool")], "would have the same address"),
    ([("..", "1", "toy/maxpool")], "cannot be the address of a page"),
    ([("toy", "2", "toy/..")], "cannot be the address of a page"),
    ([("toy", "2", "Toy/maxpool")], "would have the same address"),
])
def test_what_has_no_place_is_refused(others: list[tuple[str, str, str]], says: str, tmp_path: Path) -> None:
    """In one line, before anything is written."""
    folder = tmp_path / "records"
    folder.mkdir()
    plain = [small.line("plain", "conforms")]
    records = [record(folder, name, version, plain, text) for name, version, text in [("toy", "1", "toy/maxpool"),
                                                                                     *others]]
    with pytest.raises(SiteError, match=says):
        write_site(records, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_record_without_results_makes_no_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2 and one line."""
    path = small.write(tmp_path / "none.jsonl", small.header("toy", "1"), [])
    assert main(["site", str(path), str(tmp_path / "site")]) == 2
    assert "nothing to show" in capsys.readouterr().err


def test_releases_without_a_record_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    """As --backend takes them; of the newest ones those whose record is not in the folder."""
    monkeypatch.setattr("plumbline.commands.backends.releases", lambda name: ["1.0", "1.1", "1.2"])
    (tmp_path / "toy-1.1.jsonl").touch()
    for words, listed in ((["toy"], ["1.0", "1.1", "1.2"]), (["toy", "--last", "2"], ["1.1", "1.2"]),
                          (["toy", "--last", "2", "--records", str(tmp_path)], ["1.2"])):
        backend_commands(["releases", *words], standalone_mode=False)
        assert capsys.readouterr().out.split() == [f"toy=={version}" for version in listed]


def test_the_commands_of_the_workflow_are_those_of_the_package() -> None:
    """Every one is parsed as the command line would, with something in the place of what the shell puts in."""
    steps = load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["site"]["steps"]
    scripts = "\n".join(step["run"] for step in steps if "run" in step)
    tried = []
    for text in re.findall(r"\bplumbline ([^|)\n]*)", scripts):
        words = shlex.split(re.sub(r"\$\w+|\*", "8", text.replace('"', "")))
        command = commands.get_command(None, words[0])
        name, *rest = words
        while hasattr(command, "commands"):
            name, *rest = rest
            command = command.commands[name]
        command.make_context(name, rest)
        tried.append(name)
    assert tried == ["releases", "list", "releases", "matrix", "site"]
