"""What was found? Pages and texts, each a pure function of records."""

from reports.html import write_html
from reports.summary import summary_lines

__all__ = ["summary_lines", "write_html"]
