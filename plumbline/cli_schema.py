"""`plumbline schema`: the JSON Schemas of what is written for the suite and by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from plumbline.backends import capabilities
from plumbline.cases import schema as case
from plumbline.oracle.cli import Commands
from plumbline.trial import known_file, record_schema

commands = Commands("schema")


def _protocol() -> str:
    return (Path(capabilities.__file__).parent / "protocol.schema.json").read_text(encoding="utf-8")


TEXTS: dict[str, Callable[[], str]] = {
    "capabilities": capabilities.schema_text, "case": case.schema_text, "known": known_file.schema_text,
    "protocol": _protocol, "record": record_schema.schema_text}


@commands.command("schema")
@click.argument("name", type=click.Choice(list(TEXTS)))
def schema(name: str) -> None:
    """Print a JSON Schema, for editors and validators.

    capabilities: what --capabilities takes; case: a file of cases; known: a file of known divergences; protocol: a
    message of stdio:; record: a line of a record.
    """
    print(TEXTS[name](), end="")
