"""The formulas of pooling along one spatial axis, each written once for integers and for terms of the solver.

`test_formulas` ties those that the oracle computes to its functions; the rest are theorems about these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import z3

from tests.theorems.terms import Term, Truth, all_of, any_of, ceil, choose, floor, larger


@dataclass(frozen=True)
class Axis:
    """One spatial axis of a call: the size of X, an element of each attribute, the padding at both ends."""

    size: Term
    kernel: Term
    stride: Term
    dilation: Term
    begin: Term
    end: Term

    @property
    def well_formed(self) -> tuple[Truth, ...]:
        """What the clauses on calls demand of each number, and that X is not empty."""
        return (self.size >= 1, self.kernel >= 1, self.stride >= 1, self.dilation >= 1, self.begin >= 0, self.end >= 0)

    @property
    def extent(self) -> Term:
        """The dilated kernel."""
        return self.dilation * (self.kernel - 1) + 1

    @property
    def padded(self) -> Term:
        """The size of X with its padding."""
        return self.size + self.begin + self.end

    @property
    def room(self) -> Term:
        """How far the first window can move within the padded input."""
        return self.padded - self.extent

    @property
    def overhang(self) -> Term:
        """How far the last window of `ceil_size` reaches beyond the padded input: what `room` lacks to a multiple of
        the stride."""
        return -self.room % self.stride

    @property
    def floor_size(self) -> Term:
        """The output's size with explicit padding, rounded down."""
        return floor(self.room, self.stride) + 1

    @property
    def ceil_size(self) -> Term:
        """The output's size with explicit padding, rounded up."""
        return ceil(self.room, self.stride) + 1

    @property
    def ceil_size_22(self) -> Term:
        """`ceil_size` less the last window where that starts in the padding at the end, once: ONNX from version 22."""
        return choose(self.starts_before_the_end(self.ceil_size - 1), self.ceil_size, self.ceil_size - 1)

    @property
    def windows_before_the_end(self) -> Term:
        """How many windows start before the padding at the end, however many there are."""
        return ceil(self.size + self.begin, self.stride)

    @property
    def valid_size(self) -> Term:
        """The output's size with VALID."""
        return floor(self.size - self.extent, self.stride) + 1

    @property
    def same_size(self) -> Term:
        """The output's size with SAME_UPPER and SAME_LOWER."""
        return ceil(self.size, self.stride)

    @property
    def same_total(self) -> Term:
        """The padding at both ends with SAME_UPPER and SAME_LOWER, as the formula gives it."""
        return (self.same_size - 1) * self.stride + self.extent - self.size

    def padded_same(self, upper: bool) -> Axis:
        """This axis with the padding of SAME_UPPER or SAME_LOWER; a negative one counts as zero."""
        total = larger(self.same_total, 0)
        less = floor(total, 2)
        begin, end = (less, total - less) if upper else (total - less, less)
        return replace(self, begin=begin, end=end)

    def start(self, window: Term) -> Term:
        """The coordinate in X of a window's first cell; negative in the padding at the beginning."""
        return window * self.stride - self.begin

    def cell(self, window: Term, tap: Term) -> Term:
        """The coordinate in X of a window's cell number `tap`."""
        return self.start(window) + tap * self.dilation

    def starts_before_the_end(self, window: Term) -> Truth:
        """Whether a window starts before the padding at the end."""
        return window * self.stride < self.size + self.begin

    def selects(self, window: Term, tap: Term) -> Truth:
        """Whether a window's cell number `tap` is an element of X: the definition."""
        return all_of(0 <= tap, tap < self.kernel, 0 <= self.cell(window, tap), self.cell(window, tap) < self.size)

    def meets(self, window: Term) -> Truth:
        """Whether a window selects an element of X, without looking at each of its cells."""
        start = self.start(window)
        return any_of(all_of(start >= 0, start < self.size),
                      all_of(start < 0, start + self.extent > 0, start % self.dilation < self.size))

    def found_empty(self, count: Term, window: Term) -> Truth:
        """Whether the arithmetic of the oracle lets this window, of `count`, stand for those that select nothing."""
        before = all_of(window < ceil(self.begin, self.stride), window < self.dilation)
        return any_of(all_of(window == 0, self.begin >= self.extent),
                      all_of(window == count - 1, self.start(window) >= self.size),
                      all_of(before, self.dilation > self.size, self.start(window) % self.dilation >= self.size))


def any_axis() -> Axis:
    """An axis of variables, named as its fields."""
    return Axis(*z3.Ints("size kernel stride dilation begin end"))
