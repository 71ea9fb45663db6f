/** Reports of synthetic runs, for tests and for viewing. Deterministic given a seed. */

export const FASHION = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"];
const SHARE_SHOWN = 65535;

export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const pack = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));

/** Draws a prediction. Most errors go to the class two further on, as with pullovers and coats. */
function predict(random, truth, classes, accuracy) {
  if (random() < accuracy) return truth;
  return random() < 0.6 ? (truth + 2) % classes : Math.floor(random() * classes);
}

function clusterCenters(classes) {
  return range(classes, (c) => {
    const radius = 0.12 + 0.3 * Math.sqrt((c + 0.5) / classes);
    return [0.5 + radius * Math.cos(2.39996 * c), 0.5 + radius * Math.sin(2.39996 * c)];
  });
}

export function sampleSet(random, { count, total = count, classes, accuracy, noise = 0, names = null, images = null }) {
  const centers = clusterCenters(classes);
  const wide = 0.16 / Math.sqrt(classes);
  const array = { x: new Uint16Array(count), y: new Uint16Array(count), index: new Uint32Array(count), label: new Uint16Array(count),
    predicted: new Uint16Array(count), truth: new Uint16Array(count), suggested: new Uint16Array(count),
    similarity: new Uint8Array(count), audit_score: new Uint8Array(count) };
  for (let i = 0; i < count; i++) {
    const truth = Math.floor(random() * classes);
    const wrong = random() < noise;
    const near = predict(random, truth, classes, accuracy);
    array.truth[i] = truth;
    array.label[i] = wrong ? (truth + 1 + Math.floor(random() * (classes - 1))) % classes : truth;
    array.predicted[i] = near;
    array.suggested[i] = near;
    array.index[i] = Math.floor((i * total) / count);
    array.x[i] = Math.max(0, Math.min(1, centers[near][0] + wide * normal(random))) * SHARE_SHOWN;
    array.y[i] = Math.max(0, Math.min(1, centers[near][1] + wide * normal(random))) * SHARE_SHOWN;
    array.similarity[i] = 255 * (0.55 + 0.4 * random());
    array.audit_score[i] = 255 * (array.label[i] === near ? 0.3 * random() : 0.6 + 0.4 * random());
  }
  const packed = Object.fromEntries(Object.entries(array).map(([name, values]) => [name, pack(values)]));
  if (noise === 0) Object.assign(packed, { truth: null, audit_score: null, suggested: null });
  return { count, total, how: "t-SNE, perplexity 30, KL 1.234", ...packed, names: names && range(count, names).join("\n"), images };
}

function confusion(random, classes, samples, accuracy) {
  const counts = new Uint32Array(classes * classes);
  for (let i = 0; i < samples; i++) {
    const truth = i % classes;
    counts[truth * classes + predict(random, truth, classes, accuracy + 0.15 * Math.sin(truth))] += 1;
  }
  return { protocol: "nearest-centroid", counts: pack(counts) };
}

function lossParts(random, progress) {
  const noise = () => 0.05 * normal(random);
  const alignment = -8.8 + 0.55 * progress + noise();
  const uniformity = 14.4 - 0.62 * progress + noise();
  const R = 0.9 - 0.2 * progress + 0.5 * noise();
  const loss = alignment + uniformity + R;
  return { R, alignment, uniformity, loss };
}

const columns = (rows) => Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, rows.map((row) => row[name])]));

/** Same keys as in inference/information_report.cpp. */
const bounds = (entropy, share, rows = 5000) => ({
  mi_bound_class_fitted: 0.72 * share * entropy, mi_bound_class_fitted_se: 0.012, tau_fit: 0.11,
  mi_bound_class: 0.6 * share * entropy, mi_bound_class_se: 0.011, mi_bound_normalized: 0.55 * share * entropy, mi_bound_normalized_se: 0.014,
  mi_bound: 0.31 * share * entropy, mi_bound_se: null, temperature: 0.07, rows, entropy,
});

