"""Write the facts of operator schemas into front matters."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import onnx
import yaml
from onnx import helper
from onnx.checker import ValidationError
from onnx.defs import OpSchema
from onnx.shape_inference import InferenceError, infer_node_outputs

from plumbline.oracle.choosing import element_type
from plumbline.oracle.clause import SpecError
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.files import read_text
from plumbline.oracle.markdown import FENCE, SpecText
from plumbline.oracle.schema import Fact
from plumbline.oracle.schema_front import front_of, in_ranges

_NAMES = {"float": "float32", "double": "float64", "float8e4m3fn": "float8_e4m3fn",
          "float8e4m3fnuz": "float8_e4m3fnuz", "float8e5m2": "float8_e5m2", "float8e5m2fnuz": "float8_e5m2fnuz",
          "float4e2m1": "float4_e2m1fn", "float8e8m0": "float8_e8m0fnu", "float6e2m3": "float6_e2m3fn",
          "float6e3m2": "float6_e3m2fn"}

GENERATED = "# The rest is written by plumbline specs sync.\n"
"""The line in a front matter below which all is generated."""

PLAINEST = ("float32", "float16", "float64", "bfloat16", "int64", "int32", "int8", "uint8", "int16", "uint16", "uint32",
            "uint64", "bool", "complex64", "complex128")
"""The order in which element types are listed; others follow by name."""


def schemas(operator: str, domain: str) -> dict[int, OpSchema]:
    """Return the schemas of an operator by version, as the installed onnx has them. Raises SpecError."""
    history = {schema.since_version: schema for schema in onnx.defs.get_all_schemas_with_history()
               if schema.name == operator and schema.domain == domain and not schema.deprecated}
    if not history:
        names = {schema.name for schema in onnx.defs.get_all_schemas() if schema.domain == domain}
        raise SpecError(f"onnx {onnx.__version__} has no operator {operator}" + (f" in {domain}" if domain else "")
                        + did_you_mean(operator, names))
    return dict(sorted(history.items()))


def dtype_name(type_name: str) -> str | None:
    """Return the name in numpy or ml_dtypes of ``tensor(float)``; None of what is no tensor."""
    match = re.fullmatch(r"tensor\((\w+)\)", type_name)
    return _NAMES.get(match[1], match[1]) if match else None


def _plainest_first(names: Iterable[str]) -> list[str]:
    order = {name: place for place, name in enumerate(PLAINEST)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def _types(schema: OpSchema, type_name: str) -> list[str]:
    """The element types of an input or output; [] where it may be no tensor at all."""
    allowed = next((entry.allowed_type_strs for entry in schema.type_constraints
                    if entry.type_param_str == type_name), [type_name])
    return _plainest_first({name for text in allowed if (name := dtype_name(text)) is not None})


def _default(attribute: Any) -> dict[str, Any]:
    if not attribute.default_value.name:
        return {}
    value = onnx.helper.get_attribute_value(attribute.default_value)
    if isinstance(value, float):
        value = float(str(np.float32(value)))  # the shortest decimal of the number that the schema holds
    if isinstance(value, list):
        return {"default": [entry.decode() if isinstance(entry, bytes) else entry for entry in value]}
    return {"default": value.decode() if isinstance(value, bytes) else value}


def facts_of_version(schema: OpSchema, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> Iterator[Fact]:
    """Yield the facts of one schema, the lists of its attributes apart.

    inputs, outputs: what a specification calls them; a name of its own stands for the one at its place."""
    for name, attribute in sorted(schema.attributes.items()):  # onnx has them in no order
        yield Fact(name, "attribute", {"type": str(attribute.type).rpartition(".")[2].lower(), **_default(attribute)})
        if attribute.required:
            yield Fact(name, "required", {})
    by_parameter: dict[str, list[str]] = {}
    for name, entry in _named(schema.inputs, inputs):
        if entry.type_str not in by_parameter and (types := _types(schema, entry.type_str)):
            yield Fact(name, "types", {"types": types})  # the others are of one type with the first
        if not entry.type_str.startswith("tensor("):
            is_several = entry.option == OpSchema.FormalParameterOption.Variadic and entry.is_homogeneous
            by_parameter.setdefault(entry.type_str, []).extend([name] * (1 + is_several))
    for names in by_parameter.values():
        if len(names) > 1:
            yield Fact(names[-1], "one type", {"inputs": list(dict.fromkeys(names))})
    for name, entry in _named(schema.outputs, outputs):
        if entry.type_str in by_parameter and entry.is_homogeneous:
            yield Fact(name, "type", {"like": by_parameter[entry.type_str][0]})
        elif (types := _types(schema, entry.type_str)) and len(types) == 1:
            yield Fact(name, "type", {"type": types[0]})
        elif naming := _naming(schema, entry.name, types):
            yield Fact(name, "type", {"named": naming})


def _naming(schema: OpSchema, output: str, types: Sequence[str]) -> str | None:
    """Return the attribute that names the element type of an output (one of `types`), by type inference; or None."""
    def number(dtype: str) -> int:
        return int(helper.np_dtype_to_tensor_dtype(element_type(dtype)))

    given = {entry.name: helper.make_tensor_type_proto(number(known[0]), (1,)) for entry in schema.inputs
             if (known := _types(schema, entry.type_str))}
    outputs = [entry.name for entry in schema.outputs]

    def inferred(attributes: dict[str, Any]) -> int:
        node = helper.make_node(schema.name, [*given], outputs, domain=schema.domain, **attributes)
        return int(infer_node_outputs(schema, node, given)[output].tensor_type.elem_type)

    for name in (name for name, entry in sorted(schema.attributes.items()) if entry.type == OpSchema.AttrType.INT):
        with suppress(ValidationError, InferenceError):
            if types and all(inferred({name: number(dtype)}) == number(dtype) for dtype in types[:2]):
                return name
    return None


def _named(entries: Sequence[Any], own: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield inputs or outputs with the names of a specification.

    A name of its own stands for the one at its place; what it does not have is left out."""
    for place, entry in enumerate(entries):
        if entry.name in own or place < len(own) or not own:
            yield entry.name if entry.name in own or not own else own[place], entry


