import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const stats = await load("compare/stats.ts");

const near = (actual, expected, within = 1e-6) => assert.ok(Math.abs(actual - expected) < within, `${actual} is not ${expected}`);
const seeded = (...values) => values.map((value, i) => ({ seed: i + 1, value }));

test("quantiles of Student's t match published tables", () => {
  const table = { 1: 12.706205, 2: 4.302653, 3: 3.182446, 4: 2.776445, 10: 2.228139, 30: 2.042272, 100: 1.983972 };
  for (const [freedom, t] of Object.entries(table)) near(stats.tQuantile95(Number(freedom)), t, 2e-6);
  near(stats.tQuantile95(1e6), 1.959966, 1e-5);
});

test("one degree of freedom is the Cauchy distribution, two have a closed form", () => {
  near(stats.tQuantile95(1), Math.tan(Math.PI * 0.475), 1e-6);
  near(stats.tQuantile95(2), (2 * 0.475) / Math.sqrt(2 * 0.975 * 0.025), 1e-6);
});

test("mean, standard deviation and t interval of the mean", () => {
  near(stats.mean([1, 2, 6]), 3);
  near(stats.deviation([1, 2, 6]), Math.sqrt(7));
  assert.equal(stats.meanInterval([1]), null);
  const [low, high] = stats.meanInterval([1, 2, 6]);
  near(low, 3 - 4.302653 * Math.sqrt(7 / 3), 1e-5);
  near(high, 3 + 4.302653 * Math.sqrt(7 / 3), 1e-5);
});

test("differences are paired if all seeds match, in any order", () => {
  const found = stats.difference(seeded(0.73, 0.74, 0.78), seeded(0.7, 0.72, 0.74).reverse());
  assert.equal(found.how, "paired");
  near(found.value, 0.03);
  near(found.interval[0], 0.03 - (4.302653 * 0.01) / Math.sqrt(3), 1e-6);
});

test("different seeds give Welch's interval", () => {
  const other = seeded(0.71, 0.73, 0.75).map(({ seed, value }) => ({ seed: seed + 3, value }));
  const found = stats.difference(other, seeded(0.7, 0.72, 0.74));
  assert.equal(found.how, "welch");
  near(found.interval[1], 0.01 + 2.776445 * Math.sqrt(0.0008 / 3), 1e-6);
  // Variances 1 and 16 of 2 and 4 values: 4.5 ** 2 / (0.5 ** 2 / 1 + 4 ** 2 / 3) = 3.626866 degrees of freedom.
  const [a, b] = [seeded(0, Math.SQRT2), [-6, -2, 2, 6].map((value, i) => ({ seed: i, value: value * Math.sqrt(0.6) }))];
  near(stats.difference(a, b).interval[1], Math.SQRT1_2 + stats.tQuantile95(3.626865671641791) * Math.sqrt(4.5), 1e-6);
});

test("repeated seeds or a single seed are not paired", () => {
  const twice = [{ seed: 1, value: 0.7 }, { seed: 1, value: 0.8 }];
  assert.equal(stats.difference(twice, seeded(0.7, 0.8)).how, "welch");
  assert.deepEqual(stats.difference(seeded(0.75), seeded(0.5)), { value: 0.25, interval: null, how: "one seed" });
});
