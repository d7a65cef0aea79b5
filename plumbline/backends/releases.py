"""List the releases of a backend from the package index."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

from packaging.requirements import Requirement
from packaging.version import Version

from plumbline.backends.declarations import BackendError
from plumbline.backends.environments import NPM
from plumbline.backends.foreign_text import one_line
from plumbline.backends.registry import find_backend


def releases(name: str) -> list[Version]:
    """Return the releases that can be installed here, oldest first.

    name: of an adapter of the suite, without a version.

    Prereleases (1.2rc1) are left out. Raises BackendError."""
    if not find_backend(name).adapter or "==" in name:
        raise BackendError(f"{name} has no releases to choose from; name an adapter of the suite, without a version")
    requirements = find_backend(f"{name}==0").requirements
    if requirements[0].startswith(NPM):
        return _of_npm(requirements[0].removeprefix(NPM).partition("==")[0])
    package = Requirement(requirements[0]).name
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "index", "versions", package]
    done = subprocess.run(command, capture_output=True, text=True)
    listed = [line.partition(":")[2] for line in done.stdout.splitlines() if line.startswith("Available versions:")]
    if done.returncode or not listed:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise BackendError(f"cannot ask for the releases of {package}: {lines[-1] if lines else done.stderr.strip()}")
    return sorted(Version(text.strip()) for text in listed[0].split(","))


def _of_npm(package: str) -> list[Version]:
    if shutil.which("npm") is None:
        raise BackendError(f"cannot ask for the releases of {package}: there is no npm on PATH")
    done = subprocess.run(["npm", "view", package, "versions", "--json"], capture_output=True, text=True)
    if done.returncode:
        raise BackendError(f"cannot ask for the releases of {package}: {one_line(done.stderr.strip())}")
    listed = json.loads(done.stdout)
    return sorted(Version(text) for text in ([listed] if isinstance(listed, str) else listed)
                  if re.fullmatch(r"[0-9.]+", text))  # all others are prereleases, which PEP 440 cannot read
