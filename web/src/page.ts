/** What every page has around its content: bar with sections and theme button, foot. */
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

/** The bar; marks the link of the section that is being read. */
export function topBar(sections: Section[]): HTMLElement {
  const links = new Map(sections.map(({ id, title }) => [id, h("a", { href: `#${id}` }, title)]));
  const bar = h("header", { class: "top" },
    h("a", { class: "skip", href: "#main" }, "To the content"),
    h("div", { class: "wide" },
      h("span", { class: "brand" }, mark(), "projnce"),
      h("nav", { class: "sections", "aria-label": "Sections" },
        h("ul", null, ...[...links.values()].map((link) => h("li", null, link)))),
      themeButton()));
  return bar;
}

/** Marks in `bar` the section of `main` that is at the top of the window. */
export function followSections(bar: HTMLElement, main: HTMLElement): void {
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const link = [...bar.querySelectorAll(".sections a")].find((a) => a.getAttribute("href") === `#${target.id}`);
      if (!isIntersecting || !link) continue;
      bar.querySelector("[aria-current]")?.removeAttribute("aria-current");
      link.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const section of main.querySelectorAll("section[id]")) observer.observe(section);
}

export function foot(page: PageData): HTMLElement {
  const when = new Date(page.written);
  const time = Number.isNaN(when.getTime()) ? page.written : `${when.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return h("footer", { class: "wide page-foot" }, `${page.program} · written ${time}`);
}
