"""Outputs made to break a text and not its predicate, of the operators that are not pooling: each breaks the clauses
that it should, and no others; and what the alternatives of an unspecified clause allow is accepted.

A lie changes one thing of the canonical outputs; `tests/suite/test_lies.py` has those of pooling.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plumbline.oracle import Call, load_spec, spec_names
from tests.suite.test_lies import INF, LIES, NAN, Lie, all_of, at, given, shaped, told, typed, without


def call_of(spec: str, attributes: dict[str, Any], *inputs: Any, dtype: str = "float32") -> Call:
    """A call of the operator of a specification; lists become tensors of `dtype`, arrays stay what they are."""
    text = load_spec(spec)
    arrays = [values if isinstance(values, np.ndarray) else np.array(values, dtype) for values in inputs]
    return Call(text.operator, attributes, dict(zip(text.input_names(len(arrays)), arrays, strict=True)))


def ints(*values: int) -> np.ndarray:
    """A list of int64."""
    return np.array(values, np.int64)


HALF = np.nextafter(np.float32(1.5), np.float32(2))
ROWS = [[1, 2, 3], [4, 5, 6]]
NONE: dict[str, Any] = {}

BEYOND: list[tuple[str, Call, Lie, str]] = [
    # one element from one
    ("onnx/abs@13", call_of("onnx/abs@13", NONE, [-1, 2, NAN]), at("Y", 0, -1), "Y.F1"),
    ("onnx/abs@13", call_of("onnx/abs@13", NONE, [-1, 2, NAN]), at("Y", 1, np.nextafter(np.float32(2), np.float32(3))),
     "Y.F1"),
    ("onnx/abs@13", call_of("onnx/abs@13", NONE, [-128, 3], dtype="int8"), at("Y", 1, -3), "Y.F1"),
    ("onnx/abs@13", call_of("onnx/abs@13", NONE, [-INF, -0.0]), at("Y", 0, 3e38), "Y.F1"),
    ("onnx/abs@13", call_of("onnx/abs@13", NONE, [-128, 3], dtype="int8"), typed("Y", "uint8"), "Y.F2"),
    ("sonnx/abs", call_of("sonnx/abs", NONE, [-1, 2, 3]), shaped("Y", 1, 3), "Y.C1"),
    ("onnx/relu@14", call_of("onnx/relu@14", NONE, [-1, 2, NAN]), at("Y", 0, -1), "Y.F1"),
    ("sonnx/relu", call_of("sonnx/relu", NONE, [-1, 2, NAN]), at("Y", 2, 0), "float.Y.F1"),
    ("sonnx/relu", call_of("sonnx/relu", NONE, [-1, 5e-324, 2], dtype="float64"), at("Y", 1, 0), "Y.F1"),
    ("onnx/leakyrelu@16", call_of("onnx/leakyrelu@16", {"alpha": 0.5}, [-2, 3, NAN]), at("Y", 0, -2), "Y.F2"),
    ("onnx/leakyrelu@16", call_of("onnx/leakyrelu@16", {"alpha": 0.5}, [-2, 3, NAN]), at("Y", 1, 1.5), "Y.F1"),
    ("onnx/leakyrelu@16", call_of("onnx/leakyrelu@16", {"alpha": 0.5}, [-INF, 3]), at("Y", 0, -3e38), "Y.F4"),
    ("sonnx/sqrt", call_of("sonnx/sqrt", NONE, [2, -1, -0.0]), at("Y", 0, 1.4142137), "Y.F1"),
    ("sonnx/sqrt", call_of("sonnx/sqrt", NONE, [2, -1, -0.0]), at("Y", 1, 1), "Y.F3"),
    ("sonnx/sqrt", call_of("sonnx/sqrt", NONE, [2, -1, -0.0]), at("Y", 2, 0.0), "Y.F2"),
    # functions whose accuracy is open, and whose consequences are not
    ("onnx/exp@13", call_of("onnx/exp@13", NONE, [1, 0, -INF]), at("Y", 0, 1), "Y.F1"),
    ("onnx/exp@13", call_of("onnx/exp@13", NONE, [1, 0, -INF]), at("Y", 1, np.nextafter(np.float32(1), np.float32(2))),
     "Y.F3"),
    ("onnx/exp@13", call_of("onnx/exp@13", NONE, [1, 0, -INF]), at("Y", 2, 1e-45), "Y.F3"),
    ("onnx/exp@13", call_of("onnx/exp@13", NONE, [-200, 200]), at("Y", 0, -1e-45), "Y.F4"),
    ("onnx/exp@13", call_of("onnx/exp@13", NONE, [-200, 200]), at("Y", 1, 1), "Y.F1"),
    ("onnx/exp@13", call_of("onnx/exp@13", NONE, [88.71875]), at("Y", 0, INF), "Y.F1"),
    ("sonnx/exp", call_of("sonnx/exp", NONE, [88.71875]), at("Y", 0, INF), "Y.F1"),
    ("onnx/pow@15", call_of("onnx/pow@15", NONE, [2.0], [127.9]), at("C", 0, INF), "C.F1"),
    ("onnx/log@13", call_of("onnx/log@13", NONE, [2, 1, INF]), at("Y", 0, 1), "Y.F1"),
    ("sonnx/log", call_of("sonnx/log", NONE, [2, 1, -1]), at("Y", 2, 0), "Y.F2"),
    ("sonnx/log", call_of("sonnx/log", NONE, [1.001, 1, 0]), at("Y", 0, -1e-4), "Y.F4"),
    ("sonnx/log", call_of("sonnx/log", NONE, [2, 1, 0]), at("Y", 2, -3e38), "Y.F3"),
    ("sonnx/sigmoid", call_of("sonnx/sigmoid", NONE, [20, 0, NAN]), at("Y", 0, HALF - 0.5 + 1e-6), "Y.F4"),
    ("sonnx/sigmoid", call_of("sonnx/sigmoid", NONE, [20, 0, NAN]), at("Y", 1, 0.50001), "Y.F3"),
    ("sonnx/sigmoid", call_of("sonnx/sigmoid", NONE, [20, 0, NAN]), at("Y", 2, 0.5), "Y.F2"),
    ("sonnx/tanh", call_of("sonnx/tanh", NONE, [1e-4, 0, INF]), at("Y", 0, -1e-4), "Y.F4"),
    ("sonnx/tanh", call_of("sonnx/tanh", NONE, [1, 0, INF]), at("Y", 2, 0.99999), "Y.F3"),
    ("sonnx/softmax", call_of("sonnx/softmax", {"axis": 1}, [[1, 2], [NAN, 1]]), at("Y", 0, 0.9), "Y.F1"),
    ("sonnx/softmax", call_of("sonnx/softmax", {"axis": 1}, [[1, 2], [NAN, 1]]), at("Y", 3, 1), "Y.F2"),
    ("sonnx/softmax", call_of("sonnx/softmax", {"axis": 1}, [[-INF, 2]]), at("Y", 0, 0.1), "Y.F3"),
    ("onnx/sigmoid@13", call_of("onnx/sigmoid@13", NONE, [1, 2]), at("Y", 0, 0.27), "Y.F1"),
    ("onnx/tanh@13", call_of("onnx/tanh@13", NONE, [1, 2]), at("Y", 0, 0.5), "Y.F1"),
    ("onnx/softmax@13", call_of("onnx/softmax@13", NONE, [[1, 1, 1, 1]]), at("Y", 0, 0.5), "Y.F1"),
    ("onnx/softmax@13", call_of("onnx/softmax@13", NONE, [[1e4, 1e4]]), all_of("Y", NAN), "Y.F1"),
    ("onnx/softmax@13", call_of("onnx/softmax@13", NONE, [[1, 1]]), at("Y", 0, 1.5), "Y.F4"),
    ("sonnx/softmax", call_of("sonnx/softmax", {"axis": 1}, [[-INF, -INF]]), all_of("Y", 0.5), "Y.U4"),
    ("sonnx/softmax", call_of("sonnx/softmax", {"axis": 1}, [[-INF, 1]]), at("Y", 0, 0.5), "Y.F3"),
    ("onnx/sqrt@13", call_of("onnx/sqrt@13", NONE, [4, 9]), at("Y", 0, 1000), "Y.F1"),
    # pairs
    ("onnx/add@14", call_of("onnx/add@14", NONE, [3e38, 1], [3e38, 1]), at("C", 0, 0), "C.F1"),
    ("onnx/add@14", call_of("onnx/add@14", NONE, [3e38, 1], [3e38, 1]), at("C", 0, -INF), "C.F1"),
    ("onnx/add@14", call_of("onnx/add@14", NONE, [INF, 1], [1, 1]), at("C", 0, NAN), "C.F3"),
    ("onnx/add@14", call_of("onnx/add@14", NONE, ROWS, [[1], [2]]), at("C", 3, 5), "C.F1"),
    ("onnx/add@14", call_of("onnx/add@14", NONE, ROWS, [[1], [2]]), shaped("C", 3, 2), "C.C2"),
    ("sonnx/add", call_of("sonnx/add", NONE, [100, 1], [100, 1], dtype="int8"), at("C", 0, 127), "int.C.F1"),
    ("sonnx/sub", call_of("sonnx/sub", NONE, [INF, 1], [INF, 1]), at("C", 0, 0), "float.C.F2"),
    ("onnx/sub@14", call_of("onnx/sub@14", NONE, [5, 1], [3, 1]), at("C", 0, -2), "C.F1"),
    ("onnx/mul@14", call_of("onnx/mul@14", NONE, [0.1, 2], [3, 2]), at("C", 0, 0.29999998), "C.F1"),
    ("onnx/div@14", call_of("onnx/div@14", NONE, [1, 7], [3, 0]), at("C", 0, 0.33333328), "C.F1"),
    ("onnx/div@14", call_of("onnx/div@14", NONE, [-7, 8], [2, 0], dtype="int32"), at("C", 0, -4), "C.F1"),
    ("onnx/pow@15", call_of("onnx/pow@15", NONE, [2, 3], [3, 2]), at("C", 0, 5), "C.F1"),
    ("sonnx/pow", call_of("sonnx/pow", NONE, [-1, 2], [0.5, 0]), at("C", 0, 1), "float.C.F2"),
    ("sonnx/pow", call_of("sonnx/pow", NONE, [2, 3], [0, 2], dtype="int32"), at("C", 1, 8), "int.C.F1"),
    ("onnx/less@13", call_of("onnx/less@13", NONE, [1, NAN], [1, 1]), at("C", 0, True), "C.F1"),
    ("sonnx/less", call_of("sonnx/less", NONE, [1, NAN], [1, 1]), at("C", 1, True), "float.C.F1"),
    ("onnx/less@13", call_of("onnx/less@13", NONE, [1, 2], [1, 1]), typed("C", "uint8"), "C.F2"),
    ("onnx/max@13", call_of("onnx/max@13", NONE, [1, NAN], [2, 3]), at("max", 0, 1), "max.F1"),
    ("onnx/max@13", call_of("onnx/max@13", NONE, [1, NAN], [2, 3]), at("max", 1, 4), "max.U1"),
    ("sonnx/max", call_of("sonnx/max", NONE, [-0.0, NAN], [0.0, 3]), at("max", 0, -0.0), "float.Y.F1"),
    ("onnx/min@13", call_of("onnx/min@13", NONE, [1, NAN], [2, 3]), at("min", 0, 2), "min.F1"),
    ("onnx/clip@13", call_of("onnx/clip@13", NONE, [5, NAN], np.float32(0), np.float32(3)), at("output", 0, 5),
     "output.F1"),
    ("onnx/clip@13", call_of("onnx/clip@13", NONE, [5, NAN], np.float32(0), np.float32(3)), at("output", 1, 2),
     "output.U2"),
    ("onnx/clip@13", call_of("onnx/clip@13", NONE, [5, NAN], np.float32(0), np.float32(3)), at("output", 1, -INF),
     "output.U2"),
    ("onnx/clip@13", call_of("onnx/clip@13", NONE, [2, NAN]), at("output", 1, 2), "output.U2"),
    ("onnx/clip@13", call_of("onnx/clip@13", NONE, [5, NAN], np.float32(4), np.float32(3)), at("output", 1, 4),
     "output.U7"),
    ("onnx/clip@12", call_of("onnx/clip@12", NONE, [5, 1], np.float32(4), np.float32(3)), at("output", 1, 1),
     "output.U1"),
    ("onnx/clip@13", call_of("onnx/clip@13", NONE, [5, 1], np.float32(0), np.float32(NAN)), at("output", 1, 4),
     "output.U3"),
    ("onnx/clip@13", call_of("onnx/clip@13", NONE, [5, 1], np.float32(4), np.float32(3)), at("output", 1, 4),
     "output.F3"),
    ("onnx/where@16", call_of("onnx/where@16", NONE, np.array([True, False]), [1, 2], [3, 4]), at("output", 1, 2),
     "output.F1"),
    ("sonnx/where", call_of("sonnx/where", NONE, np.array([True, False]), [-0.0, 2], [3, 4]), at("output", 0, 0.0),
     "Z.F1"),
    # windows of a whole plane, and norms of windows
    ("onnx/globalmaxpool@22", call_of("onnx/globalmaxpool@22", NONE, [[[-1, -2]]]), at("Y", 0, 0), "Y.F1"),
    ("onnx/globalaveragepool@22", call_of("onnx/globalaveragepool@22", NONE, [[[1, 2, 6]]]), at("Y", 0, 4.5), "Y.F1"),
    ("onnx/lppool@22", call_of("onnx/lppool@22", {"kernel_shape": [2]}, [[[3, 4]]]), at("Y", 0, 7), "Y.F1"),
    # sums of products
    ("onnx/matmul@13", call_of("onnx/matmul@13", NONE, ROWS, [[1], [1], [1]]), at("Y", 0, 5), "Y.F1"),
    ("onnx/matmul@13", call_of("onnx/matmul@13", NONE, [ROWS, ROWS], [[1], [1], [1]]), shaped("Y", 2, 1), "Y.C1"),
    ("onnx/matmul@13", call_of("onnx/matmul@13", NONE, [ROWS] * 3, [[1], [1], [1]]), shaped("Y", 3, 1), "Y.C2"),
    ("onnx/matmul@13", call_of("onnx/matmul@13", NONE, [ROWS] * 3, [[1], [1], [1]]), shaped("Y", 1, 3, 2, 1), "Y.C1"),
    ("onnx/matmul@13", call_of("onnx/matmul@13", NONE, [ROWS] * 3, [[1], [1], [1]]), shaped("Y", 3, 1, 2), "Y.C2"),
    ("onnx/matmul@13", call_of("onnx/matmul@13", NONE, ROWS, [[1], [1], [1]]),
     at("Y", 0, np.nextafter(np.float32(6), np.float32(7))), "Y.F1"),
    ("sonnx/matmul", call_of("sonnx/matmul", NONE, [[INF, 1]], [[0], [1]]), at("Y", 0, 1), "float.Y.F2"),
    ("onnx/gemm@13", call_of("onnx/gemm@13", {"beta": 2.0}, ROWS, [[1], [1], [1]], [[1]]), at("Y", 0, 7), "Y.F1"),
    ("onnx/gemm@13", call_of("onnx/gemm@13", {"alpha": 0.0}, [[INF, 1]], [[1], [1]]), at("Y", 0, INF), "Y.F1"),
    ("onnx/gemm@13", call_of("onnx/gemm@13", {"beta": INF}, ROWS, [[1], [1], [1]]), at("Y", 0, 6), "Y.F1"),
    ("onnx/gemm@13", call_of("onnx/gemm@13", {"beta": 1.5}, [[1]], [[1]], 2, dtype="int32"), at("Y", 0, 5), "Y.U4"),
    ("onnx/gemm@13", call_of("onnx/gemm@13", NONE, [[2**31 - 1]], [[2]], dtype="int32"), at("Y", 0, 7), "Y.U3"),
    ("onnx/gemm@13", call_of("onnx/gemm@13", NONE, [[3]], [[2]], dtype="int32"), at("Y", 0, 7), "Y.F2"),
    ("onnx/conv@22", call_of("onnx/conv@22", {"pads": [1, 0]}, [[[1, 2, 3]]], [[[1, 1]]]), at("Y", 0, 2), "pads.F1"),
    ("onnx/conv@22", call_of("onnx/conv@22", NONE, [[[1, 2, 3]]], [[[1, -1]]]), at("Y", 0, 3), "Y.F1"),
    ("onnx/conv@22", call_of("onnx/conv@22", NONE, [[[1, 2, 3]]], [[[1, -1]]]), shaped("Y", 1, 1, 3), "Y.C1"),
    # what is moved, and where
    ("onnx/argmax@13", call_of("onnx/argmax@13", {"axis": 0}, [1, 3, 3]), at("reduced", 0, 2), "select_last_index.F1"),
    ("onnx/argmax@13", call_of("onnx/argmax@13", {"axis": 0}, [1, 3, 3]), at("reduced", 0, 0), "reduced.F1"),
    ("onnx/argmax@13", call_of("onnx/argmax@13", {"axis": 0}, [1, NAN, 3]), at("reduced", 0, -1), "reduced.U1"),
    ("onnx/argmax@13", call_of("onnx/argmax@13", {"axis": 0}, [1, NAN, 3]), at("reduced", 0, 3), "reduced.U1"),
    ("onnx/argmax@13", call_of("onnx/argmax@13", {"axis": 0, "keepdims": 2}, [1, 3, 2]), shaped("reduced", 3),
     "reduced.C1"),
    ("onnx/argmax@13", call_of("onnx/argmax@13", {"axis": 0}, [1, 3, 3]), typed("reduced", "int32"), "reduced.F2"),
    ("onnx/concat@13", call_of("onnx/concat@13", {"axis": 0}, [1, 2], [3, 4]), given(concat_result=[3, 4, 1, 2]),
     "concat_result.F1"),
    ("onnx/concat@13", call_of("onnx/concat@13", {"axis": 0}, [-0.0, 2], [3, 4]), at("concat_result", 0, 0.0),
     "concat_result.F1"),
    ("onnx/flatten@25", call_of("onnx/flatten@25", NONE, ROWS), shaped("output", 1, 6), "output.C1"),
    ("onnx/reshape@25", call_of("onnx/reshape@25", NONE, ROWS, ints(3, -1)), given(reshaped=[[1, 4], [2, 5], [3, 6]]),
     "reshaped.F1"),
    ("onnx/shape@25", call_of("onnx/shape@25", {"start": -1}, ROWS), at("shape", 0, 2), "shape.F1"),
    ("onnx/slice@13", call_of("onnx/slice@13", NONE, [1, 2, 3, 4], ints(-1), ints(-4), ints(0), ints(-2)),
     given(output=[4, 3]), "output.F2"),
    ("onnx/unsqueeze@25", call_of("onnx/unsqueeze@25", NONE, [1, 2], ints(0)), shaped("expanded", 2, 1), "expanded.C1"),
    ("onnx/unsqueeze@25", call_of("onnx/unsqueeze@25", NONE, [1, 2], ints(0)), without("expanded"), "signature.F1"),
]

ALLOWED: list[tuple[str, Call, Lie]] = [
    ("onnx/abs@13", call_of("onnx/abs@13", NONE, [-128, 3], dtype="int8"), at("Y", 0, 77)),
    ("onnx/abs@13", call_of("onnx/abs@13", NONE, [NAN, -0.0]), given(Y=[5, -0.0])),
    ("onnx/exp@13", call_of("onnx/exp@13", NONE, [1, 200]), given(Y=[2.718281, 3.4028235e38])),
    ("onnx/pow@15", call_of("onnx/pow@15", NONE, [3.4028235e38], [1]), at("C", 0, INF)),
    ("onnx/add@14", call_of("onnx/add@14", NONE, [3e38, 1], [3e38, 1]), at("C", 0, 3.4028235e38)),
    ("onnx/add@14", call_of("onnx/add@14", NONE, [100, 1], [100, 1], dtype="int8"), at("C", 0, 127)),
    ("onnx/max@13", call_of("onnx/max@13", NONE, [1, NAN], [2, 3]), at("max", 1, 3)),
    ("onnx/clip@13", call_of("onnx/clip@13", NONE, [5, NAN], np.float32(0), np.float32(3)), at("output", 1, 3)),
    ("onnx/clip@6", call_of("onnx/clip@6", NONE, [2, NAN], dtype="float16"), at("output", 1, -INF)),
    ("onnx/clip@13", call_of("onnx/clip@13", NONE, [5, NAN], np.float32(4), np.float32(3)), at("output", 1, 3)),
    ("onnx/clip@12", call_of("onnx/clip@12", NONE, [5, NAN], np.float32(4), np.float32(3)), at("output", 1, 4)),
    ("onnx/clip@12", call_of("onnx/clip@12", NONE, [2, NAN], dtype="float16"), at("output", 1, -65504)),
    ("onnx/gemm@13", call_of("onnx/gemm@13", {"alpha": 0.0}, [[INF, 1]], [[1], [1]]), at("Y", 0, 0)),
    ("onnx/gemm@13", call_of("onnx/gemm@13", {"beta": NAN}, ROWS, [[1], [1], [1]]), all_of("Y", NAN)),
    ("onnx/gemm@13", call_of("onnx/gemm@13", {"beta": 1.5}, [[1]], [[1]], 2, dtype="int32"), at("Y", 0, 3)),
    ("onnx/matmul@13", call_of("onnx/matmul@13", NONE, [[3e38, 3e38, -3e38]], [[1], [1], [1]]), at("Y", 0, INF)),
    ("onnx/argmax@13", call_of("onnx/argmax@13", {"axis": 0}, [1, NAN, 3]), at("reduced", 0, 0)),
    ("onnx/argmax@13", call_of("onnx/argmax@13", {"axis": 0, "keepdims": 2}, [1, 3, 2]), given(reduced=1)),
    ("sonnx/softmax", call_of("sonnx/softmax", {"axis": 1}, [[-INF, -INF]]), all_of("Y", 0)),
    ("sonnx/relu", call_of("sonnx/relu", NONE, [-1, 2]), at("Y", 0, -0.0)),
]


@pytest.mark.parametrize(("spec", "call", "lie", "clauses"), BEYOND,
                         ids=[f"{number} {spec} {clauses}" for number, (spec, _, _, clauses) in enumerate(BEYOND)])
def test_a_lie_breaks_the_clauses_that_it_should(spec: str, call: Call, lie: Lie, clauses: str) -> None:
    """Exactly these, restatements aside."""
    text = load_spec(spec)
    found = {entry.clause.partition("#")[2] for entry in text.divergences(call, told(spec, call, lie))
             if not text.clauses[entry.clause].restates}
    assert found == set(clauses.split())


@pytest.mark.parametrize(("spec", "call", "lie"), ALLOWED,
                         ids=[f"{number} {spec}" for number, (spec, _, _) in enumerate(ALLOWED)])
def test_what_an_alternative_allows_is_accepted(spec: str, call: Call, lie: Lie) -> None:
    """It differs from the canonical outputs at most in what an unspecified clause leaves open."""
    assert load_spec(spec).divergences(call, told(spec, call, lie)) == []


def test_every_operator_is_lied_about() -> None:
    """Pooling and the others together: sixty lies at least, and each operator with an implementation of its own has
    one; the faults of the others are made by program."""
    told_of = {spec.partition("@")[0] for spec, *_ in (*LIES, *BEYOND)}
    assert len(LIES) >= 60 and len(BEYOND) >= 60
    own = Path(__file__).parents[1] / "operators"
    assert {name for name in {name.partition("@")[0] for name in spec_names()}
            if name.startswith("onnx/") and (own / f"{name}.py").exists()} <= told_of
