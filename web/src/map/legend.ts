import { h } from "../dom";
import { count } from "../format";

export interface LegendEntry {
  id: number;
  name: string;
  color: string;
  count: number | null;
}

/** Legends with more entries than this have a filter box. */
const MANY = 20;

/** List of groups that can be hidden, or shown exclusively. */
export class Legend {
  readonly element: HTMLElement;
  readonly hidden = new Set<number>();
  private entries: LegendEntry[] = [];
  private readonly list = h("ul", { class: "map-legend-list" });
  private readonly search: HTMLInputElement;

  constructor(
    private readonly title: string,
    private readonly changed: () => void,
  ) {
    this.search = h("input", {
      type: "search", class: "map-legend-search", placeholder: "Filter", "aria-label": `Filter ${title}`,
    });
    this.search.addEventListener("input", () => this.filter());
    const all = this.command("all", () => this.hidden.clear());
    const none = this.command("none", () => this.entries.forEach((entry) => this.hidden.add(entry.id)));
    const head = h("div", { class: "map-legend-head" }, h("span", { class: "map-legend-title" }, title), all, none);
    this.element = h("div", { class: "map-legend", role: "group", "aria-label": title }, head, this.search, this.list);
  }

  private command(text: string, act: () => void): HTMLButtonElement {
    const label = `${this.title}: show ${text}`;
    const button = h("button", { type: "button", class: "map-legend-command", "aria-label": label }, text);
    button.addEventListener("click", () => {
      act();
      this.mark();
      this.changed();
    });
    return button;
  }

  setEntries(entries: LegendEntry[]): void {
    this.entries = entries;
    this.search.hidden = entries.length <= MANY;
    this.list.replaceChildren(...entries.map((entry) => this.row(entry)));
    this.mark();
    this.filter();
  }

  private row(entry: LegendEntry): HTMLElement {
    const button = h("button", { type: "button", class: "map-legend-entry", title: `${entry.name}\nShift-click: show only this` },
      h("span", { class: "map-legend-swatch", style: { background: entry.color } }),
      h("span", { class: "map-legend-name" }, entry.name),
      entry.count !== null && h("span", { class: "map-legend-count" }, count(entry.count)));
    button.addEventListener("click", (event) => {
      if (event.shiftKey || event.altKey) this.showOnly(entry.id);
      else if (!this.hidden.delete(entry.id)) this.hidden.add(entry.id);
      this.mark();
      this.changed();
    });
    button.addEventListener("dblclick", () => {
      this.showOnly(entry.id);
      this.mark();
      this.changed();
    });
    return h("li", null, button);
  }

  /** Shows one entry only; if it is the only one already, shows all. */
  private showOnly(id: number): void {
    const others = this.entries.filter((entry) => entry.id !== id);
    const isOnly = !this.hidden.has(id) && others.every((entry) => this.hidden.has(entry.id));
    this.hidden.clear();
    if (!isOnly) others.forEach((entry) => this.hidden.add(entry.id));
  }

  private mark(): void {
    this.list.querySelectorAll("button").forEach((button, k) => {
      button.setAttribute("aria-pressed", String(!this.hidden.has(this.entries[k]!.id)));
    });
  }

  private filter(): void {
    const wanted = this.search.hidden ? "" : this.search.value.trim().toLowerCase();
    [...this.list.children].forEach((row, k) => {
      (row as HTMLElement).hidden = !this.entries[k]!.name.toLowerCase().includes(wanted);
    });
  }
}
