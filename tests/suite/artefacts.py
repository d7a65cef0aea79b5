"""Files that several tests read and none changes, made once for all processes of a test run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def artefact(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder `name`, which the first process that asks for it makes; the others wait."""
    base = factory.getbasetemp()
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, part = root / name, root / f"{name}.part"
    with FileLock(root / f"{name}.lock"):
        if not folder.exists():
            part.mkdir(exist_ok=True)
            make(part)
            part.rename(folder)
    return folder
