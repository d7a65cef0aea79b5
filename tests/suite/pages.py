"""A page as a test reads it: tags, ids, links, what would be fetched, and its text."""

from __future__ import annotations

from html.parser import HTMLParser

SCRIPTS = 2
"""The page's own: its data and its script."""


class Page(HTMLParser):
    """Collects ids, links, what would be fetched, and text; checks that tags nest."""

    VOID = {"meta", "link", "img", "br", "input", "hr", "wbr"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self._text: list[str] = []
        self.feed(text)

    @property
    def text(self) -> str:
        """What a reader sees, spaces made one."""
        return " ".join(" ".join(self._text).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes a tag."""
        values = dict(attrs)
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        self.ids += filter(None, [values.get("id")])
        self.links += filter(None, [values.get("href")])
        self.fetched += filter(None, [values.get("src"), values.get("href") if tag == "link" else None])

    def handle_endtag(self, tag: str) -> None:
        """Checks that tags nest."""
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]} at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        """Collects text; what scripts and styles hold is none."""
        if not {"script", "style"} & set(self.open):
            self._text.append(data)
