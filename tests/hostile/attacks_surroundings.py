"""Attacks by lists of known divergences, records, backends, options, streams and signals."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Any

from tests.hostile.attacks_cases import GOOD
from tests.hostile.attacks_models import saved
from tests.hostile.door import Attack

ENTRY = """- id: one
  spec: sonnx/maxpool
  verdict: diverges
  clauses: [Y.F1]
  generated: [nan]
  reason: because it is so
"""
KNOWN = f"backend: onnxruntime\ndivergences:\n{ENTRY}"
RUN = ("conformance", "--cases", "a.yaml", "--spec", "sonnx/maxpool", "--report-dir", "out")
FILES = {"a.yaml": GOOD}


def known(name: str, old: str, new: str) -> Attack:
    """A list of known divergences with one change."""
    assert old in KNOWN, name
    return Attack("known", name, (*RUN, "--known", "k.yaml"), {**FILES, "k.yaml": KNOWN.replace(old, new, 1)}, (2,),
                  ["k.yaml"])


ATTACKS = [
    *(known(name, old, new) for name, old, new in [
        ("like-long", "divergences:", f"like: {'a' * 300}\ndivergences:"),
        ("like-absolute", "divergences:", "like: /etc/passwd\ndivergences:"),
        ("like-up", "divergences:", "like: ../divergences/onnxruntime\ndivergences:"),
        ("like-absent", "divergences:", "like: nothing\ndivergences:"),
        ("like-nul", "divergences:", "like: \"a\\0b\"\ndivergences:"),
        ("versions-digits", "  clauses", f"  versions: '<{'9' * 5000}'\n  clauses"),
        ("versions-text", "  clauses", "  versions: newest\n  clauses"),
        ("tried-digits", "divergences:", f"tried: ['{'9' * 5000}']\ndivergences:"),
        ("dtypes", "  clauses", "  dtypes: [zzz]\n  clauses"),
        ("dtypes-long", "  clauses", f"  dtypes: [{'z' * 5000}]\n  clauses"),
        ("says", "  clauses", "  says: ''\n  clauses"),
        ("spec", "sonnx/maxpool", "sonnx/maxpol"),
        ("spec-long", "sonnx/maxpool", "s" * 5000),
        ("spec-stars", "sonnx/maxpool", "*a" * 20 + "b"),
        ("clause", "Y.F1", "Y.F9"),
        ("flag", "[nan]", "[nann]"),
        ("verdict", "diverges", "diverged"),
        ("reason", "because it is so", "x"),
        ("link", "  clauses", "  link: javascript:alert(1)\n  clauses"),
        ("twice", ENTRY, ENTRY + ENTRY),
        ("backend", "onnxruntime", "other"),
        ("backend-empty", "backend: onnxruntime", "backend: ''"),
        ("nothing", KNOWN, ""),
        ("list", KNOWN, "- 1\n"),
        ("text", KNOWN, "hello"),
        ("entries", ENTRY, "- 1\n"),
        ("deep", KNOWN, "[" * 5000),
        ("id", "id: one", "id: \"\\e[2J\""),
    ]),
    Attack("known", "device", (*RUN, "--known", "/dev/zero"), FILES, (2,), ["/dev/zero"]),
    Attack("known", "absent", (*RUN, "--known", "nowhere.yaml"), FILES, (2,), ["nowhere.yaml"]),
]

ATTACKS += [Attack("option", f"run-{'-'.join(words)[:40].strip('-').replace('/', '-')}", (*RUN, *words), FILES, (2,),
                   leaves=["out/*"] if "/dev/null" in words else [], lines=2)
            for words in [
                ("--memory-limit", "1e20"), ("--memory-limit", "99999999999999999999"), ("--memory-limit", "0"),
                ("--time-limit", "1e18"), ("--time-limit", "nan"), ("--time-limit", "-1"), ("--time-limit", "inf"),
                ("--generated", "1e12"), ("--generated", "1000000000000"), ("--generated", "-1"),
                ("--seed", "-1"), ("--seed", "9" * 4000), ("--workers", "0"), ("--workers", "99999999"),
                ("--edition", "0.0"), ("--context", "nowhere"), ("--backend", "nothing"), ("--backend", ""),
                ("--backend", "nowhere:Nothing"), ("--backend", "os:path"), ("--backend", "onnxruntime==0.0.0.0x"),
                ("--backend", "exec:"), ("--backend", "stdio:"), ("--python", "/nowhere"), ("--spec", "zzz"),
                ("--capabilities", "/dev/zero"), ("--capabilities", "a.yaml"), ("--cases", "/dev/null"),
                ("--report-dir", "/dev/null"), ("--report-dir", "/proc/x"), ("--report-dir", "a" * 300),
                ("-k", "("), ("-k", "zzzz"), ("--nonsense",), ("-p", "no:terminal"), ("--setup-plan",),
                ("--setup-only",), ("-n", "2"), ("nowhere.py",), ("a.yaml",)]]

ADAPTER = """import numpy as np
class Backend:
    name = "own"
    requirements = ()
    capabilities = [{"operator": "MaxPool"}]
    def version(self): return "1"
    def run(self, request): return OUTPUTS
