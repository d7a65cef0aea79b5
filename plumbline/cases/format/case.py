"""A case: a call with an id, provenance and an expectation."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from plumbline.cases.format.computed import Computed, bytes_of
from plumbline.oracle import Call


@dataclass(frozen=True, eq=False)
class Expectation:
    """Exactly one of the first three.

    outputs:    the values, by output name.
    outside:    full addresses of the clauses of the call that it breaks, all of them.
    observe:    why there is no verdict; what happens is recorded.
    computed:   whether the source prints no outputs, so that these are those of the oracle.
    as_printed: what the source prints and `erratum` (a full address) overrules: values of outputs, or the text of a
                tensor that is no number. No backend is judged by it.
    """

    outputs: Mapping[str, np.ndarray] | None = None
    outside: tuple[str, ...] | None = None
    observe: str | None = None
    computed: bool = False
    as_printed: Mapping[str, np.ndarray | str] | None = None
    erratum: str | None = None

    @property
    def kind(self) -> str:
        """``"outputs"``, ``"outside"`` or ``"observe"``."""
        return next(name for name in ("outputs", "outside", "observe") if getattr(self, name) is not None)


@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """What is tried.

    id:      a name, unique in its specification and never reused.
    spec:    a name that `oracle.load_spec` takes.
    opset:   version of ONNX's default domain that a model of this call is written for.
    clauses: full addresses of the clauses that the case is there for.
    source:  document and place, link, or the generator that made it.
    flags:   features of the call by which causes are told apart (see `cases.flags`).
    place:   ``file:line`` of a case from YAML, "" of a generated one.
    context: the name of the one that the call is put in (`cases.contexts`), "" where it stands alone; the id ends with
             it then.
    in_all:  whether it is put in every context that it can be put in, and not in one alone.
    computed: what is kept on disk of the case; None where nothing is, and in changed copies.
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
    computed: Computed | None = field(default=None, init=False)

    def __repr__(self) -> str:
        return f"Case({self.spec!r}, {self.id!r})"

    def within(self, context: str) -> Case:
        """The case in a context, with an id of its own."""
        found = copy.copy(self)
        vars(found).pop("digest", None)
        vars(found).update(id=f"{self.id}/{context}", context=context, _alone=self.alone)
        return found

    @property
    def alone(self) -> Case:
        """The case without its context: the same call, of which the same is expected."""
        found: Case = vars(self).get("_alone", self)
        return found

    @property
    def base_id(self) -> str:
        """The id without the context."""
        return self.id.removesuffix(f"/{self.context}") if self.context else self.id

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of id, call and expectation: of what is tried."""
        if self.computed is not None and not self.context:
            return self.computed.digest
        digest = hashlib.sha256(repr((self.spec, self.id, self.opset, sorted(self.call.attributes.items()),
                                      self.expectation.outside, self.expectation.observe)).encode())
        if self.context:  # the call and the expectation are those of the case alone
            digest.update(self.alone.digest.encode())
            return digest.hexdigest()
        for arrays in (self.call.inputs, self.expectation.outputs or {}):
            for name, array in sorted(arrays.items()):
                digest.update(f"{name}{array.dtype.str}{array.shape}".encode() + bytes_of(array))
        return digest.hexdigest()

    @property
    def dtype(self) -> str:
        """The numpy name of the element type of the first input; "" where there is none."""
        return next((tensor.dtype.name for tensor in self.call.inputs.values()), "")

    @property
    def generated(self) -> bool:
        """Whether a generator made it."""
        return not self.place
