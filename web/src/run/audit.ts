/** Audit section: summary, most frequent label errors, and the top label issues. */
import { h, named } from "../dom";
import { count, counted, percent } from "../format";
import type { Audit, RunData } from "../model";
import { image } from "../images";
import { playButton } from "../audio";

const PAGE = 24;
const SIZE = 96;
type Worst = Audit["worst"][number];

/** Shows a sample on the map when it is clicked; null if there is no map. */
export type ShowOnMap = ((split: "train" | "test", index: number) => void) | null;

function checkText({ check }: Audit): string {
  if (!check) return "";
  const known = ([["precision", check.precision], ["recall", check.recall], ["average precision", check.average_precision]] as const)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${percent(value!)}`);
  return ` ${counted(check.wrong, "label is", "labels are")} known to be wrong` + (known.length > 0 ? `: ${known.join(", ")}.` : ".");
}

function coverageText(audit: Audit): string {
  const splits = (audit.splits ?? []).filter((split) => split.audited > 0).map((split) => counted(split.audited, `${split.split === "train" ? "training" : split.split} label`));
  if (splits.length > 2) splits.splice(0, 2, `${splits[0]}, ${splits[1]}`);
  return splits.length > 0 ? `Audited ${splits.join(" and ")}. ` : "";
}

function skillText({ skill }: Audit): string {
  if (!skill) return "";
  return `Classifiers that were not trained on a label predict ${percent(skill.held_out_accuracy)} of the labels; the most frequent class has ${percent(skill.chance_accuracy)}. `;
}

function summaryText(audit: Audit): string {
  if (audit.skill && !audit.skill.informative) {
    const reason = audit.skill.too_few_samples ? "There are too few samples to distinguish wrong labels from difficult samples" : "The features do not separate the classes";
    return `${coverageText(audit)}${skillText(audit)}${reason}, so no label is flagged.`;
  }
  const expected = audit.expected_precision ?? null;
  const found = `${count(audit.flagged)} of ${counted(audit.samples, "label")} ${audit.flagged === 1 ? "is" : "are"} flagged as label issues` +
    (expected === null ? "" : ` (expected precision ${percent(expected)})`) +
    (audit.noise_rate === null ? "." : `; the estimated label noise is ${percent(audit.noise_rate)}.`);
  return coverageText(audit) + skillText(audit) + found + checkText(audit);
}

function mistakes(audit: Audit): HTMLElement | null {
  if (audit.mistakes.length === 0) return null;
  return h("div", { class: "mistakes" },
    h("h3", null, "Most frequent label errors"),
    h("ul", { class: "chips" }, ...audit.mistakes.slice(0, 8).map((mistake) => h("li", null,
      named(mistake.class), " labeled ", named(mistake.labeled), h("span", { class: "aside" }, ` ${percent(mistake.share)}`)))));
}

function verdict({ wrong }: Worst): HTMLElement | null {
  if (wrong === null) return null;
  return h("span", { class: wrong ? "verdict good" : "verdict bad" }, wrong ? "✓ mislabeled" : "✗ label is correct");
}

function card(audit: Audit, i: number, show: ShowOnMap): HTMLElement {
  const worst = audit.worst[i]!;
  const flagged = worst.suggested !== worst.given;
  const shown = audit.images ? image(audit.images, i, SIZE, `Sample ${worst.name}`) : null;
  const split = worst.split ?? "train";
  const open = shown && show && (split === "train" || split === "test") && h("button", {
    type: "button", class: "plain", title: "Show on the map", "aria-label": `Show sample ${worst.name} on the map`,
    on: { click: () => show(split, worst.index) },
  }, shown);
  const clip = audit.clips?.[i];
  return h("li", { class: "label-issue" },
    open || shown,
    h("div", { class: "label-issue-text" },
      flagged && h("span", { class: "given" }, h("span", { class: "visually-hidden" }, "given "), named(worst.given)),
      h("span", { class: "suggested" }, h("span", { class: "visually-hidden" }, flagged ? "suggested " : "given, not flagged "), named(worst.suggested)),
      h("span", { class: "aside" }, `${percent(worst.score)} · `, named(worst.name), split === "train" ? "" : ` · ${split}`),
      verdict(worst),
      clip && playButton(clip, `sample ${worst.name}`)));
}

function gallery(audit: Audit, show: ShowOnMap): HTMLElement {
  const list = h("ul", { class: "label-issues" });
  const more = h("button", { type: "button", class: "button more" });
  const extend = (): void => {
    const from = list.children.length;
    const to = Math.min(audit.worst.length, from + PAGE);
    for (let i = from; i < to; i++) list.append(card(audit, i, show));
    more.hidden = to === audit.worst.length;
    more.textContent = `Show ${Math.min(PAGE, audit.worst.length - to)} more`;
  };
  more.addEventListener("click", extend);
  extend();
  return h("div", null, list, more);
}

export function auditSection(run: RunData, show: ShowOnMap): HTMLElement | null {
  const { audit } = run;
  if (!audit) return null;
  if (audit.skill && !audit.skill.informative) return h("p", { class: "lead" }, summaryText(audit));
  return h("div", { class: "audit" },
    h("p", { class: "lead" }, summaryText(audit)),
    mistakes(audit),
    audit.worst.length > 0 ? h("h3", null, audit.flagged > 0 ? "Top label issues" : "Highest scores (probability that the label is wrong)") : null,
    audit.worst.length > 0 ? gallery(audit, show) : null);
}
