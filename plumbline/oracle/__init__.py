"""Judge calls and outputs by specifications: clauses bound to predicates.

>>> import numpy as np
>>> from plumbline.oracle import Call, load_spec
>>> spec = load_spec("sonnx/maxpool")
>>> call = Call("MaxPool",
...     {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "kernel_shape": [2, 2], "pads": [0, 0, 0, 0],
...      "storage_order": 0, "strides": [1, 1]},
...     {"X": np.array([[[[1, 2], [3, 4]]]], dtype=np.int8)})
>>> spec.violations(call)
[]
>>> spec.expected(call)["Indices"].tolist()
[[[[3]]]]
>>> [d.clause for d in spec.divergences(call, {"Y": np.array([[[[4]]]], np.int8), "Indices": np.array([[[[0]]]])})]
['sonnx/maxpool#Indices.F1']
"""

from plumbline.oracle.answers import Divergence, OutsideDomain, TooLarge, UnspecifiedOutput, Violation
from plumbline.oracle.boundary import Inequality
from plumbline.oracle.call import Call
from plumbline.oracle.clause import Clause, SpecError
from plumbline.oracle.definition import Operator
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.specification import Spec, load_spec, reference_expected, spec_names

__all__ = ["Call", "Clause", "Divergence", "Inequality", "JudgedCall", "Operator", "OutsideDomain", "Spec", "SpecError",
           "TooLarge", "UnspecifiedOutput", "Violation", "load_spec",
           "reference_expected", "spec_names"]
