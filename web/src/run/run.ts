/** Report of one run. A section is redrawn only when the data that it shows has changed. */
import { h, keepFocus } from "../dom";
import { guarded } from "../failure";
import { mountMap, type MapHandle } from "../map/map";
import type { PageData, RunData } from "../model";
import { foot, followSections, topBar, updateFoot } from "../page";
import { auditSection, type ShowOnMap } from "./audit";
import { classesSection } from "./classes";
import { configSection } from "./config";
import { curvesSection } from "./curves";
import { headline } from "./headline";

interface Part {
  id: string;
  title: string;
  /** Fields that the section shows. */
  uses: (keyof RunData)[];
  /** Returns null if there is nothing to show. */
  build: (run: RunData, shown: Shown) => HTMLElement | null;
}

interface Shown {
  run: RunData;
  sections: Map<string, HTMLElement>;
  map: MapHandle | null;
}

const showOnMap = (shown: Shown): ShowOnMap => shown.run.train && ((part, index) => {
  shown.map?.highlight(part, index);
  shown.sections.get("map")?.scrollIntoView({ block: "start" });
});

function mapSection(run: RunData, shown: Shown): HTMLElement | null {
  shown.map?.destroy();
  shown.map = null;
  if (!run.test && !run.train) return null;
  const host = h("div", { class: "map-host" });
  shown.map = mountMap(host, run);
  return host;
}

function missingNotes(run: RunData): HTMLElement | null {
  if (run.missing.length === 0) return null;
  return h("ul", { class: "missing note" }, ...run.missing.map((text) => h("li", null, text)));
}

const PARTS: Part[] = [
  {
    id: "overview", title: "Overview", build: headline,
    uses: ["name", "path", "state", "commands", "kind", "summary", "curves", "config"],
  },
  { id: "map", title: "Map", uses: ["test", "train", "classes", "kind"], build: mapSection },
  { id: "classes", title: "Classes", uses: ["confusion", "classes"], build: classesSection },
  { id: "labels", title: "Labels", uses: ["audit", "train"], build: (run, shown) => auditSection(run, showOnMap(shown)) },
  { id: "training", title: "Training", uses: ["curves"], build: curvesSection },
  { id: "settings", title: "Settings", uses: ["config"], build: configSection },
  { id: "missing", title: "Not shown", uses: ["missing"], build: missingNotes },
];

const pages = new WeakMap<HTMLElement, Shown>();

const same = (a: RunData, b: RunData, fields: (keyof RunData)[]): boolean =>
  fields.every((field) => JSON.stringify(a[field]) === JSON.stringify(b[field]));

/** Wraps content in a section. The heading of the overview is the run's name; the others have a title. */
function section(part: Part, content: HTMLElement): HTMLElement {
  if (part.id === "overview") return h("section", { id: part.id, class: "section", "aria-label": part.title }, content);
  const heading = h("h2", { id: `${part.id}-heading` }, part.title);
  return h("section", { id: part.id, class: "section", "aria-labelledby": heading.id }, heading, content);
}

/** Builds new and changed sections. Returns whether a section was added or removed. */
function updateSections(shown: Shown, run: RunData, before: RunData | null): boolean {
  let others = false;
  for (const part of PARTS) {
    if (before && same(before, run, part.uses)) continue;
    const old = shown.sections.get(part.id);
    const content = guarded(part.title, () => part.build(run, shown), part.id === "overview");
    if (old && content) keepFocus(old, () => old.lastElementChild!.replaceWith(content));
    else if (content) shown.sections.set(part.id, section(part, content));
    else shown.sections.delete(part.id);
    others ||= (old === undefined) !== (content === null);
  }
  return others;
}

/** Renders the run. Later calls with new data update the changed sections. */
export function renderRun(root: HTMLElement, page: PageData, run: RunData): void {
  const known = pages.get(root);
  const shown: Shown = known ?? { run, sections: new Map(), map: null };
  const before = known ? known.run : null;
  shown.run = run;
  pages.set(root, shown);
  if (!updateSections(shown, run, before) && known) {
    updateFoot(root.lastElementChild!, page);
    return;
  }
  const there = PARTS.filter((part) => shown.sections.has(part.id));
  const bar = topBar(there.filter((part) => part.id !== "missing"));
  const main = h("main", { id: "main", class: "wide", tabindex: -1 }, ...there.map((part) => shown.sections.get(part.id)!));
  root.replaceChildren(bar, main, foot(page));
  followSections(bar, main);
}
