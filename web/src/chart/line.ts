/** Interactive line chart: uPlot with theme colors, values at the cursor, drag to zoom. */
import uPlot from "uplot";
import { h } from "../dom";
import { short } from "../format";
import { ink, type Ink } from "../theme";
import { drawWith, FONT } from "./canvas";
import { smallestStep, ticks } from "./ticks";
import { formatOf, hasPoints, tickOf, widen, yEnds, type ChartSpec, type Series } from "./spec";

const FONT_12 = `12px ${FONT}`;

export interface LineChart {
  element: HTMLElement;
  show(series: string, visible: boolean): void;
}

/** View state of a chart; the caller keeps it across redraws. */
export interface LineView {
  hidden: Set<string>;
  zoom: [number, number] | null;
}

/** Rows for uPlot: the series, followed by low and high if it has a band. */
function rowsOf(series: Series): uPlot.AlignedData[] {
  const lists = [series.y, ...(series.low && series.high ? [series.low, series.high] : [])];
  return lists.map((values) => [series.x, values]);
}

interface Layout {
  options: uPlot.Series[];
  bands: uPlot.Band[];
  /** uPlot rows of each series of the spec. */
  rows: number[][];
}

function layoutOf(spec: ChartSpec, view: LineView, colors: Ink): Layout {
  const layout: Layout = { options: [{}], bands: [], rows: [] };
  for (const series of spec.series) {
    const at = layout.options.length;
    const color = colors.color(series.color);
    const show = !view.hidden.has(series.name);
    layout.options.push({
      label: series.name, show, stroke: color, width: 2, dash: series.dashed ? [6, 5] : undefined,
      points: { show: hasPoints(series), size: series.scattered ? 8 : 6, fill: color },
      ...(series.scattered ? { paths: () => null } : {}),
    });
    layout.rows.push([at]);
    if (!series.low || !series.high) continue;
    for (const edge of ["low", "high"])
      layout.options.push({ label: `${series.name} ${edge}`, show, stroke: "transparent", width: 0, points: { show: false } });
    layout.bands.push({ series: [at + 2, at + 1], fill: withAlpha(color, 0.16) });
    layout.rows[layout.rows.length - 1]!.push(at + 1, at + 2);
  }
  return layout;
}

const withAlpha = (rgb: string, alpha: number): string => rgb.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);

function axis(labelText: string, colors: Ink, format: (v: number) => string, size: uPlot.Axis.Size): uPlot.Axis {
  return {
    label: labelText, labelFont: FONT_12, font: FONT_12, stroke: colors.muted, size, labelSize: 18, gap: 6,
    grid: { stroke: colors.line, width: 1 }, ticks: { show: false },
    values: (_, splits) => splits.map((v) => (v === null ? "" : format(v))),
  };
}

/** Width of the longest tick label. */
const widthOfTicks: uPlot.Axis.Size = (_, values) => 14 + 7 * Math.max(2, ...(values ?? []).map((text) => text.length));

