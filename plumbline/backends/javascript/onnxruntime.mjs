// ONNX Runtime's npm packages as programs of `stdio:` (docs/protocol.md).
//
//     node onnxruntime.mjs FOLDER PACKAGE PROVIDER [THREADS]
//
// FOLDER holds node_modules. The provider webgpu runs in a page of Chromium, all others in this process.

import fs from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import readline from "node:readline";
import {openPage} from "./browser.mjs";
import {answer} from "./calls.mjs";

const [folder, name, provider, threads = "1"] = process.argv.slice(2);
const place = path.resolve(folder, "node_modules", name);
const {version} = JSON.parse(fs.readFileSync(path.join(place, "package.json")));

console.log = console.info = console.debug = console.error;  // stdout is for answers

function open() {
  if (provider === "webgpu") return openPage(path.join(place, "dist"));
  const ort = createRequire(import.meta.url)(place);
  ort.env.logLevel = "fatal";
  ort.env.wasm.numThreads = Number(threads);
  const options = {executionProviders: [provider], logSeverityLevel: 4, intraOpNumThreads: Number(threads)};
  return {about: {provider, threads, node: process.version}, answer: call => answer(ort, options, call), close() {}};
}

function say(message) {
  const bytes = Buffer.from(JSON.stringify(message) + "\n");
  for (let written = 0; written < bytes.length;) {
    try {
      written += fs.writeSync(1, bytes, written);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

let runtime;
for await (const line of readline.createInterface({input: process.stdin})) {
  const message = JSON.parse(line);
  if (message.do === "start") {
    runtime = await open();
    say({plumbline: 2, name, version, model: true, about: runtime.about});
  } else if (message.do === "run") {
    say(await runtime.answer(message));
  } else {
    break;
  }
}
await runtime?.close();
process.exit(0);
