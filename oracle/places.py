"""Where specifications stand: in the clone, and in folders of others, which PLUMBLINE_SPECS names.

In the clone the parts of FAMILY/OPERATOR stand in `spec/`, `oracle/clauses/`, `oracle/literal/` and `cases/`. A folder
of others holds them side by side: the text FAMILY/OPERATOR.md, its predicates FAMILY/OPERATOR.py and its cases, which
`cases.loader` finds, FAMILY/OPERATOR.yaml. PLUMBLINE_SPECS is one folder, or several as in PATH.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np

from plumbline.oracle.clause import SpecError

SPEC_FOLDER = Path(__file__).resolve().parent.parent / "spec"
VARIABLE = "PLUMBLINE_SPECS"

SlowOracle = Callable[..., dict[str, np.ndarray]]
"""From a call inside the domain, and the version of a text that has versions, to all outputs."""


def named_folders() -> str:
    """What PLUMBLINE_SPECS says."""
    return os.environ.get(VARIABLE, "")


def folders() -> tuple[Path, ...]:
    """The folders of others. Raises SpecError for one that is not there."""
    named = tuple(Path(name).resolve() for name in named_folders().split(os.pathsep) if name)
    for folder in named:
        if not folder.is_dir():
            raise SpecError(f"{VARIABLE} names {folder}, which is no folder; name one that holds FAMILY/OPERATOR.md")
    return named


def predicates(name: str, text: Path) -> ModuleType:
    """The module that binds predicates to the clauses of a text. Raises SpecError for one that cannot be imported."""
    if text.is_relative_to(SPEC_FOLDER):
        return importlib.import_module(f"plumbline.oracle.clauses.{_dotted(name)}")
    return _beside(text.with_suffix(".py"))


def slow_oracle(name: str, text: Path) -> SlowOracle:
    """The slow oracle of a text: `literal` where its predicates are, or `expected` in `oracle/literal/`. Raises
    SpecError where there is none."""
    module = predicates(name, text)
    if hasattr(module, "literal"):
        found: SlowOracle = module.literal
        return found
    try:
        found = importlib.import_module(f"plumbline.oracle.literal.{_dotted(name)}").expected
        return found
    except ModuleNotFoundError:
        raise SpecError(f"{name} has no slow oracle; write a function `literal` from a call to all outputs beside its "
                        "predicates") from None


def _dotted(name: str) -> str:
    return name.replace(".", "_").replace("/", ".")


@cache
def _beside(path: Path) -> ModuleType:
    """The module of a file that belongs to no package."""
    found = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert found is not None and found.loader is not None  # of a path that ends in .py both are there
    module = importlib.util.module_from_spec(found)
    try:
        found.loader.exec_module(module)
    except Exception as error:  # whatever the code of others raises
        raise SpecError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from None
    if not hasattr(module, "bindings"):
        raise SpecError(f"{path}: holds no `bindings`")
    return module
