// Answer a call of `stdio:` (docs/protocol.md) with ONNX Runtime, in Node or in a page.

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, float16: globalThis.Float16Array ?? Uint16Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array, bool: Uint8Array,
};
const MESSAGE = 3400;  // characters of an error that are sent
const LIMITS = {  // what errors say where a provider, or its device, declares that it does not take a node
  "fallback to CPU EP has been explicitly disabled": "the provider leaves a node to the CPU",
  "!node_provider_type.empty() was false": "no provider takes a node of that type",
  "is not supported yet": "what the provider says that it does not support yet",
  "Unsupported model IR version": "the model is of a later version of ONNX than the release reads",
  "is under development and support for this is limited": "the opset is above the highest of this release",
  "requires f16 but the device does not support it": "the device has no float16",
};

const decode = text => Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(Buffer.from(text, "base64"));
const encode = bytes => bytes.toBase64 ? bytes.toBase64() : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  .toString("base64");

function tensorOf(ort, {dtype, shape, data}) {
  return new ort.Tensor(dtype, dtype === "string" ? data : new ARRAYS[dtype](decode(data).buffer), shape);
}

async function sent(tensor) {
  const data = await tensor.getData();
  return {dtype: tensor.type, shape: [...tensor.dims],
          data: tensor.type === "string" ? data : encode(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))};
}

function refused(number, phase, error) {
  const text = String(error?.message ?? error);
  const gap = Object.entries(LIMITS).find(([says]) => text.includes(says))?.[1];
  return {number, refused: {phase, type: error?.name ?? "Error", message: text.slice(0, MESSAGE)}, gap};
}

export async function answer(ort, options, {number, model, inputs, outputs}) {
  const lacking = Object.values(inputs).find(({dtype}) => dtype !== "string" && !(dtype in ARRAYS));
  if (lacking) {
    const gap = `the JavaScript interface has no tensors of ${lacking.dtype}`;
    return {...refused(number, "check", gap), gap};
  }
  let session;
  try {
    session = await ort.InferenceSession.create(decode(model), options);
  } catch (error) {
    return refused(number, "load", error);
  }
  try {
    const tensors = Object.entries(inputs).map(([name, tensor]) => [name, tensorOf(ort, tensor)]);
    const results = await session.run(Object.fromEntries(tensors), outputs);
    const given = await Promise.all(outputs.map(async name => [name, await sent(results[name])]));
    return {number, outputs: Object.fromEntries(given)};
  } catch (error) {
    return refused(number, "run", error);
  } finally {
    await session.release();
  }
}
