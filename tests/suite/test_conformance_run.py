"""The conformance run from the outside: its exit status, its summary, its record and page."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from plumbline.reports import summary_lines
from plumbline.reports.words import merge_versions
from plumbline.trial import KnownDivergences, read_record
from plumbline.trial.run.options import RunOptions
from plumbline.trial.run.run import Trials
from tests.suite.runs import EXAMPLES, ROOT, conformance, only_record, started, wait_for_lines

ONE_OPERATOR = """
class OneOperator:
    name = "one-operator"
    specifications = ("sonnx/relu", "sonnx/sqrt")

    def version(self):
        return "1"

    def run(self, request):
        raise NotImplementedError
"""


def test_the_default_run_finds_nothing_new_and_writes_record_and_page(tmp_path: Path) -> None:
    """What `make conformance` does, here of one text alone: status 0, every example conforms in both forms."""
    process = started(tmp_path, "--generated", "0", "--context", "none", "--spec", "sonnx/maxpool")
    said, _ = process.communicate()
    assert process.returncode == 0, said
    record = read_record(next(tmp_path.glob("onnxruntime-*.jsonl")))
    assert record.whole
    examples = [line for line in record.cases if "example" in line.id]
    assert [line.verdict for line in examples] == ["conforms"] * 20
    page = record.path.with_suffix(".html")
    assert str(page) in said and str(record.path) in said
    assert "every clause that judges the outputs is kept" in said


def test_a_new_divergence_fails_the_run_and_is_explained(tmp_path: Path) -> None:
    """Status 1, the clause with its statement, the case; the record holds call, expected and got."""
    done = conformance(tmp_path, "--backend", "tests.suite.fakes:minus_four_for_minus_infinity", "--cases", EXAMPLES)
    assert done.returncode == 1
    assert re.search(r"1\. new: diverges sonnx/maxpool Indices.F1.*, 5 results", done.stdout), done.stdout
    assert "Indices[0, 0, 0, 0] is -4, not 0" in done.stdout
    record = only_record(tmp_path)
    line = next(line for line in record.cases if line.verdict == "diverges")
    assert line.call and line.expected and line.got and line.divergences and line.clauses


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize(("fake", "status", "counts"), [
    ("fakes:honest", 0, {"conforms": 20}),
    ("conduct:CrashesOnThirdCall", 1, {"conforms": 13, "crashes": 4, "unstable": 3}),
    ("conduct:HangsOnThirdCall", 1, {"conforms": 13, "hangs": 4, "unstable": 3}),
    ("fakes:answers_a_text", 2, {"harness-error": 20}),
])
def test_the_exit_status_and_the_counts(fake: str, status: int, counts: dict[str, int], tmp_path: Path) -> None:
    """A crash or a hang costs one call (the third of each process, one of which is put ahead) and fails the run; what
    cannot be judged is 2."""
    done = conformance(tmp_path, "--backend", f"tests.suite.{fake}", "--cases", EXAMPLES, "--time-limit", "0.5")
    assert done.returncode == status, done.stdout
    assert only_record(tmp_path).footer.counts == counts


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize(("options", "says"), [
    (["--backend", "nobody"], "no backend is called 'nobody'"),
    (["--backend", "tests.suite.manners:DoesNotStart"], "libmissing.so was not found"),
    (["--backend", "tests.suite.manners:DiesAtStart"], "did not start: SIGILL"),
    (["--backend", "tests.suite.manners:SpeaksOfAnother"],
     "about other/*, of which --spec (or `specs` in pyproject.toml) 'sonnx/maxpool'"),
    (["--backend", "tests.suite.manners:DeclaresNonsense"], "capabilities[0]['operators']: Input should be a valid"),
    (["-k", "a and"], "-k 'a and' is not a valid expression: expected not OR left parenthesis OR identifier"),
    (["--memory-limit", "0"], "--memory-limit 0: Input should be greater than 0"),
    (["--time-limit", "nan"], "--time-limit nan: Input should be a finite number"),
    (["--report-dir", "/dev/null/x"], "/dev/null/x: Not a directory"),
    (["-n", "2"], "-n: a conformance run has workers of its own"),
    (["--spec", "sonnx/minpool"], "--spec 'sonnx/minpool' matches no specification; did you mean sonnx/maxpool"),
    (["--cases", "no/such/file.yaml"], "cannot be read"),
    (["--python", "/no/python", "--backend", "a:B"], "there is no such interpreter"),
    (["--generated", "-1"], "--generated -1: Input should be greater than or equal to 0"),
    (["-k", "no-such-case"], "the selection leaves nothing to try: -k 'no-such-case'"),
])
def test_a_run_that_cannot_be_done_is_status_2_and_one_reason(options: list[str], says: str, tmp_path: Path) -> None:
    """Never "0 divergences"."""
    done = conformance(tmp_path, *options, *(() if "--spec" in options else ("--spec", "sonnx/maxpool")),
                       *(() if "--cases" in options else ("--cases", EXAMPLES)))
    assert done.returncode == 2
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr or "DoesNotStart" in options[1]
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_partial_run_says_so(tmp_path: Path) -> None:
    """A record of a selection is not taken for one of everything."""
    done = conformance(tmp_path, "--backend", "tests.suite.fakes:honest", "--cases", EXAMPLES, "-k", "int-example-1")
    assert done.returncode == 0 and "a partial run: 2 of 20 results were selected" in done.stdout


def test_a_backend_is_not_tried_on_what_it_does_not_speak_of(tmp_path: Path) -> None:
    """The header and the summary say which specifications were left out."""
    done = conformance(tmp_path, "--backend", "tests.suite.manners:SpeaksOfSonnx", "--cases", EXAMPLES,
                       "--cases", "cases/onnx/maxpool/examples.yaml")
    assert done.returncode == 0, done.stdout
    record = only_record(tmp_path)
    assert {line.spec for line in record.cases} == {"sonnx/maxpool"} == set(record.header.specifications)
    assert record.header.selection.tried == record.header.selection.of == 20
    assert "onnx/maxpool@22" in record.header.selection.not_asked
    left_out = "not asked, since the backend declares no support: " + ", ".join(
        merge_versions(record.header.selection.not_asked))
    assert left_out[:80] in done.stdout
    assert left_out in " ".join(" ".join(summary_lines(record)).split())


def test_a_class_collects_the_cases_of_its_own_specifications(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default those that it names; what --spec names is collected, and then not asked."""
    (tmp_path / "one_operator.py").write_text(ONE_OPERATOR, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    options = RunOptions(backend=("one_operator:OneOperator",), generated=0, context=("none",), no_cache=True)
    assert {spec.name for spec in Trials(options).specs} == {"sonnx/relu", "sonnx/sqrt"}
    named = options.model_copy(update={"spec": ("sonnx/relu", "sonnx/abs")})
    assert {spec.name for spec in Trials(named).specs} == {"sonnx/relu", "sonnx/abs"}


def test_an_error_of_the_command_line_is_one_line(tmp_path: Path) -> None:
    """And not one on stderr and another on stdout."""
    done = conformance(tmp_path, "--spec", "onnx/nothing")
    assert done.returncode == 2 and (done.stdout + done.stderr).count("matches no specification") == 1


def test_a_run_puts_batches_of_what_was_selected(tmp_path: Path) -> None:
    """The calls that come next are put together, and what goes wrong with that is told."""
    done = conformance(tmp_path, "--backend", "tests.suite.manners:LosesOneOfABatch", "--cases", EXAMPLES, "-k", "int")
    assert done.returncode == 0, done.stdout
    assert "a batch of 8 calls failed, though none of them fails alone: the adapter answered 7" in done.stdout
    assert only_record(tmp_path).footer.counts == {"conforms": 10}


def test_a_program_is_tried_from_the_command_line(tmp_path: Path) -> None:
    """A program that refuses everything is accused of each refusal, with its own last words."""
    script = tmp_path / "refuse.sh"
    script.write_text("echo 'nothing works today' >&2; exit 1\n", encoding="utf-8")
    done = conformance(tmp_path, "--backend", f"exec:sh {script} {{model}} {{inputs}} {{outputs}}", "--cases", EXAMPLES)
    assert done.returncode == 1, done.stdout
    assert "1. new: rejects-valid sonnx/maxpool, 20 results\n     exit status 1: nothing works today" in done.stdout
    assert only_record(tmp_path).footer.counts == {"rejects-valid": 20}


def test_a_bad_file_of_cases_is_named_and_the_others_run(tmp_path: Path) -> None:
    """Status 2, since not everything was tried."""
    bad = tmp_path / "bad.yaml"
    bad.write_text("spec: sonnx/maxpool\ncases:\n- id: X\n", encoding="utf-8")
    done = conformance(tmp_path, "--backend", "tests.suite.fakes:honest", "--cases", EXAMPLES, "--cases", str(bad))
    assert done.returncode == 2
    assert f"not tried: {bad}:3:3: 'X' is not a valid id" in done.stdout
    record = only_record(tmp_path)
    assert record.footer.counts == {"conforms": 20}
    assert record.incomplete.startswith(f"not all of it could be done: {bad}:3:3: 'X' is not a valid id")


@pytest.mark.gate(one_in=8)
def test_strict_lets_known_divergences_fail(tmp_path: Path) -> None:
    """With `--strict` what is known of the current ONNX Runtime is a failure."""
    done = conformance(tmp_path, "--spec", "*/maxpool*", "--generated", "0", "--strict", "-k", "nan-all", "-v")
    assert done.returncode == 1
    assert "nan-all[Y]" in done.stdout


def test_generated_cases_are_tried_beside_named_ones_when_asked_for(tmp_path: Path) -> None:
    """`--cases` alone means those cases alone; `--generated` adds to them."""
    done = conformance(tmp_path, "--backend", "tests.suite.fakes:honest", "--cases", EXAMPLES,
                       "--spec", "sonnx/maxpool", "--generated", "3")
    assert done.returncode == 0
    assert len(only_record(tmp_path).cases) == 26


def test_a_killed_run_keeps_what_was_finished(tmp_path: Path) -> None:
    """The record is readable beside its place, and says what was not reached."""
    options = ["--backend", "tests.suite.conduct:HangsOnThirdCall", "--cases", EXAMPLES]
    process = started(tmp_path, *options, start_new_session=True)
    wait_for_lines(tmp_path, 2)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    record = only_record(tmp_path)
    assert [line.verdict for line in record.cases] == ["conforms"]
    assert record.incomplete.startswith("1 of 20 results; not reached: sonnx/maxpool ")


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_run_that_its_backend_ends_is_no_success(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker can send signals to the run; the record then says what was not reached, and the status is not 0 or 1."""
    monkeypatch.setenv("SIGNAL_OF_THE_RUN", name)
    process = started(tmp_path, "--backend", "tests.suite.conduct:SignalsTheRun", "--cases", EXAMPLES)
    process.communicate()
    assert process.returncode not in (0, 1)
    assert "of 20 results; not reached: sonnx/maxpool " in only_record(tmp_path).incomplete


@pytest.mark.gate(one_in=8)
def test_listing_the_items_starts_nothing(tmp_path: Path) -> None:
    """`--collect-only` leaves records alone."""
    done = conformance(tmp_path, "--collect-only", "--spec", "sonnx/maxpool", "-k", "float-example-3")
    assert done.returncode == 0 and "float-example-3[Y+Indices]" in done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("fake", "tried", "status"), [
    ("refuses_at_load", False, 2), ("refuses_at_load", True, 0), ("minimum", False, 0)])
def test_a_version_that_no_one_has_tried_and_that_answers_nothing_is_status_2(
        fake: str, tried: bool, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its refusals are no news, but nothing was learned either; of a version that was tried each refusal is news, and
    fails the run by itself."""
    monkeypatch.setattr(KnownDivergences, "load", lambda *_, **__: KnownDivergences(tried=tried))
    trials = Trials(RunOptions(backend=[f"tests.suite.fakes:{fake}"], spec=["sonnx/*"], cases=[ROOT / EXAMPLES],
                               memory_limit=512, report_dir=tmp_path))
    items = list(trials.items())[:4]
    trials.start(items)
    faults = [trials.fault(item, trials.submit(item)) for item in items]
    trials.close()
    assert trials.status() == status
    assert any("1 answers none of the calls that it declares" in line for line in trials.errors) is (status == 2)
    assert all(faults) is (tried and fake == "refuses_at_load")


@pytest.mark.gate(one_in=8)
def test_each_failure_by_itself_is_listed_with_v_alone(tmp_path: Path) -> None:
    """Above the summary, which has them by their causes; JUnit XML has all of them either way."""
    for words, listed in ((), False), (("-v",), True):
        done = conformance(tmp_path, "--backend", "tests.suite.fakes:minimum", "--spec", "sonnx/*", "--cases",
                           str(ROOT / EXAMPLES), "--strict", f"--junitxml={tmp_path / 'junit.xml'}", *words)
        above, _, summary = done.stdout.partition(" minimum 1 ")
        assert done.returncode == 1 and ("FAILURES" in above) is listed and "1. new: diverges" in summary, done.stdout
        assert listed or len(above.splitlines()) <= 4, above
        assert "breaks sonnx/maxpool#" in (tmp_path / "junit.xml").read_text(encoding="utf-8")


@pytest.mark.gate(one_in=8)
def test_a_limit_that_lets_no_call_be_answered_is_a_fault_of_the_setup(tmp_path: Path) -> None:
    """One line and status 2, and no finding; so is one below what the backend needs to get ready."""
    for named, limit, says in (
            ("tests.suite.conduct:NeverHasMemory", " 4096", "each of the first 8 calls failed for want of memory"),
            ("tests.suite.fakes:honest", " allows 1", "did not get ready: it used")):
        done = conformance(tmp_path, "--backend", named, "--spec", "sonnx/*", "--cases", str(ROOT / EXAMPLES),
                           "--memory-limit", limit.split()[-1])
        assert done.returncode == 2 and says in done.stdout and f"--memory-limit{limit}" in done.stdout, done.stdout
        assert "rejects-valid" not in done.stdout and "of 20 results" not in done.stdout
        assert len(done.stdout.splitlines()) <= 8, done.stdout


@pytest.mark.gate(one_in=8)
def test_made_cases_that_a_backend_declares_not_to_take_are_left_out_and_counted(tmp_path: Path) -> None:
    """Float64 is not declared: no generated case of it is put, the written ones are, and summary and record say so."""
    declared = tmp_path / "capabilities.json"
    declared.write_text('[{"operators": ["Abs"], "dtypes": ["float32"]}]', encoding="utf-8")
    done = conformance(tmp_path, "--backend", "onnx-reference", "--capabilities", str(declared), "--spec", "sonnx/abs",
                       "--context", "none")
    record = only_record(tmp_path)
    others = [line for line in record.cases if line.dtype != "float32"]
    assert others and not any(line.generated for line in others)
    assert any(line.generated for line in record.cases if line.dtype == "float32")
    selection = record.header.selection
    assert selection.declined > 0 and selection.tried == selection.of == len(record.cases)
    assert (f"skipped {selection.declined} generated results outside the declared capabilities"
            in " ".join(done.stdout.split()))
