"""Judge and generate calls of ONNX RotaryEmbedding, by `spec/onnx/rotaryembedding.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, one_of_values
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.indices import a_list_of_indices
from plumbline.oracle.families.products import Products, Step
from plumbline.oracle.operator import Choose, Operator, Unspecified, on_call, unspecified
from plumbline.oracle.rounding import Wide
from plumbline.oracle.size_classes import DTYPE, LARGE, Named, SizeClass, a_large_output, is_large

CACHES = ("cos_cache", "sin_cache")


class RotaryEmbedding(Operator):
    """A call of RotaryEmbedding under one version of its specification."""

    family = "Matrix products"
    exact = False
    multiplied = ("X", *CACHES)
    flag_notes = {"interleaved": "Pairs lie side by side, not half of the rotated elements apart.",
                  "three-axes": "The heads lie side by side on the last axis of X.",
                  "partial": "The last elements of a head are copied.", "by-position": "position_ids are given."}

    value = elements_of("Y.F2", "Y", "not the rotated element")
    pattern = one_of_values("interleaved.C2", "interleaved", (0, 1))

    @property
    def x(self) -> np.ndarray:
        """The embeddings."""
        return self.inputs["X"]

    @property
    def head_size(self) -> int:
        """The number of elements of a head."""
        return int(self.x.shape[-1] // (1 if self.x.ndim == 4 else self.attributes["num_heads"]))

    @property
    def rotated(self) -> int:
        """The number of elements of a head that are rotated."""
        return int(self.attribute("rotary_embedding_dim")) or self.head_size

    @property
    def batch(self) -> tuple[int, int]:
        """The number of sequences, and their length."""
        return self.x.shape[0], self.x.shape[-2]

    @on_call("X.C2")
    def rank(self) -> str | None:
        return None if self.x.ndim in (3, 4) else f"X has {self.x.ndim} axes"

    @on_call("num_heads.C2", needs=("X.C2",))
    def heads(self) -> str | None:
        heads, size = self.attributes.get("num_heads"), self.x.shape[-1]
        if self.x.ndim == 4 or heads is not None and heads > 0 and size % heads == 0:
            return None
        return f"X has 3 axes, the last of size {size}, and num_heads is {heads}"

    @on_call("X.C3", needs=("num_heads.C2",))
    def even(self) -> str | None:
        return f"a head has {self.head_size} elements" if self.head_size % 2 else None

    @on_call("rotary_embedding_dim.C2", needs=("num_heads.C2",))
    def within_the_head(self) -> str | None:
        count = int(self.attribute("rotary_embedding_dim"))
        return None if 0 <= count <= self.head_size and count % 2 == 0 else f"{count} of {self.head_size} are rotated"

    @on_call("cos_cache.C1", needs=("X.C3", "rotary_embedding_dim.C2"))
    def shapes_of_caches(self) -> str | None:
        shapes = [tuple(self.inputs[name].shape) for name in CACHES]
        leading = shapes[0][:1] if "position_ids" in self.inputs else self.batch
        wanted = (*leading, self.rotated // 2)
        return None if shapes == [wanted] * 2 else f"the shapes {shapes} of the caches are not {wanted}"

    @on_call("position_ids.C2", needs=("X.C2",))
    def shape_of_positions(self) -> str | None:
        ids = self.inputs.get("position_ids")
        return None if ids is None or ids.shape == self.batch else f"position_ids have the shape {list(ids.shape)}"

    @on_call("position_ids.C3", needs=("cos_cache.C1",))
    def positions_of_caches(self) -> str | None:
        ids, count = self.inputs.get("position_ids"), (0, *self.inputs[CACHES[0]].shape)[1]
        return None if ids is None or ((ids >= 0) & (ids < count)).all() else f"a position is not one of {count}"

    def _placed(self, values: np.ndarray) -> np.ndarray:
        """Return numbers by sequence, position, head and element in the shape of X."""
        return values.transpose(0, 2, 1, 3) if self.x.ndim == 4 else values.reshape(self.x.shape)

    def _factors(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the factors of both products, in the shape of X; elements that are copied are times 1."""
        x = self.x.transpose(0, 2, 1, 3) if self.x.ndim == 4 else self.x.reshape(
            *self.batch, self.attributes["num_heads"], self.head_size)
        half, places = self.rotated // 2, np.arange(self.rotated)
        pairs = places.reshape(half, 2) if self.attribute("interleaved") else places.reshape(2, half).T
        partner, column, sign = places.copy(), places.copy(), np.ones(self.rotated)
        partner[pairs], column[pairs], sign[pairs[:, 0]] = pairs[:, ::-1], np.arange(half)[:, None], -1
        cosines, sines = (self.inputs[name].astype(Wide)[self.inputs.get("position_ids", ...)][:, :, None][..., column]
                          for name in CACHES)
        own, others, of_own, of_others = x.astype(Wide), *np.zeros((3, *x.shape), Wide)
        others[..., :self.rotated] = own[..., partner]
        of_own[..., :self.rotated], of_own[..., self.rotated:] = cosines, 1
        of_others[..., :self.rotated] = sines * sign
        yield self._placed(own), self._placed(of_own)
        yield self._placed(others), self._placed(of_others)

    @cached_property
    def products(self) -> Products:
        """The sums, in the shape of Y."""
        with np.errstate(invalid="ignore"):
            return Products.of(map(Step, self._factors()), self.x.shape, self.x.dtype)

    @property
    def as_sums(self) -> Products:
        """The sums."""
        return self.products

    @property
    def is_rotated(self) -> np.ndarray:
        """bool, in the shape of Y: which elements are rotated."""
        place = np.arange(self.x.shape[-1]) % max(self.head_size, 1)
        return np.broadcast_to(place < self.rotated, self.x.shape)

    def expected(self) -> dict[str, np.ndarray]:
        """Return Y; what is copied keeps its bits."""
        return {"Y": np.where(self.is_rotated, self.products.values, self.x)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the bound of the sums, zeros of the canonical sign."""
        wanted = self.canonical[output]
        sign = (got != 0) | (wanted != 0) | (np.signbit(got) == np.signbit(wanted))
        return np.asarray(~self.products.wrong(got) & sign)

    def tolerance(self) -> dict[str, float]:
        """Return the largest bound."""
        return {"Y": self.products.tolerance}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """Return the largest error in ulp."""
        return {"largest error in ulp": self.products.largest_error(got, judged)}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield Y without the second product."""
        own, factors = next(self._factors())
        with np.errstate(all="ignore"):
            yield (own * factors).astype(self.x.dtype)

    @unspecified("Y.U1")
    def not_finite(self) -> Unspecified | None:
        return Unspecified.of(self.is_rotated & ~self.products.finite, "Y")

    @unspecified("Y.U2")
    def overflow(self) -> Unspecified | None:
        products = self.products
        return Unspecified.of(products.may_overflow & products.finite, "Y", admits=products.admits_overflow)

    @unspecified("Y.U3")
    def zeros(self) -> Unspecified | None:
        return Unspecified.of(self.is_rotated & (self.products.values == 0), "Y", admits=lambda got: got == 0)

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Pairs of a head at the blocks of vector units, and a large output."""
        return SizeClass({"pairs": (8, 16, 17, 33)}), a_large_output({"length": 8200, "heads": 2, "pairs": 4})

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the number of pairs that are rotated, and whether X is large."""
        return {DTYPE: self.x.dtype.name, "pairs": self.rotated // 2, LARGE: is_large(self.x.shape)}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: heads of pairs, some elements of which are copied, with or without positions."""
        batch, heads = choose((1, 2)), choose(Named("heads", (2, 1, 3)))
        length = choose(Named("length", (2, 1, 3, 0)), (6, 3, 3, 1))
        pairs, copied = choose(Named("pairs", (2, 1, 3, 4))), choose((0, 2, 4), (3, 1, 1))
        dtype, values = a_type(choose, cls.types_of("X", version)), choose(("sum", "any"), (3, 1))
        size, attributes = 2 * pairs + copied, choose(({}, {"interleaved": 1}, {"interleaved": 0}))
        if copied or choose((False, True), (3, 1)):
            attributes = {**attributes, "rotary_embedding_dim": 2 * pairs}
        has_axis = choose((True, False))
        if not has_axis or choose((False, True), (5, 1)):
            attributes = {**attributes, "num_heads": heads}
        shape = (batch, heads, length, size) if has_axis else (batch, length, heads * size)
        count = choose((5, 1, 9)) if choose((True, False)) else 0
        leading = (count,) if count else (batch, length)
        inputs = {"X": choose.tensor(shape, dtype, values)}
        inputs |= {name: choose.tensor((*leading, pairs), dtype, values) for name in CACHES}
        if count:
            inputs["position_ids"] = a_list_of_indices(choose, (batch, length), "int64", count, back=False)
        return Call("RotaryEmbedding", attributes, inputs)

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"interleaved": bool(self.attribute("interleaved")), "three-axes": self.x.ndim == 3,
                "partial": self.attribute("rotary_embedding_dim") != 0, "by-position": "position_ids" in self.inputs}
