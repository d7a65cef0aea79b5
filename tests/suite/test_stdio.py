"""A program in any language, spoken to over stdin and stdout."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import ml_dtypes
import numpy as np
import pytest

from plumbline.backends import (
    Answered,
    Asking,
    BackendError,
    Crashed,
    Failed,
    Hung,
    Raised,
    Request,
    find_backend,
    to_request,
)
from plumbline.backends.declarations import ADAPTER_FOLDER
from plumbline.backends.scripts import CARRIED
from plumbline.backends.wire import decode, encode
from plumbline.cases import Case, generate_cases, load_cases
from plumbline.cases.format.loader import CASE_FOLDER
from plumbline.cases.generate.size_classes import size_class_cases
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


def script(tmp_path: Path, body: str, started: str = '{"plumbline": 2, "name": "script", "version": "2"}') -> str:
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


@pytest.mark.parametrize(("tool", "source"), [("node", "relu.mjs"), ("rustc", "relu.rs")])
def test_a_program_in_another_language_computes(tool: str, source: str, tmp_path: Path) -> None:
    """Every case of Relu, and what is not float32 is `unsupported`; the examples use no package, in 40 lines."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not on PATH: {source} was not run")
    path = Path(__file__).with_name(source)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 40
    command = f"{tool} {path}"
    if tool == "rustc":
        command = str(tmp_path / "relu")
        subprocess.run([tool, "-O", "-D", "warnings", "-o", command, path], check=True)
        if shutil.which("rustfmt"):
            style = "max_width=120,use_small_heuristics=Max"
            subprocess.run(["rustfmt", "--check", "--config", style, path], check=True)
    host = find_backend(f"stdio:{command}").start()
    asking = Asking(host)
    spec = load_spec("onnx/relu@14")
    verdicts = set()
    written = load_cases([CASE_FOLDER / "onnx" / "relu"], {spec.name})
    for case in [*written, *generate_cases(spec.name, seed=0, count=32), *size_class_cases(spec.name, [])]:
        if case.spec == spec.name and not spec.violations(case.call):
            outcome, = asking.submit([to_request(spec, case.call, case.opset)])
            assert isinstance(outcome, (Answered, Raised))
            verdicts.add(type(outcome))
            if isinstance(outcome, Answered):
                assert not spec.divergences(case.call, outcome.outputs)
            else:
                assert outcome.gap
    host.close()
    assert verdicts == {Answered, Raised}


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
    ("say(number=number + 1, outputs={})", Failed("the answer cannot be read: ValueError: it answers another request: "
                                                      "its number is 2, and 1 is due")),
    ("print('hello', flush=True)", Failed("the answer cannot be read: ValueError: 'hello' is no JSON; stdout is for "
                                          "answers alone, all else belongs on stderr")),
    ("say(number=number)", Failed("the answer cannot be read: ValueError: it has no 'outputs', tensors by name, nor "
                                  "'refused' or 'crashed'; see docs/protocol.md")),
    ("say(outputs={})", Failed("the answer cannot be read: ValueError: it has no 'number'; see docs/protocol.md")),
    ("say(number=number, outputs={'Y': {'dtype': 'float32', 'shape': []}})",
     Failed("the answer cannot be read: ValueError: the output 'Y' has no 'data'; see docs/protocol.md")),
])
def test_what_a_program_does_is_one_outcome(body: str, outcome: object, tmp_path: Path) -> None:
    """As of any backend in a process of its own."""
    host = find_backend(script(tmp_path, body)).start()
    assert host.run(request_of(NINE, 0.5 if isinstance(outcome, Hung) else 20)) == outcome
    host.close()


@pytest.mark.parametrize(("started", "says"), [
    ('{"plumbline": 3, "name": "a", "version": "1"}', "it speaks version 3 of the protocol, not 1 or 2"),
    ('{"plumbline": [], "name": "a", "version": "1"}', "'plumbline' in its answer to the start is of another type"),
    ('{"plumbline": 1, "version": "1"}', "its answer to the start has no 'name'"),
    ('{"plumbline": 1, "name": "a", "version": "1", "capabilities": [{"operators": 3}]}',
     "capabilities[0]['operators']"),
    ("hello", "its description of itself cannot be read: ValueError: 'hello' is no JSON; stdout is for answers alone"),
])
def test_a_program_that_does_not_speak_the_protocol_is_told(started: str, says: str, tmp_path: Path) -> None:
    """What is wrong, and no run."""
    with pytest.raises(BackendError, match=re.escape(says)):
        find_backend(script(tmp_path, "pass", started)).start()


