/** Overflow menu behind a three-dot button. */
import { h, s, whileConnected } from "../dom";

export interface MenuItem {
  name: string | (() => string);
  act: () => void | Promise<void>;
}

const nameOf = (item: MenuItem): string => (typeof item.name === "string" ? item.name : item.name());

export function menu(title: string, items: MenuItem[]): HTMLElement {
  const dots = s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true", fill: "currentColor" },
    ...[4, 10, 16].map((cx) => s("circle", { cx, cy: 10, r: 1.7 })));
  const list = h("div", { class: "menu-list" });
  const details = h("details", { class: "menu" }, h("summary", { class: "icon-button", "aria-label": title, title }, dots), list);
  const close = (): void => {
    details.open = false;
  };
  const fill = (): void => list.replaceChildren(...items.map((item) => h("button", {
    type: "button",
    on: {
      click: () => {
        close();
        details.querySelector("summary")!.focus();
        void item.act();
      },
    },
  }, nameOf(item))));
  details.addEventListener("toggle", () => details.open && fill());
  fill();
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    close();
    details.querySelector("summary")!.focus();
  });
  // A click or focus outside closes the menu.
  for (const type of ["pointerdown", "focusin"])
    whileConnected(details, type, (event) => {
      if (details.open && !details.contains(event.target as Node)) close();
    });
  return details;
}
