"""The test file that stands for all items of a conformance run."""


def test_conformance() -> None:
    """Stands for one item for each backend, case and form; `plumbline.conformance.plugin` makes and runs them."""
