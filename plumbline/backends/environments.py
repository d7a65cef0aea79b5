"""Private environments of backends, made once, on demand, with uv.

They are in `.backends/` of a clone, or in the user's cache folder for an installed suite."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import platformdirs
import uv

from plumbline.backends.hosts import StartError
from plumbline.data import PACKAGE

CLONE = PACKAGE.parent
FOLDER = (CLONE / ".backends" if (CLONE / "pyproject.toml").is_file()
          else platformdirs.user_cache_path("plumbline") / "backends")


def is_made(name: str, requirements: tuple[str, ...]) -> bool:
    """Return True if the environment is complete."""
    marker = _folder(name, requirements) / "complete"
    return marker.exists() and marker.read_text() == "\n".join(requirements)


def _folder(name: str, requirements: tuple[str, ...]) -> Path:
    return FOLDER / "-".join([name, *requirements[0].split("==")[1:]])


def environment(name: str, requirements: tuple[str, ...]) -> Path:
    """Return the interpreter of an environment with numpy and `requirements`.

    The environment is made unless it is complete, which a marker, written last, says. Raises StartError."""
    folder = _folder(name, requirements)
    python = folder / "bin" / "python"
    if is_made(name, requirements):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(f"cannot make an environment in {folder.parent}: {error.strerror}") from None
    command = uv.find_uv_bin()
    for arguments in (["venv", "--python", sys.executable, str(folder)],
                      ["pip", "install", "--python", str(python), "numpy", *requirements]):
        done = subprocess.run([command, "--quiet", *arguments], capture_output=True, text=True)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            lines = " ".join(line.strip() for line in done.stderr.strip().splitlines()[-4:])
            raise StartError(f"cannot make an environment with {', '.join(requirements)}: {lines}")
    (folder / "complete").write_text("\n".join(requirements))
    return python