export function curves(random, { epochs, done = epochs, perEpoch = 47, logged = 8, final, entropy }) {
  const steps = range(done * logged, (i) => {
    const epoch = (i + 1) / logged;
    const rate = 0.003 * (epoch < 1 ? epoch : 0.5 + 0.5 * Math.cos((Math.PI * (epoch - 1)) / Math.max(1, epochs - 1)));
    return { step: Math.round(epoch * perEpoch), epoch, ...lossParts(random, epoch / epochs), learning_rate: rate, gradient_norm: 0.4 + 0.2 * random() };
  });
  const ends = range(done, (i) => ({ step: (i + 1) * perEpoch, epoch: i + 1, ...lossParts(random, (i + 1) / epochs) }));
  const tests = range(done, (i) => {
    const top1 = final * (1 - 0.5 * Math.exp((-3 * (i + 1)) / epochs) + 0.5 * Math.exp(-3));
    return { step: (i + 1) * perEpoch, epoch: i + 1, top1, low: top1 - 0.012, high: top1 + 0.012, top5: Math.min(0.995, top1 + 0.2), calibration_error: 0.5 };
  });
  const events = done > 3 ? [{ step: 150, epoch: 3.2, name: "spike", loss: 9.1 }] : [];
  const information = range(done, (i) => ({ step: (i + 1) * perEpoch, epoch: i + 1, ...bounds(entropy, 0.5 + (0.5 * (i + 1)) / epochs) }));
  return { steps: columns(steps), epochs: columns(ends), tests: { "nearest-centroid": columns(tests), information: columns(information) }, events };
}

function protocol(top1, test, calibrated) {
  const half = 0.85 / Math.sqrt(test);
  const accuracy = { top1, top1_interval: [Math.max(0, top1 - half), Math.min(1, top1 + half)], top5: Math.min(0.995, top1 + 0.22) };
  return calibrated ? { ...accuracy, calibration_error: 0.31 } : accuracy;
}

/** As in inference/information_report.cpp: withheld for small classes, without interval for few samples. */
function information(test, classes, k = 5) {
  if (test < 2) return null;
  const entropy = Math.log(classes);
  const smallest = Math.floor(test / classes);
  const withheld = classes < 2 ? "all samples are of the same class"
    : smallest <= k ? `the smallest class has ${smallest} ${smallest === 1 ? "sample" : "samples"}, k = ${k} needs at least ${k + 1} samples per class` : null;
  return {
    samples: test, dimensions: 128, classes, label_entropy: entropy, mixed_ksg: withheld ? null : 0.77 * entropy,
    interval: withheld || test / 10 < 2 * k * classes ? null : [0.758 * entropy, 0.781 * entropy], share: withheld ? null : 0.77, withheld, k,
    label_scale: 2, bounds: bounds(entropy, 1, test),
  };
}

function summary(name, { classes, accuracy, noise, train, test, epochs, seed, loss }) {
  const few = test / classes < 10 ? classes : 0;
  return {
    run: `runs/demo/${name}`, version: "0.1.0", dataset: "fashion-mnist", loss, encoder: "resnet-small", seed, label_noise: noise,
    wrong_labels: Math.round(noise * train), samples: { train, test, skipped: 0 },
    data: { train_fingerprint: `train-${train}`, test_fingerprint: `test-${test}` }, classes,
    test_classes: { with_samples: Math.min(test, classes), with_few_samples: few, few_below: 10 }, epochs, protocol: "nearest-centroid",
    accuracy: { last: accuracy, last_top5: Math.min(0.995, accuracy + 0.22), best: accuracy, best_epoch: epochs, reported: accuracy, reported_epoch: "last" },
    protocols: { "nearest-centroid": protocol(accuracy, test, false), knn: protocol(accuracy + 0.018, test, true), probe: protocol(accuracy + 0.026, test, true) },
    retrieval: { queries: test, recall_at_1: 0.742, recall_at_2: 0.8454, recall_at_4: 0.9144, recall_at_8: 0.9526, r_precision: 0.6208605210420833, map_at_r: 0.504, nmi: 0.6723 },
    information: information(test, classes),
    images_per_second: 2136.0259444121734, seconds: { train: 22.47, waiting_for_data: 0.0014, eval: 0.84, total: 200.4 },
  };
}

