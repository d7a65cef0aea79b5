"""Attacks thought of from README, docs/what-it-withstands.md and `plumbline --help` alone."""

from __future__ import annotations

import signal
from typing import Any

from tests.hostile.attacks_cases import GOOD, RECORDS, RUN
from tests.hostile.attacks_models import SPEC, X, npz, saved
from tests.hostile.door import Attack, Files

FILES = {"a.yaml": GOOD}
MODEL = {"m.onnx": saved(), "in.npz": npz(X=X)}
HEAD = '{"kind": "header"}\n'
LINES: list[tuple[str, tuple[str, ...], Files]] = [
    ("list-odd", ("list", "\x1b[2J\u202e"), {}),
    ("list-long", ("list", "a" * 100_000), {}),
    ("list-path", ("list", "../../../etc/passwd"), {}),
    ("list-nul", ("list", "onnx/relu\n"), {}),
    ("explain-odd", ("explain", "onnx/relu#\x1b[2J"), {}),
    ("explain-signs", ("explain", "####"), {}),
    ("explain-empty", ("explain", ""), {}),
    ("explain-version", ("explain", "onnx/relu@" + "9" * 5000 + "#Y.F1"), {}),
    ("examples-glob", ("examples", "*/*@*"), {}),
    ("diff-itself", ("diff", "onnx/relu@14", "zzz"), {}),
    ("diff-digits", ("diff", "onnx/relu@²", "onnx/relu@14"), {}),
    ("promote-folder", ("promote", ".", "first"), {}),
    ("promote-text", ("promote", "r.jsonl", "first"), {"r.jsonl": HEAD * 3}),
    ("known-text", ("known", "draft", "r.jsonl"), {"r.jsonl": "[" * 50_000}),
    ("known-itself", ("known", "verify", "/dev/full"), {}),
    ("compare-devices", ("compare", "/dev/zero", "/dev/null"), {}),
    ("compare-one", ("compare", "r.jsonl", "r.jsonl"), {"r.jsonl": "\ufeff{}\n"}),
    ("history-range", ("history", "r.jsonl"), {"r.jsonl": "1e999\n"}),
    ("site-file", ("site", "a.yaml", "a.yaml"), FILES),
    ("badge-number", ("report", "badge", "r.jsonl"), {"r.jsonl": "9" * 5000 + "\n"}),
    ("html-keys", ("report", "html", "r.jsonl", "--output", "o.html"), {"r.jsonl": '{"kind":1,"kind":2}\n'}),
    ("csv-device", ("report", "csv", "/dev/zero"), {}),
    ("sarif-folder", ("report", "sarif", "."), {}),
    ("upstream-number", ("report", "upstream", "r.jsonl", "--", "-1"), {"r.jsonl": HEAD}),
    ("files-below", ("report", "files", "r.jsonl", "/proc/self/fd"), {"r.jsonl": HEAD}),
    ("cases-list", ("cases", "list", "--spec", "\x1b[2J"), {}),
    ("cases-new", ("cases", "new", "onnx/zzz", "../a"), {}),
    ("cases-new-broken", ("cases", "new", "sonnx/maxpool", "x", "--file", "a.yaml"), {"a.yaml": GOOD[:300]}),
    ("cases-new-id", ("cases", "new", "sonnx/maxpool", "\x1b[2J/../x", "--file", "a.yaml"), FILES),
    ("cases-new-device", ("cases", "new", "sonnx/maxpool", "x", "--file", "/dev/zero"), {}),
    ("cases-export-file", ("cases", "export", "a.yaml", "--format", "onnx-backend-test", "--spec", "sonnx/abs"), FILES),
    ("cases-gaps", ("cases", "gaps", "--spec", "zzz/*"), {}),
    ("cases-sweep", ("cases", "sweep", "sonnx/maxpool", "--bound", "9" * 30), {}),
    ("specs-new", ("specs", "new", "../../zzz"), {}),
    ("specs-new-escape", ("specs", "new", "\x1b[2J"), {}),
    ("backends-list", ("backends", "list", "../conformance"), {}),
    ("backends-doctor", ("backends", "doctor", "stdio:'"), {}),
    ("backends-doctor-cat", ("backends", "doctor", "stdio:cat a.yaml"), FILES),
    ("backends-learn", ("backends", "learn", "/dev/zero"), {}),
    ("bisect", ("bisect", "onnxruntime", "--case", "zzz", "--versions", "9..1", "--spec", "sonnx/abs"), {}),
    ("new-backend-odd", ("new-backend", "\x1b[2J"), {}),
    ("errata-device", ("errata", "--record", "/dev/zero"), {}),
    ("corpus-file", ("cases", "corpus", "a.yaml", "--spec", "sonnx/abs", "--generated", "0"), FILES),
    ("corpus-since", ("cases", "corpus", "o", "--spec", "sonnx/abs", "--since", "/dev/zero"), {}),
    ("init-odd", ("init", "--backend", "\x1b[2J"), {}),
    ("schema", ("schema", "../record"), {}),
    ("campaign-range", ("campaign", "--spec", "onnx/relu@14", "--backend", "onnxruntime", "--range", "9..1"), {}),
    ("campaign-digits", ("campaign", "--spec", "onnx/relu@14", "--backend", "onnxruntime", "--calls", "9" * 40), {}),
    ("campaign-range-digits", ("campaign", "--spec", "onnx/relu@14", "--backend", "onnxruntime", "--range",
                               f"0..{'9' * 5000}"), {}),
    ("campaign-out", ("campaign", "--spec", "onnx/relu@14", "--backend", "onnxruntime", "--calls", "1", "--out",
                      "/dev/null/x"), {}),
    ("campaign-every", ("campaign", "--spec", "onnx/relu@14", "--backend", "onnxruntime", "--every", "float64"), {}),
    ("matrix-odd", ("matrix", "\x1b[2J", "--report-dir", "out"), {}),
    ("census-itself", ("census", "a.yaml", "."), FILES),
    ("model-inputs-link", ("model", "m.onnx", *SPEC, "--inputs", "/proc/self/mem", "--report-dir", "out"), MODEL),
    ("model-against", ("model", "m.onnx", *SPEC, "--against", "in.npz", "--report-dir", "out"), MODEL),
    ("check-twice", ("check", "m.onnx", "m.onnx"), MODEL),
    ("check-json", ("check", "in.npz", "--json"), MODEL),
]
ATTACKS = [Attack("fresh", name, command, files, (1, 2), leaves=["out/*"], lines=3)
           for name, command, files in LINES]

