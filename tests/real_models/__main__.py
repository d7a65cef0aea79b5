"""Try `plumbline model` on models that packages ship: a table of verdicts, time and memory (`make models`).

With --faults it plants made faults in nodes instead, and counts those that are named as the first wrong node.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.real_models.faults import planted
from tests.real_models.measured import measured
from tests.real_models.packages import Shipped, fetched


def main() -> int:
    """Print the table; 1 if a model ends in anything but an answer, or a fault is not named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="models whose names contain it")
    parser.add_argument("--folder", type=Path, default=Path("reports/out/models"), help="for downloads and records")
    parser.add_argument("--backend", default="onnxruntime")
    parser.add_argument("--faults", type=int, default=0, metavar="N", help="plant N faults in each model")
    parser.add_argument("--alone", action="store_true", help="plant them also where the node runs by itself")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    every = fetched(arguments.folder, arguments.only)
    if arguments.faults:
        return _faults(list(every), arguments.faults, arguments.seed, arguments.alone)
    print("| model | nodes | judged | decided | answer | s | processor s | MB |\n"
          "|---|---|---|---|---|---|---|---|", flush=True)
    return int(any([not _row(shipped, path, arguments.folder, arguments.backend) for shipped, path in every]))


def _row(shipped: Shipped, path: Path, folder: Path, backend: str) -> bool:
    """Print one line; return whether the command gave an answer."""
    command = [sys.executable, "-m", "plumbline", "model", str(path), *shipped.options, "--format", "json",
               "--backend", backend, "--report-dir", str(folder / "records")]
    ended = measured(command)
    if not ended.output:
        print(f"| {shipped.name} | | | | status {ended.status}: {ended.problem} | "
              f"{ended.seconds:.0f} | {ended.processor:.1f} | {ended.megabytes:.0f} |", flush=True)
        return False
    told = json.loads(ended.output)
    print(f"| {shipped.name} | {told['of']} | {told['judged']} | {told['decided']} | "
          f"{told['answer'].partition(';')[0]} | {ended.seconds:.0f} | {ended.processor:.1f} | "
          f"{ended.megabytes:.0f} |", flush=True)
    return True


def _faults(models: list[tuple[Shipped, Path]], count: int, seed: int, alone: bool) -> int:
    """Print each planted fault, and what was named; 1 if one in thirty or more was not."""
    print(f"seed {seed}; a fault counts if what the node gives breaks a clause of its specification", flush=True)
    named = total = 0
    for shipped, path in models:
        for node, fault, first in planted(path, shipped.options, count, seed, alone):
            total, named = total + 1, named + (first == node)
            print(f"{shipped.name}: {node}: {fault}: {'named' if first == node else f'first wrong node: {first}'}",
                  flush=True)
    print(f"{named} of {total} are named as the first wrong node")
    return int(not total or named < total * 29 / 30)


if __name__ == "__main__":
    raise SystemExit(main())
