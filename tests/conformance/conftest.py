"""Loads the options of a conformance run when this folder is named on the command line."""

pytest_plugins = ["plumbline.conformance.plugin"]
