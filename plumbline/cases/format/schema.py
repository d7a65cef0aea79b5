"""Define the format of YAML files of cases, as pydantic models.

`cases/case.schema.json` is generated from them, for editors.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from plumbline.data import data_folder

SCHEMA_FILE = data_folder("cases") / "case.schema.json"
SCHEMA_COMMAND = "plumbline cases schema"

CURATED = "curated"
"""The source of a case that names none."""

NAME = "[a-z0-9]+(-[a-z0-9]+)*"
PLACEHOLDER = "{dtype}"
"""The place of the type in the words of a case that lists several."""

TENSORS = ("inputs", "outputs", "values", "as_printed", "value", "value_string", "value_strings")
"""Keys of tensors in a file of cases."""

PART = r"([a-z0-9]+|\{dtype\})"
Name = Annotated[str, Field(pattern=f"^{PART}(-{PART})*$")]
Opset = Annotated[int, Field(ge=1, le=2**31 - 1)]
Dtype = Literal["bfloat16", "float16", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32",
                "int64", "uint64", "bool", "complex64", "complex128", "int2", "uint2", "int4", "uint4",
                "float4_e2m1fn", "float8_e3m4", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
                "float8_e8m0fnu", "string"]
Dtypes = Annotated[Dtype | Annotated[list[Dtype], Field(min_length=1)], Field(
    description="a case of each type if it is a list; its id and title end with the type, or have it for '{dtype}'")]
Changes = Annotated[dict[str, dict[str, Any] | None], Field(
    description="keys of a case that are others for a type that it lists, or for a specification of the file, or all "
                "that a pattern such as 'sonnx/*' matches; null leaves a key out. Null for a specification leaves it "
                "out; in the defaults, of all cases without a change for it")]
Contexts = Annotated[Literal["one", "all"], Field(
    description="whether the case is run in one context, which its id decides, or in all contexts that fit")]
Literals = Annotated[list[Any] | int | float | str | bool, Field(
    description="nested lists, one level for each axis, or one number; specials are -.inf, .inf, .nan, -0.0, by type "
                "max, -max, min (the lowest), tiny (the smallest positive), normal (the smallest normal), max/2 "
                "and tiny*3, of integers max-1 and the like; {float16: 9, float32: 87} has one for each type; floats "
                "in hex text where the last bit matters; complex numbers as text, '1+2j'; strings in quotes, '' and "
                "\"a\\0\" among them")]


class Strict(BaseModel):
    """A mapping that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class GeneratedTensor(Strict):
    """A tensor from a named generator (see `plumbline/cases/format/tensors.py`)."""

    generator: Literal["ramp", "constant", "shuffled", "normal"]
    shape: list[Annotated[int, Field(ge=0)]]
    seed: int | dict[Dtype, int] | None = Field(None, description="a number, or one for each type of the case")
    start: int | float | None = None
    step: int | float | None = None
    value: int | float | str | None = None


class EmptyTensor(Strict):
    """A tensor without elements."""

    shape: list[Annotated[int, Field(ge=0)]]

    @model_validator(mode="after")
    def is_empty(self) -> EmptyTensor:
        """Require an axis of size 0."""
        if 0 not in self.shape:
            raise ValueError("a shape alone makes a tensor without elements; write 0 for some axis, or give values")
        return self


# A tensor is checked against one model alone, chosen by its keys, so that every error is about that model. The tags
# contain a space, which distinguishes them from keys of the file in the location of an error.

def _tag_of_output(value: object) -> str:
    return "empty tensor" if isinstance(value, (EmptyTensor, dict)) else "literal tensor"


def _tag_of_input(value: object) -> str:
    is_generated = isinstance(value, GeneratedTensor) or isinstance(value, dict) and "generator" in value
    return "generated tensor" if is_generated else _tag_of_output(value)


OutputTensor = Annotated[Annotated[EmptyTensor, Tag("empty tensor")] | Annotated[Literals, Tag("literal tensor")],
                         Discriminator(_tag_of_output)]