function audit(random, classes, { samples, noise, images }) {
  const pick = (i) => classes[i % classes.length];
  const worst = range(60, (i) => ({ index: 97 * i, name: String(97 * i), given: pick(7 * i), suggested: pick(7 * i + 1 + (i % 4)), score: 0.999 - 0.002 * i, wrong: noise > 0 ? random() < 0.95 : null }));
  return {
    samples, flagged: Math.round(samples * (noise + 0.01)), noise_rate: noise + 0.004,
    mistakes: range(6, (i) => ({ class: pick(3 * i), labeled: pick(3 * i + 2), share: 0.05 - 0.004 * i })),
    check: noise > 0 ? { wrong: Math.round(samples * noise), precision: 0.951, recall: 0.938, average_precision: 0.979 } : null, worst, images,
  };
}

const STANDARD = {
  seed: "1", threads: "2", version: null, "augment.brightness": "0.4", "augment.crop_scale_min": "0.2", "augment.flip_probability": "0.5",
  "augment.views": "2", "augment.audio.gain_db": "6.0", "dataset.label_noise.mode": "'uniform_other'", "dataset.label_noise.rate": "0.0",
  "dataset.max_train": "0", "dataset.name": null, "encoder.dim": "128", "encoder.name": "'resnet18'", "eval.every": "1", "input.image_size": "0",
  "input.mean": "[]", "loss.beta": "1.0", "loss.name": "'projnce'", "loss.temperature": "0.07", "train.batch_size": "128", "train.epochs": "100",
  "train.learning_rate": "0.003", "train.schedule": "'cosine'", "train.weight_decay": "1e-04",
};

function config({ loss, seed, noise, epochs, dataset = "fashion-mnist" }) {
  const own = { seed: String(seed), version: "'0.1.0'", "augment.crop_scale_min": "0.5", "dataset.label_noise.rate": String(noise), "dataset.max_train": "6000",
    "dataset.name": `'${dataset}'`, "encoder.name": "'resnet-small'", "eval.every": "8", "input.image_size": "28", "input.mean": "[0.28492879051620645]",
    "loss.name": `'${loss}'`, "loss.temperature": "0.1", "train.epochs": String(epochs) };
  return Object.entries(STANDARD).map(([key, standard]) => ({ key, value: own[key] ?? standard, standard }));
}

/** Makes a run; `options` override the defaults. */
export function makeRun(options = {}) {
  const o = { name: "projnce-1", classes: FASHION, kind: "image", seed: 1, loss: "projnce", noise: 0.4, accuracy: 0.7452, epochs: 8, train: 6000, test: 5000,
    points: 5000, images: null, worstImages: null, names: null, ...options };
  const random = generator(o.seed * 7919 + o.classes.length + Math.round(o.noise * 100));
  const k = o.classes.length;
  const set = { classes: k, accuracy: o.accuracy, names: o.names, images: o.images };
  return {
    name: o.name, path: `runs/demo/${o.name}`, state: "finished",
    commands: [`build/projnce train experiments/fashion-mnist/noise.toml --loss ${o.loss} --seed ${o.seed} --out runs/demo/${o.name}`],
    kind: o.kind, classes: o.classes,
    summary: summary(o.name, { ...o, classes: k }),
    curves: curves(random, { epochs: o.epochs, final: o.accuracy, entropy: Math.log(k) }),
    config: config(o),
    test: sampleSet(random, { ...set, count: Math.min(o.points, o.test), total: o.test }),
    train: sampleSet(random, { ...set, count: Math.min(o.points, o.train), total: o.train, noise: o.noise }),
    confusion: confusion(random, k, o.test, o.accuracy),
    audit: audit(random, o.classes, { samples: o.train, noise: o.noise, images: o.worstImages }),
    missing: [],
  };
}

export function makePage(runs, options = {}) {
  return { format: 1, program: "projnce 0.1.0", written: "2026-03-01T12:00:00Z", title: runs.length === 1 ? runs[0].name : `${runs.length} runs`, refresh: 0, runs, ...options };
}

