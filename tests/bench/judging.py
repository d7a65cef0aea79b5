"""How many judged calls a second: model, session, run, judgement, record, all of it, on ONNX Runtime in one process."""

from __future__ import annotations

import io
import unittest
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import onnxruntime
import onnxruntime.backend
from hypothesis import HealthCheck, Phase, given, settings
from onnx.backend.test import BackendTest

from plumbline.cases.generate.choices import Draw, drawn
from plumbline.cases.onnx.models import to_model
from plumbline.oracle import Call, load_spec
from plumbline.trial.campaign.shards import Job, run_shard
from tests.suite.strategies import strategy

SPECIFICATIONS = {"sonnx/maxpool": "Y+Indices", "onnx/maxpool@22": "Y+Indices", "onnx/averagepool@22": "Y"}
"""Those that are measured, each with the form."""

OWN = ("sonnx/maxpool", "onnx/averagepool@22", "onnx/conv@22", "onnx/gemm@13", "onnx/add@14")
"""Those whose calls are measured without a runtime, each with attributes and shapes of its own."""

EXAMPLES = 300
"""Examples in a round of Hypothesis, and calls in one of those."""


def campaign(spec: str, form: str, calls: int) -> Callable[[], int]:
    """Shards of a campaign in this process, other calls in each round."""
    rounds = count()
    job = Job(spec, "onnxruntime", form, 0, 0, calls, host="in-process")
    run_shard(replace(job, stop=64))  # what is imported and enumerated once

    def work() -> int:
        number = next(rounds)
        return run_shard(replace(job, start=number * calls, stop=(number + 1) * calls)).calls
    return work


def hypothesis_loop(spec_name: str, form: str) -> Callable[[], int]:
    """A property test as one writes it: one session for each example, outputs judged by the oracle."""
    spec, outputs = load_spec(spec_name), tuple(form.split("+"))
    done = [0]

    @settings(max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))
    @given(strategy(spec))
    def example(call: Call) -> None:
        done[0] += 1
        try:
            session = onnxruntime.InferenceSession(to_model(call, outputs, spec.opset),
                                                   providers=["CPUExecutionProvider"])
            got = session.run(list(outputs), dict(call.inputs))
        except Exception:  # a refusal; counted like any other call
            return
        spec.divergences(call.asking_for(*outputs), dict(zip(outputs, got, strict=True)))

    def work() -> int:
        done[0] = 0
        example()
        return done[0]
    return work


def drawn_and_judged(spec_name: str) -> Callable[[], int]:
    """Calls that each have attributes and shapes of their own, with the right answers: their cost without a runtime."""
    spec = load_spec(spec_name)
    answers = [spec.expected(drawn(spec, Draw([0, number]))) for number in range(EXAMPLES)]

    def work() -> int:
        for number, answer in enumerate(answers):
            spec.divergences(drawn(spec, Draw([0, number])), answer)
        return len(answers)
    return work


def onnx_runner() -> Callable[[], int]:
    """The node tests of pooling by ONNX's own runner, which keeps its models and data; set up once."""
    tests = BackendTest(onnxruntime.backend, __name__)
    tests.include(r"test_(maxpool|averagepool)_.*_cpu")
    cases = [case for case in tests.test_cases.values() if issubclass(case, unittest.TestCase)]

    def work() -> int:
        suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases)
        result: Any = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
        return int(result.testsRun) - len(result.skipped)
    return work

