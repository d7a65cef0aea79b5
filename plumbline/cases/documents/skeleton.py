"""Make the files of a new specification from an ONNX operator's schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnx.defs import OpSchema

from plumbline.oracle.schema_front import front_of
from plumbline.oracle.schema_sync import facts_of, schemas, written

_TEXT = """---
specification: {name}
---

# ONNX {operator}

TODO: what the operator does, in one sentence of your own. {guide}
explains tags and fields; *source* is the place in the documentation of the operator.

## Outputs
"""

_GUIDE = "[The guide to specifications](../README.md)"
"""The link in a clone; from other folders the address of that page is unknown."""

_OUTPUT = """
### `{name}`: tensor

- **`C1`** *Shape.* TODO: the size of {name} on each axis.
  - source: Summary
- **`{value}`** *Value.* TODO: each element of {name}.
  - source: Summary
"""

_DEFINITION = '''"""ONNX {operator}: the definition of `{path}`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.operator import Choose, Operator


class {operator}(Operator):
    """A call of {operator} under one version of its specification."""

{clauses}
    def expected(self) -> dict[str, np.ndarray]:
        """The canonical outputs, by a fast method."""
        raise NotImplementedError("TODO")

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """TODO: which calls are drawn."""
        shape = a_shape(choose)
        return Call("{operator}", {{}}, {{{inputs}}})
'''

_REFERENCE = '''"""Reference oracle of ONNX {operator}: TODO, an exact method.

It shares nothing with the definition.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call


def {function}(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the outputs of a call inside the domain."""
    raise NotImplementedError("TODO")
'''


@dataclass(frozen=True)
class Skeleton:
    """The files of a new specification by path, and what the author has to know of its versions."""

    files: dict[Path, str]
    changes: tuple[str, ...]


def skeleton(operator: str, name: str, folder: Path | None, root: Path) -> Skeleton:
    """Return the files of a specification of an operator of ONNX, named as in ``onnx/operator``.

    folder: one of the author's own, as PLUMBLINE_SPECS names it, in which the files stand side by side; None for the
    clone at `root`. Raises SpecError for an operator that the installed onnx does not have."""
    history = schemas(operator, "")
    schema = history[max(history)]
    text = _text(operator, name, history, _GUIDE if folder is None else "`spec/README.md` of Plumbline")
    path = f"{name}.md" if folder is not None else f"spec/{name}.md"
    definition = _definition(operator, path, schema, text)
    reference = _REFERENCE.format(operator=operator, function="expected" if folder is None else "reference")
    if folder is not None:
        body = reference[reference.index("\n\ndef "):]
        files = {folder / f"{name}.md": text, folder / f"{name}.py": f"{definition}{body}"}
    else:
        code = root / "plumbline" / "oracle"
        files = {root / "spec" / f"{name}.md": text, code / "operators" / f"{name}.py": definition,
                 code / "reference" / f"{name}.py": reference}
    return Skeleton(files, tuple(_changes(history)))


def _text(operator: str, name: str, history: dict[int, OpSchema], guide: str) -> str:
    """Return the specification's Markdown; `history` are schemas by version, `guide` links to the author's guide."""
    front = front_of(operator, history)
    facts = facts_of(operator, "", front["versions"], front["inputs"], front["outputs"])
    table: dict[str, dict[str, Any]] = {}
    for fact in facts:
        number = 1 + ((fact.section in front["outputs"]) and fact.letter == "C")
        while f"{fact.section}.{fact.letter}{number}" in table:
            number += 1
        table[f"{fact.section}.{fact.letter}{number}"] = fact.entry
    outputs = "".join(_OUTPUT.format(name=output, value="F2" if f"{output}.F1" in table else "F1")
                      for output in front["outputs"])
    return written(_TEXT.format(name=name, operator=operator, guide=guide) + outputs, front, table)


def _definition(operator: str, path: str, schema: OpSchema, text: str) -> str:
    values = re.findall(r"^### `(\w+)`.*?\*\*`(F\d)`\*\* \*Value", text, re.M | re.S)
    types = {entry.name: f'a_type(choose, cls.types_of("{entry.name}", version))' for entry in schema.inputs}
    inputs = ", ".join(f'"{entry.name}": choose.tensor(shape, {types[entry.name]}, "any")' for entry in schema.inputs)
    clauses = "".join(f'    {output.lower()}_shape = shape_of_output("{output}.C1", "{output}")\n'
                      f'    {output.lower()}_value = elements_of("{output}.{tag}", "{output}", "TODO")\n'
                      for output, tag in values)
    return _DEFINITION.format(operator=operator, path=path, inputs=inputs, clauses=clauses)


def _changes(history: dict[int, OpSchema]) -> Iterator[str]:
    """Yield what each version changed, in one line."""
    before: OpSchema | None = None
    for version, schema in history.items():
        if before is not None:
            changed = [what for what, old, new in (
                ("the text", before.doc, schema.doc),
                ("attributes", sorted(before.attributes), sorted(schema.attributes)),
                ("inputs", [entry.name for entry in before.inputs], [entry.name for entry in schema.inputs]),
                ("outputs", [entry.name for entry in before.outputs], [entry.name for entry in schema.outputs]))
                if old != new]
            yield f"version {version} changes {', '.join(changed) or 'element types alone'}"
        before = schema
