/** Comparison of several runs, with the report of each run one click away. */
import { h } from "../dom";
import { guarded } from "../failure";
import { counted } from "../format";
import type { PageData, RunData } from "../model";
import { foot, followSections, topBar } from "../page";
import { renderRun } from "../run/run";
import { choice } from "./choice";
import { curveFigures } from "./curves";
import { commonProtocols, compareRuns, groupOf, type Comparison } from "./groups";
import { informationFigure } from "./information";
import { mapsFigure } from "./maps";
import { resultDots, resultsFigure } from "./results";
import { runOf } from "./route";
import { runsTable } from "./runs";
import { trendFigures } from "./trends";

interface Chosen {
  protocol: string;
  baseline: string;
  condition: string;
}

interface Part {
  id: string;
  title: string;
  /** Choices that the section depends on. */
  uses: (keyof Chosen)[];
  build: (chosen: Chosen) => HTMLElement | null;
}

function resultsSection(comparison: Comparison, chosen: Chosen): HTMLElement | null {
  if (comparison.entries.length === 0) return null;
  return h("div", { class: "stacked" }, resultsFigure(comparison, chosen), resultDots(comparison, chosen));
}

function partsOf(page: PageData, comparison: Comparison): Part[] {
  return [
    { id: "results", title: "Results", uses: ["protocol", "baseline"], build: (c) => resultsSection(comparison, c) },
    { id: "trends", title: "Settings", uses: ["protocol"], build: (c) => trendFigures(page.runs, c.protocol) },
    { id: "curves", title: "Training", uses: ["protocol", "condition"], build: (c) => curveFigures(comparison, c.condition, c.protocol) },
    { id: "maps", title: "Maps", uses: ["protocol", "condition"], build: (c) => mapsFigure(comparison, c.condition, c.protocol) },
    { id: "information", title: "Information", uses: ["condition"], build: (c) => informationFigure(comparison, c.condition) },
    { id: "runs", title: "Runs", uses: ["protocol"], build: (c) => runsTable(page.runs, comparison, c.protocol) },
  ];
}

function firstChoice(comparison: Comparison): Chosen {
  const { methods, conditions, entries } = comparison;
  const protocols = commonProtocols(comparison);
  const own = entries[0]?.summary.protocol ?? "";
  return {
    protocol: protocols.includes(own) ? own : (protocols[0] ?? ""),
    baseline: methods.find((method) => method.split(",")[0] === "supcon") ?? methods[0] ?? "",
    condition: conditions[0] ?? "",
  };
}

/** Keeps the reader's choices that are still available in new data. */
function keepValidChoices(chosen: Chosen, comparison: Comparison): Chosen {
  const first = firstChoice(comparison);
  return {
    protocol: commonProtocols(comparison).includes(chosen.protocol) ? chosen.protocol : first.protocol,
    baseline: comparison.methods.includes(chosen.baseline) ? chosen.baseline : first.baseline,
    condition: comparison.conditions.includes(chosen.condition) ? chosen.condition : first.condition,
  };
}

function lead(page: PageData, comparison: Comparison): string {
  const { methods, conditions, entries } = comparison;
  const datasets = [...new Set(entries.map((entry) => entry.dataset))];
  const sizes = new Set(methods.flatMap((method) => conditions.map((condition) => groupOf(comparison, method, condition).length)));
  const unfinished = page.runs.length - entries.length;
  return [
    datasets.join(", "), counted(page.runs.length, "run"), counted(methods.length, "method"),
    conditions.length > 1 ? counted(conditions.length, "condition") : "",
    sizes.size === 1 ? `${counted([...sizes][0]!, "seed")} each` : "",
    unfinished > 0 ? `${unfinished} unfinished` : "",
  ].filter((text) => text !== "").join(" · ");
}

