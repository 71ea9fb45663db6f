/** The frame around every chart: heading, note, the chart, a menu to save it, a table of its numbers. */
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
  /** The chart as it is on screen; tells of a "viewchange" when its SVG has become another. */
  body: HTMLElement;
  /** Begins the names of saved files. */
  file?: string;
  /** The chart in light colors as SVG text; stands in for `body` on paper. */
  svg?: () => string;
  /** Made from `svg` where it is left out; without both there is nothing to save as a image. */
  png?: () => Promise<Blob>;
  /** The chart's numbers, for the table and for CSV. */
  table: () => Table;
  /** `body` is a table already: there is none to show behind it. */
  tabular?: boolean;
  /** What stands in for `body` on paper where that is not `svg`; false: `body` itself is printed. */
  twin?: (() => string) | false;
}

/** What a reader did to a figure, by file name and title; outlives the figure on a page that is drawn anew. */
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
/** Two charts stand side by side on paper: narrow drawings keep their letters large there. */
const PAPER_WIDTH = 430;

/** The drawing for paper, as an element. Text of SVG is read as XML, where nothing runs. */
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

/** A line chart with its frame. */
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

/** A chart of groups with its frame. */
export function dotFigure(spec: DotChartSpec): HTMLElement {
  const body = h("div", { class: "drawn", style: { "min-height": `${dotHeight(spec)}px` } });
  keepDrawn(body, (width, colors) => dotSvg(spec, width, colors));
  return frame({
    title: spec.title, note: spec.note, file: spec.file, body,
    svg: () => svgText(dotSvg(spec, FILE_WIDTH, ink("light"), true)),
    table: () => dotTable(spec),
  });
}
