import type { Table } from "../csv";
import { className } from "./card";
import type { Points } from "./points";
import { nameOf } from "./points";
import { BASE_SIZE } from "./scene";
import type { Shot } from "./still";
import { toScreenX, toScreenY } from "./view";

const share = (byte: number): number => Math.round((byte / 255) * 1000) / 1000;

/** Table of all samples of a split, including hidden ones. */
export function mapTable(points: Points, classes: string[]): Table {
  const named = (values: Uint16Array | null, i: number) => (values ? className(classes, values[i]!) : null);
  const rows = Array.from({ length: points.count }, (_, i) => [
    points.index[i]!,
    nameOf(points, i),
    points.x[i]!,
    points.y[i]!,
    named(points.label, i),
    named(points.predicted, i),
    share(points.similarity[i]!),
    points.audit_score ? share(points.audit_score[i]!) : null,
    named(points.suggested, i),
    named(points.truth, i),
  ]);
  const columns = [
    "index", "name", "x", "y", "label", "predicted", "confidence", "audit_score", "suggested", "true_label",
  ];
  return { columns, rows };
}

const SVG = "http://www.w3.org/2000/svg";

/** The visible area as SVG circles; consecutive circles of the same color share a group. */
export function mapSvg(shot: Shot): string {
  const { scene, view, size, paper } = shot;
  const groups: string[] = [];
  let circles: string[] = [];
  let last = "";
  const close = () => {
    if (circles.length > 0) groups.push(`<g fill="rgb(${last})">${circles.join("")}</g>`);
    circles = [];
  };
  for (let k = 0; k < scene.count; ++k) {
    const [red, green, blue, bulk] = scene.look.subarray(4 * k, 4 * k + 4);
    const radius = (shot.diameter * bulk!) / BASE_SIZE / 2;
    const x = toScreenX(view, size, scene.x[k]!);
    const y = toScreenY(view, size, scene.y[k]!);
    if (x < -radius || y < -radius || x > size.width + radius || y > size.height + radius) continue;
    const fill = `${red},${green},${blue}`;
    if (fill !== last) close();
    last = fill;
    circles.push(`<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(1)}"/>`);
  }
  close();
  const frame = `viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}"`;
  const ground = `<rect width="100%" height="100%" fill="rgb(${paper.background.join(",")})"/>`;
  return `<svg xmlns="${SVG}" ${frame}>${ground}<g fill-opacity="${paper.opacity}">${groups.join("")}</g></svg>\n`;
}
