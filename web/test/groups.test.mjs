import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRun } from "./fixtures.mjs";
import { load } from "./modules.mjs";

const { compareRuns } = await load("compare/groups.ts");

/** A run with the given settings. */
function run(name, settings, options = {}) {
  const made = makeRun({ name, points: 10, ...options });
  for (const [key, value] of Object.entries(settings)) {
    made.config = [...made.config.filter((entry) => entry.key !== key), { key, value, standard: null }];
  }
  return made;
}

test("seeds and logging settings do not define a method", () => {
  const { methods, conditions } = compareRuns([
    run("a", { "report.page": "true", "train.log_every": "50", "dataset.label_noise.seed": "1" }, { seed: 1 }),
    run("b", { "report.page": "false", "train.log_every": "10", "dataset.label_noise.seed": "2" }, { seed: 2 }),
  ]);
  assert.deepEqual(methods, ["projnce"]);
  assert.equal(conditions.length, 1);
});

test("loss settings define a method, dataset settings a condition", () => {
  const { methods, conditions } = compareRuns([
    run("a", { "loss.beta": "1.0" }, { noise: 0.2 }),
    run("b", { "loss.beta": "5.0" }, { noise: 0.2 }),
    run("c", { "loss.beta": "1.0" }, { noise: 0.4 }),
  ]);
  assert.deepEqual(methods, ["projnce, beta 1", "projnce, beta 5"]);
  assert.deepEqual(conditions, ["20 % label noise", "40 % label noise"].map((text) => text.replace(" %", "\u202f%")));
});

test("methods and conditions are in natural order", () => {
  const { methods, conditions } = compareRuns([
    run("a", {}, { loss: "supcon", noise: 0.4 }),
    ...["1.0", "10.0", "5.0"].map((beta) => run(`b${beta}`, { "loss.beta": beta }, { noise: 0.4 })),
    run("c", {}, { loss: "supcon", noise: 0 }),
  ]);
  assert.deepEqual(methods, ["supcon", "projnce, beta 1", "projnce, beta 5", "projnce, beta 10"]);
  assert.equal(conditions[0], "no label noise");
});

/** A run on a folder with the given fingerprints. */
function folderRun(name, { root = "/data/photos", train = "t", test = "e", tests = 203, seed = 1, loss = "projnce", settings = {} } = {}) {
  const made = run(name, { "dataset.name": "'folder'", "dataset.root": `'${root}'`, ...settings }, { seed, loss, noise: 0, test: tests });
  Object.assign(made.summary, { dataset: "folder", data: test === null ? undefined : { train_fingerprint: train, test_fingerprint: test } });
  return made;
}

test("folder datasets use the folder name, and fingerprints identify data", () => {
  const { conditions, remarks } = compareRuns([folderRun("a"), folderRun("b", { loss: "supcon", root: "/elsewhere/photos-copy/" })]);
  assert.deepEqual(conditions, ["photos"]);
  assert.deepEqual(remarks, []);
});

test("runs on different test sets are different conditions, even with equal settings", () => {
  const { conditions, remarks, entries } = compareRuns([folderRun("before"), folderRun("after", { test: "e2", train: "t2", tests: 210, seed: 2 })]);
  assert.deepEqual(conditions, ["photos, test set A (203\u00a0samples)", "photos, test set B (210\u00a0samples)"]);
  assert.notEqual(entries[0].condition, entries[1].condition);
  assert.match(remarks[0], /2 different test sets/);
});

test("different training data is another condition, unless the seed draws it", () => {
  const more = compareRuns([folderRun("a"), folderRun("b", { train: "t2" })]);
  assert.equal(more.conditions.length, 2);
  assert.match(more.conditions[1], /training data B/);
  const drawn = { "dataset.label_fraction": "0.5" };
  const thin = compareRuns([folderRun("a", { settings: drawn }), folderRun("b", { train: "t2", seed: 2, settings: drawn })]);
  assert.equal(thin.conditions.length, 1);
});

test("runs without fingerprints are grouped separately, by their settings", () => {
  const { conditions, remarks } = compareRuns([folderRun("new"), folderRun("old", { test: null }), folderRun("older", { test: null, seed: 2 }), folderRun("other", { test: null, root: "/data/clips" })]);
  assert.equal(conditions.length, 3);
  assert.ok(conditions.some((text) => text.startsWith("clips")));
  assert.ok(conditions.some((text) => /not recorded/.test(text)));
  assert.ok(remarks.some((text) => /did not record/.test(text)));
});