PROGRAM = """import json, sys
for line in sys.stdin:
    call = json.loads(line)
    if call["do"] == "start":
        print(json.dumps({"plumbline": 2, "name": "a", "version": "1", **START}), flush=True)
    elif call["do"] == "run":
        tensor = lambda dtype, *values: {"dtype": dtype, "shape": [1, 1, 1, 1], "data": values[0]}
        answer = {"number": call["number"], "outputs": {"Y": tensor("float32", "AACAQA=="),
                                                        "Indices": tensor("int64", "AwAAAAAAAAA=")}}
        exec(CHANGE)
        print(json.dumps(answer), flush=True)
"""


def program(name: str, change: str = "", start: dict[str, Any] | None = None, *, right: bool = False) -> Attack:
    """A program that speaks the protocol of stdio: with one change; wrong ones may not end with status 0.

    It answers the first of the two cases, and only that is put."""
    text = PROGRAM.replace("START", repr(start or {})).replace("CHANGE", repr(change))
    return Attack("fresh", f"program-{name}", (*RUN, "-k", "first", "--backend", "stdio:python3 p.py"),
                  {**FILES, "p.py": text}, (0,) if right else (1, 2), leaves=RECORDS, lines=0 if right else 3)


ATTACKS += [
    program("right", right=True),
    program("number-true", "answer['number'] = True"),
    program("number-next", "answer['number'] += 1"),
    program("two-answers", "print(json.dumps({**answer, 'number': call['number'] + 1}), flush=True)"),
    program("half-a-line", "print(json.dumps(answer)[:40], end='', flush=True); sys.exit()"),
    program("shape-huge", "answer['outputs']['Y']['shape'] = [0, 2**62]"),
    program("type-tuple", "answer['outputs']['Y']['dtype'] = '(1,)f4'"),
    program("other-bits", "answer['outputs']['Y']['data'] = 'AACAQB=='"),
    program("no-outputs", "answer['outputs'] = {}"),
    program("surrogate", "answer['outputs'] = {chr(0xd800): answer['outputs']['Y']}"),
    program("escape", "answer = {'number': call['number'], 'crashed': chr(27) + '[2J'}"),
    program("capabilities", start={"capabilities": {"a": [1e308]}}),
    program("patterns", start={"specifications": [["*"]]}),
    program("name-surrogate", start={"name": "\ud800\x1b[2J", "about": {"\u202e": "\x1b"}}, right=True),
]

SLOW = {**FILES, "p.py": "import os, sys, time\nif os.fork():\n    time.sleep(300)\nos.setsid()\ntime.sleep(300)\n"}
ATTACKS += [
    Attack("fresh", f"ended-at-start-{number.name}", (*RUN, "--backend", "stdio:python3 p.py"), SLOW,
           (-9,) if number == signal.SIGKILL else (2,), leaves=[*RECORDS, "out", ".tmp/*"], signals=[(0.7, number)],
           lines=2, quiet=True)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGKILL)]
