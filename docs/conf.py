"""The documentation as a site: `make docs` builds it with warnings as errors."""

import os
import re
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import urljoin

from plumbline.data import suite_version
from plumbline.oracle.discovery import SPEC_FOLDER
from plumbline.oracle.markdown import read_front
from plumbline.oracle.shared_pages import shared_pages, with_terms

sys.path.insert(0, str(Path(__file__).parent))
from versions import INDEX, LATEST, read_versions

project = "Plumbline"
author = "The Plumbline contributors"
release = suite_version()
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
exclude_patterns = ["worked-example", "sample", "_build", "_static", "_templates"]
templates_path = ["_templates"]
suppress_warnings = ["myst.header"]  # specifications number their headings by what they are in
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_title = f"Plumbline {release}"
VERSIONS, BUILT = read_versions(release)
html_context = {"versions": VERSIONS, "built": BUILT}
html_sidebars = {"**": ["sidebar/brand.html", "sidebar/search.html", "sidebar/scroll-start.html", "versions.html",
                        "sidebar/navigation.html", "sidebar/scroll-end.html"]}
myst_heading_anchors = 3

SPECIFICATIONS = os.environ.get("DOCS_SPECIFICATIONS", "*")
"""Which specifications are among the pages: a glob of their files."""

REPOSITORY = os.environ.get("GITHUB_REPOSITORY", "")
"""OWNER/NAME, as GitHub sets it. Elsewhere links to files outside these pages become plain text."""

OUTSIDE = re.compile(r"\[([^]]+)\]\((\.\./[^)#\s]+|worked-example[^)#\s]*|ci/[^)#\s]+)(?:#[^)\s]*)?\)")
SECTION = re.compile(r"^## (.+)\n((?:(?!^## ).*\n)*)", re.M)
FRONT = re.compile(r"\A---\n.*?\n---\n", re.S)
SAMPLE = "sample-report.html"
PAGE = re.compile(r"\]\(([\w/-]+)\.(?:md|rst)\)")


def add_specifications(app):
    """Put the specifications among the pages, by family, each with the clauses that it shares."""
    folder, families = Path(app.srcdir) / "specifications", {}
    pages = [path.relative_to(SPEC_FOLDER) for path in sorted(SPEC_FOLDER.rglob("*.md"))]
    pages = [page for page in pages if page.parent == Path() or page.parent.name == "families"
             or fnmatch(str(page), SPECIFICATIONS)]  # texts link to pages of their families
    for path in folder.rglob("*.md"):
        if path.relative_to(folder) not in pages:
            path.unlink()
    for page in pages:
        path = SPEC_FOLDER / page
        write(folder / page, in_full(path).replace("](../docs/", "](../"))
        families.setdefault(page.parent.as_posix(), []).append(page.with_suffix("").as_posix())
    lists = ["\n".join(["```{toctree}", ":maxdepth: 1", *([f":caption: {family}"] if family != "." else []), "", *pages,
                        "```", ""]) for family, pages in families.items()]
    write(folder / "index.md", "\n".join(["# Specifications", "", *lists]))


def in_full(path):
    """Return a page without its front matter, followed by the pages that a text shares, in its words."""
    text = path.read_text(encoding="utf-8")
    shared = shared_pages(path, read_front(path).front) if FRONT.match(text) else {}
    pages = (with_terms(page, page.read_text(encoding="utf-8"), terms) for page, terms in shared.items())
    return "\n".join([FRONT.sub("", text), *(re.sub("(?m)^#", "##", page).replace("](../", "](") for page in pages)])


def write(path, text):
    """Write a page that is not there as it is."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def add_sample(app, error):
    """Put the report of a small run beside the pages."""
    if error is None and app.builder.name == "html":
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "plumbline", "conformance", "--spec", "sonnx/maxpool", "--context",
                            "none", "--report-dir", folder], check=True, stdout=subprocess.DEVNULL)
            page, = Path(folder).glob("*.html")
            page.rename(Path(app.outdir) / SAMPLE)


def add_index(app, error):
    """Lead from the folder to its first page."""
    if error is None and app.builder.name == "html":
        write(Path(app.outdir) / "index.html", INDEX.format(target=f"{root_doc}.html"))


def read(app, name, source):
    """Make links to files that are no pages lead to the repository; make the contents of the list of pages."""
    if name == root_doc:
        for title, text in SECTION.findall(source[0]):
            pages = "\n".join(PAGE.findall(text))
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{pages}\n```\n"
        source[0] += "\n```{toctree}\n:hidden:\n:caption: Clauses\n\nspecifications/index\n```\n"
    if name == "read-a-report":
        source[0] += f'\n<p><a href="{SAMPLE}">The report of a small run</a></p>\n'
    if name.startswith("specifications/"):
        return
    base = f"https://github.com/{REPOSITORY}/blob/{'main' if BUILT == LATEST else BUILT}/docs/"
    source[0] = OUTSIDE.sub(
        lambda match: f"[{match[1]}]({urljoin(base, match[2])})" if REPOSITORY else match[1], source[0])


def show_fields(app, what, name, thing, options, lines):
    """Show paragraphs of docstrings that are laid out by hand as they stand."""
    paragraphs = "\n".join(lines).rstrip().split("\n\n")
    lines[:] = "\n\n".join("::\n\n" + re.sub("^", "   ", text, flags=re.M) if re.search(r"^\s|^\w+:\s", text, re.M)
                           and not text.startswith(">>>") else text for text in paragraphs).split("\n") + [""]


def setup(app):
    """Connect all of them to the build."""
    app.connect("builder-inited", add_specifications)
    app.connect("build-finished", add_sample)
    app.connect("build-finished", add_index)
    app.connect("source-read", read)
    app.connect("autodoc-process-docstring", show_fields)
