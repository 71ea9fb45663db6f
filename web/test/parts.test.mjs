/** Modules that need no browser, and the committed build in dist. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assemble } from "../tools/assemble.mjs";
import { demoPage, HOSTILE } from "./fixtures.mjs";
import { load } from "./modules.mjs";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");

test("formats numbers", async () => {
  const { count, percent, percentRange, nats, short, duration } = await load("format.ts");
  assert.equal(count(12345), "12\u202f345");
  assert.equal(count(-1234567), "\u22121\u202f234\u202f567");
  assert.equal(percent(0.7649), "76.5\u202f%");
  assert.equal(percentRange(0.733, 0.7572), "73.3\u2009\u2013\u200975.7\u202f%");
  assert.equal(nats(1.8349), "1.83\u00a0nats");
  assert.deepEqual([0, 6.5338, 0.003, 6.38e-5, -8.776, 12345, NaN].map((v) => short(v)), ["0", "6.534", "0.003", "6.4e\u22125", "\u22128.776", "12\u202f345", "\u2013"]);
  assert.deepEqual([0.84, 9.96, 59.7, 200, 3600, 7505, 90061].map((v) => duration(v).replaceAll("\u00a0", " ")), ["0.84 s", "10 s", "1 min", "3 min 20 s", "1 h", "2 h 5 min", "1 d 1 h"]);
});

test("writes tables as CSV", async () => {
  const { csv } = await load("csv.ts");
  const table = { columns: ["a,b", 'say "x"'], rows: [["two\nlines", -1.5], ["=1+1", null]] };
  assert.equal(csv(table), '"a,b","say ""x"""\r\n"two\nlines",-1.5\r\n\'=1+1,\r\n');
});

test("decodes packed numbers as little-endian", async () => {
  const { unpack8, unpack16, unpack32 } = await load("packed.ts");
  const packed = Buffer.from([1, 2, 3, 255]).toString("base64");
  assert.deepEqual([...unpack8(packed)], [1, 2, 3, 255]);
  assert.deepEqual([...unpack16(packed)], [0x0201, 0xff03]);
  assert.deepEqual([...unpack32(packed)], [0xff030201]);
});

test("class colors: a fixed palette of twenty, generated and distinct beyond", async () => {
  const { classColors } = await load("colors.ts");
  assert.deepEqual(classColors(3), ["#36509C", "#E08C1D", "#0C919E"]);
  assert.equal(classColors(20)[19], "#E04A9C");
  const many = classColors(100);
  assert.equal(new Set(many).size, 100);
  assert.notEqual(many[0], "#36509C");
});

test("ticks are round numbers", async () => {
  const { ticks, logTicks, smallestStep } = await load("chart/ticks.ts");
  assert.deepEqual(ticks(0.13, 0.92, 5), [0.2, 0.4, 0.6, 0.8]);
  assert.deepEqual(ticks(1, 3, 8, smallestStep(1, 3)), [1, 2, 3]);
  assert.deepEqual(logTicks(0.9, 60), [1, 2, 5, 10, 20, 50]);
});

test("the axis of a constant shows its value", async () => {
  const { yEnds } = await load("chart/spec.ts");
  const [low, high] = yEnds({ title: "", xLabel: "", yLabel: "", series: [] }, [0.003, 0.003]);
  assert.ok(0.001 < low && low < 0.003 && 0.003 < high && high < 0.005, `${low} to ${high}`);
  assert.deepEqual(yEnds({ title: "", xLabel: "", yLabel: "", series: [] }, [0, 0]), [-0.5, 0.5]);
});

test("a chart's table has one row per x and columns for bands", async () => {
  const { tableOf } = await load("chart/spec.ts");
  const series = [
    { name: "a", color: "red", x: [1, 2], y: [5, null], low: [4, null], high: [6, null] },
    { name: "b", color: "red", x: [2, 3], y: [7, 8] },
  ];
  assert.deepEqual(tableOf({ title: "", xLabel: "epoch", yLabel: "", series }), {
    columns: ["epoch", "a", "a low", "a high", "b"],
    rows: [[1, 5, 4, 6, null], [2, null, null, null, 7], [3, null, null, null, 8]],
  });
});

test("data cannot end its element, titles are escaped, inserted text is not expanded", () => {
  const html = assemble({ ...demoPage({ classes: HOSTILE, points: 10 }), title: '{{script}}<b>"&' });
  assert.ok(html.includes("<title>{{script}}&lt;b&gt;&quot;&amp;</title>"));
  const data = html.split('id="data">')[1].split("</script>")[0];
  assert.ok(!data.includes("<"));
  assert.deepEqual(JSON.parse(data).runs[0].classes, HOSTILE);
});

test("the sources type-check", () => {
  execFileSync(process.execPath, [join(web, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", web], { stdio: "pipe" });
});

test("missing numbers are dashes", async () => {
  const { count, percent, nats, short, duration, intervalText } = await load("format.ts");
  for (const write of [count, percent, nats, short, duration])
    for (const missing of [null, NaN, Infinity]) assert.equal(write(missing), "\u2013");
  assert.equal(intervalText(null), "\u2013");
  assert.equal(intervalText([0.5, 1]), "50.0\u2009\u2013\u2009100.0\u202f%");
});

test("intervals of proportions are Clopper-Pearson intervals", async () => {
  const { clopperPearson } = await load("beta.ts");
  const cases = [[6, 6, 0.54074187356, 1], [0, 7, 0, 0.409616397225], [1, 2, 0.0125791170934, 0.987420882907], [3, 20, 0.0320709371855, 0.378926826545], [9000, 10000, 0.893953100096, 0.905812788266]];
  for (const [successes, trials, low, high] of cases) {
    const found = clopperPearson(successes, trials);
    assert.ok(Math.abs(found[0] - low) < 1e-8 && Math.abs(found[1] - high) < 1e-8, `${successes} of ${trials}: ${found}`);
  }
});

test("dist is up to date", () => {
  const directory = mkdtempSync(join(tmpdir(), "report-build-"));
  execFileSync(process.execPath, [join(web, "build.mjs"), "--out", directory]);
  for (const name of ["report.js", "report.css"])
    assert.ok(readFileSync(join(directory, name)).equals(readFileSync(join(web, "dist", name))), `${name} is out of date; run: npm run build`);
  rmSync(directory, { recursive: true });
});
