/** Mutual information between embeddings and classes, as a bar whose full length is the label entropy. */
import { h } from "../dom";
import { counted, finite, nats, percent } from "../format";
import type { Information, Metric } from "../model";

const TITLE = "Mutual information I(Z;C)";
const MEANING = "Certified lower bound: embeddings of new samples have at least this much information about the class, up to the standard error.";

/** Bounds by key, in display order. Other keys of older runs are not valid bounds and are not shown. */
const FORMS: Record<string, string> = {
  mi_bound_class_fitted: "class form, fitted temperature",
  mi_bound_class: "class form",
  mi_bound_normalized: "normalized pair form",
  mi_bound: "pair form",
};

interface Bound {
  form: string;
  value: number;
  error: Metric | undefined;
}

function boundsOf(information: Information): Bound[] {
  return Object.entries(FORMS).flatMap(([key, form]) => {
    const value = information.bounds[key];
    return finite(value) ? [{ form, value, error: information.bounds[`${key}_se`] }] : [];
  });
}

const withError = ({ value, error }: Bound): string => (finite(error) ? `${value.toFixed(2)} ± ${nats(error)}` : nats(value));

/** The bar, filled up to the bound, with markers for the estimate, its interval and the other bounds. */
function track(information: Information, whole: number, bounds: Bound[]): HTMLElement {
  const at = (v: number): string => `${100 * Math.min(1, Math.max(0, v / whole))}%`;
  const { mixed_ksg: estimate, interval } = information;
  const first = bounds[0];
  const filled = first ? first.value : finite(estimate) ? estimate : 0;
  const label = first ? `${TITLE}: at least ${nats(first.value)} of ${nats(whole)}` : `${TITLE}: about ${nats(filled)} of ${nats(whole)}`;
  return h("div", { class: "track", role: "img", "aria-label": label },
    h("span", { class: "track-fill", style: { width: at(filled) } }),
    interval ? h("span", { class: "track-range", style: { left: at(interval[0]), width: `calc(${at(interval[1])} - ${at(interval[0])})` } }) : null,
    finite(estimate) ? h("span", { class: "track-value", title: `Mixed KSG estimate: ${nats(estimate)}`, style: { left: at(estimate) } }) : null,
    ...bounds.map((bound) =>
      h("span", { class: "bound", title: `${bound.form}: ${withError(bound)}`, style: { left: at(bound.value) } })));
}

function estimateText(information: Information): string {
  const { mixed_ksg: value, interval } = information;
  if (!finite(value)) return `No Mixed KSG estimate: ${information.withheld ?? "the value is not finite"}.`;
  const range = interval ? `95 % interval ${interval[0].toFixed(2)} – ${nats(interval[1])}` : "too few samples for an interval";
  return `Mixed KSG estimate (not a bound): ${nats(value)} (${percent(information.share, 0)}), k = ${information.k}, ` +
    `${counted(information.samples, "sample")}, ${range}.`;
}

function boundsText(information: Information, bounds: Bound[]): string {
  const [first, ...others] = bounds;
  if (!first) return "";
  const poor = first.value <= 0 ? " It is not informative for this run." : "";
  const rows = counted(information.bounds.rows ?? information.samples, "test sample");
  const more = others.map((bound) => `; ${bound.form} ${withError(bound)}`).join("");
  return `${MEANING}${poor} Measured on ${rows} that the encoder was not trained on: ${first.form}${more}. `;
}

function headText(information: Information, bounds: Bound[]): (string | HTMLElement)[] {
  const { label_entropy: whole, mixed_ksg: estimate } = information;
  const first = bounds[0];
  if (first) return ["at least ", h("b", null, withError(first)), ` of ${nats(whole)}`];
  if (!finite(estimate)) return ["no estimate"];
  return ["about ", h("b", null, nats(estimate)), ` of ${nats(whole)} (${percent(information.share, 0)})`];
}

export function informationBar(information: Information): HTMLElement {
  const bounds = boundsOf(information);
  const { label_entropy: whole, mixed_ksg: estimate } = information;
  const drawn = finite(whole) && whole > 0 && (bounds.length > 0 || finite(estimate));
  return h("div", { class: "information" },
    h("p", { class: "information-head" }, h("span", { class: "big-label" }, TITLE), h("span", null, ...headText(information, bounds))),
    drawn ? track(information, whole, bounds) : null,
    h("p", { class: "note" }, boundsText(information, bounds) + estimateText(information) +
      ` The label entropy H(C) = ${nats(whole)} is the maximum.`));
}