def test_a_mistyped_key_of_the_start_is_noted(tmp_path: Path) -> None:
    """It is ignored, as any unknown key; then every call would count as declared."""
    started = '{"plumbline": 2, "name": "a", "version": "1", "capabilties": [], "mine": 1}'
    host = find_backend(script(tmp_path, "pass", started)).start()
    host.close()
    assert host.notes == ["the answer to the start has the unknown key 'capabilties', which is ignored; did you mean "
                          "'capabilities'?"]


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
    assert len(examples) == 7
    for line in [*sent, *examples]:
        message = json.loads(line)
        kind = message.get("do") or ("started" if "name" in message else
                                     next(kind for kind in ("refused", "crashed", "outputs") if kind in message))
        jsonschema.validate(message, {**schema, "$ref": f"#/$defs/{kind.replace('outputs', 'answered')}"})


def test_the_example_of_the_documentation_is_right() -> None:
    """What goes in comes to what comes out."""
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    run, answer = (json.loads(next(line for line in text.splitlines() if line.startswith(begin)))
                   for begin in ('{"do":"run"', '{"number":7,"outputs"'))
    x, y = decode(run["inputs"]["X"]), decode(answer["outputs"]["Y"])
    assert not load_spec(run["specification"]).divergences(
        Call(run["operator"], run["attributes"], {"X": x}, tuple(run["outputs"])), {"Y": y})


ATTRIBUTES = {"nan": float("nan"), "infinities": [float("inf"), -float("inf"), 1.5], "zeros": [-0.0, 0.0, 0, 1],
              "large": [2**62, -2**63, 2**53, 2**53 + 1], "text": "NaN", "small": 5e-324,
              "tensor": np.array([1, 2], np.int8)}
TYPES = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float4_e2m1fn", "int4", "uint4", "int2",
         "uint2", "bfloat16")
INPUTS = {**{name: np.array([[1, 0], [-1, 1]]).astype(getattr(ml_dtypes, name)) for name in TYPES},
          "texts": np.array([["a", "\u20ac\n"], ["", "NaN"]], object), "scalar text": np.array("b", object)}

REREADS = """
const {createInterface} = require('readline');
createInterface({input: process.stdin}).on('line', line => {
  const message = JSON.parse(line), say = answer => process.stdout.write(JSON.stringify(answer) + '\\n');
  if (message.do === 'start') say({plumbline: 2, name: 'node', version: '1'});
  if (message.do === 'run') say({number: message.number, outputs: message.inputs,
                                 provider: JSON.stringify(message.attributes)});
});
"""


def echo(tmp_path: Path, version: int) -> str:
    """A program that reads as the strictest parser does, keeps what it heard, and gives back what it was given."""
    path = tmp_path / "echo.py"
    path.write_text(
        "import json, sys\n"
        "def refuse(constant): raise ValueError(f'{constant} is not JSON')\n"
        "for text in sys.stdin:\n"
        f"    open({str(tmp_path / 'heard')!r}, 'a').write(text)\n"
        "    call = json.loads(text, parse_constant=refuse)\n"
        "    if call['do'] == 'start':\n"
        f"        print(json.dumps({{'plumbline': {version}, 'name': 'echo', 'version': '1'}}), flush=True)\n"
        "    if call['do'] == 'run':\n"
        "        print(json.dumps({'number': call['number'], 'outputs': call['inputs'],\n"
        "                          'provider': json.dumps(call['attributes'])}), flush=True)\n", encoding="utf-8")
    return f"stdio:{sys.executable} {path}"


def valued(form: object) -> object:
    """The value of an attribute from its form in version 2."""
    if isinstance(form, list):
        return [valued(item) for item in form]
    if isinstance(form, dict):
        return decode(form) if "dtype" in form else float(form["float"]) if "float" in form else int(form["int"])
    return form


def is_same(given: object, value: object) -> bool:
    """Whether values are the same, signs of zeros included; JavaScript writes 0.0 as 0."""
    if isinstance(value, (list, np.ndarray)):
        return len(given) == len(value) and all(map(is_same, given, value))
    return np.array_equal(given, value, equal_nan=isinstance(value, float)) and (
        isinstance(value, str) or np.signbit(float(given)) == np.signbit(float(value)))


