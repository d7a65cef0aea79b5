// Behind calls.mjs, whose `answer` is `honest` here: the kernel of one node of a model is replaced by a faulty one.

const FAULTS = {  // each changes the elements of an output
  "the last element is zero": data => data.fill(zero(data), -1),
  "the tail behind the last eight is not written": data => data.fill(zero(data), data.length - data.length % 8),
  "elements are one place further": data => data.set([data.at(-1), ...data.slice(0, -1)]),
  "elements are in reverse": data => data.reverse(),
  "every seventh element is that beside it": data => data.forEach((_, at) => { if (at % 7 === 6) data[at] = data[at - 1]; }),
  "what is below zero is zero": data => data.forEach((value, at) => { if (value < 0) data[at] = zero(data); }),
  "twice as much": data => data.forEach((value, at) => { data[at] = value + value; }),
  "the first half is the second": data => data.copyWithin(0, data.length >> 1),
  "rounded to bfloat16": data => {
    if (data instanceof Float32Array) new Uint32Array(data.buffer).forEach((bits, at, all) => { all[at] = bits & ~0xffff; });
  },
};
const zero = data => typeof data[0] === "bigint" ? 0n : 0;

function spoiled({dtype, shape, data}, fault) {
  if (dtype === "string") return {dtype, shape, data};
  const elements = new ARRAYS[dtype](decode(data).buffer);
  if (elements.length) FAULTS[fault](elements);
  return {dtype, shape, data: encode(new Uint8Array(elements.buffer))};
}

export async function answer(ort, options, message) {
  const {fault, steps} = JSON.parse(message.attributes?.planted ?? "{}");
  if (!fault) return honest(ort, options, message);
  const {number} = message, tensors = {...message.inputs};
  for (const {model, inputs, outputs, faulty} of steps) {
    const given = Object.fromEntries(inputs.map(name => [name, tensors[name]]));
    const answered = await honest(ort, options, {number, model, inputs: given, outputs});
    if (answered.refused) return answered;
    for (const [name, tensor] of Object.entries(answered.outputs)) tensors[name] = faulty ? spoiled(tensor, fault) : tensor;
  }
  return {number, outputs: Object.fromEntries(message.outputs.map(name => [name, tensors[name]]))};
}
