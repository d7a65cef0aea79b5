"""The home of an operator: what a call means under one version of its text, and how the operator is tried.

A home is a class in `oracle/operators/FAMILY/OPERATOR.py`. Its clauses are methods marked with their address; what
several homes share stands in `oracle/families/`. The rest of the suite asks a home and names no operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.answers import Divergence
from plumbline.oracle.surrounding_nodes import Neighbourhood
from plumbline.oracle.size_classes import Stratum

if TYPE_CHECKING:
    from plumbline.oracle.edit import Edit
    from plumbline.oracle.node import Node
    from plumbline.oracle.specification import Spec
    from plumbline.oracle.terms import Terms

Option = TypeVar("Option")

Kind = Literal["call", "outputs", "elements", "open", "evidence", "disputed"]


class Choose(Protocol):
    """Who decides what a maker of calls makes: a random draw, an exhaustive sweep, a Hypothesis strategy, a replay."""

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """One of the options, of which the plainest is first; `weights` are for random draws alone."""

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """An array of values that betray a fault. `kind` names a group of recipes: ``"order"`` where elements are
        compared, ``"sum"`` where they are added or multiplied as `terms` says, ``"bits"`` where moved, ``"any"``."""


@dataclass(frozen=True, eq=False)
class Predicate:
    """A method of a home that decides one clause; see the decorators below."""

    kind: Kind
    clause: str
    function: Callable[..., Any]
    needs: tuple[str, ...] = ()
    refusal: bool = False
    output: str = ""
    why: str = ""

    def __get__(self, home: Operator | None, owner: type[Operator]) -> Any:
        if home is None:
            return self
        return self.function.__get__(home, owner) if self.kind != "evidence" else self.function


def _function(found: Any) -> Any:
    if isinstance(found, staticmethod):
        return found.__func__
    return found.function if isinstance(found, Predicate) else found


def on_call(clause: str, needs: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Bind a method ``(self) -> str | None`` to a clause on calls: why the call breaks it, in one line; None when it is
    kept. `needs` names the clauses that must hold for the question to make sense."""
    return lambda function: Predicate("call", clause, _function(function), needs)