export const demoPage = (options) => makePage([makeRun(options)]);
export const hundredClasses = () => demoPage({ name: "cifar100", classes: range(100, (i) => `class ${i}`), accuracy: 0.58 });
export const audioPage = () => demoPage({ name: "speech", kind: "audio", noise: 0, classes: ["yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go"],
  names: (i) => `speech/clip_${i}.wav`, accuracy: 0.913 });

/** An unfinished run after `done` of eight epochs, not evaluated yet. */
export function runningPage(done = 3) {
  const run = makeRun();
  const random = generator(5);
  Object.assign(run, { state: "running", summary: null, test: null, train: null, confusion: null, audit: null,
    curves: curves(random, { epochs: 8, done, final: 0.7452, entropy: Math.log(10) }), missing: ["Map: available when the run is finished."] });
  return makePage([run], { refresh: 2 });
}

/** One second of a 440 Hz tone as WAV, in the format of io/audio/audio_file.cpp. */
export function toneWav(rate = 8000) {
  const samples = Int16Array.from({ length: rate }, (_, i) => 9000 * Math.sin((2 * Math.PI * 440 * i) / rate));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0), head.writeUInt32LE(36 + 2 * rate, 4), head.write("WAVEfmt ", 8), head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20), head.writeUInt16LE(1, 22), head.writeUInt32LE(rate, 24), head.writeUInt32LE(2 * rate, 28);
  head.writeUInt16LE(2, 32), head.writeUInt16LE(16, 34), head.write("data", 36), head.writeUInt32LE(2 * rate, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]).toString("base64");
}

export const HOSTILE = ["<script>window.__hit=1</script>", '"><img src=x onerror="window.__hit=1">', "</script><svg onload=window.__hit=1>", "{{script}}", "=cmd|' /C calc'!A0", "a\u0000b\u0007c", "\u202eevil", "javascript:alert(1)", "x".repeat(200), ""];
export function hostilePage() {
  const run = makeRun({ classes: HOSTILE, points: 500, names: (i) => HOSTILE[i % 9].replace("\n", "") });
  Object.assign(run, { name: HOSTILE[0], path: HOSTILE[1], commands: [HOSTILE[1], HOSTILE[2]], missing: [HOSTILE[0]] });
  run.config.push({ key: HOSTILE[0], value: HOSTILE[1], standard: HOSTILE[2] });
  run.audit.worst[0].name = HOSTILE[1];
  return makePage([run], { title: HOSTILE[2] });
}

const METHODS = { supcon: 0.735, projnce: 0.749, "projnce-mlp": 0.764 };
export function severalRuns({ seeds = 3, rates = [0.2, 0.4], points = 1000 } = {}) {
  const runs = [];
  for (const rate of rates)
    for (const [loss, accuracy] of Object.entries(METHODS))
      for (let seed = 1; seed <= seeds; seed++)
        runs.push(makeRun({ name: `${loss}-${100 * rate}-${seed}`, loss, seed, noise: rate, points, accuracy: accuracy + 0.1 * (0.4 - rate) + 0.004 * (seed - 2) }));
  return makePage(runs);
}

/** Sheets of small drawings, rendered by a browser page. */
export async function drawImages(browserPage, count, side = 28) {
  const sheets = await browserPage.evaluate(({ count, side }) => {
    const perSheet = 1024, out = [];
    for (let first = 0; first < count; first += perSheet) {
      const n = Math.min(perSheet, count - first);
      const canvas = Object.assign(document.createElement("canvas"), { width: 32 * side, height: Math.ceil(n / 32) * side });
      const c = canvas.getContext("2d");
      for (let i = 0; i < n; i++) {
        c.fillStyle = "#000";
        c.fillRect((i % 32) * side, Math.floor(i / 32) * side, side, side);
        c.fillStyle = `hsl(0 0% ${50 + ((i * 37) % 50)}%)`;
        c.beginPath();
        c.ellipse((i % 32) * side + side / 2, Math.floor(i / 32) * side + side / 2, side * (0.15 + ((i * 13) % 30) / 100), side * (0.2 + ((i * 7) % 25) / 100), i, 0, 7);
        c.fill();
      }
      out.push(canvas.toDataURL("image/jpeg", 0.8).split(",")[1]);
    }
    return out;
  }, { count, side });
  return { side, columns: 32, perSheet: 1024, sheets };
}