InputTensor = Annotated[
    Annotated[GeneratedTensor, Tag("generated tensor")] | Annotated[EmptyTensor, Tag("empty tensor")]
    | Annotated[Literals, Tag("literal tensor")], Discriminator(_tag_of_input)]


class TensorAttribute(Strict):
    """A tensor that is an attribute."""

    dtype: Dtype
    values: Literals


Value = int | float | str | list[Any] | TensorAttribute | None


class ExpectationEntry(Strict):
    """Exactly one of outputs, outside and observe."""

    outputs: dict[str, OutputTensor] | Literal["computed"] | None = Field(
        None, description="values by output name, or 'computed': those of the oracle, for tensors too large to write")
    outside: list[str] | None = Field(None, min_length=1, description="every clause on calls that the call breaks")
    observe: str | None = Field(None, min_length=1, description="why there is no verdict")
    as_printed: dict[str, Literals | str] | None = Field(
        None, description="what the source prints and an erratum overrules: outputs, or, as text, what is not a number")
    erratum: str | None = Field(None, description="the E clause that overrules as_printed")

    @model_validator(mode="after")
    def one_of_three(self) -> ExpectationEntry:
        """Require exactly one expectation, and `as_printed` with `erratum`."""
        if sum(value is not None for value in (self.outputs, self.outside, self.observe)) != 1:
            raise ValueError("give exactly one of outputs, outside, observe")
        if (self.as_printed is None) != (self.erratum is None):
            raise ValueError("as_printed and erratum go together")
        return self


Source = Annotated[str, Field(min_length=3, description="document and place, or link; 'curated' if neither a case nor "
                                                        "the defaults name one")]

EXPECTED = tuple(ExpectationEntry.model_fields)
"""Keys of an expectation, which an entry may have itself, without `expect`."""


EXAMPLE = "example"
"""The key by which an official example of the onnx package gives a case its id, title and source."""


def of_example(name: str) -> dict[str, str]:
    """Return id, title and source of the case of an official example, such as ``max_float16``.

    >>> of_example("max_float16")["id"], of_example("max_{dtype}")["source"]
    ('official-max-float16', 'ONNX, test_max_{dtype}')
    """
    words = name.replace("_", "-").lower()
    return {"id": f"official-{words}", "title": f"Official example {words.replace('-', ' ')}",
            "source": f"ONNX, test_{name}"}


