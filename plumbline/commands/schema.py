"""The command `plumbline schema`: print JSON Schemas of the suite's files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from plumbline.backends import capabilities
from plumbline.cases.format import schema as case
from plumbline.commands.base import Commands
from plumbline.trial.known import register_file
from plumbline.trial.record import json_schema

commands = Commands("schema")


def _protocol() -> str:
    return (Path(capabilities.__file__).parent / "protocol.schema.json").read_text(encoding="utf-8")


TEXTS: dict[str, Callable[[], str]] = {
    "capabilities": capabilities.schema_text, "case": case.schema_text, "known": register_file.schema_text,
    "protocol": _protocol, "record": json_schema.schema_text}


@commands.command("schema")
@click.argument("name", type=click.Choice(list(TEXTS)))
def schema(name: str) -> None:
    """Print a JSON Schema, for editors and validators.

    capabilities: what --capabilities takes; case: a file of cases; known: a file of known divergences; protocol: a
    message of stdio:; record: a line of a record.
    """
    print(TEXTS[name](), end="")
