"""The page that runs onnxruntime-web on WebGPU, with a package that answers as a test says."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

from plumbline.backends import Answered, Crashed, Host, Raised, Request, environments, find_backend, to_request
from plumbline.oracle import Call, load_spec

PACKAGE = """
let lost = false;
globalThis.ort = {
  env: {wasm: {}},
  Tensor: class {
    constructor(type, data, dims) { Object.assign(this, {type, data, dims}); }
    async getData() { return this.data; }
  },
  InferenceSession: {create: async (model, options) => ({
    run: async (feeds, outputs = []) => {
      const x = Object.values(feeds)[0];
      if (x.data[0] === 7) lost = true;
      if (lost) throw new Error("the device was lost");
      if (x.data[0] === 8) lost = true;
      if (x.data[0] === 9) throw new RangeError("too many");
      return Object.fromEntries(["Y", ...outputs].map(name => [name, x]));
    },
    release: async () => {},
  })},
};
"""
"""7 loses the device, 8 loses it after its answer, and 9 is refused."""


@pytest.fixture(scope="module")
def host(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The adapter with that package."""
    folder = tmp_path_factory.mktemp("environments")
    dist = folder / "onnxruntime-web-webgpu" / "node_modules" / "onnxruntime-web" / "dist"
    dist.mkdir(parents=True)
    (dist / "ort.webgpu.min.js").write_text(PACKAGE)
    (dist.parent / "package.json").write_text(json.dumps({"version": "1.2.3"}))
    (folder / "onnxruntime-web-webgpu" / "complete").write_text("npm:onnxruntime-web")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environments, "FOLDER", folder)
        patch.setenv("CHROMIUM", chromium)
        running = find_backend("onnxruntime-web-webgpu").start()
        yield running
        running.close()


def relu(first: float) -> Request:
    """Relu of an array that begins so."""
    x = np.array([first, np.nan, -np.inf], np.float32)
    return to_request(load_spec("onnx/relu@14"), Call("Relu", {}, {"X": x}, ("Y",)), 14, 60)


def test_a_call_is_answered_in_the_page(host: Host) -> None:
    """Bit by bit; the identity names the browser and its adapter."""
    outcome = host.run(relu(1))
    assert isinstance(outcome, Answered)
    assert outcome.outputs["Y"].tobytes() == relu(1).inputs["X"].tobytes()
    assert host.identity.about["browser"].startswith("Chrome/") and "adapter" in host.identity.about


def test_a_refusal_that_leaves_the_page_whole_is_a_refusal(host: Host) -> None:
    """With the error's own type and message."""
    outcome = host.run(relu(9))
    assert isinstance(outcome, Raised) and (outcome.type, outcome.message) == ("RangeError", "too many")


def test_the_call_that_loses_the_device_is_accused(host: Host) -> None:
    """Those around it are answered: by a new browser, in one batch."""
    outcomes = host.run_many([relu(1), relu(7), relu(2)])
    assert isinstance(outcomes, list)
    assert [type(outcome) for outcome in outcomes] == [Answered, Crashed, Answered]
    assert outcomes[1] == Crashed("the device was lost")


def test_a_call_after_a_loss_is_innocent(host: Host) -> None:
    """It is run again in a new browser, where it is answered."""
    assert [type(host.run(relu(first))) for first in (1, 8, 3)] == [Answered] * 3
