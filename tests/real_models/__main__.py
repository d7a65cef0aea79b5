"""Try `plumbline model` on models that packages ship: a table of verdicts, time and memory (`make models`).

With --faults it plants made faults in nodes instead, and counts those that are named as the first wrong node.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.real_models.faults import planted
from tests.real_models.packages import Shipped, fetched


def main() -> int:
    """Print the table; 1 if a model ends in anything but an answer, or a fault is not named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="models whose names contain it")
    parser.add_argument("--folder", type=Path, default=Path("reports/out/models"), help="for downloads and records")
    parser.add_argument("--backend", default="onnxruntime")
    parser.add_argument("--faults", type=int, default=0, metavar="N", help="plant N faults in each model")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    every = fetched(arguments.folder, arguments.only)
    if arguments.faults:
        return _faults(list(every), arguments.faults, arguments.seed)
    print("| model | nodes | judged | decided | answer | s | MB |\n|---|---|---|---|---|---|---|", flush=True)
    return int(any([not _row(shipped, path, arguments.folder, arguments.backend) for shipped, path in every]))


def _row(shipped: Shipped, path: Path, folder: Path, backend: str) -> bool:
    """Print one line; return whether the command gave an answer."""
    command = [sys.executable, "-m", "plumbline", "model", str(path), *shipped.options, "--format", "json",
               "--backend", backend, "--report-dir", str(folder / "records")]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=error)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        out.seek(0)
        error.seek(0)
        text, said = out.read(), error.read().decode(errors="replace").strip()
    if not text:
        print(f"| {shipped.name} | | | | status {process.returncode}: {said.splitlines()[-1] if said else ''} | "
              f"{seconds:.0f} | {usage.ru_maxrss / 1024:.0f} |", flush=True)
        return False
    told = json.loads(text)
    print(f"| {shipped.name} | {told['of']} | {told['judged']} | {told['decided']} | "
          f"{told['answer'].partition(';')[0]} | {seconds:.0f} | {usage.ru_maxrss / 1024:.0f} |", flush=True)
    return True


def _faults(models: list[tuple[Shipped, Path]], count: int, seed: int) -> int:
    """Print each planted fault, and what was named; 1 if one in thirty or more was not."""
    print(f"seed {seed}; a fault counts if what the node gives breaks a clause of its specification", flush=True)
    named = total = 0
    for shipped, path in models:
        for node, fault, first in planted(path, shipped.options, count, seed):
            total, named = total + 1, named + (first == node)
            print(f"{shipped.name}: {node}: {fault}: {'named' if first == node else f'first wrong node: {first}'}",
                  flush=True)
    print(f"{named} of {total} are named as the first wrong node")
    return int(not total or named < total * 29 / 30)


if __name__ == "__main__":
    raise SystemExit(main())
