// A worked example of docs/protocol.md, version 2, without any package: Relu of float32.
//
//     plumbline conformance --backend "stdio:node tests/suite/relu.mjs" --spec onnx/relu@14

import {writeSync} from "node:fs";
import {createInterface} from "node:readline";

const say = message => writeSync(1, JSON.stringify(message) + "\n");

const started = {
  plumbline: 2, name: "relu.mjs", version: "1", specifications: ["onnx/relu@*"],
  capabilities: [{operators: ["Relu"], dtypes: ["float32"]}],
};

function relu({dtype, shape, data}) {
  if (dtype !== "float32") throw new TypeError(`only float32 is supported, not ${dtype}`);
  const bytes = Uint8Array.from(Buffer.from(data, "base64"));  // a copy, which begins at a multiple of four
  const numbers = new Float32Array(bytes.buffer);
  for (const [place, number] of numbers.entries()) if (number < 0) numbers[place] = 0;
  return {dtype, shape, data: Buffer.from(bytes).toString("base64")};
}

for await (const line of createInterface({input: process.stdin})) {
  const {do: what, number, inputs} = JSON.parse(line);
  if (what === "stop") break;
  if (what === "start") {
    say(started);
    continue;
  }
  try {
    say({number, outputs: {Y: relu(inputs.X)}});
  } catch (error) {
    say({number, refused: {type: error.name, message: error.message}});
  }
}
