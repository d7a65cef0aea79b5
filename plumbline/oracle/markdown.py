"""Read a specification: Markdown in, clauses out.

A heading that holds a code span opens a section of that name; nested names are joined with a dot. A list item that
begins with a bold code span is a clause, its nested list the fields. `spec/README.md` describes it for authors.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.front_matter import front_matter_plugin

from plumbline.oracle.accuracy import Bound, clauses_of, read_bounds
from plumbline.oracle.boundary import BoundaryError, read_boundary
from plumbline.oracle.clause import ADDRESS, NAME, TAG, Clause, SpecError, Versions, full_address
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.editions import Edition
from plumbline.oracle.files import read_text
from plumbline.oracle.safe_text import UNSAFE, safe
from plumbline.oracle.schema import Fact, facts
from plumbline.oracle.shapes import ShapeFormula
from plumbline.oracle.shared_pages import is_table, shared_pages, with_terms
from plumbline.oracle.yaml_text import YAMLError, load

FIELDS = {"judges", "source", "restates", "implies", "derived", "editorial", "versions", "boundary", "alias",
          "editions"}
FRONT = {"specification", "operator", "opset", "outputs", "edition"}
VERSIONED_FRONT = FRONT - {"opset"} | {"versions"}
GENERAL_FRONT = {"specification", "edition"}
PROFILE_FRONT = {*GENERAL_FRONT, "bounds"}
LISTS = {"outputs": str, "optional": str, "inputs": str, "optional_inputs": str, "forms": str, "versions": int}
TABLES = {"output_versions", "input_versions", "optional_versions"}
OPTIONAL_FRONT = {"domain", "optional", "output_versions", "inputs", "input_versions", "optional_inputs",
                  "optional_versions", "variadic_input", "variadic_output", "left_out", "schema", "shapes", "tables",
                  "flushes", "shares", "module", "forms"}


FENCE = re.compile("^---[ \t]*$", re.M)
"""The lines that the front matter stands between."""

TAGS = "RCFUE"
"""The letters of tags, in the order in which clauses are listed."""

PLAIN_FRONT = re.compile(r"\A---[ \t]*\n((?:(?![ \t]*---).*\n)*)---[ \t]*$", re.M)
"""Front matter that can be cut out without parsing the Markdown: no other line in it begins as its ends do."""


@dataclass(frozen=True)
class SpecText:
    """A specification as written, of which the front matter is read. Raises SpecError, with file and line, when the
    rest is: what a command is not about need not be read."""

    path: Path
    front: dict[str, Any]

    @cached_property
    def clauses(self) -> dict[str, Clause]:
        """The clauses by address, in the order of the specification."""
        stated: dict[str, Clause] = {}
        for page, terms in {**shared_pages(self.path, self.front), self.path: None}.items():
            for address, clause in _clauses(page, self.name, terms, self.front.get("outputs")).items():
                if address in stated:
                    raise SpecError(f"{page}:{clause.line}: {clause.local} is stated in {stated[address].page} too; "
                                    "state it once")
                stated[address] = replace(clause, page=page)
        _check_references(stated)
        return _with_facts(stated, self) | clauses_of(self.name, self.bounds)

    @property
    def pages(self) -> tuple[Path, ...]:
        """The file of the specification, and the shared pages whose clauses are its own too."""
        return self.path, *shared_pages(self.path, self.front)

    @cached_property
    def facts(self) -> dict[str, Fact]:
        """The facts of ONNX's schema that the front matter lists, by local address."""
        return dict(facts(self.front.get("schema", {})))

    @cached_property
    def shapes(self) -> dict[str, ShapeFormula]:
        """The shapes of outputs that the front matter declares, by the local address of their clauses."""
        return {address: ShapeFormula(address, formula) for address, formula in self.front.get("shapes", {}).items()}

    @cached_property
    def bounds(self) -> dict[str, Bound]:
        """The bounds of an accuracy profile, by local address."""
        return read_bounds(self.front) if self.kind == "profile" else {}

    @property
    def name(self) -> str:
        """The name, ``family/operator``."""
        return str(self.front["specification"])

    @property
    def edition(self) -> str:
        """The edition of the source."""
        return str(self.front["edition"])

    @property
    def kind(self) -> Literal["operator", "models", "profile"]:
        """The subject: an operator, models, or the accuracy of operators."""
        return "operator" if "operator" in self.front else "profile" if "bounds" in self.front else "models"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return tuple(self.front.get("inputs", ("X",)))

    def place_of(self, section: str) -> tuple[int, int]:
        """The place of a section: signature, attributes, inputs, outputs, these as the front matter lists them."""
        outputs = self.front["outputs"]
        return (("signature" != section) + (section in self.inputs) + 2 * (section in outputs),
                outputs.index(section) if section in outputs else 0)

    @property
    def module(self) -> str:
        """The module of its definition and its reference oracle, which a family of operators may share."""
        return str(self.front.get("module", self.name.partition("@")[0].rpartition("/")[2]))

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions of a text that changes with the opset; () for one that does not."""
        return tuple(self.front.get("versions", ()))

    def at(self, version: int) -> SpecText:
        """The text as of one version: its clauses, addressed with the version, and its outputs."""
        name = f"{self.front['specification']}@{version}"

        def here(address: str) -> str:
            return f"{name}#{address.partition('#')[2]}"

        held = {address: clause for address, clause in self.clauses.items()
                if clause.versions is None or version in clause.versions}
        clauses = [replace(clause, specification=name, restates=clause.restates and here(clause.restates),
                           implies=tuple(here(other) for other in clause.implies if other in held))
                   for clause in held.values()]
        later = {output: Versions.parse(text) for output, text in self.front["output_versions"].items()}
        outputs = [output for output in self.front["outputs"] if output not in later or version in later[output]]
        since, optional = ({entry: Versions.parse(str(text)) for entry, text in self.front.get(key, {}).items()}
                           for key in ("input_versions", "optional_versions"))
        front = {**self.front, "specification": name, "opset": version, "outputs": outputs,
                 "optional": [output for output in self.front["optional"] if output in outputs
                              and (output not in optional or version in optional[output])]}
        for key in {"inputs", "optional_inputs"} & set(front):
            front[key] = [entry for entry in front[key] if entry not in since or version in since[entry]]
        found = SpecText(self.path, front)
        vars(found)["facts"] = {address: fact for address, fact in self.facts.items()
                                if full_address(name, address) in {clause.address for clause in clauses}}
        vars(found)["shapes"] = {address: formula for address, formula in self.shapes.items()
                                 if full_address(name, address) in {clause.address for clause in clauses}}
        vars(found)["clauses"] = {clause.address: clause for clause in clauses}
        return found


def read_front(path: Path) -> SpecText:
    """A specification by its front matter. Raises SpecError with file and line."""
    text = _read(path)
    if plain := PLAIN_FRONT.match(text):  # in a tenth of the time of the parser
        return SpecText(path, _front_matter(path, plain[1]))
    ends = [found.end() for found in islice(FENCE.finditer(text), 2)]
    tree = _tree(f"{text[:ends[-1]]}\n" if len(ends) > 1 else text, {})
    return SpecText(path, _front_matter(path, next((node.content for node in tree.children
                                                    if node.type == "front_matter"), None)))


def _read(path: Path) -> str:
    try:
        text = read_text(path)
    except OSError as error:
        raise SpecError(f"{path}:1: cannot be read: {error.strerror}") from None
    if not UNSAFE.search(text.translate({9: None, 10: None})):
        return text
    for number, line in enumerate(text.split("\n"), start=1):
        if unsafe := UNSAFE.search(line.replace("\t", "")):
            raise SpecError(f"{path}:{number}: contains the invisible character {safe(unsafe[0])}; remove it")
    return text


@cache
def _parser() -> MarkdownIt:
    """The parser of blocks; what is in a line is parsed where it is asked for, as most lines are fields of clauses."""
    return MarkdownIt("commonmark").use(front_matter_plugin).disable("inline")


@cache
def _line_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _tree(text: str, references: dict[str, Any]) -> SyntaxTreeNode:
    """The blocks of a text; the definitions of links are added to `references`."""
    return SyntaxTreeNode(_parser().parse(text, references))


def _parts(inline: SyntaxTreeNode, references: dict[str, Any]) -> list[SyntaxTreeNode]:
    """The parts of the line of a block: code spans, emphasis, text."""
    return SyntaxTreeNode(_line_parser().parseInline(inline.content, references)).children[0].children


def _clauses(path: Path, name: str, terms: Mapping[str, Any] | None, outputs: Collection[str] | None
             ) -> dict[str, Clause]:
    """Return the clauses of a page by address; `outputs` are those of the operator, None for a text of none."""
    references: dict[str, Any] = {}
    text = _read(path)
    tree = _tree(text if terms is None else with_terms(path, text, terms), references)
    clauses: dict[str, Clause] = {}
    for section, item in _items(tree, references):
        clause = _clause(path, name, section, item, references, outputs)
        if clause is None:
            continue
        if clause.address in clauses:
            raise SpecError(f"{path}:{clause.line}: {clause.local} was already stated at line "
                            f"{clauses[clause.address].line}; give the second its own tag")
        clauses[clause.address] = clause
    return clauses


def _check_references(clauses: dict[str, Clause]) -> None:
    for clause in clauses.values():
        where = f"{clause.page}:{clause.line}"
        for other in (*clause.implies, *filter(None, [clause.restates])):
            if other not in clauses:
                raise SpecError(f"{where}: {clause.local} refers to {other}, which is not stated here")
            if clauses[other].restates and other == clause.restates:
                raise SpecError(f"{where}: {clause.local} restates {other}, itself a restatement; "
                                f"name {clauses[other].restates}")


def _with_facts(clauses: dict[str, Clause], text: SpecText) -> dict[str, Clause]:
    """Return the clauses with those of the facts and shapes of `text`.

    In each section those on calls and shapes come first, the others last. Where pages are shared, clauses come in the
    order of their tags, and sections on attributes before those on inputs and outputs.
    """
    shapes = [formula.clause(text.name) for formula in text.shapes.values()]
    made = [*(fact.clause(text.name, address, 1) for address, fact in text.facts.items()), *shapes]
    for clause in made:
        if clause.address in clauses:
            raise SpecError(f"{text.path}:{clauses[clause.address].line}: {clause.local} is a fact of the schema or a "
                            "shape in the front matter as well; state it once")
    sections = dict.fromkeys(["signature", *(clause.section for clause in (*made, *clauses.values())
                                             if clause.section != "signature")])
    on_calls = [clause for clause in made if clause.judges == "call" or clause in shapes]
    ordered = [clause for section in sections for part in (on_calls, clauses.values(), made) for clause in part
               if clause.section == section and not (part is made and clause in on_calls)]
    if len(text.pages) > 1:
        places = {section: (text.place_of(section), place) for place, section in enumerate(sections)}
        ordered = sorted(ordered, key=lambda clause: (places[clause.section], TAGS.index(clause.tag[0]),
                                                      int(clause.tag[1:])))
    return {clause.address: clause for clause in ordered} if made or len(text.pages) > 1 else clauses


def _front_matter(path: Path, text: str | None) -> dict[str, Any]:
    if text is None:
        raise SpecError(f"{path}:1: no front matter; begin with ---, {', '.join(sorted(FRONT))}, ---")
    try:
        front = load(text) or {}
    except YAMLError as error:
        raise SpecError(f"{path}:1: front matter is not YAML: {str(error).splitlines()[0]}") from None
    known = {*OPTIONAL_FRONT, *FRONT, *VERSIONED_FRONT, *GENERAL_FRONT, *PROFILE_FRONT}
    for key in [key for key in front if key not in known] if isinstance(front, dict) else ():
        if near := did_you_mean(str(key), known):
            raise SpecError(f"{path}:1: the front matter has the unknown key {key!r}{near}")
    if not isinstance(front, dict) or set(front) - OPTIONAL_FRONT not in (FRONT, VERSIONED_FRONT, GENERAL_FRONT,
                                                                          PROFILE_FRONT):
        raise SpecError(f"{path}:1: the front matter has the keys {', '.join(sorted(FRONT))}, each once (a text that "
                        "changes with the opset: versions instead of opset; one on models and no "
                        "operator: specification and edition alone; an accuracy profile: these and bounds)")
    for key, value in front.items():
        if wanted := _wrong(key, value):
            raise SpecError(f"{path}:1: {key} is {value!r}, and not {wanted}")
    try:
        read_bounds(front if "bounds" in front else {"bounds": {}})
    except (ValueError, TypeError, AttributeError) as error:
        raise SpecError(f"{path}:1: bounds: {error}") from None
    return {"optional": [], "output_versions": {}, **front} if "operator" in front else front


def _wrong(key: str, value: Any) -> str | None:
    """Return what should stand under a key of the front matter, None if it does."""
    if key in LISTS:
        fits = isinstance(value, list) and all(type(entry) is LISTS[key] for entry in value)
        of = "numbers" if LISTS[key] is int else "names"
        return None if fits and (value or key in ("optional", "inputs")) else f"a list of {of}"
    if key in TABLES:
        return None if isinstance(value, dict) and all(map(_is_versions, value.values())) else "versions by name"
    if key == "shares":
        return None if is_table(value) else "words by term, by the name of a page"
    if key == "schema":
        return _wrong_schema(value)
    if key == "shapes":
        return _wrong_shapes(value)
    if key in ("bounds", "tables", "flushes"):
        return None if isinstance(value, list if key == "flushes" else dict) else "a list" if key == "flushes" else \
            "entries by name"
    if key == "specification":
        return None if isinstance(value, str) and NAME.fullmatch(value) else "a name such as sonnx/maxpool"
    if key == "opset":
        return None if type(value) is int and value > 0 else "the number of an opset"
    return None if isinstance(value, str) and value or key == "domain" and value in (None, "") else "a text"


def _wrong_shapes(shapes: Any) -> str | None:
    is_table = isinstance(shapes, dict) and all(isinstance(formula, str) and ADDRESS.fullmatch(str(address))
                                                for address, formula in shapes.items())
    try:
        return None if is_table and [ShapeFormula(*entry) for entry in shapes.items()] else "formulas by address"
    except (SyntaxError, ValueError) as error:
        return f"formulas of shapes ({error})"


def _wrong_schema(schema: Any) -> str | None:
    is_table = isinstance(schema, dict) and all(isinstance(entry, dict) and ADDRESS.fullmatch(str(address))
                                                for address, entry in schema.items())
    try:
        return None if is_table and list(facts(schema)) else "facts by address, such as X.C1"
    except (ValueError, TypeError) as error:
        return f"facts of ONNX's schema ({error})"


def _is_versions(text: Any) -> bool:
    try:
        return Versions.parse(str(text)) is not None
    except ValueError:
        return False


def _items(tree: SyntaxTreeNode, references: dict[str, Any]) -> Iterator[tuple[str, SyntaxTreeNode]]:
    """Yield each list item at the top level of the page, with the name of its section."""
    path: list[tuple[int, str | None]] = []
    for node in tree.children:
        if node.type == "heading":
            level = int(node.tag[1:])
            code = [child.content for child in _parts(node.children[0], references) if child.type == "code_inline"]
            path = [part for part in path if part[0] < level] + [(level, code[0] if code else None)]
        elif node.type in ("bullet_list", "ordered_list"):
            section = ".".join(name for _, name in path if name)
            for item in node.children:
                yield section, item


def _clause(path: Path, name: str, section: str, item: SyntaxTreeNode, references: dict[str, Any],
            outputs: Collection[str] | None) -> Clause | None:
    """Return the clause that a list item states, or None for an ordinary item.

    `name` is the specification's, `section` that of the item, and `references` are the page's link definitions.
    `outputs` are as in `_clauses`."""
    line = (item.map or (0, 0))[0] + 1
    first = item.children[0] if item.children else None
    inline = first.children[0] if first and first.type in ("paragraph", "heading") else None
    parts = [child for child in _parts(inline, references) if child.content or child.children] if inline else []
    if inline is None or not parts or parts[0].type != "strong" or parts[0].children[0].type != "code_inline":
        if inline is not None and inline.content.startswith("**`"):
            raise SpecError(f"{path}:{line}: the asterisks around the tag are not closed; write **`C1`** *Title.* and "
                            "the statement")
        return None
    tag = parts[0].children[0].content
    where = f"{path}:{line}"
    if first and first.type == "heading":
        raise SpecError(f"{where}: {tag} is a heading; remove the line of hyphens below it")
    if not TAG.fullmatch(tag):
        raise SpecError(f"{where}: {tag!r} is no tag; a tag is R, C, F, U or E and a number, such as C1")
    if not section:
        raise SpecError(f"{where}: {tag} stands under no section; name one in a heading with a code span")
    title = next((part.children[0].content for part in parts[1:2] + parts[2:3] if part.type == "em"), None)
    match = re.match(r"\*\*`[^`]+`\*\*\s+\*([^*]+)\*\s+(.+)", " ".join(inline.content.split()))
    if title is None or match is None:
        raise SpecError(f"{where}: write the clause as - **`{tag}`** *Title.* Statement.")
    fields = _fields(path, item)
    judged = tag[0] in "RCF"
    if judged and outputs is not None:
        is_on_outputs = tag[0] == "F" or section.rpartition(".")[2] in outputs
        fields.setdefault("judges", "outputs" if is_on_outputs else "call")
    if judged != ("judges" in fields) or fields.get("judges", "call") not in ("call", "outputs", "model"):
        raise SpecError(f"{where}: {tag} " + ("needs 'judges: call' or 'judges: outputs'" if judged else
                                              "judges nothing; drop the field 'judges'"))
    if "source" not in fields:
        raise SpecError(f"{where}: {tag} needs 'source: ' with the place it comes from")
    if "editorial" in fields and tag[0] != "E":
        raise SpecError(f"{where}: only an erratum can be editorial")
    if "editions" in fields and (tag[0] != "E" or "editorial" in fields):
        raise SpecError(f"{where}: only an erratum that is not editorial has editions")
    restates = fields.pop("restates", None)
    implies = tuple(full_address(name, part) for part in _listed(fields.pop("implies", "")))
    tags = tuple(_listed(fields.pop("alias", "")))
    try:
        versions = Versions.parse(fields.pop("versions")) if "versions" in fields else None
    except ValueError as error:
        raise SpecError(f"{where}: versions: {error}") from None
    if "boundary" in fields and (tag[0] not in "CF" or restates):
        raise SpecError(f"{where}: only a constraint or a function that restates no other clause has a boundary")
    try:
        boundary = read_boundary(fields.pop("boundary")) if "boundary" in fields else ()
    except BoundaryError as error:
        raise SpecError(f"{where}: boundary: {error}") from None
    try:
        editions = tuple(Edition.parse(part.strip()) for part in fields.pop("editions").split(";")) \
            if "editions" in fields else ()
    except ValueError as error:
        raise SpecError(f"{where}: editions: {error}") from None
    known: dict[str, Any] = fields
    return Clause(name, section, tag, match[1].rstrip("."), match[2], line=line, implies=implies, versions=versions,
                  boundary=boundary, tags=tags, editions=editions, restates=restates and full_address(name, restates),
                  **known)


def _listed(text: str) -> list[str]:
    """Return the parts between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _fields(path: Path, item: SyntaxTreeNode) -> dict[str, str]:
    """The nested list of a clause, `key: value` each."""
    fields: dict[str, str] = {}
    for nested in (node for node in item.children if node.type == "bullet_list"):
        for entry in nested.children:
            line = (entry.map or (0, 0))[0] + 1
            text = entry.children[0].children[:1] if entry.children else []  # none of an empty item, and of a list
            key, colon, value = " ".join("".join(part.content for part in text).split()).partition(":")
            if not colon or key not in FIELDS or key in fields or not value.strip():
                raise SpecError(f"{path}:{line}: {key!r} is not a field of a clause (or stands twice, or is empty); "
                                f"fields are {', '.join(sorted(FIELDS))}, each 'name: text'")
            fields[key] = value.strip()
    return fields
