"""Judge and generate calls of ONNX Einsum, by `spec/onnx/einsum.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, reduce
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.equations import ELLIPSIS, EQUATIONS, Equation, drawn_equation
from plumbline.oracle.families.products import Products, SumsByPlace
from plumbline.oracle.families.surroundings import OF_ANY
from plumbline.oracle.operator import (
    Choose,
    Operator,
    Unspecified,
    disputed,
    evidence,
    on_call,
    on_elements,
    unspecified,
)
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import NO_QUANTUM, PRECISION, Sums, Wide, growth, quantum, smallest_normal
from plumbline.oracle.size_classes import DTYPE, LARGE, LINES, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.terms import Terms

MOST = 4096
"""Places of all letters together in a drawn call."""

BLOCK = 2**22
"""Places of all names together up to which products are laid out at once."""

PLANS = {"any": 0.8, "product": 0.15, "empty": 0.02, "broadcast": 0.03, "equal": 0}
"""How often each kind of call is drawn; "equal" is led to, and never drawn."""

SIZE = 3
"""The size of all axes of a call of equal ones."""

EQUAL = (*EQUATIONS, "ij,kj->ik", "ij,jk,ji->ik", "iij->ji")
"""Equations that are tried on equal axes, where each operand can be read along any of them."""


def _as_implicit(definition: Any, entry: Any) -> bool:
    """The output has the shape of a call without output-term, where that is empty."""
    if definition.term:
        return False
    names = definition.axes(definition.read.implicit())
    return isinstance(entry.got, str) and entry.got == str([definition.size(name) for name in names])


def _ellipsis_of_one_axis(definition: Any, entry: Any) -> bool:
    """The output has a single axis in the place of an ellipsis that stands for none, or for several."""
    if ELLIPSIS not in definition.term or max(definition.spread, default=0) == 1:
        return False
    last = f"{ELLIPSIS}0"
    names = [last if token == ELLIPSIS else token for token in definition.term]
    sizes = [definition.size(name) if name in definition.sizes else 1 for name in names]
    return isinstance(entry.got, str) and entry.got == str(sizes)


class Einsum(Operator):
    """A call of Einsum under one version of its specification."""

    shape_symptoms = {"as-implicit": _as_implicit, "ellipsis-of-one-axis": _ellipsis_of_one_axis}
    symptoms = {**Operator.symptoms, **shape_symptoms}
    family = "Matrix products"
    exact = False
    surroundings = OF_ANY
    flag_notes = {
        "implicit": "There is no output-term: letters are sorted.", "ellipsis": "Some term has an ellipsis.",
        "diagonal": "A term has a letter twice. Kernels take the diagonal, or sum along both axes.",
        "capital": "The equation has capital letters, which come before the others.",
        "spaces": "The equation has spaces.", "one-operand": "There is one operand: nothing is multiplied.",
        "many-operands": "There are more than two operands, which are multiplied in pairs.",
        "summed-alone": "Beside others an operand has a summed letter of its own, which may be summed first.",
        "broadcast": "A size of 1 stands against another."}

    # What a call means

    @cached_property
    def equation(self) -> Equation | None:
        """The equation, None where it is malformed."""
        text = self.attributes.get("equation")
        return Equation.of(text) if isinstance(text, str) else None

    @property
    def read(self) -> Equation:
        """The equation of a call that has one."""
        assert self.equation is not None
        return self.equation

    @cached_property
    def operands(self) -> list[np.ndarray]:
        """The operands in order."""
        return list(self.inputs.values())

    @property
    def dtype(self) -> np.dtype:
        """The element type."""
        return self.operands[0].dtype

    @property
    def floating(self) -> bool:
        """True if that is a floating-point type."""
        return is_float(self.dtype)

    @cached_property
    def term(self) -> tuple[str, ...]:
        """The output-term."""
        return self.read.implicit() if self.read.output is None else self.read.output

    @cached_property
    def spread(self) -> list[int]:
        """The number of axes that the ellipsis of each term stands for."""
        return [operand.ndim + 1 - len(term) for term, operand in zip(self.read.terms, self.operands, strict=True)
                if ELLIPSIS in term]

    def axes(self, term: Sequence[str]) -> list[str]:
        """A name for each axis: the letters, and ``...0`` and so on for the axes of an ellipsis, counted from the last.
        """
        count = max(self.spread, default=0)
        return [name for token in term for name in
                ([f"{ELLIPSIS}{count - 1 - at}" for at in range(count)] if token == ELLIPSIS else [token])]

    @cached_property
    def sizes(self) -> dict[str, set[int]]:
        """The sizes that the axes of each name have."""
        by_letter: dict[str, set[int]] = {}
        for term, operand in zip(self.read.terms, self.operands, strict=True):
            for name, size in zip(self.axes(term), operand.shape, strict=True):
                by_letter.setdefault(name, set()).add(size)
        return by_letter

    def size(self, name: str) -> int:
        """Return the size of an axis, sizes of 1 apart."""
        return next(iter(self.sizes[name] - {1}), 1)

    @cached_property
    def names(self) -> list[str]:
        """The names of the axes of Output."""
        return self.axes(self.term) if self.read.broadcasts else self.axes([t for t in self.term if t != ELLIPSIS])

    @cached_property
    def summed(self) -> list[str]:
        """The other names."""
        return [name for name in self.sizes if name not in self.names]

    def shape_of(self, output: str) -> tuple[int, ...]:
        """The sizes of its names."""
        return tuple(self.size(name) for name in self.names)

    @cached_property
    def aligned(self) -> list[np.ndarray]:
        """The operands, each with the axes of all names, those summed first; of size 1 where it has none."""
        order = [*self.summed, *self.names]
        return [_along(operand, self.axes(term), order)
                for term, operand in zip(self.read.terms, self.operands, strict=True)]

    def reduced(self, parts: Sequence[np.ndarray], view: Any, add: np.ufunc, start: Any,
                join: np.ufunc = np.multiply) -> np.ndarray:
        """Aligned arrays, joined at each place, seen through `view`, and added along the summed names."""
        sizes = (*(self.size(name) for name in self.summed), *self.shape_of("Output"))
        return _reduced(parts, sizes, len(self.summed), view, add, start, join)

    @cached_property
    def products(self) -> Products:
        """The sums of products of floating-point numbers."""
        wide, count = [part.astype(Wide) for part in self.aligned], len(self.summed)
        nan, plus, minus = (self.reduced(wide, view, np.logical_or, False) for view in
                            (np.isnan, lambda term: term == np.inf, lambda term: term == -np.inf))
        total = self.reduced(wide, _finite, np.add, Wide(0))
        size = self.reduced(wide, lambda term: np.abs(_finite(term)), np.add, Wide(0))
        least = self.reduced([quantum(part) for part in self.aligned], np.asarray, np.minimum, NO_QUANTUM, np.add)
        sums = Sums(total, size, np.full(total.shape, self.count), len(self.operands) - 1, least, self.dtype)
        sums_by_place = SumsByPlace(sums, nan, plus, minus, (), terms_at=lambda place: _terms(wide, count, place))
        return replace(sums_by_place, allowance=self.lost) if len(self.operands) > 2 else sums_by_place

    @property
    def count(self) -> int:
        """The number of products of an element."""
        return prod(self.size(name) for name in self.summed)

    @property
    def moves(self) -> bool:
        """True if nothing is summed or multiplied."""
        return len(self.operands) == 1 and not self.summed

    @property
    def regrouped(self) -> bool:
        """True if factors may be multiplied or added before all of a product is known."""
        alone = any(sum(name in self.axes(term) for term in self.read.terms) == 1 for name in self.summed)
        return len(self.operands) > 2 or len(self.operands) == 2 and alone

    def magnitudes(self, bound: Any) -> list[np.ndarray]:
        """|operands|, aligned, 1 in place of zero and of what is not finite; `bound` by 1 from below or above."""
        wide = [np.abs(operand.astype(Wide)) for operand in self.aligned]
        return [bound(np.where(np.isfinite(x) & (x > 0), x, 1), 1) for x in wide]

    @cached_property
    def lost(self) -> np.ndarray:
        """The loss of multiplications below the normal range, times the factors after them."""
        least = self.reduced(self.magnitudes(np.minimum), np.asarray, np.minimum, Wide(np.inf))
        room = self.reduced(self.magnitudes(np.maximum), np.asarray, np.add, Wide(0))
        grown = 1 + growth(self.count + len(self.operands), self.dtype)
        eta = Wide(float(PRECISION[self.dtype.name][1]))
        tiny = least < 2 * smallest_normal(self.dtype)
        return np.asarray(np.where(tiny, room * grown * len(self.operands) * eta, 0))

    @cached_property
    def may_leave(self) -> np.ndarray:
        """bool: where products and sums that are taken together in some order may leave the range."""
        size = self.reduced(self.magnitudes(np.maximum), np.asarray, np.add, Wide(0))
        grown = 1 + growth(self.count + len(self.operands), self.dtype)
        return np.asarray(size * grown >= Wide(float(PRECISION[self.dtype.name][2])))

    @cached_property
    def wild(self) -> np.ndarray:
        """bool: which elements have a factor that is not finite."""
        wild = [~np.isfinite(part) for part in self.aligned]
        return self.reduced(wild, np.asarray, np.logical_or, False, np.logical_or)

    @cached_property
    def of_integers(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sums modulo 2 to the number of bits; and, as floating-point numbers, those of the positive and the
        negative products."""
        wide = [part.astype(Wide) for part in self.aligned]
        with np.errstate(over="ignore"):
            total = self.reduced([part.astype(np.uint64) for part in self.aligned], np.asarray, np.add, np.uint64(0))
        up, down = (self.reduced(wide, lambda term, side=side: side(term, 0), np.add, Wide(0))
                    for side in (np.maximum, np.minimum))
        return total.astype(self.dtype), up, down

    @property
    def multiplied(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of all operands: an element of each is a factor of a term."""
        return tuple(self.inputs)

    @property
    def as_sums(self) -> Products | None:
        """The `products`, for floating-point numbers."""
        return self.products if self.floating else None

    def expected(self) -> dict[str, np.ndarray]:
        """Output, of the type of the operands."""
        if self.moves:
            return {"Output": np.array(self.aligned[0])}
        return {"Output": np.asarray(self.products.values) if self.floating else self.of_integers[0]}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the bound of the sums; copies and integers are equal."""
        if self.moves or not self.floating:
            return super().conforms(output, got)
        return ~self.products.wrong(got)

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all elements."""
        return {"Output": 0.0 if self.moves or not self.floating else self.products.tolerance}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error of the judged elements, in ulp."""
        if self.moves or not self.floating:
            return {}
        return {"largest error in ulp": self.products.largest_error(got, judged)}

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along letters that each operand has at most once."""
        terms = dict(zip(self.inputs, map(self.axes, self.read.terms), strict=True))
        return {place: {key: term.index(name) for key, term in terms.items() if name in term}
                for place, name in enumerate(self.names)
                if self.sizes[name] == {self.size(name)} and all(term.count(name) < 2 for term in terms.values())}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the cells of each operand at the place of its letters, one for each product."""
        by_input = {}
        summed = list(np.ndindex(*(self.size(name) for name in self.summed)))
        for (key, operand), term in zip(self.inputs.items(), self.read.terms, strict=True):
            cells = []
            for place in summed:
                at = dict(zip([*self.summed, *self.names], (*place, *where), strict=True))
                cells.append([at[name] if size > 1 else 0
                              for name, size in zip(self.axes(term), operand.shape, strict=True)])
            by_input[key] = np.array(cells, np.int64).reshape(len(summed), operand.ndim)
        return by_input

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Output without the last product; with the axes of a matrix exchanged."""
        canonical = self.canonical["Output"]
        if canonical.size and self.count and not self.moves:
            last = [part[(-1,) * len(self.summed)] for part in self.aligned]
            with np.errstate(all="ignore"):
                yield np.asarray(canonical - prod(last[1:], start=last[0])).astype(self.dtype)
        if canonical.ndim > 1 and canonical.shape[-1] == canonical.shape[-2]:
            yield np.ascontiguousarray(canonical.swapaxes(-1, -2))

    # Clauses

    @on_call("equation.C3", needs=("equation.C1", "equation.C2"))
    def form(self) -> str | None:
        return None if self.equation is not None else f"equation is {self.attributes.get('equation')!r}"

    @on_call("equation.C4", needs=("equation.C3",))
    def one_ellipsis(self) -> str | None:
        terms = [*self.read.terms, self.read.output or ()]
        return "a term has two ellipses" if any(term.count(ELLIPSIS) > 1 for term in terms) else None

    @on_call("equation.C5", needs=("equation.C3",))
    def known_letters(self) -> str | None:
        unknown = sorted(set(self.read.output or ()) - {*self.read.letters, ELLIPSIS})
        return f"the output-term has {', '.join(unknown)}, which no term has" if unknown else None

    @on_call("equation.C6", needs=("equation.C3",))
    def output_letters(self) -> str | None:
        letters = [token for token in self.read.output or () if token != ELLIPSIS]
        return "the output-term has a letter twice" if len(set(letters)) < len(letters) else None

    @on_call("Inputs.C4", needs=("equation.C3",))
    def number(self) -> str | None:
        terms = len(self.read.terms)
        return None if terms == len(self.operands) else f"there are {terms} terms and {len(self.operands)} operands"

    @on_call("Inputs.C5", needs=("Inputs.C4", "equation.C4"))
    def ranks(self) -> str | None:
        for name, term in zip(self.inputs, self.read.terms, strict=True):
            letters, rank = len(term) - (ELLIPSIS in term), self.inputs[name].ndim
            if rank < letters or rank > letters and ELLIPSIS not in term:
                return f"{name} has {rank} axes, and its term {letters} letters"
        return None

    @on_call("Inputs.C6", needs=("Inputs.C5",))
    def ellipses(self) -> str | None:
        return f"ellipses stand for {sorted(set(self.spread))} axes" if len(set(self.spread)) > 1 else None

    @on_call("Inputs.C7", needs=("Inputs.C6",))
    def one_size(self) -> str | None:
        several = {name: sorted(sizes) for name, sizes in self.sizes.items() if len(sizes - {1}) > 1}
        return "; ".join(f"{name} has the sizes {sizes}" for name, sizes in several.items()) or None

    shape = shape_of_output("Output.C1", "Output")

    @on_elements("Output.F2", "Output", "not the element of the operand")
    def moved(self, got: np.ndarray) -> bool:
        return self.moves

    @on_elements("Output.F3", "Output", "not the sum of its products modulo 2 to the number of bits")
    def integer_value(self, got: np.ndarray) -> bool:
        return not self.floating

    value = elements_of("Output.F4", "Output", "not the sum of its products", lambda self: ~self.wild)

    @unspecified("equation.U1", refusal=True)
    def summed_ellipsis(self) -> Unspecified | None:
        lacks = self.read.broadcasts and ELLIPSIS not in self.term
        return Unspecified.everything("Output") if lacks else None

    @unspecified("equation.U2", refusal=True)
    def ellipsis_of_nothing(self) -> Unspecified | None:
        return Unspecified.refusal() if ELLIPSIS in self.term and not self.read.broadcasts else None

    @unspecified("equation.U3", refusal=True)
    def nothing_written(self) -> Unspecified | None:
        return None if self.attributes["equation"].strip(" ") else Unspecified.refusal()

    @unspecified("Inputs.U1", refusal=True)
    def broadcast_ellipses(self) -> Unspecified | None:
        return Unspecified.refusal() if self.against_one(True) else None

    @unspecified("Inputs.U2", refusal=True)
    def broadcast_letters(self) -> Unspecified | None:
        return Unspecified.everything("Output") if self.against_one(False) else None

    def against_one(self, ellipses: bool) -> bool:
        """True if a size of 1 stands against another along axes of ellipses, or of letters."""
        return any(len(sizes) > 1 for name, sizes in self.sizes.items() if name.startswith(ELLIPSIS) == ellipses)

    @unspecified("Inputs.U3", refusal=True)
    def empty_axes(self) -> Unspecified | None:
        return Unspecified.refusal() if any(operand.size == 0 for operand in self.operands) else None

    @unspecified("Output.U4")
    def overflow_of_integers(self) -> Unspecified | None:
        if self.floating or self.moves:
            return None
        _, up, down = self.of_integers
        limits = np.iinfo(self.dtype)
        return Unspecified.of((up > limits.max) | (down < limits.min), "Output")

    @unspecified("Output.U5")
    def not_finite(self) -> Unspecified | None:
        if not self.floating or self.moves:
            return None
        nan, plus, minus = self.products.nan, self.products.plus, self.products.minus
        either = nan | plus & minus
        return Unspecified.of(self.wild, "Output", admits=lambda got: np.isnan(got) | (
            (got == np.inf) & (either | plus) | (got == -np.inf) & (either | minus)))

    @unspecified("Output.U6")
    def overflow(self) -> Unspecified | None:
        if not self.floating or self.moves:
            return None
        where, tame = self.products.may_overflow, ~self.wild
        free = self.may_leave if self.regrouped else np.zeros((), bool)
        return Unspecified.of((where | free) & tame, "Output", admits=lambda got: (
            free & ~np.isfinite(got) | self.products.admits_overflow(got) | self.products.admits_largest(got)))

    @disputed("equation.E2")
    def alphabetical(self) -> Unspecified | None:
        if self.read.output is not None:
            return None
        orders: list[Any] = [lambda token: (token.lower(), token), lambda token: (token.lower(), token.swapcase())]
        terms = [term for term in dict.fromkeys(map(self.read.implicit, orders)) if term != self.term]
        readings = []
        for term in terms:
            other = type(self)(self.call, self.version)
            vars(other)["term"] = term
            readings.append(other)
        return Unspecified({}, tuple(readings)) if readings else None

    def misinferred(self) -> Mapping[str, Mapping[str, tuple[int, ...]]]:
        """Return a shape without axes, if there is no output-term and single letters are capitals."""
        names = self.names if self.read.output is None else []
        return {"equation.E3": {"Output": ()}} if names and all(name.isupper() for name in names) else {}

    @evidence("equation.E3")
    @staticmethod
    def capitals_are_not_counted() -> str:
        table, capital = 26, ord("B") - ord("a")
        definition = Einsum(Call("Einsum", {"equation": "kBk"}, {"Inputs_0": np.zeros((2, 3, 2), np.float32)}), 12)
        read, inferred = definition.shape_of("Output"), definition.misinferred()["equation.E3"]["Output"]
        assert not 0 <= capital < table and inferred != read
        return f"B is counted at place {capital} of a table for {table} letters: of kBk for (2, 3, 2) the shape " \
               f"{inferred} is inferred, and Output has {read}"

    @evidence("equation.E1")
    @staticmethod
    def diagonal_or_sum() -> str:
        matrix = np.array([[1, 10], [100, 1000]])
        diagonal, summed = matrix.diagonal().tolist(), int(matrix.trace())
        assert [summed] != diagonal
        return f"ii->i of {matrix.tolist()}: the output-term keeps i, {diagonal}; summed along i it is {summed}"

    # How it is tried

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: an equation of a few letters, mostly a known one, sometimes a made one."""
        plan = choose(Named("plan", PLANS), tuple(PLANS.values()))
        known = EQUATIONS[:1] if plan == "product" else EQUATIONS if choose((True, False)) else ()
        known = (EQUAL[choose(Named("equal", range(len(EQUAL))))],) if plan == "equal" else known
        text = choose(known) if known else drawn_equation(choose)
        equation = Equation.of(text)
        assert equation is not None
        names = dict.fromkeys(equation.letters)
        long = {"i": Named("rows", (1, 2, 3, 17, 33)), "j": Named("inner", (1, 2, *LINES)),
                "k": Named("columns", (1, 2, 3))}
        sizes = {name: choose(long[name] if plan == "product" else (2, 3, 1, 4)) for name in names}
        sizes = dict.fromkeys(sizes, SIZE) if plan == "equal" else sizes
        if plan == "empty" and names:
            sizes[choose(tuple(names))] = 0
        spread = [choose((2, 3)) for _ in range(choose((1, 2, 0)))] if equation.broadcasts else []
        shapes = []
        for term in equation.terms:
            ones = plan == "broadcast" and choose((True, False))
            shapes.append([size for token in term for size in
                           (([1] * len(spread) if ones else spread) if token == ELLIPSIS else [sizes[token]])])
        if prod(sizes.values()) * prod(spread) > MOST and plan != "product":
            return None
        dtype = a_type(choose, cls.types_of("Inputs", version))
        kind = "any" if "int" in dtype else "bits" if len(shapes) == 1 and choose((False, True)) else "sum"
        summed = prod(size for name, size in sizes.items() if name not in (equation.output or ()))
        added = Terms(max(summed, 1)) if kind == "sum" else None
        inputs = {f"Inputs_{number}": choose.tensor(shape, dtype, kind, added) for number, shape in enumerate(shapes)}
        return Call("Einsum", {"equation": text}, inputs)

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Sums around the blocks of kernels; a large output of short sums; equal axes."""
        return (SizeClass({"inner": LINES[::-1]}, {"plan": "product"}),
                a_large_output({"plan": "product", "rows": 265, "inner": 2, "columns": 265}),
                SizeClass({"equal": range(len(EQUAL))}, {"plan": "equal"}, every_type=False))

    def named_sizes(self) -> Mapping[str, Any]:
        """The number of products of an element, whether there are many elements, the equation of equal axes."""
        text, is_equal = self.attributes["equation"], all(sizes == {SIZE} for sizes in self.sizes.values())
        return {DTYPE: self.dtype.name, "inner": self.count, LARGE: is_large(self.shape_of("Output")),
                "equal": EQUAL.index(text) if is_equal and text in EQUAL else -1}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`; of a malformed equation none."""
        equation = self.equation
        if equation is None:
            return {}
        return {"implicit": equation.output is None, "ellipsis": equation.broadcasts,
                "diagonal": any(len(set(term)) < len(term) for term in equation.terms),
                "capital": any(token.isupper() for token in equation.letters),
                "spaces": " " in self.attributes["equation"], "one-operand": len(equation.terms) == 1,
                "many-operands": len(equation.terms) > 2, "summed-alone": self.fits and self.regrouped,
                "broadcast": self.fits and (self.against_one(True) or self.against_one(False))}

    @property
    def fits(self) -> bool:
        """True if the equation names the axes of the operands."""
        asked = (self.form, self.one_ellipsis, self.number, self.ranks, self.ellipses, self.known_letters)
        return all(broken() is None for broken in asked)

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls with one place less along a letter."""
        if not self.fits:
            return
        terms = dict(zip(self.inputs, map(self.axes, self.read.terms), strict=True))
        for name, sizes in self.sizes.items():
            if max(sizes) > 1:
                inputs = dict(self.inputs)
                for key, term in terms.items():
                    for axis, other in enumerate(term):
                        if other == name and inputs[key].shape[axis] > 1:
                            inputs[key] = np.take(inputs[key], range(inputs[key].shape[axis] - 1), axis)
                yield Call("Einsum", self.attributes, inputs, self.call.outputs)


def _along(operand: np.ndarray, names: list[str], order: list[str]) -> np.ndarray:
    """A tensor, its diagonal where a name comes twice, with the axes of `order`: of size 1 where it has none."""
    names = list(names)
    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            first, second = [at for at, other in enumerate(names) if other == name][:2]
            if operand.shape[first] != operand.shape[second]:
                gone = first if operand.shape[first] == 1 else second
                operand, names = operand.take(0, gone), names[:gone] + names[gone + 1:]
            else:
                operand = np.diagonal(operand, axis1=first, axis2=second)
                names = [other for at, other in enumerate(names) if at not in (first, second)] + [name]
    kept = [name for name in order if name in names]
    whole = operand.transpose([names.index(name) for name in kept])
    return whole.reshape([whole.shape[kept.index(name)] if name in names else 1 for name in order])


def _reduced(parts: Sequence[np.ndarray], sizes: tuple[int, ...], summed: int, view: Any, add: np.ufunc, start: Any,
             join: np.ufunc) -> np.ndarray:
    """See `Einsum.reduced`; of many places one of the first axis after another."""
    if prod(sizes) <= BLOCK or not summed:
        with np.errstate(invalid="ignore", over="ignore"):
            joined = np.broadcast_to(view(reduce(join, parts)), sizes)
            return np.asarray(add.reduce(joined, axis=tuple(range(summed)), initial=start)) if summed else \
                np.asarray(add(joined, start))
    total = np.full(sizes[summed:], start)
    for at in range(sizes[0]):
        places = [part[at if part.shape[0] > 1 else 0] for part in parts]
        total = add(total, _reduced(places, sizes[1:], summed - 1, view, add, start, join))
    return total


def _finite(term: np.ndarray) -> np.ndarray:
    """0 for what is not."""
    return np.where(np.isfinite(term), term, 0)


def _terms(parts: Sequence[np.ndarray], summed: int, place: tuple[int, ...]) -> list[Fraction]:
    """The exact products of one element, those that are finite."""
    sizes, columns = np.broadcast_shapes(*(part.shape[:summed] for part in parts)), []
    for part in parts:
        at: Any = (..., *(where if size > 1 else 0 for where, size in zip(place, part.shape[summed:], strict=True)))
        columns.append(np.broadcast_to(part[at], sizes).ravel())
    rows = [row for row in zip(*columns, strict=True) if np.isfinite(row).all()]
    return [prod((Fraction(*value.as_integer_ratio()) for value in row), start=Fraction(1)) for row in rows]
