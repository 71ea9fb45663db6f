/** Maps of all methods side by side, with a shared legend. */
import { frame } from "../chart/figure";
import { classColors } from "../colors";
import type { Table } from "../csv";
import { h } from "../dom";
import { className } from "../map/card";
import { mapSvg } from "../map/exports";
import { Legend } from "../map/legend";
import { takeStill } from "../map/still";
import { scheme } from "../theme";
import { groupOf, type Comparison, type Entry } from "./groups";
import { Tile } from "./tile";

const FILE_SIDE = 360;
const CAPTION = 34;

/** The first run with a map of each method. Runs with other classes are dropped, because the legend is shared. */
function choose(comparison: Comparison, condition: string): Entry[] {
  const found = comparison.methods.flatMap((method) => groupOf(comparison, method, condition).find((entry) => entry.run.test) ?? []);
  const [first] = found;
  return found.filter((entry) => entry.run.classes.join("\n") === first!.run.classes.join("\n"));
}

const escapeXml = (text: string): string =>
  text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, "\ufffd").replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

function rowSvg(tiles: Tile[]): string {
  const parts = tiles.map((tile, i) => {
    const map = mapSvg(tile.shot(FILE_SIDE, scheme())).replace("<svg ", `<svg x="${i * FILE_SIDE}" y="${CAPTION}" `);
    return `<text x="${(i + 0.5) * FILE_SIDE}" y="22">${escapeXml(tile.caption)}</text>${map}`;
  });
  const size = `width="${tiles.length * FILE_SIDE}" height="${FILE_SIDE + CAPTION}"`;
  const paper = tiles[0]!.shot(1, scheme()).paper.background.join(",");
  const ink = scheme() === "dark" ? "#fff" : "#000";
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="100%" height="100%" fill="rgb(${paper})"/>` +
    `<g fill="${ink}" font-family="system-ui, sans-serif" font-size="15" text-anchor="middle">${parts.join("")}</g></svg>\n`;
}

function rowPng(tiles: Tile[]): Promise<Blob> {
  const canvas = h("canvas", { width: 2 * FILE_SIDE * tiles.length, height: 2 * (FILE_SIDE + CAPTION) });
  const context = canvas.getContext("2d")!;
  context.fillStyle = `rgb(${tiles[0]!.shot(1, scheme()).paper.background.join(",")})`;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = scheme() === "dark" ? "#fff" : "#000";
  context.font = "30px system-ui, sans-serif";
  context.textAlign = "center";
  tiles.forEach((tile, i) => {
    context.drawImage(takeStill(tile.shot(FILE_SIDE, scheme()), 2), 2 * i * FILE_SIDE, 2 * CAPTION);
    context.fillText(tile.caption, (2 * i + 1) * FILE_SIDE, 44, 2 * FILE_SIDE - 20);
  });
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("PNG encoding failed")))));
}

function rowTable(tiles: Tile[]): Table {
  const rows = tiles.flatMap(({ entry, points }) => Array.from({ length: points.count }, (_, i) =>
    [entry.method, entry.run.name, points.index[i]!, points.x[i]!, points.y[i]!, className(entry.run.classes, points.label[i]!)]));
  return { columns: ["method", "run", "index", "x", "y", "label"], rows };
}

export function mapsFigure(comparison: Comparison, condition: string, protocol: string): HTMLElement | null {
  const chosen = choose(comparison, condition);
  const [first] = chosen;
  if (!first) return null;
  const { classes } = first.run;
  const colors = classColors(classes.length);
  const legend = new Legend("classes", () => tiles.forEach((tile) => tile.draw()));
  const tiles = chosen.map((entry) => new Tile(entry, protocol, legend.hidden));
  legend.setEntries(classes.map((name, id) => ({ id, name, color: colors[id]!, count: null })));
  return frame({
    title: "Maps of the test samples", file: condition, twin: false,
    note: "One run per method, colored by label. Click a map to open the run.",
    body: h("div", { class: "tiles-box" }, h("div", { class: "tiles", style: { "--tiles": String(tiles.length) } }, ...tiles.map((tile) => tile.element)), legend.element),
    svg: () => rowSvg(tiles), png: () => rowPng(tiles), table: () => rowTable(tiles),
  });
}
