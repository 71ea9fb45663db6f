/** Training curves by epoch. */
import { lineColor } from "../colors";
import { figure } from "../chart/figure";
import type { ChartSpec, Series, Values } from "../chart/spec";
import { h } from "../dom";
import { nats, percent, short } from "../format";
import type { Columns, RunData } from "../model";

const ACCENT = "var(--accent)";
const PALE = "light-dark(#a9b4cf, #55617d)";
const WARNING = "light-dark(#b4232f, #ff9aa0)";

const numbers = (values: Values | undefined): number[] => (values ?? []).map((v) => v ?? NaN);
const anyOf = (columns: Columns, name: string): boolean => (columns[name] ?? []).some((v) => v !== null);

function series(columns: Columns, column: string, name: string, color: string): Series | null {
  return anyOf(columns, column) ? { name, color, x: numbers(columns.epoch), y: columns[column]! } : null;
}

const present = <T>(list: (T | null)[]): T[] => list.filter((entry): entry is T => entry !== null);

/** Chart of a training metric: values of single steps and the mean of each epoch. */
function metricChart(run: RunData, column: string, spec: Pick<ChartSpec, "title" | "note" | "yLabel">): ChartSpec | null {
  const { steps, epochs } = run.curves;
  const all = present([series(steps, column, "per step", PALE), series(epochs, column, "epoch mean", ACCENT)]);
  if (all.length === 0) return null;
  return { ...spec, xLabel: "epoch", series: all, file: run.name };
}

const EVENTS = { spike: "loss spike", skipped_step: "skipped step" };

function lossChart(run: RunData): ChartSpec | null {
  const spec = metricChart(run, "loss", { title: "Loss", yLabel: "loss" });
  if (!spec) return null;
  for (const [kind, name] of Object.entries(EVENTS)) {
    const events = run.curves.events.filter((event) => event.name === kind && event.loss !== null);
    if (events.length > 0)
      spec.series.push({ name, color: WARNING, x: events.map((e) => e.epoch), y: events.map((e) => e.loss), scattered: true });
  }
  return spec;
}

/** Null if accuracy was measured only once: the overview shows it, and the curve would be a single point. */
function accuracyChart(run: RunData): ChartSpec | null {
  const tests = Object.entries(run.curves.tests).filter(([, columns]) => (columns.top1 ?? []).length > 1);
  if (tests.length === 0) return null;
  return {
    title: "Test accuracy", xLabel: "epoch", yLabel: "accuracy", file: run.name,
    note: "The band is the 95 % confidence interval.",
    format: (v) => percent(v),
    tick: (v) => percent(v, 0),
    series: tests.map(([protocol, columns], i) => ({
      name: protocol, color: i === 0 ? ACCENT : lineColor(i), x: numbers(columns.epoch),
      y: columns.top1!, low: columns.low, high: columns.high,
    })),
  };
}

/** Certified bounds on the test samples; null if they were measured only once. */
function informationChart(run: RunData): ChartSpec | null {
  const columns = run.curves.tests.information ?? {};
  const forms = { mi_bound_class_fitted: "class form, fitted temperature", mi_bound_class: "class form", mi_bound_normalized: "normalized pair form", mi_bound: "pair form" };
  const all = present(Object.entries(forms).map(([column, name], i) => series(columns, column, name, i === 0 ? ACCENT : lineColor(i))));
  if (all.length === 0 || (columns.epoch ?? []).length < 2) return null;
  const ceiling = (columns.entropy ?? []).find((v) => v !== null);
  return {
    title: "Mutual information, lower bounds", xLabel: "epoch", yLabel: "nats", file: run.name, series: all,
    note: "Certified lower bounds on I(Z;C) on the test samples.",
    references: ceiling == null ? undefined : [{ name: `H(C) ${nats(ceiling)}`, y: ceiling }],
  };
}

/** Chart of a metric that is logged per step only. */
function stepChart(run: RunData, column: string, title: string, format?: (v: number) => string): ChartSpec | null {
  const only = series(run.curves.steps, column, title.toLowerCase(), ACCENT);
  return only && { title, xLabel: "epoch", yLabel: title.toLowerCase(), series: [only], format, file: run.name };
}

function row(...specs: (ChartSpec | null)[]): HTMLElement | null {
  const figures = present(specs).map(figure);
  return figures.length > 0 ? h("div", { class: "figures" }, ...figures) : null;
}

export function curvesSection(run: RunData): HTMLElement | null {
  const rows = present([
    row(lossChart(run), accuracyChart(run)),
    row(
      metricChart(run, "alignment", { title: "Alignment", yLabel: "alignment", note: "Lower means that samples of a class are closer together." }),
      metricChart(run, "uniformity", { title: "Uniformity", yLabel: "uniformity", note: "Lower means that the embeddings are spread more evenly." }),
      metricChart(run, "R", { title: "Adjustment R", yLabel: "R", note: "The adjustment term of ProjNCE." })),
    row(
      informationChart(run),
      stepChart(run, "learning_rate", "Learning rate", (v) => short(v, 2)),
      stepChart(run, "gradient_norm", "Gradient norm")),
  ]);
  return rows.length > 0 ? h("div", null, ...rows) : null;
}
