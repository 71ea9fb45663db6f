/** How much the embeddings of each method tell about the class. */
import { dotFigure } from "../chart/figure";
import type { DotGroup } from "../chart/dots";
import { nats } from "../format";
import { groupOf, type Comparison } from "./groups";
import { lineColour } from "../colours";
import { mean, meanInterval } from "./stats";

export function informationFigure(comparison: Comparison, condition: string): HTMLElement | null {
  let entropy: number | null = null;
  const groups = comparison.methods.flatMap((method, i): DotGroup[] => {
    const known = groupOf(comparison, method, condition).flatMap(({ summary }) => summary.information ?? []);
    if (known.length === 0) return [];
    entropy ??= known[0]!.label_entropy;
    const values = known.map((information) => information.mixed_ksg);
    // A single run has the interval of its own estimate.
    const [low, high] = meanInterval(values) ?? known[0]!.interval;
    return [{ name: method, colour: lineColour(i), values, mean: mean(values), low, high }];
  });
  if (groups.length === 0) return null;
  const one = groups.every((group) => group.values.length === 1);
  return dotFigure({
    title: "Information about the class", valueLabel: "nats, mixed KSG estimate", groups, file: condition, format: (v) => v.toFixed(2),
    reference: entropy === null ? undefined : { name: `label entropy ${nats(entropy)}`, value: entropy },
    note: one ? "The 95 % interval of each estimate." : "One dot for each seed, their mean, and its 95 % t interval; of a single seed the interval of its estimate.",
  });
}
