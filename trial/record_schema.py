"""The JSON Schema of a line: `python -m plumbline.trial.record_schema` writes `trial/record.schema.json` anew."""

from __future__ import annotations

import json
from pathlib import Path

from plumbline.oracle.files import write_file
from plumbline.trial.record import LINES
from plumbline.trial.record_header import FORMAT

SCHEMA_FILE = Path(__file__).with_name("record.schema.json")
SCHEMA_COMMAND = "python -m plumbline.trial.record_schema"


def schema_text() -> str:
    """The schema as JSON."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": f"generated: {SCHEMA_COMMAND}",
              "title": f"A line of a Plumbline record, format {FORMAT}", **LINES.json_schema()}
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    write_file(SCHEMA_FILE, schema_text())
