/** Reports of all kinds of runs, including edge cases: each must open without errors and show its numbers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { skip, startBrowser } from "./browser.mjs";
import { hundredClasses, makePage, makeRun } from "./fixtures.mjs";

const names = (n, make = (i) => `class ${i}`) => Array.from({ length: n }, (_, i) => make(i));
const long = (text) => (text + " a rather long name").padEnd(200, " of a class with many words");
const small = (test, options = {}) => makeRun({ name: `tests-${test}`, test, train: 4 * test, points: 500, classes: names(2), noise: 0, ...options });
const packed = (counts) => Buffer.from(Uint32Array.from(counts).buffer).toString("base64");

/** A plural after the number one. */
const PLURAL_OF_ONE = /(?<![\d.,\u202f])\b1[ \u00a0](?:(?:more|test|train|training|validation|wrong) )?(?:classes|epochs|images|labels|rows|runs|samples|seeds|settings|values)\b/m;

/** Replaces every measured number by null, the JSON form of NaN. */
function withoutNumbers(value, keep = new Set(["samples", "classes", "test_classes", "epochs", "seed", "k", "label_noise", "wrong_labels", "ranks"])) {
  if (typeof value === "number") return null;
  if (Array.isArray(value)) return value.length === 2 && value.every((v) => typeof v === "number") ? null : value.map((v) => withoutNumbers(v, keep));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, keep.has(key) ? v : withoutNumbers(v, keep)]));
}

function nanRun() {
  const run = small(20, { name: "nan" });
  run.summary = withoutNumbers(run.summary);
  for (const columns of [run.curves.steps, run.curves.epochs, ...Object.values(run.curves.tests)])
    for (const name of Object.keys(columns)) if (!["step", "epoch"].includes(name)) columns[name] = columns[name].map(() => null);
  run.audit.noise_rate = null;
  for (const worst of run.audit.worst) worst.score = null;
  for (const mistake of run.audit.mistakes) mistake.share = null;
  return run;
}

const changed = (run, changes) => Object.assign(run, changes);
const empty = { steps: {}, epochs: {}, tests: {}, events: [] };
const unfinished = { summary: null, test: null, train: null, confusion: null, audit: null };

/** Factories of runs, by their peculiarity. */
const RUNS = {
  ...Object.fromEntries([2, 3, 20, 99, 100].map((n) => [`${n} test samples`, () => small(n)])),
  "2 test samples of 10 classes": () => small(2, { classes: names(10) }),
  "one test sample": () => small(1),
  "one class in the test split": () => {
    const run = small(12, { name: "one-class" });
    const { information } = small(12, { classes: names(1) }).summary;
    run.summary.information = information;
    run.confusion.counts = packed([11, 1, 0, 0]);
    return run;
  },
  "classes without test samples": () => changed(small(30, { name: "gaps", classes: names(4) }), { confusion: { protocol: "nearest-centroid", counts: packed([14, 1, 0, 0, 0, 0, 0, 0, 3, 0, 12, 0, 0, 0, 0, 0]) } }),
  "no information": () => { const run = small(4, { name: "no-information" }); run.summary.information = null; return run; },
  "no retrieval": () => { const run = small(4, { name: "no-retrieval" }); run.summary.retrieval = null; return run; },
  "no map": () => changed(small(50, { name: "no-map" }), { test: null, train: null, missing: ["Map of test samples: too few samples."] }),
  "no audit": () => changed(small(50, { name: "no-audit" }), { audit: null }),
  "an audit without flagged labels": () => { const run = small(50, { name: "clean" }); Object.assign(run.audit, { worst: [], mistakes: [], flagged: 0 }); return run; },
  "NaN metrics": nanRun,
  "stopped before the first step": () => changed(small(50, { name: "stopped-0" }), { ...unfinished, state: "stopped", curves: empty, commands: [] }),
  "stopped after an epoch": () => changed(small(50, { name: "stopped-1", epochs: 1 }), { ...unfinished, state: "stopped" }),
  "one epoch": () => small(50, { name: "one-epoch", epochs: 1 }),
  "300 classes": () => changed(small(900, { name: "many", classes: names(300) }), { confusion: null, missing: ["Confusion matrix: omitted for 300 classes (limit: 256)."] }),
  "256 classes": () => small(900, { name: "most", classes: names(256) }),
  "names of 200 characters": () => small(50, { name: long("run"), classes: names(12, (i) => long(`class ${i}`)), names: (i) => long(`file-${i}`) }),
  "names of 200 letters": () => small(50, { name: "r".repeat(200), classes: names(3, (i) => String(i).repeat(200)), names: (i) => "f".repeat(200) + i }),
  "a summary of an older version": () => {
    const run = small(40, { name: "old" });
    const { summary } = run;
    for (const key of ["data", "test_classes"]) delete summary[key];
    delete summary.information.withheld;
    const legacy = { temperature: 0.1, projnce: 4.7, class_vectors: 4.2 };
    Object.assign(summary.information, { mixed_ksg: 0.5, share: 0.7, interval: null, bounds: legacy });
    delete run.curves.tests.information;
    run.curves.epochs.mi_bound = run.curves.epochs.epoch.map(() => 4.7);
    delete run.audit.clips;
    return run;
  },
};

