"""LeakyRelu: its definition and its reference oracle."""

from fractions import Fraction

import numpy as np

from plumbline.oracle import Call
from plumbline.oracle.families.clauses import element_type, elements_of, tensor_of_output
from plumbline.oracle.families.elementwise import Elementwise, a_shape, nearest
from plumbline.oracle.operator import Unspecified, unspecified

TYPES = ("float32", "float64", "float16")


class LeakyRelu(Elementwise):
    x_type = element_type("X.C1", "X", TYPES)
    y_tensor = tensor_of_output("Y.C1", "Y", lambda self: self.inputs["X"].dtype)
    y_value = elements_of("Y.F1", "Y", "not X where that is not below zero, else alpha times it")

    @property
    def alpha(self):
        return np.float32(self.attributes.get("alpha", 0.01))

    def value(self, x):
        return np.where(x < 0, (x.astype(np.longdouble) * self.alpha).astype(x.dtype), x)

    def conforms(self, output, got):
        x = self.inputs["X"]
        return nearest(got, self.canonical["Y"], lambda place: Fraction(float(self.alpha)) * Fraction(float(x[place])))

    @unspecified("Y.U1")
    def nan(self):
        return Unspecified.of(np.isnan(self.inputs["X"]), "Y")

    @classmethod
    def make(cls, choose, version):
        alpha = choose(({}, {"alpha": 0.5}, {"alpha": -2.0}, {"alpha": 0.0}))
        return Call("LeakyRelu", alpha, {"X": choose.tensor(a_shape(choose), choose(TYPES), "order")})


def reference(call):
    x, alpha = call.inputs["X"], float(np.float32(call.attributes.get("alpha", 0.01)))
    leaked = [number if not number < 0 else np.longdouble(number) * alpha for number in x.ravel().tolist()]
    return {"Y": np.array(leaked, np.longdouble).astype(x.dtype).reshape(x.shape)}