function drawReferences(spec: ChartSpec, colors: Ink): (u: uPlot) => void {
  return (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    for (const reference of spec.references ?? []) {
      const y = Math.round(u.valToPos(reference.y, "y", true));
      if (y < bbox.top || y > bbox.top + bbox.height) continue;
      ctx.strokeStyle = ctx.fillStyle = colors.muted;
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash([3 * devicePixelRatio, 4 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      ctx.font = `${12 * devicePixelRatio}px ${FONT}`;
      ctx.textAlign = "right";
      ctx.textBaseline = "bottom";
      ctx.fillText(reference.name, bbox.left + bbox.width - 4 * devicePixelRatio, y - 2 * devicePixelRatio);
    }
    ctx.restore();
  };
}

/** Updates the tooltip at the cursor. */
function fillTip(tip: HTMLElement, u: uPlot, spec: ChartSpec, layout: Layout): void {
  const at = u.cursor.idx;
  if (at === null || at === undefined || u.cursor.left! < 0) {
    tip.hidden = true;
    return;
  }
  const format = formatOf(spec);
  const lines = spec.series.map((series, i) => {
    const [row, low, high] = layout.rows[i]!;
    const value = u.data[row!]![at];
    if (!u.series[row!]!.show || value === null || value === undefined) return null;
    const [from, to] = [low && u.data[low]![at], high && u.data[high]![at]];
    const band = typeof from === "number" && typeof to === "number" ? ` (${format(from)} – ${format(to)})` : "";
    return h("div", null, h("span", { class: "swatch", style: { "--color": series.color } }), `${series.name} `,
      h("b", null, format(value) + band));
  });
  const head = h("div", { class: "tip-head" }, `${spec.xLabel} ${short(u.data[0]![at]!)}`);
  tip.replaceChildren(head, ...lines.filter((line) => line !== null));
  tip.hidden = false;
  const left = u.cursor.left!;
  const width = u.over.clientWidth;
  tip.style.left = left < width / 2 ? `${left + 14}px` : "auto";
  tip.style.right = left < width / 2 ? "auto" : `${width - left + 14}px`;
}

function optionsOf(spec: ChartSpec, view: LineView, colors: Ink, size: { width: number; height: number }, layout: Layout,
  tip: HTMLElement): uPlot.Options {
  return {
    ...size, series: layout.options, bands: layout.bands, legend: { show: false }, padding: [14, 14, 0, 0],
    scales: {
      // uPlot shows 100 units around a single value.
      x: { time: false, range: ({ data: [x] }, low, high) => (x.length === 1 ? widen([x[0]!, x[0]!], 0) : [low, high]) },
      y: { distr: spec.log ? 3 : 1, range: (_, low, high) => yEnds(spec, withReferences(spec, low, high)) },
    },
    axes: [
      {
        ...axis(spec.xLabel, colors, (v) => short(v), () => 26),
        splits: (_, __, low, high) => ticks(low, high, size.width / 70, smallestStep(low, high)),
      },
      axis(spec.yLabel, colors, tickOf(spec), widthOfTicks),
    ],
    cursor: { y: false, drag: { x: true, y: false, dist: 5 }, points: { size: 9 } },
    hooks: {
      draw: [drawReferences(spec, colors)],
      setCursor: [(u) => fillTip(tip, u, spec, layout)],
      setScale: [(u, key) => {
        const { min, max } = u.scales.x!;
        const all = u.data[0];
        if (key !== "x" || min === undefined || max === undefined) return;
        view.zoom = min > all[0]! || max < all[all.length - 1]! ? [min!, max!] : null;
      }],
    },
  };
}

function withReferences(spec: ChartSpec, low: number, high: number): [number, number] {
  const all = (spec.references ?? []).map((reference) => reference.y);
  for (const end of [low, high]) if (Number.isFinite(end) && end !== null) all.push(end);
  return all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
}

/** Arrow keys move the cursor from value to value. */
function moveByKeys(plot: uPlot, event: KeyboardEvent): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "Escape") plot.setCursor({ left: -10, top: -10 });
  if (step === undefined) return;
  event.preventDefault();
  const last = plot.data[0].length - 1;
  const at = plot.cursor.left! < 0 ? (step > 0 ? 0 : last) : plot.cursor.idx! + step;
  const x = plot.data[0][Math.min(last, Math.max(0, at))]!;
  plot.setCursor({ left: plot.valToPos(x, "x"), top: 10 });
}

export function lineChart(spec: ChartSpec, view: LineView): LineChart {
  const names = spec.series.map((series) => series.name).join(", ");
  const element = h("div", {
    class: "line-chart", role: "img", tabindex: 0,
    "aria-label": `Line chart: ${spec.title}. ${spec.yLabel} of ${names} by ${spec.xLabel}. Arrow keys show values.`,
  });
  let plot: uPlot | null = null;
  let layout: Layout | null = null;
  const data = uPlot.join(spec.series.flatMap(rowsOf));
  drawWith(element, (width) => {
    plot?.destroy();
    const colors = ink();
    const tip = h("div", { class: "tip", hidden: true });
    layout = layoutOf(spec, view, colors);
    const zoom = view.zoom;
    plot = new uPlot(optionsOf(spec, view, colors, { width, height: element.clientHeight }, layout, tip), data, element);
    plot.over.append(tip);
    if (zoom) plot.setScale("x", { min: zoom[0], max: zoom[1] });
  });
  element.addEventListener("keydown", (event) => plot && moveByKeys(plot, event));
  return {
    element,
    show: (name, visible) => {
      view.hidden[visible ? "delete" : "add"](name);
      const i = spec.series.findIndex((series) => series.name === name);
      for (const row of layout?.rows[i] ?? []) plot?.setSeries(row, { show: visible });
    },
  };
}
