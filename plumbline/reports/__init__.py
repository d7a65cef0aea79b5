"""Reports: pure functions of records."""

from plumbline.reports.page import write_html
from plumbline.reports.text import summary_lines

__all__ = ["summary_lines", "write_html"]
