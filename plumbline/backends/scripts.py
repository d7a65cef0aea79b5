"""Write reproducer lines for programs, npm packages and users' classes.

They are `reproduce` of `exec:`, `stdio:`, adapters in JavaScript and MODULE:CLASS. They read `model`, `inputs`,
`outputs` and `specification`, and set `got`; the names `before` and `answers` are used by the script around them. A
refusal ends the script with status 1, a signal or a timeout with 2, a missing program with 125, which `git bisect run`
skips.
"""

from __future__ import annotations

EXEC = """import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import onnx

words = shlex.split({command})  # from the folder that it was tried from
if shutil.which(words[0]) is None:
    print(words[0], "is not there; run this in the folder that it was tried from")
    raise SystemExit(125)
with tempfile.TemporaryDirectory() as folder:
    places = {{"{{model}}": Path(folder, "model.onnx"), "{{inputs}}": Path(folder, "inputs"),
              "{{outputs}}": Path(folder, "outputs")}}
    places["{{inputs}}"].mkdir()
    places["{{outputs}}"].mkdir()
    onnx.save(model, places["{{model}}"])
    for number, (name, array) in enumerate(inputs.items()):
        tensor = onnx.numpy_helper.from_array(array, name)
        (places["{{inputs}}"] / f"input_{{number}}.pb").write_bytes(tensor.SerializeToString())
    for place, path in places.items():
        words = [word.replace(place, str(path)) for word in words]
    try:
        status = subprocess.run(words, stdin=subprocess.DEVNULL, timeout=30).returncode
    except subprocess.TimeoutExpired:
        status = -1
    if status:
        raise SystemExit(1 if 0 < status < 128 else 2)
    got = [onnx.numpy_helper.to_array(onnx.load_tensor(places["{{outputs}}"] / f"output_{{number}}.pb"))
           for number in range(len(outputs))]"""

STDIO = """import base64
import json
import shlex
import shutil
import subprocess

words = shlex.split({command})  # from the folder that it was tried from
if shutil.which(words[0]) is None:
    print(words[0], "is not there; run this in the folder that it was tried from")
    raise SystemExit(125)
{carried}attributes = {{entry.name: helper.get_attribute_value(entry) for entry in node.attribute}}
call = {{"do": "run", "number": 0, "specification": specification, "operator": node.op_type,
        "opset": model.opset_import[-1].version, "time_limit": 30, "outputs": outputs,
        "attributes": {{name: {value} for name, value in attributes.items()}},
        "inputs": {{name: {{"dtype": array.dtype.name, "shape": array.shape,
                          "data": base64.b64encode(array.tobytes()).decode()}} for name, array in inputs.items()}}}}
{wanted}lines = [json.dumps(message, separators=(",", ":"))
         for message in ({{"do": "start", "plumbline": 1, "versions": [{version}]}}, call, {{"do": "stop"}})]
try:
    done = subprocess.run(words, input="\\n".join([*lines, ""]), capture_output=True, text=True, timeout=30)
except subprocess.TimeoutExpired:
    raise SystemExit(2)
said = [json.loads(line) for line in done.stdout.splitlines()]
if len(said) < 2:
    raise SystemExit(1 if 0 < done.returncode < 128 else 2)
if "refused" in said[1]:
    raise SystemExit(said[1]["refused"]["message"])
given = [said[1]["outputs"][name] for name in outputs]
got = [np.frombuffer(base64.b64decode(tensor["data"]), tensor["dtype"]).reshape(tensor["shape"]) for tensor in given]"""

MODEL = """call["model"] = base64.b64encode(model.SerializeToString()).decode()
"""

CARRIED = """

def carried(value):  # what strict JSON has no number for, as docs/protocol.md says
    if isinstance(value, list):
        return [carried(item) for item in value]
    if isinstance(value, float) and (not np.isfinite(value) or str(value) == "-0.0"):
        return {"float": {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(str(value), "-0.0")}
    if isinstance(value, int) and abs(value) > 2**53:
        return {"int": str(value)}
    return value.decode() if isinstance(value, bytes) else value


"""

