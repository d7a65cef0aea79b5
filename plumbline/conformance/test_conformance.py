"""Each case in each form conforms to its specification, or fails as its known divergences say."""


def test_conformance() -> None:
    """Stands for one item for each backend, case and form; `plumbline.conformance.plugin` makes and runs them."""
