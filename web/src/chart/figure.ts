/** Frame of every chart: heading, note, chart, menu to save it, and table of its values. */
import { csv, type Table } from "../csv";
import { fileName, saveBlob, saveText } from "../download";
import { freshId, h } from "../dom";
import { ink } from "../theme";
import { keepDrawn, pngOf, svgText } from "./canvas";
import { dotHeight, dotSvg, dotTable, type DotChartSpec } from "./dots";
import { legend } from "./legend";
import { lineChart, type LineView } from "./line";
import { menu, type MenuItem } from "./menu";
import { tableOf, type ChartSpec } from "./spec";
import { lineSvg } from "./svg";
import { dataTable } from "./table";

export interface FrameParts {
  title: string;
  note?: string;
  /** The chart on screen; fires "viewchange" when its SVG changes. */
  body: HTMLElement;
  /** Prefix of the names of saved files. */
  file?: string;
  /** The chart as SVG text in light colors; replaces `body` in print. */
  svg?: () => string;
  /** Default: rendered from `svg`. Without both, the chart cannot be saved as an image. */
  png?: () => Promise<Blob>;
  /** The chart's values, for the table and for CSV. */
  table: () => Table;
  /** If true, `body` is itself a table and the menu offers no other. */
  tabular?: boolean;
  /** Replaces `body` in print; default: `svg`. If false, `body` itself is printed. */
  twin?: (() => string) | false;
}

/** View state of a figure, keyed by file name and title; survives redraws of the page. */
interface View extends LineView {
  table: boolean;
}
const views = new Map<string, View>();

function viewOf(file: string): View {
  let view = views.get(file);
  if (!view) views.set(file, (view = { hidden: new Set(), zoom: null, table: false }));
  return view;
}

const FILE_WIDTH = 720;
/** Two charts share a row in print; narrow drawings keep their text legible. */
const PAPER_WIDTH = 430;

/** Parses an SVG for print into an element. Parsed as XML, it cannot run scripts. */
function twinOf(svg: string): Node {
  return document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
}

function saveItems(parts: FrameParts, file: string): MenuItem[] {
  const { svg, table } = parts;
  const png = parts.png ?? (svg ? () => pngOf(svg()) : null);
  const items: MenuItem[] = [];
  if (svg) items.push({ name: "Save SVG", act: () => saveText(`${file}.svg`, "image/svg+xml", svg()) });
  if (png) items.push({ name: "Save PNG", act: async () => saveBlob(`${file}.png`, await png()) });
  items.push({ name: "Save CSV", act: () => saveText(`${file}.csv`, "text/csv", csv(table())) });
  return items;
}

export function frame(parts: FrameParts): HTMLElement {
  const file = fileName(parts.file ?? "", parts.title);
  const view = viewOf(file);
  const id = freshId("figure");
  const holder = h("div", { class: "figure-table" });
  const showTable = (): void => holder.replaceChildren(...(view.table ? [dataTable(parts.title, parts.table())] : []));
  showTable();
  const items = saveItems(parts, file);
  if (!parts.tabular) items.push({
    name: () => (view.table ? "Hide table" : "Show table"),
    act: () => {
      view.table = !view.table;
      showTable();
    },
  });
  const onPaper = parts.twin ?? parts.svg;
  const twin = onPaper ? h("div", { class: "twin" }, twinOf(onPaper())) : null;
  if (twin && onPaper) parts.body.addEventListener("viewchange", () => twin.replaceChildren(twinOf(onPaper())));
  return h("figure", { class: twin ? "figure has-twin" : "figure", "aria-labelledby": id },
    h("div", { class: "figure-head" }, h("h3", { id }, parts.title), menu(`Save or show data: ${parts.title}`, items)),
    parts.note ? h("p", { class: "note" }, parts.note) : null,
    h("div", { class: "figure-body" }, parts.body),
    twin, holder);
}

/** Framed line chart. */
export function figure(spec: ChartSpec): HTMLElement {
  const view = viewOf(fileName(spec.file ?? "", spec.title));
  const chart = lineChart(spec, view);
  const body = h("div", null, chart.element);
  const show = (name: string, visible: boolean): void => {
    chart.show(name, visible);
    body.dispatchEvent(new Event("viewchange"));
  };
  if (spec.series.length > 1) body.append(legend(spec.series, view.hidden, show));
  const shown = (): ChartSpec => ({ ...spec, series: spec.series.filter((series) => !view.hidden.has(series.name)) });
  return frame({
    title: spec.title, note: spec.note, file: spec.file, body,
    svg: () => svgText(lineSvg(shown(), ink("light"), FILE_WIDTH)),
    twin: () => svgText(lineSvg(shown(), ink("light"), PAPER_WIDTH)),
    table: () => tableOf(spec),
  });
}

/** Framed dot plot. */
export function dotFigure(spec: DotChartSpec): HTMLElement {
  const body = h("div", { class: "drawn", style: { "min-height": `${dotHeight(spec)}px` } });
  keepDrawn(body, (width, colors) => dotSvg(spec, width, colors));
  return frame({
    title: spec.title, note: spec.note, file: spec.file, body,
    svg: () => svgText(dotSvg(spec, FILE_WIDTH, ink("light"), true)),
    table: () => dotTable(spec),
  });
}
