"""`plumbline conformance`: the main job, as a pytest run of its own that no configuration of a repository reaches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from plumbline.commands.base import Commands
from plumbline.trial.run.options import OptionError, RunOptions, flag, is_repeatable, metavar, read_options

ALIASES = {"backend_name": "--name", "backend_version": "--version"}
"""Options that pytest has for something else."""

PYTEST = ("--pyargs", "plumbline.conformance", "-c", os.devnull, "--rootdir", ".", "--import-mode", "importlib",
          "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest",
          "-p", "no:unraisableexception", "-W", "ignore::pytest.PytestAssertRewriteWarning")

commands = Commands("conformance", errors=(OptionError,))


def _options(command: Any) -> Any:
    for name, field in reversed(RunOptions.model_fields.items()):
        command = click.option(flag(name), *filter(None, [ALIASES.get(name)]), name, metavar=metavar(name),
                               multiple=is_repeatable(name), help=field.description)(command)
    return command


@commands.command("conformance", context_settings={"ignore_unknown_options": True})
@_options
@click.option("--strict", is_flag=True, help="Let known divergences fail too.")
@click.argument("pytest_options", nargs=-1, type=click.UNPROCESSED)
def conformance(strict: bool, pytest_options: tuple[str, ...], **given: Any) -> int:
    """Try backends on every case of every specification, and write a record and a page for each.

    Options may also stand in [tool.plumbline] of pyproject.toml, where --spec is called specs. Any other option is
    pytest's: -k EXPRESSION chooses cases, -x stops at the first failure, --junitxml FILE writes JUnit XML.

    Exit status: 0 nothing new, 1 divergences, refusals, crashes or hangs that are not known, or known ones that are
    gone, 2 the run could not be done, or not all of it.
    """
    read_options(given, Path.cwd())
    words = [word for name, value in given.items() for word in _words(name, value)]
    status = pytest.main([*PYTEST, "-q", "--tb=short", *(["--strict"] if strict else []), *words, *pytest_options])
    return min(int(status), 2)  # pytest's own statuses above 2 are ways of not doing it


def _words(name: str, value: Any) -> Iterator[str]:
    for part in value if isinstance(value, tuple) else [] if value is None else [value]:
        yield f"{flag(name)}={part}"
