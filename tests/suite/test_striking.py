"""The most striking calls to which records have different answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plumbline.reports.striking import striking
from plumbline.trial.record.recording import read_records
from tests.suite import small_records as small
from tests.suite.commands import report


def lines_of(folder: Path, *records: list[dict[str, Any]], most: int = 10) -> list[str]:
    """Return the lines about records of backends one, two and so on."""
    paths = [small.write(folder / f"{name}.jsonl", small.header(name, "1"), lines)
             for name, lines in zip(("one", "two", "three"), records, strict=False)]
    return list(striking(read_records(paths), most))


def test_a_call_is_shown_with_its_answers(tmp_path: Path) -> None:
    """What is required, what each record has, and the clause."""
    lines = lines_of(tmp_path, [small.line("corner", "conforms")], [small.diverges("corner", "nan")])
    assert lines[1] == "## 1. MaxPool: `toy/maxpool@2#Y.F1`, Value"
    assert any(line.startswith("`MaxPool(kernel_shape=[2, 2], pads=[1, 0, 0, 0]) of float32 [[[[1, -inf], [NaN, 4]]]]`")
               for line in lines)
    assert "> Y is the *maximum* of its window." in lines
    assert lines[-3:] == ["| required | `[[[[4]]]]` |  |",
                          "| two 1 | `[[[[NaN]]]]` | diverges: Y\\[0, 0, 0, 0\\] is nan, not 4.0 |",
                          "| one 1 | as required | conforms |"]


@pytest.mark.parametrize(("answers", "shown"), [
    ((4.001, 7.0), "b"), ((7.0, "nan"), "b"), (("inf", 7.0), "a"), ((4.001, 4.002), "a")])
def test_the_largest_difference_is_shown(tmp_path: Path, answers: tuple[float | str, float | str], shown: str) -> None:
    """One call for an operator: NaN and infinities before numbers, these before the last digits, then the smallest."""
    kept = [small.line(name, "conforms") for name in "ab"]
    text = "\n".join(lines_of(tmp_path, kept, [small.diverges(*pair) for pair in zip("ab", answers, strict=True)]))
    assert text.count("## ") == 1 and f"(case `{shown}`)" in text


def test_one_statement_is_shown_once(tmp_path: Path) -> None:
    """Of two operators that break it, the first."""
    def both(line: dict[str, Any]) -> list[dict[str, Any]]:
        other = {**line, "id": "other", "call": {**line["call"], "operator": "AveragePool"}} if "call" in line else {
            **line, "id": "other"}
        return [line, other]

    lines = lines_of(tmp_path, both(small.line("corner", "conforms")), both(small.diverges("corner", 7.0)))
    assert "\n".join(lines).count("## ") == 1


def test_one_answer_is_no_disagreement(tmp_path: Path) -> None:
    """Neither where all agree, nor where the others refuse, nor where nothing is wrong."""
    wrong, refused = small.diverges("corner", 7.0), small.line("corner", "unsupported", phase="load", did="no kernel")
    assert not lines_of(tmp_path, [wrong], [wrong])
    assert not lines_of(tmp_path, [wrong], [refused])
    assert not lines_of(tmp_path, [small.line("corner", "conforms")], [refused])
    assert lines_of(tmp_path, [small.line("corner", "conforms")], [refused], [small.diverges("corner", 7.0)])


def test_a_crash_comes_first_and_the_command_limits_the_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]
                                                              ) -> None:
    """It has no output."""
    crash = small.line("small", "crashes", did="SIGFPE; stderr ends: here", call=small.call(small.X))
    lines = lines_of(tmp_path, [small.line("corner", "conforms"), small.line("small", "conforms")],
                     [small.diverges("corner", "nan"), crash])
    assert "| two 1 |  | crashes: SIGFPE |" in lines
    records = [*map(str, sorted(tmp_path.glob("*.jsonl")))]
    for options, calls in (((), 0), (("--calls", "1"), 1)):
        assert report(["differences", *records, *options]) == 0
        page = capsys.readouterr().out
        assert page.count("\n## ") == 2 * calls and page.count("| `toy/maxpool@2#Y.F1` |") == 1 - calls
        assert ("\n| `toy/maxpool` | 0 | 1 |\n" in page) == bool(calls)


def test_parts_of_a_run_are_one_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Records of one backend and version about different specifications; those that share one are two columns."""
    def renamed(text: str) -> str:
        return text.replace("toy/maxpool", "toy/other")

    whole = small.write(tmp_path / "one.jsonl", small.header("one", "1"), [small.line("corner", "conforms")])
    wrong = small.write(tmp_path / "two.jsonl", small.header("two", "1"), [small.diverges("corner", 7.0)])
    part = tmp_path / "part.jsonl"
    part.write_text(renamed(whole.read_text()))
    for records, columns in (((whole, wrong), 2), ((whole, part, wrong), 2), ((whole, whole, wrong), 3)):
        assert report(["differences", *map(str, records)]) == 0
        head = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| Clause"))
        assert head.count("|") == 3 + columns
