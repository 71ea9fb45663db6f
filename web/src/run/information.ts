/** How much the embeddings tell about the class, as a bar whose full length is the entropy of the labels. */
import { h } from "../dom";
import { count, finite, nats, percent } from "../format";
import type { Information } from "../model";

const BOUND_NAMES: Record<string, string> = { projnce: "ProjNCE bound", class_vectors: "bound of the class vectors" };
const TITLE = "Information about the class";

interface Bound {
  name: string;
  value: number;
}

function boundsOf(information: Information): Bound[] {
  return Object.entries(BOUND_NAMES).flatMap(([key, name]) => {
    const value = information.bounds[key];
    return finite(value) ? [{ name, value }] : [];
  });
}

const boundsText = (bounds: Bound[]): string => bounds.map(({ name, value }) => `${name} ${nats(value)}`).join(", ");

/** The bar with the estimate and, if there is one, its interval. */
function track(information: Information, value: number, whole: number, bounds: Bound[]): HTMLElement {
  const at = (v: number): string => `${100 * Math.min(1, Math.max(0, v / whole))}%`;
  const [low, high] = information.interval ?? [value, value];
  return h("div", { class: "track", role: "img", "aria-label": `${TITLE}: ${nats(value)} of ${nats(whole)}` },
    h("span", { class: "track-fill", style: { width: at(low) } }),
    h("span", { class: "track-range", style: { left: at(low), width: `calc(${at(high)} - ${at(low)})` } }),
    h("span", { class: "track-value", style: { left: at(value) } }),
    ...bounds.map((bound) =>
      h("span", { class: "bound", title: `${bound.name}: ${nats(bound.value)}`, style: { left: at(bound.value) } })));
}

function estimate(information: Information, value: number, whole: number): HTMLElement {
  const bounds = boundsOf(information);
  const { interval } = information;
  const range = interval ? `95 % interval ${interval[0].toFixed(2)} – ${nats(interval[1])}` : "too few samples for an interval";
  return h("div", { class: "information" },
    h("p", { class: "information-head" }, h("span", { class: "big-label" }, TITLE),
      h("span", null, h("b", null, nats(value)), ` of ${nats(whole)} (${percent(information.share, 0)})`)),
    track(information, value, whole, bounds),
    h("p", { class: "note" }, `The full bar is the entropy of the labels. Mixed KSG estimate, k = ${information.k}, ` +
      `${count(information.samples)} samples, ${range}.` + (bounds.length > 0 ? ` Marks: ${boundsText(bounds)}.` : "")));
}

function noEstimate(information: Information): HTMLElement {
  const bounds = boundsOf(information);
  const reason = information.withheld ?? "it is not a finite number";
  return h("div", { class: "information" },
    h("p", { class: "information-head" }, h("span", { class: "big-label" }, TITLE), h("span", null, "no estimate")),
    h("p", { class: "note" }, `No Mixed KSG estimate: ${reason}. The labels have an entropy of ${nats(information.label_entropy)}.` +
      (bounds.length > 0 ? ` Lower bounds: ${boundsText(bounds)}.` : "")));
}

export function informationBar(information: Information): HTMLElement {
  const { label_entropy: whole, mixed_ksg: value } = information;
  return finite(value) && finite(whole) && whole > 0 ? estimate(information, value, whole) : noEstimate(information);
}