function comparisonPage(page: PageData, comparison: Comparison, chosen: Chosen): HTMLElement {
  const parts = partsOf(page, comparison);
  const bodies = new Map(parts.map((part) => [part, h("div")]));
  const sections = new Map(parts.map((part) => [part,
    h("section", { id: part.id, class: "section", "aria-labelledby": `${part.id}-heading` }, h("h2", { id: `${part.id}-heading` }, part.title), bodies.get(part)!)]));
  const fill = (changed: (keyof Chosen)[]): void => {
    for (const part of parts) {
      if (!part.uses.some((use) => changed.includes(use))) continue;
      const content = guarded(part.title, () => part.build(chosen), part.id === "results");
      bodies.get(part)!.replaceChildren(...(content ? [content] : []));
      sections.get(part)!.hidden = content === null;
    }
  };
  const select = (name: keyof Chosen, title: string, options: string[]): HTMLElement | null =>
    choice(name, title, options, chosen[name], (value) => {
      chosen[name] = value;
      fill([name]);
    });
  fill(["protocol", "baseline", "condition"]);
  const controls = h("div", { class: "choices" },
    select("protocol", "Protocol", commonProtocols(comparison)),
    select("baseline", "Baseline", comparison.methods),
    select("condition", "Condition", comparison.conditions));
  const main = h("main", { id: "main", class: "wide compare", tabindex: -1 },
    h("div", { class: "title-block" }, h("h1", null, page.title), h("p", { class: "lead-line" }, lead(page, comparison))),
    ...comparison.remarks.map((text) => h("p", { class: "note" }, text)),
    controls, ...sections.values());
  const bar = topBar(parts.filter((part) => !sections.get(part)!.hidden));
  followSections(bar, main);
  return h("div", null, bar, main, foot(page));
}

/** Switches between the comparison and the reports of single runs, following the URL hash. */
class Pages {
  private readonly back = h("nav", { class: "back", "aria-label": "Comparison" }, h("a", { href: "#results" }, "← All runs"));
  private readonly runHolder = h("div");
  private overview: HTMLElement | null = null;
  private comparison: Comparison;
  private chosen: Chosen;
  private shown: string | null = null;

  constructor(private readonly root: HTMLElement, private page: PageData) {
    this.comparison = compareRuns(page.runs);
    this.chosen = firstChoice(this.comparison);
    window.addEventListener("hashchange", () => this.follow());
    this.showFor(runOf(location.hash));
  }

  /** Shows new data: redraws the current view if it changed, and keeps choices, focus and scroll position. */
  update(page: PageData): void {
    const same = JSON.stringify(page.runs) === JSON.stringify(this.page.runs);
    this.page = page;
    if (same) return;
    this.comparison = compareRuns(page.runs);
    this.chosen = keepValidChoices(this.chosen, this.comparison);
    this.overview = null;
    const place = window.scrollY;
    const focused = (document.activeElement as HTMLElement | null)?.dataset["choice"];
    this.showFor(this.shown);
    if (focused) this.root.querySelector<HTMLElement>(`[data-choice="${focused}"]`)?.focus({ preventScroll: true });
    window.scrollTo({ top: place, behavior: "instant" });
  }

  /** Follows the URL hash. An anchor within the report of a run, such as its map, does not leave the report. */
  private follow(): void {
    const name = runOf(location.hash);
    const within = location.hash.length > 1 && this.runHolder.querySelector(`#${CSS.escape(location.hash.slice(1))}`) !== null;
    if (name === null && this.shown !== null && within) return;
    if (name === this.shown) return;
    this.showFor(name);
    const target = name === null && location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (target) target.scrollIntoView();
    else window.scrollTo(0, 0);
    this.root.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  }

  private showFor(name: string | null): void {
    const run = this.page.runs.find((candidate) => candidate.name === name);
    this.shown = run?.name ?? null;
    if (run) this.showRun(run);
    else this.root.replaceChildren((this.overview ??= comparisonPage(this.page, this.comparison, this.chosen)));
    document.title = run ? run.name : this.page.title;
  }

  private showRun(run: RunData): void {
    if (this.runHolder.parentElement !== this.root) this.root.replaceChildren(this.runHolder);
    renderRun(this.runHolder, this.page, run);
    this.runHolder.querySelector("main")?.prepend(this.back);
  }
}

const pages = new WeakMap<HTMLElement, Pages>();

export function renderCompare(root: HTMLElement, page: PageData): void {
  const known = pages.get(root);
  if (known) known.update(page);
  else pages.set(root, new Pages(root, page));
}
