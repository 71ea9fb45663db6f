/** Training curves of all methods: mean over seeds, and a band from minimum to maximum. */
import { figure } from "../chart/figure";
import type { ChartSpec, Series, Values } from "../chart/spec";
import { h } from "../dom";
import { nats, percent } from "../format";
import type { Columns } from "../model";
import { groupOf, type Comparison, type Entry } from "./groups";
import { lineColor } from "../colors";
import { mean } from "./stats";

/** Values of one column of all seeds, by epoch. */
function byEpoch(all: (Columns | undefined)[], column: string): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const columns of all)
    (columns?.epoch ?? []).forEach((epoch, i) => {
      const value = columns?.[column]?.[i];
      if (epoch === null || value == null) return;
      found.set(epoch, [...(found.get(epoch) ?? []), value]);
    });
  return found;
}

function seriesOf(name: string, color: string, all: (Columns | undefined)[], column: string): Series | null {
  const found = byEpoch(all, column);
  // Epochs that some seeds have not reached are dropped: they would shift the mean.
  const most = Math.max(0, ...[...found.values()].map((values) => values.length));
  const epochs = [...found.keys()].filter((epoch) => found.get(epoch)!.length === most).sort((a, b) => a - b);
  if (epochs.length === 0) return null;
  const pick = (act: (values: number[]) => number): Values => epochs.map((epoch) => act(found.get(epoch)!));
  const band = most > 1 ? { low: pick((v) => Math.min(...v)), high: pick((v) => Math.max(...v)) } : {};
  return { name, color, x: epochs, y: pick(mean), ...band };
}

type Source = (entry: Entry) => Columns | undefined;

function chart(comparison: Comparison, condition: string, source: Source, column: string, spec: Omit<ChartSpec, "series" | "xLabel">): ChartSpec | null {
  const series = comparison.methods.flatMap((method, i) => {
    const own = seriesOf(method, lineColor(i), groupOf(comparison, method, condition).map(source), column);
    return own ? [own] : [];
  });
  // A single epoch is not a curve; the results table has its values.
  return series.some((one) => one.x.length > 1) ? { ...spec, xLabel: "epoch", series } : null;
}

export function curveFigures(comparison: Comparison, condition: string, protocol: string): HTMLElement | null {
  const epochs: Source = (entry) => entry.run.curves.epochs;
  const note = "Mean over seeds; the band spans minimum to maximum.";
  const tested: Source = (entry) => entry.run.curves.tests.information;
  const column = comparison.entries.some((entry) => tested(entry)?.mi_bound_class_fitted) ? "mi_bound_class_fitted" : "mi_bound_class";
  const information = chart(comparison, condition, tested, column, { title: "Mutual information, lower bound", yLabel: "nats", note });
  const entropies = comparison.entries.filter((entry) => entry.condition === condition)
    .flatMap((entry) => (tested(entry)?.entropy ?? []).filter((v) => v !== null));
  if (information && entropies.length > 0)
    information.references = [{ name: `H(C) ${nats(entropies[0]!)}`, y: entropies[0]! }];
  const specs = [
    chart(comparison, condition, (entry) => entry.run.curves.tests[protocol], "top1",
      { title: `Test accuracy, ${protocol}`, yLabel: "accuracy", note, format: (v) => percent(v) }),
    chart(comparison, condition, epochs, "loss", { title: "Loss", yLabel: "loss", note: `${note} Losses of different methods are not comparable.` }),
    information,
  ].filter((spec) => spec !== null);
  return specs.length > 0 ? h("div", { class: "figures" }, ...specs.map((spec) => figure({ ...spec, file: condition }))) : null;
}
