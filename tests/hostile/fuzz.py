"""Fuzz what people hand over: files of cases, lists of known divergences, records, specifications, models and inputs.

`make fuzz` runs each format for SECONDS. Each example is a right file with a few changes, which its reader reads or
refuses with the one-line error that it documents. What fails is shrunk and printed; add it to the attacks.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from plumbline.cases import read_cases
from plumbline.oracle import SpecError
from plumbline.oracle.check import ModelError
from plumbline.oracle.check.model_file import read_model
from plumbline.oracle.markdown import read_front
from plumbline.trial.known.register_file import KnownError, read_known
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.inputs import InputError, read_inputs
from plumbline.trial.record.recording import RecordError, read_record
from tests.hostile.attacks_cases import GOOD
from tests.hostile.attacks_models import X, npz, saved
from tests.hostile.attacks_specifications import TEXTS
from tests.hostile.attacks_surroundings import KNOWN
from tests.suite.small_records import write_all

SECONDS = float(os.environ.get("PLUMBLINE_FUZZ_SECONDS", "20"))

TOKENS = [b"", b"\0", b"\xff", b"\n", b"\t", b"-1", b"9" * 30, b"1e999", b".nan", b"null", b"true", b"[]", b"{}", b"[[",
          b"}", b"&a ", b"*a", b"<<: ", b"!!binary a", b"\x1b[2J", b"\xe2\x80\xae", b": ", b"- ", b"#", b"'", b'"',
          b"---\n"]
"""What is put in."""

CHANGE = st.tuples(st.integers(0, 10**6), st.integers(0, 40), st.sampled_from(TOKENS) | st.binary(max_size=8))
CHANGES = st.lists(CHANGE, min_size=1, max_size=6)


def changed(content: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """Replace so many bytes at a place, again and again."""
    for place, count, token in changes:
        place %= len(content) + 1
        content = content[:place] + token + content[place + count:]
    return content


def cases(path: Path) -> None:
    """A file of cases gives cases, and errors of one line."""
    for error in read_cases([path])[1]:
        assert str(error).isprintable(), str(error)


def refusing(read: Callable[[Path], object], *errors: type[Exception]) -> Callable[[Path], None]:
    """A reader that raises these errors, each of one line."""
    def reading(path: Path) -> None:
        try:
            read(path)
        except errors as error:
            assert "\n" not in str(error) and "\x1b" not in str(error), str(error)
    return reading


def record() -> bytes:
    """A small record."""
    with tempfile.TemporaryDirectory() as folder:
        return write_all(Path(folder))[0].read_bytes()


@cache
def wanted() -> list[object]:
    """The inputs of a right model."""
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder) / "m.onnx").write_bytes(saved())
        return list(Graph(path).inputs)


def clauses(path: Path) -> None:
    """Read a specification to its end."""
    assert read_front(path).clauses is not None


FORMATS: dict[str, tuple[bytes, str, Callable[[Path], None]]] = {
    "cases": (GOOD.encode(), "a.yaml", cases),
    "known": (KNOWN.encode(), "k.yaml", refusing(read_known, KnownError)),
    "record": (record(), "r.jsonl", refusing(read_record, RecordError)),
    "specification": (TEXTS["specs/example/leakyrelu.md"].encode(), "b.md", refusing(clauses, SpecError)),
    "model": (saved(), "m.onnx", refusing(read_model, ModelError)),
    "inputs": (npz(X=X), "in.npz", refusing(lambda path: read_inputs(path, wanted()), InputError)),
}


def fuzz(name: str, seconds: float) -> int:
    """Try one format for so long; the number of examples. Raises what an example raises, shrunk."""
    content, file, reading = FORMATS[name]
    count, end = 0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file

        @settings(max_examples=1000, deadline=None, database=None, suppress_health_check=list(HealthCheck),
                  phases=[Phase.generate, Phase.shrink])
        @given(CHANGES)
        def one(changes: list[tuple[int, int, bytes]]) -> None:
            nonlocal count
            if time.monotonic() > end and not sys.exc_info()[0]:
                return
            count += 1
            path.write_bytes(changed(content, changes))
            reading(path)

        while time.monotonic() < end:
            one()
    return count


def main(names: list[str]) -> None:
    """Fuzz these formats, all by default."""
    for name in names or FORMATS:
        print(f"{name}: {fuzz(name, SECONDS):,} examples, nothing found", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
