/** Dot plot: one row per group, with mean and interval, as SVG for screen, files and print. */
import type { Table } from "../csv";
import { s } from "../dom";
import { counted, short } from "../format";
import type { Ink } from "../theme";
import { drawing, label, round } from "./canvas";
import { ticks } from "./ticks";

export interface DotGroup {
  name: string;
  color: string;
  /** One value per seed. */
  values: number[];
  mean: number;
  low: number;
  high: number;
}

export interface DotChartSpec {
  title: string;
  note?: string;
  /** Label of the value axis. */
  valueLabel: string;
  groups: DotGroup[];
  /** Reference value, drawn as a vertical line. */
  reference?: { name: string; value: number };
  /** Range of possible values; the axis does not extend beyond it. */
  limits?: [number, number];
  format?: (value: number) => string;
  file?: string;
}

const ROW = 40;
const TOP = 26;
const BOTTOM = 46;
const RIGHT = 24;

/** Height of the drawing, used to reserve space before it is drawn. */
export const dotHeight = (spec: DotChartSpec, top = TOP): number => top + ROW * spec.groups.length + BOTTOM;

interface Frame {
  left: number;
  width: number;
  height: number;
  ends: [number, number];
  x(value: number): number;
}

function frameOf(spec: DotChartSpec, width: number, top: number): Frame {
  const all = spec.groups.flatMap((group) => [...group.values, group.mean, group.low, group.high]);
  if (spec.reference) all.push(spec.reference.value);
  const [low, high] = all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
  const room = high > low ? 0.06 * (high - low) : spec.limits ? 0.05 * (spec.limits[1] - spec.limits[0]) : 0.5;
  const longest = Math.max(0, ...spec.groups.map((group) => group.name.length));
  const left = Math.round(Math.min(width * 0.42, 16 + 7 * longest));
  const [least, most] = spec.limits ?? [-Infinity, Infinity];
  const ends: [number, number] = [Math.max(least, low - room), Math.min(most, high + room)];
  return {
    left, width, ends, height: dotHeight(spec, top),
    x: (v) => round(left + ((Math.min(most, Math.max(least, v)) - ends[0]) / (ends[1] - ends[0])) * (width - left - RIGHT)),
  };
}

function axis(spec: DotChartSpec, frame: Frame, top: number, ink: Ink, format: (v: number) => string): SVGGElement {
  const g = s("g", { fill: ink.muted });
  const bottom = frame.height - BOTTOM;
  for (const v of ticks(...frame.ends, Math.max(3, Math.floor((frame.width - frame.left) / 90)))) {
    g.append(s("path", { d: `M${frame.x(v)} ${top}V${bottom}`, stroke: ink.line }));
    g.append(label(frame.x(v), bottom + 18, format(v), { "text-anchor": "middle" }));
  }
  g.append(label((frame.left + frame.width - RIGHT) / 2, bottom + 38, spec.valueLabel, { "text-anchor": "middle" }));
  if (spec.reference) {
    const x = frame.x(spec.reference.value);
    g.append(s("path", { d: `M${x} ${top - 6}V${bottom}`, stroke: ink.muted, "stroke-dasharray": "3 4" }));
    g.append(label(x, top - 10, spec.reference.name, { "text-anchor": x > frame.width * 0.75 ? "end" : "middle" }));
  }
  return g;
}

const cut = (text: string, pixels: number): string =>
  text.length * 7 <= pixels ? text : text.slice(0, Math.max(1, Math.floor(pixels / 7) - 1)) + "…";

function row(group: DotGroup, y: number, frame: Frame, ink: Ink, format: (v: number) => string): SVGGElement {
  const color = ink.color(group.color);
  const [low, high, mean] = [frame.x(group.low), frame.x(group.high), frame.x(group.mean)];
  const describe = `${group.name}: mean ${format(group.mean)}, ${format(group.low)} to ${format(group.high)}, ` +
    counted(group.values.length, "value");
  const g = s("g", { class: "dot-row" }, s("title", null, describe));
  g.append(label(frame.left - 12, y + 4, cut(group.name, frame.left - 12), { "text-anchor": "end", fill: ink.text }));
  const whisker = `M${low} ${y}H${high}M${low} ${y - 5}v10M${high} ${y - 5}v10`;
  g.append(s("path", { d: whisker, stroke: color, "stroke-width": 2, fill: "none" }));
  for (const value of group.values)
    g.append(s("circle", { class: "dot", cx: frame.x(value), cy: y, r: 4, fill: color, "fill-opacity": 0.5 }));
  g.append(s("circle", { class: "mean", cx: mean, cy: y, r: 5.5, fill: color, stroke: ink.surface, "stroke-width": 1.5 }));
  const anchor = mean > frame.width - 60 ? "end" : mean < frame.left + 30 ? "start" : "middle";
  g.append(label(mean, y - 10, format(group.mean), { "text-anchor": anchor, fill: ink.text, "font-weight": 600 }));
  return g;
}

/** If `heading` is true, draws the title too, for files. */
export function dotSvg(spec: DotChartSpec, width: number, ink: Ink, heading = false): SVGSVGElement {
  const format = spec.format ?? ((v: number) => short(v, 3));
  const top = TOP + (heading ? 30 : 0);
  const frame = frameOf(spec, width, top);
  return drawing(width, frame.height, `${spec.title}, ${spec.valueLabel}`,
    heading ? s("rect", { width, height: frame.height, fill: ink.surface }) : null,
    heading ? label(16, 24, spec.title, { "font-size": 16, "font-weight": 600, fill: ink.text }) : null,
    axis(spec, frame, top, ink, format),
    ...spec.groups.map((group, i) => row(group, top + ROW * (i + 0.5) + 4, frame, ink, format)));
}

export function dotTable(spec: DotChartSpec): Table {
  const most = Math.max(0, ...spec.groups.map((group) => group.values.length));
  return {
    columns: ["group", "mean", "low", "high", ...Array.from({ length: most }, (_, i) => `value ${i + 1}`)],
    rows: spec.groups.map(({ name, mean, low, high, values }) =>
      [name, mean, low, high, ...Array.from({ length: most }, (_, i) => values[i] ?? null)]),
  };
}
