"""Names, versions, messages and shapes that a backend gives do no harm, whatever they are."""

from __future__ import annotations

import pytest

from plumbline.backends import InProcess, Worker
from plumbline.backends.foreign_text import MESSAGE, NAME, one_line, plain
from plumbline.cases import Case
from plumbline.reports import summary_lines, write_html
from plumbline.trial.record.recording import read_records
from tests.suite import manners


@pytest.fixture
def one(sonnx_cases: list[Case]) -> list[Case]:
    """A case."""
    return [case for case in sonnx_cases if case.id == "float-example-1"]


def test_a_text_is_made_plain_and_short() -> None:
    """What was left out is counted; ends of lines stay where they may be."""
    assert plain("a\x1b[2J\tb\nc") == "a\\x1b[2J b\nc" and one_line("a\nb") == "a b"
    assert plain("a" * 5 + "b" * 90 + "c" * 5, 10) == "aaaaa (90 characters are left out) ccccc"
    assert plain("a" * MESSAGE) == "a" * MESSAGE


@pytest.mark.parametrize("make", [InProcess, None])
def test_a_backend_that_speaks_too_much_is_cut_short(make, one: list[Case], run_trial, tmp_path) -> None:
    """Its name fits a file's, its refusal a page; both say that they were cut."""
    record = run_trial(make(manners.SpeaksTooMuch()) if make else Worker("tests.suite.manners:SpeaksTooMuch"), one)
    name = record.header.backend.name
    assert name.isprintable() and "characters are left out" in name and len(name) < 2 * NAME
    said = record.cases[0].did
    assert said.startswith("ValueError: begin") and said.endswith("end") and len(said) < 2 * MESSAGE
    assert record.path.stat().st_size < 1 << 18
    assert all(line.isprintable() for line in summary_lines(record))


@pytest.mark.parametrize(("fake", "axes"), [("AnswersInManyDimensions", 33), ("AnswersInAllDimensions", 64)])
@pytest.mark.parametrize("make", [InProcess, None])
def test_an_output_of_very_many_axes_is_one_line(make, fake: str, axes: int, one: list[Case], run_trial,
                                                 tmp_path) -> None:
    """It cannot be looked at by every numpy, and is what the suite cannot read; the page is written all the same."""
    who = make(getattr(manners, fake)()) if make else Worker(f"tests.suite.manners:{fake}")
    record = run_trial(who, one)
    assert {line.verdict for line in record.cases} == {"harness-error"}
    assert record.cases[0].did.endswith(f"an array of {axes} axes, more than 32")
    assert write_html(read_records([record.path]), tmp_path / "page.html").exists()


def test_a_gap_that_is_always_there_excuses_no_wrong_answer(one: list[Case], run_trial) -> None:
    """It excuses refusals alone; that a run of nothing else is no success is tried in `tests.suite.test_run_files`."""
    assert set(run_trial(manners.DeclaresNothingAndAnswers(), one).counts) == {"diverges"}
