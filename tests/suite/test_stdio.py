"""A program in any language, spoken to over stdin and stdout."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from plumbline.backends import Answered, BackendError, Crashed, Failed, Hung, Raised, Request, find_backend, to_request
from plumbline.backends.registry import ADAPTER_FOLDER
from plumbline.backends.stdio import decode
from plumbline.cases import Case
from plumbline.oracle import Call, load_spec
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.run.host_cache import close_cached

ROOT = Path(__file__).resolve().parents[2]
NINE = np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3)


@pytest.fixture(scope="session")
def maxpool(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The worked example, compiled; how it is named."""
    program, source = tmp_path_factory.mktemp("maxpool") / "maxpool", Path(__file__).with_name("maxpool.c")
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 80
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source, "-lm"], check=True)
    return f"stdio:{program}"


def script(tmp_path: Path, body: str, started: str = '{"plumbline": 1, "name": "script", "version": "2"}') -> str:
    """A program in Python that says who it is, and does `body` with each `call`."""
    path = tmp_path / "script.py"
    path.write_text("import json, os, signal, sys, time\n"
                    "def say(**answer): print(json.dumps(answer), flush=True)\n"
                    f"sys.stdin.readline()\nprint({started!r}, flush=True)\n"
                    "for text in sys.stdin:\n    call = json.loads(text)\n    number = call.get('number')\n"
                    + "".join(f"    {line}\n" for line in body.splitlines()), encoding="utf-8")
    return f"stdio:{sys.executable} {path}"


def request_of(x: np.ndarray, limit: float = 20, **attributes: object) -> Request:
    """A call of MaxPool that asks for Y."""
    call = Call("MaxPool", {"kernel_shape": [2, 2], **attributes}, {"X": x}, ("Y",))
    return to_request(load_spec("onnx/maxpool@12"), call, 12, limit)


def test_a_program_in_c_is_put_on_trial(maxpool: str, sonnx_cases: list[Case], run_trial) -> None:
    """Every case of a specification: what it declares conforms, what it does not is `unsupported` or answered."""
    record = run_trial(find_backend(maxpool).start(), sonnx_cases)
    backend = record.header.backend
    assert (backend.name, backend.version) == ("maxpool.c", "1")
    assert set(record.counts) <= {"conforms", "unsupported", "outside-profile", "rejects-invalid", "accepts-invalid",
                                  "observed"}
    assert record.counts["conforms"] > 20 and not record.footer.notes


@pytest.mark.parametrize("attributes", [{}, {"strides": [2, 1]}, {"pads": [1, 0, 1, 1]},
                                        {"dilations": [2, 1], "kernel_shape": [3, 2]}, {"kernel_shape": [1, 1]}])
def test_the_program_in_c_computes(attributes: dict[str, list[int]], maxpool: str) -> None:
    """Several planes, strides, pads and dilations, as the specification says."""
    request = request_of(np.random.default_rng(7).normal(size=(2, 3, 6, 5)).astype(np.float32), **attributes)
    host = find_backend(maxpool).start()
    found = host.run(request)
    host.close()
    call = Call("MaxPool", request.attributes, request.inputs, ("Y",))
    assert isinstance(found, Answered) and not load_spec("onnx/maxpool@12").divergences(call, found.outputs)


