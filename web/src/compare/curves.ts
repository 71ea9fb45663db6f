/** Training curves of all methods in one image: the mean over seeds, and a band from the lowest to the highest. */
import { figure } from "../chart/figure";
import type { ChartSpec, Series, Values } from "../chart/spec";
import { h } from "../dom";
import { nats, percent } from "../format";
import type { Columns } from "../model";
import { groupOf, type Comparison, type Entry } from "./groups";
import { lineColor } from "../colors";
import { mean } from "./stats";

/** The values of one column by epoch, of every seed. */
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
  // An epoch that some seeds have not reached would move the mean for no good reason.
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
  // Points at a single epoch are no curve; the results have their numbers.
  return series.some((one) => one.x.length > 1) ? { ...spec, xLabel: "epoch", series } : null;
}

export function curveFigures(comparison: Comparison, condition: string, protocol: string): HTMLElement | null {
  const epochs: Source = (entry) => entry.run.curves.epochs;
  const note = "Mean over seeds; the band goes from the lowest seed to the highest.";
  const tested: Source = (entry) => entry.run.curves.tests.information;
  const column = comparison.entries.some((entry) => tested(entry)?.mi_bound_class_fitted) ? "mi_bound_class_fitted" : "mi_bound_class";
  const information = chart(comparison, condition, tested, column, { title: "Information, lower bound", yLabel: "nats", note });
  const entropies = comparison.entries.filter((entry) => entry.condition === condition)
    .flatMap((entry) => (tested(entry)?.entropy ?? []).filter((v) => v !== null));
  if (information && entropies.length > 0)
    information.references = [{ name: `H(C) ${nats(entropies[0]!)}`, y: entropies[0]! }];
  const specs = [
    chart(comparison, condition, (entry) => entry.run.curves.tests[protocol], "top1",
      { title: `Test accuracy, ${protocol}`, yLabel: "accuracy", note, format: (v) => percent(v) }),
    chart(comparison, condition, epochs, "loss", { title: "Loss", yLabel: "loss", note: `${note} Losses of different methods are not on one scale.` }),
    information,
  ].filter((spec) => spec !== null);
  return specs.length > 0 ? h("div", { class: "figures" }, ...specs.map((spec) => figure({ ...spec, file: condition }))) : null;
}
