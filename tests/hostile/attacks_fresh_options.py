"""Attacks on options, variables and projects thought of from README, docs and `--help` alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.hostile.attacks_cases import GOOD, RUN
from tests.hostile.attacks_models import SPEC, X, npz, saved
from tests.hostile.door import Attack

FILES: dict[str, Any] = {"a.yaml": GOOD}
MODEL: dict[str, Any] = {"m.onnx": saved(), "in.npz": npz(X=X)}


def odd(folder: Path) -> None:
    """A case, a model, and files that are none."""
    for name, content in {**FILES, **MODEL}.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    os.mkfifo(folder / "fifo")
    (folder / "link").symlink_to("link")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "folder").mkdir()
    (folder / "folder" / "inside").write_text("kept")


OPTIONS: dict[str, tuple[str, ...]] = {
    "edition-path": ("--edition", "../../etc"),
    "edition-escape": ("--edition", "\x1b[2J"),
    "edition-digits": ("--edition", "9" * 5000),
    "edition-line": ("--edition", "1.16.2\n"),
    "edition-empty": ("--edition", ""),
    "edition-zero": ("--edition", "0"),
    "edition-local": ("--edition", "1.16.2+x"),
    "accuracy-path": ("--accuracy", "../../../etc/passwd"),
    "accuracy-escape": ("--accuracy", "\x1b[2J"),
    "accuracy-glob": ("--accuracy", "*"),
    "accuracy-empty": ("--accuracy", ""),
    "accuracy-spec": ("--accuracy", "sonnx/maxpool"),
    "accuracy-twice": ("--accuracy", "opencl-full", "--accuracy", "zzz"),
    "accuracy-full": ("--accuracy", "accuracy/opencl-full"),
    "accuracy-itself": ("--spec", "accuracy/opencl-full"),
    "capabilities-fifo": ("--capabilities", "fifo"),
    "capabilities-zero": ("--capabilities", "zero"),
    "capabilities-folder": ("--capabilities", "folder"),
    "capabilities-cases": ("--capabilities", "a.yaml"),
    "capabilities-link": ("--capabilities", "link"),
    "known-fifo": ("--known", "fifo"),
    "known-zero": ("--known", "zero"),
    "known-cases": ("--known", "a.yaml"),
    "cases-fifo": ("--cases", "fifo"),
    "cases-link": ("--cases", "link"),
    "cases-zero": ("--cases", "zero"),
    "cases-root": ("--cases", "folder"),
    "workers-minus": ("--workers", "-1"),
    "workers-huge": ("--workers", "1000000000000"),
    "workers-zero": ("--workers", "0"),
    "seed-minus": ("--seed", "-1"),
    "seed-huge": ("--seed", "9" * 400),
    "seed-odd": ("--seed", "²"),
    "generated-minus": ("--generated", "-1"),
    "context-odd": ("--context", "\x1b[2J"),
    "context-none-and": ("--context", "none", "--context", "threads"),
    "python-null": ("--python", "/dev/null"),
    "python-folder": ("--python", "folder"),
    "python-zero": ("--python", "/bin/yes"),
    "python-false": ("--python", "/bin/false"),
    "python-missing": ("--python", "zzz/python"),
    "name-odd": ("--backend-name", "../../\x1b[2J/x"),
    "version-odd": ("--backend-version", "\u202e/../.."),
    "provider-odd": ("--provider", "\x1b[2J:a=b=c,,="),
    "provider-empty": ("--provider", ""),
    "report-fifo": ("--report-dir", "fifo"),
    "report-link": ("--report-dir", "link"),
    "report-file": ("--report-dir", "a.yaml"),
    "report-proc": ("--report-dir", "/proc/self/x"),
    "report-long": ("--report-dir", "d" * 300),
    "time-nan": ("--time-limit", "nan"),
    "time-inf": ("--time-limit", "inf"),
    "time-zero": ("--time-limit", "0"),
    "memory-minus": ("--memory-limit", "-1"),
    "memory-nan": ("--memory-limit", "nan"),
    "memory-tiny": ("--memory-limit", "0"),
    "k-code": ("-k", "__import__('os').system('touch pwned')"),
    "k-deep": ("-k", "(" * 5000 + "first" + ")" * 5000),
    "k-not": ("-k", "not " * 3000 + "first"),
    "k-escape": ("-k", "\x1b[2J"),
    "junit-folder": ("--junitxml", "folder"),
    "plugin": ("-p", "zzz"),
    "ini": ("-c", "a.yaml"),
    "rootdir": ("--rootdir", "/dev/null"),
    "maxfail": ("--maxfail", "-9"),
    "basetemp": ("--basetemp", "folder"),
    "override": ("-o", "python_files=*"),
    "pdb": ("--pdb",),
    "collect": ("--collect-only",),
    "deselect": ("--deselect", "\x1b[2J"),
    "ignore": ("--ignore", "/"),
    "numprocesses": ("-n", "99999999"),
    "node": ("::zzz",),
    "fixtures": ("--fixtures",),
    "markers": ("--markers",),
    "backend-exec-nothing": ("--backend", "exec:"),
    "backend-exec-format": ("--backend", "exec:true {model.__class__} {inputs[0]} {outputs!r:>99999999}"),
    "backend-exec-quote": ("--backend", "exec:'"),
    "backend-stdio-nothing": ("--backend", "stdio:"),
    "backend-stdio-folder": ("--backend", "stdio:./folder"),
    "backend-stdio-yes": ("--backend", "stdio:yes"),
    "backend-stdio-zero": ("--backend", "stdio:cat /dev/zero"),
    "backend-module-odd": ("--backend", "os:system"),
    "backend-module-dots": ("--backend", "....:X"),
    "backend-module-main": ("--backend", "__main__:X"),
    "backend-antigravity": ("--backend", "this"),
    "backend-version-odd": ("--backend", "onnxruntime==\x1b[2J"),
    "backend-version-path": ("--backend", "onnxruntime==../../x"),
    "backend-version-url": ("--backend", "onnxruntime==1 @ file:///etc"),
    "backend-twice": ("--backend", "onnxruntime", "--backend", "onnxruntime"),
}
ATTACKS = [
    Attack("fresh-option", name, (*RUN, "-k", "first", *options), odd, (0, 1, 2), leaves=["out/*"], lines=4)
    for name, options in OPTIONS.items()
]

VARIABLES: dict[str, dict[str, str]] = {
    "specs-empty": {"PLUMBLINE_SPECS": ""},
    "specs-null": {"PLUMBLINE_SPECS": "/dev/null"},
    "specs-fifo": {"PLUMBLINE_SPECS": "FOLDER/fifo"},
    "specs-link": {"PLUMBLINE_SPECS": "FOLDER/link"},
    "specs-missing": {"PLUMBLINE_SPECS": "zzz\x1b[2J"},
    "specs-long": {"PLUMBLINE_SPECS": "d" * 9000},
    "specs-proc": {"PLUMBLINE_SPECS": "/proc/self/fd"},
    "specs-itself": {"PLUMBLINE_SPECS": "FOLDER"},
    "cache-null": {"PLUMBLINE_CACHE": "/dev/null"},
    "cache-full": {"PLUMBLINE_CACHE": "/dev/full/x"},
    "cache-fifo": {"PLUMBLINE_CACHE": "FOLDER/fifo"},
    "cache-link": {"PLUMBLINE_CACHE": "FOLDER/link"},
    "cache-empty": {"PLUMBLINE_CACHE": ""},
    "cache-proc": {"PLUMBLINE_CACHE": "/proc/zzz"},
    "edition-odd": {"PLUMBLINE_EDITION": "\x1b[2J"},
    "edition-path": {"PLUMBLINE_EDITION": "../.."},
    "accuracy-odd": {"PLUMBLINE_ACCURACY": "../\x1b[2J"},
    "limit-nan": {"PLUMBLINE_CODE_LIMIT": "nan"},
    "limit-minus": {"PLUMBLINE_CODE_LIMIT": "-1"},
    "limit-word": {"PLUMBLINE_CODE_LIMIT": "\x1b[2J"},
    "limit-huge": {"PLUMBLINE_CODE_LIMIT": "1e999"},
    "limit-digits": {"PLUMBLINE_CODE_LIMIT": "9" * 5000},
    "run-odd": {"PLUMBLINE_RUN": "\x1b[2J"},
    "addopts-quote": {"PYTEST_ADDOPTS": "'"},
    "addopts-backend": {"PYTEST_ADDOPTS": "--backend zzz"},
    "addopts-collect": {"PYTEST_ADDOPTS": "--collect-only"},
    "addopts-deselect": {"PYTEST_ADDOPTS": "-k zzz"},
    "addopts-exit": {"PYTEST_ADDOPTS": "--version"},
    "temporary-missing": {"TMPDIR": "/zzz"},
    "temporary-file": {"TMPDIR": "FOLDER/a.yaml"},
    "temporary-fifo": {"TMPDIR": "FOLDER/fifo"},
    "temporary-long": {"TMPDIR": "FOLDER/" + "d" * 200},
    "home-none": {"HOME": ""},
    "home-file": {"HOME": "FOLDER/a.yaml", "XDG_CACHE_HOME": "", "PLUMBLINE_CACHE": ""},
    "columns-zero": {"COLUMNS": "0"},
    "columns-huge": {"COLUMNS": "9" * 30},
    "columns-word": {"COLUMNS": "\x1b"},
    "warnings": {"PYTHONWARNINGS": "error"},
    "warnings-odd": {"PYTHONWARNINGS": "\x1b[2J"},
    "locale": {"LC_ALL": "C", "LANG": "zzz"},
    "hash-seed": {"PYTHONHASHSEED": "zzz"},
    "encoding": {"PYTHONIOENCODING": "ascii"},
    "path": {"PATH": ""},
    "threads": {"OMP_NUM_THREADS": "-9"},
    "optimize": {"PYTHONOPTIMIZE": "2"},
    "inspect": {"PYTHONINSPECT": "1"},
    "ci": {"GITHUB_ACTIONS": "true", "CI": "\x1b[2J", "GITHUB_STEP_SUMMARY": "FOLDER/fifo"},
}
ATTACKS += [
    Attack(
        "fresh-variable",
        name,
        (*RUN, "-k", "first"),
        odd,
        (0, 1, 2),
        leaves=["out/*"],
        lines=4,
        environment=environment,
    )
    for name, environment in VARIABLES.items()
]

PROJECTS: dict[str, str] = {
    "table": "[tool]\nplumbline = 3",
    "tool": "tool = []",
    "deep": f"a = {'[' * 50_000}",
    "broken": "[tool.plumbline",
    "unknown": '[tool.plumbline]\n"\\u001b[2J" = 1',
    "specs-number": "[tool.plumbline]\nspecs = 3",
    "nul": '[tool.plumbline]\nreport-dir = "a\\u0000b"',
    "known-nul": '[tool.plumbline]\nknown = "a\\u0000b"',
    "workers-date": "[tool.plumbline]\nworkers = 1979-05-27",
    "workers-nan": "[tool.plumbline]\nworkers = nan",
    "backend-list": "[tool.plumbline]\nbackend = [[]]",
    "bytes": "\ud800",
    "edition": "[tool.plumbline]\nedition = 1.16",
    "accuracy": '[tool.plumbline]\naccuracy = "../x"',
    "report-long": f'[tool.plumbline]\nreport-dir = "{"d/" * 3000}"',
    "pytest": '[tool.pytest.ini_options]\naddopts = "--version"\n[tool.plumbline]\nspecs = ["sonnx/maxpool"]',
}
ATTACKS += [
    Attack(
        "fresh-project",
        name,
        (*RUN[:3], "-k", "first"),
        {**FILES, "pyproject.toml": text.encode(errors="surrogatepass")},
        (0, 2) if name in ("pytest", "tool") else (2,),
        leaves=["reports/*", "out/*"],
        lines=3,
    )
    for name, text in PROJECTS.items()
]

INTRUDER = "open('intruder-was-here', 'w').write('')\n"
INTRUDERS = (
    "conftest.py",
    "sitecustomize.py",
    "numpy.py",
    "onnx.py",
    "plumbline.py",
    "json.py",
    "plumbline/__init__.py",
    "pytest.ini",
    "tox.ini",
    "click.py",
    "onnxruntime.py",
    "ml_dtypes.py",
)
ATTACKS += [
    Attack(
        "fresh-intruder",
        f"{name}-{command[0]}",
        command,
        {**FILES, **MODEL, name: INTRUDER if name.endswith(".py") else "[pytest]\naddopts = -p zzz\n"},
        (0,),
        leaves=["out/*"],
        lines=3,
    )
    for name in INTRUDERS
    for command in ((*RUN, "-k", "first"), ("model", "m.onnx", *SPEC, "--report-dir", "out"))
]
