"""Speed, measured side by side in one run: judged calls a second, the fast oracle beside kernels, models on trial.

    python -m tests.bench [--calls COUNT] [--models [TEXT]]

Figures of a shared machine vary; the ratios are what counts.
"""

from __future__ import annotations

import argparse
import subprocess
from itertools import chain
from pathlib import Path

from plumbline.backends import StartError
from plumbline.commands.base import leave
from tests.bench.clock import per_second
from tests.bench.in_c import program_in_c
from tests.bench.judging import OWN, SPECIFICATIONS, campaign, drawn_and_judged, hypothesis_loop, onnx_runner
from tests.bench.kernels import milliseconds, milliseconds_of_torch
from tests.bench.models import MODELS, trial
from tests.bench.real import Cost, costs


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the options. Raises SystemExit after --help and for wrong options."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1 << 15, help="of a campaign in each round; default %(default)s")
    parser.add_argument("--models", nargs="?", const="", metavar="TEXT", help="only the models of packages whose names "
                        "contain it, which are downloaded once, beside Polygraphy in an environment of its own")
    parser.add_argument("--folder", type=Path, default=Path("reports/out/models"), help="for downloads")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = parsed(arguments)
    if options.models is not None:
        _print_real_models(options.folder, options.models)
        return 0
    _print_judging(options.calls)
    print()
    _print_kernels()
    print()
    _print_models()
    print()
    _print_real_models(options.folder, "")
    return 0


def _print_real_models(folder: Path, chosen: str) -> None:
    print("models of packages on trial on ONNX Runtime, from the command to the page; the limit: twice the time that\n"
          "Polygraphy takes with every tensor marked, and a second for each hundred nodes\n"
          "| model | nodes | s | processor s | MB | Polygraphy s | processor s | MB | limit s |\n"
          "|---|---|---|---|---|---|---|---|---|", flush=True)
    try:
        for name, nodes, trial, polygraphy in costs(folder, chosen):
            limit = f"{2 * polygraphy.seconds + nodes / 100:.1f}" if not polygraphy.why else ""
            print(f"| {name} | {nodes} | {_cells(trial)} | {_cells(polygraphy)} | {limit} |", flush=True)
    except (StartError, subprocess.CalledProcessError) as error:
        print(f"NOT MEASURED: {' '.join(str(error).split())}")


def _cells(cost: Cost) -> str:
    if cost.why:
        return f"{cost.why} | | "
    return f"{cost.seconds:.1f} | {cost.of_processors:.1f} | {cost.megabytes:.0f}"


def _print_models() -> None:
    print("a model on trial on ONNX Runtime, from the command to the page")
    for name, make in MODELS.items():
        seconds, megabytes = trial(make)
        print(f"  {name:40} {seconds:7.0f} s {megabytes:6.0f} MB at most")


def _print_judging(calls: int) -> None:
    works = {"ONNX's own runner, pooling": onnx_runner()}
    for spec, form in SPECIFICATIONS.items():
        works[f"Hypothesis loop, {spec}"] = hypothesis_loop(spec, form)
        works[f"campaign, {spec}"] = campaign(spec, form, calls)
    with program_in_c() as in_c:
        works["sonnx/maxpool in C, by stdio:"] = in_c
        works |= {f"drawn and judged, {spec}": drawn_and_judged(spec) for spec in OWN}
        rates = per_second(works)
    slowest = rates["ONNX's own runner, pooling"]
    print("judged calls a second on ONNX Runtime, one process: build, session, run, judge, record;\n"
          "on a program in C: build, put, judge, count;\n"
          "and without a runtime, each call with attributes and shapes of its own: draw, judge")
    for name, rate in rates.items():
        print(f"  {name:42} {rate:8.0f}  {rate / slowest:6.1f} x")


def _print_kernels() -> None:
    table = milliseconds()
    try:
        for name, value in milliseconds_of_torch().items():
            table[name]["torch"] = value
    except StartError as error:
        print(f"NOT MEASURED: torch: {' '.join(str(error).split())}")
    print("milliseconds for one MaxPool with Indices, and how many times that is of ONNX Runtime's kernel")
    for who in dict.fromkeys(chain.from_iterable(table.values())):
        cells = [f"{row[who]:9.3f} {row[who] / row['onnxruntime']:6.2f} x" if who in row else f"{'-':>18}"
                 for row in table.values()]
        print(f"  {who:18} {'  '.join(cells)}")
    print(f"  {'':18} {'  '.join(f'{name:>18}' for name in table)}")


if __name__ == "__main__":
    leave(main)
