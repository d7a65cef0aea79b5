"""The door of `oracle/`.

    python -m oracle list [SPEC]        the specifications, or the clauses of one
    python -m oracle explain ADDRESS    a clause: what it says, where it comes from, what it restates or implies
    python -m oracle diff SPEC SPEC     the smallest calls on which two specifications part, and the clauses that say so
    python -m oracle diff --all         the same of all that are about one operator, as a page of Markdown
    python -m oracle check MODEL.onnx --spec GLOB ...
                                        which nodes of a model are inside, what the others break and what repairs them
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from plumbline.oracle.clause import Clause, SpecError, full_address
from plumbline.oracle.compare import bound_line, differences
from plumbline.oracle.compared import call_line, page
from plumbline.oracle.discovery import SPEC_FOLDER
from plumbline.oracle.door import leave
from plumbline.oracle.findings import OutsideDomain
from plumbline.oracle.specification import Spec, load_spec, spec_names


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 2 when there is no such specification or clause, and that of `oracle.check`."""
    parser = argparse.ArgumentParser(prog="python -m oracle", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True)
    doors.add_parser("list").add_argument("spec", nargs="?")
    doors.add_parser("explain").add_argument("address")
    diff = doors.add_parser("diff")
    diff.add_argument("specs", nargs="*", metavar="SPEC")
    diff.add_argument("--all", action="store_true")
    check = doors.add_parser("check", epilog="exit status: 0 every node is inside, 1 some node breaks a clause, 2 the "
                             "model cannot be read or has no node to check, 3 some node is undecided and none breaks "
                             "a clause")
    check.add_argument("model", type=Path)
    check.add_argument("--spec", action="append", required=True, metavar="GLOB", dest="specs",
                       help="sonnx/maxpool, onnx/*, onnx/maxpool@12, ...; repeatable. Without @VERSION: the version in "
                            "force at the model's opset")
    check.add_argument("--json", action="store_true", help="one object; its keys stand in oracle/check/__init__.py")
    check.add_argument("--allow-undecided", action="store_true", help="exit with 0 instead of 3")
    options = parser.parse_args(arguments)
    if options.door == "diff" and len(options.specs) != (0 if options.all else 2):
        diff.error("name two specifications, or --all")
    if options.door == "check":
        return _check(options)
    try:
        lines = {"explain": lambda: _explain(options.address), "list": lambda: _list(options.spec),
                 "diff": lambda: _diff(options.specs)}[options.door]()
        print("\n".join(lines))
    except (SpecError, OutsideDomain) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _check(options: argparse.Namespace) -> int:
    from plumbline.oracle.check import ModelError, as_json, as_text, check  # it alone needs onnx
    try:
        report = check(options.model, options.specs)
    except (ModelError, SpecError) as error:
        print(error, file=sys.stderr)
        return 2
    status = report.status(options.allow_undecided)
    print(json.dumps(as_json(report, status), indent=2) if options.json else "\n".join(as_text(report)))
    return status


def _diff(names: list[str]) -> Iterator[str]:
    if not names:
        yield from page([load_spec(name) for name in spec_names()])
        return
    found = differences(*map(load_spec, names))
    for difference in found:
        yield f"{difference.kind}: {call_line(difference.call)}"
        yield from (f"  {clause}: {why}" for clause, why in zip(difference.clauses, difference.why, strict=True))
    yield f"{len(found) or 'no'} difference{'s' if len(found) != 1 else ''} within {bound_line()}"


def _list(name: str | None) -> Iterator[str]:
    if name is None:
        yield from spec_names()
        return
    for clause in load_spec(name).clauses.values():
        yield f"{clause.address:44} {clause.kind:12} {clause.title}"


def _explain(address: str) -> Iterator[str]:
    spec = _stating(address)
    address = full_address(spec.name, address.partition("#")[2])
    if address not in spec.clauses:
        raise SpecError(f"{spec.name} has no clause {address!r}; python -m oracle list {spec.name} shows those it has")
    clause = spec.clauses[address]
    yield f"{address}  {clause.title} ({clause.kind})"
    yield from textwrap.wrap(clause.statement, 100, initial_indent="  ", subsequent_indent="  ")
    facts = {"source": clause.source, "derived": clause.derived, "judges": clause.judges, "restates": clause.restates,
             "implies": ", ".join(clause.implies), "editorial": clause.editorial,
             "holds for versions": _held(spec, clause),
             "computed": spec.evidence().get(address),
             "stated at": f"{_shown(spec.path)}, line {clause.line}", "edition": spec.edition}
    yield from (f"  {name}: {text}" for name, text in facts.items() if text)


def _stating(address: str) -> Spec:
    """The specification of an address; of a text named without its version, the last version that has the clause."""
    name, _, local = address.partition("#")
    versions = [load_spec(known) for known in spec_names() if known.startswith(f"{name}@")]
    having = [spec for spec in versions if full_address(spec.name, local) in spec.clauses]
    return (having or versions or [load_spec(name)])[-1]


def _shown(path: Path) -> Path:
    """As it stands in the clone; whole where it stands elsewhere."""
    root = SPEC_FOLDER.parent
    return path.relative_to(root) if path.is_relative_to(root) else path


def _held(spec: Spec, clause: Clause) -> str:
    """``10, 11, 12 of 1, 8, 10, 11, 12``; "" where the text has no versions."""
    held = [version for version in spec.versions if clause.versions is None or version in clause.versions]
    return f"{', '.join(map(str, held))} of {', '.join(map(str, spec.versions))}" if held else ""


if __name__ == "__main__":
    leave(main)
