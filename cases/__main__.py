"""The door of `cases/`.

    python -m cases new SPEC ID [--file PATH]
                                       a case to begin with, printed, or added to a file, which is made where there is
                                       none
    python -m cases lint [--fix] [PATH ...]
                                       check files of cases: schema, titles, clauses, expectations against both oracles,
                                       layout; with --fix lay them out
    python -m cases gaps [--spec GLOB] the clauses that no case tries, and what to write
    python -m cases schema             write cases/case.schema.json, for editors
    python -m cases list [--spec GLOB] one line for each case
    python -m cases coverage [SPEC]    boundary classes that a run without options has, of those that can be had, clause
                                       by clause (cases/classes.py says what is counted)
    python -m cases sweep SPEC --bound N [--count] [--compare]
                                       every call whose choices cost at most N bits, the plainest first, one line each
                                       with its number; or how many there are; or what the two oracles disagree on
    python -m cases export --format onnx-backend-test DIR [--spec GLOB]
                                       models and data as ONNX's own backend test runner reads them
"""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatch
from pathlib import Path

from plumbline.cases.choosing import maker, makes_calls
from plumbline.cases.classes import coverage, covered, satisfiable
from plumbline.cases.export import ExportError, export
from plumbline.cases.gates import gaps
from plumbline.cases.layout import laid_out, layout_problems
from plumbline.cases.lint import disagreements, duplicates, lint
from plumbline.cases.loader import case_files, load_cases, read_cases
from plumbline.cases.made import GENERATED, made_cases
from plumbline.cases.model import Case
from plumbline.cases.scaffold import ScaffoldError, scaffold
from plumbline.cases.schema import SCHEMA_FILE, schema_text
from plumbline.oracle import SpecError, load_spec, spec_names
from plumbline.oracle.choosing import every
from plumbline.oracle.compared import call_line
from plumbline.oracle.door import leave


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 0 when nothing is wrong, 1 when lint or gaps find something, 2 when
    nothing could be done."""
    parser = argparse.ArgumentParser(prog="python -m cases", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True)
    new = doors.add_parser("new")
    new.add_argument("spec", metavar="SPEC")
    new.add_argument("id", metavar="ID")
    new.add_argument("--file", type=Path, metavar="PATH")
    lint_door = doors.add_parser("lint")
    lint_door.add_argument("--fix", action="store_true")
    lint_door.add_argument("paths", nargs="*", type=Path)
    doors.add_parser("gaps").add_argument("--spec", default="*", metavar="GLOB")
    doors.add_parser("schema")
    doors.add_parser("list").add_argument("--spec", default="*")
    export_door = doors.add_parser("export")
    export_door.add_argument("--format", choices=["onnx-backend-test"], required=True)
    export_door.add_argument("folder", type=Path, metavar="DIR")
    export_door.add_argument("--spec", default="*", metavar="GLOB")
    doors.add_parser("coverage").add_argument("spec", nargs="?", default="*", metavar="SPEC")
    sweep = doors.add_parser("sweep")
    sweep.add_argument("spec", metavar="SPEC")
    sweep.add_argument("--bound", type=_at_least_one, required=True, metavar="N")
    sweep.add_argument("--count", action="store_true")
    sweep.add_argument("--compare", action="store_true")
    options = parser.parse_args(arguments)
    try:
        return DOORS[options.door](options)
    except BrokenPipeError:
        raise  # nobody reads on: see leave
    except (ExportError, OSError, ScaffoldError, SpecError) as error:
        print(error, file=sys.stderr)
        return 2


def _new(options: argparse.Namespace) -> int:
    text = scaffold(options.spec, options.id, options.file)
    if options.file is None:
        print(text, end="")
        return 0
    with options.file.open("a", encoding="utf-8") as file:
        file.write(text)
    print(f"{options.file}: {options.id} added; change its title, clauses, inputs and what it expects, then\n"
          f"python -m cases lint {options.file}")
    return 0


def _lint(options: argparse.Namespace) -> int:
    paths = options.paths or None
    cases, errors = read_cases(paths)
    unread = {error.path for error in errors}
    files = [path for path in case_files(paths) if path not in unread]
    if options.fix:
        for path in files:
            path.write_text(laid_out(path.read_text(encoding="utf-8"), path.parent), encoding="utf-8")
    problems = [*map(str, errors), *(line for path in files for line in layout_problems(path)),
                *(line for case in cases for line in lint(case)), *duplicates(cases)]
    for line in problems:
        print(line)
    print(f"{len(cases)} cases, {len(problems)} problem{'s' if len(problems) != 1 else ''}")
    return 1 if problems else 0


def _gaps(options: argparse.Namespace) -> int:
    names = _named(options.spec)
    cases, errors = read_cases()
    lines = [*map(str, errors), *(line for name in names for line in gaps(name, cases))]
    print("\n".join([*lines, f"{sum(len(load_spec(name).clauses) for name in names)} clauses, {len(lines)} not tried"]))
    return 1 if lines else 0


def _coverage(options: argparse.Namespace) -> int:
    """Prints the shares; 1 when some pair that can be had is not."""
    names = _named(options.spec)
    written, complete = load_cases(), True
    for name in names:
        spec = load_spec(name)
        tried = [*written, *made_cases(name, written, seed=0, count=GENERATED)]
        found = covered(spec, [case.call for case in tried if case.spec == name])
        if not satisfiable(name):
            print(f"{name}: no clause has a boundary, so there are no classes to cover")
            continue
        print(f"{name}: {len(found)} of {len(satisfiable(name))} pairs of boundary classes")
        for address, (count, of) in coverage(spec, found).items():
            print(f"    {count:4} / {of:<4} {address}")
        complete &= found == satisfiable(name)
    return 0 if complete else 1


def _sweep(options: argparse.Namespace) -> int:
    """Prints as it goes; 1 when the oracles disagree, 2 when there is no call to try."""
    spec = load_spec(options.spec)
    if not makes_calls(spec):
        raise SpecError(f"{spec.name}: its home makes no calls; write `make`")
    numbers, calls, wrong = 0, 0, 0
    for number, call in every(maker(spec), options.bound):
        numbers = number + 1
        if spec.violations(call):
            continue
        calls += 1
        if options.compare:
            found = list(disagreements(options.spec, call))
            wrong += bool(found)
            print("".join(f"{number}  {line}: {call_line(call)}\n" for line in found), end="", flush=bool(found))
        elif not options.count:
            print(f"{number}  {call_line(call)}")
    if not calls:
        raise SpecError(f"{spec.name}: no call within {options.bound} bits is inside the domain; nothing was tried")
    if options.count or options.compare:
        said = f", {wrong} on which the two oracles disagree" if options.compare else ""
        print(f"{options.spec}: {calls} calls of {numbers} numbers{said}")
    return 1 if wrong else 0


def _at_least_one(text: str) -> int:
    """Raises ArgumentTypeError for anything but a whole number above zero."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _schema(options: argparse.Namespace) -> int:
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
    print(f"wrote {SCHEMA_FILE.name}")
    return 0


def _list(options: argparse.Namespace) -> int:
    for case in _chosen(options.spec):
        print(f"{case.spec}  {case.id}  {case.title}")
    return 0


def _export(options: argparse.Namespace) -> int:
    print(f"{options.folder}: {export(_chosen(options.spec), options.folder).summary()}")
    return 0


def _chosen(pattern: str) -> list[Case]:
    names = _named(pattern)
    return [case for case in read_cases()[0] if case.spec in names]


def _named(pattern: str) -> list[str]:
    """The specifications of a pattern. Raises SpecError when there is none."""
    names = [name for name in spec_names() if fnmatch(name, pattern)]
    if not names:
        raise SpecError(f"no specification is called {pattern!r}; there are {', '.join(spec_names())}")
    return names


DOORS = {"new": _new, "lint": _lint, "gaps": _gaps, "coverage": _coverage, "schema": _schema, "list": _list,
         "export": _export, "sweep": _sweep}

if __name__ == "__main__":
    leave(main)