IN_JAVASCRIPT = """const arrays = {{float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array,
  int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array,
  uint64: BigUint64Array, bool: Uint8Array, float16: globalThis.Float16Array ?? Uint16Array}};
async function run({{model, inputs, outputs}}) {{
  const session = await ort.InferenceSession.create(bytes(model), {{executionProviders: ["{provider}"]{more}}});
  const feeds = Object.entries(inputs).map(([name, {{dtype, shape, data}}]) => [name, new ort.Tensor(
    dtype, dtype === "string" ? data : new arrays[dtype](bytes(data).buffer), shape)]);
  const results = await session.run(Object.fromEntries(feeds), outputs);
  return outputs.map(name => results[name]).map(({{type, dims, data}}) => ({{dtype: type, shape: dims, data:
    type === "string" ? data : text(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))}}));
}}
"""
"""Run a call in JavaScript; the script around it has `ort`, and converts `bytes` from and to base64."""

NO_FALLBACK = """,
    extra: {session: {disable_cpu_ep_fallback: "1"},  // else wasm computes in silence what the provider lacks
            optimization: {disable_specified_optimizers: "ConstantFolding"}}"""  # and nodes of constants

NODE = """import base64
import json
import shutil
import subprocess

script = r'''
try {{ require.resolve("{package}") }} catch {{ process.exit(125) }}
const ort = require("{package}");
ort.env.logLevel = "fatal";
ort.env.wasm.numThreads = 1;
const bytes = data => Uint8Array.from(Buffer.from(data, "base64"));
const text = array => Buffer.from(array).toString("base64");
{run}run(JSON.parse(require("fs").readFileSync(0))).then(given => console.log("\\n" + JSON.stringify(given)));
'''
if shutil.which("node") is None:
    print("this needs Node, and in this folder: npm install --ignore-scripts {package}")
    raise SystemExit(125)
{call}try:
    done = subprocess.run(["node", "-e", script], input=call, stdout=subprocess.PIPE, text=True, timeout=30)
except subprocess.TimeoutExpired:
    raise SystemExit(2)
if done.returncode:
    raise SystemExit(done.returncode if done.returncode in (1, 125) else 2)
{got}"""

CALL = """binary = base64.b64encode(model.SerializeToString()).decode()
call = json.dumps({"model": binary, "outputs": outputs, "inputs": {
    name: {"dtype": "string", "shape": array.shape, "data": array.reshape(-1).tolist()} if array.dtype == object else
    {"dtype": array.dtype.name, "shape": array.shape, "data": base64.b64encode(array.tobytes()).decode()}
    for name, array in inputs.items()}})
"""

GOT = """got = [np.array(tensor["data"], object).reshape(tensor["shape"]) if tensor["dtype"] == "string" else
       np.frombuffer(base64.b64decode(tensor["data"]), tensor["dtype"]).reshape(tensor["shape"])
       for tensor in json.loads({answer})]"""

