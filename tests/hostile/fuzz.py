"""Fuzz what people hand over: files of cases, known divergences, records, specifications, models, inputs, answers.

`make fuzz` runs each format for SECONDS; `make fuzz ARGS="--seconds 900 --processes 2 --seed 7"` all of them for an
hour on two cores, and prints how many examples each had. Each example is a right file with a few changes, which its
reader reads or refuses with the one-line error that it documents. What fails is shrunk and printed; add it to the
attacks.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import multiprocessing
import os
import shlex
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from plumbline.backends import process
from plumbline.backends.hosts import StartError
from plumbline.backends.outcomes import Answered
from plumbline.backends.request import Request
from plumbline.backends.stdio import Stdio
from plumbline.backends.wire import encode
from plumbline.cases import read_cases
from plumbline.oracle import SpecError
from plumbline.oracle.check import ModelError
from plumbline.oracle.check.model_file import read_model
from plumbline.oracle.markdown import read_front
from plumbline.oracle.safe_text import UNSAFE, safe
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
        assert not UNSAFE.search(str(error)), str(error)


def refusing(read: Callable[[Path], object], *errors: type[Exception]) -> Callable[[Path], None]:
    """A reader that raises these errors, each of one line."""
    def reading(path: Path) -> None:
        try:
            read(path)
        except errors as error:
            assert not UNSAFE.search(str(error)), str(error)
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


RIGHT = np.array([[1.5, -2.0, np.inf]], np.float32)
CALLS = 2
"""Calls that a program is put; its second answer may stand where the first should."""

ANSWERS = b"".join(json.dumps(each).encode() + b"\n" for each in (
    {"plumbline": 2, "name": "a", "version": "1", "about": {"device": "none"}, "specifications": ["onnx/*"]},
    *({"number": number, "outputs": {"Y": encode(RIGHT)}} for number in range(1, CALLS + 1)),
    {"number": CALLS + 1, "refused": {"phase": "run", "message": "no"}}))

JSON = st.recursive(
    st.sampled_from([None, True, -1, 1, 2, 1.0, 3, 10**30, float("nan"), float("inf"), "", "Y", "float32", "float64",
                     "<f4", "f4,f4", "(2,)f4", "string", "void", "__name__", "int4", "1", "\ud800", "\x1b[2J", [1, 3],
                     [True, 3], [1.0, 3], [3], [-1, 3], [1] * 70, [2**62, 2**62], [0, 2**70], "AADAPw==", "AADAP===",
                     base64.b64encode(RIGHT.tobytes()).decode() + "\n"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["number", "outputs", "refused", "crashed", "failed", "memory", "error", "gap", "Y", "dtype",
                         "shape", "data", "message", "phase", "type", "float"]), inner, max_size=3), max_leaves=6)
VALUE = JSON.map(lambda value: json.dumps(value).encode()) | st.sampled_from(
    [b"[" * 100_000, b"1e999", b"-Infinity", b"9" * 5000, b"[" * 500 + b"]" * 500, b'{"Y":1,"Y":2}'])
VALUES = st.lists(st.tuples(st.integers(0, 10**6), VALUE), max_size=2)


def answered(values: list[tuple[int, bytes]], changes: list[tuple[int, int, bytes]]) -> bytes:
    """The lines of a program with other values behind some colons, then with other bytes."""
    content = ANSWERS
    for place, value in values:
        colons = [at for at, letter in enumerate(content) if letter == ord(":")]
        if colons:
            start = colons[place % len(colons)] + 2
            length = next((at for at, letter in enumerate(content[start:]) if letter in b",}"), 0)
            content = content[:start] + value + content[start + length:]
    return changed(content, changes)


def program(path: Path) -> None:
    """A program that writes a file gives outcomes of one line, right ones for right lines alone, and ends."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    lines, before = path.read_bytes().split(b"\n"), children.read_text().split()
    process.START_LIMIT = LIMIT
    request = Request(b"", "Relu", {}, 14, {"X": RIGHT}, ("Y",), LIMIT, "onnx/relu@14")
    try:
        host = Stdio(f"sh -c {shlex.quote(f'cat {path}; exec cat > /dev/null')}")
        try:
            for number in range(1, CALLS + 1):
                outcome = host.run(request)
                assert safe(str(outcome)) == str(outcome), outcome
                if isinstance(outcome, Answered) and is_right(outcome.outputs.get("Y")):
                    assert any(says_right(line, number) for line in lines), (lines, outcome)
        finally:
            host.close()
    except StartError as error:
        assert "\x1b" not in str(error), str(error)
    assert len(set(children.read_text().split()) - set(before)) <= 1, "a process is left beside the supervisor"