describe("reports of all kinds of runs", { skip }, () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser.close());

  async function check(runs, options = {}) {
    const page = await browser.open(makePage(runs), options);
    await page.waitForTimeout(150); // charts are drawn after layout
    assert.deepEqual(page.problems, []);
    assert.equal(await page.locator("#failure, .failed").count(), 0);
    assert.equal(await page.locator("#numbers").count(), 0, "the page shows the numbers itself");
    assert.ok((await page.locator("main").innerText()).length > 40);
    assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|null|Infinity/);
    assert.doesNotMatch(await page.locator("main").innerText(), PLURAL_OF_ONE);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, "nothing is wider than the window");
    return page;
  }

  for (const [what, make] of Object.entries(RUNS)) {
    test(what, async () => {
      const run = make();
      const page = await check([run]);
      assert.equal(await page.locator("h1").innerText(), run.name);
      if (run.summary?.accuracy.reported) {
        const text = (await page.locator("#overview").innerText()).replace(/\s/g, "");
        assert.ok(text.includes(`${(100 * run.summary.accuracy.reported).toFixed(1)}%`), text);
      }
      await page.close();
      const phone = await check([run], { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
      await phone.close();
      const twin = { ...run, name: `${run.name} again` };
      const comparison = await check([run, twin, small(100, { name: "second" })]);
      await comparison.locator("#runs a").first().click();
      await comparison.locator("#overview h1").waitFor();
      assert.deepEqual(comparison.problems, []);
      assert.equal(await comparison.locator("#failure, .failed").count(), 0);
      await comparison.close();
    });
  }

  test("invalid bounds of older runs are not shown", async () => {
    const page = await check([RUNS["a summary of an older version"]()]);
    assert.match(await page.locator(".information").innerText(), /about 0\.50/);
    assert.doesNotMatch(await page.locator("main").innerText(), /4\.70|4\.20|ower bound/);
    await page.close();
  });

  test("explains withheld estimates and marks small classes", async () => {
    const page = await check([RUNS["2 test samples of 10 classes"]()]);
    assert.match(await page.locator(".information").innerText(), /No Mixed KSG estimate: the smallest class has 0 samples/);
    assert.match(await page.locator("#classes").innerText(), /\* 10\sclasses have fewer than 10 test samples/);
    await page.close();
    const enough = await check([small(100)]);
    assert.match(await enough.locator(".information").innerText(), /too few samples for an interval/);
    assert.match(await enough.locator(".information").innerText(), /information about the class, up to the standard error\. Measured on \d+\stest samples/);
    assert.match(await enough.locator(".information").innerText(), /at least 0\.50 ± 0\.01\snats of 0\.69\snats/);
    assert.equal(await enough.locator(".few").count(), 0);
    await enough.close();
  });

  test("does not rank or subtract accuracies on different test sets", async () => {
    const runs = () => [small(100, { name: "a", loss: "supcon", accuracy: 0.6 }), small(100, { name: "b", accuracy: 0.8 })];
    const same = await check(runs());
    assert.equal(await same.locator("#results .best").count(), 1);
    assert.match(await same.locator("#results").innerText(), /\+20\.0/);
    await same.close();
    const [a, b] = runs();
    b.summary.data.test_fingerprint = "other";
    const page = await check([a, b]);
    assert.equal(await page.locator("#results .best").count(), 0);
    assert.doesNotMatch(await page.locator("#results").innerText(), /\+20\.0/);
    assert.match(await page.locator("main").innerText(), /2 different test sets/);
    await page.close();
  });

  test("an audit of features that do not separate the classes lists no labels", async () => {
    const run = small(50, { name: "not-informative" });
    run.audit.skill = { informative: false, held_out_accuracy: 0.5, chance_accuracy: 0.5 };
    const page = await check([run]);
    assert.match(await page.locator("#labels").innerText(), /predict 50\.0\s%[^]*has 50\.0\s%[^]*do not separate the classes/);
    assert.equal(await page.locator("#labels .label-issue, #labels .chips").count(), 0);
    await page.close();
    run.audit.skill = { informative: false, held_out_accuracy: 0.9, chance_accuracy: 0.5, too_few_samples: true };
    const few = await check([run]);
    assert.match(await few.locator("#labels").innerText(), /too few samples/);
    assert.doesNotMatch(await few.locator("#labels").innerText(), /do not separate/);
    await few.close();
  });

  test("the highest scores of labels that are not flagged are not called issues", async () => {
    const run = small(50, { name: "none-flagged" });
    run.audit.flagged = 0;
    const page = await check([run]);
    assert.match(await page.locator("#labels").innerText(), /0 of .* are flagged[^]*Highest scores/);
    assert.doesNotMatch(await page.locator("#labels h3").last().innerText(), /issue/);
    await page.close();
  });

  test("label issues name the validation split", async () => {
    const run = small(50, { name: "validation" });
    run.audit.splits = [["train", 160], ["test", 50], ["validation", 40]].map(([split, n]) => ({ split, samples: n, audited: n }));
    run.audit.worst[0].split = "validation";
    const page = await check([run]);
    assert.match(await page.locator("#labels").innerText(), /Audited 160\straining labels, 50\stest labels and 40\svalidation labels/);
    const cards = page.locator("#labels .label-issue");
    assert.match(await cards.nth(0).innerText(), /validation/);
    assert.doesNotMatch(await cards.nth(1).innerText(), /validation/);
    await page.close();
  });

  test("samples that are not flagged have no suggestion", async () => {
    const run = small(50, { name: "not-flagged", classes: names(5) });
    run.audit.worst[0].suggested = run.audit.worst[0].given;
    const page = await check([run]);
    const cards = page.locator("#labels .label-issue");
    assert.equal(await cards.nth(0).locator(".given").count(), 0);
    assert.equal(await cards.nth(1).locator(".given").count(), 1);
    await page.close();
  });

  test("a chart of a single value shows it in the middle", async () => {
    const run = small(50, { name: "one-step", epochs: 1 });
    for (const columns of [run.curves.steps, run.curves.epochs])
      for (const name of Object.keys(columns)) columns[name] = columns[name].slice(0, 1);
    const page = await check([run]);
    const over = page.locator("#training figure", { hasText: "Gradient norm" }).locator(".u-over");
    await over.hover();
    const [box, point] = [await over.boundingBox(), await over.locator(".u-cursor-pt").first().boundingBox()];
    assert.ok(Math.abs(point.x + point.width / 2 - box.x - box.width / 2) < 0.1 * box.width);
    await page.close();
  });

  test("shows no calibration error for cosine similarities", async () => {
    const page = await check([small(100)]);
    const cells = await page.locator(".protocols tbody tr").evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent, row.cells[4].textContent]));
    assert.deepEqual(cells.map(([name, error]) => [name, error === "–"]), [["nearest-centroid", true], ["knn", false], ["probe", false]]);
    await page.close();
    const old = RUNS["a summary of an older version"]();
    for (const protocol of Object.values(old.summary.protocols)) protocol.calibration_error = 0.31;
    const older = await check([old]);
    assert.equal(await older.locator(".protocols tbody tr").first().locator("td").last().innerText(), "–");
    await older.close();
  });

  describe("errors", () => {
    const numbers = async (page) => (await page.locator("#numbers").innerText()).replace(/\s+/g, " ");

    test("a failed section shows a note and the others stay", async () => {
      const run = small(100);
      run.curves.epochs = null;
      const page = await browser.open(makePage([run]));
      assert.match(await page.locator("#training .failed").innerText(), /"Training" could not be displayed: TypeError/);
      assert.match(await page.locator("#overview").innerText(), /74\.5/);
      assert.equal(await page.locator("#classes .sortable tbody tr").count(), 2);
      assert.equal(await page.locator("#numbers").count(), 0);
      await page.close();
    });

    test("a failed overview restores the static results", async () => {
      const run = small(100);
      run.summary.accuracy = null;
      const page = await browser.open(makePage([run]));
      assert.match(await page.locator("#failure").innerText(), /could not be displayed[\s\S]*TypeError/);
      assert.match(await numbers(page), /nearest-centroid 74\.5 %/);
      assert.equal(await page.locator("#classes .sortable tbody tr").count(), 2);
      await page.close();
    });

    test("unreadable data restores the static results", async () => {
      const page = await browser.open(makePage([small(100)]), { wait: "#numbers", before: [() => { JSON.parse = () => { throw new Error("corrupt"); }; }] });
      assert.match(await page.locator("#failure").innerText(), /Error: corrupt/);
      assert.match(await numbers(page), /nearest-centroid 74\.5 %/);
      await page.close();
    });

    test("an error in a callback is reported", async () => {
      const page = await browser.open(makePage([small(100)]));
      await page.evaluate(() => setTimeout(() => { throw new Error("later"); }));
      await page.waitForSelector("#failure");
      assert.match(await page.locator("#failure").innerText(), /Error: later/);
      assert.match(await numbers(page), /nearest-centroid 74\.5 %/);
      await page.close();
    });

    test("without JavaScript, shows the static results and a hint", async () => {
      const page = await browser.open(hundredClasses(), { javaScriptEnabled: false, wait: "#numbers" });
      assert.match(await numbers(page), /JavaScript.*disabled.*nearest-centroid 58\.0 %/);
      await page.close();
    });
  });
});