PAGE = """import base64
import json
import os
import shutil
import subprocess
import tempfile
from http.server import HTTPServer, SimpleHTTPRequestHandler

dist = "/node_modules/{package}/dist/"
names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
browser = next(filter(None, map(shutil.which, names)), None)
if browser is None or not os.path.isdir("." + dist):
    print("this needs Chromium, and in this folder: npm install --ignore-scripts {package}")
    raise SystemExit(125)
{call}page = f'''<script src="{{dist}}ort.webgpu.min.js"></script><script>
const dist = "{{dist}}", call = {{call}};''' + r'''
ort.env.logLevel = "fatal";
ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = dist;
const bytes = data => Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
const text = array => btoa(Array.from(array, byte => String.fromCharCode(byte)).join(""));
{run}const abs = "CAg6MgoLCgFYEgFZIgNBYnMSAWdaDwoBWBIKCggIARIECgIIAWIPCgFZEgoKCAgBEgQKAggBQgQKABAN";
const one = {{X: {{dtype: "float32", shape: [1], data: "AACAPw=="}}}};
const works = () => run({{model: abs, inputs: one, outputs: ["Y"]}}).then(() => true, () => false);
const send = answer => fetch("/", {{method: "POST", body: JSON.stringify(answer)}});
run(call).then(send, async error => send({{error: String(error), works: await works()}}));
</script>'''
sent = []


class Handler(SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/":
            return super().do_GET()
        self.answer()
        self.wfile.write(page.encode())

    def do_POST(self):
        sent.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer()

    def answer(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()


server = HTTPServer(("127.0.0.1", 0), Handler)
server.timeout = 60
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    running = subprocess.Popen([browser, "--headless", "--no-sandbox", "--enable-unsafe-webgpu", {flag!r},
                                f"--user-data-dir={{profile}}", f"http://127.0.0.1:{{server.server_port}}"])
    for _ in range(9):
        server.handle_request()
        if sent:
            break
    running.kill()
    running.wait()
if not sent:
    raise SystemExit(2)
if "error" in (answer := json.loads(sent[0])):
    print(answer["error"])
    raise SystemExit(1 if answer["works"] else 2)
{got}"""

CLASS = """from types import SimpleNamespace

from onnx import defs

sys.path.insert(0, "")  # the folder that it was tried from
from {module} import {name}

attributes = {{entry.name: helper.get_attribute_value(entry) for entry in node.attribute}}
known = defs.has(node.op_type, node.domain)
schema = defs.get_schema(node.op_type, model.opset_import[-1].version, node.domain) if known else None
names = {{theirs.name: own for named, owns in (((schema.inputs, node.input), (schema.outputs, node.output))
                                               if known else ()) for theirs, own in zip(named, owns)}}


class Named(dict):  # finds arrays by the names of ONNX's schema, too
    def __missing__(self, name):
        return dict.__getitem__(self, names[name])


answer = {name}().run(SimpleNamespace(
    model=model.SerializeToString(), operator=node.op_type, opset=model.opset_import[-1].version,
    inputs=Named(inputs),
    attributes={{name: value.decode() if isinstance(value, bytes) else value for name, value in attributes.items()}},
    outputs=tuple(outputs), time_limit=30.0, specification=specification))
answer = {{names.get(name, name) if name not in outputs else name: array for name, array in answer.items()}}
got = [answer[name] for name in outputs]"""


def of_class(reference: str) -> str:
    """Return the lines for an adapter MODULE:CLASS without `reproduce`."""
    module, _, name = reference.partition(":")
    return CLASS.format(module=module, name=name)


def of_program(command: str) -> str:
    """Return the lines for a program that is started for each call.

    Its command holds `{model}`, `{inputs}` and `{outputs}`."""
    return EXEC.format(command=ascii(command))


def of_conversation(command: str, wants_model: bool, version: int = 1) -> str:
    """Return the lines for a program `stdio:COMMAND`.

    wants_model: whether calls are sent with their ONNX model.
    version:     of the protocol in docs/protocol.md that the program has."""
    carried, value = (CARRIED, "carried(value)") if version > 1 else (
        "", "value.decode() if isinstance(value, bytes) else value")
    return STDIO.format(command=ascii(command), wanted=MODEL if wants_model else "", version=version, carried=carried,
                        value=value)


def of_node(package: str, provider: str) -> str:
    """Return the lines for a package of ONNX Runtime in Node."""
    return NODE.format(package=package, run=IN_JAVASCRIPT.format(provider=provider, more=""), call=CALL,
                       got=GOT.format(answer="done.stdout.splitlines()[-1]"))


def of_page(package: str, provider: str, flag: str = "--use-webgpu-adapter=swiftshader") -> str:
    """Return the lines for a package of ONNX Runtime in a page of Chromium, which is started with a flag."""
    run = IN_JAVASCRIPT.format(provider=provider, more=NO_FALLBACK)
    return PAGE.format(package=package, run=run, call=CALL, flag=flag,
                       got=GOT.format(answer="sent[0]"))
