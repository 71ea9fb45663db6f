/** Opens assembled pages in a headless browser and collects errors. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { assemble } from "../tools/assemble.mjs";

const CHROMIUM = "/usr/bin/chromium";
export const skip = existsSync(CHROMIUM) ? false : `${CHROMIUM} is not installed`;
const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export async function startBrowser() {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  const directory = mkdtempSync(join(tmpdir(), "report-page-"));
  let pages = 0;

  /** Writes the page to a file and opens it. */
  async function open(data, options = {}) {
    const file = join(directory, `page${pages++}.html`);
    writeFileSync(file, assemble(data));
    return openFile(file, options);
  }

  /**
   * `problems` collects console messages, errors and dialogs. `clock`: if true, the test controls the page's time.
   * `before`: a function and its argument, run before the page's script. `wait`: selector that signals a loaded page.
   */
  async function openFile(file, { clock = false, before = null, wait = "main", ...options } = {}) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    page.setDefaultTimeout(8000);
    const problems = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("dialog", (dialog) => { problems.push(`dialog ${dialog.message()}`); void dialog.dismiss(); });
    await page.addInitScript(() => {
      window.__shift = 0;
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.__shift += entry.value; }).observe({ type: "layout-shift", buffered: true });
    });
    if (clock) await page.clock.install();
    if (before) await page.addInitScript(...before);
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector(wait);
    return Object.assign(page, { problems, file });
  }

  async function close() {
    await browser.close();
    rmSync(directory, { recursive: true });
  }
  return { browser, open, openFile, close };
}
