import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRun } from "./fixtures.mjs";
import { load } from "./modules.mjs";

const { compareRuns } = await load("compare/groups.ts");

/** A run with some settings of its own. */
function run(name, settings, options = {}) {
  const made = makeRun({ name, points: 10, ...options });
  for (const [key, value] of Object.entries(settings)) {
    made.config = [...made.config.filter((entry) => entry.key !== key), { key, value, standard: null }];
  }
  return made;
}

test("seeds and what is only recorded make no other method", () => {
  const { methods, conditions } = compareRuns([
    run("a", { "report.page": "true", "train.log_every": "50", "dataset.label_noise.seed": "1" }, { seed: 1 }),
    run("b", { "report.page": "false", "train.log_every": "10", "dataset.label_noise.seed": "2" }, { seed: 2 }),
  ]);
  assert.deepEqual(methods, ["projnce"]);
  assert.equal(conditions.length, 1);
});

test("a setting of the loss does, and data that differs is another condition", () => {
  const { methods, conditions } = compareRuns([
    run("a", { "loss.beta": "1.0" }, { noise: 0.2 }),
    run("b", { "loss.beta": "5.0" }, { noise: 0.2 }),
    run("c", { "loss.beta": "1.0" }, { noise: 0.4 }),
  ]);
  assert.deepEqual(methods, ["projnce, beta 1", "projnce, beta 5"]);
  assert.deepEqual(conditions, ["20 % wrong labels", "40 % wrong labels"].map((text) => text.replace(" %", "\u202f%")));
});

test("methods and conditions stand in the order in which people count", () => {
  const { methods, conditions } = compareRuns([
    run("a", {}, { loss: "supcon", noise: 0.4 }),
    ...["1.0", "10.0", "5.0"].map((beta) => run(`b${beta}`, { "loss.beta": beta }, { noise: 0.4 })),
    run("c", {}, { loss: "supcon", noise: 0 }),
  ]);
  assert.deepEqual(methods, ["supcon", "projnce, beta 1", "projnce, beta 5", "projnce, beta 10"]);
  assert.equal(conditions[0], "labels as given");
});
