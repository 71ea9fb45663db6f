/**
 * Benchmark of panning the map: 50 000 points on 1200 x 800 pixels, dragged for three seconds, with and without WebGL.
 * Prints frames per second; has no pass criterion.
 *   node test/map_speed.mjs [points] [device pixel ratio]
 */
import { startBrowser } from "./browser.mjs";
import { demoPage } from "./fixtures.mjs";
import { chooseRenderer } from "./renderer.mjs";

const points = Number(process.argv[2] ?? 50_000);
const ratio = Number(process.argv[3] ?? 1);
const SECONDS = 3;

/** Records the frames in which the map was drawn: each one clears the overlay. */
function recordFrames() {
  window.__drawn = [];
  const wipe = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    if (this.canvas.classList.contains("map-over")) window.__drawn.push(performance.now());
    return wipe.apply(this, box);
  };
}

/** Drags the pointer in circles, with 100 moves per second. */
async function dragAbout(page, box) {
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  await page.mouse.move(middle.x + 30, middle.y);
  await page.evaluate(recordFrames);
  const start = Date.now();
  const sent = [];
  while (Date.now() < start + 1000 * SECONDS) {
    const angle = (Date.now() - start) / 300;
    sent.push(page.mouse.move(middle.x + 250 * Math.sin(angle), middle.y + 150 * Math.cos(angle)));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await Promise.all(sent);
  const frames = await page.evaluate(() => window.__drawn);
  await page.mouse.up();
  return { moves: sent.length, frames };
}

function report(kind, { moves, frames }) {
  const gaps = frames.slice(1).map((at, i) => at - frames[i]).sort((a, b) => a - b);
  const rate = (1000 * gaps.length) / (frames.at(-1) - frames[0]);
  const slow = gaps[Math.floor(0.95 * gaps.length)];
  console.log(`${kind}: ${rate.toFixed(1)} frames/s, 95 % of frames within ${slow.toFixed(0)} ms, ${moves} pointer moves`);
}

const browser = await startBrowser();
try {
  console.log(`${points} points, 1200 x 800, device pixel ratio ${ratio}`);
  const data = demoPage({ points, test: points, train: 100 });
  for (const kind of ["webgl", "canvas"]) {
    const page = await browser.open(data, { deviceScaleFactor: ratio, viewport: { width: 1600, height: 1000 }, before: [chooseRenderer, kind] });
    const stage = page.locator(".map-stage");
    await stage.evaluate((element) => {
      Object.assign(element.parentElement.style, { width: "1200px", height: "800px", aspectRatio: "auto" });
      element.scrollIntoView({ block: "center" });
    });
    await page.waitForFunction(() => document.querySelector(".map-points")?.clientWidth === 1200);
    await stage.press("+");
    report(await stage.getAttribute("data-renderer"), await dragAbout(page, await stage.boundingBox()));
    await page.close();
  }
} finally {
  await browser.close();
}
