/**
 * Opens a page written by the program and prints its contents as JSON:
 *   node test/look.mjs PAGE.html
 */
import { startBrowser } from "./browser.mjs";

const { openFile, close } = await startBrowser();
const page = await openFile(process.argv[2], { wait: "main, #failure" });
await page.waitForTimeout(150); // charts are drawn after layout
const found = await page.evaluate(() => ({
  heading: document.querySelector("h1")?.textContent ?? null,
  sections: [...document.querySelectorAll("h2")].map((heading) => heading.textContent),
  figures: document.querySelectorAll("figure").length,
  images: document.querySelectorAll(".label-issue").length,
  failures: [...document.querySelectorAll("#failure, .failed")].map((note) => note.textContent),
  plain_numbers: document.querySelectorAll("#numbers").length,
  text: document.body.innerText,
  hit: window.hit ?? null,
}));
await close();
console.log(JSON.stringify({ ...found, problems: page.problems }));
