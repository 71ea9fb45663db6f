/** Specification of a line chart. Rendered on screen by line.ts, as SVG by svg.ts, and as a table here. */
import type { Table } from "../csv";
import { short } from "../format";

export type Values = (number | null)[];

export interface Series {
  name: string;
  /** Any CSS color; use light-dark(...) if the themes differ. */
  color: string;
  x: number[];
  y: Values;
  /** An interval around y, shown as a band. */
  low?: Values;
  high?: Values;
  dashed?: boolean;
  /** If true, marks the values; default: if there are few of them. */
  points?: boolean;
  /** If true, draws only markers, no line. */
  scattered?: boolean;
}

export interface ChartSpec {
  title: string;
  /** One sentence under the title. */
  note?: string;
  xLabel: string;
  yLabel: string;
  series: Series[];
  /** Labeled horizontal lines. */
  references?: { name: string; y: number }[];
  /** Limits of the y axis; null: taken from the data. */
  yRange?: [number | null, number | null];
  log?: boolean;
  /** Formats values of y. */
  format?: (value: number) => string;
  /** Formats tick labels of the y axis; default: `format`. */
  tick?: (value: number) => string;
  /** Prefix of the names of saved files. */
  file?: string;
}

export const formatOf = (spec: ChartSpec): ((value: number) => string) => spec.format ?? ((v) => short(v));

export const tickOf = (spec: ChartSpec): ((value: number) => string) => spec.tick ?? formatOf(spec);

/** Short series have markers, long ones only a line. */
export const hasPoints = (series: Series): boolean => series.points ?? (series.scattered || series.x.length <= 12);

/** Data range of x and y, including references and bands, with padding in y. */
export function extent(spec: ChartSpec): { x: [number, number]; y: [number, number] } {
  const xs: number[] = [];
  const ys: number[] = (spec.references ?? []).map((reference) => reference.y);
  for (const series of spec.series) {
    for (const x of series.x) xs.push(x);
    for (const values of [series.y, series.low ?? [], series.high ?? []])
      for (const y of values) if (y !== null && (!spec.log || y > 0)) ys.push(y);
  }
  return { x: widen(span(xs), 0), y: yEnds(spec, span(ys)) };
}

function span(values: number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : [0, 1];
}

export function widen([low, high]: [number, number], share: number): [number, number] {
  if (low === high) return [low - 0.5, high + 0.5];
  return [low - share * (high - low), high + share * (high - low)];
}

/** Limits of the y axis for data between `low` and `high`. */
export function yEnds(spec: ChartSpec, [low, high]: [number, number]): [number, number] {
  const [from, to] = spec.yRange ?? [null, null];
  if (spec.log) return [from ?? low / 1.5, to ?? high * 1.5];
  const room = low === high ? Math.abs(low) / 2 : 0; // a constant learning rate is not 0 on an axis to 0.5
  const wide = widen([low - room, high + room], 0.06);
  return [from ?? wide[0], to ?? wide[1]];
}

/** One row per distinct x and one column per series, plus two if it has a band. */
export function tableOf(spec: ChartSpec): Table {
  const columns = [spec.xLabel];
  const lists: { x: number[]; y: Values }[] = [];
  for (const { name, x, y, low, high } of spec.series) {
    columns.push(name);
    lists.push({ x, y });
    if (low && high) {
      columns.push(`${name} low`, `${name} high`);
      lists.push({ x, y: low }, { x, y: high });
    }
  }
  const maps = lists.map(({ x, y }) => new Map(x.map((at, i) => [at, y[i] ?? null])));
  const all = [...new Set(lists.flatMap((list) => list.x))].sort((a, b) => a - b);
  return { columns, rows: all.map((at) => [at, ...maps.map((map) => map.get(at) ?? null)]) };
}
