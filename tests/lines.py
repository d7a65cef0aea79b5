"""Count the repository's lines by kind, or by operator: `python -m tests.lines [--operators]`."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.operator_lines import table

ROOT = Path(__file__).resolve().parents[1]

KINDS = {
    "families": ("plumbline/oracle/families/", (".py",)),
    "operators": ("plumbline/oracle/operators/", (".py",)),
    "reference": ("plumbline/oracle/reference/", (".py",)),
    "product": ("plumbline/", (".py", ".j2", ".js", ".css")),
    "tests": ("tests/", (".py",)),
    "cases": ("cases/", (".yaml",)),
    "specifications": ("spec/", (".md",)),
    "documentation": ("docs/", (".md",)),
}
"""Each kind with its folder and suffixes; a file counts for the first that it fits."""


def counts() -> Counter[str]:
    """The lines of the files that git tracks, by kind."""
    lines: Counter[str] = Counter()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        kind = next((kind for kind, (folder, suffixes) in KINDS.items()
                     if name.startswith(folder) and name.endswith(suffixes)), None)
        if kind is not None and (ROOT / name).is_file():
            lines[kind] += (ROOT / name).read_bytes().count(b"\n")
    return lines


if __name__ == "__main__":
    if sys.argv[1:] == ["--operators"]:
        print("\n".join(table()))
    else:
        for kind, count in counts().items():
            print(f"{count:8,}  {kind}")