def on_outputs(clause: str, needs: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """Bind a method ``(self, response) -> Wrong | None`` to a clause on whole outputs: presence, shape, type. `needs`
    names the clauses that must not be broken for the outputs to be comparable."""
    return lambda function: Predicate("outputs", clause, _function(function), needs)


def on_elements(clause: str, output: str, why: str) -> Callable[[Any], Any]:
    """Bind a method ``(self, got) -> mask`` to a clause on the elements of one output. Each wrong element is blamed on
    the first clause whose mask (a bool array of the output's shape, or one bool) holds there: clauses of a subclass
    come before those of its bases, and clauses of one class in the order of their definition."""
    return lambda function: Predicate("elements", clause, _function(function), output=output, why=why)


def leaves_open(clause: str, refusal: bool = False) -> Callable[[Any], Any]:
    """Bind a method ``(self) -> Silence | None`` to a U clause; None where it does not apply. With `refusal` it is
    also open, where it applies, whether the call is inside the domain."""
    return lambda function: Predicate("open", clause, _function(function), refusal=refusal)


def evidence(clause: str) -> Callable[[Any], Any]:
    """Bind a function ``() -> str`` (a static method) to an E clause: it computes how the source contradicts itself and
    says it in one line. It raises AssertionError when the contradiction is not there."""
    return lambda function: Predicate("evidence", clause, _function(function))


def disputed(clause: str) -> Callable[[Any], Any]:
    """Bind a method ``(self) -> Silence | None`` to an E clause with editions: its readings are those of these
    editions, the one in force first; None where they read the call no otherwise."""
    return lambda function: Predicate("disputed", clause, _function(function))


@dataclass(frozen=True, eq=False)
class Freedom:
    """What a silence leaves open of one output.

    where:  bool array of the output's shape, or one bool: the elements it is about.
    admits: from the output given (of the output's shape) to a bool array: the values that conform there; None where
            every value does.
    shape:  whether the spatial shape is open too: another shape then conforms, and its values are not judged.
    observed: whether a value that conforms by `admits` alone is recorded as observed: the text does not forbid it, and
            nothing shows that it is meant, as with the error of an algorithm that adds up other terms.
    seeds:  gives arrays of the output's shape: values around which others are admitted, where these are neither near
            the canonical ones nor near special values nor elements of an input. For the corpus, not for verdicts.
    """

    where: np.ndarray | bool = True
    admits: Callable[[np.ndarray], np.ndarray] | None = None
    shape: bool = False
    observed: bool = False
    seeds: Callable[[], Sequence[np.ndarray]] = tuple

    def allows(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements of an output of the right shape it is about, and admits."""
        return np.asarray(self.where if self.admits is None else self.where & self.admits(got))


@dataclass(frozen=True, eq=False)
class Silence:
    """What a U clause leaves open of one call: elements of outputs by name, or whole answers, each as one of several
    readings (other homes) of the call would give it."""

    outputs: Mapping[str, Freedom]
    readings: tuple[Operator, ...] = ()

    @classmethod
    def of(cls, where: np.ndarray, *outputs: str, admits: Callable[[np.ndarray], np.ndarray] | None = None,
           seeds: Callable[[], Sequence[np.ndarray]] = tuple) -> Silence | None:
        """About the elements of a mask, in each of `outputs`; None where the mask is empty."""
        return cls(dict.fromkeys(outputs, Freedom(where, admits, seeds=seeds))) if where.any() else None

    @classmethod
    def everything(cls, *outputs: str) -> Silence:
        """Values and spatial shape of each of `outputs`."""
        return cls(dict.fromkeys(outputs, Freedom(shape=True)))

    @classmethod
    def refusal(cls) -> Silence:
        """Nothing but whether the call may be refused."""
        return cls({})


@dataclass(frozen=True, eq=False)
class Wrong:
    """What a predicate on outputs found. `mask` marks the elements; None where the whole output is meant."""

    output: str
    why: str
    mask: np.ndarray | None = None
    expected: np.ndarray | str = ""
    got: np.ndarray | str = ""

    def at(self, clause: str) -> Divergence:
        """This finding, blamed on a clause."""
        if self.mask is None:
            return Divergence(clause, self.output, self.why, None, self.expected, self.got)
        return Divergence(clause, self.output, self.why, np.argwhere(self.mask),
                          np.asarray(self.expected)[self.mask], np.asarray(self.got)[self.mask])


Symptom = Callable[["Operator", Divergence], bool]
"""Whether the wrong elements of a divergence all look alike in some way; see `trial.symptoms`."""


class Operator:
    """One call read under one version of its text. Every attribute is computed when first asked for, since a call
    outside the domain, or one known in part, is asked about its clauses all the same."""

    exact: ClassVar[bool] = True
    """Whether elements are compared for equality; where they are not, `measure` says how far off they are."""

    neutral: ClassVar[Mapping[str, int]] = {}
    """Of each list attribute the element that does least, for making calls smaller."""

    symptoms: ClassVar[Mapping[str, Symptom]] = {}
    """What wrong elements of this operator can look like, beside the generic symptoms."""

    flag_notes: ClassVar[Mapping[str, str]] = {}
    """For each flag of `flags`, in a sentence or two, what it is and why it tells causes apart."""

    neighbourhoods: ClassVar[tuple[Neighbourhood, ...]] = ()
    """Nodes that runtimes merge with this one, or move through it, and that change no value."""

    stacked_input: ClassVar[str | None] = None
    """The input along whose first axis calls that differ in it alone can be laid together, so that they are judged at
    once; None where they cannot."""

    slices_alike: ClassVar[bool] = False
    """Whether any slice tries what the whole output does: no clause is about elements that few slices have."""

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """By axis of the only output, inputs with the axis of each that goes along with it: a slice of the output is
        what the call gives with these slices, the other inputs being whole. For calls inside the domain."""
        return {}

    def cropped(self, place: tuple[int, ...]) -> Call | None:
        """For an element of the only output, a call that gives nothing else, of parts of the inputs; None where none is
        made. Along the axes that `slices` cuts the call has size 1."""
        return None

    def __init__(self, call: Call, version: int) -> None:
        self.call = call
        self.version = version
        self.attributes: Mapping[str, Any] = call.attributes
        self.inputs: Mapping[str, np.ndarray] = call.inputs

    # What a call means

    def expected(self) -> dict[str, np.ndarray]:
        """The canonical outputs of a call inside the domain, by the fast method."""
        raise NotImplementedError

    @cached_property
    def canonical(self) -> dict[str, np.ndarray]:
        """`expected`, computed once."""
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            return self.expected()

    def shape_of(self, output: str) -> tuple[int, ...]:
        """The shape of an output by the text."""
        return self.canonical[output].shape

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """bool, in the shape of the output: which elements of `got`, real numbers of that shape, the text allows; by
        default those that equal the canonical ones, NaN matching NaN."""
        wanted = self.canonical[output]
        with np.errstate(invalid="ignore"):
            return np.asarray((got == wanted) | ((got != got) & (wanted != wanted)))

    def several(self) -> dict[str, np.ndarray]:
        """By output, where more than one value conforms though no U clause leaves it open; rounding apart."""
        return {}

    def tolerance(self) -> dict[str, float]:
        """By output, a distance from the canonical values within which every conforming one lies; none where they are
        compared exactly."""
        return {}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """Figures on the elements of `judged` that change no verdict, such as the largest error in ulp."""
        return {}

    def reads(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """By input, the cells, int (n, rank of the input), that an element of an output is computed from; one outside
        the input is padding. {} where that cannot be said. For pictures, not for verdicts."""
        return {}

    def words(self) -> dict[str, Any]:
        """The attributes in the specification's own words, where these are not ONNX's."""
        return dict(self.attributes)

    # How a node of a model is repaired

    @classmethod
    def node_defaults(cls, node: Node) -> Mapping[str, Any]:
        """What attributes that are absent from a node stand for, beside the defaults that ONNX's schema has: lists with
        an element for each axis."""
        return {}

    @classmethod
    def repairs(cls, node: Node, spec: Spec, outside: bool) -> Iterator[Edit]:
        """What can be changed about a node, in the order in which it is to be applied, so that it keeps a clause of
        another text; setting attributes to their defaults apart. `spec` is ONNX's text in force, which gives the node
        its meaning; it gives none where the node is `outside` its domain."""
        yield from ()

    # How it is tried

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """A call, valid or nearly so; None where the choices make none. The only maker of calls of this operator."""
        raise NotImplementedError

    @classmethod
    def modes(cls, version: int) -> tuple[frozenset[str], ...]:
        """The modes in which boundaries are looked for, as `sides` gives them; () where no clause has a boundary."""
        return ()

    @classmethod
    def bounds(cls, version: int, mode: frozenset[str]) -> Mapping[str, tuple[int, int]]:
        """The smallest and the largest number of each symbol among which boundary classes are looked for."""
        return {}

    @classmethod
    def derived(cls, symbols: Mapping[str, Any]) -> Mapping[str, Any]:
        """The other symbols, computed from those of `bounds`: ints, int arrays, or terms of a solver."""
        return {}

    @classmethod
    def with_sides(cls, choose: Choose, version: int, mode: frozenset[str],
                   axes: Sequence[Mapping[str, int]]) -> Call | None:
        """The call that `make` makes where mode and symbols of the axes are chosen already; axes that must be there
        besides are added. None where there is none."""
        return None

    @classmethod
    def strata(cls, version: int) -> Sequence[Stratum]:
        """Sizes at which kernels change their path, as `make` can be led to them."""
        return ()

    def sizes_met(self) -> Mapping[str, Any]:
        """Of a call inside the domain, its sizes as `strata` names them, and its element type as "dtype"."""
        return {}

    def sides(self) -> Iterator[tuple[frozenset[str], Mapping[str, int]]]:
        """For boundaries: axis by axis the mode of the call (words such as NOTSET, floor), an int for each symbol."""
        yield from ()

    def flags(self) -> dict[str, bool]:
        """What is true of this call, beside what is true of any; described in `flag_notes`."""
        return {}

    def value_flags(self) -> dict[str, bool]:
        """Flags as well, of calls inside the domain: what is true of some element. Of a large call each slice is asked,
        which takes less memory than the whole."""
        return {}

    def shorter(self) -> Iterator[Call]:
        """Smaller calls that need several changes at once."""
        yield from ()

    def spoilt(self, output: str) -> Iterator[np.ndarray]:
        """Wrong outputs, of the type of the canonical one, such as a faulty implementation would give, of its shape or
        of another: what cases try is measured by them, beside outputs that are wrong for any operator."""
        yield from ()

    def rise(self, output: str, count: int) -> int | None:
        """Where `count` calls are laid together in this one (`stacked_input`), by how much the values of an output rise
        from one call to the next: positions count on. None where they cannot be compared so."""
        return 0


def predicates(home: type[Operator]) -> list[Predicate]:
    """The predicates of a home, a subclass's before those of its bases, each class's in the order of definition. A
    name that a subclass gives to something else, such as None, hides that of its base."""
    found: list[Predicate] = []
    seen: set[str] = set()
    for owner in home.__mro__:
        fresh = {name: value for name, value in vars(owner).items() if name not in seen}
        found += [value for value in fresh.values() if isinstance(value, Predicate)]
        seen |= set(fresh)
    return found
