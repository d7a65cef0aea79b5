"""Where the Markdown of `spec` and the YAML of `cases` are read from."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """Return `spec` or `cases`: inside an installed wheel, otherwise at the top of the clone."""
    installed = PACKAGE / "_data" / name
    return installed if installed.is_dir() else PACKAGE.parent / name
