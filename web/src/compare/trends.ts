/** Accuracy versus each numeric setting that differs between runs. */
import { figure } from "../chart/figure";
import type { Series } from "../chart/spec";
import { h } from "../dom";
import { percent } from "../format";
import type { RunData } from "../model";
import { setting } from "../run/words";
import { accuracyOf, compareRuns, settingName, varyingKeys, type Entry } from "./groups";
import { lineColor } from "../colors";
import { mean, meanInterval } from "./stats";

const NAMES: Record<string, string> = {
  "dataset.label_noise.rate": "label noise rate",
  "dataset.feature_noise.deviation": "standard deviation of the feature noise",
};

function numberOf(run: RunData, key: string): number | null {
  const text = setting(run, key);
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

function lineOf(name: string, color: string, entries: Entry[], key: string, protocol: string): Series {
  const found = new Map<number, number[]>();
  for (const entry of entries) {
    const x = numberOf(entry.run, key)!;
    const value = accuracyOf(entry, protocol);
    if (value !== null) found.set(x, [...(found.get(x) ?? []), value]);
  }
  const x = [...found.keys()].sort((a, b) => a - b);
  const intervals = x.map((at) => meanInterval(found.get(at)!));
  return {
    name, color, x, points: true,
    y: x.map((at) => mean(found.get(at)!)),
    low: intervals.map((interval) => interval?.[0] ?? null),
    high: intervals.map((interval) => interval?.[1] ?? null),
  };
}

/** One line per method and condition; lines with a single value are dropped. */
function linesOf(runs: RunData[], key: string, protocol: string): Series[] {
  const comparison = compareRuns(runs, key);
  const entries = comparison.entries.filter((entry) => numberOf(entry.run, key) !== null);
  const several = comparison.conditions.length > 1;
  const names = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = several ? `${entry.method}; ${entry.condition}` : entry.method;
    names.set(name, [...(names.get(name) ?? []), entry]);
  }
  return [...names].map(([name, own], i) => lineOf(name, lineColor(several ? i : comparison.methods.indexOf(name)), own, key, protocol))
    .filter((series) => series.x.length > 1);
}

export function trendFigures(runs: RunData[], protocol: string): HTMLElement | null {
  const done = runs.filter((run) => run.summary !== null);
  const figures = varyingKeys(done).flatMap((key) => {
    const series = linesOf(done, key, protocol);
    if (series.length === 0) return [];
    const name = NAMES[key] ?? settingName(key);
    const banded = series.some((line) => line.low!.some((v) => v !== null));
    return [figure({
      title: `Accuracy vs. ${name}`, xLabel: name, yLabel: "accuracy", series, format: (v) => percent(v),
      note: banded ? "Mean over seeds; the band is the 95 % t interval of the mean." : "One seed each.",
    })];
  });
  return figures.length > 0 ? h("div", { class: "figures" }, ...figures) : null;
}
