import type { ColorBy } from "./coloring";
import { classOf } from "./coloring";
import type { Points } from "./points";
import type { Size, View } from "./view";
import { toScreenX, toScreenY } from "./view";

/** Position of a class name on the map. */
export interface Anchor {
  class: number;
  x: number;
  y: number;
  count: number;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

/** Number of cells per axis of the grid that locates the densest region of a class. */
const CELLS = 20;
const CELL = 65536 / CELLS;

/** Samples in the densest 3 x 3 cells. Excludes outliers, which would move the median off the cluster. */
function densest(points: Points, members: number[]): number[] {
  const column = (i: number): number => Math.floor(points.x[i]! / CELL);
  const row = (i: number): number => Math.floor(points.y[i]! / CELL);
  const counts = new Uint32Array((CELLS + 2) * (CELLS + 2));
  for (const i of members)
    for (let dy = 0; dy < 3; ++dy)
      for (let dx = 0; dx < 3; ++dx) counts[(row(i) + dy) * (CELLS + 2) + column(i) + dx]!++;
  const best = counts.indexOf(counts.reduce((most, n) => Math.max(most, n), 0));
  const [x, y] = [(best % (CELLS + 2)) - 1, Math.floor(best / (CELLS + 2)) - 1];
  return members.filter((i) => Math.abs(column(i) - x) <= 1 && Math.abs(row(i) - y) <= 1);
}

function anchorOf(points: Points, members: number[], which: number): Anchor {
  const core = densest(points, members);
  const x = median(core.map((i) => points.x[i]!));
  const y = median(core.map((i) => points.y[i]!));
  return { class: which, x, y, count: members.length };
}

/** Anchors of the visible classes, largest class first. */
export function anchors(points: Points, by: ColorBy, classes: number, visible: Uint32Array): Anchor[] {
  const members: number[][] = Array.from({ length: classes }, () => []);
  for (const i of visible) members[classOf(points, by, classes, i)]?.push(i);
  const found = members.flatMap((list, c) => (list.length > 0 ? [anchorOf(points, list, c)] : []));
  return found.sort((a, b) => b.count - a.count);
}

const FONT_SIZE = 13;
const LONGEST = 24;

/** Names of classes with fewer samples are above or below them, because they could hide them. */
const FEW = 20;

function shorten(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}

export interface Ink {
  text: string;
  halo: string;
}

/** Draws the class names that are in view and do not overlap; larger classes take precedence. */
export function drawNames(
  context: CanvasRenderingContext2D, found: Anchor[], classes: string[], view: View, size: Size, ink: Ink,
): void {
  context.font = `600 ${FONT_SIZE}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3.5;
  context.strokeStyle = ink.halo;
  context.fillStyle = ink.text;
  const taken: { x: number; y: number; half: number }[] = [];
  for (const anchor of found) {
    const text = shorten(classes[anchor.class]!);
    const half = context.measureText(text).width / 2 + 4;
    const x = toScreenX(view, size, anchor.x);
    const center = toScreenY(view, size, anchor.y);
    const offset = anchor.count < FEW ? 1.2 * FONT_SIZE : 0;
    const y = center - offset < FONT_SIZE ? center + offset : center - offset;
    if (x < half || x > size.width - half || y < FONT_SIZE || y > size.height - FONT_SIZE) continue;
    const clash = (t: { x: number; y: number; half: number }) =>
      Math.abs(t.x - x) < t.half + half && Math.abs(t.y - y) < FONT_SIZE + 5;
    if (taken.some(clash)) continue;
    taken.push({ x, y, half });
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
}

/** Draws a ring around the active sample. */
export function drawRing(
  context: CanvasRenderingContext2D, x: number, y: number, diameter: number, ink: Ink,
): void {
  for (const [width, style] of [[5, ink.halo], [2.5, ink.text]] as const) {
    context.beginPath();
    context.arc(x, y, diameter / 2 + 4, 0, 2 * Math.PI);
    context.lineWidth = width;
    context.strokeStyle = style;
    context.stroke();
  }
}
