"""Finds the implementations."""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.operators.contract import Implementation

FOLDER = Path(__file__).parent


@cache
def modules() -> dict[str, ModuleType]:
    """By the name of the specification without a version, the module of its implementation."""
    return {path.relative_to(FOLDER).with_suffix("").as_posix():
            importlib.import_module(f"tests.operators.{path.parent.name}.{path.stem}")
            for path in sorted(FOLDER.glob("*/*.py")) if not path.stem.startswith("_")}


def _classes(module: ModuleType) -> list[type[Implementation]]:
    return [value for value in vars(module).values() if inspect.isclass(value) and issubclass(value, Implementation)
            and value.__module__ == module.__name__ and not value.__name__.startswith("_")]


def honest(module: ModuleType) -> list[type[Implementation]]:
    """First the plain implementation, then others that every version allows."""
    return _classes(module)
