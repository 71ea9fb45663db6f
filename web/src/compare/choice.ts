import { h } from "../dom";

/** Labeled select box; null if there are fewer than two options. */
export function choice(name: string, title: string, options: string[], chosen: string, act: (value: string) => void): HTMLElement | null {
  if (options.length < 2) return null;
  const select = h("select", { "data-choice": name }, ...options.map((text) => h("option", { value: text }, text)));
  select.value = chosen;
  select.addEventListener("change", () => act(select.value));
  return h("label", { class: "choice" }, title, select);
}
