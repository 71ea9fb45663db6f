/** Entry point: reads the page data and renders a run or a comparison. */
import { renderCompare } from "./compare/compare";
import { h } from "./dom";
import { announceFailure, hidePlainNumbers, watchForFailures } from "./failure";
import { keepFresh } from "./live";
import type { PageData } from "./model";
import { renderRun } from "./run/run";
import { startTheme } from "./theme";

function show(root: HTMLElement, page: PageData): void {
  const [only, ...others] = page.runs;
  document.title = page.title;
  if (only && others.length === 0) renderRun(root, page, only);
  else renderCompare(root, page);
}

function start(): void {
  startTheme();
  const page = JSON.parse(document.getElementById("data")!.textContent!) as PageData;
  const root = h("div", { id: "root" });
  hidePlainNumbers();
  document.body.append(root);
  show(root, page);
  keepFresh(page, (newer) => show(root, newer));
}

watchForFailures();
try {
  start();
} catch (error) {
  announceFailure(error);
}
