"""Split an entry into cases: one for each element type that it lists, and one for inputs that were attributes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import filter as matching
from typing import Any, get_args

from plumbline.cases.format.schema import EXAMPLE, PLACEHOLDER, CaseEntry, Dtype, in_full, of_example
from plumbline.oracle.clause import Versions

NAMED = ("id", "title", "source", "notes")
"""Keys in which the name of the type takes the place of `PLACEHOLDER`."""

AS_ATTRIBUTE = "attribute"
"""The end of the id of the case in whose versions an input is an attribute, and the key under `but` of what differs."""

DTYPES = frozenset(get_args(Dtype))

MERGED = ("attributes", "dtypes", "inputs")
"""Keys of which a change replaces only what it names."""

ENTRY = re.compile(rf"\b(id|{EXAMPLE}): *[\"']?([\w{{}}.+-]+)")
"""The key and the name of an entry."""

Changes = Mapping[str, Mapping[str, Any] | None]


class VariantError(ValueError):
    """An entry of which no cases can be made; the message says why, and `path` where in it."""

    def __init__(self, path: tuple[str, ...], what: str) -> None:
        super().__init__(what)
        self.path = path


def variants(entry: CaseEntry, data: Mapping[str, Any], defaults: Changes,
             specs: Mapping[str, bool]) -> Iterator[tuple[list[str], CaseEntry]]:
    """Yield the cases of an entry, each with the specifications that it is for.

    data: the entry as the file has it; defaults: the changes for all entries of the file; specs: the specifications of
    the file, and whether each has versions. Raises ValidationError and VariantError."""
    if PLACEHOLDER in entry.id and not isinstance(entry.dtype, list):
        raise VariantError(("id",), f"the id has {PLACEHOLDER}; list types under dtype, or name the case without it")
    defaults, own_changes = changes_by_name(defaults, specs), changes_by_name(entry.but, specs)
    changes = {**defaults, **{name: change if change is None else {**(defaults.get(name) or {}), **change}
                              for name, change in own_changes.items()}}
    if not isinstance(entry.dtype, list) and changes.keys().isdisjoint(specs) and not entry.but and not entry.until:
        yield list(specs), entry
        return
    listed = {name: _types(data, changes.get(name)) for name in specs}
    for name, own in own_changes.items():
        if name == AS_ATTRIBUTE and own is not None:
            continue
        if name not in specs and not any(name in types for types in listed.values()):
            raise VariantError(("but", name), f"{name!r} is neither a type that the case lists nor a specification of "
                                              "its file")
        if own is None and name not in specs:
            raise VariantError(("but", name), f"null leaves out a specification, and {name} is a type; remove it")
        for key in ("but",) if name in specs else ("but", "dtype"):
            if key in (own or {}):
                raise VariantError(("but", name, key), f"a change for {name} cannot have the key {key!r}")
    common = in_full({key: value for key, value in data.items() if key != "but"})
    cases: dict[str, tuple[list[str], dict[str, Any]]] = {}
    for spec, has_versions in specs.items():
        change = changes.get(spec, {})
        if change is None:
            continue
        if not has_versions and (spec in changes or entry.until):
            change = {"versions": None, "until": None, **change}
        for dtype in listed[spec]:
            case = _changed(common, change)
            if dtype is not None:
                case = _changed(_named(case, dtype), changes.get(dtype) or {})
                # Those for the specification again, since they count more; its words have the type already.
                case = _changed(case, {key: value for key, value in change.items() if key not in NAMED})
                case = _of_type({**case, "dtype": dtype}, dtype)
            cases.setdefault(repr(case), ([], case))[0].append(spec)
    if not cases:
        raise VariantError(("but",), "the case is left out of every specification of the file; remove it, or a null")
    as_attribute = entry.but.get(AS_ATTRIBUTE) or {}
    if as_attribute and not entry.until:
        raise VariantError(("but", AS_ATTRIBUTE), "no input was an attribute; name some under until")
    yield from ((names, CaseEntry.model_validate(part)) for names, case in cases.values()
                for part in _by_place(case, as_attribute))


def changes_by_name(changes: Changes, specs: Collection[str]) -> Changes:
    """Return changes with those for a pattern at each specification that it matches; those for a name count more.

    >>> changes_by_name({"sonnx/abs": {"notes": "b"}, "sonnx/*": {"notes": "a"}}, ["sonnx/abs", "sonnx/exp"])
    {'sonnx/abs': {'notes': 'b'}, 'sonnx/exp': {'notes': 'a'}}
    """
    named: dict[str, Mapping[str, Any] | None] = {}
    for key, change in sorted(changes.items(), key=lambda item: "*" not in item[0]):
        for name in "*" in key and matching(specs, key) or [key]:
            named[name] = change if change is None else {**(named.get(name) or {}), **change}
    return named


def _by_place(case: dict[str, Any], as_attribute: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a case for the versions in which the inputs under `until` are inputs, and one for those before.

    Either is left out where the case has none of its versions. as_attribute: what differs in the latter."""
    until = case.pop("until", None) or {}
    if missing := [name for name in until if name not in case["inputs"]]:
        raise VariantError(("until", missing[0]), f"the case has no input {missing[0]!r}")
    if len(set(until.values())) > 1:
        raise VariantError(("until",), "until names inputs that were attributes up to the same version")
    if not until:
        yield case
        return
    last, of_case = next(iter(until.values())), case.get("versions") or "1-"
    try:
        later, earlier = (Versions.parse(of_case) & Versions.parse(text) for text in (f"{last + 1}-", f"1-{last}"))
    except ValueError as error:
        raise VariantError(("versions",), str(error)) from None
    if later.ranges:
        yield {**case, "versions": str(later)}
    if earlier.ranges:
        rest = {key: {name: value for name, value in case.get(key, {}).items() if name not in until}
                for key in ("inputs", "dtypes")}
        given = {**case.get("attributes", {}), **{name: case["inputs"][name] for name in until}}
        words = {"id": f"{case['id']}-{AS_ATTRIBUTE}", "title": f"{case['title']}, as an attribute"}
        yield _changed({**case, **rest, **words, "attributes": given, "versions": str(earlier)}, as_attribute)


