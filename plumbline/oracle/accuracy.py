"""Read accuracy profiles, and judge errors by their bounds.

A profile is a specification, `spec/accuracy/NAME.md`. Its front matter lists bounds by address; each becomes a clause
whose statement has the number that is judged. Errors are measured from the real value of the function in extended
precision (`RealValues`), of which a definition states how exact it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.clause import Clause, full_address
from plumbline.oracle.editions import set_variable
from plumbline.oracle.rounding import PI, PRECISION, Wide, exponent, smallest_normal

VARIABLE = "PLUMBLINE_ACCURACY"

FAMILY = "accuracy"
"""The family of specifications that are accuracy profiles."""

DECLARED = "declared"
"""The default profile: what the backend declares."""

ROUNDED = {"nearest": (0.5, "the exact value rounded to nearest: at most 0.5 ulp from it"),
           "nearest or zero": (1.0, "the exact value rounded to nearest or toward zero: at most 1 ulp from it")}
"""By the key `rounded` of a bound: the largest error in ulp, and the statement."""


def chosen_profile() -> str:
    """Return the profile that PLUMBLINE_ACCURACY names; "" for the declared accuracy."""
    name = os.environ.get(VARIABLE, "")
    return "" if name == DECLARED else name


def choose_profile(name: str) -> Callable[[], None]:
    """Judge by a profile, here and in started processes; return what undoes that."""
    return set_variable(VARIABLE, name)


def is_of_profile(address: str) -> bool:
    """Return True for a clause of an accuracy profile."""
    return address.startswith(f"{FAMILY}/")


@dataclass(frozen=True, eq=False)
class RealValues:
    """The real values of a function at the operands of a call.

    exact:    in extended precision.
    where:    bool: the elements that have a real value in the range of the type.
    operands: broadcast to the shape of the output.
    ulps:     the error of `exact`, in units in the last place of extended precision.
    """

    exact: np.ndarray
    where: np.ndarray
    operands: tuple[np.ndarray, ...]
    ulps: int

    @property
    def unsure(self) -> np.ndarray:
        """The largest distance of `exact` from the real values."""
        return np.asarray(self.ulps * np.finfo(Wide).eps * np.abs(self.exact))


def number(text: float | str) -> Wide:
    """Return a number in extended precision: ``0.5``, ``"2**-11"``, ``"pi"`` or ``"-pi"``. Raises ValueError."""
    power = re.fullmatch(r"2\*\*(-?[0-9]{1,4})", str(text))
    if str(text) in ("pi", "-pi"):
        return PI if text == "pi" else -PI
    return np.ldexp(Wide(1), int(power[1])) if power else Wide(float(text))


def in_range(exact: np.ndarray, defined: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """bool: the defined values that are not above the largest number of a type."""
    return np.asarray(defined & (np.abs(exact) <= Wide(float(PRECISION[dtype.name][2]))))


@dataclass(frozen=True)
class Bound:
    """A bound of a profile.

    address:  in the profile: ``exp.F1``.
    dtypes:   the element types that it is about.
    ulp:      the largest error, in units in the last place; `rising` adds ``floor(rising |x|)``.
    absolute: the largest error, instead.
    roundings: the largest error, in u times the exact value, or times the smallest normal number if that is larger.
    rounded:  a key of `ROUNDED`, where the result is rounded correctly.
    inside:   the interval that every operand is in; `outside`: the one that it is not in.
    flushed:  whether a subnormal operand or result may be taken for zero, so that these are not judged.
    """

    address: str
    dtypes: tuple[str, ...]
    source: str
    derived: str | None = None
    ulp: float = 0.0
    rising: float = 0.0
    roundings: float = 0.0
    absolute: str = ""
    rounded: str = ""
    inside: tuple[float | str, ...] = ()
    outside: tuple[float | str, ...] = ()
    flushed: bool = False

    @property
    def function(self) -> str:
        """The operator, in small letters."""
        return self.address.partition(".")[0]

    @property
    def allowed(self) -> str:
        """The largest error in words."""
        if self.absolute:
            return self.absolute
        if self.roundings:
            return f"{self.roundings:g} * u * max(|exact value|, smallest normal number), 2u being the distance of 1 " \
                "from the next number"
        return f"{self.ulp:g} + floor({self.rising:g} * |x|) ulp" if self.rising else f"{self.ulp:g} ulp"

    def clause(self, specification: str) -> Clause:
        """Return the clause that states the bound."""
        *first, last = self.dtypes
        types = f"{', '.join(first)} or {last}" if first else last
        value = f"is {ROUNDED[self.rounded][1]}" if self.rounded else \
            f"differs from the exact value by at most {self.allowed}"
        where = f", of operands in [{_ends(self.inside)}]," if self.inside else \
            f", of operands outside [{_ends(self.outside)}]," if self.outside else ""
        return Clause(specification, self.function, self.address.rpartition(".")[2], f"Error in {types}",
                      f"A result in {types}{where} {value}.", self.source, 1, judges="outputs", derived=self.derived)

    def applies(self, real: RealValues, dtype: np.dtype) -> np.ndarray:
        """bool: the elements that the bound is about."""
        where = real.where
        for operand in real.operands:
            size = np.abs(operand.astype(Wide))
            if self.flushed:
                where = where & ((size == 0) | (size >= smallest_normal(operand.dtype)))
            if self.inside or self.outside:
                low, high = map(number, self.inside or self.outside)
                is_in = (operand.astype(Wide) >= low) & (operand.astype(Wide) <= high)
                where = where & (is_in if self.inside else ~is_in)
        is_normal = np.abs(real.exact) - real.unsure >= smallest_normal(dtype)  # tanh of the smallest one is below it
        return np.asarray(where & is_normal if self.flushed else where)

    def room(self, real: RealValues, ulp: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """The largest errors, from the ulp of each exact value."""
        if self.absolute:
            return np.full(ulp.shape, number(self.absolute))
        if self.roundings:
            size = np.abs(np.where(real.where, real.exact, 0))
            return np.asarray(self.roundings * float(PRECISION[dtype.name][0])
                              * np.maximum(size, smallest_normal(dtype)))
        steps = np.full(ulp.shape, Wide(self.ulp))
        if self.rising:
            steps = steps + np.floor(self.rising * np.abs(np.where(real.where, real.operands[0], 0).astype(Wide)))
        return np.asarray(steps * ulp)


@dataclass(frozen=True, eq=False)
class Comparison:
    """An output against one bound.

    share:      the largest error, of what is allowed.
    divergence: the elements that surely exceed the bound.
    """

    clause: str
    share: float
    divergence: Divergence | None


def compare(bounds: Mapping[str, Bound], output: str, real: RealValues, got: np.ndarray, canonical: np.ndarray,
            origin: Sequence[int]) -> Iterator[Comparison]:
    """Yield the comparison with each bound that is about some element.

    An infinity counts as the number that would follow the largest. `origin` is where a slice of the output begins."""
    dtype = canonical.dtype
    exact = np.where(real.where, real.exact, 0)
    ulp = unit_in_the_last_place(exact, dtype)
    after_largest = np.ldexp(Wide(1), np.frexp(Wide(float(PRECISION[dtype.name][2])))[1])
    with np.errstate(invalid="ignore"):
        given = np.clip(got.astype(Wide), -after_largest, after_largest)
        errors = np.abs(given - exact)
    for address, bound in bounds.items():
        where = bound.applies(real, dtype) & (errors == errors)
        if dtype.name not in bound.dtypes or not where.any():
            continue
        room = bound.room(real, ulp, dtype)
        shares = np.where(where, errors / room, 0)
        wrong = where & (errors - real.unsure > room)
        yield Comparison(address, float(shares.max()), None if not wrong.any() else Divergence(
            address, output, _why(output, bound, np.where(wrong, errors, 0), ulp, got, origin),
            np.argwhere(wrong) + np.asarray(origin, dtype=np.int64), canonical[wrong], got[wrong]))


def unit_in_the_last_place(exact: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return the distance of the numbers of a type around exact values.

    That is `ulp` as J.-M. Muller defines it (On the definition of ulp(x), INRIA RR-5504, 2005), and OpenCL with him; at
    a power of two, which an exact value beside it may be rounded to here, the distance to the next larger number."""
    u, eta, _ = PRECISION[dtype.name]
    _, power = np.frexp(exact)
    return np.asarray(np.where(exact == 0, Wide(float(eta)),
                               np.maximum(np.ldexp(Wide(1), power + exponent(u)), Wide(float(eta)))))