def exchanged(named: str, tmp_path: Path) -> tuple[list[str], Answered]:
    """What a program of version 2 heard and gave, asked with everything that version 1 cannot carry."""
    host = find_backend(named).start()
    outcome = host.run(Request(b"", "Anything", ATTRIBUTES, 22, INPUTS, tuple(INPUTS)))
    host.close()
    assert isinstance(outcome, Answered) and not host.notes, outcome
    assert {name: array.dtype.name for name, array in outcome.outputs.items()} == {
        name: array.dtype.name for name, array in INPUTS.items()}
    for name, array in INPUTS.items():
        assert array.tolist() == outcome.outputs[name].tolist() and array.shape == outcome.outputs[name].shape
    return json.loads(outcome.provider)


@pytest.mark.parametrize("parser", ["Python", "node"])
def test_what_json_has_no_numbers_for_is_read_without_loss(parser: str, tmp_path: Path) -> None:
    """By a parser that refuses NaN and Infinity, and by JavaScript's, whose numbers are of double precision."""
    if parser == "node" and shutil.which("node") is None:
        pytest.skip("node is not on PATH: no message was read in JavaScript")
    (tmp_path / "echo.js").write_text(REREADS, encoding="utf-8")
    forms = exchanged(f"stdio:node {tmp_path / 'echo.js'}" if parser == "node" else echo(tmp_path, 2), tmp_path)
    for name, value in ATTRIBUTES.items():
        assert is_same(valued(forms[name]), value), name
    lines: dict = {"np": np}
    exec(CARRIED, lines)  # what a script that reproduces has of it
    assert {name: lines["carried"](value) for name, value in ATTRIBUTES.items() if name != "tensor"} == {
        name: form for name, form in forms.items() if name != "tensor"}
    if parser == "Python":
        schema = json.loads((ADAPTER_FOLDER.parent / "protocol.schema.json").read_text(encoding="utf-8"))
        for text in (tmp_path / "heard").read_text(encoding="utf-8").splitlines():
            message = json.loads(text)
            jsonschema.validate(message, {**schema, "$ref": f"#/$defs/{message['do']}"})


def test_version_1_is_served_and_what_it_cannot_carry_is_unsupported(tmp_path: Path) -> None:
    """Without a message, between calls that it can carry; one note says so, however often the program starts."""
    host = find_backend(echo(tmp_path, 1)).start()
    plain = Request(b"", "Anything", {"zero": -0.0, "large": 2**62}, 22, {"X": NINE}, ("X",))
    requests = [plain, *(Request(b"", "Anything", {name: ATTRIBUTES[name]}, 22, {"X": NINE}, ("X",))
                         for name in ("nan", "infinities", "tensor")),
                Request(b"", "Anything", {}, 22, {"X": INPUTS["texts"]}, ("X",)), plain]
    outcomes = host.run_many(requests)
    host.close()
    assert isinstance(host.run(plain), Answered)
    host.close()
    assert [type(outcome) for outcome in outcomes] == [Answered, *[Raised] * 4, Answered]
    says = [outcome.gap for outcome in outcomes if isinstance(outcome, Raised)]
    assert says[0] == "version 1 of the protocol of stdio: cannot carry the attribute nan of nan"
    assert says[3] == "version 1 of the protocol of stdio: cannot carry the input X of string"
    assert json.loads(outcomes[0].provider) == plain.attributes
    assert len(host.notes) == 1 and "version 1" in host.notes[0]


def test_a_call_that_version_1_cannot_carry_accuses_nobody(tmp_path: Path, run_trial) -> None:
    """LeakyRelu with a slope of NaN or an infinity."""
    cases = [case for case in generate_cases("onnx/leakyrelu@16", seed=0, count=20)
             if not np.isfinite(case.call.attributes.get("alpha", 0))]
    record = run_trial(find_backend(echo(tmp_path, 1)).start(), cases)
    assert cases and {line.verdict for line in record.cases} <= {"unsupported", "observed"}
    assert len(record.footer.notes) == 1


FLOAT = {"dtype": "float32", "shape": [1, 1, 2, 2], "data": base64.b64encode(bytes(16)).decode()}


