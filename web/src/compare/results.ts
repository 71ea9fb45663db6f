/** Results table: mean and standard deviation over seeds, and difference from a baseline, by method. */
import { dotFigure, frame } from "../chart/figure";
import type { Cell, Table } from "../csv";
import { h, type Child } from "../dom";
import { lineColor } from "../colors";
import { counted, percent } from "../format";
import { accuracyOf, epochText, groupOf, type Comparison } from "./groups";
import { deviation, difference, mean, meanInterval, type Difference, type Seeded } from "./stats";
import { strip, stripRange } from "./strip";

export interface Choice {
  protocol: string;
  baseline: string;
}

/** One method under one condition. */
interface Result {
  method: string;
  color: string;
  condition: string;
  seeds: Seeded[];
  mean: number;
  best: boolean;
  /** Null for the baseline itself, or if the baseline has no runs under this condition. */
  difference: Difference | null;
}

function resultsOf(comparison: Comparison, condition: string, { protocol, baseline }: Choice): Result[] {
  const seedsOf = (method: string): Seeded[] =>
    groupOf(comparison, method, condition).flatMap((entry) => {
      const value = accuracyOf(entry, protocol);
      return value === null ? [] : [{ seed: entry.seed, value }];
    });
  const ground = seedsOf(baseline);
  const found = comparison.methods.map((method, i) => ({ method, color: lineColor(i), seeds: seedsOf(method) })).filter(({ seeds }) => seeds.length > 0);
  const means = found.map(({ seeds }) => mean(seeds.map(({ value }) => value)));
  return found.map(({ method, color, seeds }, i) => ({
    method, color, condition, seeds, mean: means[i]!,
    best: found.length > 1 && means[i] === Math.max(...means),
    difference: method === baseline || ground.length === 0 ? null : difference(seeds, ground),
  }));
}

