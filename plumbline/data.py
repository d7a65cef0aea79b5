"""The distribution's name and version; where `spec` and `cases` are read from."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DISTRIBUTION = "onnx-plumbline"
"""The name to install; the package that it brings is called plumbline."""

PACKAGE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """Return `spec` or `cases`: inside an installed wheel, otherwise at the top of the clone."""
    installed = PACKAGE / "_data" / name
    return installed if installed.is_dir() else PACKAGE.parent / name


def suite_version() -> str:
    """Return the version of the installed distribution."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return f"unknown: {DISTRIBUTION} is not installed"
