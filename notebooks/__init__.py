"""How to look closer: notebooks run from the suite's own interface, and what draws and runs them.

Needs the extra `notebooks` of pyproject.toml; `python -m notebooks` runs them all again.
"""
