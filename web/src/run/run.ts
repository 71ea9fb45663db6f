/** The page of one run. */
import { h } from "../dom";
import type { PageData, RunData } from "../model";
import { foot, topBar } from "../page";

export function renderRun(root: HTMLElement, page: PageData, run: RunData): void {
  root.replaceChildren(topBar([]), h("main", { id: "main", class: "wide" }, h("h1", null, run.name)), foot(page));
}
