/** How much the embeddings tell about the class, as a bar whose full length is the entropy of the labels. */
import { h } from "../dom";
import { count, nats, percent } from "../format";
import type { Summary } from "../model";

type Information = NonNullable<Summary["information"]>;

const BOUND_NAMES: Record<string, string> = { projnce: "ProjNCE bound", class_vectors: "bound of the class vectors" };

export function informationBar(information: Information): HTMLElement {
  const { label_entropy: whole, mixed_ksg: value, interval: [low, high], bounds } = information;
  const at = (v: number): string => `${100 * Math.min(1, Math.max(0, v / whole))}%`;
  const known = Object.entries(bounds).filter(([name]) => name in BOUND_NAMES);
  const marks = known.map(([name, bound]) =>
    h("span", { class: "bound", title: `${BOUND_NAMES[name]}: ${nats(bound)}`, style: { left: at(bound) } }));
  const text = `${nats(value)} of ${nats(whole)}`;
  const others = known.map(([name, bound]) => `${BOUND_NAMES[name]} ${nats(bound)}`).join(", ");
  return h("div", { class: "information" },
    h("p", { class: "information-head" }, h("span", { class: "big-label" }, "Information about the class"),
      h("span", null, h("b", null, nats(value)), ` of ${nats(whole)} (${percent(information.share, 0)})`)),
    h("div", { class: "track", role: "img", "aria-label": `Information about the class: ${text}` },
      h("span", { class: "track-fill", style: { width: at(low) } }),
      h("span", { class: "track-range", style: { left: at(low), width: `calc(${at(high)} - ${at(low)})` } }),
      h("span", { class: "track-value", style: { left: at(value) } }),
      ...marks),
    h("p", { class: "note" }, `The full bar is the entropy of the labels. Mixed KSG estimate, k = ${information.k}, ` +
      `${count(information.samples)} samples, 95 % interval ${low.toFixed(2)} – ${nats(high)}.` + (others ? ` Marks: ${others}.` : "")));
}
