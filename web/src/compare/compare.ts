/** The page of several runs. */
import { h } from "../dom";
import type { PageData } from "../model";

export function renderCompare(root: HTMLElement, page: PageData): void {
  root.replaceChildren(h("main", { id: "main", class: "wide" }, h("h1", null, page.title),
    h("ul", null, ...page.runs.map((run) => h("li", null, run.name)))));
}
