"""The sample page and site of the documentation: a few backends on the written cases of SONNX, and pictures of them.

    python -m tests.browser.sample      writes reports/out/sample/matrix.html and site/, and the pictures of docs/sample

The records are beside the page. Exit status: 0 if all files are written, 2 otherwise (the reason on stderr).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from plumbline.reports import write_html
from plumbline.reports.site import write_site
from plumbline.trial.record.recording import read_records
from tests.browser.chromium import FLAGS, NoChromium, find_chromium

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "docs" / "sample"
RECORDS = Path("reports/out/sample")
"""Relative to the root, so that the records, which hold their command, name no folder of a machine."""

BACKENDS = ("onnx-reference", "onnxruntime==1.23.2", "onnxruntime")
"""Small and quick to set up; one of them in two versions."""

SIZE, PHONE = {"width": 1200, "height": 840}, {"width": 390, "height": 844}
"""Points of a screenshot."""


def main() -> int:
    """Write the sample; the exit status."""
    try:
        chromium = find_chromium()
        records = read_records(_tried())
        page = write_html(records, ROOT / RECORDS / "matrix.html")
        site = write_site(records, ROOT / RECORDS / "site")[0]
    except (NoChromium, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 2
    for path in [page, site, *_pictures(page, site, chromium)]:
        print(path.relative_to(ROOT))
    return 0


def _tried() -> Sequence[Path]:
    """The records of a run of all backends. Raises CalledProcessError when it could not be done; what backends do is
    no error here."""
    for old in (ROOT / RECORDS).glob("*.jsonl"):
        old.unlink()
    command = [sys.executable, "-m", "plumbline", "conformance", "--tb=no", "--spec", "sonnx/*",
               "--generated", "0", "--context", "none",  # so that the page stays small
               "--report-dir", str(RECORDS), *(word for name in BACKENDS for word in ("--backend", name))]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        raise subprocess.CalledProcessError(done.returncode, command)
    return sorted((ROOT / RECORDS).glob("*.jsonl"))


def _pictures(page: Path, site: Path, chromium: str) -> list[Path]:
    """The first screen of the page in both themes and on a phone, and that of the site."""
    made = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name, (shown, size, scheme) in {"light": (page, SIZE, "light"), "dark": (page, SIZE, "dark"),
                                            "phone": (page, PHONE, "light"), "site": (site, SIZE, "light")}.items():
            tab = browser.new_context(viewport=size, color_scheme=scheme).new_page()
            tab.goto(shown.as_uri())
            made.append(PICTURES / f"{name}.png")
            tab.screenshot(path=made[-1])
        browser.close()
    return made


if __name__ == "__main__":
    sys.exit(main())
