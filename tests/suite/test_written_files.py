"""Files that the suite writes: whole or not at all, and never in place of what is not a regular file."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from plumbline.oracle.files import write_file
from plumbline.oracle.specification import SPEC_FOLDER
from plumbline.trial.record.recording import RecordWriter, read_record
from tests.suite import small_records
from tests.suite.commands import cases
from tests.suite.commands import plumbline as trial
from tests.suite.commands import report as reports
from tests.suite.runs import EXAMPLES, conformance, only
from tests.suite.test_cases import GOOD, write

ROOT = SPEC_FOLDER.parent


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A small record."""
    (tmp_path / "records").mkdir()
    return small_records.write_all(tmp_path / "records")[0]


def test_a_pipe_stays_a_pipe_and_is_written_to(record: Path, tmp_path: Path,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    """By each command that takes --output; where no process reads it, it is refused in one line."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for name in ("html", "markdown", "sarif", "needs", "reqif", "specials"):
        words = [name, str(record), "--output", str(pipe)]
        capsys.readouterr()
        assert reports(words) == 2
        assert capsys.readouterr().err == f"{pipe}: a pipe that no process reads\n"
        texts: list[str] = []
        reader = threading.Thread(target=lambda into: into.append(pipe.read_text(encoding="utf-8")), args=(texts,))
        reader.start()
        while reports(words) == 2:  # until the reader has opened it
            pass
        reader.join(10)
        assert len(texts[0]) > 100 and stat.S_ISFIFO(pipe.stat().st_mode)
    assert trial(["known", str(record), "--output", str(pipe)]) == 2 and stat.S_ISFIFO(pipe.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_device_is_written_to_and_a_folder_or_a_socket_refused(tmp_path: Path) -> None:
    """A terminal is a device that the test may risk, and reading from it shows what arrived."""
    near, far = os.openpty()
    write_file(Path(os.ttyname(far)), "text\n")
    assert os.read(near, 99) == b"text\r\n" and stat.S_ISCHR(os.fstat(far).st_mode)
    with socket.socket(socket.AF_UNIX) as listening, pytest.raises(OSError, match="not a regular file"):
        listening.bind(str(tmp_path / "socket"))
        write_file(tmp_path / "socket", "text")
    with pytest.raises(OSError, match="No space left") as full:
        write_file(Path("/dev/full"), "text")
    assert full.value.filename == "/dev/full"
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path, "text")


def test_a_link_is_followed_and_rights_are_kept(record: Path, tmp_path: Path) -> None:
    """A page, a file of cases that is laid out, and a record at the end of its run."""
    target, link = tmp_path / "target", tmp_path / "link.yaml"
    link.symlink_to(target)
    target.write_text("before", encoding="utf-8")
    target.chmod(0o640)
    assert reports(["markdown", str(record), "--output", str(link)]) == 0
    assert link.is_symlink() and "before" not in target.read_text(encoding="utf-8")
    write(tmp_path, GOOD, "target")
    cases(["lint", "--fix", str(link)])
    assert link.is_symlink() and "spec: sonnx/maxpool" in target.read_text(encoding="utf-8")
    writer = RecordWriter(link, read_record(record).header)
    writer.close(gone=[], notes=[])
    assert link.is_symlink() and read_record(target).footer is not None
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.yaml", "records", "target"]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    """A limit on the size of files stands for it."""
    path = write(tmp_path, GOOD * 20)
    script = ("import resource, signal, sys; from pathlib import Path; from plumbline.oracle.files import write_file; "
              "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
              "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); write_file(Path(sys.argv[1]), 'x' * 9999)")
    done = subprocess.run([sys.executable, "-c", script, str(path)], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    assert "File too large" in done.stderr and path.read_text(encoding="utf-8") == GOOD * 20
    assert list(tmp_path.iterdir()) == [path]


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """The run says which, with status 2; the record stands."""
    options = ["--backend", "tests.suite.fakes:honest", "--cases", EXAMPLES, "-k", "int-example-1"]
    assert conformance(tmp_path, *options).returncode == 0
    page = only(tmp_path, "*.html")
    page.unlink()
    page.mkdir()
    done = conformance(tmp_path, *options)
    assert done.returncode == 2 and f"{page}: Is a directory\n" in done.stdout and "Traceback" not in done.stdout
    assert read_record(page.with_suffix(".jsonl")).whole
