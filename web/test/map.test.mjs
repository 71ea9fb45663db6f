import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { skip, startBrowser } from "./browser.mjs";
import { demoPage, drawImages, FASHION, HOSTILE, hostilePage, hundredClasses, makePage, makeRun } from "./fixtures.mjs";
import { chooseRenderer } from "./renderer.mjs";

const pack = (array) => Buffer.from(array.buffer).toString("base64");
const unpack16 = (text) => new Uint16Array(Uint8Array.from(Buffer.from(text, "base64")).buffer);
const plain = (text) => text.replaceAll("\u202f", " ").replaceAll("\u00a0", " ");

/** Waits until the wheel zooms again: for 250 ms after a scroll, it keeps scrolling the page. */
const pauseAfterScroll = () => new Promise((resolve) => {
  const start = performance.now();
  const check = (now) => (now - start > 300 ? resolve() : requestAnimationFrame(check));
  requestAnimationFrame(check);
});

/** Four samples in the corners and one of class 4 in the center. */
function fivePoints() {
  const run = makeRun({ points: 5, test: 5, train: 5, noise: 0.4 });
  const own = {
    x: pack(Uint16Array.of(0, 60000, 0, 60000, 30000)), y: pack(Uint16Array.of(0, 0, 40000, 40000, 20000)),
    label: pack(Uint16Array.of(0, 1, 2, 3, 4)), predicted: pack(Uint16Array.of(0, 1, 2, 3, 6)), similarity: pack(Uint8Array.of(0, 0, 0, 0, 204)),
  };
  Object.assign(run.test, own);
  Object.assign(run.train, own, {
    truth: pack(Uint16Array.of(0, 1, 2, 3, 6)), audit_score: pack(Uint8Array.of(0, 0, 0, 0, 255)), suggested: pack(Uint16Array.of(0, 1, 2, 3, 6)),
  });
  return makePage([run]);
}

