"""Releases of a backend, from the package index."""

from __future__ import annotations

import subprocess
import sys

from packaging.requirements import Requirement
from packaging.version import Version

from plumbline.backends.registry import BackendError, find_backend


def releases(name: str) -> list[Version]:
    """Return the releases that can be installed here, oldest first.

    Prereleases (1.2rc1) are left out. Raises BackendError."""
    if not find_backend(name).adapter or "==" in name:
        raise BackendError(f"{name} has no releases to choose from; name an adapter of the suite, without a version")
    requirements = find_backend(f"{name}==0").requirements
    package = Requirement(requirements[0]).name
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "index", "versions", package]
    done = subprocess.run(command, capture_output=True, text=True)
    listed = [line.partition(":")[2] for line in done.stdout.splitlines() if line.startswith("Available versions:")]
    if done.returncode or not listed:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise BackendError(f"cannot ask for the releases of {package}: {lines[-1] if lines else done.stderr.strip()}")
    return sorted(Version(text.strip()) for text in listed[0].split(","))
