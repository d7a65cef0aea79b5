"""The documentation as a site: `make docs` builds it with warnings as errors."""

import os
import re
from urllib.parse import urljoin

from plumbline.data import suite_version

project = "Plumbline"
author = "The Plumbline contributors"
release = suite_version()
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
exclude_patterns = ["worked-example", "sample", "_build"]
html_theme = "furo"
html_title = f"Plumbline {release}"
myst_heading_anchors = 3

REPOSITORY = os.environ.get("GITHUB_REPOSITORY", "")
"""OWNER/NAME, as GitHub sets it. Elsewhere links to files outside these pages become plain text."""

OUTSIDE = re.compile(r"\[([^]]+)\]\((\.\./[^)#\s]+|worked-example[^)#\s]*|ci/[^)#\s]+)(?:#[^)\s]*)?\)")
SECTION = re.compile(r"^## (.+)\n((?:(?!^## ).*\n)*)", re.M)
PAGE = re.compile(r"\]\(([\w/-]+)\.(?:md|rst)\)")


def read(app, name, source):
    """Make links to files that are no pages lead to the repository; make the contents of the list of pages."""
    if name == root_doc:
        for title, text in SECTION.findall(source[0]):
            pages = "\n".join(PAGE.findall(text))
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{pages}\n```\n"
    base = f"https://github.com/{REPOSITORY}/blob/main/docs/"
    source[0] = OUTSIDE.sub(
        lambda match: f"[{match[1]}]({urljoin(base, match[2])})" if REPOSITORY else match[1], source[0])


def show_fields(app, what, name, thing, options, lines):
    """Show paragraphs of docstrings that are laid out by hand as they stand."""
    paragraphs = "\n".join(lines).rstrip().split("\n\n")
    lines[:] = "\n\n".join("::\n\n" + re.sub("^", "   ", text, flags=re.M) if re.search(r"^\s|^\w+:\s", text, re.M)
                           and not text.startswith(">>>") else text for text in paragraphs).split("\n") + [""]


def setup(app):
    """Connect both to the build."""
    app.connect("source-read", read)
    app.connect("autodoc-process-docstring", show_fields)
