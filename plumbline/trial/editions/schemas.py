"""Read the documentation of operators from ONNX's C++ sources.

A release registers each version of an operator with ``ONNX_OPERATOR_SET_SCHEMA(Name, version, ...)``. Its documentation
is the string literals of that registration and of the constants and functions that it uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<skipped>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
  | R"(?P<delimiter>[^(\s]*)\((?P<raw>.*?)\)(?P=delimiter)"
  | "(?P<string>(?:\\.|[^"\\])*)"
  | (?P<character>'(?:\\.|[^'\\])+')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>.)""", re.VERBOSE | re.DOTALL | re.MULTILINE)
ESCAPES = {"n": "\n", "t": "\t", "r": ""}
REGISTRATIONS = ("ONNX_OPERATOR_SET_SCHEMA", "ONNX_OPERATOR_SCHEMA")
"""The second, of releases before 1.2, is followed by calls of methods, of which ``SinceVersion`` names a version above
1."""

OPENING, CLOSING = "([{", ")]}"
Version = tuple[str, int]
"""An operator of ONNX's own domain, and the version that it has since."""


@dataclass(frozen=True)
class Token:
    """A word, a sign, or the text of a string literal."""

    text: str
    is_string: bool = False


def sentences(sources: Iterable[str]) -> dict[Version, tuple[str, ...]]:
    """Return the sentences about each version of each operator.

    sources: the texts of all C++ files of a release that define operators. A name means what its own file, else
             another file with registrations, defines."""
    files: list[tuple[dict[str, list[Token]], dict[Version, list[Token]]]] = []
    for source in sources:
        definitions: dict[str, list[Token]] = {}
        registrations: dict[Version, list[Token]] = {}
        for statement in _statements(_tokens(source)):
            version, parts = _registered(statement), list(_parts(statement))
            if version is not None:
                registrations[version] = parts
            elif name := _defined(statement):
                definitions.setdefault(name, []).extend(parts)
        files.append((definitions, registrations))
    shared = {name: parts for definitions, registrations in files if registrations
              for name, parts in definitions.items()}
    return {version: tuple(dict.fromkeys(sentence for literal in _literals(parts, {**shared, **definitions}, set())
                                         for sentence in _sentences(literal)))
            for definitions, registrations in files for version, parts in registrations.items()}


def _tokens(source: str) -> Iterator[Token]:
    for match in TOKEN.finditer(source):
        if match["raw"] is not None:
            yield Token(match["raw"], True)
        elif match["string"] is not None:
            yield Token(re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape[1], escape[1]), match["string"]), True)
        elif match["skipped"] is None:
            yield Token(match[0])


def _statements(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """Yield the definitions and registrations of a file, those inside a namespace one by one."""
    statement: list[Token] = []
    depth = 0
    for token in tokens:
        sign = None if token.is_string else token.text
        if sign == "}" and not depth:
            continue  # the end of a namespace
        if sign == "{" and not depth and statement and "namespace" in (part.text for part in statement[:2]):
            statement = []
            continue
        statement.append(token)
        depth += (sign in tuple(OPENING)) - (sign in tuple(CLOSING))
        ends_registration = sign == ")" and statement[0].text == REGISTRATIONS[0]
        if not depth and (sign in (";", "}") or ends_registration):
            yield statement
            statement = []


def _registered(statement: Sequence[Token]) -> Version | None:
    words = [token.text for token in statement]
    if words[0] not in REGISTRATIONS:
        return None
    if words[0] == REGISTRATIONS[0]:
        return words[2], int("".join(words[4:words.index(",", 4)]))
    since = words.index("SinceVersion") if "SinceVersion" in words else None
    return words[2], 1 if since is None else int(words[since + 2])


def _defined(statement: Sequence[Token]) -> str | None:
    """Return the name that a statement defines: the word before the first parenthesis, bracket or equals sign outside
    the arguments of a template; None for a method of a class defined elsewhere."""
    depth = 0
    for place, token in enumerate(statement):
        depth += (token.text == "<") - (token.text == ">")
        if not depth and token.text in ("(", "=", "[", "{") and place:
            name, before = statement[place - 1].text, statement[place - 2].text if place > 1 else ""
            return name if name.isidentifier() and before != ":" else None
    return None


def _parts(statement: Sequence[Token]) -> Iterator[Token]:
    """Yield the words and literals of a statement; adjacent literals are one, messages of errors are left out."""
    literal, before, messages = "", Token(""), 0
    for token in statement:
        if messages or before.text.startswith("fail_") and not before.is_string:
            messages += 0 if token.is_string else (token.text == "(") - (token.text == ")")
        elif token.is_string:
            literal += token.text
        else:
            if literal:
                yield Token(literal, True)
                literal = ""
            if token.text.isidentifier():
                yield token
        before = token


def _literals(parts: Iterable[Token], definitions: Mapping[str, Sequence[Token]], seen: set[str]) -> Iterator[str]:
    """Yield the literals of a statement, and of what it uses in their place."""
    for part in parts:
        if part.is_string:
            yield part.text
        elif part.text in definitions and part.text not in seen:
            seen.add(part.text)
            yield from _literals(definitions[part.text], definitions, seen)


def _sentences(text: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.:;])\s+|```|\n\s*\n", text):
        plain = " ".join(sentence.split()).rstrip(".:;")
        if plain and not plain.startswith(("tensor(", "seq(", "optional(", "map(")):  # types move between helpers
            yield plain
