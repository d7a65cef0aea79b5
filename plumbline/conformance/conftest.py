"""Add the options of a conformance run when pytest runs this folder."""

pytest_plugins = ["plumbline.conformance.plugin"]
