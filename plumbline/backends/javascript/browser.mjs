// onnxruntime-web on WebGPU, in a page of headless Chromium. The browser is spoken to through pipes.

import {spawn} from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];  // CHROMIUM names another
const FLAGS = ["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-dev-shm-usage",
               "--disable-breakpad", "--enable-unsafe-webgpu", "--enable-features=Vulkan"];
const SOFTWARE = "--use-webgpu-adapter=swiftshader";

const PAGE = `<!doctype html><title>Plumbline</title><script src="/dist/ort.webgpu.min.js"></script><script type="module">
import {answer} from "/calls.mjs";
const options = {executionProviders: ["webgpu"], logSeverityLevel: 4,
                 extra: {session: {disable_cpu_ep_fallback: "1"},  // else wasm computes in silence what WebGPU lacks
                         optimization: {disable_specified_optimizers: "ConstantFolding"}}};  // and nodes of constants
ort.env.logLevel = "fatal";
ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = "/dist/";
globalThis.call = async message => JSON.stringify(await answer(ort, options, JSON.parse(message)));
const abs = "CAg6MgoLCgFYEgFZIgNBYnMSAWdaDwoBWBIKCggIARIECgIIAWIPCgFZEgoKCAgBEgQKAggBQgQKABAN";  // Abs of a float32 [1]
let probe;
globalThis.works = async () => {
  try {
    probe ??= await ort.InferenceSession.create(Uint8Array.from(atob(abs), c => c.charCodeAt(0)), options);
    await probe.run({X: new ort.Tensor("float32", [1], [1])});
    return true;
  } catch {
    return false;
  }
};
globalThis.adapter = (async () => {
  const adapter = await navigator.gpu?.requestAdapter();
  const {vendor, architecture, device, description} = adapter?.info ?? {};
  return adapter ? {adapter: [vendor, architecture, device, description].filter(Boolean).join(" "),
                    float16: adapter.features.has("shader-f16") ? "yes" : "no"} : null;
})();
</script>`;

const TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"};

function serve(folder) {  // the page, and the files of the package, on this machine alone
  const calls = new URL("calls.mjs", import.meta.url);
  const server = http.createServer((request, response) => {
    const name = path.basename(request.url);
    const file = name === "calls.mjs" ? calls : path.join(folder, name);
    if (request.url === "/") response.setHeader("Content-Type", "text/html").end(PAGE);
    else if (!fs.existsSync(file)) response.writeHead(404).end();
    else fs.createReadStream(file).pipe(response.setHeader("Content-Type", TYPES[path.extname(name)] ?? "text/plain"));
  });
  return new Promise(done => server.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${server.address().port}/`)));
}

function findChromium() {
  const names = process.env.CHROMIUM ? [process.env.CHROMIUM] : NAMES;
  const places = names.flatMap(name => name.includes("/") ? [name]
    : process.env.PATH.split(path.delimiter).map(folder => path.join(folder, name)));
  const found = places.find(place => fs.existsSync(place));
  if (!found) {
    throw new Error(`no Chromium found (looked for ${names.join(", ")}): install the distribution's, as with `
                    + "'apt-get install chromium', or name one in the environment variable CHROMIUM");
  }
  return found;
}

// A browser, and commands of the DevTools protocol to it: JSON that ends with a zero byte.
class Browser {
  constructor(flags) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "chromium-"));
    const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    this.process = spawn(findChromium(), [...FLAGS, ...flags, ...root, `--user-data-dir=${this.folder}`, "about:blank"],
                         {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    this.waiting = new Map();
    this.number = 0;
    this.page = undefined;
    let rest = [];
    this.process.stdio[4].on("data", chunk => {
      for (let end; (end = chunk.indexOf(0)) >= 0; chunk = chunk.subarray(end + 1)) {
        this.receive(JSON.parse(Buffer.concat([...rest, chunk.subarray(0, end)])));
        rest = [];
      }
      rest.push(chunk);
    });
    const gone = () => this.fail(new Error("the browser ended"));
    this.process.on("error", gone).on("exit", gone);
    this.process.stdio[3].on("error", gone);
  }

  receive({id, method, error, result, params}) {
    if (method === "Inspector.targetCrashed") this.fail(new Error("the page crashed"));
    const {done, failed} = this.waiting.get(id) ?? {};
    this.waiting.delete(id);
    if (error) failed?.(new Error(error.message));
    else done?.(result);
  }

  fail(error) {
    this.failure = error;
    for (const {failed} of this.waiting.values()) failed(error);
    this.waiting.clear();
  }

  send(method, params = {}, sessionId = this.page) {
    return new Promise((done, failed) => {
      if (this.failure) return failed(this.failure);
      const id = ++this.number;
      this.waiting.set(id, {done, failed});
      this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
    });
  }

  async open(address) {  // the page, once; returns its adapter
    const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
    ({sessionId: this.page} = await this.send("Target.attachToTarget", {targetId, flatten: true}));
    await this.send("Inspector.enable");
    await this.send("Page.enable");
    await this.send("Page.navigate", {url: address});
    while (!await this.evaluate("globalThis.adapter !== undefined")) await new Promise(done => setTimeout(done, 20));
    return this.evaluate("adapter");
  }

  async evaluate(expression) {
    const {result, exceptionDetails} = await this.send("Runtime.evaluate",
                                                       {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async close() {
    const {exitCode, signalCode} = this.process;
    if (exitCode === null && signalCode === null) {
      const ended = new Promise(done => this.process.once("exit", done));
      this.process.kill("SIGKILL");
      await ended;
    }
    await fs.promises.rm(this.folder, {recursive: true, force: true, maxRetries: 10}).catch(() => {});
  }
}

const DEVICES = ["/dev/dri", "/dev/nvidiactl", "/dev/dxg"];  // of GPUs on Linux
const hasGpu = () => os.platform() !== "linux" || DEVICES.some(place => fs.existsSync(place));

// A page that answers calls. One that a call has ended, as by a lost device, is replaced, with its browser.
class Page {
  async start(folder) {
    this.address ??= await serve(folder);
    let adapter = null;
    if (hasGpu() && !this.software) {
      this.browser = new Browser([]);
      adapter = await this.browser.open(this.address);
      if (!adapter) await this.browser.close();
    }
    if (!adapter) {
      this.software = true;
      this.browser = new Browser([SOFTWARE]);
      adapter = await this.browser.open(this.address);
    }
    const {product} = await this.browser.send("Browser.getVersion", {}, undefined);
    this.about = {provider: "webgpu", browser: product, ...adapter};
    return this;
  }

  async answer(call) {
    let [answer, ended] = await this.attempt(call);
    if (ended && this.calls > 1) {  // an earlier call may be to blame
      await this.renew();
      [answer, ended] = await this.attempt(call);
    }
    if (!ended) return answer;
    await this.renew();
    return {number: call.number, crashed: ended};
  }

  async attempt(call) {  // the answer, and how the page ended if it did
    this.calls = (this.calls ?? 0) + 1;
    try {
      const answer = JSON.parse(await this.browser.evaluate(`call(${JSON.stringify(JSON.stringify(call))})`));
      const works = !answer.refused || answer.refused.phase === "check" || await this.browser.evaluate("works()");
      return [answer, works ? "" : answer.refused.message];
    } catch (error) {
      return [null, error.message];
    }
  }

  async renew() {
    this.calls = 0;
    await this.browser.close();
    await this.start();
  }

  close() {
    return this.browser.close();
  }
}

export const openPage = folder => new Page().start(folder);
