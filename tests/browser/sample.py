"""The sample page and site of the documentation, a few backends on the written cases of SONNX, and pictures.

    python -m tests.browser.sample              writes reports/out/sample/matrix.html and site/, and all pictures of
                                                docs/sample: page, site, terminal, documentation, wide and narrow
    python -m tests.browser.sample --pictures   the pictures alone, of the page and site that are there

The records are beside the page. Exit status: 0 if all files are written, 2 otherwise (the reason on stderr).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from plumbline.reports import write_html
from plumbline.reports.site import write_site
from plumbline.trial.record.recording import read_records
from tests.browser.chromium import FLAGS, NoChromium, find_chromium
from tests.browser.terminal import as_html, type_command

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "docs" / "sample"
RECORDS = Path("reports/out/sample")
"""Relative to the root, so that the records, which hold their command, name no folder of a machine."""

BACKENDS = ("onnx-reference", "onnxruntime==1.23.2", "onnxruntime")
"""Small and quick to set up; one of them in two versions."""

TYPED = "plumbline conformance --spec onnx/maxpool@22"
"""The command of README, whose output is shown in a terminal."""

WIDE, NARROW = {"width": 1200, "height": 840}, {"width": 390, "height": 844}
"""Points of a screenshot."""


def main(arguments: Sequence[str]) -> int:
    """Write the sample; the exit status."""
    page, site = ROOT / RECORDS / "matrix.html", ROOT / RECORDS / "site" / "index.html"
    try:
        chromium = find_chromium()
        if "--pictures" not in arguments:
            records = read_records(_tried())
            write_html(records, page)
            write_site(records, site.parent)
        screens = [*_screens(page, site), *_terminals(), *_documentation()]
    except (NoChromium, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 2
    for path in [page, site, *_pictures(screens, chromium)]:
        print(path.relative_to(ROOT))
    return 0


Screen = tuple[str, Path, dict[str, int], str, str]
"""The name of a picture, the page, its size, the colour scheme, and what is shown of it: "" for the first screen, or a
selector."""


def _screens(page: Path, site: Path) -> list[Screen]:
    """Page and site of the sample."""
    return [("light", page, WIDE, "light", ""), ("dark", page, WIDE, "dark", ""), ("phone", page, NARROW, "light", ""),
            ("site", site, WIDE, "light", ""), ("site-phone", site, NARROW, "light", "")]


def _terminals() -> list[Screen]:
    """A run typed in terminals of two widths."""
    made: list[Screen] = []
    for name, columns in ("terminal", 100), ("terminal-narrow", 50):
        path = ROOT / RECORDS / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_html(TYPED, type_command(TYPED, ROOT, columns), columns), encoding="utf-8")
        made.append((name, path, WIDE, "dark", "pre"))
    return made


def _documentation() -> list[Screen]:
    """The first page of the documentation; few specifications, which are not seen there."""
    out = ROOT / RECORDS / "docs"
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", str(out)],
                   cwd=ROOT, env=os.environ | {"DOCS_SPECIFICATIONS": "onnx/a*"}, check=True)
    page = out / "README.html"
    return [("docs", page, WIDE | {"width": 1400}, "light", ""), ("docs-phone", page, NARROW, "light", "")]


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


def _pictures(screens: Sequence[Screen], chromium: str) -> list[Path]:
    """The pictures of the documentation, in a palette, which halves them."""
    made = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name, shown, size, scheme, selector in screens:
            tab = browser.new_context(viewport=size, color_scheme=scheme).new_page()
            tab.goto(shown.as_uri())
            picture = tab.locator(selector).screenshot() if selector else tab.screenshot()
            made.append(PICTURES / f"{name}.png")
            image = Image.open(BytesIO(picture)).convert("RGB")
            image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(made[-1], optimize=True)
        browser.close()
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
