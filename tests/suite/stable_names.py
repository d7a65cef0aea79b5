"""Everything that CHANGELOG calls stable, listed from the code.

`python -m tests.suite.stable_names` writes the list of a release to tests/suite/stable/; it is frozen in between.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import plumbline.cases
import plumbline.oracle
from plumbline.cases.format.loader import case_files
from plumbline.cases.format.schema import TENSORS, CaseFile, with_default_inputs
from plumbline.cases.format.variants import variants
from plumbline.cases.format.withdrawn import withdrawn
from plumbline.commands.main import commands
from plumbline.oracle import load_spec, spec_names
from plumbline.oracle.clause import Versions
from plumbline.oracle.files import read_text
from plumbline.oracle.yaml_text import load
from plumbline.trial.run.options import RunOptions, flag

PYTHON_NAMES = {plumbline.oracle: ("Call", "load_spec"), plumbline.cases: ("generate_cases", "load_cases")}
FOLDER = Path(__file__).with_name("stable")


def _options(command: click.Command, name: str) -> Iterator[str]:
    """Each command, option and exit status, on one line each."""
    yield name
    context = click.Context(command)
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            subcommand = command.get_command(context, word)
            assert subcommand is not None
            yield from _options(subcommand, f"{name} {word}")
    for parameter in command.params:
        for word in [*parameter.opts, *parameter.secondary_opts] if isinstance(parameter, click.Option) else []:
            yield f"{name} {word}"
    stated = re.search(r"Exit status:(.*)", command.help or "", re.S)
    for status in re.findall(r"\b([0-3])\b", stated[1] if stated else ""):
        yield f"{name} ends with {status}"


def _keys(schema: dict[str, Any], name: str) -> Iterator[str]:
    """Each key of the objects of a JSON Schema."""
    for part in (schema, *schema.get("$defs", {}).values()):
        for key in part.get("properties", {}):
            yield f"schema {name}: {key}"


def interfaces() -> Iterator[str]:
    """Commands, options, exit statuses, keys of files, and Python names."""
    yield from _options(commands, "plumbline")
    for name in RunOptions.model_fields:
        yield f"pytest {flag(name)}"
        yield f"[tool.plumbline] {name}"
    for name in ("capabilities", "case", "known", "record"):
        printed = commands.get_command(click.Context(commands), "schema")
        assert printed is not None
        yield from _keys(json.loads(_printed(printed, name)), name)
    for module, names in PYTHON_NAMES.items():
        yield from (f"from {module.__name__} import {name}" for name in names if hasattr(module, name))


def _printed(command: click.Command, argument: str) -> str:
    from click.testing import CliRunner

    return CliRunner().invoke(command, [argument], catch_exceptions=False).output


def addresses() -> Iterator[str]:
    """The clauses of each specification, on one line."""
    for name in spec_names():
        yield " ".join([name, *sorted(address.partition("#")[2] for address in load_spec(name).clauses)])


def case_ids() -> Iterator[str]:
    """The ids of the hand-written cases of each specification, withdrawn ones as well, on one line."""
    ids: dict[str, list[str]] = {}
    for path in case_files():
        data = with_default_inputs(load(read_text(path), TENSORS))
        file = CaseFile.model_validate(data)  # the cases themselves would take long to make
        texts = [file.spec] if isinstance(file.spec, str) else file.spec
        held = {text: [name for name in spec_names() if text in (name, name.partition("@")[0])] for text in texts}
        has_versions = {text: any("@" in name for name in names) for text, names in held.items()}
        for entry, raw in zip(file.cases, data["cases"], strict=True):
            for own, case in variants(entry, raw, file.defaults.but, has_versions):
                for name in (name for text in own for name in held[text]):
                    version = name.partition("@")[2]
                    if case.versions is None or version and int(version) in Versions.parse(case.versions):
                        ids.setdefault(name, []).append(case.id)
    for name in spec_names():
        ids.setdefault(name, []).extend(withdrawn(name))
    for name in sorted(filter(ids.get, ids)):
        yield " ".join([name, *sorted(ids[name])])


LISTS = {"interfaces": interfaces, "addresses": addresses, "case-ids": case_ids}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for title, lines in LISTS.items():
        (FOLDER / f"{title}.txt").write_text("".join(f"{line}\n" for line in dict.fromkeys(lines())), encoding="utf-8")
