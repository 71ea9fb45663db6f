/** Pages of unfinished runs. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { assemble } from "../tools/assemble.mjs";
import { skip, startBrowser } from "./browser.mjs";
import { makePage, makeRun, runningPage } from "./fixtures.mjs";

const SOON = 0.1; // seconds between updates

describe("live updates", { skip }, () => {
  let browser;
  before(async () => { browser = await startBrowser(); });
  after(() => browser.close());

  /** Serves a page; `data.json` is `state.data`, or an error if it is null. */
  async function serve(state) {
    const server = createServer((request, response) => {
      if (request.url !== "/data.json") return response.setHeader("content-type", "text/html").end(assemble(state.first));
      if (state.data === null) return response.writeHead(503).end();
      return response.setHeader("content-type", "application/json").end(JSON.stringify(state.data));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  }
  const at = (done, refresh = SOON) => ({ ...runningPage(done), refresh });

  test("from a server: updates numbers in place and keeps the view state", async () => {
    const state = { first: at(3), data: at(3) };
    const server = await serve(state);
    const page = await browser.browser.newPage({ viewport: { width: 1000, height: 700 } });
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForSelector(".uplot");
    const hide = page.locator("figure", { hasText: "Alignment" }).getByRole("button", { name: "per step" });
    await hide.click();
    await page.getByRole("switch").click();
    const settings = await page.locator(".settings").elementHandle();
    await hide.evaluate((button) => scrollTo(0, button.getBoundingClientRect().top + scrollY - 300));
    const scroll = await page.evaluate(() => scrollY);
    state.data = at(5);
    await page.waitForFunction(() => document.querySelector("progress").value === 5);
    assert.equal(await page.evaluate(() => scrollY), scroll);
    assert.equal(await hide.getAttribute("aria-pressed"), "false");
    assert.equal(await hide.evaluate((button) => button === document.activeElement || document.activeElement.tagName), "INPUT");
    assert.ok(await settings.evaluate((element) => element.isConnected), "an unchanged section is not redrawn");
    state.data = null;
    await page.getByText("disconnected").waitFor();
    state.data = makePage([makeRun({ points: 100 })]);
    await page.waitForSelector("#classes .matrix svg");
    await page.waitForSelector(".live", { state: "detached" });
    assert.equal(await page.evaluate(() => scrollY > 0), true);
    assert.deepEqual(errors, []);
    await page.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test("from a file: reloads at the same scroll position, but not while the reader is active", async () => {
    const page = await browser.open(at(3, 600), { clock: true });
    await page.waitForSelector(".uplot");
    await page.evaluate(() => scrollTo(0, 400));
    writeFileSync(page.file, assemble(at(6, 0)));
    const shown = () => page.evaluate(() => document.querySelector("progress").value);
    await page.clock.runFor(599_000);
    await page.mouse.move(200, 200);
    await page.clock.runFor(2_500);
    assert.equal(await shown(), 3, "the pointer has just moved");
    await page.clock.runFor(4_000);
    await page.waitForFunction(() => document.querySelector("progress")?.value === 6);
    assert.equal(await page.evaluate(() => scrollY), 400);
    assert.deepEqual(page.problems, []);
    await page.close();
  });
});
