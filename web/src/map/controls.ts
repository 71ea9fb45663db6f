import type { Rgb } from "../colors";
import { h, s } from "../dom";
import type { ColorBy } from "./coloring";
import { COLOR_TITLES } from "./coloring";
import type { Split } from "./points";

/** Segmented control that selects the split. */
export function splitSwitch(splits: Split[], chosen: Split, choose: (split: Split) => void): HTMLElement {
  const names: Record<Split, string> = { test: "Test samples", train: "Training samples" };
  const buttons = splits.map((split) =>
    h("button", { type: "button", "data-split": split, on: { click: () => choose(split) } }, names[split]));
  const group = h("div", { class: "map-switch", role: "group", "aria-label": "Samples" }, ...buttons);
  markSplit(group, chosen);
  return group;
}

export function markSplit(group: HTMLElement, chosen: Split): void {
  for (const button of group.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset["split"] === chosen));
  }
}

export function colorSelect(choose: (by: ColorBy) => void): HTMLSelectElement {
  const select = h("select", { "aria-label": "Color by" });
  select.addEventListener("change", () => choose(select.value as ColorBy));
  return select;
}

export function fillColors(select: HTMLSelectElement, offered: ColorBy[], chosen: ColorBy): void {
  select.replaceChildren(...offered.map((by) => h("option", { value: by }, COLOR_TITLES[by])));
  select.value = chosen;
}

export function namesToggle(pressed: boolean, change: (on: boolean) => void): HTMLButtonElement {
  const button = h("button", { type: "button", class: "map-toggle", "aria-pressed": String(pressed) }, "Names");
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    change(on);
  });
  return button;
}

function zoomButton(title: string, path: string, act: () => void): HTMLButtonElement {
  const icon = s("svg", { viewBox: "0 0 20 20", width: 16, height: 16, "aria-hidden": "true" },
    s("path", { d: path, fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round" }));
  return h("button", { type: "button", title, "aria-label": title, on: { click: act } }, icon);
}

export function zoomButtons(zoomIn: () => void, zoomOut: () => void, reset: () => void): HTMLElement {
  return h("div", { class: "map-zoom", role: "group", "aria-label": "Zoom" },
    zoomButton("Zoom in", "M10 4v12M4 10h12", zoomIn),
    zoomButton("Zoom out", "M4 10h12", zoomOut),
    zoomButton("Reset view", "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4", reset));
}

/** Legend of the audit score color scale. */
export function rampKey(): HTMLElement {
  return h("div", { class: "map-ramp-box" },
    h("div", { class: "map-ramp-ends" }, h("span", null, "likely correct"), h("span", null, "likely wrong")),
    h("div", { class: "map-ramp" }));
}

export function paintRamp(key: HTMLElement, ramp: Rgb[]): void {
  const stops = [0, 64, 128, 192, 255].map((i) => `rgb(${ramp[i]!.join(" ")})`);
  key.querySelector<HTMLElement>(".map-ramp")!.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
}
