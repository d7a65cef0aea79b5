"""What the tools of others read: SARIF, needs.json, ReqIF, Markdown of a job, JUnit properties."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import ub_needs_exchange
from reqif.parser import ReqIFParser
from reqif.unparser import ReqIFUnparser

from plumbline.cases import Case
from plumbline.reports.exchange import item_id, items
from plumbline.trial import KnownDivergences, Record, read_record
from plumbline.trial.known.register_file import KnownEntry
from plumbline.trial.known.root_causes import groups
from tests.suite.commands import report as main
from tests.suite.fakes import FAKES

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMA = Path(__file__).with_name("sarif.schema.json")
KNOWN = KnownEntry(id="nan", spec="sonnx/maxpool", verdict="diverges", clauses=["Indices.F1"], reason="Always so: |<b>",
                   cases={"float-example-3": ["Y+Indices"]})


@pytest.fixture
def record(sonnx_cases: list[Case], run_trial) -> Record:
    """A fake on the documented examples: some failures known, most not."""
    chosen = [case for case in sonnx_cases if "example" in case.id]
    return run_trial(FAKES["minus_four_for_minus_infinity"](), chosen, KnownDivergences([KNOWN]))


def written(record: Record, form: str, name: str) -> Path:
    """The file that a command writes beside the record."""
    path = record.path.with_name(name)
    assert main([form, str(record.path), "--output", str(path)]) == 0
    return path


def test_sarif_keeps_its_schema_and_has_a_result_for_each_cause(record: Record) -> None:
    """Rules are clauses, and the results refer to them."""
    log = json.loads(written(record, "sarif", "log.sarif").read_text(encoding="utf-8"))
    jsonschema.validate(log, json.loads(SCHEMA.read_text(encoding="utf-8")),
                        format_checker=jsonschema.FormatChecker())
    run, = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert "sonnx/maxpool#Indices.F1" in rules and len(set(rules)) == len(rules)
    assert len(run["results"]) == len(groups(record)) > 0
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])


def test_a_cause_keeps_its_fingerprint_when_other_calls_show_it(record: Record, sonnx_cases: list[Case],
                                                               run_trial) -> None:
    """So that a page knows it again; two causes never share one."""
    def prints(record: Record) -> set[str]:
        log = json.loads(written(record, "sarif", "log.sarif").read_text(encoding="utf-8"))
        return {result["partialFingerprints"]["plumblineCause/v1"] for result in log["runs"][0]["results"]}

    before = prints(record)
    fewer = run_trial(FAKES["minus_four_for_minus_infinity"](), [
        case for case in sonnx_cases if case.id in ("float-example-3", "float-example-4")])
    assert len(before) == len(groups(record)) and prints(fewer) & before


def test_what_is_known_is_suppressed_in_sarif(sonnx_cases: list[Case], run_trial) -> None:
    """With its reason; a page does not show it as new."""
    chosen = [case for case in sonnx_cases if case.id == "float-example-3"]
    record = run_trial(FAKES["minus_four_for_minus_infinity"](), chosen, KnownDivergences([KNOWN]))
    result, = json.loads(written(record, "sarif", "log.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert result["level"] == "note" and result["suppressions"] == [
        {"kind": "external", "justification": KNOWN.reason}]


def test_needs_are_read_back_with_their_links(record: Record) -> None:
    """By the reader of that family of tools: every item is there, and no link leads nowhere."""
    version = ub_needs_exchange.load(written(record, "needs", "needs.json")).select_version(None)
    needs = {found.key: found.fields for found in version.records()}
    there = {item.id: item for item in items(record)}
    assert list(needs) == list(there) and not version.diagnostics
    for name, item in there.items():
        for kind, targets in item.links.items():
            assert needs[name][kind] == targets and set(targets) <= set(needs)
    clause = item_id("clause", "sonnx/maxpool#Indices.F1")
    assert any(clause in item.links.get("breaks", []) for item in there.values() if item.status == "diverges")


def test_reqif_goes_round(record: Record) -> None:
    """Read back by the library it is what was written, with an object for each item and a relation for each link."""
    path = written(record, "reqif", "record.reqif")
    bundle = ReqIFParser.parse(str(path))
    content = bundle.core_content.req_if_content
    valid = [Path(sys.executable).with_name("reqif"), "validate", "--use-reqif-schema", path]
    assert "0 errors, 0 schema issues found, 0 semantic issues" in subprocess.check_output(valid, text=True)
    there = list(items(record))
    assert ReqIFUnparser.unparse(bundle) == path.read_text(encoding="utf-8")
    assert [found.identifier for found in content.spec_objects] == [item.id for item in there]
    links = sum(len(targets) for item in there for targets in item.links.values())
    assert len(content.spec_relations) == links > 100
    assert {found.target for found in content.spec_relations} <= {item.id for item in there}


def test_the_summary_of_a_job_is_a_table_whatever_it_holds(record: Record, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each cause, with as many cells as the head."""
    assert main(["markdown", str(record.path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line for line in lines if line.startswith("| ") and "verdict" not in line]
    assert lines[0] == f"### {record.who}".replace("_", "\\_") and len(rows) == len(groups(record))
    assert all(row.replace("\\|", "").count("|") == 6 for row in rows)


@pytest.mark.parametrize("form", ["sarif", "needs", "reqif", "markdown", "html"])
def test_no_report_is_written_over_its_record(form: str, record: Record, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and the record stays."""
    before = record.path.read_bytes()
    assert main([form, str(record.path), "--output", str(record.path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1 and record.path.read_bytes() == before


def test_junit_carries_clauses_and_causes(tmp_path: Path) -> None:
    """As properties of each test case, by pytest's own writer."""
    command = [sys.executable, "-m", "plumbline", "conformance", "--cases", "cases/sonnx/maxpool/examples.yaml", "-k",
               "float-example-3", "--backend", "tests.suite.fakes:minus_four_for_minus_infinity", "--report-dir",
               str(tmp_path), "--junitxml", str(tmp_path / "junit.xml")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "warning" not in done.stdout
    cases = ElementTree.parse(tmp_path / "junit.xml").getroot().iter("testcase")
    found = {entry.find("properties/property[@name='verdict']").get("value"): entry for entry in cases}
    named = {name: [entry.get("value") for entry in found["diverges"].findall(f"properties/property[@name='{name}']")]
             for name in ("specification", "clause", "statement", "source", "edition", "cause")}
    assert set(found) == {"conforms", "diverges"} and all(named.values())
    assert named["clause"] == ["sonnx/maxpool#Indices.F1"] and named["cause"][0].startswith("diverges sonnx/maxpool#")
    record, = map(read_record, tmp_path.glob("*.jsonl"))
    assert record.header.command.startswith("plumbline conformance --cases")