LIMIT = 0.5
"""Seconds for the start of a program, and for one of its answers."""


def is_right(array: object) -> bool:
    """True for the array that a right program answers."""
    return isinstance(array, np.ndarray) and array.dtype == RIGHT.dtype and array.shape == RIGHT.shape and (
        array.tobytes() == RIGHT.tobytes())


def says_right(line: bytes, number: int) -> bool:
    """True for a line that carries the right array in answer to a call, read without any code of the suite.

    It need not be the line of that number: after an answer that cannot be read the program starts again."""
    try:
        answer = json.loads(line)
        tensor = answer["outputs"]["Y"]
        return (type(answer["number"]) is int and answer["number"] == number and tensor["dtype"] == "float32"
                and json.dumps(tensor["shape"]) == "[1, 3]"
                and tensor["data"] == base64.b64encode(RIGHT.tobytes()).decode())
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


FORMATS: dict[str, tuple[bytes, str, Callable[[Path], None]]] = {
    "cases": (GOOD.encode(), "a.yaml", cases),
    "known": (KNOWN.encode(), "k.yaml", refusing(read_known, KnownError)),
    "record": (record(), "r.jsonl", refusing(read_record, RecordError)),
    "specification": (TEXTS["specs/example/leakyrelu.md"].encode(), "b.md", refusing(clauses, SpecError)),
    "model": (saved(), "m.onnx", refusing(read_model, ModelError)),
    "answers": (ANSWERS, "answers", program),
    "inputs": (npz(X=X), "in.npz", refusing(lambda path: read_inputs(path, wanted()), InputError)),
}


def fuzz(name: str, seconds: float, seed: int) -> int:
    """Try one format for so long; the number of examples. Raises what an example raises, shrunk."""
    content, file, reading = FORMATS[name]
    examples = st.builds(answered, VALUES, CHANGES | st.just([])) if name == "answers" else CHANGES.map(
        lambda changes: changed(content, changes))
    count, end = 0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file

        @settings(max_examples=1000, deadline=None, database=None, suppress_health_check=list(HealthCheck),
                  phases=[Phase.generate, Phase.shrink])
        @given(examples)
        def one(example: bytes) -> None:
            nonlocal count
            if time.monotonic() > end and not sys.exc_info()[0]:
                return
            count += 1
            path.write_bytes(example)
            reading(path)

        for number in itertools.count(seed * 10**6):
            if time.monotonic() > end:
                return count
            hypothesis.seed(number)(one)()


def main(arguments: list[str]) -> None:
    """Fuzz the formats that are named, all by default."""
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"of {', '.join(FORMATS)}; default all")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each format; default %(default)s")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6, help="default: another each time")
    parser.add_argument("--processes", type=int, default=1, help="formats at once; default 1")
    given = parser.parse_args(arguments)
    names = given.formats or list(FORMATS)
    print(f"seed {given.seed}, {given.seconds:g} seconds for each format, {given.processes} at once", flush=True)
    failed = False
    with ProcessPoolExecutor(given.processes, multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(fuzz, name, given.seconds, given.seed): name for name in names}
        for future in as_completed(running):
            if error := future.exception():
                failed = True
                print(f"{running[future]}: found\n{''.join(traceback.format_exception(error))}", flush=True)
            else:
                print(f"{running[future]}: {future.result():,} examples, nothing found", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1:])
