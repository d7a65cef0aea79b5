"""Locate specifications, definitions and reference oracles.

In the clone the parts of FAMILY/OPERATOR stand in `spec/`, `oracle/operators/`, `oracle/reference/` and `cases/`. A
folder of others holds them side by side: the text FAMILY/OPERATOR.md, its definition FAMILY/OPERATOR.py and its cases,
which `cases.loader` finds, FAMILY/OPERATOR.yaml. PLUMBLINE_SPECS is one folder, or several as in PATH.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import cast

import numpy as np

from plumbline.data import data_folder
from plumbline.oracle.clause import SpecError
from plumbline.oracle.definition import Operator

SPEC_FOLDER = data_folder("spec")
VARIABLE = "PLUMBLINE_SPECS"

ReferenceOracle = Callable[..., dict[str, np.ndarray]]
"""From a call inside the domain, and the version of a text that has versions, to all outputs."""


def named_folders() -> str:
    """Return the folders that PLUMBLINE_SPECS names."""
    return os.environ.get(VARIABLE, "")


def folders() -> tuple[Path, ...]:
    """The folders of others. Raises SpecError for one that is not there."""
    named = tuple(Path(os.path.realpath(name)) for name in named_folders().split(os.pathsep) if name)
    for folder in named:
        if not folder.is_dir():
            raise SpecError(f"{VARIABLE} names {folder}, which is not a folder; name one that holds FAMILY/OPERATOR.md")
    return named


def definition_of(name: str, text: Path, module: str = "") -> type[Operator]:
    """Return the definition of the operator of a specification, `name` without a version, in the file `text`.

    It is the one subclass of Operator in its module, or in the `module` of a family the one of the operator's name.
    Raises SpecError for a module that cannot be imported or defines none, or several."""
    code = module_of(name, text, module)
    classes = [value for value in vars(code).values() if isinstance(value, type) and issubclass(value, Operator)
               and value.__module__ == code.__name__ and not value.__name__.startswith("_")]
    if _is_shared(name, module):
        classes = [value for value in classes if value.__name__.lower() == _own(name)]
    if len(classes) != 1:
        raise SpecError(f"{name}: its module defines {len(classes) or 'no'} public subclasses of Operator; define "
                        "one, its definition")
    return classes[0]


def reference_oracle(name: str, text: Path, module: str = "") -> ReferenceOracle:
    """Return the reference oracle of a specification, `name` without a version, in the file `text`.

    It is `reference` beside a definition outside the suite, or `expected` in `oracle/reference/`; in the `module` of a
    family, the function of the operator's name. Raises SpecError."""
    of_family = (_own(name), f"{_own(name)}_") if _is_shared(name, module) else ()
    code = module_of(name, text, module)
    for function in of_family or ("reference", "literal"):  # `reference` is what folders written for 0.2 call it
        oracle = getattr(code, function, None)
        if callable(oracle) and (not of_family or oracle.__module__ == code.__name__):
            return cast(ReferenceOracle, oracle)
    try:
        references = importlib.import_module(f"plumbline.oracle.reference.{_dotted(_in_family(name, module))}")
        return cast(ReferenceOracle, next(vars(references)[function] for function in of_family or ("expected",)
                                          if function in vars(references)))
    except (ModuleNotFoundError, StopIteration):
        function = of_family[0] if of_family else "reference"
        raise SpecError(f"{name} has no reference oracle; write a function `{function}` from a call to all outputs "
                        "beside its definition") from None


def module_of(name: str, text: Path, module: str = "") -> ModuleType:
    """Return the module of a definition. Raises SpecError if it does not exist or cannot be imported."""
    if not text.is_relative_to(SPEC_FOLDER):
        return _module_at(text.with_name(f"{module or text.stem}.py"))
    try:
        return importlib.import_module(f"plumbline.oracle.operators.{_dotted(_in_family(name, module))}")
    except ModuleNotFoundError as error:
        raise SpecError(f"{name} has no definition: {error}") from None


def _is_shared(name: str, module: str) -> bool:
    """Return True if a specification shares its module with others."""
    return bool(module) and module != _own(name)


def _own(name: str) -> str:
    return name.rpartition("/")[2]


def _in_family(name: str, module: str) -> str:
    return f"{name.rpartition('/')[0]}/{module or _own(name)}"


def _dotted(name: str) -> str:
    return name.replace(".", "_").replace("-", "_").replace("/", ".")


@cache
def _module_at(path: Path) -> ModuleType:
    """The module of a file that belongs to no package."""
    located = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert located is not None and located.loader is not None  # a path that ends in .py has both
    module = importlib.util.module_from_spec(located)
    try:
        located.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the code of others raises
        raise SpecError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from None
    return module
