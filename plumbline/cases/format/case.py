"""A case: a call with an id, provenance and an expectation."""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from plumbline.cases.format.computed import Computed
from plumbline.oracle import Call
from plumbline.oracle.size_classes import is_large
from plumbline.oracle.type_names import bytes_of, name_of

MADE = ("generated-", "boundary-", "planted-", "stratum-", "every-", "combined-", "schema-", "derived-",
        "block-", "dense-")
"""Prefixes of the ids of generated cases; the last two occur only in old records."""

WRITTEN = re.compile(r"generated-\D|every-\w+-\D")
"""The beginning of ids of written cases that begin as those of generated ones."""


def is_made(case_id: str) -> bool:
    """Return True for the id of a generated case.

    >>> is_made("every-float16-12"), is_made("every-axis-in-batches")
    (True, False)
    """
    return case_id.startswith(MADE) and not WRITTEN.match(case_id)


@dataclass(frozen=True, eq=False)
class Expectation:
    """The expected result: exactly one of outputs, outside and observe.

    outputs:    the values, by output name.
    outside:    full addresses of all clauses on calls that the call breaks.
    observe:    why there is no verdict; what happens is recorded.
    computed:   whether `outputs` come from the oracle, since the source prints none.
    as_printed: what the source prints and `erratum` (a full address) overrules: values of outputs, or the characters of
                a tensor that is not a number. No backend is judged by it.
    """

    outputs: Mapping[str, np.ndarray] | None = None
    outside: tuple[str, ...] | None = None
    observe: str | None = None
    computed: bool = False
    as_printed: Mapping[str, np.ndarray | str] | None = None
    erratum: str | None = None

    @property
    def kind(self) -> str:
        """The kind: ``"outputs"``, ``"outside"`` or ``"observe"``."""
        return next(name for name in ("outputs", "outside", "observe") if getattr(self, name) is not None)


@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """A call with an id, provenance and an expectation.

    id:      a name, unique in its specification and never reused.
    spec:    a name that `oracle.load_spec` takes.
    opset:   version of ONNX's default domain that a model of this call is written for.
    clauses: full addresses of the clauses that the case tests.
    source:  document and place, link, or the generator that made it.
    flags:   features of the call that distinguish root causes (see `plumbline.cases.format.flags`).
    place:   ``file:line`` of a case from YAML, "" of a generated case.
    context: the name of the context that the call runs in (see `plumbline.cases.onnx.contexts`), "" if it runs alone;
             the id ends with it.
    in_all:  whether the case runs in every context that fits it, not only in one.
    constants: inputs that are constants of the model, outside contexts.
    computed: what is stored on disk of the case; None where nothing is, and in changed copies.
    """

    id: str
    title: str
    spec: str
    opset: int
    call: Call
    expectation: Expectation
    clauses: tuple[str, ...]
    source: str
    flags: tuple[str, ...] = ()
    notes: str = ""
    place: str = ""
    context: str = ""
    in_all: bool = False
    constants: tuple[str, ...] = ()
    computed: Computed | None = field(default=None, init=False)

    def __repr__(self) -> str:
        return f"Case({self.spec!r}, {self.id!r})"

    def within(self, context: str) -> Case:
        """Return the case in a context, with an id of its own."""
        case = copy.copy(self)
        vars(case).pop("digest", None)
        vars(case).update(id=f"{self.id}/{context}", context=context, _alone=self.alone)
        return case

    @property
    def alone(self) -> Case:
        """The case without its context: the same call and expectation."""
        case: Case = vars(self).get("_alone", self)
        return case

    @property
    def base_id(self) -> str:
        """The id without the context."""
        return self.id.removesuffix(f"/{self.context}") if self.context else self.id

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of id, call and expectation, in hexadecimal."""
        if self.computed is not None and not self.context:
            return self.computed.digest
        digest = hashlib.sha256(repr((self.spec, self.id, self.opset, sorted(self.call.attributes.items()),
                                      self.expectation.outside, self.expectation.observe,
                                      *([self.call.outputs] if self.call.outputs else []))).encode())
        if self.context:  # the call and the expectation are those of the case alone
            digest.update(self.alone.digest.encode())
            return digest.hexdigest()
        for arrays in (self.call.inputs, self.expectation.outputs or {}):
            for name, array in sorted(arrays.items()):
                digest.update(f"{name}{array.dtype.str}{array.shape}".encode() + bytes_of(array))
        return digest.hexdigest()

    @property
    def gives_large(self) -> bool:
        """True if an expected output is large."""
        if self.computed is not None:
            return self.computed.is_large
        outputs = self.expectation.outputs or {}
        return getattr(outputs, "is_large", False) or any(is_large(output.shape) for output in outputs.values())

    @property
    def dtype(self) -> str:
        """The numpy name of the first input's element type, "" without inputs."""
        return next((name_of(tensor.dtype) for tensor in self.call.inputs.values()), "")

    @property
    def generated(self) -> bool:
        """True if a generator made the case."""
        return not self.place
