"""Run the notebooks.

    python -m notebooks [NAME ...]          run all notebooks, or those named, and keep their outputs in place
    python -m notebooks --backend BACKEND   run your_backend about another one, into reports/out

The exit status is 1 when a notebook does not run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from notebooks.execute import FOLDER, NotebookError, execute, notebooks, save
from plumbline.commands.base import leave

OUT = Path("reports/out")
TOUR = FOLDER / "your_backend.ipynb"


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the options. Raises SystemExit after --help and for wrong options."""
    parser = argparse.ArgumentParser(prog="python -m notebooks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    names = {path.stem: path for path in notebooks()}
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--backend", metavar="BACKEND", help="as for a conformance run, such as torch")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in names]
    if unknown:
        parser.error(f"no notebook is called {', '.join(unknown)}; there are {', '.join(names)}")
    if options.backend and options.names:
        parser.error("--backend is about your_backend alone; name no notebook beside it")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    options = parsed(arguments)
    try:
        if options.backend:
            safe = "".join(letter if letter.isalnum() or letter in ".-_" else "-" for letter in options.backend)
            _run(TOUR, OUT / f"{TOUR.stem}-{safe}.ipynb", backend=options.backend, files=["../cases"])
        else:
            for path in notebooks():
                if not options.names or path.stem in options.names:
                    _run(path, path)
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _run(path: Path, to: Path, **parameters: Any) -> None:
    save(execute(path, **parameters), to)
    print(to if not to.is_relative_to(Path.cwd()) else to.relative_to(Path.cwd()))


if __name__ == "__main__":
    leave(main)
