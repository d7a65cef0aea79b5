"""The documentation of each version, as a folder of sites with a switch between them.

    python docs/versions.py OUT      builds OUT/latest from this clone, and OUT/vX.Y.Z from each tag of that name

Each tag is built by its own package in an environment of its own. OUT/versions.json lists the versions, the newest
first; OUT/index.html leads to `latest`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parent.parent
TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)")
LATEST = "latest"
INDEX = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0; url={target}"><title>Plumbline</title>
<p><a href="{target}">The documentation of Plumbline</a></p></html>
"""


class Version(TypedDict):
    """A published version: its folder, and its name in the switch."""

    folder: str
    name: str


def list_versions(tags: Iterable[str], release: str) -> list[Version]:
    """Return `latest`, which is `release` as it stands on main, then the tags of releases, the newest first.

    Any other tag is ignored, a pre-release as well.
    """
    numbers = sorted((tuple(map(int, match.groups())), tag) for tag in set(tags) if (match := TAG.fullmatch(tag)))
    return [Version(folder=LATEST, name=f"{release} (main)"),
            *(Version(folder=tag, name=tag.removeprefix("v")) for _, tag in reversed(numbers))]


def read_versions(release: str) -> tuple[list[Version], str]:
    """Return the versions that the switch shows, and the folder of the one that is built.

    `DOCS_VERSIONS` names the file that `main` writes, `DOCS_VERSION` the folder; without them this version is alone.
    """
    path = os.environ.get("DOCS_VERSIONS")
    return (json.loads(Path(path).read_text(encoding="utf-8")) if path else list_versions((), release),
            os.environ.get("DOCS_VERSION", LATEST))


def main(out: Path) -> None:
    """Build all versions. Raises CalledProcessError."""
    from plumbline.data import suite_version

    tags = subprocess.run(["git", "tag"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    versions = list_versions(tags, suite_version())
    out.mkdir(parents=True, exist_ok=True)
    (out / "versions.json").write_text(json.dumps(versions, indent=1) + "\n", encoding="utf-8")
    (out / "index.html").write_text(INDEX.format(target=f"{LATEST}/"), encoding="utf-8")
    build(LATEST, ROOT, sys.executable, out)
    for tag in (version["folder"] for version in versions if version["folder"] != LATEST):
        with tempfile.TemporaryDirectory() as folder:
            clone, python = Path(folder) / "clone", Path(folder) / "venv" / "bin" / "python"
            run(ROOT, "git", "clone", "--quiet", "--branch", tag, str(ROOT), str(clone))
            run(clone, sys.executable, "-m", "venv", str(python.parent.parent))
            run(clone, str(python), "-m", "pip", "install", "--quiet", ".[docs,onnxruntime]")
            build(tag, clone, str(python), out)


def build(folder: str, clone: Path, python: str, out: Path) -> None:
    """Build one version, with warnings as errors."""
    run(clone, python, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", str(out.resolve() / folder),
        DOCS_VERSIONS=str(out.resolve() / "versions.json"), DOCS_VERSION=folder)


def run(place: Path, *command: str, **variables: str) -> None:
    """Run a command. Raises CalledProcessError."""
    subprocess.run(command, cwd=place, env=os.environ | variables, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
