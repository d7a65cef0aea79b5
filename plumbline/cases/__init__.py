"""Cases: written in YAML, generated from a seed, and generated for boundary classes.

>>> from plumbline.cases import generate_cases, load_cases
>>> case = next(case for case in load_cases(about=["sonnx/maxpool"]) if case.id == "int-example-2")
>>> case.expectation.outputs["Indices"].tolist()
[[[[0, 5], [7, 7]]]]
>>> [case.id for case in generate_cases("sonnx/maxpool", seed=7, count=2)]
['generated-7-0', 'generated-7-1']
"""

from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.loader import CaseError, load_cases, read_cases
from plumbline.cases.generate.run_cases import generated_cases
from plumbline.cases.generate.seeded import generate_cases

__all__ = ["Case", "CaseError", "Expectation", "generate_cases", "load_cases", "generated_cases",
           "read_cases"]
