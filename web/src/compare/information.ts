/** Mutual information between embeddings and classes, by method. */
import { dotFigure } from "../chart/figure";
import type { DotGroup } from "../chart/dots";
import { finite, nats } from "../format";
import { groupOf, type Comparison } from "./groups";
import { lineColor } from "../colors";
import { mean, meanInterval } from "./stats";

export function informationFigure(comparison: Comparison, condition: string): HTMLElement | null {
  let entropy: number | null = null;
  const groups = comparison.methods.flatMap((method, i): DotGroup[] => {
    const known = groupOf(comparison, method, condition).flatMap(({ summary }) => summary.information ?? []);
    const values = known.map((information) => information.mixed_ksg).filter(finite);
    if (values.length === 0) return [];
    entropy ??= known[0]!.label_entropy;
    // A single run uses the interval of its own estimate, if there is one.
    const single = known.find((information) => finite(information.mixed_ksg))!.interval;
    const [low, high] = meanInterval(values) ?? single ?? [values[0]!, values[0]!];
    return [{ name: method, color: lineColor(i), values, mean: mean(values), low, high }];
  });
  if (groups.length === 0) return null;
  const one = groups.every((group) => group.values.length === 1);
  return dotFigure({
    title: "Mutual information I(Z;C)", valueLabel: "nats, Mixed KSG estimate", groups, file: condition, format: (v) => v.toFixed(2),
    reference: entropy === null ? undefined : { name: `label entropy ${nats(entropy)}`, value: entropy },
    note: one ? "Estimate and its 95 % interval, if there are enough samples." : "One dot per seed, mean, and 95 % t interval of the mean; for a single seed, the interval of its estimate.",
  });
}