def read_bounds(front: Mapping[str, Any]) -> dict[str, Bound]:
    """Read the bounds of a front matter, by address. Raises ValueError.

    `tables` names the tables of the source, each with its element types and its place in the source; a bound names its
    table, and the row where that is not called as the function."""
    tables, flushed = front.get("tables", {}), set(front.get("flushes", ()))
    if not flushed <= PRECISION.keys():
        raise ValueError(f"flushes has {', '.join(map(str, flushed - PRECISION.keys()))}; element types are "
                         f"{', '.join(PRECISION)}")
    return {address: _bound(address, dict(entry), tables, flushed) for address, entry in front["bounds"].items()}


def _bound(address: str, entry: dict[str, Any], tables: Mapping[str, Any], flushed: set[str]) -> Bound:
    """Return a bound from its entry in the front matter; `flushed` are types whose subnormals count as zero."""
    if not re.fullmatch(r"[a-z0-9]+\.F[1-9][0-9]*", address):
        raise ValueError(f"{address}: the address of a bound is OPERATOR.F1, the operator in small letters")
    table = tables.get(entry.pop("table", None), {})
    if not {"types", "source"} <= table.keys():
        raise ValueError(f"{address}: `table` is one of {', '.join(tables)}, each with `types` and `source`")
    dtypes = tuple(table["types"])
    row = entry.pop("row", address.partition(".")[0])
    kinds = {"ulp", "roundings", "absolute", "rounded"} & entry.keys()
    unknown = entry.keys() - {*kinds, "rising", "inside", "outside"}
    if len(kinds) != 1 or unknown or not dtypes or not set(dtypes) <= PRECISION.keys():
        raise ValueError(f"{address}: a bound has one of `ulp`, `roundings`, `absolute` and `rounded`, and may have "
                         f"`row`, `rising`, `inside` and `outside`; element types are some of {', '.join(PRECISION)}")
    if entry.get("rounded", "nearest") not in ROUNDED or not inf > entry.get("ulp", 1) > 0 \
            or not inf > entry.get("roundings", 1) > 0 or not inf > entry.get("rising", 0) >= 0:
        raise ValueError(f"{address}: `ulp` is finite and above zero, `roundings` too, `rising` not below; `rounded` "
                         f"is one of {', '.join(ROUNDED)}")
    if "rounded" in entry:
        entry["ulp"] = ROUNDED[entry["rounded"]][0]
    for key in {"inside", "outside"} & entry.keys():
        entry[key] = tuple(entry[key])
        if len(entry[key]) != 2 or not number(entry[key][0]) < number(entry[key][1]):
            raise ValueError(f"{address}: `{key}` is two numbers, the smaller one first")
    if "absolute" in entry and not inf > number(entry["absolute"]) > 0:
        raise ValueError(f"{address}: `absolute` is finite and above zero")
    return Bound(address, dtypes, f"{table['source']}, {row}", table.get("derived"), **entry,
                 flushed=bool(flushed.intersection(dtypes)))


def clauses_of(specification: str, bounds: Mapping[str, Bound]) -> dict[str, Clause]:
    """Return the clauses of bounds by full address."""
    return {full_address(specification, address): bound.clause(specification) for address, bound in bounds.items()}


def _ends(interval: tuple[float | str, ...]) -> str:
    return ", ".join(map(str, interval))


def _why(output: str, bound: Bound, errors: np.ndarray, ulp: np.ndarray, got: np.ndarray, origin: Sequence[int]) -> str:
    """Describe the largest error."""
    place = np.unravel_index(np.argmax(errors if bound.absolute else errors / ulp), errors.shape)
    error = f"{float(errors[place]):.3g}" if bound.absolute else f"{float(errors[place] / ulp[place]):.3g} ulp"
    shown = [int(index) + start for index, start in zip(place, origin, strict=True)]
    return (f"{output}{shown or ''} is {got[place]!s}, {error} from the exact value; at most {bound.allowed} is "
            "allowed")