describe("map", { skip }, () => {
  let browser;
  before(async () => { browser = await startBrowser(); });
  afterEach(() => Promise.all(browser.browser.contexts().map((context) => context.close())));
  after(() => browser?.close());

  async function openMap(data, options) {
    const page = await browser.open(data, options);
    const stage = page.locator(".map-stage");
    await stage.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector(".map-over").width > 300);
    return { page, stage, shown: async () => plain(await page.textContent(".map-shown")) };
  }

  async function save(page, name) {
    const figure = page.locator("figure", { has: page.locator(".map") });
    await figure.locator("summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), figure.getByRole("button", { name }).click()]);
    return readFile(await download.path());
  }

  const circles = async (page) => ((await save(page, "Save SVG")).toString().match(/<circle/g) ?? []).length;

  async function hoverMiddle(page, stage) {
    const box = await stage.boundingBox();
    await page.mouse.move(box.x + box.width / 2 + 3, box.y + box.height / 2);
    await page.locator(".map-card").waitFor();
    return plain(await page.innerText(".map-card"));
  }

  /** Counts the pixels in a screenshot whose largest and smallest channel satisfy `test`. */
  async function countPixels(page, locator, test) {
    const image = (await locator.screenshot()).toString("base64");
    const levels = await page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { data: bytes } = context.getImageData(0, 0, image.width, image.height);
      const counts = {};
      for (let i = 0; i < bytes.length; i += 4) {
        const [high, low] = [Math.max(bytes[i], bytes[i + 1], bytes[i + 2]), Math.min(bytes[i], bytes[i + 1], bytes[i + 2])];
        counts[256 * high + low] = (counts[256 * high + low] ?? 0) + 1;
      }
      return counts;
    }, image);
    return Object.entries(levels).reduce((sum, [key, n]) => sum + (test(Math.floor(key / 256), key % 256) ? n : 0), 0);
  }
  const coloredPixels = (page, locator) => countPixels(page, locator, (high, low) => high - low > 60);

  test("describes what is shown; hiding a class removes its samples", async () => {
    const { page, shown } = await openMap(demoPage({ points: 1200 }));
    assert.match(await shown(), /^1 200 of 5 000 test samples, t-SNE, perplexity 30, KL 1\.234\. /);
    const entries = page.locator(".map-legend-entry:visible");
    const counts = (await page.locator(".map-legend-count:visible").allTextContents()).map((text) => Number(text.replace(/\D/g, "")));
    assert.equal(counts.reduce((a, b) => a + b), 1200);
    assert.equal(await circles(page), 1200);
    await entries.nth(3).click();
    assert.match(await shown(), new RegExp(`; ${plain(String(1200 - counts[3])).replace(/^1(?=\d{3}$)/, "1 ")} shown`));
    assert.equal(await circles(page), 1200 - counts[3]);
    await entries.nth(2).click({ modifiers: ["Shift"] });
    assert.equal(await circles(page), counts[2]);
    await page.getByRole("button", { name: "classes: show none" }).click();
    assert.equal(await circles(page), 0);
    await page.getByRole("button", { name: "classes: show all" }).click();
    await entries.nth(5).dblclick();
    assert.equal(await circles(page), counts[5]);
    assert.deepEqual(page.problems, []);
  });

  test("a card describes the point under the mouse", async () => {
    const { page, stage } = await openMap(fivePoints());
    assert.match(await hoverMiddle(page, stage), /#4\s+label\s+Coat\s+predicted\s+Shirt, confidence 0\.80/);
    await page.click("[data-split=train]");
    const text = await hoverMiddle(page, stage);
    assert.match(text, /true label\s+Shirt \(label is wrong\)/);
    assert.match(text, /audit score\s+100 %, suggested Shirt/);
    await page.mouse.move(5, 5);
    await page.locator(".map-card").waitFor({ state: "hidden" });
    assert.deepEqual(page.problems, []);
  });

  test("the card shows the sample's image", async () => {
    const data = fivePoints();
    const helper = await browser.browser.newPage();
    data.runs[0].test.images = await drawImages(helper, 5);
    await helper.close();
    const { page, stage } = await openMap(data);
    await hoverMiddle(page, stage);
    const image = page.locator(".map-card .image");
    assert.deepEqual(await image.evaluate((element) => [element.clientWidth, element.style.backgroundPosition]), [112, "-448px 0px"]);
    const deadline = Date.now() + 10_000;
    while ((await countPixels(page, image, (high) => high < 30)) < 500) assert.ok(Date.now() < deadline, "the image does not load");
    assert.ok((await countPixels(page, image, (high, low) => low > 110 && high < 240)) > 500, "a light drawing on a dark background");
  });

  test("a flagged sample is shown on the map even if its class is hidden", async () => {
    const helper = await browser.browser.newPage();
    const data = demoPage({ points: 6000, worstImages: await drawImages(helper, 60) });
    const { page, stage, shown } = await openMap(data, { reducedMotion: "reduce" });
    await page.getByRole("button", { name: "classes: show none" }).click();
    await page.locator(".label-issue").first().getByRole("button", { name: "on the map" }).click();
    assert.match(await shown(), /^6 000 training samples/);
    await page.locator(".map-card", { hasText: `#${data.runs[0].audit.worst[0].index}` }).waitFor();
    assert.match(await stage.getAttribute("class"), /is-zoomed/);
    assert.deepEqual(page.problems, []);
  });

  test("a tap shows the card on a touch screen", async () => {
    const { page, stage } = await openMap(fivePoints(), { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    const box = await stage.boundingBox();
    await page.touchscreen.tap(box.x + box.width / 2 + 8, box.y + box.height / 2);
    await page.locator(".map-card", { hasText: "Coat" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  });

  test("selects coloring and split", async () => {
    const { page, shown } = await openMap(demoPage({ points: 1000 }));
    const select = page.getByLabel("Color by");
    assert.deepEqual(await select.locator("option").allTextContents(), ["given label", "prediction", "prediction outcome"]);
    await page.click("[data-split=train]");
    assert.match(await shown(), /^1 000 of 6 000 training samples/);
    assert.deepEqual(await select.locator("option").allTextContents(), ["given label", "prediction", "true label", "audit score", "prediction outcome"]);
    const light = await save(page, "Save SVG");
    await select.selectOption("audit_score");
    assert.match(await shown(), /Color: audit score/);
    assert.notDeepEqual(await save(page, "Save SVG"), light);
    const groups = await page.locator(".map-legend[aria-label=groups] .map-legend-count").allTextContents();
    await page.getByRole("button", { name: "not flagged" }).click();
    assert.equal(await circles(page), Number(groups[0]));
    await page.click("[data-split=test]");
    assert.equal(await select.inputValue(), "label");
    assert.deepEqual(page.problems, []);
  });

  test("keys zoom, pan and move between points", async () => {
    const { page, stage } = await openMap(fivePoints(), { reducedMotion: "reduce" });
    await stage.focus();
    for (let i = 0; i < 4; ++i) await page.keyboard.press("+");
    assert.equal(await circles(page), 1);
    await stage.focus();
    await page.keyboard.press("0");
    assert.equal(await circles(page), 5);
    await stage.focus();
    await page.keyboard.press("Enter");
    await page.locator(".map [aria-live]", { hasText: "#4; label Coat; predicted Shirt" }).waitFor({ state: "attached" });
    await page.keyboard.press("ArrowRight");
    await page.locator(".map [aria-live]", { hasText: /label (Trouser|Dress)/ }).waitFor({ state: "attached" });
    await page.keyboard.press("Escape");
    await page.locator(".map-card").waitFor({ state: "hidden" });
  });

  test("the wheel zooms and dragging pans", async () => {
    const { page, stage } = await openMap(fivePoints());
    const box = await stage.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.evaluate(pauseAfterScroll);
    await page.mouse.wheel(0, -800);
    await page.mouse.wheel(0, -800);
    await page.mouse.wheel(0, -800);
    await page.waitForFunction(() => document.querySelector(".map-stage").classList.contains("is-zoomed"));
    assert.equal(await circles(page), 1);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 40, y, { steps: 4 });
    await page.mouse.move(x + 120, y, { steps: 4 });
    await page.mouse.up();
    const moved = (await save(page, "Save SVG")).toString().match(/cx="([\d.]+)"/);
    assert.ok(Number(moved[1]) > box.width / 2 + 100, `the point is at ${moved[1]}`);
  });

  test("saves PNG and CSV", async () => {
    const { page, stage } = await openMap(demoPage({ points: 300, names: (i) => (i === 7 ? "=1+1" : i === 8 ? 'a "b", c' : `${i}.png`) }));
    const png = await save(page, "Save PNG");
    assert.equal(png.toString("latin1", 1, 4), "PNG");
    const size = await stage.evaluate((element) => [2 * element.clientWidth, 2 * element.clientHeight]);
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], size);
    const lines = (await save(page, "Save CSV")).toString().trimEnd().split("\r\n");
    assert.equal(lines[0], "index,name,x,y,label,predicted,confidence,audit_score,suggested,true_label");
    assert.equal(lines.length, 301);
    assert.match(lines[8], /^\d+,'=1\+1,/);
    assert.match(lines[9], /^\d+,"a ""b"", c",/);
    assert.deepEqual(page.problems, []);
  });

  test("draws with and without WebGL, and after a lost context", async () => {
    const data = demoPage({ points: 2000 });
    const found = {};
    for (const kind of ["webgl", "canvas"]) {
      const { page, stage } = await openMap(data, { before: [chooseRenderer, kind] });
      assert.equal(await stage.getAttribute("data-renderer"), kind);
      found[kind] = await coloredPixels(page, stage);
      if (kind === "canvas") continue;
      await page.evaluate(() => document.querySelector(".map-points").getContext("webgl2").getExtension("WEBGL_lose_context").loseContext());
      await page.locator(".map-stage[data-renderer=canvas]").waitFor();
      found.lost = await coloredPixels(page, stage);
    }
    assert.ok(found.canvas > 5000, `${found.canvas} pixels`);
    assert.ok(Math.abs(found.webgl / found.canvas - 1) < 0.1, JSON.stringify(found));
    assert.ok(Math.abs(found.lost / found.canvas - 1) < 0.02, JSON.stringify(found));
  });

  test("follows the theme and prints in light colors", async () => {
    const { page, stage } = await openMap(demoPage({ points: 2000 }), { colorScheme: "dark" });
    const corner = () => page.evaluate(() => [...document.querySelector(".map-points").getContext("2d").getImageData(2, 2, 1, 1).data]);
    assert.ok((await corner())[0] < 60);
    await page.emulateMedia({ colorScheme: "light" });
    await page.waitForFunction(() => document.querySelector(".map-points").getContext("2d").getImageData(2, 2, 1, 1).data[0] > 240);
    await page.emulateMedia({ colorScheme: "dark", media: "print" });
    await page.locator(".map-paper").waitFor();
    assert.ok(await stage.isHidden());
    assert.ok((await coloredPixels(page, page.locator(".map-paper"))) > 3000);
  });

  test("a hundred classes have a filter box", async () => {
    const { page } = await openMap(hundredClasses());
    assert.equal(await page.locator(".map-legend-entry:visible").count(), 100);
    await page.getByLabel("Filter classes").fill("class 7");
    assert.equal(await page.locator(".map-legend-entry:visible").count(), 11);
  });

  test("markup in names stays text", async () => {
    const { page } = await openMap(hostilePage());
    const names = await page.locator(".map-legend-name").allTextContents();
    for (const name of HOSTILE) assert.ok(names.includes(name), name);
    await page.locator(".map-stage").focus();
    await page.keyboard.press("Enter");
    await page.locator(".map-card").waitFor();
    await save(page, "Save SVG");
    assert.equal(await page.evaluate(() => window.__hit), undefined);
    assert.deepEqual(page.problems, []);
  });

  test("the saved table has the labels of the data", async () => {
    const data = demoPage({ points: 200 });
    const { page } = await openMap(data);
    const lines = (await save(page, "Save CSV")).toString().trimEnd().split("\r\n").slice(1);
    const labels = [...unpack16(data.runs[0].test.label)].map((k) => FASHION[k]);
    assert.deepEqual(lines.map((line) => line.split(",")[4]), labels);
  });
});