/** Signed percentage points: "+1.4". */
const points = (share: number): string => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}`;

function spread({ seeds, mean: value }: Result): Child {
  const sd = deviation(seeds.map((seed) => seed.value));
  const text = (100 * value).toFixed(1);
  return Number.isFinite(sd) ? h("span", null, text, h("span", { class: "spread" }, ` ± ${(100 * sd).toFixed(1)}`)) : text;
}

function accuracyCell(result: Result): HTMLElement {
  return h(result.best ? "strong" : "span", { class: result.best ? "accuracy best" : "accuracy" }, spread(result));
}

function differenceCell({ difference: found }: Result, isBaseline: boolean): HTMLElement {
  if (isBaseline) return h("span", { class: "aside" }, "baseline");
  if (!found) return h("span", { class: "aside" }, "–");
  const { interval } = found;
  if (!interval) return h("span", { class: "difference" }, points(found.value), h("span", { class: "aside" }, " one seed"));
  const clear = interval[0] > 0 ? "up" : interval[1] < 0 ? "down" : "level";
  return h("span", { class: `difference ${clear}`, title: found.how === "paired" ? "Paired by seed" : "Welch interval: the seeds differ" },
    points(found.value), h("span", { class: "aside" }, ` ${points(interval[0])} to ${points(interval[1])}`));
}

const seedCount = ({ seeds }: Result): string => counted(seeds.length, "seed");

function methodHead(method: string, color: string): HTMLElement {
  return h("th", { scope: "row" }, h("span", { class: "swatch", style: { "--color": color } }), method);
}

/** Table for one condition: a row per method and a column per quantity. */
function listTable(results: Result[], baseline: string): HTMLElement {
  const range = stripRange(results.flatMap(({ seeds }) => seeds.map(({ value }) => value)));
  const heads = ["Method", "Accuracy, %", "Per seed", "Seeds", `Difference from ${baseline}, 95 % interval`];
  return h("table", { class: "comparison" },
    h("thead", null, h("tr", null, ...heads.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", null, ...results.map((result) => h("tr", null,
      methodHead(result.method, result.color),
      h("td", null, accuracyCell(result)),
      h("td", null, strip(result.seeds, range, result.color, 240)),
      h("td", null, result.seeds.length),
      h("td", null, differenceCell(result, result.method === baseline))))));
}

function stackedCell(result: Result | undefined, range: [number, number], baseline: string): HTMLElement {
  if (!result) return h("td", null, h("span", { class: "aside" }, "–"));
  return h("td", null, h("div", { class: "stack" },
    accuracyCell(result), strip(result.seeds, range, result.color, 150),
    differenceCell(result, result.method === baseline),
    h("span", { class: "aside" }, seedCount(result))));
}

/** Table for several conditions, one column each. */
function gridTable(comparison: Comparison, columns: Result[][], baseline: string): HTMLElement {
  const ranges = columns.map((results) => stripRange(results.flatMap(({ seeds }) => seeds.map(({ value }) => value))));
  return h("table", { class: "comparison by-condition" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Method"),
      ...comparison.conditions.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null, ...comparison.methods.map((method, k) => h("tr", null, methodHead(method, lineColor(k)),
      ...columns.map((results, i) => stackedCell(results.find((result) => result.method === method), ranges[i]!, baseline))))));
}

function dataOf(all: Result[]): Table {
  const most = Math.max(0, ...all.map(({ seeds }) => seeds.length));
  const rows = all.map(({ method, condition, seeds, mean: value, difference: found }): Cell[] => {
    const sd = deviation(seeds.map((seed) => seed.value));
    const own = Array.from({ length: most }, (_, i) => (seeds[i] ? [seeds[i].seed, seeds[i].value] : [null, null])).flat();
    return [method, condition, seeds.length, value, Number.isFinite(sd) ? sd : null,
      found?.value ?? null, found?.interval?.[0] ?? null, found?.interval?.[1] ?? null, found?.how ?? null, ...own];
  });
  const own = Array.from({ length: most }, (_, i) => [`seed ${i + 1}`, `accuracy ${i + 1}`]).flat();
  return { columns: ["method", "condition", "seeds", "mean", "sd", "difference", "low", "high", "interval", ...own], rows };
}

/** The results as dot plots, one per condition. */
export function resultDots(comparison: Comparison, choice: Choice): HTMLElement {
  return h("div", { class: comparison.conditions.length > 1 ? "figures" : "" }, ...comparison.conditions.map((condition) => dotFigure({
    title: `Accuracy, ${choice.protocol}, ${condition}`, valueLabel: "accuracy", format: (v) => percent(v), limits: [0, 1],
    note: "One dot per seed, mean, and 95 % t interval of the mean if there are several seeds.",
    groups: resultsOf(comparison, condition, choice).map(({ method, color, seeds, mean: value }) => {
      const values = seeds.map((seed) => seed.value);
      const [low, high] = meanInterval(values) ?? [value, value];
      return { name: method, color, values, mean: value, low, high };
    }),
  })));
}

export function resultsFigure(comparison: Comparison, choice: Choice): HTMLElement {
  const columns = comparison.conditions.map((condition) => resultsOf(comparison, condition, choice));
  const single = columns.length === 1;
  const table = single ? listTable(columns[0]!, choice.baseline) : gridTable(comparison, columns, choice.baseline);
  const where = single ? ` ${comparison.conditions[0]}.` : "";
  const hows = new Set(columns.flat().flatMap(({ difference: found }) => (found ? [found.how] : [])));
  const intervals = [hows.has("paired") && "paired by seed", hows.has("welch") && "Welch if seeds differ"].filter(Boolean).join(", ");
  return frame({
    title: `Accuracy by method, ${choice.protocol}`, tabular: true, table: () => dataOf(columns.flat()),
    note: `Mean ± standard deviation over seeds, in percent, ${epochText(comparison, choice.protocol)}; the best in bold.${where}` +
      (intervals ? ` Differences in percentage points with 95 % t intervals, ${intervals}.` : ""),
    body: h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Accuracy by method" }, table),
  });
}