"""


def adapter(name: str, outputs: str, *more: str, status: Sequence[int] = (0, 1, 2), **how: Any) -> Attack:
    """A backend of one file."""
    text = ADAPTER.replace("OUTPUTS", outputs)
    for line in more:
        text += f"    {line}\n"
    return Attack("backend", name, (*RUN, "--backend", "own:Backend"), {**FILES, "own.py": text}, status,
                  leaves=["out/*", "__pycache__/*"], environment={"PYTHONPATH": "FOLDER"}, **how)


ONES = "{name: np.ones((1, 1, 1, 1), %s) for name in request.outputs}"
ATTACKS += [
    *(adapter(f"dtype-{name}", ONES % text) for name, text in [
        ("longdouble", "np.longdouble"), ("clongdouble", "np.clongdouble"), ("object", "object"), ("text", "'U5'"),
        ("bytes", "'S5'"), ("void", "'V8'"), ("date", "'M8[ns]'"), ("record", "[('a', 'f4')]"), ("bool", "bool"),
        ("float8", "__import__('ml_dtypes').float8_e4m3b11fnuz"), ("int4", "__import__('ml_dtypes').int4"),
        ("float4", "__import__('ml_dtypes').float4_e2m1fn"), ("complex", "complex"), ("big-endian", "'>f4'")]),
    *(adapter(f"answer-{name}", text) for name, text in [
        ("none", "None"), ("text", "'a'"), ("list", "[1, 2]"), ("empty", "{}"), ("number", "3"),
        ("other", "{'Z': np.zeros(3)}"), ("nested", "{name: [[1], [2, 3]] for name in request.outputs}"),
        ("scalar", "{name: 1.0 for name in request.outputs}"),
        ("axes", "{n: np.zeros([1] * 40) for n in request.outputs}"),
        ("empty-axes", "{n: np.zeros([0, 2**40]) for n in request.outputs}"),
        ("large", "{n: np.zeros(1 << 28) for n in request.outputs}"),
        ("stride", "{n: np.broadcast_to(np.zeros(1, np.float32), (1 << 40,)) for n in request.outputs}"),
        ("raises", "1 / 0"), ("raises-odd", "exec('raise Exception(\"\\x1b[2J\\u202e\" * 999)')"),
        ("raises-exit", "exec('raise SystemExit(0)')"), ("raises-base", "exec('raise BaseException()')"),
        ("raises-interrupt", "exec('raise KeyboardInterrupt')"), ("ends", "__import__('os')._exit(0)"),
        ("killed", "__import__('os').kill(__import__('os').getpid(), 9)"), ("prints", "print('x' * 100000)"),
        ("recursion", "self.run(request)"), ("stdin", "__import__('sys').stdin.read()"),
        ("closes", "[__import__('os').close(n) for n in range(3, 20)]")]),
    *(adapter(f"attribute-{line.split('=')[0].strip().split('(')[0].split()[-1]}-{number}", ONES % "np.float32", line)
      for number, line in enumerate([
          "specifications = None", "specifications = 3", "specifications = ['zzz']", "contexts = 3",
          "contexts = ['zzz']", "def about(self): return []", "def about(self): return 3",
          "name = None", "name = ''", "name = 'a/../b\\x1b[2J'",
          "name = 'n' * 5000", "capabilities = None", "capabilities = 3", "capabilities = [{}]",
          "capabilities = ['x']",
          "def version(self): return None", "def version(self): return '\\x1b[2J' * 99",
          "def version(self): raise ValueError('no')", "requirements = 3", "requirements = ['no such ==']",
          "def __init__(self): 1 / 0", "def __init__(self, needed): pass", "run = None", "version = None",
          "run_many = 3", "def run_many(self, requests): return []", "def run_many(self, requests): return None",
          "def run_many(self, requests): yield 1"])),
    Attack("backend", "import-raises", (*RUN, "--backend", "own:Backend"), {**FILES, "own.py": "1 / 0"}, (2,),
           leaves=["__pycache__/*"], environment={"PYTHONPATH": "FOLDER"}),
    Attack("backend", "import-exits", (*RUN, "--backend", "own:Backend"), {**FILES, "own.py": "raise SystemExit(0)"},
           (2,), leaves=["__pycache__/*"], environment={"PYTHONPATH": "FOLDER"}),
    *(Attack("program", name, (*RUN, "--backend", f"exec:{command} {{model}} {{inputs}} {{outputs}}"), FILES, (0, 1, 2),
             leaves=["out/*"])
      for name, command in [("false", "false"), ("true", "true"), ("absent", "/nowhere/x"), ("cat", "cat"),
                            ("loud", "sh -c 'yes | head -c 3000000'"), ("kills", "sh -c 'kill -9 $$'"),
                            ("child", "sh -c 'sleep 300 & exit 0'")]),
    *(Attack("program", f"stdio-{name}", (*RUN, "--backend", f"stdio:{command}"), FILES, (1, 2), leaves=["out/*"])
      for name, command in [("true", "true"), ("cat", "cat"), ("yes", "yes"), ("zeros", "head -c 3000000 /dev/zero"),
                            ("absent", "/nowhere/x"), ("echo", "echo {}"), ("deep", "printf '[%.0s' 1 2 3 4")]),
]

LIST, CHECK, LINT = ("list",), ("check", "m.onnx", "--spec", "onnx/relu"), ("cases", "lint", "a.yaml")
ALL = {**FILES, "m.onnx": saved()}
ATTACKS += [
    *(Attack("stream", f"{command[0]}-{name}", command, ALL, status, streams=streams, leaves=["out/*"], lines=2,
             quiet=True)
      for command in (LIST, CHECK, LINT, RUN)
      for name, streams, status in [
          ("full", {"stdout": "/dev/full"}, (2,)), ("closed", {"stdout": "closed"}, (0, 1, 2)),
          ("no-errors", {"stderr": "closed"}, (0, 1, 2)), ("both", {"stdout": "closed", "stderr": "closed"}, (0, 1, 2)),
          ("full-errors", {"stderr": "/dev/full"}, (0, 1, 2)), ("no-input", {"stdin": "closed"}, (0, 1, 2))]),
    Attack("disk", "junit", (*RUN, "--junitxml", "/dev/full"), FILES, (2,), leaves=["out/*"]),
    Attack("disk", "junit-folder", (*RUN, "--junitxml", "."), FILES, (2,), lines=2),
    Attack("disk", "record", RUN, FILES, (2,), leaves=["out/*.part", "out/*"], disk=400),
    Attack("disk", "page", RUN, FILES, (2,), leaves=["out/*"], disk=20_000),
    *(Attack("signal", f"{number.name}-{after}", (*RUN, "--generated", "400"), FILES, (2, 0), leaves=["out/*"],
             signals=[(after, number)], lines=2)
      for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT) for after in (0.3, 1.0, 3.0)),
    *(Attack("signal", f"killed-{after}", (*RUN, "--generated", "400"), FILES, (-9, 2, 0),
             signals=[(after, signal.SIGKILL)], leaves=["out/*", ".tmp/*"], quiet=True) for after in (0.5, 2.0)),
]
