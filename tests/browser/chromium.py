"""The Chromium of the system: nothing is downloaded."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What distributions call it; the environment variable CHROMIUM names another."""

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
"""In a container Chromium has neither a sandbox nor much shared memory; it opens our own file alone."""


class NoChromium(LookupError):
    """There is none; the text says where it was looked for, and what to do."""


def find_chromium() -> str:
    """The path of the browser. Raises NoChromium."""
    names = [*filter(None, [os.environ.get("CHROMIUM")]), *NAMES]
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise NoChromium(f"no Chromium found (looked for {', '.join(names)}): install the distribution's, as with "
                         "'apt-get install chromium', or name one in the environment variable CHROMIUM")
    return found