@pytest.mark.parametrize(("wrong", "says"), [
    ({"shape": [1, 1, -1, 4]}, "a shape is a list of sizes of zero or more, not [1, 1, -1, 4]"),
    ({"shape": [1, 1, 2, 2.0]}, "not [1, 1, 2, 2.0]"), ({"shape": [True, 1, 2, 2]}, "not [True, 1, 2, 2]"),
    ({"shape": "1122"}, "not 1122"), ({"shape": [2, 2, 2]}, "the data are 16 bytes, and the shape asks for 32"),
    ({"shape": [1]}, "the data are 16 bytes, and the shape asks for 4"),
    ({"data": FLOAT["data"] + "===="}, "data"), ({"data": FLOAT["data"][:-2]}, "padding"),
    ({"data": "*" + FLOAT["data"]}, "Only base64 data"), ({"data": "AAAAAAAA\nAAAAAAAAAAAAAA=="}, "Only"),
    ({"data": FLOAT["data"][:-3] + "B=="}, "canonical"), ({"data": FLOAT["data"].replace("A", "-")}, "Only base64"),
    ({"data": ["a"]}, "bytes-like"), ({"dtype": "f4"}, "no element type is called 'f4'"),
    ({"dtype": ">f4"}, "no element type is called '>f4'"), ({"dtype": "object"}, "no element type is called 'object'"),
    ({"dtype": "bool", "shape": [1], "data": "Ag=="}, "a byte holds more than an element of bool"),
    ({"dtype": "int4", "shape": [1], "data": "EA=="}, "a byte holds more than an element of int4"),
    ({"dtype": "string", "shape": [2], "data": ["a"]}, "the data are 1 texts, and the shape asks for 2"),
    ({"dtype": "string", "shape": [1], "data": [1]}, "list of texts"),
])
def test_a_tensor_is_read_strictly(wrong: dict, says: str, tmp_path: Path) -> None:
    """Nothing is guessed: neither a size, nor a byte, nor a type."""
    assert decode(FLOAT).shape == (1, 1, 2, 2)
    host = find_backend(script(tmp_path, f"say(number=number, outputs={{'Y': {({**FLOAT, **wrong})!r}}})")).start()
    outcome = host.run(request_of(NINE))
    host.close()
    assert isinstance(outcome, Failed) and says in outcome.why, outcome


def test_an_answer_in_texts_is_judged(tmp_path: Path, sonnx_cases: list[Case], run_trial) -> None:
    """A tensor of strings where numbers belong diverges; it does not end the run."""
    texts = encode(np.array([[[["a", "b"], ["", "nan"]]]], object))
    record = run_trial(find_backend(script(
        tmp_path, f"if number is not None: say(number=number, outputs={{'Y': {texts!r}}})")).start(),
        [case for case in sonnx_cases if case.id == "float-example-1"])
    assert record.cases[0].verdict == "diverges" and "string" in record.cases[0].did, record.cases[0].did


def test_a_backend_is_called_and_declares_what_is_given_from_outside(maxpool: str) -> None:
    """Name, version and capabilities, also after a restart; for exec: and classes too."""
    entry = [{"operators": ["AveragePool"]}]
    for named in (maxpool, "exec:sh -c true {model} {inputs} {outputs}", "tests.suite.fakes:honest"):
        host = find_backend(named, name="mine\n", version="3.1", capabilities=entry).start()
        host.close()
        host.run(request_of(NINE))
        host.close()
        assert [getattr(host.identity, key) for key in ("name", "version", "capabilities")] == ["mine ", "3.1", entry]
    assert find_backend("tests.suite.fakes:honest", name="mine").load().identity.name == "mine"
    with pytest.raises(BackendError, match=re.escape("capabilities[0]['operator']: unknown key; did you mean")):
        find_backend(maxpool, capabilities=[{"operator": ["MaxPool"]}])


def test_capabilities_may_come_from_a_file(maxpool: str, tmp_path: Path) -> None:
    """Of JSON or YAML; one that cannot be read is one line with its name."""
    path = tmp_path / "capabilities"
    for text in ('[{"operators": ["MaxPool"], "opsets": [8, null]}]', "- operators: [MaxPool]\n  opsets: [8, null]\n"):
        path.write_text(text, encoding="utf-8")
        assert find_backend(maxpool, capabilities=path).overrides["capabilities"] == [
            {"operators": ["MaxPool"], "opsets": [8, None]}]
    for text, says in (("- [", "cannot be read: "), ("3", "capabilities: Input should be a valid list")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BackendError, match=re.escape(f"{path}: {says}")) as caught:
            find_backend(maxpool, capabilities=path)
        assert "\n" not in str(caught.value)
    with pytest.raises(BackendError, match="cannot be read: No such file"):
        find_backend(maxpool, capabilities=tmp_path / "absent")
