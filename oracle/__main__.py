"""The door of `oracle/`.

    python -m oracle list [SPEC]        the specifications, or the clauses of one
    python -m oracle explain ADDRESS    a clause: what it says, where it comes from, what it restates or implies
    python -m oracle diff SPEC SPEC     the smallest calls on which two specifications part, and the clauses that say so
    python -m oracle diff --all         the same of all that are about one operator, as a page of Markdown
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator

from oracle.clause import SpecError
from oracle.compare import differences
from oracle.compared import bound_line, call_line, page
from oracle.findings import OutsideDomain
from oracle.specification import load_spec, spec_names


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 2 when there is no such specification or clause."""
    parser = argparse.ArgumentParser(prog="python -m oracle", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True)
    doors.add_parser("list").add_argument("spec", nargs="?")
    doors.add_parser("explain").add_argument("address")
    diff = doors.add_parser("diff")
    diff.add_argument("specs", nargs="*", metavar="SPEC")
    diff.add_argument("--all", action="store_true")
    options = parser.parse_args(arguments)
    if options.door == "diff" and len(options.specs) != (0 if options.all else 2):
        diff.error("name two specifications, or --all")
    try:
        lines = {"explain": lambda: _explain(options.address), "list": lambda: _list(options.spec),
                 "diff": lambda: _diff(options.specs)}[options.door]()
        print("\n".join(lines))
    except (SpecError, OutsideDomain) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


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
    spec = load_spec(address.partition("#")[0])
    if address not in spec.clauses:
        raise SpecError(f"{spec.name} has no clause {address!r}; python -m oracle list {spec.name} shows those it has")
    clause = spec.clauses[address]
    yield f"{address}  {clause.title} ({clause.kind})"
    yield from textwrap.wrap(clause.statement, 100, initial_indent="  ", subsequent_indent="  ")
    facts = {"source": clause.source, "derived": clause.derived, "judges": clause.judges, "restates": clause.restates,
             "implies": ", ".join(clause.implies), "editorial": clause.editorial,
             "computed": spec.evidence().get(address),
             "stated at": f"spec/{spec.name}.md, line {clause.line}", "edition": spec.edition}
    yield from (f"  {name}: {text}" for name, text in facts.items() if text)


if __name__ == "__main__":
    sys.exit(main())
