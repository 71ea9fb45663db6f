// Runs an ONNX file on raw float32 inputs and prints what comes out as JSON.
//   node run.mjs MODEL NAME=FILE:ROWSxCOLUMNS...     one NAME for each input, any number of sides
// Outputs: {"NAME": {"dims": [...], "data": [...]}}; with REPEAT=N in the environment also
// "seconds", the fastest of N runs.
import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const [model, ...inputs] = process.argv.slice(2);

function readInput(text) {
  const [, name, file, sides] = /^([^=]+)=(.*):([0-9x]+)$/.exec(text);
  const bytes = readFileSync(file);
  const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return [name, new Tensor('float32', values, sides.split('x').map(Number))];
}

const session = await InferenceSession.create(model, { logSeverityLevel: 3 });
const feeds = Object.fromEntries(inputs.map(readInput));
const results = await session.run(feeds);
const printed = {};
for (const [name, tensor] of Object.entries(results)) {
  printed[name] = { dims: tensor.dims, data: Array.from(tensor.data, Number) };
}
let fastest = Infinity;
for (let i = 0; i < Number(process.env.REPEAT ?? 0); ++i) {
  const before = performance.now();
  await session.run(feeds);
  fastest = Math.min(fastest, (performance.now() - before) / 1000);
}
if (Number.isFinite(fastest)) printed.seconds = fastest;
// JSON has no infinity, which a class without training samples scores (below zero).
console.log(JSON.stringify(printed, (_, value) => (value === -Infinity ? '-inf' : value)));
