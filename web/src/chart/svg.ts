/** Line chart as SVG, for files and print. */
import { s } from "../dom";
import type { Ink } from "../theme";
import { drawing, label, round } from "./canvas";
import { extent, hasPoints, tickOf, type ChartSpec, type Series } from "./spec";
import { logTicks, smallestStep, ticks } from "./ticks";
import { short } from "../format";

const LEFT = 66;
const RIGHT = 16;
const BOTTOM = 48;

interface Frame {
  width: number;
  height: number;
  x(value: number): number;
  y(value: number): number;
  top: number;
  ends: ReturnType<typeof extent>;
}

function frameOf(spec: ChartSpec, width: number, top: number): Frame {
  const height = Math.round(width * 0.42) + 80;
  const ends = extent(spec);
  const place = (v: number): number => (spec.log ? Math.log(v) : v);
  const [low, high] = [place(ends.y[0]), place(ends.y[1])];
  return {
    width, height, ends, top,
    x: (v) => round(LEFT + ((v - ends.x[0]) / (ends.x[1] - ends.x[0])) * (width - LEFT - RIGHT)),
    y: (v) => round(height - BOTTOM - ((place(v) - low) / (high - low)) * (height - BOTTOM - top)),
  };
}

function axes(spec: ChartSpec, frame: Frame, ink: Ink): SVGGElement {
  const [low, high] = frame.ends.y;
  const { width, height } = frame;
  const g = s("g", { fill: ink.muted });
  for (const v of spec.log ? logTicks(low, high) : ticks(low, high, 6)) {
    g.append(s("path", { d: `M${LEFT} ${frame.y(v)}H${width - RIGHT}`, stroke: ink.line }));
    g.append(label(LEFT - 8, frame.y(v) + 4, tickOf(spec)(v), { "text-anchor": "end" }));
  }
  for (const v of ticks(...frame.ends.x, width / 90, smallestStep(...frame.ends.x))) {
    g.append(s("path", { d: `M${frame.x(v)} ${frame.top}V${height - BOTTOM}`, stroke: ink.line }));
    g.append(label(frame.x(v), height - BOTTOM + 18, short(v), { "text-anchor": "middle" }));
  }
  const middle = (frame.top + height - BOTTOM) / 2;
  g.append(label((LEFT + width - RIGHT) / 2, height - 10, spec.xLabel, { "text-anchor": "middle" }));
  g.append(label(14, middle, spec.yLabel, { "text-anchor": "middle", transform: `rotate(-90 14 ${round(middle)})` }));
  return g;
}

/** Path of the line, with gaps at missing values. */
function linePath(series: Series, frame: Frame, log: boolean): string {
  let path = "";
  let pen = "M";
  series.y.forEach((y, i) => {
    if (y === null || (log && y <= 0)) {
      pen = "M";
      return;
    }
    path += `${pen}${frame.x(series.x[i]!)} ${frame.y(y)}`;
    pen = "L";
  });
  return path;
}

function bandPath({ x, low, high }: Series, frame: Frame): string {
  const there = x.map((_, i) => i).filter((i) => low![i] != null && high![i] != null);
  const upper = there.map((i) => `${frame.x(x[i]!)} ${frame.y(high![i]!)}`);
  const lower = there.reverse().map((i) => `${frame.x(x[i]!)} ${frame.y(low![i]!)}`);
  return there.length ? `M${[...upper, ...lower].join("L")}Z` : "";
}

function drawSeries(series: Series, frame: Frame, ink: Ink, log: boolean): SVGGElement {
  const color = ink.color(series.color);
  const g = s("g", { fill: color });
  if (series.low && series.high) g.append(s("path", { d: bandPath(series, frame), "fill-opacity": 0.16 }));
  if (!series.scattered) g.append(s("path", {
    d: linePath(series, frame, log), fill: "none", stroke: color, "stroke-width": 2, "stroke-linejoin": "round",
    "stroke-dasharray": series.dashed ? "6 5" : null,
  }));
  if (hasPoints(series))
    series.y.forEach((y, i) => {
      if (y !== null && (!log || y > 0)) g.append(s("circle", { cx: frame.x(series.x[i]!), cy: frame.y(y), r: 3 }));
    });
  return g;
}

function references(spec: ChartSpec, frame: Frame, ink: Ink): SVGGElement {
  const g = s("g", { fill: ink.muted });
  for (const { name, y } of spec.references ?? []) {
    g.append(s("path", { d: `M${LEFT} ${frame.y(y)}H${frame.width - RIGHT}`, stroke: ink.muted, "stroke-dasharray": "3 4" }));
    g.append(label(frame.width - RIGHT - 4, frame.y(y) - 5, name, { "text-anchor": "end" }));
  }
  return g;
}

/** Draws the legend below the title. Returns the drawing and the y coordinate below it. */
function legend(spec: ChartSpec, ink: Ink, within: number): [SVGGElement, number] {
  const g = s("g", { fill: ink.text });
  let [x, y] = [LEFT, 46];
  for (const series of spec.series.length > 1 ? spec.series : []) {
    const width = 34 + series.name.length * 7;
    if (x > LEFT && x + width > within - RIGHT) [x, y] = [LEFT, y + 20];
    g.append(s("path", {
      d: `M${x} ${y - 4}h18`, stroke: ink.color(series.color), "stroke-width": 3,
      "stroke-dasharray": series.dashed ? "5 3" : null,
    }));
    g.append(label(x + 24, y, series.name, {}));
    x += width;
  }
  return [g, spec.series.length > 1 ? y + 14 : 40];
}

export function lineSvg(spec: ChartSpec, ink: Ink, width: number): SVGSVGElement {
  const [names, top] = legend(spec, ink, width);
  const frame = frameOf(spec, width, top);
  return drawing(width, frame.height, spec.title,
    s("rect", { width, height: frame.height, fill: ink.surface }),
    label(LEFT, 24, spec.title, { "font-size": 16, "font-weight": 600, fill: ink.text }),
    names,
    axes(spec, frame, ink),
    ...spec.series.map((series) => drawSeries(series, frame, ink, spec.log ?? false)),
    references(spec, frame, ink));
}
