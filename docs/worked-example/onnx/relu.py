"""The clauses of ONNX Relu, bound to predicates."""

import numpy as np
from plumbline.oracle.answer import Answer, is_float, wrong_tensor
from plumbline.oracle.binding import Bindings

bindings = Bindings("onnx/relu")
bindings.expected = lambda call: {"Y": np.maximum(call.inputs["X"], 0)}
bindings.answer = lambda call, given: Answer(call.inputs["X"], given, call.inputs["X"].shape,
                                             lambda name: bindings.expected(call)[name])
bindings.on_outputs("Y.C1")(lambda answer: wrong_tensor(answer, "Y", answer.x.dtype))
bindings.leaves_open("Y.U1")(lambda call: {"Y": np.isnan(call.inputs["X"])})


@bindings.on_call("X.C1")
def signed(call):
    dtype = call.inputs["X"].dtype
    return None if is_float(dtype) or dtype.kind == "i" else f"X is {dtype.name}"


@bindings.on_outputs("Y.F1", needs=("Y.C1",))
def value(answer):
    wrong = answer.judged("Y", lambda got: got != answer.expected("Y"))
    return answer.at("Y", wrong, "not X where that is above zero, else zero")


def literal(call):
    x = call.inputs["X"]
    return {"Y": np.array([number if number > 0 else 0 for number in x.ravel().tolist()], x.dtype).reshape(x.shape)}
