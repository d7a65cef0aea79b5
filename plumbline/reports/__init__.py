"""Reports: pure functions of records."""

from plumbline.reports.page import write_html
from plumbline.reports.text import short_summary, summary_lines

__all__ = ["short_summary", "summary_lines", "write_html"]
