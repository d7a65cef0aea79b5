"""Honest implementations as backends, for campaigns that must accuse nothing.

`Plain` computes in the type of the tensors. The others do so where that makes a difference, and have a name of it.
"""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.honest.control_flow import ControlFlow
from tests.honest.elements import FUNCTIONS, Elements
from tests.honest.formulas import Formulas
from tests.honest.layers import Layers
from tests.honest.movement import Movement
from tests.honest.quantised import Quantised
from tests.honest.resampling import Resampling
from tests.honest.sums import Reductions
from tests.honest.transforms import Transforms

WIDER = {"float16": np.float32, "bfloat16": np.float32, "float32": np.float64, "float64": np.longdouble}


class Plain(ControlFlow, Elements, Layers, Movement, Quantised, Reductions, Resampling, Transforms):
    """Each operator in the type of its tensors."""

    name = "honest"
    specifications = ("onnx/*",)

    def version(self) -> str:
        """It does not change."""
        return "1"

    def run(self, request: Request) -> dict[str, np.ndarray]:
        """The outputs by name."""
        with np.errstate(all="ignore"):
            outputs = self.answer(request, dict(request.inputs), dict(request.attributes))
        if isinstance(outputs, dict):
            return {name: np.asarray(outputs[name]) for name in request.outputs}
        outputs = outputs if isinstance(outputs, list) else [outputs]
        return dict(zip(request.outputs, map(np.asarray, outputs), strict=True))

    def answer(self, request, inputs, attributes):
        """What the function of the operator returns: an output, a list of outputs, or outputs by name."""
        stem = request.specification.partition("/")[2].partition("@")[0]
        if stem in ("if", "loop", "scan"):
            return self.control(stem, request.model, inputs)
        return self.computed(stem, inputs, attributes)

    def computed(self, stem, inputs, attributes):
        if stem in FUNCTIONS:
            return FUNCTIONS[stem](*inputs.values())
        return getattr(self, stem)(**inputs, **attributes)


class Wide(Plain):
    """In the next wider type, and rounded once."""

    operators = ("attention batchnormalization celu convtranspose cos cumsum dft einsum elu erf gelu gru hardsigmoid "
                 "hardswish instancenormalization lstm mish mod prelu reciprocal reducel1 reducel2 reducelogsum "
                 "reducelogsumexp reducemean reduceprod reducesum reducesumsquare resize rnn roialign "
                 "scatterelements scatternd selu sin softplus softsign stft swish upsample").split()

    def computed(self, stem, inputs, attributes):
        kind = next(iter(inputs.values())).dtype
        twice = stem == "prelu" and kind == np.float64  # a product in extended precision is rounded twice
        if kind.name not in WIDER or stem not in self.operators or twice:
            return super().computed(stem, inputs, attributes)
        wide = {name: array if name in ("scales", "roi") or array.dtype.name not in WIDER else
                array.astype(WIDER[array.dtype.name]) for name, array in inputs.items()}
        outputs = super().computed(stem, wide, attributes)
        if isinstance(outputs, dict):
            return {name: array.astype(inputs["V"].dtype if name == "present_value" else kind)
                    for name, array in outputs.items()}
        return outputs.astype(kind)


class Backwards(Plain):
    """Sums from the last term to the first, one by one."""

    operators = ("attention batchnormalization convtranspose cumsum einsum groupnormalization gru "
                 "instancenormalization layernormalization lstm reducel1 reducel2 reducelogsum reducelogsumexp "
                 "reducemean reducesum reducesumsquare rmsnormalization rnn roialign dft stft sum").split()

    def summed(self, terms):
        return np.add.accumulate(terms[..., ::-1], -1, terms.dtype)[..., -1]


class Pairwise(Backwards):
    """Sums halves, and halves of halves."""

    def summed(self, terms):
        while terms.shape[-1] > 1:
            half = terms.shape[-1] // 2
            rest = terms[..., 2 * half:]
            terms = np.concatenate([terms[..., :half] + terms[..., half:2 * half], rest], -1)
        return terms[..., 0]


class Otherwise(Formulas, Plain):
    """By other formulas."""

    operators = [name for name in vars(Formulas) if not name.startswith("_")
                 and name not in ("as_numpy", "scaled", "scores", "turned", "weighted")]
    operators += ["qlinearconv", "qlinearmatmul"]


VARIANTS = {kind.__name__: kind for kind in (Wide, Backwards, Pairwise, Otherwise)}
