import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { assemble } from "../tools/assemble.mjs";
import { contrasts, unlabeled } from "./accessibility.mjs";
import { skip, startBrowser } from "./browser.mjs";
import { HOSTILE, makePage, makeRun, runningPage, severalRuns } from "./fixtures.mjs";

const plain = (text) => text.replaceAll(/[\u202f\u00a0]/g, " ").replaceAll("\u2212", "−");

/** Accuracies whose intervals can be computed by hand; two methods share seeds, the third has other seeds. */
const ACCURACIES = {
  supcon: { 1: 0.7, 2: 0.72, 3: 0.74 },
  projnce: { 1: 0.73, 2: 0.74, 3: 0.78 },
  "projnce-mlp": { 4: 0.71, 5: 0.73, 6: 0.75 },
};
const byHand = () => makePage(Object.entries(ACCURACIES).flatMap(([loss, seeds]) =>
  Object.entries(seeds).map(([seed, accuracy]) => makeRun({ name: `${loss}-${seed}`, loss, seed: Number(seed), accuracy, points: 300 }))));

const row = (page, name) => page.locator(".comparison tbody tr", { has: page.getByRole("rowheader", { name, exact: true }) });

describe("comparison", { skip }, () => {
  let browser;
  before(async () => { browser = await startBrowser(); });
  afterEach(() => Promise.all(browser.browser.contexts().map((context) => context.close())));
  after(() => browser?.close());

  async function save(page, title, name) {
    const figure = page.locator("figure", { has: page.getByRole("heading", { name: title, exact: true }) });
    await figure.locator("summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), figure.getByRole("button", { name }).click()]);
    return readFile(await download.path());
  }

  test("one condition: list with the best in bold and intervals of differences", async () => {
    const page = await browser.open(byHand());
    assert.equal(await page.locator(".comparison tbody tr").count(), 3);
    assert.equal(await page.locator(".strip-dot").count(), 9);
    assert.deepEqual((await page.locator(".comparison strong").allTextContents()).map(plain), ["75.0 ± 2.6"]);
    assert.equal(plain(await row(page, "supcon").locator(".accuracy").textContent()), "72.0 ± 2.0");
    assert.match(plain(await row(page, "projnce").innerText()), /\+3\.0 \+0\.5 to \+5\.5/);
    assert.match(plain(await row(page, "projnce-mlp").innerText()), /\+1\.0 −3\.5 to \+5\.5/);
    assert.match(await row(page, "supcon").innerText(), /baseline/);
    assert.match(await page.locator("figure .note").first().textContent(), /of the last epoch.*paired by seed, Welch if seeds differ/s);
    assert.deepEqual(page.problems, []);
  });

  test("the baseline changes differences, the protocol changes accuracies", async () => {
    const page = await browser.open(byHand());
    await page.getByLabel("Baseline").selectOption("projnce");
    assert.match(plain(await row(page, "supcon").innerText()), /−3\.0 −5\.5 to −0\.5/);
    assert.match(await row(page, "projnce").innerText(), /baseline/);
    await page.locator("label", { hasText: "Protocol" }).locator("select").selectOption("knn");
    assert.equal(plain(await row(page, "supcon").locator(".accuracy").textContent()), "73.8 ± 2.0");
    assert.equal(await page.getByLabel("Baseline").inputValue(), "projnce");
  });

  test("the saved table has every seed", async () => {
    const page = await browser.open(byHand());
    const lines = (await save(page, "Accuracy by method, nearest-centroid", "Save CSV")).toString().trimEnd().split("\r\n");
    assert.equal(lines.length, 4);
    assert.match(lines[0], /^method,condition,seeds,mean,sd,difference,low,high,interval,seed 1,accuracy 1,/);
    assert.match(lines[2], /^projnce,.*,paired,1,0\.73,2,0\.74,3,0\.78$/);
    assert.match(lines[3], /^projnce-mlp,.*,welch,4,0\.71,5,0\.73,6,0\.75$/);
  });

  test("several conditions: one column each, and trends over varying settings", async () => {
    const page = await browser.open(severalRuns({ points: 200 }));
    assert.deepEqual((await page.locator(".comparison thead th").allTextContents()).map(plain), ["Method", "20 % label noise", "40 % label noise"]);
    assert.equal(await page.locator(".strip-dot").count(), 18);
    assert.deepEqual(await page.locator(".comparison tr", { has: page.locator("strong") }).getByRole("rowheader").allTextContents(), ["projnce-mlp"]);
    assert.equal(await page.locator(".comparison strong").count(), 2);
    const trend = await save(page, "Accuracy vs. label noise rate", "Save CSV");
    assert.match(trend.toString(), /^label noise rate,supcon,supcon low,supcon high,projnce,/);
    assert.equal(trend.toString().trimEnd().split("\r\n").length, 3);
    await page.getByLabel("Condition").selectOption({ index: 1 });
    assert.deepEqual(await page.locator(".tile").evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute("href"))),
      ["#run=supcon-40-1", "#run=projnce-40-1", "#run=projnce-mlp-40-1"]);
    assert.deepEqual(page.problems, []);
  });

  test("runs of one loss are distinguished by the settings that differ", async () => {
    const runs = [0, 1, 5].map((beta) => {
      const run = makeRun({ name: `beta-${beta}`, points: 200, accuracy: 0.7 + 0.01 * beta });
      run.config.find((entry) => entry.key === "loss.beta").value = `${beta}.0`;
      return run;
    });
    const page = await browser.open(makePage(runs));
    assert.deepEqual(await page.locator(".comparison").getByRole("rowheader").allTextContents(), ["projnce, beta 0", "projnce, beta 1", "projnce, beta 5"]);
    assert.match(plain(await row(page, "projnce, beta 5").innerText()), /\+5\.0 one seed/);
    const trend = (await save(page, "Accuracy vs. beta", "Save CSV")).toString().split("\r\n");
    assert.deepEqual(trend.slice(1, 4).map((line) => line.split(",").slice(0, 2).join(" ")), ["0 0.7", "1 0.71", "5 0.75"]);
  });

  test("shows and saves curves, maps and information", async () => {
    const page = await browser.open(byHand());
    const svg = (await save(page, "Loss", "Save SVG")).toString();
    for (const name of Object.keys(ACCURACIES)) assert.ok(svg.includes(name), name);
    assert.match((await save(page, "Mutual information, lower bound", "Save SVG")).toString(), /H\(C\)/);
    assert.equal(await page.locator("#information .drawn .dot-row").count(), 3);
    assert.match((await save(page, "Mutual information I(Z;C)", "Save CSV")).toString(), /^group,mean,low,high,value 1,value 2,value 3\r\n/);
    const maps = (await save(page, "Maps of the test samples", "Save SVG")).toString();
    assert.equal(maps.match(/<circle/g).length, 900);
    assert.equal((await save(page, "Maps of the test samples", "Save PNG")).readUInt32BE(16), 3 * 720);
    assert.deepEqual(page.problems, []);
  });

  test("one legend hides a class in all maps", async () => {
    const page = await browser.open(byHand());
    const before = (await save(page, "Maps of the test samples", "Save SVG")).toString();
    await page.locator("#maps").getByRole("button", { name: "Trouser" }).click();
    const after = (await save(page, "Maps of the test samples", "Save SVG")).toString();
    const orange = (svg) => svg.split("rgb(224,140,29)").length - 1;
    assert.ok(orange(before) > 3);
    assert.equal(orange(after), 0);
  });

  test("a run opens in place and the back button returns", async () => {
    const page = await browser.open(byHand());
    await page.locator("#runs").getByRole("link", { name: "projnce-2", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "projnce-2" }).waitFor();
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Map" }).click();
    assert.equal(new URL(page.url()).hash, "#map");
    assert.ok(await page.getByRole("heading", { level: 1, name: "projnce-2" }).count());
    await page.goBack();
    assert.ok(await page.getByRole("heading", { level: 1, name: "projnce-2" }).count());
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "9 runs" }).waitFor();
    await page.locator(".tile").first().click();
    await page.getByRole("heading", { level: 1, name: "supcon-1" }).waitFor();
    await page.getByRole("link", { name: "All runs" }).click();
    await page.getByRole("heading", { level: 1, name: "9 runs" }).waitFor();
    await page.reload();
    assert.deepEqual(page.problems, []);
  });

  test("unfinished runs are listed but not counted", async () => {
    const data = byHand();
    data.runs.push({ ...runningPage().runs[0], name: "slow" });
    const page = await browser.open(data);
    assert.equal(await page.locator(".comparison tbody tr").count(), 3);
    assert.match(await page.locator("#runs tr", { hasText: "slow" }).innerText(), /running/);
    await page.getByRole("link", { name: "slow" }).click();
    await page.getByRole("heading", { level: 1, name: "slow" }).waitFor();
    assert.deepEqual(page.problems, []);
  });

  test("a run that finishes joins the table, and choices are kept", async () => {
    const first = { ...byHand(), refresh: 0.1 };
    const slow = { ...first.runs.at(-1), state: "running", summary: null };
    let data = { ...first, runs: [...first.runs.slice(0, -1), slow] };
    const page = await browser.browser.newPage();
    await page.route("http://report.test/**", (route) => (route.request().url().endsWith("data.json")
      ? route.fulfill({ json: data })
      : route.fulfill({ contentType: "text/html", body: assemble(data) })));
    await page.goto("http://report.test/");
    assert.equal(await page.locator(".strip-dot").count(), 8);
    const baseline = page.locator("[data-choice=baseline]");
    await baseline.selectOption("projnce");
    await baseline.focus();
    data = first;
    await page.waitForFunction(() => document.querySelectorAll(".strip-dot").length === 9);
    assert.equal(await baseline.inputValue(), "projnce");
    assert.ok(await baseline.evaluate((select) => select === document.activeElement));
  });

  test("contrast is sufficient in both themes, without layout shift", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.open(byHand(), { colorScheme });
      const low = (await contrasts(page)).filter(({ ratio, large }) => ratio < (large ? 3 : 4.5));
      assert.deepEqual(low, []);
      assert.deepEqual(await unlabeled(page), []);
      assert.ok((await page.evaluate(() => window.__shift)) < 0.01);
    }
  });

  test("does not scroll horizontally on a phone", async () => {
    const page = await browser.open(severalRuns({ points: 200 }), { viewport: { width: 360, height: 740 } });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    assert.deepEqual(page.problems, []);
  });

  test("markup in names stays text", async () => {
    const data = byHand();
    data.runs.forEach((run, i) => {
      run.name = `${HOSTILE[i]}${i}`;
      run.summary.loss = HOSTILE[i % 3];
      run.summary.dataset = HOSTILE[1];
      run.classes = HOSTILE;
    });
    const page = await browser.open(data);
    assert.deepEqual(await page.locator(".comparison").getByRole("rowheader").allTextContents(), HOSTILE.slice(0, 3));
    await save(page, "Maps of the test samples", "Save SVG");
    await page.locator("#runs a").nth(5).click();
    await page.getByRole("heading", { level: 1 }).filter({ hasText: "5" }).waitFor();
    assert.equal(await page.evaluate(() => window.__hit), undefined);
    assert.deepEqual(page.problems, []);
  });
});
