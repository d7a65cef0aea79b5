"""Computed answers about a case that depend on no backend.

Of an answer that equals the canonical outputs to the last bit nothing has to be computed but that it does. Any other
answer is judged by the clauses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from plumbline.oracle import Call, load_spec
from plumbline.oracle.type_names import bytes_of, name_of


@dataclass(frozen=True)
class CanonicalAnswer:
    """The canonical outputs of a call with one selection of outputs, and what is recorded of them.

    digests:        by output the SHA-256 of its type, shape and elements.
    figures:        see `Spec.measures`.
    flags:          see `flags_of_answer`.
    decides_little: see `canonical_answer`.
    """

    digests: Mapping[str, str]
    figures: Mapping[str, float]
    flags: tuple[str, ...]
    decides_little: bool

    def equals(self, outputs: Mapping[str, np.ndarray]) -> bool:
        """Return True if outputs, by name, are the canonical ones to the last bit."""
        return all(name in outputs and digest_of_array(outputs[name]) == digest
                   for name, digest in self.digests.items())


def digest_of_array(array: np.ndarray) -> str:
    """The SHA-256 of type, shape and elements."""
    array = np.asarray(array)
    return hashlib.sha256(f"{name_of(array.dtype)} {array.shape}\n".encode() + bytes_of(array)).hexdigest()


@dataclass(frozen=True, eq=False)
class Computed:
    """Computed answers and models of a case; see the module.

    digest:   see `Case.digest`.
    is_large: whether an output is large.
    answers:  by output selection, what is recorded of an answer that equals the canonical outputs.
    models:   by output selection, the serialised ONNX model of the call; none where no model can hold it.
    """

    digest: str
    is_large: bool
    answers: Mapping[str, CanonicalAnswer]
    models: Mapping[str, bytes] = field(default_factory=dict)


class CanonicalOutputs(Mapping[str, np.ndarray]):
    """The canonical outputs of a call, computed whenever one is read and not kept.

    is_large: whether it is known that one is large."""

    def __init__(self, spec_name: str, call: Call, *, is_large: bool = False) -> None:
        self._spec, self._call, self.is_large = spec_name, call, is_large

    def __getitem__(self, name: str) -> np.ndarray:
        return load_spec(self._spec).expected(self._call)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(load_spec(self._spec).asked(self._call))

    def __len__(self) -> int:
        return len(load_spec(self._spec).asked(self._call))
