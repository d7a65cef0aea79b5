"""The command `plumbline model`: try a model, and write record and page."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import get_terminal_size

import click
import numpy as np

from plumbline.backends import find_backend
from plumbline.commands.base import FAILED, Commands, Number, size_of
from plumbline.oracle.check.selection import texts
from plumbline.oracle.safe_text import safe
from plumbline.oracle.specification import operators
from plumbline.reports import write_html
from plumbline.reports.text import folded
from plumbline.trial.campaign.progress import nodes_done
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.against import compare_against
from plumbline.trial.model.bound_run import BoundRun
from plumbline.trial.model.chosen_sizes import chosen_sizes
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.independent_run import run_independently
from plumbline.trial.model.input_ranges import Range
from plumbline.trial.model.inputs import InputError, drawn_inputs, open_sizes, options_of, read_inputs
from plumbline.trial.model.model_record import record_of, write_record
from plumbline.trial.model.spans import search_span
from plumbline.trial.model.text_output import as_json, as_text
from plumbline.trial.model.trial import ModelTrial
from plumbline.trial.model.writer import ModelWriter
from plumbline.trial.record.recording import Record
from plumbline.trial.run.paths import file_name, unfinished

commands = Commands("model")
path = click.Path(path_type=Path)

KEEP_EVERY = 10.0
"""Seconds after which what a trial has judged is written, so that a kill loses no more."""


@commands.command("model")
@click.argument("file", metavar="MODEL.onnx", type=path)
@click.option("--backend", default="onnxruntime", metavar="NAME[==VERSION]", help="Named as in a conformance run; "
              "default onnxruntime.")
@click.option("--python", type=path, metavar="PATH", help="Interpreter of the environment that the backend lives in.")
@click.option("--spec", "globs", multiple=True, default=("onnx/*",), metavar="GLOB", help="Specifications that judge; "
              "repeatable. Default onnx/*, in the versions that the model's opset selects.")
@click.option("--inputs", "given", type=path, metavar="FILE.npz|DIR", help="Arrays by the names of the model's inputs, "
              "or a folder of input_N.pb in their order; missing ones are random.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Seed of random inputs; default 0.")
@click.option("--size", "sizes", multiple=True, metavar="SYMBOL=N", help="An open size of random inputs, as "
              "INPUT.AXIS=N where it is not named; repeatable. By default a first axis is 1, and others are chosen.")
@click.option("--range", "spans_of_values", multiple=True, metavar="NAME=LO:HI|A..B", help="Limits of the random "
              "values of one input, or of all other floats, both included; repeatable. Default: floats of a normal "
              "distribution, integers by their use.")
@click.option("--special", "specials", multiple=True, type=float, metavar="VALUE", help="A value to put into some "
              "places of every random float input: nan, inf, -inf, -0.0, 1e-45; repeatable.")
@click.option("--probe", is_flag=True, help="Also run each node alone with fault-revealing values.")
@click.option("--spans", is_flag=True, help="Find the smallest span of nodes that gives another result together, as "
              "the backend optimises them, than one by one. Keeps every inner tensor in memory.")
@click.option("--independent", is_flag=True, help="Compare the final outputs with those of a run through the "
              "definitions of the operators, node by node.")
@click.option("--bound", is_flag=True, help="State what all conforming implementations can give for the final outputs, "
              "and from which node on that says nothing.")
@click.option("--against", type=path, metavar="FLOAT.onnx", help="The float model that this one was quantised from: "
              "compare final outputs and inner tensors, and name the nodes that lose most.")
@click.option("--write-models", "folder", type=path, metavar="DIR", help="Write each wrong node, and the span, with "
              "inputs as a model of its own.")
@click.option("--report-dir", type=path, default=Path("reports/out"), metavar="DIR", help="Where record and page go; "
              "default reports/out.")
@click.option("--allow-undecided", is_flag=True, help="Exit with 0 although some node is undecided, or outputs are not "
              "finite.")
@click.option("--strict", is_flag=True, help="Known divergences count as new ones: status 1.")
@click.option("--json", "as_object", is_flag=True, help="One JSON object; the same as --format json.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="Default text.")
@click.option("--time-limit", type=Number(0, 86400, min_open=True), default=20.0, metavar="SECONDS",
              help="For one call, and one more for each 8 MB that are sent; default 20.")
def model(file: Path, backend: str, python: Path | None, globs: tuple[str, ...], given: Path | None, seed: int,
          sizes: tuple[str, ...], spans_of_values: tuple[str, ...], specials: tuple[float, ...], probe: bool,
          spans: bool, independent: bool, bound: bool, against: Path | None, folder: Path | None, report_dir: Path,
          allow_undecided: bool, strict: bool, as_object: bool, shape: str, time_limit: float) -> int:
    """Run a model on a backend, and find the first node with outputs that its specification does not allow.

    Each node is judged on the inputs that it received, alone and in place. Exit status: 0 if nothing new is wrong; 1 if
    something is, or the backend does not run the model; 2 if the model could not be tried, no node has a specification,
    a node with one is undecided, or outputs are not finite although the inputs are (see --allow-undecided). A trial
    that is interrupted keeps what it has judged, as NAME.unfinished.jsonl and a page, and ends with 2.
    """
    graph = Graph(file)
    between, ranges = _ranges(spans_of_values)
    known_sizes = dict(map(size_of, sizes))

    def draw(sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
        return drawn_inputs(graph, seed, sizes, between, specials, ranges)

    if given is not None:
        inputs = read_inputs(given, graph.inputs)
    elif open_sizes(graph.inputs).keys() <= known_sizes.keys():
        inputs = draw(known_sizes)
    else:
        inputs = None  # the backend tells which sizes it runs
    report_dir.mkdir(parents=True, exist_ok=True)  # before anything runs
    writer = ModelWriter(folder) if folder is not None else None
    implementation = find_backend(backend, python)
    host, trial = implementation.start(), None  # it starts while the specifications are read
    options = {"model": file.name, "inputs": given.name if given else "", "seed": seed, "spec": ", ".join(globs)}
    unfinished_ones = list[Record]()

    def keep() -> Record | None:
        """Write what is judged so far."""
        if trial is None or not trial.judged:
            return None
        with trial.interrupted_here():
            record = record_of(trial, unfinished(path), _typed(), options, backend)
        write_record(record)
        unfinished_ones.append(record)
        return record

    try:
        asked = texts(globs)
        judging = {text.name for text in asked}
        about = {name for operator in graph.operators for name in operators().get(operator, ())
                 if name.partition("@")[0] in judging}
        known = KnownDivergences.load(implementation.adapter, host.identity.version, about=about)
        path = report_dir / f"{file_name(f'{file.stem}-on-{host.identity.name}-{host.identity.version}')}.jsonl"
        if inputs is None:
            chosen = chosen_sizes(graph, known_sizes, draw, host, time_limit)
            inputs = draw({**known_sizes, **chosen})  # which proposes all that lack where none was chosen
            graph.notes.append("sizes that the model leaves open were chosen, the first with which it runs: "
                               f"{options_of(chosen)}")
        trial = ModelTrial(graph, host, known, asked, inputs, time_limit, probe)
        if writer is not None:
            trial.wrong_case = writer.node
        with nodes_done(2 * len(trial.every) - len(trial.inner), sys.stderr) as done:
            trial.progress = _now_and_then(done, keep)
            trial.run()
            if spans:
                search_span(trial)
        if independent:
            trial.independent = run_independently(trial)
        if bound:
            trial.bound = BoundRun(trial).run()
        if against is not None:
            trial.against = compare_against(trial, against)
        if writer is not None and trial.span is not None:
            writer.span(trial.span)
    except KeyboardInterrupt:
        record = keep()
        if record is None or record.footer is None:
            raise
        click.echo(safe(f"{record.footer.not_done[0]}; what was judged is in {_page(record)}"), err=True)
        return FAILED
    finally:
        host.close()
    record = record_of(trial, path, _typed(), options, backend)
    if trial.judged:
        write_record(record)
    for each in unfinished_ones[:1]:
        each.path.unlink(missing_ok=True)
    written = [str(model) for model in writer.written] if writer is not None else []
    status = trial.status(allow_undecided, strict)
    if as_object or shape == "json":
        places = {"record": str(record.path), "report": str(_page(record))} if trial.judged else {}
        print(json.dumps({**as_json(record, status, written), **places}, indent=2))
        return status
    width = get_terminal_size().columns if sys.stdout.isatty() else 0  # elsewhere lines stay whole
    print(*(part for line in as_text(record) for part in folded(line, width)),
          *(f"model   {safe(model)}" for model in written), sep="\n", flush=True)
    if trial.judged:  # the answer need not wait for the page
        print(f"record  {safe(str(record.path))}\nreport  {safe(str(_page(record)))}")
    return status


def _now_and_then(done: Callable[[int], None], keep: Callable[[], object]) -> Callable[[int], None]:
    """Return `done`, which now also calls `keep` every `KEEP_EVERY` seconds."""
    last = time.monotonic()

    def advance(steps: int) -> None:
        nonlocal last
        done(steps)
        if time.monotonic() - last >= KEEP_EVERY:
            keep()
            last = time.monotonic()
    return advance


def _page(record: Record) -> Path:
    """Write the page of a record beside it."""
    return write_html([record], record.path.with_suffix(".html"))


def _typed() -> str:
    """Return the command as it was typed."""
    return shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])


def _ranges(texts: tuple[str, ...]) -> tuple[Range | None, dict[str, Range]]:
    """Return the range of all floats, None by default, and those of single inputs. Raises InputError."""
    between, ranges = None, dict[str, Range]()
    for text in texts:
        name, equals, ends = text.rpartition("=")
        try:
            low, high = map(float, ends.split(":" if equals else ".."))
        except ValueError:
            low, high = 1.0, 0.0
        if not -float("inf") < low <= high < float("inf") or low == high and not equals:
            raise InputError(f"--range {text}: write A..B or NAME=LO:HI, two numbers, the smaller one first")
        if equals:
            ranges[name] = low, high
        else:
            between = low, high
    return between, ranges
