/** Modules of the map that need no browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { generator } from "./fixtures.mjs";
import { load } from "./modules.mjs";

const map = await load(...["grid", "view", "step", "paint", "names"].map((name) => `map/${name}.ts`));

const random = generator(11);
const scatter = (n) => Uint16Array.from({ length: n }, () => 65535 * random());
const BOX = { left: 0, right: 65535, bottom: 0, top: 65535 };

test("the grid agrees with brute-force search", () => {
  const [x, y] = [scatter(3000), scatter(3000)];
  const grid = new map.Grid(x, y, BOX);
  const odd = (i) => i % 2 === 1;
  for (let k = 0; k < 300; ++k) {
    const [px, py, reach] = [80000 * random() - 5000, 80000 * random() - 5000, 3000 * random()];
    let best = -1;
    let nearest = reach ** 2;
    for (let i = 1; i < 3000; i += 2) {
      const distance = (x[i] - px) ** 2 + (y[i] - py) ** 2;
      if (distance <= nearest) [best, nearest] = [i, distance];
    }
    assert.equal(grid.nearest(px, py, reach, odd), best);
  }
});

test("a grid without points, and with coincident points", () => {
  assert.equal(new map.Grid([], [], BOX).nearest(0, 0, 1e5, () => true), -1);
  const [x, y] = [[7, 7, 7], [9, 9, 9]];
  assert.notEqual(new map.Grid(x, y, { left: 7, right: 7, bottom: 9, top: 9 }).nearest(8, 9, 2, () => true), -1);
});

test("zooming keeps the point under the pointer fixed", () => {
  const size = { width: 900, height: 600 };
  const view = map.fit(BOX, size);
  const [x, y] = [map.toMapX(view, size, 123), map.toMapY(view, size, 456)];
  const closer = map.zoomAt(view, size, 3, 123, 456);
  assert.ok(Math.abs(map.toScreenX(closer, size, x) - 123) < 1e-6);
  assert.ok(Math.abs(map.toScreenY(closer, size, y) - 456) < 1e-6);
  assert.ok(Math.abs(closer.scale / view.scale - 3) < 1e-9);
});

test("zoom and center of a view are clamped", () => {
  const home = map.fit(BOX, { width: 900, height: 600 });
  const far = map.limit({ x: 1e6, y: -1e6, scale: home.scale * 1e6 }, home, BOX);
  assert.deepEqual([far.x, far.y], [65535, 0]);
  assert.ok(far.scale / home.scale <= 60.001);
});

test("steps go to the nearest point ahead, or stay if there is none", () => {
  const points = { x: [100, 200, 150, 100], y: [100, 110, 300, 20] };
  const all = Uint32Array.of(0, 1, 2, 3);
  assert.equal(map.stepFrom(points, all, 0, 1, 0), 1);
  assert.equal(map.stepFrom(points, all, 0, 0, -1), 2);
  assert.equal(map.stepFrom(points, all, 0, 0, 1), 3);
  assert.equal(map.stepFrom(points, all, 0, -1, 0), 0);
});

test("a painted disc has the right area and color, also at the image border", () => {
  const image = { width: 40, height: 30, data: new Uint8ClampedArray(40 * 30 * 4) };
  const paper = { background: [0, 0, 0], opacity: 1 };
  const scene = { count: 1, x: Uint16Array.of(500), y: Uint16Array.of(500), look: Uint8Array.of(255, 128, 0, 16) };
  const red = () => image.data.reduce((sum, v, i) => sum + (i % 4 === 0 ? v : 0), 0) / 255;
  map.paint(image, scene, { x: 500, y: 500, scale: 1 }, 1, 10, paper);
  assert.ok(Math.abs(red() - 25 * Math.PI) < 2, `${red()} pixels`);
  assert.deepEqual([...image.data.subarray(4 * (15 * 40 + 20), 4 * (15 * 40 + 20) + 4)], [255, 128, 0, 255]);
  map.paint(image, scene, { x: 520, y: 500, scale: 1 }, 1, 10, paper);
  assert.ok(Math.abs(red() - 12.5 * Math.PI) < 4, `${red()} pixels at the edge`);
  map.paint(image, scene, { x: 600, y: 500, scale: 1 }, 1, 10, paper);
  assert.equal(red(), 0);
});

test("names do not cover classes of few samples, and stay on the map", () => {
  const drawn = (anchor) => {
    const calls = [];
    const context = { measureText: () => ({ width: 20 }), strokeText: () => {}, fillText: (text, x, y) => calls.push([x, y]) };
    map.drawNames(context, [{ class: 0, ...anchor }], ["cat"], { x: 0, y: 0, scale: 1 }, { width: 400, height: 300 }, {});
    return calls;
  };
  assert.deepEqual(drawn({ x: 0, y: 0, count: 500 }), [[200, 150]]);
  const [[x, above]] = drawn({ x: 0, y: 0, count: 2 });
  assert.equal(x, 200);
  assert.ok(above < 140, `${above}`);
  const [[, below]] = drawn({ x: 0, y: 145, count: 2 });
  assert.ok(below > 15, `${below}`);
});
