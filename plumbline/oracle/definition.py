"""The base class of operator definitions: outputs, clauses, generation of calls.

A definition is a subclass of `Operator` in `plumbline/oracle/operators/FAMILY/OPERATOR.py`; shared code is in
`plumbline/oracle/families/`. The rest of the suite uses definitions and names no operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from plumbline.oracle.accuracy import RealValues
from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.clause import SpecError
from plumbline.oracle.edit import Edit
from plumbline.oracle.ends import Ends, rounding_of
from plumbline.oracle.node import Node, SpecInForce
from plumbline.oracle.size_classes import SizeClass
from plumbline.oracle.surrounding_nodes import Surroundings
from plumbline.oracle.terms import Terms
from plumbline.oracle.type_names import STRING

Option = TypeVar("Option")

TYPES = frozenset({
    "float32", "float16", "float64", "bfloat16", "int64", "int32", "int8", "uint8", "int16", "uint16", "uint32",
    "uint64", "bool", "complex64", "complex128", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "int4", "uint4", "int2", "uint2", "float4_e2m1fn", "float8_e8m0fnu"})
"""The element types of numbers that tensors of calls have, in the names of numpy and ml_dtypes."""


class Choose(Protocol):
    """The choices of a maker of calls: seeded, exhaustive, or replayed."""

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """Return one of the options, plainest first; random draws use `weights`."""

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """Return an array of fault-revealing values.

        kind: a group of recipes: ``"order"`` where elements are compared, ``"sum"`` where they are added or multiplied
              as `terms` says, ``"bits"`` where they are moved, ``"any"``."""


Symptom = Callable[["Operator", Divergence], bool]
"""Whether the wrong elements of a divergence all look alike in some way; see `trial.symptoms`."""


class _Canonical(dict[str, np.ndarray]):
    """Outputs by name, which say what is wrong if the text names another one."""

    def __init__(self, outputs: Mapping[str, np.ndarray], of: str) -> None:
        super().__init__(outputs)
        self._of = of

    def __missing__(self, name: str) -> np.ndarray:
        raise SpecError(f"the text names the output {name}, and `expected` of {self._of} gives "
                        f"{', '.join(self) or 'none'}; give it the same name in both")


class Operator:
    """One call, read under one version of its specification.

    Attributes are computed when first asked for: clauses are also checked of calls outside the domain, and of calls
    that are known in part."""

    clauses: ClassVar[Mapping[str, str]] = {}
    """By address of a clause the inherited predicate that decides it. Base classes bind no address."""

    facts: ClassVar[Mapping[str, Any]] = {}
    """The facts of ONNX's schema (`plumbline.oracle.schema.Fact`) that the specification lists, by address."""

    shape_formulas: ClassVar[Mapping[str, Any]] = {}
    """The formulas of shapes (`plumbline.oracle.shapes.ShapeFormula`) that the specification declares, by output."""

    family: ClassVar[str] = "Indices and shapes"
    """The heading under which tables list the operator."""

    exact: ClassVar[bool] = True
    """Whether elements are compared for equality; where they are not, `measure` says how far off they are."""

    takes_strings: ClassVar[bool] = False
    """True to try tensors of strings under specifications that take them."""

    reads_sizes_alone: ClassVar[bool] = False
    """True if outputs depend on the sizes of inputs alone."""

    neutral: ClassVar[Mapping[str, int]] = {}
    """By list attribute the element that has least effect, for shrinking calls."""

    symptoms: ClassVar[Mapping[str, Symptom]] = {}
    """Symptoms of wrong elements, in addition to the generic ones."""

    shape_symptoms: ClassVar[Mapping[str, Symptom]] = {}
    """Symptoms of outputs of a wrong shape; each is one of wrong elements too."""

    flag_notes: ClassVar[Mapping[str, str]] = {}
    """By flag of `flags`: what it is, and why it tells root causes apart."""

    surroundings: ClassVar[tuple[Surroundings, ...]] = ()
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

    room_of_inputs: ClassVar[float] = 1
    """The memory that judging takes for an element of an input that is cut, in that for one of the output."""

    strip_of: Operator | None = None
    """The call of which this one gives a strip (`strips`)."""

    def strips(self) -> Mapping[int, Mapping[str, int]]:
        """As `slices`, of axes along which `strip` cuts: the slices of inputs overlap, and attributes change."""
        return {}

    def strip(self, axis: int, cut: slice) -> Call:
        """Return a call that gives a slice of the only output along an axis of `strips`."""
        raise NotImplementedError

    def cropped(self, place: tuple[int, ...]) -> Call | None:
        """Return a call on parts of the inputs that gives one element of the only output; None where none is
        made. Along the axes that `slices` cuts the call has size 1."""
        return None

    turns: ClassVar[tuple[float, ...] | None] = None
    """The numbers between which an element of each output is monotone in each element that it is computed from; None
    where it is not, or is computed from several elements of an input without rising with all of them."""

    monotone_in: ClassVar[tuple[str, ...]] = ()
    """The inputs that `turns` is about; () stands for all."""

    rises: ClassVar[bool] = False
    """True if outputs rise, or stay, where any elements of inputs rise."""

    multiplied: ClassVar[tuple[str, ...]] = ()
    """Inputs, where each output is a sum of products of one element of each of them (see `as_sums`)."""

    addends: ClassVar[tuple[str, ...]] = ()
    """Inputs whose elements are terms of these sums, too."""

    def __init__(self, call: Call, version: int) -> None:
        self.call = call
        self.version = version
        self.attributes: Mapping[str, Any] = call.attributes
        self.inputs: Mapping[str, np.ndarray] = call.inputs

    # What a call means

    @classmethod
    def types_of(cls, name: str, version: int) -> tuple[str, ...]:
        """The element types that the schema gives an input, or the first that is of one type with it, the plainest
        first; strings where `takes_strings`."""
        return cls._types_of(name, version)

    @classmethod
    @cache
    def _types_of(cls, name: str, version: int) -> tuple[str, ...]:
        facts = [fact for fact in cls.facts.values() if fact.holds_for(version)]
        first = next((fact.values["inputs"][0] for fact in facts if fact.kind == "one type"
                      and name in fact.values["inputs"]), name)
        return tuple(entry for fact in facts if (fact.section, fact.kind) == (first, "types")
                     for entry in fact.values["types"] if entry in TYPES or entry == STRING and cls.takes_strings)

    def attribute(self, name: str) -> Any:
        """The value of an attribute; where it is not set, the default that the schema gives it, or None."""
        return self.attributes[name] if name in self.attributes else self._default(name, self.version)

    @classmethod
    @cache
    def _default(cls, name: str, version: int) -> Any:
        return next((fact.values.get("default") for fact in cls.facts.values()
                     if (fact.section, fact.kind) == (name, "attribute") and fact.holds_for(version)), None)

    @classmethod
    def read_facts(cls, facts: Mapping[str, Any], shapes: Mapping[str, Any]) -> None:
        """Set the facts of the specification by address, and its formulas of shapes by output."""
        cls.facts, cls.shape_formulas = facts, shapes
        for known in (Operator._types_of, Operator._default):
            known.cache_clear()

    def expected(self) -> dict[str, np.ndarray]:
        """The canonical outputs of a call inside the domain, by the fast method."""
        raise NotImplementedError

    @cached_property
    def canonical(self) -> dict[str, np.ndarray]:
        """The `expected` outputs, computed once. Raises SpecError for the name of an output that it does not give."""
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            return _Canonical(self.expected(), type(self).__name__)

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of an output, by the formula that the front matter declares, if any."""
        formula = self.shape_formulas.get(output)
        return self.canonical[output].shape if formula is None else formula.of(self)

    def misinferred(self) -> Mapping[str, Mapping[str, tuple[int, ...]]]:
        """Return by local address of an erratum shapes of outputs that shape inference of the releases in its source
        gives, and that no reading of the text has."""
        return {}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """bool, in the shape of the output: which elements of `got`, real numbers of that shape, the text allows; by
        default those that equal the canonical ones, NaN matching NaN."""
        wanted = self.canonical[output]
        with np.errstate(invalid="ignore"):
            return np.asarray((got == wanted) | ((got != got) & (wanted != wanted)))

    def alternatives(self) -> dict[str, np.ndarray]:
        """Return by output where several values conform without a U clause, rounding apart."""
        return {}

    @property
    def is_random(self) -> bool:
        """True if each run may draw outputs anew, so that two answers may differ."""
        return False

    def tolerance(self) -> dict[str, float]:
        """By output, a distance from the canonical values within which every conforming one lies; none where they are
        compared exactly."""
        return {}

    @property
    def as_sums(self) -> Any:
        """The sums of floating-point numbers of the only output, as `Products` or `Averages`; None where none are."""
        return None

    def enclosure(self) -> dict[str, Ends]:
        """Return by output the ends between which every conforming element lies.

        By default those of `as_sums`, or as far from the canonical elements as `tolerance` states."""
        if (sums := self.as_sums) is not None:
            (name, canonical), = self.canonical.items()
            room = sums.bound + np.where(sums.bound == 0, 0, sums.certified_center)
            ends = Ends.around(np.asarray(sums.center), room).where(sums.finite)
            return {name: Ends(*(end.reshape(canonical.shape) for end in ends))}
        tolerance = self.tolerance()
        return {name: Ends.around(array, tolerance[name] + rounding_of(array) if name in tolerance else 0.0)
                for name, array in self.canonical.items() if not array.dtype.hasobject}

    def enclosure_near(self) -> dict[str, Ends]:
        """`enclosure`, with the room of neighbouring inputs where that of these is smaller."""
        return self.enclosure()

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return the `enclosure` of all calls with inputs between those of two others, element by element; None where
        `oracle.enclosures` finds it by its rules, or nothing does."""
        return None

    def computed_from(self, masks: Mapping[str, np.ndarray]) -> np.ndarray | bool:
        """Return the mask of elements of the only output that read an element of `masks`, by input; True if unknown."""
        return True

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """Figures on the elements of `judged` that change no verdict, such as the largest error in ulp."""
        return {}

    def real_values(self) -> RealValues | None:
        """The real values of the first output, where it is a function that accuracy profiles bound."""
        return None

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """By input, the cells, int (n, rank of the input), that an element of an output is computed from; one outside
        the input is padding. {} where that cannot be said. For pictures, not for verdicts."""
        return {}

    def native_attributes(self) -> dict[str, Any]:
        """The attributes in the specification's own words, where these are not ONNX's."""
        return dict(self.attributes)

    # How a node of a model is repaired

    @classmethod
    def node_defaults(cls, node: Node) -> Mapping[str, Any]:
        """Return the meaning of a node's absent attributes beside defaults of ONNX's schema: lists with
        an element for each axis."""
        return {}

    @classmethod
    def repairs(cls, node: Node, spec: SpecInForce, outside: bool) -> Iterator[Edit]:
        """Return edits of a node, in the order of application, after which it may keep a clause of another
        specification; setting attributes to their defaults apart. `spec` is ONNX's text in force, which gives the node
        its meaning; it gives none where the node is `outside` its domain."""
        yield from ()

    # How it is tried

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """A call, valid or nearly so; None where the choices make none. The only maker of calls of this operator."""
        raise NotImplementedError

    @classmethod
    def boundary_modes(cls, version: int) -> tuple[frozenset[str], ...]:
        """The modes in which boundaries are looked for, as `boundary_symbols` gives them; () where no clause has a
        boundary."""
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
    def make_at_boundary(cls, choose: Choose, version: int, mode: frozenset[str],
                         axes: Sequence[Mapping[str, int]]) -> Call | None:
        """The call that `make` makes where mode and symbols of the axes are chosen already; axes that must be there
        besides are added. None where there is none."""
        return None

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Sizes at which kernels change their path, as `make` can be led to them."""
        return ()

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the sizes of a valid call as `size_classes` names them, and its element type as "dtype"."""
        return {}

    def boundary_symbols(self) -> Iterator[tuple[frozenset[str], Mapping[str, int]]]:
        """Return for each axis the mode of the call (words such as NOTSET, floor) and an int for each symbol."""
        yield from ()

    def flags(self) -> dict[str, bool]:
        """The operator's own flags of this call; `flag_notes` describes them."""
        return {}

    def attribute_flags(self) -> dict[str, bool]:
        """Those of `flags` that hold where a call breaks a fact of the schema, too."""
        return {}

    def value_flags(self) -> dict[str, bool]:
        """Flags of a call inside the domain that hold for some element.

        A large call is asked slice by slice, which takes less memory."""
        return {}

    def shrink_candidates(self) -> Iterator[Call]:
        """Smaller calls that need several changes at once."""
        yield from ()

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Wrong outputs that a faulty implementation of this operator would give.

        They have the type of the canonical output, and its shape or another. They measure which clauses a case tests,
        in addition to outputs that are wrong for any operator."""
        yield from ()

    def stack_offset(self, output: str, count: int) -> int | None:
        """The difference between the same value in two successive stacked calls.

        `count` calls are laid together in this one (`stacked_input`), and positions count on from one to the next. None
        where they cannot be compared in this way."""
        return 0
