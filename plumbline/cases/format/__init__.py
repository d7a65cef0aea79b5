"""The YAML format of cases: read, checked, written."""
