"""The options of a campaign on the command line, and what they come to."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import NoReturn

from plumbline.backends import MEMORY_LIMIT
from plumbline.oracle import load_spec
from plumbline.trial.campaign import CampaignError
from plumbline.trial.engines import ENGINES, Engine, make_engine
from plumbline.trial.session import forms
from plumbline.trial.shards import SHARD, Job


class OneLine(argparse.ArgumentParser):
    """Says in one line what is wrong with its arguments."""

    def error(self, message: str) -> NoReturn:
        """The exit status is 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("--spec", required=True, metavar="NAME", help="one specification, such as onnx/maxpool@12")
    parser.add_argument("--backend", required=True, metavar="NAME", help="who is tried, named as in a conformance run")
    parser.add_argument("--form", help="Y or Y+Indices; by default every output")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the calls; default 0")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--calls", type=int, metavar="COUNT", help="the first so many calls of the seed")
    which.add_argument("--range", metavar="A..B", help="calls A to B - 1 of the seed")
    parser.add_argument("--workers", type=int, metavar="N",
                        help="processes of this machine; default 1, and 2 for a Dask cluster that is started")
    parser.add_argument("--shard", type=int, metavar="COUNT", help="calls that a worker is given at once; default "
                        + ", ".join(f"{size} with --host {host}" for host, size in SHARD.items()))
    parser.add_argument("--engine", choices=ENGINES, default="local", help="who works on it; default local")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, such as tcp://10.0.0.1:8786; by "
                        "default one is started on this machine")
    parser.add_argument("--host", choices=SHARD, default=next(iter(SHARD)), help="where the backend runs: in a "
                        "process of its own (the default), or, faster, in that of the worker, which a crash then ends")
    parser.add_argument("--python", metavar="PATH", help="interpreter of the environment that the backend lives in")
    parser.add_argument("--time-limit", type=float, default=20.0, metavar="SECONDS", help="for one call; default 20")
    parser.add_argument("--memory-limit", type=int, default=MEMORY_LIMIT, metavar="MIB",
                        help=f"for a backend in a process of its own; default {MEMORY_LIMIT}")
    parser.add_argument("--out", type=Path, metavar="RECORD", help="default reports/out/campaign-....jsonl")
    parser.add_argument("--resume", action="store_true", help="go on with the campaign that was interrupted")


def whole_of(options: argparse.Namespace) -> Job:
    """All calls of the campaign. Raises CampaignError, SpecError."""
    start, stop = (0, options.calls) if options.range is None else _range(options.range)
    if options.python is not None and not Path(options.python).exists():
        raise CampaignError(f"--python {options.python}: there is no such interpreter")
    form = options.form or forms(load_spec(options.spec))[-1]
    return Job(options.spec, options.backend, form, options.seed, start, stop, options.time_limit,
               options.memory_limit, options.host, options.python)


def engine_of(options: argparse.Namespace) -> Engine:
    """Who works on it. Raises CampaignError, and EngineError where a package is missing."""
    if options.scheduler is not None and options.engine != "dask":
        raise CampaignError("--scheduler is the address of a Dask cluster: give --engine dask with it")
    if options.scheduler is not None and options.workers is not None:
        raise CampaignError("--workers is for processes of this machine; the cluster of --scheduler has its own")
    if (options.shard is not None and options.shard < 1) or options.workers is not None and options.workers < 1:
        raise CampaignError("--workers and --shard are one or more")
    return make_engine(options.engine, options.workers, options.scheduler)


def _range(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]+)\.\.([0-9]+)", text)
    if match is None:
        raise CampaignError(f"--range {text!r} is not of the form 0..1000000")
    return int(match[1]), int(match[2])
