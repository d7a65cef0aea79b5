"""Finds the implementations and their faults."""

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
    """The implementations without a fault: first the plain one, then others that every text allows."""
    return [found for found in _classes(module) if not found.breaks]


def faults(module: ModuleType) -> list[type[Implementation]]:
    """The implementations with one."""
    return [found for found in _classes(module) if found.breaks]
