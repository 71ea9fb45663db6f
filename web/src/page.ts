/** Elements around the content of every page: top bar with sections and theme button, and footer. */
import { h, s } from "./dom";
import type { PageData } from "./model";
import { themeButton } from "./theme";

export interface Section {
  id: string;
  title: string;
}

function mark(): SVGSVGElement {
  const dot = (cx: number, cy: number, r: number, fill: string): SVGCircleElement => s("circle", { cx, cy, r, fill });
  return s("svg", { viewBox: "0 0 16 16", width: 20, height: 20, "aria-hidden": "true" },
    dot(5, 10.5, 3.5, "#5c76c8"), dot(11, 11.5, 2.5, "#E08C1D"), dot(9.5, 4.5, 3, "#0C919E"));
}

export function topBar(sections: Section[]): HTMLElement {
  return h("header", { class: "top" },
    h("a", { class: "skip", href: "#main" }, "Skip to content"),
    h("div", { class: "wide" },
      h("span", { class: "brand" }, mark(), "projnce"),
      h("nav", { class: "sections", "aria-label": "Sections" },
        h("ul", null, ...sections.map(({ id, title }) => h("li", null, h("a", { href: `#${id}` }, title))))),
      themeButton()));
}

/** Highlights the visible section of `main` in `bar`; at the end of the page, the last section. */
export function followSections(bar: HTMLElement, main: HTMLElement): void {
  const nav = bar.querySelector<HTMLElement>(".sections")!;
  const links = new Map([...nav.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const sections = [...main.querySelectorAll("section[id]")].filter((section) => links.has(section.id));
  const atTop = new Set<Element>();
  let atEnd = false;
  const mark = (): void => {
    const current = atEnd ? sections[sections.length - 1] : sections.find((section) => atTop.has(section));
    const link = links.get(current?.id ?? "");
    if (!link || link.hasAttribute("aria-current")) return;
    nav.querySelector("[aria-current]")?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    nav.scrollLeft = link.offsetLeft - nav.clientWidth / 3;
  };
  const nearTop = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) atTop[isIntersecting ? "add" : "delete"](target);
    mark();
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const section of sections) nearTop.observe(section);
  const end = main.nextElementSibling;
  if (end) new IntersectionObserver(([entry]) => {
    atEnd = entry!.isIntersecting && scrollY > 0;
    mark();
  }, { threshold: 0.9 }).observe(end);
}

function footText(page: PageData): string {
  const when = new Date(page.written);
  const time = Number.isNaN(when.getTime()) ? page.written : `${when.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `${page.program} · written ${time}`;
}

export function foot(page: PageData): HTMLElement {
  return h("footer", { class: "wide page-foot" }, footText(page));
}

/** Updates the footer for new data. */
export function updateFoot(element: Element, page: PageData): void {
  element.textContent = footText(page);
}
