"""The implementations without a fault as backends, for campaigns that must find nothing.

`Unmutated` is the plain one of each operator; any other name, such as `InDouble`, is what an honest variant is called,
and is asked about the operators that have it.

    plumbline campaign --spec onnx/add@14 --backend tests.operators.unmutated:Unmutated --host in-process \\
        --calls 100000 --workers 2
"""

from __future__ import annotations

from typing import Any

from plumbline.backends import Request
from tests.operators.contract import Outputs
from tests.operators.discovery import implementations


class Unmutated:
    """It claims the texts of its operators, and every call inside them."""

    name = "unmutated"
    implementations = {name: kinds[0] for name, kinds in implementations().items()}
    specifications = tuple(f"{name}{version}" for name in implementations for version in ("", "@*"))

    def version(self) -> str:
        """It does not change."""
        return "1"

    def run(self, request: Request) -> Outputs:
        """The outputs by name."""
        return self.implementations[request.specification.partition("@")[0]]().run(request)


def __getattr__(variant: str) -> Any:
    found = {name: kind for name, kinds in implementations().items() for kind in kinds if kind.__name__ == variant}
    if not found:
        raise AttributeError(variant)
    specifications = tuple(f"{name}{version}" for name in found for version in ("", "@*"))
    return type(variant, (Unmutated,), {"name": variant, "implementations": found, "specifications": specifications})
