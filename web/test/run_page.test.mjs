/** The report of one run in a browser. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { contrasts, unlabeled } from "./accessibility.mjs";
import { skip, startBrowser } from "./browser.mjs";
import { demoPage, drawImages, HOSTILE, hostilePage, hundredClasses, makePage, makeRun, runningPage, audioPage, toneWav } from "./fixtures.mjs";

describe("report of a run", { skip }, () => {
  let browser;
  let images;
  /** Shared by tests that touch different parts of the page. */
  let shared;
  before(async () => {
    browser = await startBrowser();
    const blank = await browser.browser.newPage();
    images = await drawImages(blank, 60);
    await blank.close();
    shared = await demo();
  });
  after(async () => {
    await browser.close();
    assert.deepEqual(shared.problems, []);
  });

  const demo = (options) => browser.open(demoPage({ points: 500, worstImages: images }), options);
  const figureOf = (page, title) => page.locator("figure", { has: page.getByRole("heading", { name: title, exact: true }) });
  async function saved(page, title, item) {
    const waiting = page.waitForEvent("download");
    await figureOf(page, title).locator("summary").click();
    await figureOf(page, title).getByRole("button", { name: item }).click();
    const download = await waiting;
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }
  async function end(page) {
    assert.deepEqual(page.problems, []);
    await page.close();
  }

  test("shows all sections and charts without layout shift", async () => {
    const page = await demo();
    assert.deepEqual(await page.locator("main > section").evaluateAll((all) => all.map((s) => s.id)), ["overview", "map", "classes", "labels", "training", "settings"]);
    await page.waitForFunction(() => document.querySelectorAll("#training .uplot canvas").length === 8);
    const inked = await page.locator("#training canvas").evaluateAll((all) => all.map((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v) => v > 0)));
    assert.ok(inked.every(Boolean), "every canvas is drawn");
    assert.ok((await page.evaluate(() => window.__shift)) < 0.02, "no layout shift");
    await end(page);
  });

  test("the overview shows the numbers of the summary", async () => {
    const page = shared;
    const text = await page.locator("#overview").innerText();
    for (const part of ["74.5%", "73.3\u2009–\u200975.7\u202f%", "at least 1.66 ± 0.01\u00a0nats of 2.30\u00a0nats", "1.77\u00a0nats (77\u202f%)", "2\u202f136 images/s", "22\u00a0s", "40\u202f%", "2\u202f400\u00a0wrong labels"])
      assert.ok(text.replace(/\n/g, "").includes(part), `${part} in ${text}`);
    assert.equal(await page.locator(".protocols tbody tr").count(), 3);
    assert.match(await page.locator(".command pre").innerText(), /^build\/projnce train .* --seed 1 /);
  });

  test("the overview shows the delivered model with its epoch and readout", async () => {
    const data = demoPage({ points: 50 });
    const { summary } = data.runs[0];
    summary.delivered = { epoch: 6, epochs: 8, rule: "best-validation", readout: "knn", readout_text: "k nearest neighbors", top1: 0.8125, top1_interval: [0.79, 0.83], top5: 0.99,
      calibration_error: 0.02, calibrated_on: "validation", temperature: 0.1, validation: { samples: 120, top1: 0.85 } };
    const headline = async () => {
      const page = await browser.open(data);
      const text = await page.locator(".big").innerText();
      await end(page);
      return text.replace(/\s+/g, " ");
    };
    const chosen = await headline();
    for (const part of ["Accuracy, k nearest neighbors", "81.3%", "epoch 6 of 8, best on 120 validation samples", "5 000 test images"]) assert.ok(chosen.toLowerCase().includes(part.toLowerCase()), `${part} in ${chosen}`);
    assert.doesNotMatch(chosen, /74\.5|paper/);
    delete summary.delivered.validation;
    Object.assign(summary.accuracy, { report: "best-test-epoch", reported: 0.875, reported_epoch: "best", best_epoch: 7 });
    const paper = await headline();
    assert.match(paper, /81\.3/);
    assert.match(paper, /last epoch \(6\)/);
    assert.match(paper, /paper's.*best test epoch \(7\): 87\.5/i);
  });

  test("clicking a column header sorts, clicking again reverses", async () => {
    const page = shared;
    const accuracies = () => page.locator(".sortable tbody td:nth-child(3)").evaluateAll((cells) => cells.map((cell) => parseFloat(cell.textContent)));
    await page.getByRole("button", { name: "Accuracy", exact: true }).click();
    const rising = await accuracies();
    assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
    assert.ok(rising[0] < rising[9]);
    await page.getByRole("button", { name: "Accuracy", exact: true }).click();
    assert.deepEqual(await accuracies(), rising.reverse());
    assert.deepEqual(await page.locator(".sortable thead th").evaluateAll((all) => all.map((th) => th.getAttribute("aria-sort"))), [null, null, "descending", null, null]);
  });

  test("a hidden series is absent on screen, in saved files and in print", async () => {
    const page = await demo();
    const loss = figureOf(page, "Loss");
    await loss.locator("canvas").waitFor();
    const ink = () => loss.locator("canvas").evaluate((c) => c.toDataURL());
    const all = await ink();
    const marks = () => loss.locator(".twin svg circle").count();
    assert.equal(await marks(), 8 + 1);
    await loss.getByRole("button", { name: "epoch mean" }).click();
    assert.equal(await loss.getByRole("button", { name: "epoch mean" }).getAttribute("aria-pressed"), "false");
    await page.waitForFunction(([before, title]) => {
      const figure = [...document.querySelectorAll("figure")].find((f) => f.querySelector("h3").textContent === title);
      return figure.querySelector("canvas").toDataURL() !== before;
    }, [all, "Loss"]);
    assert.equal(await marks(), 1);
    const { bytes } = await saved(page, "Loss", "Save SVG");
    assert.equal(bytes.toString().match(/<circle/g).length, 1);
    await end(page);
  });

  test("charts are saved as SVG, PNG and CSV", async () => {
    const page = shared;
    const svg = await saved(page, "Test accuracy", "Save SVG");
    assert.equal(svg.name, "projnce-1-test-accuracy.svg");
    assert.match(svg.bytes.toString(), /^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    assert.equal(svg.bytes.toString().match(/<circle/g).length, 8);
    const png = await saved(page, "Test accuracy", "Save PNG");
    assert.deepEqual([...png.bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    assert.equal(png.bytes.readUInt32BE(16), 1440, "twice the width of the drawing");
    const csv = (await saved(page, "Test accuracy", "Save CSV")).bytes.toString().trimEnd().split("\r\n");
    assert.equal(csv[0], "epoch,nearest-centroid,nearest-centroid low,nearest-centroid high");
    assert.equal(csv.length, 9);
    const confusion = (await saved(page, "Confusion matrix", "Save CSV")).bytes.toString().trimEnd().split("\r\n").slice(1);
    assert.equal(confusion.reduce((sum, line) => sum + Number(line.split(",")[2]), 0), 5000);
  });

  test("the menu shows a table of the chart's values", async () => {
    const page = shared;
    const figure = figureOf(page, "Learning rate");
    await figure.locator("summary").click();
    await figure.getByRole("button", { name: "Show table" }).click();
    assert.equal(await figure.locator("tbody tr").count(), 64);
  });

  test("the top bar highlights the current section, and the last one at the end", async () => {
    const page = await demo();
    const current = (name) => page.locator(".sections a[aria-current]", { hasText: name }).waitFor();
    await current("Overview");
    await page.getByRole("link", { name: "Classes" }).click();
    await current("Classes");
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await current("Settings");
    await page.evaluate(() => scrollTo(0, 0));
    await current("Overview");
    await end(page);
  });

  test("the copy button copies the command", async () => {
    await shared.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await shared.getByRole("button", { name: "Copy" }).click();
    await shared.getByRole("button", { name: "Copied" }).waitFor();
    assert.match(await shared.evaluate(() => navigator.clipboard.readText()), /^build\/projnce train /);
  });

  test("the cursor shows values, dragging zooms, double-clicking resets", async () => {
    const page = shared;
    const figure = figureOf(page, "Test accuracy");
    const over = figure.locator(".u-over");
    await over.hover({ position: { x: 1, y: 50 } });
    assert.match(await figure.locator(".tip").innerText(), /epoch 1\s+nearest-centroid 5\d\.\d/);
    const before = await figure.locator("canvas").evaluate((c) => c.toDataURL());
    const box = await over.boundingBox();
    await page.mouse.move(box.x + 100, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 250, box.y + 60);
    await page.mouse.up();
    await page.mouse.move(5, 5);
    const drawn = () => figure.locator("canvas").evaluate((c) => c.toDataURL());
    assert.notEqual(await drawn(), before);
    await over.dblclick({ position: { x: 50, y: 50 } });
    assert.equal(await drawn(), before);
    await page.mouse.move(5, 5);
    await figure.locator(".line-chart").focus();
    for (const key of ["ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    assert.match(await figure.locator(".tip").innerText(), /^epoch 2\s/);
  });

  test("the confusion matrix describes cells by pointer and by keyboard", async () => {
    const page = shared;
    const matrix = page.locator(".matrix");
    await matrix.locator("svg").waitFor();
    assert.equal(await matrix.locator("rect.cell").count(), 100);
    await matrix.locator("rect.cell").nth(1).hover();
    assert.match(await page.locator(".readout").innerText(), /^true T-shirt\/top, predicted Trouser: \d+ \(\d+\u202f%\)$/);
    await page.mouse.move(5, 5);
    await matrix.focus();
    for (const key of ["ArrowRight", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    assert.match(await page.locator(".readout").innerText(), /^true Trouser, predicted Trouser: \d+ /);
  });

  test("with a hundred classes, shows all names and only non-empty cells", async () => {
    const page = await browser.open(hundredClasses());
    await page.locator(".matrix svg").waitFor();
    const cells = await page.locator(".matrix rect.cell").count();
    assert.ok(cells > 100 && cells < 2000, `${cells} cells`);
    assert.equal(await page.locator(".matrix text", { hasText: "class 99" }).count(), 2);
    assert.equal(await page.locator(".sortable tbody tr").count(), 100);
    await end(page);
  });

  test("label issues: images, verdicts, and a button for more", async () => {
    const page = shared;
    assert.equal(await page.locator(".label-issue").count(), 24);
    assert.match(await page.locator(".label-issue .image").first().evaluate((p) => getComputedStyle(p).backgroundImage), /^url\("blob:/);
    assert.ok((await page.locator(".verdict.good").count()) > 15);
    await page.getByRole("button", { name: "Show 24 more" }).click();
    await page.getByRole("button", { name: "Show 12 more" }).click();
    assert.equal(await page.locator(".label-issue").count(), 60);
    assert.equal(await page.locator(".more").isVisible(), false);
  });

  test("label issues of the validation split are not on a map", async () => {
    const data = demoPage({ points: 500, worstImages: images });
    data.runs[0].audit.worst[0].split = "validation";
    const page = await browser.open(data);
    const buttons = await page.locator(".label-issue").evaluateAll((cards) => cards.slice(0, 2).map((card) => card.querySelectorAll("button").length));
    assert.deepEqual(buttons, [0, 1]);
    await page.close();
  });

  test("clips play one at a time and show their full length", async () => {
    const data = audioPage();
    const wav = toneWav();
    data.runs[0].audit.clips = data.runs[0].audit.worst.map((_, i) => (i < 2 ? { wav, seconds: 1, whole: i === 0 ? 1 : 4 } : null));
    const page = await browser.open(data);
    const buttons = page.locator(".play");
    assert.deepEqual((await buttons.allInnerTexts()).map((text) => text.replace(/\s/g, " ")), ["▶ 1.0 s", "▶ 1.0 of 4.0 s"]);
    await page.evaluate(() => {
      window.__played = [];
      const play = HTMLMediaElement.prototype.play;
      HTMLMediaElement.prototype.play = function () { window.__played.push(this); return play.call(this); };
    });
    await buttons.nth(0).click();
    await page.waitForFunction(() => window.__played[0].currentTime > 0);
    assert.equal(await buttons.nth(0).getAttribute("aria-pressed"), "true");
    await buttons.nth(1).click();
    await page.waitForFunction(() => window.__played[0].paused && window.__played[1].currentTime > 0);
    assert.deepEqual(await buttons.evaluateAll((all) => all.map((one) => one.getAttribute("aria-pressed"))), ["false", "true"]);
    await page.waitForFunction(() => document.querySelectorAll(".play[aria-pressed='true']").length === 0);
    await end(page);
  });

  test("settings: switch, filter, and defaults of changed settings", async () => {
    const page = shared;
    const rows = page.locator(".settings tr");
    assert.equal(await rows.count(), 9);
    assert.match(await page.locator(".differs", { hasText: "temperature" }).innerText(), /0\.1\s*default\s*0\.07/);
    await page.getByRole("switch", { name: "Only non-default settings" }).click();
    assert.equal(await rows.count(), 25);
    assert.equal(await page.locator(".differs").count(), 9);
    await page.getByRole("searchbox").fill("loss.");
    assert.equal(await rows.count(), 3);
  });

  test("markup in names stays text", async () => {
    const page = await browser.open(hostilePage());
    await page.waitForSelector(".matrix svg");
    assert.equal(await page.title(), HOSTILE[2]);
    assert.equal(await page.locator("h1").innerText(), HOSTILE[0]);
    for (const name of HOSTILE.slice(0, 4)) assert.ok((await page.locator(".sortable").innerText()).includes(name), name);
    await saved(page, "Confusion matrix", "Save SVG");
    await saved(page, "Confusion matrix", "Save PNG");
    const csv = (await saved(page, "Accuracy by class", "Save CSV")).bytes.toString();
    assert.ok(csv.includes("'=cmd|"), "formulas are text");
    assert.equal(await page.evaluate(() => window.__hit), undefined);
    assert.equal(await page.locator("img, main script").count(), 0);
    await end(page);
  });

  test("does not scroll horizontally on a phone", async () => {
    for (const data of [demoPage({ points: 500, worstImages: images }), hostilePage(), runningPage(), hundredClasses()]) {
      const page = await browser.open({ ...data, refresh: 0 }, { viewport: { width: 360, height: 740 } });
      await page.waitForSelector(".uplot");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
      await end(page);
    }
  });

  test("follows the system theme and the theme button", async () => {
    const page = await demo({ colorScheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const drawn = () => figureOf(page, "Loss").locator("canvas").evaluate((c) => c.toDataURL());
    await figureOf(page, "Loss").locator("canvas").waitFor();
    const [darkGround, darkChart] = [await ground(), await drawn()];
    await page.getByRole("button", { name: "Switch to light theme" }).click();
    assert.notEqual(await ground(), darkGround);
    assert.notEqual(await drawn(), darkChart);
    const { bytes } = await saved(page, "Loss", "Save SVG");
    assert.ok(bytes.includes('fill="rgb(255, 255, 255)"'), "files are light");
    await page.reload();
    await page.getByRole("button", { name: "Switch to dark theme" }).waitFor();
    await end(page);
  });

  test("print replaces canvases by light drawings and hides controls", async () => {
    const page = await demo({ colorScheme: "dark" });
    await page.waitForSelector(".uplot");
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("#training .twin svg:visible").count(), 8);
    assert.equal(await page.locator("#training canvas:visible").count(), 0);
    assert.equal(await page.locator(".top:visible, .menu:visible, .more:visible").count(), 0);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    await end(page);
  });

  test("Tab reaches every control with a visible focus outline", async () => {
    const page = await browser.open({ ...runningPage(), refresh: 0 });
    const wanted = await page.locator("a[href], button:visible, summary, input, [tabindex='0']").count();
    const seen = new Set();
    for (let i = 0; i < wanted; i++) {
      await page.keyboard.press("Tab");
      seen.add(await page.evaluate(() => {
        const style = getComputedStyle(document.activeElement);
        return style.outlineStyle === "none" ? "no outline" : [...document.querySelectorAll("*")].indexOf(document.activeElement);
      }));
    }
    assert.ok(!seen.has("no outline"));
    assert.equal(seen.size, wanted);
    await end(page);
  });

  test("headings are ordered, drawings labeled, contrast sufficient in both themes", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const page = await demo({ colorScheme });
      await page.waitForSelector(".uplot");
      const levels = await page.locator("h1, h2, h3, h4").evaluateAll((all) => all.map((one) => Number(one.tagName[1])));
      assert.equal(levels[0], 1);
      levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1] + 1, `heading ${i} skips a level`));
      assert.deepEqual(await unlabeled(page), []);
      const low = (await contrasts(page)).filter(({ ratio, large }) => ratio < (large ? 3 : 4.5));
      assert.deepEqual(low, [], colorScheme);
      await end(page);
    }
  });

  test("an unfinished run shows progress and only sections with data", async () => {
    const page = await browser.open({ ...runningPage(), refresh: 0 });
    assert.deepEqual(await page.locator("main > section").evaluateAll((all) => all.map((s) => s.id)), ["overview", "training", "settings", "missing"]);
    assert.equal(await page.locator("progress").evaluate((bar) => bar.position), 3 / 8);
    assert.match(await page.locator("#overview").innerText(), /running[\s\S]*3 of 8/);
    await end(page);
  });

  test("a run that has just started, and an audio run without label noise", async () => {
    const begun = makeRun({ points: 100 });
    const empty = { steps: {}, epochs: {}, tests: {}, events: [] };
    Object.assign(begun, { state: "running", summary: null, curves: empty, config: [], commands: [], test: null, train: null, confusion: null, audit: null });
    const first = await browser.open(makePage([begun]));
    assert.equal(await first.locator("main > section").count(), 1);
    await end(first);
    const audio = await browser.open(audioPage());
    assert.match(await audio.locator("#overview").innerText(), /clips\/s/);
    assert.equal(await audio.locator(".verdict").count(), 0);
    await end(audio);
  });
});
