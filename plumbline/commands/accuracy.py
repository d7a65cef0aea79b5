"""The command `plumbline accuracy`: measure and plot errors of functions."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click
from tqdm import tqdm

from plumbline.backends import BackendError, Host, StartError, find_backend
from plumbline.commands.base import FAILED, Commands
from plumbline.oracle.files import write_file
from plumbline.oracle.safe_text import safe
from plumbline.reports.accuracy_page import accuracy_page, plot_name, summary
from plumbline.reports.power_plots import described_map, power_plot
from plumbline.reports.ulp_plots import ulp_plot
from plumbline.trial.accuracy.every_float32 import SHARDS, SIZE, Progress, every_float32
from plumbline.trial.accuracy.functions import DTYPES, AccuracyError, Function, functions_named
from plumbline.trial.accuracy.measure import measured
from plumbline.trial.accuracy.measurement import Measurement, write_measurements
from plumbline.trial.accuracy.power_map import DTYPE, PowerMap, power_map
from plumbline.trial.run.header_builder import code_digest

EVERY = 10.0
"""Seconds between lines of progress."""

PAGE, DATA, MAP = "measured.md", "measurements.json", "pow-map-float16.svg"

commands = Commands("accuracy")


@commands.command("accuracy")
@click.argument("functions", nargs=-1, metavar="[FUNCTION]...")
@click.option("--backend", "backends", multiple=True, default=("onnxruntime",), metavar="NAME",
              help="A backend, named as in a conformance run; repeatable; default onnxruntime.")
@click.option("--dtype", "dtypes", multiple=True, default=DTYPES, type=click.Choice(DTYPES), metavar="TYPE",
              help=f"An element type, of {', '.join(DTYPES)}; repeatable; default all.")
@click.option("--inputs", type=click.IntRange(2, 1 << 20), metavar="N", help="Numbers drawn for each sign and "
              "binade of float32, or eight binades of float64; default 256 and 96. Of 16-bit types all are tried.")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Seed of the numbers; default 0.")
@click.option("--every-float32", "every", is_flag=True, help="Instead: all 2^32 numbers of float32. It continues where "
              "it was interrupted.")
@click.option("--every", "every_type", type=click.Choice(["float32"]), help="The same, named as in a campaign.")
@click.option("--shards", metavar="A..B", help="With --every-float32: only the shards A to B - 1 of 512, each of one "
              "sign and binade, in the order of bits.")
@click.option("--output", type=click.Path(path_type=Path, file_okay=False), default=Path("reports/out/accuracy"),
              metavar="DIR", help="Where the files go; default reports/out/accuracy here.")
def accuracy(functions: tuple[str, ...], backends: tuple[str, ...], dtypes: tuple[str, ...], inputs: int | None,
             seed: int, every: bool, every_type: str | None, shards: str | None, output: Path) -> int:
    """Measure the error of functions in ulp over their inputs, and draw it.

    FUNCTION is an operator with one number for each number, such as Exp, or Pow, which is measured by the exponents
    0.5, 2, 3, -1 and 10; default all that have real values in the oracle. DIR gets measurements.json, an SVG for each
    function and type, and measured.md, a page with all of them. It measures and judges nothing.

    Exit status: 0, or 2 if a backend did not start or nothing was measured.
    """
    chosen, every = functions_named(functions), every or every_type is not None
    if every or shards:
        return _every(chosen, backends, dtypes, _span(shards), bool(functions) and every, output)
    command = _command(functions, backends, dtypes, inputs, seed, output)
    done: list[Measurement] = []
    powers = None
    with _started(backends) as hosts:
        for function in chosen:
            for dtype in dtypes:
                if function.takes(dtype):
                    done.append(measured(function, dtype, hosts, seed, inputs))
                    print(*map(safe, summary(done[-1])), sep="\n", flush=True)
        if DTYPE in dtypes and any(function.exponent is not None for function in chosen):
            powers = power_map(hosts, seed)
    if not done:
        raise AccuracyError(f"no function of {', '.join(functions)} takes {', '.join(dtypes)}")
    _write(done, output, command, powers)
    return 0 if any(series.ulp for entry in done for series in entry.series) else FAILED


def _every(chosen: list[Function], backends: tuple[str, ...], dtypes: tuple[str, ...], span: range, is_asked: bool,
           output: Path) -> int:
    """Measure all numbers of float32, of each function and backend after the other."""
    if not is_asked or any(function.exponent is not None for function in chosen):
        raise AccuracyError("--every-float32 needs names of functions of one number, such as Exp; --shards needs it")
    if dtypes not in (DTYPES, ("float32",)):
        raise AccuracyError("--every-float32 is about float32; leave --dtype out")
    done: list[Measurement] = []
    files: list[Path] = []
    with _started(backends) as hosts:
        for function in chosen:
            parts = []
            for label, host in hosts.items():
                files.append(output / f"{function.file}-{re.sub(r'[^A-Za-z0-9_.-]+', '-', label)}.progress")
                parts.append(_every_of(function, host, span, files[-1]))
            done.append(replace(parts[0], series=[series for part in parts for series in part.series]))
            print(*map(safe, summary(done[-1])), sep="\n", flush=True)
    words = ["--every-float32", *(["--shards", f"{span.start}..{span.stop}"] if len(span) < SHARDS else [])]
    named = [word for name in backends for word in ("--backend", name)]
    _write(done, output, shlex.join(["plumbline", "accuracy", *(function.name for function in chosen), *named, *words,
                                     "--output", str(output)]))
    for path in files if len(span) == SHARDS else []:
        path.unlink()
    return 0


def _every_of(function: Function, host: Host, span: range, path: Path) -> Measurement:
    """Measure one function on one backend, and report how long it takes.

    `span` has the numbers of the shards to measure, and `path` is the file that keeps finished shards."""
    progress = Progress.read(path, {"function": function.name, "backend": str(host.identity),
                                    "specification": function.spec.digest, "suite": code_digest()})
    before = sum(number in progress.shards for number in span)
    if before:
        print(f"{before} of {len(span)} shards were done before ({path})", file=sys.stderr)
    last, state = time.monotonic(), (0, 0.0)

    def report(done: int, seconds: float) -> None:
        nonlocal last, state
        state = done, seconds
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            left = tqdm.format_interval(seconds / done * (len(span) - before - done))
            print(f"{function.name}: {before + done} of {len(span)} shards, {done * SIZE / seconds:,.0f} values/s, "
                  f"{left} left", file=sys.stderr, flush=True)

    try:
        measurement = every_float32(function, host, progress, span, report)
    except KeyboardInterrupt:
        print(f"{len(progress.shards)} shards are in {path}; the same command continues", file=sys.stderr)
        raise
    done, seconds = state
    if done:
        rate, every = done * SIZE / seconds, SHARDS * SIZE
        print(f"{function.name}: {done * SIZE:,} values in {seconds:.1f} s, {rate:,.0f} a second; all {every:,} take "
              f"{tqdm.format_interval(every / rate)}")
    return measurement


def _span(text: str | None) -> range:
    """Read A..B. Raises AccuracyError."""
    match = re.fullmatch(r"([0-9]{1,3})\.\.([0-9]{1,3})", text or f"0..{SHARDS}")
    if match is None or not int(match[1]) < int(match[2]) <= SHARDS:
        raise AccuracyError(f"--shards {text!r} is not of the form 0..{SHARDS}")
    return range(int(match[1]), int(match[2]))


def _write(done: list[Measurement], output: Path, command: str, powers: PowerMap | None = None) -> None:
    """Write data, plots and page."""
    plots, of_powers = {}, None
    for entry in done:
        plots[plot_name(entry)] = f"{plot_name(entry)}.svg"
        write_file(output / plots[plot_name(entry)], ulp_plot(entry))
    if powers:
        of_powers = described_map(powers), MAP
        write_file(output / MAP, power_plot(powers))
    write_measurements(output / DATA, done, command)
    print(f"page  {write_file(output / PAGE, accuracy_page(done, plots, command, of_powers))}")


@contextmanager
def _started(names: tuple[str, ...]) -> Iterator[dict[str, Host]]:
    """Start backends; by name and version."""
    hosts: dict[str, Host] = {}
    try:
        for name in dict.fromkeys(names):
            try:
                host = find_backend(name).start()
            except StartError as error:
                raise BackendError(f"{name}: {error}") from None
            label = str(host.identity)
            hosts[label if label not in hosts else f"{label} ({name})"] = host
        yield hosts
    finally:
        for host in hosts.values():
            host.close()


def _command(functions: tuple[str, ...], backends: tuple[str, ...], dtypes: tuple[str, ...], inputs: int | None,
             seed: int, output: Path) -> str:
    """Return the command that measures the same again."""
    options = [*(("--backend", name) for name in backends),
               *(("--dtype", name) for name in dtypes if dtypes != DTYPES),
               *([("--inputs", str(inputs))] if inputs else []), *([("--seed", str(seed))] if seed else []),
               ("--output", str(output))]
    return shlex.join(["plumbline", "accuracy", *functions, *(word for option in options for word in option)])
