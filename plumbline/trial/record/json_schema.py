"""Return the JSON Schema of a line of a record."""

from __future__ import annotations

import json

from plumbline.trial.record.header import FORMAT
from plumbline.trial.record.lines import LINES

SCHEMA_COMMAND = "plumbline schema record"


def schema_text() -> str:
    """Return the schema, as `plumbline schema record` prints it."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": f"generated: {SCHEMA_COMMAND}",
              "title": f"A line of a Plumbline record, format {FORMAT}", **LINES.json_schema()}
    return json.dumps(schema, indent=2) + "\n"
