/** Table of all runs, with links to their reports. */
import { h } from "../dom";
import { percent } from "../format";
import type { RunData } from "../model";
import { setting } from "../run/words";
import { accuracyOf, type Comparison } from "./groups";
import { runAddress } from "./route";

export function runsTable(runs: RunData[], comparison: Comparison, protocol: string): HTMLElement {
  const known = new Map(comparison.entries.map((entry) => [entry.run, entry]));
  const row = (run: RunData): HTMLElement => {
    const entry = known.get(run);
    const cells = entry
      ? [entry.method, entry.condition, String(entry.seed), percent(accuracyOf(entry, protocol))]
      : [setting(run, "loss.name") ?? "", setting(run, "dataset.name") ?? "", setting(run, "seed") ?? "", run.state];
    return h("tr", null, h("th", { scope: "row" }, h("a", { href: runAddress(run.name) }, run.name)),
      ...cells.map((text, i) => h("td", { class: i > 1 ? "number" : "" }, text)));
  };
  const heads = ["Run", "Method", "Condition", "Seed", "Accuracy"];
  return h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "All runs" },
    h("table", { class: "runs" },
      h("thead", null, h("tr", null, ...heads.map((text, i) => h("th", { scope: "col", class: i > 2 ? "number" : "" }, text)))),
      h("tbody", null, ...runs.map(row))));
}