def facts_of(operator: str, domain: str, versions: Iterable[int], inputs: Sequence[str] = (),
             outputs: Sequence[str] = ()) -> list[Fact]:
    """Return the facts of some versions of an operator: each once, with the versions that it holds for."""
    history, chosen = schemas(operator, domain), sorted(versions)
    missing = [version for version in chosen if version not in history]
    if missing:
        raise SpecError(f"onnx {onnx.__version__} has no {operator}-{missing[0]}; it has "
                        f"{', '.join(map(str, history))}")
    held: list[tuple[Fact, list[int]]] = []
    names: dict[str, list[int]] = {}
    for version in chosen:
        for name in sorted(history[version].attributes):
            names.setdefault(name, []).append(version)
        for fact in facts_of_version(history[version], inputs, outputs):
            known = next((versions for other, versions in held if other == fact), None)
            held += [] if known else [(fact, [version])]
            if known:
                known.append(version)
    attributes = Fact("signature", "attributes", {"names": {name: in_ranges(having, chosen)
                                                            for name, having in names.items()}})
    return [Fact("signature", "outputs", {}), attributes,
            *(Fact(fact.section, fact.kind, fact.values, in_ranges(having, chosen)) for fact, having in held)]


def synced(text: SpecText, is_judged: Callable[[SpecText, Fact], bool]) -> dict[str, dict[str, Any]]:
    """Return the table `schema` of a text as the installed onnx has it.

    Facts keep their addresses, and new ones get free ones; left out are those that `is_judged` says clauses written by
    hand state."""
    front = {"inputs": text.inputs, **text.front, **synced_front(text)}
    current = facts_of(front["operator"], front.get("domain", ""), front.get("versions") or [front["opset"]],
                       front["inputs"], front["outputs"])
    free = dict(text.facts)
    taken = {clause.local for clause in text.clauses.values()}
    placed: dict[str, Fact] = {}
    for fact in (pair for whole in current for pair in _in_pairs(whole, text.facts.values())):
        alike = [address for address, old in free.items() if (old.section, old.kind) == (fact.section, fact.kind)]
        same = [address for address in alike if free[address].values == fact.values] or [
            address for address in alike if free[address].versions == fact.versions]
        if not same and is_judged(text, fact):
            continue
        numbered = (f"{fact.section}.{fact.letter}{number}" for number in count(1))
        address = same[0] if same else next(name for name in numbered if name not in taken)
        free.pop(address, None)
        taken.add(address)
        placed[address] = fact
    return {address: fact.entry for address, fact in placed.items()}


def _in_pairs(fact: Fact, stated: Collection[Fact]) -> list[Fact]:
    """Return the pairs that a text states instead of one fact on more than two inputs of one type, or the fact."""
    first, *others = fact.values.get("inputs", [""])
    pairs = [replace(fact, section=name, values={"inputs": [first, name]}) for name in others]
    return pairs if pairs and all(pair in stated for pair in pairs) else [fact]


def synced_front(text: SpecText) -> dict[str, Any]:
    """Return the keys of the front matter that ONNX's schemas give, apart from facts.

    A key that stands above the line `GENERATED` with another value is left out: it was written by hand, and so are
    those that depend on inputs and outputs with names of the text's own. Of a text without versions none is given."""
    if not text.versions:
        return {}
    by_hand = set(re.findall(r"^(\w+):", _front_by_hand(read_text(text.path)), re.M))
    history = schemas(text.front["operator"], text.front.get("domain", ""))
    if "versions" in by_hand and text.versions != tuple(history):
        history = {version: schema for version, schema in history.items() if version in text.versions}
    else:
        by_hand.discard("versions")
    given = front_of(text.front["operator"], history)
    if "versions" in by_hand:
        del given["versions"]
    has_own_names = bool(by_hand & {"inputs", "outputs"})
    return {key: value for key, value in given.items() if text.front.get(key) == value
            or key not in by_hand and (key in ("versions", "edition") or not has_own_names)}


def written(page: str, front: Mapping[str, Any], table: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a page of Markdown whose front matter ends with the generated keys and the table of facts."""
    by_hand = re.sub("".join(rf"|^{key}:.*\n(?:[ #].*\n)*" for key in front)[1:] or "$^", "", _front_by_hand(page),
                     flags=re.M)
    lines = [yaml.safe_dump(dict(front), default_flow_style=None, sort_keys=False, width=1000)] * bool(front)
    lines += ["schema:\n"] * bool(table) + [f"  {address}: {_flow(entry)}\n" for address, entry in table.items()]
    start, end = _ends(page)
    return f"{page[:start]}{by_hand}{GENERATED * bool(lines)}{''.join(lines)}---{page[end:]}"


def _ends(page: str) -> list[int]:
    """Return the places where the lines around the front matter end."""
    return [match.end() for match, _ in zip(FENCE.finditer(page), range(2), strict=False)]


def _front_by_hand(page: str) -> str:
    """Return the front matter without what is generated."""
    start, end = _ends(page)
    front = page[start:end - len("---")].partition(GENERATED)[0]
    return re.sub(r"^schema:.*\n(?:[ #].*\n)*", "", front, flags=re.M)


def _flow(entry: Mapping[str, Any]) -> str:
    text = yaml.safe_dump(dict(entry), default_flow_style=True, sort_keys=False, width=96)
    return text.strip().replace("\n", "\n    ")