def test_a_campaign_comes_to_the_same_in_blocks_and_one_by_one(maxpool: str,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """Many calls are written ahead; each gets its own answer."""
    job = Job("sonnx/maxpool", maxpool, "Y", 1, 0, 200)
    in_blocks = run_shard(job)
    close_cached()
    monkeypatch.delattr("plumbline.backends.stdio.Stdio.run_inputs")
    one_by_one = run_shard(job)
    close_cached()
    assert in_blocks.causes == one_by_one.causes and in_blocks.verdicts["conforms"] and not in_blocks.notes


def test_requests_larger_than_a_pipe_are_answered(maxpool: str) -> None:
    """Neither side waits for the other: a megabyte each, several in a batch."""
    x = np.random.default_rng(7).normal(size=(1, 1, 512, 512)).astype(np.float32)
    host = find_backend(maxpool).start()
    found = host.run_many([request_of(x)] * 3)
    host.close()
    assert [outcome.outputs["Y"].shape for outcome in found] == [(1, 1, 511, 511)] * 3


@pytest.mark.parametrize(("body", "outcome"), [
    ("say(number=number, refused={'message': 'no\\x1b[2J'})", Raised("run", "refused", "no\\x1b[2J")),
    ("say(number=number, refused={'message': 'no', 'phase': 'load', 'type': 'Kernel'}, gap='none')",
     Raised("load", "Kernel", "no", "none")),
    ("os.kill(os.getpid(), signal.SIGSEGV)", Crashed("SIGSEGV")),
    ("os.write(2, b'bad_alloc'); sys.exit(3)", Crashed("out of memory (exit status 3)", "bad_alloc")),
    ("time.sleep(600)", Hung(0.5)),
    ("say(number=number + 1, outputs={})", Failed("the answer cannot be read: ValueError: it answers another request")),
    ("print('hello', flush=True)", Failed("the answer cannot be read: JSONDecodeError: Expecting value: line 1 column "
                                          "1 (char 0)")),
    ("say(number=number)", Failed("the answer cannot be read: KeyError: 'outputs'")),
])
def test_what_a_program_does_is_one_outcome(body: str, outcome: object, tmp_path: Path) -> None:
    """As of any backend in a process of its own."""
    host = find_backend(script(tmp_path, body)).start()
    assert host.run(request_of(NINE, 0.5 if isinstance(outcome, Hung) else 20)) == outcome
    host.close()


@pytest.mark.parametrize(("started", "says"), [
    ('{"plumbline": 2, "name": "a", "version": "1"}', "it speaks version 2 of the protocol, not 1"),
    ('{"plumbline": 1, "version": "1"}', "its answer to the start has no 'name'"),
    ('{"plumbline": 1, "name": "a", "version": "1", "capabilities": [{"operators": 3}]}',
     "capabilities[0]['operators']"),
    ("hello", "what it says of itself cannot be read: JSONDecodeError"),
])
def test_a_program_that_does_not_speak_the_protocol_is_told(started: str, says: str, tmp_path: Path) -> None:
    """What is wrong, and no run."""
    with pytest.raises(BackendError, match=re.escape(says)):
        find_backend(script(tmp_path, "pass", started)).start()


@pytest.mark.parametrize(("named", "says"), [
    ("stdio:no-such-program", "there is no program 'no-such-program'"), ("stdio:", "there is no program ''"),
    ("stdio:cat 'a", "not a command line: No closing quotation"), ("stdio:sh -c 'exit 3'", "exit status 3")])
def test_a_command_that_cannot_be_one_is_told(named: str, says: str) -> None:
    """Before anything is tried."""
    with pytest.raises(BackendError, match=re.escape(says)):
        find_backend(named).start()


def test_the_messages_are_those_of_the_schema(tmp_path: Path) -> None:
    """What is sent, with a model and without, and what the example in the documentation says."""
    schema = json.loads((ADAPTER_FOLDER.parent / "protocol.schema.json").read_text(encoding="utf-8"))
    heard = tmp_path / "heard"
    body = f"open({str(heard)!r}, 'a').write(text)\nif number: say(number=number, refused={{'message': 'no'}})"
    host = find_backend(script(tmp_path, body, '{"plumbline": 1, "name": "a", "version": "1", "model": true}')).start()
    host.run(request_of(NINE))
    host.close()
    sent = heard.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["do"] for line in sent] == ["run", "stop"] and "model" in json.loads(sent[0])
    assert all(": " not in line for line in sent)
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    examples = [line for block in re.findall(r"```json\n(.*?)```", text, re.S) for line in block.splitlines()]
    assert len(examples) == 6
    for line in [*sent, *examples]:
        message = json.loads(line)
        kind = message.get("do") or ("started" if "name" in message else
                                     "answered" if "outputs" in message else "refused")
        jsonschema.validate(message, {**schema, "$ref": f"#/$defs/{kind}"})


def test_the_example_of_the_documentation_is_right() -> None:
    """What goes in comes to what comes out."""
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    run, answer = (json.loads(next(line for line in text.splitlines() if line.startswith(begin)))
                   for begin in ('{"do":"run"', '{"number":7,"outputs"'))
    x, y = decode(run["inputs"]["X"]), decode(answer["outputs"]["Y"])
    assert not load_spec(run["specification"]).divergences(
        Call(run["operator"], run["attributes"], {"X": x}, tuple(run["outputs"])), {"Y": y})


def test_a_backend_is_called_and_declares_what_is_given_from_outside(maxpool: str) -> None:
    """Name, version and capabilities, whatever it says of itself; for exec: and classes too."""
    entry = [{"operators": ["AveragePool"]}]
    for named in (maxpool, "exec:sh -c true {model} {inputs} {outputs}", "tests.suite.fakes:honest"):
        host = find_backend(named, name="mine\n", version="3.1", capabilities=entry).start()
        host.close()
        assert [host.identity[key] for key in ("name", "version", "capabilities")] == ["mine ", "3.1", entry]
    assert find_backend("tests.suite.fakes:honest", name="mine").load().identity["name"] == "mine"
    with pytest.raises(BackendError, match=re.escape("capabilities[0]['operator']: unknown key; allowed: operators")):
        find_backend(maxpool, capabilities=[{"operator": ["MaxPool"]}])


def test_capabilities_may_come_from_a_file(maxpool: str, tmp_path: Path) -> None:
    """Of JSON or YAML; one that cannot be read is one line with its name."""
    path = tmp_path / "capabilities"
    for text in ('[{"operators": ["MaxPool"], "opsets": [8, null]}]', "- operators: [MaxPool]\n  opsets: [8, null]\n"):
        path.write_text(text, encoding="utf-8")
        assert find_backend(maxpool, capabilities=path).given["capabilities"] == [
            {"operators": ["MaxPool"], "opsets": [8, None]}]
    for text, says in (("- [", "cannot be read: "), ("3", "capabilities: Input should be a valid list")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BackendError, match=re.escape(f"{path}: {says}")) as caught:
            find_backend(maxpool, capabilities=path)
        assert "\n" not in str(caught.value)
    with pytest.raises(BackendError, match="cannot be read: No such file"):
        find_backend(maxpool, capabilities=tmp_path / "absent")
