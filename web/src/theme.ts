/**
 * Light and dark themes. The style sheet defines every color for both with light-dark(); color-scheme selects one. A
 * canvas needs resolved colors: it calls ink(), and calls it again on the document's "themechange" event.
 */
import { h, s } from "./dom";

export type Scheme = "light" | "dark";

export interface Ink {
  text: string;
  muted: string;
  line: string;
  surface: string;
  accent: string;
  /** Resolves any CSS color, including var(...) and light-dark(...), to rgb(...). */
  color(css: string): string;
}

const KEY = "theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function stored(): Scheme | null {
  try {
    const value = sessionStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // some browsers have no storage for file: pages
  }
}

let chosen: Scheme | null = null;

export function scheme(): Scheme {
  return chosen ?? (system.matches ? "dark" : "light");
}

function announce(): void {
  if (chosen) document.documentElement.dataset.theme = chosen;
  document.dispatchEvent(new Event("themechange"));
}

export function startTheme(): void {
  chosen = stored();
  if (chosen) document.documentElement.dataset.theme = chosen;
  system.addEventListener("change", announce);
}

function toggle(): void {
  chosen = scheme() === "dark" ? "light" : "dark";
  try {
    sessionStorage.setItem(KEY, chosen);
  } catch {
    // Without storage, the choice lasts until the page is reloaded.
  }
  announce();
}

export function themeButton(): HTMLButtonElement {
  const icon = s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true" },
    s("circle", { cx: 10, cy: 10, r: 7, fill: "none", stroke: "currentColor", "stroke-width": 1.6 }),
    s("path", { d: "M10 3a7 7 0 0 1 0 14z", fill: "currentColor" }));
  const button = h("button", { type: "button", class: "icon-button theme-button", on: { click: toggle } }, icon);
  const name = (): void => {
    const other = scheme() === "dark" ? "light" : "dark";
    button.setAttribute("aria-label", `Switch to ${other} theme`);
    button.title = `Switch to ${other} theme`;
  };
  name();
  document.addEventListener("themechange", name);
  return button;
}

function readInk(of: Scheme): Ink {
  const probe = h("span", { hidden: true, style: { "color-scheme": of } });
  document.body.append(probe);
  const known = new Map<string, string>();
  const color = (css: string): string => {
    let value = known.get(css);
    if (value === undefined) {
      probe.style.color = css;
      value = getComputedStyle(probe).color;
      known.set(css, value);
    }
    return value;
  };
  const of_ = (name: string): string => color(`var(--${name})`);
  return { text: of_("text"), muted: of_("muted"), line: of_("line"), surface: of_("surface"), accent: of_("accent"), color };
}

const inks = new Map<Scheme, Ink>();

/** Returns the colors of theme `of`; default: the active theme. */
export function ink(of: Scheme = scheme()): Ink {
  let known = inks.get(of);
  if (!known) {
    known = readInk(of);
    inks.set(of, known);
  }
  return known;
}
