"""Turns a line of a record into a YAML case: what was found becomes what is always tried."""

from __future__ import annotations

from typing import Any

from cases.writing import as_yaml
from trial.record import Record

SPECIALS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}


def promoted(record: Record, case_id: str) -> str:
    """The case as a YAML list of one. Raises LookupError when the record holds no such line, or not its whole input."""
    line = next((line for line in record.cases if line["id"] == case_id and "call" in line), None)
    if line is None:
        raise LookupError(f"{record.path}: no line {case_id!r} with its call; conforming lines keep none")
    tensors = line["call"]["inputs"]
    if any("offset" in tensor for tensor in tensors.values()):
        raise LookupError(f"{record.path}: the input of {case_id!r} is too large to be kept whole")
    clauses = [address.partition("#")[2] for address in line["clauses"] or line["covers"]]
    who = f"{record.header['backend']['name']} {record.header['backend']['version']}"
    entry: dict[str, Any] = {
        "id": f"found-{case_id}", "title": line["title"], "clauses": clauses,
        "source": f"{line['source']}; {line['verdict']} on {who}", "opset": line["opset"], "dtype": line["dtype"],
        "attributes": line["call"]["attributes"],
        "inputs": {name: _special(tensor["values"]) for name, tensor in tensors.items()}}
    if "expected" in line:
        entry["expect"] = {"outputs": {name: _special(tensor["values"]) for name, tensor in line["expected"].items()}}
    else:
        entry["expect"] = {"outside": clauses}
    return as_yaml([entry])


def _special(value: Any) -> Any:
    return [_special(item) for item in value] if isinstance(value, list) else SPECIALS.get(value, value)