def possible_ids(text: str) -> set[str]:
    """Return the ids that entries of a file may have, of each type that its text names. Nothing else of it is read.

    >>> sorted(possible_ids("- {id: ends, dtype: [int8]}"))
    ['ends', 'ends-int8']
    """
    types = [dtype.replace("_", "-") for dtype in get_args(Dtype) if dtype in text]
    ids = set()
    for key, name in ENTRY.findall(text):
        named = of_example(name)["id"] if key == EXAMPLE else name
        ends = named if PLACEHOLDER in named else f"{named}-{PLACEHOLDER}"
        ids |= {named, *(ends.replace(PLACEHOLDER, dtype) for dtype in types)}
    return ids | {f"{name}-{AS_ATTRIBUTE}" for name in ids if "until" in text}


def _types(data: Mapping[str, Any], change: Mapping[str, Any] | None) -> Sequence[str | None]:
    """Return the types that an entry lists for a specification, [None] if it lists none."""
    types = (change or {}).get("dtype", data.get("dtype"))
    if not isinstance(types, list):
        return [None]
    if twice := repeated(types):
        raise VariantError(("dtype",), f"{twice} is listed twice")
    return types


def repeated(names: Sequence[Any]) -> Any:
    """Return the first name that a list has twice, None if each is there once.

    >>> repeated(["int8", "bool", "int8"])
    'int8'
    """
    seen = set[Any]()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _named(data: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """Return the entry for a type, its id and title with the name of the type."""
    ends = {"id": f"-{PLACEHOLDER}", "title": f", {PLACEHOLDER}"}
    words = {key: data[key] if PLACEHOLDER in data[key] else data[key] + ends.get(key, "")
             for key in NAMED if key in data}
    names = {key: text.replace(PLACEHOLDER, dtype.replace("_", "-") if key == "id" else dtype)
             for key, text in words.items()}
    return {**data, **names, "dtype": dtype}


def _of_type(value: Any, dtype: str) -> Any:
    """Return values with the one for the type in the place of each mapping from types.

    >>> _of_type([1, {"int8": 127, "uint8": 255}], "uint8")
    [1, 255]
    """
    if isinstance(value, list):
        return [_of_type(part, dtype) for part in value]
    if isinstance(value, dict) and value.keys() <= DTYPES and value:
        if dtype not in value:
            raise VariantError((), f"a value is given for {', '.join(value)}, and none for {dtype}")
        return value[dtype]
    return {key: _of_type(part, dtype) for key, part in value.items()} if isinstance(value, dict) else value


def _changed(data: dict[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry with a change; null leaves a key out."""
    change = in_full(dict(change))
    merged = {key: {**data.get(key, {}), **change[key]} for key in MERGED if isinstance(change.get(key), dict)}
    return {key: value for key, value in {**data, **change, **merged}.items() if value is not None or key not in change}
