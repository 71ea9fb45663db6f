/** Legend whose entries show and hide their series. */
import { h } from "../dom";

export function legend(series: { name: string; color: string; dashed?: boolean }[], hidden: Set<string>,
  show: (name: string, visible: boolean) => void): HTMLElement {
  const entry = ({ name, color, dashed }: { name: string; color: string; dashed?: boolean }): HTMLElement => {
    const swatch = h("span", { class: dashed ? "swatch dashed" : "swatch", style: { "--color": color } });
    const button: HTMLButtonElement = h("button", {
      type: "button", class: "legend-entry", "aria-pressed": String(!hidden.has(name)), title: "Show or hide",
      on: {
        click: () => {
          const visible = hidden.has(name);
          show(name, visible);
          button.setAttribute("aria-pressed", String(visible));
        },
      },
    }, swatch, name);
    return h("li", null, button);
  };
  return h("ul", { class: "legend" }, ...series.map(entry));
}