def in_full(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of a file of cases with all that short ones leave out.

    The expectation stands under `expect`. An example gives its name to id, title and source; the clauses are by default
    those that the call breaks."""
    if isinstance(entry.get(EXAMPLE), str):
        entry = {**of_example(entry[EXAMPLE]), **{key: value for key, value in entry.items() if key != EXAMPLE}}
    own = {key: value for key, value in entry.items()
           if key in EXPECTED and (key != "outputs" or not isinstance(value, int))}
    if own and "expect" not in entry:
        entry = {**{key: value for key, value in entry.items() if key not in own}, "expect": own}
    if "clauses" not in entry and isinstance(entry.get("expect"), dict) and "outside" in entry["expect"]:
        entry = {**entry, "clauses": entry["expect"]["outside"]}
    return entry


class CaseEntry(Strict):
    """The entry of a case."""

    id: Name
    title: str = Field(min_length=8, description="what is tried, in a sentence")
    clauses: list[str] = Field(min_length=1, description="the clauses that the case tests: pads.C4; by default those "
                                                         "under `outside`")
    source: Source | None = None
    versions: str | None = Field(None, description="of a specification that changes with the opset: 8-11, 22-, 1")
    until: dict[str, int] = Field(default_factory=dict, description="inputs that were attributes, each with the last "
                                                                    "version in which it was: axes: 11")
    opset: Opset | None = None
    dtype: Dtypes | None = None
    dtypes: dict[str, Dtype] = Field(default_factory=dict, description="of inputs that are not of `dtype`, by name")
    attributes: dict[str, Value] = Field(default_factory=dict,
                                         description="merged over the defaults; null leaves an attribute out")
    contexts: Contexts | None = None
    inputs: dict[str, InputTensor]
    outputs: int | None = Field(None, ge=1, description="how many tensors of a variadic output the call asks for, if "
                                                        "`expect` does not list them")
    expect: ExpectationEntry = Field(description="the expectation, if its keys are not those of the case")
    notes: str = ""
    but: Changes = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def short(cls, entry: object) -> object:
        """Read what a short entry leaves out."""
        return in_full(entry) if isinstance(entry, dict) else entry


class Defaults(Strict):
    """Values that the cases of a file share."""

    source: Source = CURATED
    opset: Opset | None = None
    dtype: Dtype | None = None
    dtypes: dict[str, Dtype] = Field(default_factory=dict)
    attributes: dict[str, Value] = Field(default_factory=dict)
    inputs: dict[str, InputTensor] | None = Field(default=None, description="of the cases that have no `inputs`")
    contexts: Contexts = "one"
    but: Changes = Field(default_factory=dict)


class CaseFile(Strict):
    """A YAML file of cases for one specification, or for several of one operator."""

    spec: str | list[str] = Field(description="the specification: sonnx/maxpool; onnx/maxpool for all its versions; "
                                              "or several that have the same cases")
    defaults: Defaults = Field(default_factory=Defaults)
    cases: list[CaseEntry] = Field(min_length=1)


def with_default_inputs(data: dict[str, Any]) -> dict[str, Any]:
    """Return a file of cases, as read, whose cases without `inputs` have those of the defaults.

    >>> with_default_inputs({"defaults": {"inputs": {"X": [1]}}, "cases": [{"id": "one"}]})["cases"]
    [{'id': 'one', 'inputs': {'X': [1]}}]
    """
    defaults, cases = data.get("defaults"), data.get("cases")
    inputs = defaults.get("inputs") if isinstance(defaults, dict) else None
    if not isinstance(cases, list) or inputs is None:
        return data
    return {**data, "cases": [{**entry, "inputs": entry.get("inputs", inputs)} if isinstance(entry, dict) else entry
                              for entry in cases]}


def _add_short_keys(schema: dict[str, Any]) -> None:
    """Add to the schema of an entry what `in_full` reads."""
    of_expectation = "#/$defs/ExpectationEntry/properties/"
    outputs = schema["properties"].pop("outputs")
    schema["properties"] |= {key: {"$ref": f"{of_expectation}{key}"} for key in EXPECTED}
    schema["properties"]["outputs"] = {"anyOf": [outputs, {"$ref": f"{of_expectation}outputs"}]}
    elsewhere = ("id", "title", "clauses", "expect", "inputs")
    schema["required"] = [key for key in schema["required"] if key not in elsewhere]
    schema["anyOf"] = [{"required": ["id", "title"]}, {"required": [EXAMPLE]}]
    schema["properties"][EXAMPLE] = {
        "description": "an official example of onnx, whose name gives id, title and source", "type": "string"}
    keys = [key for key in schema["properties"] if key != "but"]
    changed = {key: {"anyOf": [{"$ref": f"#/$defs/CaseEntry/properties/{key}"}, {"type": "null"}]} for key in keys}
    schema["properties"]["but"]["additionalProperties"] = {
        "anyOf": [{"additionalProperties": False, "properties": changed, "type": "object"}, {"type": "null"}]}


def schema_text() -> str:
    """Return the JSON Schema of a file of cases, as committed."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema",
              "$comment": f"generated: {SCHEMA_COMMAND}", **CaseFile.model_json_schema()}
    _add_short_keys(schema["$defs"]["CaseEntry"])
    schema["$defs"]["Defaults"]["properties"]["but"] = {"$ref": "#/$defs/CaseEntry/properties/but"}
    return json.dumps(schema, indent=2) + "\n"
